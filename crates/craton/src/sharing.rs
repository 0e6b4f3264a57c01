//! A folder of results that processes share: ranks of one command, or the same command given several times.

use std::fs::{File, OpenOptions};
use std::path::Path;

use craton_comm::Ranks;
use craton_run::{OutputDirectory, RunError};

use crate::error::Error;

/// Locked, in the folder of the journal, by who makes files ready or completes them.
const LOCK: &str = "files.lock";

/// Takes a folder; what is to be overwritten, the first rank removes before the others come.
///
/// # Arguments
/// * `look` – what is looked at before anything is touched, such as room on the disk
/// # Errors
/// A folder of something else, or that cannot be written; what `look` finds.
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

/// Keeps other processes from the files of a folder as long as the value lives.
///
/// # Errors
/// A folder that cannot be written.
pub fn alone(folder: &OutputDirectory) -> Result<File, Error> {
    let path = folder.journal().join(LOCK);
    let lock = OpenOptions::new().create(true).append(true).open(&path).and_then(|file| file.lock().map(|()| file));
    Ok(lock.map_err(|source| RunError::Io { action: "lock", path, source })?)
}
