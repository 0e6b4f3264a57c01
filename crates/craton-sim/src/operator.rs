//! What the time loop needs from a method and from a task.

use crate::Action;

/// A discretised physical system that can be advanced in time.
pub trait Operator {
    /// Why it may fail: an [`Instability`], a device that is lost.
    type Error;

    /// Steps done since time zero of the run.
    fn step(&self) -> u64;

    /// Advances by `steps` steps; may take many at once, as long as the result does not depend on how they are grouped.
    ///
    /// # Errors
    /// Whatever the device cannot do. One that works beside the host may tell later, in [`Operator::check`] at the latest.
    fn advance(&mut self, steps: u64) -> Result<(), Self::Error>;

    /// Largest number of steps that [`Operator::advance`] may take at once (what the memory for samples holds).
    fn longest_advance(&self) -> u64;

    /// Whether all steps went well and the field is still finite.
    ///
    /// # Errors
    /// An [`Instability`], which names the step and the place; whatever the device could not do.
    fn check(&mut self) -> Result<(), Self::Error>;
}

/// What happens at the events of a run.
pub trait Recorder<O: ?Sized> {
    /// Why it may fail (a full disk, say).
    type Error;

    /// Takes what has been sampled since the last event; called once at every event, before its actions.
    ///
    /// # Errors
    /// Samples that the operator cannot hand over.
    fn collect(&mut self, operator: &mut O) -> Result<(), Self::Error>;

    /// Does what is due.
    ///
    /// # Errors
    /// Whatever the task cannot do.
    fn act(&mut self, operator: &mut O, action: Action) -> Result<(), Self::Error>;

    /// Whether the run is to stop at this event, resumable.
    fn cancelled(&self) -> bool;
}

/// A field that is no longer finite.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("the field is no longer finite at step {step}, first seen near x = {x:.1}, y = {y:.1}, z = {z:.1} m (dt is {courant:.2} of the stable step)", x = position[0], y = position[1], z = position[2])]
pub struct Instability {
    /// Steps done when it was seen.
    pub step: u64,
    /// Position of a node that is not finite [m].
    pub position: [f64; 3],
    /// The time step over the largest stable one.
    pub courant: f64,
}
