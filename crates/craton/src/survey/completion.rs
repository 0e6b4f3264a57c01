//! How a survey comes to its end: the files are compared with the journal, and get their names.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use craton_comm::Ranks;
use craton_device::Workers;
use craton_run::journal::{Journal, Piece, Status};
use craton_run::{Cancel, OutputDirectory, Progress};

use super::gathers::Gathers;
use super::report::FailedShot;
use super::session::Plan;
use super::setup::Setup;
use crate::comm::together;
use crate::error::{Error, SurveyError};
use crate::sharing::{Settled, alone, forget, settled};

/// How often the user is told how far a comparison is.
const BETWEEN_LINES: Duration = Duration::from_secs(10);

/// How far the files of gathers are.
pub enum Completion {
    /// They are complete: now, or they were before.
    Done {
        /// Whether this process has completed it.
        now: bool,
    },
    /// Some of its shots have to be computed anew.
    Damaged,
    /// Shots are left that nobody computes.
    Left,
    /// Somebody asked to stop.
    Stopped,
}

/// Who may stop long work on files, and hears of it.
pub struct CompletionContext<'a> {
    /// Whether somebody asked to stop.
    pub cancel: &'a Cancel,
    /// Where it is told how far it is.
    pub progress: &'a Mutex<Progress>,
}

impl CompletionContext<'_> {
    /// Asked before each of so many shots, whether work may go on; tells now and then what has become of how many.
    fn may_go_on(&self, shots: usize, become_of_them: &'static str) -> impl Fn() -> bool + Sync {
        let (seen, told) = (AtomicUsize::new(0), Mutex::new(Instant::now()));
        move || {
            let number = seen.fetch_add(1, Ordering::Relaxed);
            let mut told = told.lock().expect("nobody panics");
            if told.elapsed() > BETWEEN_LINES {
                *told = Instant::now();
                let line = format!("{number} of {shots} shots are {become_of_them}");
                self.progress.lock().expect("nobody panics").message(&line);
            }
            !self.cancel.is_cancelled()
        }
    }

    /// Asked before each copy of so many shots in each of the files.
    fn may_copy(&self, gathers: &Gathers, shots: usize) -> impl Fn() -> bool + Sync {
        self.may_go_on(shots * gathers.of_quantities().count(), "copied, of all files together")
    }
}

/// Compares what stands in the files with the journal, on these threads, and gives them their names.
///
/// # Errors
/// A disk that is full, or fails; a survey without a single shot.
pub fn complete(
    plan: &Plan,
    folder: &OutputDirectory,
    journal: &Journal,
    desk: &CompletionContext,
    workers: &Workers,
) -> Result<Completion, Error> {
    let _alone = alone(folder)?;
    if plan.gathers.is_complete() {
        return Ok(Completion::Done { now: false });
    }
    let Some(Settled { done, failed: missing }) = settled(journal)? else { return Ok(Completion::Left) };
    if done.is_empty() {
        return Err(SurveyError::NoShot.into());
    }
    let may_compare = desk.may_go_on(done.len(), "compared with their checksums");
    let damaged = workers.run(|| plan.gathers.damaged(&done, may_compare))?;
    let Some(mut damaged) = damaged else { return Ok(Completion::Stopped) };
    let without_frames = plan.frames.missing(folder).into_iter();
    damaged.extend(without_frames.filter(|piece| missing.binary_search(piece).is_err()));
    damaged.sort_unstable();
    damaged.dedup();
    if !damaged.is_empty() {
        forget(journal, damaged)?;
        return Ok(Completion::Damaged);
    }
    let is_done = plan.gathers.finish(&missing, desk.may_copy(&plan.gathers, done.len()))?;
    Ok(if is_done { Completion::Done { now: true } } else { Completion::Stopped })
}

/// Makes shots free again that have failed for good, and gives them their places in files that were complete without them.
///
/// The first rank does it, before another takes shots: what fails from then on has failed anew. Should it be stopped between both, the files are
/// completed without them once more; should somebody ask to stop while files are copied, all is as it was.
///
/// # Errors
/// A disk that is full, or fails; files of others among those of gathers; ranks that are lost.
pub fn retry_failed(
    plan: &Plan,
    folder: &OutputDirectory,
    journal: &Journal,
    desk: &CompletionContext,
    ranks: &dyn Ranks,
) -> Result<(), Error> {
    together(ranks, if ranks.is_root() { free_failed(plan, folder, journal, desk) } else { Ok(()) })
}

fn free_failed(
    plan: &Plan,
    folder: &OutputDirectory,
    journal: &Journal,
    desk: &CompletionContext,
) -> Result<(), Error> {
    let _alone = alone(folder)?;
    let states = journal.states()?;
    let failed: Vec<usize> = (0..states.len()).filter(|&piece| states[piece].status == Status::Failed).collect();
    if !failed.is_empty() && plan.gathers.is_complete() {
        let may_copy = desk.may_copy(&plan.gathers, states.len() - failed.len());
        if !plan.gathers.reopen(&failed, may_copy)? {
            return Ok(());
        }
    }
    forget(journal, failed)
}

/// The shots that could not be computed, and why.
///
/// # Errors
/// A journal that cannot be read.
pub fn failed_shots(setup: &Setup, plan: &Plan, journal: &Journal) -> Result<Vec<FailedShot>, Error> {
    let states = journal.states()?;
    let failed = states.iter().zip(&plan.order).filter(|(state, _)| state.status == Status::Failed);
    let told = |(state, &shot): (&Piece, &usize)| FailedShot {
        number: setup.survey.shots()[shot].number,
        reason: state.failures.last().map_or_else(String::new, |failure| failure.reason.clone()),
    };
    Ok(failed.map(told).collect())
}
