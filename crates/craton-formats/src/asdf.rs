//! ASDF 1.0.3, the Adaptable Seismic Data Format: seismograms with the metadata of their stations and events, in one HDF5 file.
//!
//! | path | content |
//! |---|---|
//! | `/QuakeML` | events, a QuakeML document |
//! | `/Waveforms/NET.STA/StationXML` | a station, a StationXML document |
//! | `/Waveforms/NET.STA/NET.STA.LOC.CHA__START__END__TAG` | samples of a trace, with its start and sampling rate |
//! | `/AuxiliaryData`, `/Provenance` | empty groups |
//!
//! Source: Krischer et al. (2016), An Adaptable Seismic Data Format, Geophys. J. Int. 207, 1003-1011; definition of version 1.0.3,
//! <https://asdf-definition.readthedocs.io>, and the schema of its validator. Names of traces are those that pyasdf gives.
//! Verified by `validation/readers/check_asdf.py`, with pyasdf and h5py.

use std::collections::HashMap;
use std::path::Path;

use crate::DateTime;
use crate::error::{FormatError, Refused, Result};
use crate::hdf5::{AttributeValue, DatasetValues, GroupId, Hdf5Writer};

mod name;

pub use name::check_codes;
use name::{Times, check_station, trace_name};

/// A continuous segment of one channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AsdfTrace<'a> {
    /// Network code, 1 or 2 capital letters and digits.
    pub network: &'a str,
    /// Station code, 1 to 5 capital letters and digits.
    pub station: &'a str,
    /// Location code, at most 2 capital letters and digits.
    pub location: &'a str,
    /// Channel code, 3 capital letters and digits, see [`crate::miniseed::synthetic_channel`].
    pub channel: &'a str,
    /// What the samples are: small letters, digits and `_`, such as `synthetic` or `displacement`.
    pub tag: &'a str,
    /// Time of the first sample, to the nanosecond, in the years 1800 to 2199. Leap seconds are not supported: second 60 is the first
    /// second of the next minute.
    pub start: DateTime,
    /// Samples per second, above 0.
    pub sampling_rate: f64,
    /// Samples, at least one, all finite.
    pub samples: AsdfSamples<'a>,
    /// Identifier (`publicID`) of the event in the QuakeML document; several are separated by commas.
    pub event_id: Option<&'a str>,
}

