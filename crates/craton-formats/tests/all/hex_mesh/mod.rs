//! Meshes of hexahedra of other programs.

mod exodus;
mod volume;
mod vtu;
