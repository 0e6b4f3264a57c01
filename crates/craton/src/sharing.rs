//! Shared access of processes to a results folder: ranks of one command, or several commands. The journal of the folder
//! lists the pieces of work.

use std::fs::{File, OpenOptions};
use std::path::Path;

use craton_comm::Ranks;
use craton_formats::atomic::replace_link;
use craton_run::journal::{Journal, Status};
use craton_run::{OutputDirectory, RunError};

use crate::error::Error;

/// Lock in the journal folder for processes that prepare or complete files.
const LOCK: &str = "files.lock";

/// Opens a folder; with overwriting, the first rank removes its contents before the others open it.
///
/// # Arguments
/// * `identity` – hash of everything that the results depend on
/// * `look` – a check before anything changes, such as of the disk space
/// # Errors
/// A folder with other contents or without write permission; errors of `look`.
pub fn share(
    path: &Path,
    overwrite: bool,
    identity: u64,
    ranks: &dyn Ranks,
    look: impl Fn() -> Result<(), Error>,
) -> Result<OutputDirectory, Error> {
    let open = |overwrite| {
        look()?;
        Ok::<_, Error>(OutputDirectory::share(path, overwrite, identity)?)
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
    let open = || {
        replace_link(&path)?;
        OpenOptions::new().create(true).append(true).open(&path)
    };
    let lock = open().and_then(|file| file.lock().map(|()| file));
    Ok(lock.map_err(|source| RunError::Io { action: "lock", path, source })?)
}

/// The outcome of all pieces of work, when none is free or taken.
pub struct Settled {
    /// The index of each completed piece, and the checksum of its results.
    pub done: Vec<(usize, u64)>,
    /// Indices of the permanently failed pieces.
    pub failed: Vec<usize>,
}

/// The outcome of all pieces; `None` while some are free or taken.
///
/// # Errors
/// An unreadable journal.
pub fn settled(journal: &Journal) -> Result<Option<Settled>, Error> {
    let mut settled = Settled { done: Vec::new(), failed: Vec::new() };
    for (piece, state) in journal.states()?.iter().enumerate() {
        match state.status {
            Status::Done { checksum, .. } => settled.done.push((piece, checksum)),
            Status::Failed => settled.failed.push(piece),
            Status::Free | Status::Taken { .. } => return Ok(None),
        }
    }
    Ok(Some(settled))
}

/// Releases pieces again that failed, or whose results are damaged or missing.
///
/// # Errors
/// A journal that cannot be written.
pub fn forget(journal: &Journal, pieces: impl IntoIterator<Item = usize>) -> Result<(), Error> {
    let pieces: Vec<u32> = pieces.into_iter().map(|piece| piece as u32).collect();
    Ok(journal.forget(&pieces)?)
}
