//! A folder of results that processes share: ranks of one command, or the same command given several times. The pieces of the work are in its journal.

use std::fs::{File, OpenOptions};
use std::path::Path;

use craton_comm::Ranks;
use craton_run::journal::{Journal, Status};
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

/// The pieces of work of which none is left.
pub struct Settled {
    /// Number of each piece that is done, and the checksum of its results.
    pub done: Vec<(usize, u64)>,
    /// Pieces that failed permanently.
    pub failed: Vec<usize>,
}

/// What has become of all pieces; none while some are left.
///
/// # Errors
/// A journal that cannot be read.
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

/// Makes pieces free again whose results are damaged or gone, or that failed.
///
/// # Errors
/// A journal that cannot be written.
pub fn forget(journal: &Journal, pieces: impl IntoIterator<Item = usize>) -> Result<(), Error> {
    let pieces: Vec<u32> = pieces.into_iter().map(|piece| piece as u32).collect();
    Ok(journal.forget(&pieces)?)
}
