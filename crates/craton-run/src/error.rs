//! What can go wrong around a job, in words for the person who started it.

use crate::{AvailableMemory, Bytes, MemoryLimit};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Errors of running a job: folders, checkpoints, records, signals, resources.
#[derive(Debug, Error)]
pub enum RunError {
    /// The system refused an operation on a file or folder.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried: "write", "create the folder".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A file could not be written whole.
    #[error(transparent)]
    Format(#[from] craton_formats::FormatError),
    /// Another handler owns Ctrl-C.
    #[error(
        "cannot watch for Ctrl-C: {reason}; install no other signal handler, or pass a `Cancel::new()` and raise it yourself"
    )]
    Signals {
        /// The reason given by the system.
        reason: String,
    },
    /// The job does not fit into memory.
    #[error(
        "the run needs {needed} of memory and {} {}; ask for less (a lower `max_frequency`, a smaller domain, larger cells, fewer or shorter records), or {}",
        available.bytes, available.limit, if available.limit == MemoryLimit::Machine { "use a larger machine" } else { "raise the limit" }
    )]
    TooLittleMemory {
        /// What the job needs.
        needed: Bytes,
        /// What may still be taken.
        available: AvailableMemory,
    },
    /// The results do not fit on the disk.
    #[error(
        "the run writes about {needed} and {available} is free for {}; ask for less (snapshots, formats), free some space, or write elsewhere",
        directory.display()
    )]
    TooLittleDisk {
        /// Where the results go.
        directory: PathBuf,
        /// What the results and checkpoints need.
        needed: Bytes,
        /// What the file system has left.
        available: Bytes,
    },
    /// The output path is no folder.
    #[error("the output {} is a file, not a folder; name another folder", path.display())]
    NotADirectory {
        /// The output path.
        path: PathBuf,
    },
    /// The output folder cannot be made or written to.
    #[error("no results can be written to the output folder {}: {source}; name a folder where you may write", path.display())]
    Unwritable {
        /// The output folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Something that would be mixed with or lost to the new results.
    #[error("the output folder {} {holds}; {hint}", path.display())]
    Occupied {
        /// The output folder.
        path: PathBuf,
        /// What was found there.
        holds: String,
        /// What to do.
        hint: String,
    },
    /// Two runs, one folder.
    #[error("another run is writing to {} now; wait for it, stop it, or name another folder", path.display())]
    Locked {
        /// The output folder.
        path: PathBuf,
    },
    /// `resume` was asked for a folder without a run.
    #[error("{} holds no run record ({record}); give the output folder of an earlier run", path.display())]
    NoRun {
        /// The folder given.
        path: PathBuf,
        /// Name of the file that was looked for.
        record: &'static str,
    },
    /// A run record that is no record.
    #[error("the run record {} cannot be read: {reason}", path.display())]
    BadRecord {
        /// The record.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// The state belongs to another scenario.
    #[error(
        "the checkpoint {} belongs to another scenario (hash {found:016x}, this one has {expected:016x}); \
         resume with the scenario it was written for, or start anew in another folder",
        path.display()
    )]
    OtherScenario {
        /// The checkpoint.
        path: PathBuf,
        /// Hash in the checkpoint.
        found: u64,
        /// Hash of the present scenario.
        expected: u64,
    },
    /// A checkpoint that is damaged, or no checkpoint.
    #[error("the checkpoint {} is damaged: {reason}", path.display())]
    DamagedCheckpoint {
        /// The checkpoint.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// No checkpoint survived.
    #[error("no checkpoint in {} is whole ({reasons}); start the run anew", directory.display())]
    NoWholeCheckpoint {
        /// Folder of the checkpoints.
        directory: PathBuf,
        /// What is wrong with each.
        reasons: String,
    },
    /// The checkpoint does not fit the program's state.
    #[error("section \"{name}\" of the checkpoint {}: {reason}; it was written by another version or set-up of the program", path.display())]
    Section {
        /// The checkpoint.
        path: PathBuf,
        /// Name of the section.
        name: String,
        /// What does not fit.
        reason: String,
    },
    /// The journal belongs to another survey.
    #[error(
        "the journal {} belongs to another survey or problem (identity {found:016x}, {found_pieces} pieces; this one has {expected:016x}, \
         {expected_pieces} pieces): the folder keeps a copy of the one it was begun for; go on with that, name another folder, or begin anew with --overwrite",
        path.display()
    )]
    OtherSurvey {
        /// The journal.
        path: PathBuf,
        /// Identity in the journal.
        found: u64,
        /// Number of pieces in the journal.
        found_pieces: u32,
        /// Identity of the present survey.
        expected: u64,
        /// Number of pieces of the present survey.
        expected_pieces: u32,
    },
    /// A journal that is damaged, or no journal.
    #[error(
        "the journal {} is damaged at byte {byte}: {reason}; put a copy of it back, or move it away to do every piece anew",
        path.display()
    )]
    DamagedJournal {
        /// The journal.
        path: PathBuf,
        /// Where, from 0.
        byte: u64,
        /// What is wrong there.
        reason: String,
    },
    /// The file system gives no lock.
    #[error(
        "cannot lock {}: {source}; put the folder on a file system with locks that all machines see: a local disk, NFS, or Lustre mounted \
         with `flock`",
        path.display()
    )]
    JournalLock {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Others have found the lock of this process free while it was alive.
    #[error(
        "this process was taken for dead, and others do its pieces: its lock in {} was lost; leave that folder alone while processes are at \
         work, see that its file system keeps locks, and start this process again",
        folder.display()
    )]
    TakenForDead {
        /// Folder of the workers' locks.
        folder: PathBuf,
    },
}

impl RunError {
    /// Whether what was asked for is at fault, and not what became of it.
    #[must_use]
    pub fn is_bad_input(&self) -> bool {
        matches!(
            self,
            Self::TooLittleMemory { .. }
                | Self::TooLittleDisk { .. }
                | Self::NotADirectory { .. }
                | Self::Unwritable { .. }
                | Self::Occupied { .. }
                | Self::Locked { .. }
                | Self::NoRun { .. }
                | Self::OtherSurvey { .. }
                | Self::JournalLock { .. }
        )
    }

    /// For `map_err`: names the operation and the path of a system error.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }

    /// For `map_err`: names the file of a journal that could not be locked.
    pub(crate) fn journal_lock(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::JournalLock { path, source }
    }

    /// For `map_err`: names the output folder that a system error is about.
    pub(crate) fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Unwritable { path, source }
    }
}
