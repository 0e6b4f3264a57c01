//! Errors of running a job.

use crate::{AvailableMemory, Bytes, MemoryLimit};
use std::io;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Errors of running a job: folders, checkpoints, records, signals, resources.
#[derive(Debug, Error)]
pub enum RunError {
    /// The operating system refused an operation on a file or folder.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The operation: "write", "create the folder".
        action: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// A file could not be written completely.
    #[error(transparent)]
    Format(#[from] craton_formats::FormatError),
    /// Another handler for Ctrl-C is already installed.
    #[error(
        "cannot install a handler for Ctrl-C: {reason}; remove the other signal handler, or pass a `Cancel::new()` and call its `cancel` method"
    )]
    Signals {
        /// The reason given by the operating system.
        reason: String,
    },
    /// The job needs more memory than is available.
    #[error(
        "the run needs {needed} of memory and {} {}; reduce the problem ({cure}), or {}",
        available.bytes, available.limit, if available.limit == MemoryLimit::Machine { "use a larger machine" } else { "raise the limit" }
    )]
    TooLittleMemory {
        /// Memory that the job needs.
        needed: Bytes,
        /// Memory that is available.
        available: AvailableMemory,
        /// What reduces the memory of the job.
        cure: &'static str,
    },
    /// The results do not fit on the disk.
    #[error(
        "the run writes about {needed}, but {available} is free for {}; write less (fewer snapshots or formats), free some space, or name another folder",
        directory.display()
    )]
    TooLittleDisk {
        /// Folder of the results.
        directory: PathBuf,
        /// Disk space that the results and checkpoints need.
        needed: Bytes,
        /// Free space of the file system.
        available: Bytes,
    },
    /// The output path exists and is not a folder.
    #[error("the output {} is a file, not a folder; name another folder", path.display())]
    NotADirectory {
        /// The output path.
        path: PathBuf,
    },
    /// The output folder cannot be created or written to.
    #[error("cannot write results to the output folder {}: {source}; name a folder in which you have write permission", path.display())]
    Unwritable {
        /// The output folder.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// The output folder holds files that new results would overwrite or be mixed with.
    #[error("the output folder {} {holds}; {hint}", path.display())]
    Occupied {
        /// The output folder.
        path: PathBuf,
        /// What the folder holds.
        holds: String,
        /// What to do.
        hint: String,
    },
    /// Another run holds the lock of the output folder.
    #[error("another run is writing to {}; wait for it, stop it, or name another folder", path.display())]
    Locked {
        /// The output folder.
        path: PathBuf,
    },
    /// `resume` was called on a folder that holds no run.
    #[error("{} holds no run record ({record}); name the output folder of an earlier run", path.display())]
    NoRun {
        /// The folder given.
        path: PathBuf,
        /// Name of the file that is missing.
        record: &'static str,
    },
    /// The run record cannot be parsed.
    #[error("the run record {} cannot be read: {reason}", path.display())]
    BadRecord {
        /// The record.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Results cannot be compared with checksums.
    #[error(
        "the results in {} cannot be verified: {reason}; give the file and the options with which they were computed, after they are complete",
        directory.display()
    )]
    Unverifiable {
        /// The results folder.
        directory: PathBuf,
        /// The reason.
        reason: String,
    },
    /// Results differ from their recorded checksums.
    #[error("results in {} are damaged: {damaged}; restore them from a copy, or start again with --overwrite", directory.display())]
    DamagedResults {
        /// The results folder.
        directory: PathBuf,
        /// The damaged files or shots.
        damaged: String,
    },
    /// The checkpoint belongs to another scenario.
    #[error(
        "the checkpoint {} belongs to another scenario (hash {found:016x}; this scenario has hash {expected:016x}); \
         resume with the scenario it was written for, or start a new run in another folder",
        path.display()
    )]
    OtherScenario {
        /// The checkpoint.
        path: PathBuf,
        /// Hash in the checkpoint.
        found: u64,
        /// Hash of the current scenario.
        expected: u64,
    },
    /// The file is a damaged checkpoint, or not a checkpoint.
    #[error("the checkpoint {} is damaged: {reason}", path.display())]
    DamagedCheckpoint {
        /// The checkpoint.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Every checkpoint in the folder is damaged.
    #[error("no checkpoint in {} is intact ({reasons}); start the run again", directory.display())]
    NoWholeCheckpoint {
        /// Folder of the checkpoints.
        directory: PathBuf,
        /// What is wrong with each.
        reasons: String,
    },
    /// A section of the checkpoint does not match the state of the program.
    #[error("section \"{name}\" of the checkpoint {}: {reason}; another version or configuration of the program wrote it", path.display())]
    Section {
        /// The checkpoint.
        path: PathBuf,
        /// Name of the section.
        name: String,
        /// The mismatch.
        reason: String,
    },
    /// The journal belongs to another survey.
    #[error(
        "the journal {} belongs to another survey or problem (identity {found:016x}, {found_pieces} pieces; this survey has {expected:016x}, \
         {expected_pieces} pieces); continue with the survey file kept in that folder, name another folder, or start again with --overwrite",
        path.display()
    )]
    OtherSurvey {
        /// The journal.
        path: PathBuf,
        /// Identity in the journal.
        found: u64,
        /// Number of pieces in the journal.
        found_pieces: u32,
        /// Identity of the current survey.
        expected: u64,
        /// Number of pieces of the current survey.
        expected_pieces: u32,
    },
    /// The file is a damaged journal, or not a journal.
    #[error(
        "the journal {} is damaged at byte {byte}: {reason}; restore it from a copy, or move it away to recompute every piece",
        path.display()
    )]
    DamagedJournal {
        /// The journal.
        path: PathBuf,
        /// Byte offset of the damage, from 0.
        byte: u64,
        /// What is wrong there.
        reason: String,
    },
    /// The file system does not support locks.
    #[error(
        "cannot lock {}: {source}; use a file system whose locks all machines see: a local disk, NFS, or Lustre mounted \
         with `flock`",
        path.display()
    )]
    JournalLock {
        /// The file.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
    /// Other processes found the lock of this process free and took over its pieces.
    #[error(
        "this process lost its lock in {}, and other processes took over its pieces; do not change that folder while processes are \
         running, check that its file system supports locks, and start this process again",
        folder.display()
    )]
    TakenForDead {
        /// Folder of the workers' locks.
        folder: PathBuf,
    },
}

impl RunError {
    /// Whether the user's request is at fault, rather than an event during the run.
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
                | Self::Unverifiable { .. }
                | Self::OtherSurvey { .. }
                | Self::JournalLock { .. }
        )
    }

    /// For `map_err`: adds the operation and the path to a system error.
    pub(crate) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }

    /// For `map_err`: adds the path of the journal file that could not be locked.
    pub(crate) fn journal_lock(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::JournalLock { path, source }
    }

    /// For `map_err`: adds the path of the output folder.
    pub(crate) fn unwritable(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Unwritable { path, source }
    }
}
