//! A frame series of one part of the Earth: its files, and the list for ParaView.

use std::path::{Path, PathBuf};

use craton_formats::vtk::{TimeStep, write_pvd};
use craton_run::OutputDirectory;

use super::shown::Shown;
use crate::error::Error;

/// Folder of all series, inside the results folder.
pub const FOLDER: &str = "snapshots";

/// A frame series of one part of the Earth.
pub struct Film {
    /// Name of its folder and its list.
    pub name: String,
    /// The quantities.
    pub shown: Vec<Shown>,
    /// The frames so far, with files relative to [`FOLDER`].
    pub frames: Vec<TimeStep>,
}

impl Film {
    /// The list, relative to the results folder.
    pub fn list(&self) -> PathBuf {
        Path::new(FOLDER).join(format!("{}.pvd", self.name))
    }

    /// The file of a frame, counted from 1, relative to [`FOLDER`].
    pub fn file(name: &str, number: usize, extension: &str) -> PathBuf {
        Path::new(name).join(format!("frame_{number:06}.{extension}"))
    }

    /// The picture of a frame, counted from 1, relative to the results folder.
    pub fn picture(&self, shown: Shown, number: usize) -> PathBuf {
        Path::new(FOLDER).join(&self.name).join(format!("{}_{number:04}.png", shown.name()))
    }

    /// Writes the list of the frames so far.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write_list(&self, folder: &OutputDirectory) -> Result<(), Error> {
        Ok(write_pvd(&folder.path().join(self.list()), &self.frames)?)
    }
}
