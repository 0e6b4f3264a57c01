//! The time loop, and what it needs from a method and from a task.

use crate::{Action, Schedule};

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

/// A discretised physical system that can be advanced in time.
pub trait Operator {
    /// Error of a step, such as an [`Instability`](crate::Instability) or a lost device.
    type Error;

    /// Number of completed steps since time zero of the run.
    fn step(&self) -> u64;

    /// Advances by `steps` steps. The result must not depend on how steps are grouped into calls.
    ///
    /// # Errors
    /// A device that fails. An asynchronous device may report the error later, in [`Operator::check`] at the latest.
    fn advance(&mut self, steps: u64) -> Result<(), Self::Error>;

    /// Largest number of steps of one call of [`Operator::advance`], limited by the memory for samples.
    fn longest_advance(&self) -> u64;

    /// Checks that all steps succeeded and that the field is finite.
    ///
    /// # Errors
    /// An [`Instability`](crate::Instability) with the step and the position; a device that has failed.
    fn check(&mut self) -> Result<(), Self::Error>;
}

/// Performs the actions of a run at its events.
pub trait Recorder<O: ?Sized> {
    /// Error of an action, such as a full disk.
    type Error;

    /// Takes the samples since the last event. Called once at every event, before its actions.
    ///
    /// # Errors
    /// Samples that cannot be read from the operator.
    fn collect(&mut self, operator: &mut O) -> Result<(), Self::Error>;

    /// Performs an action.
    ///
    /// # Errors
    /// An action that fails.
    fn act(&mut self, operator: &mut O, action: Action) -> Result<(), Self::Error>;

    /// Whether the run should stop at this event, resumable.
    fn cancelled(&self) -> bool;
}
