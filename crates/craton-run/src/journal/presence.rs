//! Who is alive: a worker holds the lock of a file of its own, and the system frees it when the process dies, however it dies.

use crate::RunError;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The locked file of a worker, removed when this value goes.
#[derive(Debug)]
pub(super) struct Presence {
    path: PathBuf,
    _lock: File,
}

impl Presence {
    /// Creates and locks the file of a worker. Its number must never have been used, so that no one looks for it yet.
    ///
    /// # Errors
    /// [`RunError::Io`], [`RunError::JournalLock`].
    pub fn announce(folder: &Path, worker: u32) -> Result<Self, RunError> {
        let path = file_of(folder, worker);
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(RunError::io("create", &path))?;
        file.try_lock().map_err(|error| RunError::journal_lock(&path)(io::Error::from(error)))?;
        Ok(Self { path, _lock: file })
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        // A file that stays says that its worker is gone as well as none does.
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether a worker is gone: no one holds its file.
///
/// # Errors
/// [`RunError::Io`], [`RunError::JournalLock`].
pub(super) fn is_gone(folder: &Path, worker: u32) -> Result<bool, RunError> {
    let path = file_of(folder, worker);
    let file = match OpenOptions::new().append(true).open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(true),
        Err(error) => return Err(RunError::io("open", &path)(error)),
    };
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => Err(RunError::journal_lock(&path)(error)),
    }
}

/// Removes what a worker that is gone has left.
pub(super) fn clear(folder: &Path, worker: u32) {
    let _ = fs::remove_file(file_of(folder, worker));
}

/// What stands between a process and its machine.
const ON: &str = " on ";

/// Process and machine, for people.
pub(super) fn place() -> String {
    let process = std::process::id();
    let host = fs::read_to_string("/proc/sys/kernel/hostname").or_else(|_| std::env::var("COMPUTERNAME"));
    match host {
        Ok(host) => format!("process {process}{ON}{}", host.trim()),
        Err(_) => format!("process {process}"),
    }
}

/// The machine of a place; a process whose machine has no name stands for it.
pub(super) fn machine(place: &str) -> &str {
    place.split_once(ON).map_or(place, |(_, machine)| machine)
}

fn file_of(folder: &Path, worker: u32) -> PathBuf {
    folder.join(format!("{worker:06}"))
}
