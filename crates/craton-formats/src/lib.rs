//! File formats of geophysics: bytes to plain structs and back.
//!
//! | module | format | reads | writes |
//! |---|---|---|---|
//! | [`sac`] | SAC binary seismograms, header version 6 | yes | yes |
//! | [`text_trace`] | two-column seismograms, SPECFEM's file names | yes | yes |
//! | [`cmtsolution`] | moment-tensor sources | yes | yes |
//! | [`forcesolution`] | force sources | yes | yes |
//! | [`stations`] | lists of receivers | yes | yes |
//! | [`grid`] | ESRI ascii and `x y z` surfaces | yes | ESRI ascii |
//! | [`table`] | numeric tables with named columns | yes | – |
//! | [`vtk`] | VTU, VTI and PVD for ParaView | its own | yes |
//! | [`atomic`] | any file, whole or not at all | – | yes |
//!
//! Values stand as they were written: a field whose unit is not SI carries the unit in its name, and a method beside
//! it converts. Readers are strict: every error names the file, the line, what stood there and what was expected.
//! Every writer goes through [`atomic`].

#![forbid(unsafe_code)]

pub mod atomic;
pub mod cmtsolution;
pub mod forcesolution;
pub mod grid;
pub mod sac;
pub mod stations;
pub mod table;
pub mod text_trace;
pub mod vtk;

mod date_time;
mod error;
mod text;

pub use date_time::DateTime;
pub use error::{FormatError, Result};
