//! UBC-GIF files: files written by other programs, round trips, and errors of invalid files.

use std::path::{Path, PathBuf};

use craton_formats::ubc::{Component, GradientData, GravityData, Mesh, Model};

mod meshes;
mod stations;

/// A file written by another program, see `samples/make.py`.
fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/ubc/samples").join(name)
}
