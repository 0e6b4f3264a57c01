//! Liveness of workers: each locks a file of its own, and the system releases the lock however the process dies.

use crate::RunError;
use craton_formats::atomic::replace_link;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The locked file of a worker; dropping this value removes the file.
#[derive(Debug)]
pub(super) struct Presence {
    path: PathBuf,
    _lock: File,
}

impl Presence {
    /// Creates and locks the file of a worker. The number must be unused, so that no other process checks it yet.
    ///
    /// # Errors
    /// [`RunError::Io`], [`RunError::JournalLock`].
    pub fn announce(folder: &Path, worker: u32) -> Result<Self, RunError> {
        let path = file_of(folder, worker);
        replace_link(&path).map_err(RunError::io("create", &path))?;
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(RunError::io("create", &path))?;
        file.try_lock().map_err(|error| RunError::journal_lock(&path)(io::Error::from(error)))?;
        Ok(Self { path, _lock: file })
    }
}

impl Drop for Presence {
    fn drop(&mut self) {
        // An unlocked file also means that the worker is gone, so a failure is harmless.
        let _ = fs::remove_file(&self.path);
    }
}

/// Whether a worker is gone: its file is missing or unlocked.
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

/// Workers with a file, in ascending order.
///
/// # Errors
/// [`RunError::Io`].
pub(super) fn known(folder: &Path) -> Result<Vec<u32>, RunError> {
    let entries = fs::read_dir(folder).map_err(RunError::io("read the folder", folder))?;
    let names = entries.map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()));
    let names: Vec<String> = names.collect::<Result<_, _>>().map_err(RunError::io("read the folder", folder))?;
    let mut workers: Vec<u32> =
        names.iter().filter(|name| is_worker(name)).filter_map(|name| name.parse().ok()).collect();
    workers.sort_unstable();
    Ok(workers)
}

/// Whether a name is that of the file of a worker: at least six digits.
pub(super) fn is_worker(name: &str) -> bool {
    name.len() >= 6 && name.bytes().all(|byte| byte.is_ascii_digit())
}

/// Removes the file of a dead worker.
pub(super) fn clear(folder: &Path, worker: u32) {
    let _ = fs::remove_file(file_of(folder, worker));
}

/// Separator between process and machine.
const ON: &str = " on ";

/// Describes the process and machine of this worker, for users.
pub(super) fn place() -> String {
    let process = std::process::id();
    let host = fs::read_to_string("/proc/sys/kernel/hostname").or_else(|_| std::env::var("COMPUTERNAME"));
    match host {
        Ok(host) => format!("process {process}{ON}{}", host.trim()),
        Err(_) => format!("process {process}"),
    }
}

/// Extracts the machine from a description by [`place`]; returns the whole text if the machine has no name.
pub(super) fn machine(place: &str) -> &str {
    place.split_once(ON).map_or(place, |(_, machine)| machine)
}

fn file_of(folder: &Path, worker: u32) -> PathBuf {
    folder.join(format!("{worker:06}"))
}
