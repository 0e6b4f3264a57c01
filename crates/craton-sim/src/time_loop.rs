//! The time loop: the only one.

use crate::{Action, Operator, Recorder, Schedule};

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All steps are done.
    Complete,
    /// It was told to stop, and can be resumed.
    Interrupted,
}

/// Advances `operator` from event to event until the schedule ends, or the recorder is told to stop: then a checkpoint is the last act.
///
/// # Errors
/// What the operator or the recorder could not do.
pub fn run<O, R>(operator: &mut O, schedule: &mut Schedule, recorder: &mut R) -> Result<Outcome, R::Error>
where
    O: Operator + ?Sized,
    R: Recorder<O>,
    R::Error: From<O::Error>,
{
    while operator.step() < schedule.total() {
        let event = schedule.next(operator.step(), operator.longest_advance());
        operator.advance(event - operator.step())?;
        operator.check()?;
        recorder.collect(operator)?;
        for action in schedule.due(event) {
            recorder.act(operator, action)?;
        }
        if recorder.cancelled() {
            recorder.act(operator, Action::Checkpoint)?;
            return Ok(Outcome::Interrupted);
        }
    }
    Ok(Outcome::Complete)
}