/// Samples of a trace, stored in their own precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AsdfSamples<'a> {
    /// Single precision.
    F32(&'a [f32]),
    /// Double precision.
    F64(&'a [f64]),
}

/// An ASDF file that is being written, trace by trace. Samples are written at once and not kept. The file appears under its name when
/// [`Self::finish`] succeeds; if the writer is dropped before, nothing changes.
///
/// Verified by `asdf::an_independent_reader_finds_what_was_written`.
#[derive(Debug)]
pub struct AsdfWriter {
    file: Hdf5Writer,
    waveforms: GroupId,
    /// Group of each station.
    stations: HashMap<String, GroupId>,
}

impl AsdfWriter {
    /// Creates a file without events, stations and traces.
    ///
    /// # Errors
    /// [`FormatError::Io`] if the file cannot be created.
    pub fn create(path: &Path) -> Result<Self> {
        let mut file = Hdf5Writer::create(path)?;
        for (name, value) in [("file_format", "ASDF"), ("file_format_version", "1.0.3")] {
            file.add_attribute(Hdf5Writer::ROOT, name, AttributeValue::Text(value))?;
        }
        for name in ["AuxiliaryData", "Provenance"] {
            file.add_group(Hdf5Writer::ROOT, name)?;
        }
        let waveforms = file.add_group(Hdf5Writer::ROOT, "Waveforms")?;
        Ok(Self { file, waveforms, stations: HashMap::new() })
    }

    /// Adds the events of the file.
    ///
    /// # Arguments
    /// * `document` – a QuakeML document, see [`crate::quakeml::to_bytes`]; it is not validated
    /// # Errors
    /// [`FormatError::Unwritable`] for an empty document or a second one; [`FormatError::Io`] if it cannot be written.
    pub fn add_events(&mut self, document: &[u8]) -> Result<()> {
        self.file.add_dataset(Hdf5Writer::ROOT, "QuakeML", DatasetValues::I8(document), &[])
    }

    /// Adds the metadata of a station, before or after its traces.
    ///
    /// # Arguments
    /// * `network`, `station` – codes, as in [`AsdfTrace`]
    /// * `document` – a StationXML document with this station only, see [`crate::stationxml::to_bytes`]; it is not validated
    /// # Errors
    /// [`FormatError::Unwritable`] for invalid codes, an empty document or a second one of the station; [`FormatError::Io`] if it cannot
    /// be written.
    pub fn add_station(&mut self, network: &str, station: &str, document: &[u8]) -> Result<()> {
        check_station(network, station).map_err(|refused| self.unwritable(refused))?;
        let group = self.group(network, station)?;
        self.file.add_dataset(group, "StationXML", DatasetValues::I8(document), &[])
    }

    /// Writes a trace. Several traces of a channel may have one tag if they do not overlap.
    ///
    /// # Errors
    /// [`FormatError::Unwritable`] for a field of [`AsdfTrace`] outside its range, with the channel, or a trace with the name of a previous
    /// one; nothing is added then. [`FormatError::Io`] if it cannot be written.
    pub fn add_trace(&mut self, trace: &AsdfTrace) -> Result<()> {
        let (name, start) = checked(trace).map_err(|refused| self.unwritable(in_trace(trace, refused)))?;
        let group = self.group(trace.network, trace.station)?;
        let own =
            [("starttime", AttributeValue::I64(start)), ("sampling_rate", AttributeValue::F64(trace.sampling_rate))];
        let event = trace.event_id.map(|id| ("event_id", AttributeValue::Text(id)));
        let attributes: Vec<_> = own.into_iter().chain(event).collect();
        let values = match trace.samples {
            AsdfSamples::F32(samples) => DatasetValues::F32(samples),
            AsdfSamples::F64(samples) => DatasetValues::F64(samples),
        };
        self.file.add_dataset(group, &name, values, &attributes)
    }

    /// Completes the file.
    ///
    /// # Errors
    /// [`FormatError::Io`] if the file cannot be written.
    pub fn finish(self) -> Result<()> {
        self.file.finish()
    }

    /// The group of a station, which is created on first use.
    fn group(&mut self, network: &str, station: &str) -> Result<GroupId> {
        let name = format!("{network}.{station}");
        if let Some(&group) = self.stations.get(&name) {
            return Ok(group);
        }
        let group = self.file.add_group(self.waveforms, &name)?;
        self.stations.insert(name, group);
        Ok(group)
    }

    fn unwritable(&self, refused: Refused) -> FormatError {
        refused.unwritable(self.file.path())
    }
}

/// Validates a trace; returns its name and the time of its first sample [ns since 1970].
fn checked(trace: &AsdfTrace) -> Result<(String, i64), Refused> {
    match trace.samples {
        AsdfSamples::F32(samples) => check_samples(samples)?,
        AsdfSamples::F64(samples) => check_samples(samples)?,
    }
    if trace.event_id == Some("") {
        return Err(Refused::new("event_id", "``", "the identifier of an event, or none"));
    }
    let times = Times::new(trace)?;
    Ok((trace_name(trace, &times)?, times.start))
}

fn check_samples<T: Copy + Into<f64>>(samples: &[T]) -> Result<(), Refused> {
    if samples.is_empty() {
        return Err(Refused::new("number of samples", 0, "at least 1"));
    }
    let values = samples.iter().map(|&sample| sample.into());
    match values.enumerate().find(|(_, sample): &(usize, f64)| !sample.is_finite()) {
        Some((index, sample)) => Err(Refused::new(format!("sample {index}"), sample, "finite samples")),
        None => Ok(()),
    }
}

fn in_trace(trace: &AsdfTrace, refused: Refused) -> Refused {
    let AsdfTrace { network, station, location, channel, .. } = trace;
    let id = [*network, station, location, channel].join(".");
    Refused { what: format!("{} of {}", refused.what, crate::escaped(&id)), ..refused }
}
