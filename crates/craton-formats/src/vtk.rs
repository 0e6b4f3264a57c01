//! Files for ParaView: meshes (VTU), images (VTI), time series of either (PVD).
//!
//! Data are appended as raw bytes (little-endian, 64-bit sizes) and converted piece by piece while writing, so that no array is copied as a
//! whole. VTK and meshio read the result; [`read_f32`] reads a field back. VTK's `POLY_VERTEX` is not used because meshio does not support
//! it; point clouds are [`CellKind::Vertex`] cells.

mod appended;
mod cell;
mod pvd;
mod read;
mod vti;
mod vtu;

pub use appended::{Field, Values};
pub use cell::{CellBlock, CellKind, NodeOrder};
pub use pvd::{TimeStep, read_pvd, write_pvd};
pub use read::read_f32;
pub use vti::{Image, write_vti};
pub use vtu::{Mesh, write_vtu};
