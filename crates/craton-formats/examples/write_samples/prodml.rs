//! DAS records: one with round numbers, one before 1970 whose interval and first distance are not, and a long one.

use std::path::Path;

use craton_formats::prodml::{self, DasQuantity, DasRecord};
use craton_formats::{DateTime, Result};

use super::ORIGIN;

/// Writes the records to a folder. Sample `i` of channel `n` is `n + step * i`, with a step that single precision holds exactly.
pub fn write(folder: &Path) -> Result<()> {
    let record = DasRecord {
        start: ORIGIN,
        interval: 0.002,
        samples: 500,
        distances: &[],
        spacing: 2.5,
        gauge_length: 10.0,
        positions: &[],
        coordinates: ["longitude [degrees]", "latitude [degrees]", "elevation [m]"],
        quantity: DasQuantity::StrainRate,
        description: "Borehole, vertical",
    };
    write_fibre(&folder.join("fibre_borehole.h5"), 40, 0.0, &record)?;
    let early = DasRecord {
        start: DateTime { year: 1969, month: 12, day: 31, hour: 23, minute: 59, second: 59.912_345_6 },
        interval: 1.0 / 3000.0,
        spacing: 0.7,
        quantity: DasQuantity::Strain,
        description: "Straße",
        ..record
    };
    write_fibre(&folder.join("fibre_early.h5"), 33, 12.3, &early)?;
    let long = DasRecord { samples: 200_000, interval: 0.0625, spacing: 1.020_952_3, description: "", ..record };
    write_fibre(&folder.join("fibre_long.h5"), 7, 1000.0, &long)
}

fn write_fibre(path: &Path, channels: usize, first: f64, record: &DasRecord) -> Result<()> {
    let distances: Vec<f64> = (0..channels).map(|channel| first + channel as f64 * record.spacing).collect();
    let positions: Vec<_> = distances.iter().map(|distance| [-67.25, -13.82, 120.0 - distance]).collect();
    let record = DasRecord { distances: &distances, positions: &positions, ..*record };
    let ramp = |channel| (0..record.samples).map(|sample| channel as f32 + sample as f32 / 4096.0).collect::<Vec<_>>();
    prodml::write(path, &record, (0..channels).map(ramp))
}
