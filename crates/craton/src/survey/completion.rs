//! Completion of a survey: compares the gather files with the journal and renames them.

use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use craton_comm::Ranks;
use craton_device::Workers;
use craton_run::journal::{Journal, Piece, Status};
use craton_run::{Cancel, OutputDirectory, Progress, RunRecord};

use super::gathers::Gathers;
use super::report::{FailedShot, named};
use super::session::SurveyPlan;
use super::setup::Setup;
use crate::comm::together;
use crate::error::{Error, SurveyError};
use crate::number::counted;
use crate::sharing::{Settled, alone, forget, settled};

/// Interval of progress messages of the comparison.
const MESSAGE_INTERVAL: Duration = Duration::from_secs(10);

/// State of the gather files.
pub enum Completion {
    /// Complete, now or before.
    Done {
        /// Whether this process completed the survey.
        now: bool,
    },
    /// Some shots must be recomputed.
    Damaged,
    /// Shots are left but no worker computes.
    Left,
    /// Interrupted.
    Stopped,
}

/// Context of long file operations: interruption and progress.
pub struct CompletionContext<'a> {
    /// Whether the user has interrupted the program.
    pub cancel: &'a Cancel,
    /// Receiver of progress messages.
    pub progress: &'a Mutex<Progress>,
}

impl CompletionContext<'_> {
    /// A check before each of a number of shots whether to continue, with regular progress messages.
    fn may_continue(&self, shots: usize, action: &'static str) -> impl Fn() -> bool + Sync {
        let (seen, last_message) = (AtomicUsize::new(0), Mutex::new(Instant::now()));
        move || {
            let number = seen.fetch_add(1, Ordering::Relaxed);
            let mut last_message = last_message.lock().expect("no thread panics");
            if last_message.elapsed() > MESSAGE_INTERVAL {
                *last_message = Instant::now();
                let line = format!("{number} of {shots} shots {action}");
                self.progress.lock().expect("no thread panics").message(&line);
            }
            !self.cancel.is_cancelled()
        }
    }

    /// A check before each copy of a number of shots in each file.
    fn may_copy(&self, gathers: &Gathers, shots: usize) -> impl Fn() -> bool + Sync {
        self.may_continue(shots * gathers.of_quantities().count(), "copied (all files)")
    }
}

/// Compares the files with the journal on these threads, and renames them.
///
/// # Errors
/// A full or failing disk, or a survey without any shot.
pub fn complete(
    plan: &SurveyPlan,
    folder: &OutputDirectory,
    journal: &Journal,
    context: &CompletionContext,
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
    let may_compare = context.may_continue(done.len(), "compared with their checksums");
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
    let is_done = plan.gathers.finish(&missing, context.may_copy(&plan.gathers, done.len()))?;
    Ok(if is_done { Completion::Done { now: true } } else { Completion::Stopped })
}

/// Makes complete files partial again if the journal does not list all of their shots, because it is damaged or was
/// replaced. The listed shots are kept, if the files are those of this survey, and compared with their checksums at the
/// end. The caller holds the lock of the files.
///
/// # Returns
/// A warning that names what is computed again; `None` if the journal lists all shots.
/// # Errors
/// A full or failing disk; foreign files among the gathers.
pub fn reopen_unlisted(
    setup: &Setup,
    plan: &SurveyPlan,
    journal: &Journal,
    cancel: &Cancel,
) -> Result<Option<String>, Error> {
    let states = journal.states()?;
    let all = || states.iter().map(|state| state.status).enumerate();
    let is_unlisted = |status: Status| matches!(status, Status::Free | Status::Taken { .. });
    let unlisted: Vec<usize> = all().filter(|&(_, status)| is_unlisted(status)).map(|(piece, _)| piece).collect();
    if unlisted.is_empty() {
        return Ok(None);
    }
    let failed: Vec<usize> = all().filter(|&(_, status)| status == Status::Failed).map(|(piece, _)| piece).collect();
    let gathers = plan.gathers.path().display();
    if !plan.gathers.are_whole(&failed)? {
        let without = recorded_failures(&setup.output.directory, plan.identity);
        if without > failed.len() {
            return Err(SurveyError::UnknownFailures { file: plan.gathers.path().to_owned(), failed: without }.into());
        }
        plan.gathers.discard()?;
        return Ok(Some(format!("{gathers} is not a complete file of this survey: all shots are computed again")));
    }
    if !plan.gathers.reopen(&failed, || !cancel.is_cancelled())? {
        return Ok(None);
    }
    let numbers = unlisted.iter().map(|&piece| setup.survey.shots()[plan.order[piece]].number);
    Ok(Some(format!(
        "the journal lists {} of the {} in {gathers}: it was damaged or replaced. Shots {} are computed again",
        states.len() - failed.len() - unlisted.len(),
        counted(states.len() - failed.len(), "shot"),
        named(numbers)
    )))
}

/// Number of failed shots in the record of a survey; 0 without a record of this survey.
fn recorded_failures(directory: &Path, identity: u64) -> usize {
    let record = RunRecord::read(directory).ok().filter(|record| record.is_of(identity));
    record.and_then(|record| record.figures.get("shots_failed")?.as_u64()).map_or(0, |failed| failed as usize)
}

/// Releases permanently failed shots again, and restores their places in files that were completed without them.
///
/// The first rank does this before others take shots, so that later failures are new. If it is stopped in between, the
/// files are completed without these shots again; if it is interrupted while files are copied, nothing changes.
///
/// # Errors
/// A full or failing disk; foreign files among the gathers; lost ranks.
pub fn retry_failed(
    plan: &SurveyPlan,
    folder: &OutputDirectory,
    journal: &Journal,
    context: &CompletionContext,
    ranks: &dyn Ranks,
) -> Result<(), Error> {
    together(ranks, if ranks.is_root() { free_failed(plan, folder, journal, context) } else { Ok(()) })
}

fn free_failed(
    plan: &SurveyPlan,
    folder: &OutputDirectory,
    journal: &Journal,
    context: &CompletionContext,
) -> Result<(), Error> {
    let _alone = alone(folder)?;
    let states = journal.states()?;
    let failed: Vec<usize> = (0..states.len()).filter(|&piece| states[piece].status == Status::Failed).collect();
    if !failed.is_empty() && plan.gathers.is_complete() {
        let may_copy = context.may_copy(&plan.gathers, states.len() - failed.len());
        if !plan.gathers.reopen(&failed, may_copy)? {
            return Ok(());
        }
    }
    forget(journal, failed)
}

/// The failed shots, and why they failed.
///
/// # Errors
/// An unreadable journal.
pub fn failed_shots(setup: &Setup, plan: &SurveyPlan, journal: &Journal) -> Result<Vec<FailedShot>, Error> {
    let states = journal.states()?;
    let failed = states.iter().zip(&plan.order).filter(|(state, _)| state.status == Status::Failed);
    let failed_shot = |(state, &shot): (&Piece, &usize)| FailedShot {
        number: setup.survey.shots()[shot].number,
        reason: state.failures.last().map_or_else(String::new, |failure| failure.reason.clone()),
    };
    Ok(failed.map(failed_shot).collect())
}
