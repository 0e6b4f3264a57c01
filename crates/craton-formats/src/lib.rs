//! File formats of geophysics, converted between bytes and plain structs.
//!
//! | module | format | reads | writes |
//! |---|---|---|---|
//! | [`sac`] | SAC binary seismograms, header version 6 | yes | yes |
//! | [`miniseed`] | miniSEED 2 seismograms: floats, integers, Steim-1 and Steim-2 | yes | floats, integers |
//! | [`asdf`] | ASDF 1.0.3: seismograms with stations and events in an HDF5 file | – | yes |
//! | [`prodml`] | PRODML 2.1: records of distributed acoustic sensing (DAS) in an HDF5 file | – | yes |
//! | [`text_trace`] | two-column seismograms, SPECFEM's file names | yes | yes |
//! | [`cmtsolution`] | moment-tensor sources | yes | yes |
//! | [`ndk`] | GCMT catalogues of moment tensors | yes | – |
//! | [`nonlinloc`] | NonLinLoc's hypocentre-phase files: locations of earthquakes | yes | – |
//! | [`srf`] | SRF 1.0 and 2.0: finite faults with slip rates | yes | – |
//! | [`quakeml`] | QuakeML 1.2: origins, magnitudes and moment tensors of earthquakes | yes | yes |
//! | [`forcesolution`] | force sources | yes | yes |
//! | [`stations`] | lists of receivers | yes | yes |
//! | [`stationxml`] | FDSN StationXML 1.x: stations and the burial of their channels | yes | channels |
//! | [`grid`] | ESRI ASCII, GeoTIFF, netCDF and `x y z` surfaces, the Moho of CRUST1.0 and LITHO1.0 | yes | ESRI ASCII |
//! | [`segy`] | SEG-Y, trace by trace: reads revisions 0 to 2, writes revision 1 | yes | yes |
//! | [`su`] | Seismic Unix | yes | yes |
//! | [`sps`] | SPS 2.1, sources, receivers and relations | yes | – |
//! | [`table`] | numeric tables with named or known columns, of any size | yes | – |
//! | [`velocity_model`] | TauP's models, depth by depth: `.tvel` and `.nd` | yes | – |
//! | [`npy`] | two-dimensional NumPy arrays, such as lists of prisms and points | yes | yes |
//! | [`ubc`] | UBC-GIF: meshes, density models, GRAV3D and GG3D stations | yes | yes |
//! | [`rsf`] | Madagascar RSF | yes | yes |
//! | [`netcdf`] | netCDF: CDF-1, CDF-2 and CDF-5 (read and written) and netCDF-4 (read), variable by variable | yes | yes |
//! | [`hdf5`] | HDF5: groups, datasets, attributes | – | yes |
//! | [`raw`] | numbers without a header | yes | – |
//! | [`vtk`] | VTU, VTI and PVD for ParaView | files of this crate | yes |
//! | [`hex_mesh`] | meshes of hexahedra: SPECFEM3D | yes | – |
//! | [`specfem`] | set-ups of SPECFEM3D Cartesian: `Par_file`, `Mesh_Par_file` and interfaces of the internal mesher | yes | – |
//! | [`sofi3d`] | models of SOFI3D: binary volumes and the grid of its parameter file | yes | – |
//! | [`xyz`] | text volumes, `x y z value ...`, also SPECFEM's tomographic models, of any size | yes | – |
//! | [`atomic`] | any file, written atomically | – | yes |
//!
//! Values on a regular grid with any number of axes are a [`volume::Volume`].
//!
//! Values are kept as written in the file: a field whose unit is not SI has the unit in its name, and a method that converts it. Readers
//! are strict: every error names the file, the line, what was found and what was expected. Every writer uses [`atomic`].

#![forbid(unsafe_code)]

pub mod asdf;
pub mod atomic;
pub mod cmtsolution;
pub mod forcesolution;
pub mod grid;
pub mod hdf5;
pub mod hex_mesh;
pub mod miniseed;
pub mod ndk;
pub mod netcdf;
pub mod nonlinloc;
pub mod npy;
pub mod prodml;
pub mod quakeml;
pub mod raw;
pub mod rsf;
pub mod sac;
pub mod segy;
pub mod sofi3d;
pub mod specfem;
pub mod sps;
pub mod srf;
pub mod stations;
pub mod stationxml;
pub mod su;
pub mod table;
pub mod text_trace;
pub mod ubc;
pub mod velocity_model;
pub mod volume;
pub mod vtk;
pub mod xyz;

mod byte_order;
mod codes;
mod date_time;
mod error;
mod escape;
mod input;
mod kind;
mod pieces;
mod rows;
mod text;
mod xml;

pub use byte_order::ByteOrder;
pub use codes::check_code;
pub use date_time::DateTime;
pub use error::{FormatError, Refused, Result};
pub use escape::{escaped, is_plain, shortened};
