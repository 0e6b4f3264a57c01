//! The time loop, which all tasks use.

use crate::{Action, Operator, Recorder, Schedule};

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All steps are complete.
    Complete,
    /// The run was stopped, and can be resumed.
    Interrupted,
}

/// Advances `operator` from event to event until the schedule ends or the recorder is cancelled. In the latter case the last action is a checkpoint.
///
/// # Errors
/// Errors of the operator or the recorder.
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
