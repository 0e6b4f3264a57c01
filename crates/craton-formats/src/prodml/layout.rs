//! Groups, datasets and attributes of a file.

use std::path::Path;

use super::axes::Times;
use super::identifiers::Identifiers;
use super::{DasQuantity, DasRecord};
use crate::error::Result;
use crate::hdf5::AttributeValue::{self, Bool, F64, I64, Text, Texts, Utf8};
use crate::hdf5::{DatasetValues, DatasetWriter, GroupId, Hdf5Writer, ValueType};

/// Times written at a time.
const PIECE: usize = 1 << 13;

/// Groups of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Groups {
    acquisition: GroupId,
    /// Group of the samples.
    raw: GroupId,
}

impl DasQuantity {
    /// `RawDataUnit`, as dascore parses it.
    fn unit(self) -> &'static str {
        match self {
            Self::Strain => "strain",
            Self::StrainRate => "strain/s",
        }
    }

    /// `RawDescription`, from which dascore takes the type of the data.
    fn description(self) -> &'static str {
        match self {
            Self::Strain => "strain",
            Self::StrainRate => "strain rate",
        }
    }
}

/// Creates the file with everything but the samples and the identifiers, and begins the dataset of the samples.
pub(super) fn begin(path: &Path, record: &DasRecord) -> Result<(Groups, DatasetWriter)> {
    let mut file = Hdf5Writer::create(path)?;
    let acquisition = file.add_group(Hdf5Writer::ROOT, "Acquisition")?;
    let raw = file.add_group(acquisition, "Raw[0]")?;
    let [start, end] = [0, record.samples - 1].map(|sample| Times::new(record).text(sample));
    add_attributes(&mut file, acquisition, &acquisition_attributes(record, &start))?;
    add_attributes(&mut file, raw, &raw_attributes(record))?;
    let file = add_custom(file, acquisition, record)?;
    let file = add_times(file, raw, record, [&start, &end])?;
    let shape = [record.distances.len() as u64, record.samples as u64];
    let own = [("Dimensions", Texts(&["locus", "time"]))];
    let attributes = [&own[..], &part_attributes(shape[0].saturating_mul(shape[1]), [&start, &end])].concat();
    let data = file.begin_dataset(raw, "RawData", ValueType::F32, &shape, &attributes)?;
    Ok((Groups { acquisition, raw }, data))
}

/// Adds the identifiers and completes the file.
pub(super) fn finish(mut file: Hdf5Writer, groups: Groups, identifiers: &Identifiers) -> Result<()> {
    for (group, name, part) in [
        (Hdf5Writer::ROOT, "uuid", "file"),
        (groups.acquisition, "uuid", "acquisition"),
        (groups.acquisition, "AcquisitionId", "job"),
        (groups.raw, "uuid", "raw"),
    ] {
        file.add_attribute(group, name, Text(&identifiers.of(part)))?;
    }
    file.finish()
}

/// Writes the distances and the positions of the channels.
fn add_custom(mut file: Hdf5Writer, acquisition: GroupId, record: &DasRecord) -> Result<Hdf5Writer> {
    let custom = file.add_group(acquisition, "Custom")?;
    file.add_dataset(custom, "Distance", DatasetValues::F64(record.distances), &[("Uom", Text("m"))])?;
    let shape = [record.positions.len() as u64, 3];
    let coordinates = [("Coordinates", Texts(&record.coordinates))];
    let mut positions = file.begin_dataset(custom, "Position", ValueType::F64, &shape, &coordinates)?;
    positions.append(DatasetValues::F64(record.positions.as_flattened()))?;
    positions.finish()
}

/// Writes the times of the samples, piece by piece.
fn add_times(file: Hdf5Writer, raw: GroupId, record: &DasRecord, span: [&str; 2]) -> Result<Hdf5Writer> {
    let (times, count) = (Times::new(record), record.samples);
    let own = [("StartTime", Text(span[0])), ("EndTime", Text(span[1])), ("Uom", Text("us"))];
    let attributes = [&own[..], &part_attributes(count as u64, span)].concat();
    let mut dataset = file.begin_dataset(raw, "RawDataTime", ValueType::I64, &[count as u64], &attributes)?;
    for first in (0..count).step_by(PIECE) {
        let piece: Vec<i64> = (first..count.min(first + PIECE)).map(|sample| times.of(sample)).collect();
        dataset.append(DatasetValues::I64(&piece))?;
    }
    dataset.finish()
}

fn acquisition_attributes<'a>(record: &DasRecord<'a>, start: &'a str) -> Vec<(&'static str, AttributeValue<'a>)> {
    let mut attributes = vec![
        ("schemaVersion", Text("2.1")),
        ("FacilityId", Texts(&["UNKNOWN"])),
        ("ServiceCompanyName", Text("SIMULATION")),
        ("MeasurementStartTime", Text(start)),
        ("TriggeredMeasurement", Bool(false)),
        ("NumberOfLoci", I64(record.distances.len() as i64)),
        ("StartLocusIndex", I64(record.first_locus())),
    ];
    if !record.description.is_empty() {
        attributes.push(("AcquisitionDescription", Utf8(record.description)));
    }
    for (name, value, uom, unit) in [
        ("SpatialSamplingInterval", record.spacing, "SpatialSamplingInterval.uom", "m"),
        ("GaugeLength", record.gauge_length, "GaugeLength.uom", "m"),
        ("PulseRate", record.rate(), "PulseRate.uom", "Hz"),
        ("PulseWidth", f64::NAN, "PulseWidth.uom", "ns"),
        ("MinimumFrequency", 0.0, "MinimumFrequency.uom", "Hz"),
        ("MaximumFrequency", record.rate() / 2.0, "MaximumFrequency.uom", "Hz"),
    ] {
        attributes.extend([(name, F64(value)), (uom, Text(unit))]);
    }
    attributes
}

fn raw_attributes(record: &DasRecord) -> [(&'static str, AttributeValue<'static>); 7] {
    [
        ("RawIndex", I64(0)),
        ("RawDescription", Text(record.quantity.description())),
        ("RawDataUnit", Text(record.quantity.unit())),
        ("OutputDataRate", F64(record.rate())),
        ("OutputDataRate.uom", Text("Hz")),
        ("NumberOfLoci", I64(record.distances.len() as i64)),
        ("StartLocusIndex", I64(record.first_locus())),
    ]
}

/// Attributes of a dataset that is complete in this file.
///
/// # Arguments
/// * `count` – number of all its values
/// * `span` – times of the first and the last sample
fn part_attributes<'a>(count: u64, [start, end]: [&'a str; 2]) -> [(&'static str, AttributeValue<'a>); 4] {
    [("Count", I64(count as i64)), ("StartIndex", I64(0)), ("PartStartTime", Text(start)), ("PartEndTime", Text(end))]
}

fn add_attributes(file: &mut Hdf5Writer, group: GroupId, attributes: &[(&str, AttributeValue)]) -> Result<()> {
    attributes.iter().try_for_each(|&(name, value)| file.add_attribute(group, name, value))
}
