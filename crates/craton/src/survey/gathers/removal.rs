//! Removal of gather files, which leaves foreign files in their folder untouched.

use std::fs::{self, DirEntry};
use std::io::{self, ErrorKind};
use std::path::Path;

use craton_formats::atomic::replace_link;

use super::Gathers;
use crate::error::{Error, SurveyError};

impl Gathers {
    /// Removes the files of a path, and the folder of several files.
    ///
    /// # Errors
    /// A file that cannot be removed; a foreign file in the folder, before any file is removed.
    pub(super) fn remove(&self, path: &Path) -> Result<(), Error> {
        if path.is_symlink() {
            return replace_link(path).map_err(|error| self.failed(error, path));
        }
        self.require_own(path)?;
        let remove = || {
            self.files(path).iter().try_for_each(|file| unless_gone(fs::remove_file(file)))?;
            if self.names.is_empty() { Ok(()) } else { unless_gone(fs::remove_dir(path)) }
        };
        remove().map_err(|error| self.failed(error, path))
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
    removed.or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) })
}
