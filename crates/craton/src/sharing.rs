//! Shared access of processes to a results folder: ranks of one command, or several commands.

use std::fs::{File, OpenOptions};
use std::path::Path;

use craton_comm::Ranks;
use craton_run::{OutputDirectory, RunError};

use crate::error::Error;

/// Lock in the journal folder for processes that prepare or complete files.
const LOCK: &str = "files.lock";

/// Opens a folder; with overwriting, the first rank removes its contents before the others open it.
///
/// # Arguments
/// * `look` – a check before anything changes, such as of the disk space
/// # Errors
/// A folder with other contents or without write permission; errors of `look`.
pub fn share(
    path: &Path,
    overwrite: bool,
    ranks: &dyn Ranks,
    look: impl Fn() -> Result<(), Error>,
) -> Result<OutputDirectory, Error> {
    let open = |overwrite| {
        look()?;
        Ok::<_, Error>(OutputDirectory::share(path, overwrite)?)
    };
    let first = ranks.is_root().then(|| open(overwrite)).transpose()?;
    ranks.all_gather(&[])?;
    first.map_or_else(|| open(false), Ok)
}

/// A lock that excludes other processes from the files of a folder during its lifetime.
///
/// # Errors
/// A folder without write permission.
pub fn alone(folder: &OutputDirectory) -> Result<File, Error> {
    let path = folder.journal().join(LOCK);
    let lock = OpenOptions::new().create(true).append(true).open(&path).and_then(|file| file.lock().map(|()| file));
    Ok(lock.map_err(|source| RunError::Io { action: "lock", path, source })?)
}
