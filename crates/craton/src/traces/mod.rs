//! Seismograms in files: their names, and what is kept of them in each form.
//!
//! A trace of a results folder is `NET.STA.QUANTITY.COMPONENT.sac` (or `.txt`), has SPECFEM's name, or is one of those in
//! `NET.STA.QUANTITY.mseed`. Whatever the form, it is known by the same [`TraceName`], so that folders of different forms can be compared.

mod companions;
mod miniseed;
mod name;
mod read;
mod sac_header;
mod situation;
mod write;

pub use companions::{channels, events};
pub(crate) use miniseed::{channel_of, count_from_one_second, count_from_own_second};
pub use name::TraceName;
pub(crate) use name::word_of;
pub use read::{FOLDER, read_file, read_folder};
pub(crate) use read::{files_of, form_of, of_sac, read_one};
pub use situation::{DEGREE, Place, Situation, Way};
pub(crate) use write::file_name;
pub use write::{files, write};

use craton_acquisition::Quantity;
use craton_formats::sac::SPHERE;

/// One component of a seismogram.
#[derive(Debug, Clone, PartialEq)]
pub struct Trace {
    /// What it is called.
    pub name: TraceName,
    /// Time of the first sample [s].
    pub start: f64,
    /// Time between samples [s].
    pub dt: f64,
    /// The samples, in the SI unit of the quantity.
    pub samples: Vec<f64>,
    /// Where it was recorded, x east, y north, z up [m], if the file says so.
    pub position: Option<[f64; 3]>,
    /// Horizontal distance from the event or the first source [m], if the file says so.
    pub offset: Option<f64>,
    /// What the run that recorded it knows of station and event; of a trace from a file, what its header tells.
    pub situation: Situation,
}

impl Trace {
    /// Time of the last sample [s].
    pub fn end(&self) -> f64 {
        self.start + self.dt * (self.samples.len() as f64 - 1.0)
    }

    /// Direction of the component, clockwise from north or y [degrees]; 0 of what points up, unknown of tensors and of names of other origin.
    pub fn azimuth(&self) -> Option<f64> {
        let component = &*self.name.component;
        match component {
            "X" | "E" => Some(90.0),
            "Y" | "N" | "Z" => Some(0.0),
            _ if component.len() == 2 => None,
            _ if component.ends_with('R') => self.situation.radial,
            _ if component.ends_with('T') => self.situation.radial.map(|radial| (radial + 90.0).rem_euclid(360.0)),
            _ => None,
        }
    }

    /// Unit of the samples; empty when the quantity is unknown.
    pub fn unit(&self) -> &'static str {
        self.name.quantity.map_or("", Quantity::unit)
    }
}
