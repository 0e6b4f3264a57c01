//! SEG-Y: round trips, random access, and errors of invalid files.

use std::fs;
use std::path::{Path, PathBuf};

use craton_formats::Result;
use craton_formats::segy::{self, BinaryHeader, SampleFormat, SegyReader, TextHeader, Trace, TraceHeader};
use tempfile::TempDir;

mod formats;
mod geometry;
mod made;
mod reading;
mod revision2;
mod writing;

const INTERVAL: f64 = 0.002;
const SAMPLES: usize = 4;

fn text() -> TextHeader {
    TextHeader::cards(&["CLIENT  NOBODY", "AREA [A_1]"]).unwrap()
}

fn binary(format: SampleFormat) -> BinaryHeader {
    BinaryHeader { job: 7, line: -3, reel: 1, ..BinaryHeader::new(INTERVAL, SAMPLES, format).unwrap() }
}

/// A trace whose header has a different number in every field.
fn trace(index: i32) -> Trace {
    let header = TraceHeader {
        trace_in_line: index + 1,
        trace_in_file: index + 1,
        field_record: 1000 + index,
        trace_in_record: 1,
        energy_source_point: -5,
        cdp: 66,
        trace_in_cdp: 2,
        trace_id: 11,
        offset: -120 - index,
        receiver_elevation: -50_000,
        source_surface_elevation: 1200,
        source_depth: 700,
        source_water_depth: 51_000,
        receiver_water_depth: 50_100,
        elevation_scalar: -100,
        coordinate_scalar: -10,
        source_x: i32::MIN,
        source_y: i32::MAX,
        receiver_x: 12_345,
        receiver_y: -1,
        coordinate_units: 1,
        delay: -40,
        samples: SAMPLES as u16,
        sample_interval: 2000,
        cdp_x: 41,
        cdp_y: 42,
        inline: 43,
        crossline: 44,
        shotpoint: 45,
        shotpoint_scalar: -10,
        measurement_unit: 1,
        time_scalar: 10,
    };
    Trace { header, samples: (0..SAMPLES).map(|sample| (index as f32 + 0.5) * (sample as f32 - 1.25)).collect() }
}

struct Written {
    folder: TempDir,
    path: PathBuf,
}

/// Writes three traces to a file.
fn written(format: SampleFormat) -> Written {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sgy");
    segy::write(&path, &text(), &binary(format), &[0, 1, 2].map(trace)).unwrap();
    Written { folder, path }
}

impl Written {
    /// Writes a changed copy of the file.
    fn changed(&self, change: impl Fn(&mut Vec<u8>)) -> PathBuf {
        let mut bytes = fs::read(&self.path).unwrap();
        change(&mut bytes);
        let path = self.folder.path().join("changed.sgy");
        fs::write(&path, bytes).unwrap();
        path
    }
}

fn read_all(path: &Path) -> Result<Vec<Trace>> {
    SegyReader::open(path)?.traces.iter().collect()
}
