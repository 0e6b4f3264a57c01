//! Files of UBC-GIF: what other programs write is read, what is written is read, and what is wrong is named.

use std::path::{Path, PathBuf};

use craton_formats::ubc::{Component, GradientData, GravityData, Mesh, Model};

mod meshes;
mod stations;

/// A file that another program wrote, see `samples/make.py`.
fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/ubc/samples").join(name)
}
