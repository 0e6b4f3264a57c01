//! How files of gathers go: what somebody else has put into their folder stays.

use std::fs::{self, DirEntry};
use std::io::{self, ErrorKind};
use std::path::Path;

use super::Gathers;
use crate::error::{Error, SurveyError};

impl Gathers {
    /// Removes the files of a name, and the folder of several.
    ///
    /// # Errors
    /// A file that cannot be removed; one of others in the folder, before any is removed.
    pub(super) fn remove(&self, path: &Path) -> Result<(), Error> {
        self.require_own(path)?;
        let remove = || {
            self.files(path).iter().try_for_each(|file| unless_gone(fs::remove_file(file)))?;
            if self.names.is_empty() { Ok(()) } else { unless_gone(fs::remove_dir(path)) }
        };
        remove().map_err(|error| self.failed(error, path))
    }

    /// Refuses a folder with files of others.
    ///
    /// # Errors
    /// The first of them; a folder that cannot be read.
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

/// That something cannot be removed, unless it has gone already.
fn unless_gone(removed: io::Result<()>) -> io::Result<()> {
    removed.or_else(|error| if error.kind() == ErrorKind::NotFound { Ok(()) } else { Err(error) })
}
