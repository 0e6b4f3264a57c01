//! File formats of geophysics: bytes to plain structs and back.
//!
//! | module | format | reads | writes |
//! |---|---|---|---|
//! | [`sac`] | SAC binary seismograms, header version 6 | yes | yes |
//! | [`miniseed`] | miniSEED 2 seismograms: floats, integers, Steim-1 and Steim-2 | yes | floats, integers |
//! | [`text_trace`] | two-column seismograms, SPECFEM's file names | yes | yes |
//! | [`cmtsolution`] | moment-tensor sources | yes | yes |
//! | [`quakeml`] | QuakeML 1.2: origins, magnitudes and moment tensors of earthquakes | yes | yes |
//! | [`forcesolution`] | force sources | yes | yes |
//! | [`stations`] | lists of receivers | yes | yes |
//! | [`stationxml`] | FDSN StationXML 1.x: stations and the burial of their channels | yes | channels |
//! | [`grid`] | ESRI ascii, netCDF and `x y z` surfaces | yes | ESRI ascii |
//! | [`segy`] | SEG-Y revision 1, traces one by one | yes | yes |
//! | [`su`] | Seismic Unix | yes | yes |
//! | [`sps`] | SPS 2.1, sources, receivers and relations | yes | – |
//! | [`table`] | numeric tables with named or known columns, of any size | yes | – |
//! | [`npy`] | NumPy's arrays of two axes, as lists of prisms and points | yes | yes |
//! | [`ubc`] | UBC-GIF: meshes, models of density, GRAV3D and GG3D stations | yes | yes |
//! | [`rsf`] | Madagascar's RSF | yes | yes |
//! | [`netcdf`] | netCDF: CDF-1, CDF-2 and CDF-5, variables one by one | yes | yes |
//! | [`raw`] | numbers without a header | yes | – |
//! | [`vtk`] | VTU, VTI and PVD for ParaView | its own | yes |
//! | [`atomic`] | any file, whole or not at all | – | yes |
//!
//! What comes on a regular grid of any number of axes is a [`volume::Volume`].
//!
//! Values stand as they were written: a field whose unit is not SI carries the unit in its name, and a method beside
//! it converts. Readers are strict: every error names the file, the line, what stood there and what was expected.
//! Every writer goes through [`atomic`].

#![forbid(unsafe_code)]

pub mod atomic;
pub mod cmtsolution;
pub mod forcesolution;
pub mod grid;
pub mod miniseed;
pub mod netcdf;
pub mod npy;
pub mod quakeml;
pub mod raw;
pub mod rsf;
pub mod sac;
pub mod segy;
pub mod sps;
pub mod stations;
pub mod stationxml;
pub mod su;
pub mod table;
pub mod text_trace;
pub mod ubc;
pub mod volume;
pub mod vtk;

mod byte_order;
mod date_time;
mod error;
mod input;
mod kind;
mod pieces;
mod rows;
mod text;
mod xml;

pub use byte_order::ByteOrder;
pub use date_time::DateTime;
pub use error::{FormatError, Refused, Result};
