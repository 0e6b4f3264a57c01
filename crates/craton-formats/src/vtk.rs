//! Files for ParaView: meshes (VTU), images (VTI), time series of either (PVD).
//!
//! Data are appended raw (little-endian, 64-bit sizes), converted piece by piece while they are written: nothing is
//! copied whole. VTK and meshio read the result; [`read_f32`] reads a field back. VTK's `POLY_VERTEX` is left out, because meshio does not know it;
//! clouds of points are [`CellKind::Vertex`] cells.

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
