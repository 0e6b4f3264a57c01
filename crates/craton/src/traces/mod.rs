//! Seismogram files: names, and metadata in each format.
//!
//! A trace of a results folder is `NET.STA.QUANTITY.COMPONENT.sac` (or `.txt`), has SPECFEM's file name, or is in
//! `NET.STA.QUANTITY.mseed`. In every format it has the same [`TraceName`], so that folders with different formats can
//! be compared.

mod companions;
mod miniseed;
mod name;
mod read;
mod sac_header;
mod situation;
mod write;

pub use companions::{channels, events};
pub(crate) use miniseed::{NO_DATE, codes_of};
pub(crate) use miniseed::{channel_after, channel_of, count_from_one_second, count_from_own_second};
pub use name::TraceName;
pub(crate) use name::word_of;
pub use read::{FOLDER, read_file, read_folder};
pub(crate) use read::{files_of, form_of, of_sac, read_one};
pub(crate) use situation::clockwise;
pub use situation::{DEGREE, Place, Situation, Way};
pub(crate) use write::file_name;
pub use write::{files, write};

use craton_acquisition::Quantity;
use craton_formats::sac::SPHERE;

/// One component of a seismogram.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// Name.
    pub name: TraceName,
    /// Time of the first sample [s].
    pub start: f64,
    /// Sample interval [s].
    pub dt: f64,
    /// The samples, in the SI unit of the quantity.
    pub samples: Vec<f64>,
    /// Position of the receiver, x east, y north, z up [m], if the file has it.
    pub position: Option<[f64; 3]>,
    /// Horizontal distance in the model from the event or the first source [m], if the file has it: in the x-y plane, or
    /// along the great circle on the spherical Earth.
    pub offset: Option<f64>,
    /// Station and event, from the run that recorded it or from the header.
    pub situation: Situation,
}

impl Trace {
    /// Time of the last sample [s].
    pub fn end(&self) -> f64 {
        self.start + self.dt * (self.samples.len() as f64 - 1.0)
    }

    /// Azimuth of the component, clockwise from true north or y [degrees]; 0 for vertical components, unknown for tensors
    /// and foreign names.
    pub fn azimuth(&self) -> Option<f64> {
        let component = &*self.name.component;
        match component {
            "X" | "E" => Some(clockwise(self.situation.convergence + 90.0)),
            "Y" | "N" => Some(clockwise(self.situation.convergence)),
            "Z" => Some(0.0),
            _ if component.len() == 2 => None,
            _ if component.ends_with('R') => self.situation.radial,
            _ if component.ends_with('T') => self.situation.radial.map(|radial| clockwise(radial + 90.0)),
            _ => None,
        }
    }

    /// The codes of network, station, location and channel in miniSEED and StationXML.
    pub fn seed_codes(&self) -> [String; 4] {
        miniseed::codes_of(self)
    }

    /// Whether it is a channel of a fibre.
    pub fn is_of_fibre(&self) -> bool {
        matches!(self.name.quantity, Some(Quantity::FibreStrain | Quantity::FibreStrainRate))
    }

    /// Unit of the samples; empty when the quantity is unknown.
    pub fn unit(&self) -> &'static str {
        self.name.quantity.map_or("", Quantity::unit)
    }
}
