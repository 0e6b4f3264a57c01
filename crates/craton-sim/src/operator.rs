//! Interfaces of methods and tasks to the time loop.

use crate::Action;

/// A discretised physical system that can be advanced in time.
pub trait Operator {
    /// Error of a step, such as an [`Instability`] or a lost device.
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
    /// An [`Instability`] with the step and the position; a device that has failed.
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

/// A field that is no longer finite.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the field is no longer finite at step {step}, first seen near x = {x:.1}, y = {y:.1}, z = {z:.1} m (dt is {courant:.2} of the stable step)", x = position[0], y = position[1], z = position[2])]
pub struct Instability {
    /// Number of completed steps when it was detected.
    pub step: u64,
    /// Position of a node that is not finite [m].
    pub position: [f64; 3],
    /// Fraction of the largest stable time step.
    pub courant: f64,
}
