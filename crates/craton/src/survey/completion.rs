//! How a survey comes to its end: the files are compared with the journal, and get their names.

use craton_run::OutputDirectory;
use craton_run::journal::{Journal, Piece, Status};

use super::report::FailedShot;
use super::session::Plan;
use super::setup::Setup;
use crate::error::{Error, SurveyError};
use crate::sharing::alone;

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
}

/// Compares what stands in the files with the journal, and gives them their names.
///
/// # Errors
/// A disk that is full, or fails; a survey without a single shot.
pub fn complete(plan: &Plan, folder: &OutputDirectory, journal: &Journal) -> Result<Completion, Error> {
    let _alone = alone(folder)?;
    if plan.gathers.is_complete() {
        return Ok(Completion::Done { now: false });
    }
    let (mut done, mut missing) = (Vec::new(), Vec::new());
    for (piece, state) in journal.states()?.iter().enumerate() {
        match state.status {
            Status::Done { checksum, .. } => done.push((piece, checksum)),
            Status::Failed => missing.push(piece),
            Status::Free | Status::Taken { .. } => return Ok(Completion::Left),
        }
    }
    if done.is_empty() {
        return Err(SurveyError::NoShot.into());
    }
    let mut damaged = plan.gathers.damaged(&done)?;
    let without_frames = plan.frames.missing(folder).into_iter();
    damaged.extend(without_frames.filter(|piece| missing.binary_search(piece).is_err()));
    damaged.sort_unstable();
    damaged.dedup();
    if !damaged.is_empty() {
        let damaged: Vec<u32> = damaged.into_iter().map(|piece| piece as u32).collect();
        journal.forget(&damaged)?;
        return Ok(Completion::Damaged);
    }
    plan.gathers.finish(&missing)?;
    Ok(Completion::Done { now: true })
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
