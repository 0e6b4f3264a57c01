//! Set-up files of SPECFEM3D Cartesian.
//!
//! | file | reader |
//! |---|---|
//! | `DATA/Par_file`: parameters of the simulation | [`ParFile`] |
//! | `DATA/meshfem3D_files/Mesh_Par_file`: block, materials and regions of the internal mesher `xmeshfem3D` | [`MeshParFile`] |
//! | `DATA/meshfem3D_files/interfaces.dat`: interfaces and layers of the internal mesher | [`Interfaces`] |
//!
//! Sources and receivers are read by [`crate::cmtsolution`], [`crate::forcesolution`] and [`crate::stations`], external meshes by
//! [`crate::hex_mesh::specfem`], and tomographic models by [`crate::xyz`].

mod interfaces;
mod mesh_par_file;
mod par_file;

pub use interfaces::{Interface, Interfaces};
pub use mesh_par_file::{MeshParFile, Region};
pub use par_file::{Key, ParFile};

use crate::error::Result;
use crate::text::Place;

/// Parses a logical value, as Fortran writes it.
fn logical(place: Place, key: &str, word: &str) -> Result<bool> {
    match &*word.trim_matches('.').to_ascii_lowercase() {
        "true" | "t" => Ok(true),
        "false" | "f" => Ok(false),
        _ => Err(place.bad_value(key, word, ".true. or .false.")),
    }
}

/// Parses a whole number of at least `least`.
fn count(place: Place, key: &str, word: &str, least: usize) -> Result<usize> {
    let found = word.parse().ok().filter(|&count: &usize| count >= least);
    found.ok_or_else(|| place.bad_value(key, word, format!("a whole number, at least {least}")))
}

/// A line without its comment, which starts with `#`.
fn bare(line: &str) -> &str {
    line.split('#').next().unwrap_or_default().trim()
}
