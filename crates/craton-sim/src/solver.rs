//! What a run asks of any method, wherever and on however many devices it computes.

use craton_comm::CommError;
use craton_device::Workers;
use craton_device::gpu::GpuError;

use crate::operator::{Instability, Operator};

/// A discretised Earth in motion: a method with its state, on its devices.
///
/// Where several ranks compute, the first alone asks, and the others serve: see [`Solver::serve`].
pub trait Solver<T>: Operator<Error = Failure> + Send + Sync {
    /// Time step [s].
    fn dt(&self) -> f64;

    /// The team that computes on the host.
    fn workers(&self) -> &Workers;

    /// Samples since the last call, `[step][channel]`: velocity [m/s] half a step before each whole step, or its gradient [1/s],
    /// probe by probe.
    ///
    /// # Errors
    /// [`Failure::Device`], [`Failure::Ranks`].
    fn take_samples(&mut self) -> Result<Vec<T>, Failure>;

    /// The arrays that a run has to keep to go on. Their order and that of their values knows nothing of patches, parts and devices.
    fn state(&self) -> Vec<StateArray>;

    /// Hands over the array of this number, some values at a time.
    ///
    /// # Errors
    /// [`Failure::Device`], [`Failure::Ranks`].
    fn save(&mut self, array: usize, sink: &mut dyn FnMut(&[T])) -> Result<(), Failure>;

    /// Takes an array back that was saved; [`Solver::restore_step`] completes it.
    ///
    /// # Arguments
    /// * `source` – fills what it is given with the next values
    /// # Errors
    /// [`Failure::Device`], [`Failure::Ranks`].
    fn restore(&mut self, array: usize, source: &mut dyn FnMut(&mut [T])) -> Result<(), Failure>;

    /// Says how many steps the restored state has behind it.
    ///
    /// # Errors
    /// [`Failure::Device`], [`Failure::Ranks`].
    fn restore_step(&mut self, step: u64) -> Result<(), Failure>;

    /// Says that the first rank has no more questions, so that the others leave [`Solver::serve`]; asked for nothing after that. A run that has
    /// failed does not end so: the rank that failed takes the others down, see [`craton_comm::Ranks::abort`].
    ///
    /// # Errors
    /// [`Failure::Ranks`].
    fn end(&mut self) -> Result<(), Failure>;

    /// Does what the first rank asks for, until it says that it has no more questions ([`Solver::end`]); for all ranks but the first.
    ///
    /// # Errors
    /// [`Failure::Device`], [`Failure::Ranks`].
    fn serve(&mut self) -> Result<(), Failure>;
}

/// An array of the state, as it stands in a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateArray {
    /// Its name.
    pub name: &'static str,
    /// Its extents, the slowest first.
    pub shape: Vec<usize>,
}

/// Why a run cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The field is no longer finite.
    #[error(transparent)]
    Unstable(#[from] Instability),
    /// The device has failed.
    #[error("at step {step}: {fault}")]
    Device {
        /// Steps asked for when it was seen; the device may not have made them all.
        step: u64,
        /// What the device said.
        fault: GpuError,
    },
    /// Another rank is lost.
    #[error(transparent)]
    Ranks(#[from] CommError),
}
