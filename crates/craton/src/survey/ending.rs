//! How a process comes to its end, and what it leaves to be told.

use craton_run::{OutputDirectory, RunRecord, RunStatus};

use super::report;
use super::workers::{Ended, Share};

/// How a process came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It has completed the file.
    Completed,
    /// Another one had, or will.
    WasComplete,
    /// Somebody asked to stop.
    Interrupted,
}

/// What there is to tell of the workers of a process.
#[derive(Default)]
pub struct Told {
    /// What each worker has done.
    pub shares: Vec<Share>,
    /// Devices that were lost, and why.
    pub lost: Vec<(String, String)>,
    /// Whether somebody asked to stop.
    pub stopped: bool,
}

impl Told {
    /// Adds what there is to tell of workers that have come to an end.
    pub fn add(&mut self, ended: Ended) {
        self.stopped = ended.stopped;
        report::add(&mut self.shares, ended.shares);
        self.lost.extend(ended.lost.into_iter().map(|(name, error)| (name, error.to_string())));
    }
}

/// Writes the record, but for one of a complete survey, which stays; that it cannot be written is the lesser evil.
pub fn leave(record: &RunRecord, folder: &OutputDirectory) {
    let is_complete = RunRecord::read(folder.path()).is_ok_and(|known| known.status == RunStatus::Complete);
    if !is_complete {
        let _ = record.write_even_if_full(folder.path());
    }
}
