//! Meshes of hexahedra of other programs.

mod exodus;
mod gmsh;
mod volume;
mod vtu;
