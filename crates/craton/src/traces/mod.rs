//! Seismograms in files: their names, and what is kept of them in each form.
//!
//! A trace of a results folder is `NET.STA.QUANTITY.COMPONENT.sac` (or `.txt`), has SPECFEM's name, or is one of those in
//! `NET.STA.QUANTITY.mseed`. Whatever the form, it is known by the same [`TraceName`], so that folders of different forms can be compared.

mod miniseed;
mod name;
mod read;
mod sac_header;
mod situation;
mod write;

pub use name::TraceName;
pub(crate) use name::word_of;
pub use read::{FOLDER, read_file, read_folder};
pub(crate) use read::{files_of, form_of, of_sac, read_one};
pub use situation::{Place, Situation, Way};
pub(crate) use write::file_name;
pub use write::{files, write};

use craton_acquisition::Quantity;

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
    /// Horizontal distance from the first source [m], if the file says so.
    pub offset: Option<f64>,
    /// What the run that recorded it knows of station and event; unknown of a trace from a file.
    pub situation: Situation,
}

impl Trace {
    /// Time of the last sample [s].
    pub fn end(&self) -> f64 {
        self.start + self.dt * (self.samples.len() as f64 - 1.0)
    }

    /// Unit of the samples; empty when the quantity is unknown.
    pub fn unit(&self) -> &'static str {
        self.name.quantity.map_or("", Quantity::unit)
    }
}
