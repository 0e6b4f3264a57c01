//! Records of distributed acoustic sensing (DAS) in the HDF5 layout of PRODML 2.1: the signals of all channels of an optical fibre.
//!
//! | path | content |
//! |---|---|
//! | `/Acquisition` | attributes: loci, spatial sampling, gauge length, rates, start time |
//! | `/Acquisition/Raw[0]/RawData` | samples, 32-bit floats, shape (locus, time) |
//! | `/Acquisition/Raw[0]/RawDataTime` | times of the samples, 64-bit integers [μs since 1970], rounded |
//! | `/Acquisition/Custom/Distance` | distances of the channels along the fibre [m], shape (locus) |
//! | `/Acquisition/Custom/Position` | positions of the channels, shape (locus, 3), with the attribute `Coordinates` |
//!
//! PRODML numbers the points of a fibre: channel `i` is at locus `StartLocusIndex + i`, at the distance `(StartLocusIndex + i) *
//! SpatialSamplingInterval`. `StartLocusIndex` is an integer, so these distances, which readers such as dascore and xdas show, differ by up
//! to half an interval from those of a fibre whose first channel is elsewhere. `Custom/Distance` has the distances as given.
//!
//! A simulation has no pulses: `PulseRate` is the sampling rate, and `PulseWidth` is NaN, because dascore recognises only files that have the
//! attribute; it accepts any number. `FacilityId` is `UNKNOWN`, as PRODML demands where there is no facility. Identifiers (`uuid`) are
//! hashes of the content: the same record has the same identifiers.
//!
//! Channels come one after the other, as the attribute `Dimensions` states. dascore follows it; xdas requires `swapped_dims=True`.
//!
//! Metadata that PRODML stores in separate XML documents are not written: citation, optical path, instrument, calibration.
//!
//! Source: Energistics, PRODML Technical Usage Guide, version 2.0, sections 19.5 to 19.8 and 29.1 (groups, arrays and attributes in HDF5);
//! the elements that the PRODML schema requires of `DasAcquisition` and `DasRaw`; attributes of units as the reader of dascore 0.1.24
//! expects them in version 2.1. Verified by `validation/readers/check_prodml.py`, with dascore and h5py.

use std::path::Path;

use crate::DateTime;
use crate::error::{FormatError, Refused, Result};
use crate::hdf5::{DatasetValues, DatasetWriter};

mod axes;
mod identifiers;
mod layout;

use identifiers::Identifiers;
use layout::Groups;

/// What a fibre measures, and its unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DasQuantity {
    /// Axial strain [strain].
    Strain,
    /// Rate of the axial strain [strain/s].
    StrainRate,
}

/// A record of one fibre, without its samples.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DasRecord<'a> {
    /// Time of the first sample, from the year 1700 until the last sample is in the year 2199. Leap seconds are not supported: second 60 is
    /// the first second of the next minute.
    pub start: DateTime,
    /// Time between samples [s], at least 1 μs.
    pub interval: f64,
    /// Samples of each channel, at least 2.
    pub samples: usize,
    /// Distances of the channel centres along the fibre [m], not negative, at least one. They may deviate by half of `spacing` from equal
    /// spacing.
    pub distances: &'a [f64],
    /// Distance between channels along the fibre [m], above 0.
    pub spacing: f64,
    /// Length over which the strain is averaged [m], above 0.
    pub gauge_length: f64,
    /// Positions of the channel centres, one per channel.
    pub positions: &'a [[f64; 3]],
    /// Names of the three coordinates with their units, such as `longitude [degrees]`, in printable ASCII characters.
    pub coordinates: [&'a str; 3],
    /// What the samples are.
    pub quantity: DasQuantity,
    /// What the record is, at most 2000 characters; may be empty.
    pub description: &'a str,
}

/// A DAS record that is being written, channel by channel. Samples are written at once and not kept. The file appears under its name when
/// [`Self::finish`] succeeds; if the writer is dropped before, nothing changes.
///
/// Verified by `prodml::an_independent_reader_finds_what_was_written`.
#[derive(Debug)]
pub struct DasWriter<'a> {
    record: DasRecord<'a>,
    groups: Groups,
    data: DatasetWriter,
    identifiers: Identifiers,
    /// Number of channels that were appended.
    channels: usize,
}

impl<'a> DasWriter<'a> {
    /// Creates a file without samples.
    ///
    /// # Errors
    /// [`FormatError::Unwritable`] for a field of [`DasRecord`] outside its range; [`FormatError::Io`] if the file cannot be created.
    pub fn create(path: &Path, record: &DasRecord<'a>) -> Result<Self> {
        record.check().map_err(|refused| refused.unwritable(path))?;
        let (groups, data) = layout::begin(path, record)?;
        Ok(Self { record: *record, groups, data, identifiers: Identifiers::new(record), channels: 0 })
    }

    /// Writes the samples of the next channel.
    ///
    /// # Arguments
    /// * `samples` – all finite, [`DasRecord::samples`] of them, in the unit of [`DasRecord::quantity`]
    /// # Errors
    /// [`FormatError::Unwritable`] for a channel too many, another number of samples, or a sample that is not finite, with channel and
    /// index from 0; nothing is added then. [`FormatError::Io`] if they cannot be written.
    pub fn append(&mut self, samples: &[f32]) -> Result<()> {
        self.check_channel(samples).map_err(|refused| self.unwritable(refused))?;
        self.data.append(DatasetValues::F32(samples))?;
        self.identifiers.add_samples(samples);
        self.channels += 1;
        Ok(())
    }

    /// Completes the file.
    ///
    /// # Errors
    /// [`FormatError::Unwritable`] if channels are missing; [`FormatError::Io`] if the file cannot be written.
    pub fn finish(self) -> Result<()> {
        if self.channels != self.record.distances.len() {
            return Err(self.unwritable(self.wrong_channels(self.channels)));
        }
        layout::finish(self.data.finish()?, self.groups, &self.identifiers)
    }

    fn check_channel(&self, samples: &[f32]) -> Result<(), Refused> {
        let channel = self.channels;
        if channel == self.record.distances.len() {
            return Err(self.wrong_channels(channel + 1));
        }
        if samples.len() != self.record.samples {
            let what = format!("number of samples of channel {channel}");
            return Err(Refused::new(what, samples.len(), format!("{}, as the record", self.record.samples)));
        }
        match samples.iter().position(|sample| !sample.is_finite()) {
            Some(index) => {
                Err(Refused::new(format!("sample {index} of channel {channel}"), samples[index], "finite samples"))
            }
            None => Ok(()),
        }
    }

    fn wrong_channels(&self, channels: usize) -> Refused {
        Refused::new("number of channels", channels, format!("{}, as distances", self.record.distances.len()))
    }

    fn unwritable(&self, refused: Refused) -> FormatError {
        refused.unwritable(self.data.path())
    }
}

/// Writes a record, channel by channel.
///
/// # Arguments
/// * `channels` – samples of each channel, as in [`DasWriter::append`]; they are read once, one after the other
/// # Errors
/// As the methods of [`DasWriter`]; an existing file is unchanged then.
pub fn write(path: &Path, record: &DasRecord, channels: impl IntoIterator<Item = impl AsRef<[f32]>>) -> Result<()> {
    let mut writer = DasWriter::create(path, record)?;
    for samples in channels {
        writer.append(samples.as_ref())?;
    }
    writer.finish()
}
