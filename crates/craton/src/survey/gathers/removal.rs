//! Removal of gather files, which leaves foreign files in their folder.

use std::fs::{self, DirEntry};
use std::io::{self, ErrorKind};
use std::path::Path;

use craton_formats::atomic::replace_link;

use super::Gathers;
use crate::error::{Error, SurveyError};

impl Gathers {
    /// Removes the complete files.
    ///
    /// # Errors
    /// As [`Self::remove`].
    pub fn discard(&self) -> Result<(), Error> {
        self.remove(&self.path)
    }

    /// Removes the files of a path, and the folder of several files unless it has foreign files.
    ///
    /// # Errors
    /// A file that cannot be removed.
    pub(super) fn remove(&self, path: &Path) -> Result<(), Error> {
        if path.is_symlink() {
            return replace_link(path).map_err(|error| self.failed(error, path));
        }
        // An empty folder in the place of a file, or the reverse, blocks the new results.
        if path.is_dir() && self.names.is_empty() {
            let _ = fs::remove_dir(path);
        } else if path.is_file() && !self.names.is_empty() {
            return unless_gone(fs::remove_file(path)).map_err(|error| self.failed(error, path));
        }
        let files = self.files(path);
        files
            .iter()
            .try_for_each(|file| unless_gone(fs::remove_file(file)).map_err(|error| self.failed(error, file)))?;
        match self.names.is_empty() || self.require_own(path).is_err() {
            true => Ok(()),
            false => unless_gone(fs::remove_dir(path)).map_err(|error| self.failed(error, path)),
        }
    }

    /// Rejects a folder with foreign files.
    ///
    /// # Errors
    /// The first foreign file, or an unreadable folder.
    pub(super) fn require_own(&self, path: &Path) -> Result<(), Error> {
        if self.names.is_empty() || !path.exists() {
            return Ok(());
        }
        let entries = fs::read_dir(path).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let is_own = |entry: &DirEntry| self.names.iter().any(|name| entry.file_name() == name.as_str());
        match entries.map_err(|error| self.failed(error, path))?.iter().find(|entry| !is_own(entry)) {
            Some(other) => Err(SurveyError::OthersFile { file: other.path() }.into()),
            None => Ok(()),
        }
    }
}

/// The error of a failed removal, unless the file no longer exists.
fn unless_gone(removed: io::Result<()>) -> io::Result<()> {
    removed.or_else(|error| match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => Ok(()),
        _ => Err(error),
    })
}
