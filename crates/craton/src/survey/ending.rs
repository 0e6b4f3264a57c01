//! End of a process's work on a survey, and its report.

use craton_run::{OutputDirectory, RunRecord, RunStatus};

use super::report;
use super::workers::{Ended, Share};

/// How a process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It completed the file.
    Completed,
    /// Another process completed the file, or will.
    WasComplete,
    /// Interrupted.
    Interrupted,
}

/// Summary of the workers of a process.
#[derive(Default)]
pub struct WorkerSummary {
    /// The work of each worker.
    pub shares: Vec<Share>,
    /// Lost devices, and why they were lost.
    pub lost: Vec<(String, String)>,
    /// Whether the user has interrupted the program.
    pub stopped: bool,
}

impl WorkerSummary {
    /// Adds the results of workers that have ended.
    pub fn add(&mut self, ended: Ended) {
        self.stopped = ended.stopped;
        report::add(&mut self.shares, ended.shares);
        self.lost.extend(ended.lost.into_iter().map(|(name, error)| (name, error.to_string())));
    }
}

/// Writes the record, unless the survey is complete; a failure to write is the lesser problem.
pub fn leave(record: &RunRecord, folder: &OutputDirectory) {
    let is_complete = RunRecord::read(folder.path()).is_ok_and(|known| known.status == RunStatus::Complete);
    if !is_complete {
        let _ = record.write_even_if_full(folder.path());
    }
}
