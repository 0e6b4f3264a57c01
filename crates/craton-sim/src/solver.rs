//! Interface of a method to a run, for any number and kind of devices.

use std::borrow::Cow;
use std::path::PathBuf;

use craton_comm::CommError;
use craton_device::Workers;
use craton_device::gpu::GpuError;

use crate::{Operator, StateFile};

/// A method with its discretised Earth model and its state, on its devices.
///
/// With several ranks, only the first rank calls these methods; the others call [`Solver::serve`].
pub trait Solver<T>: Operator<Error = Failure> + Send + Sync {
    /// Time step [s].
    fn dt(&self) -> f64;

    /// Threads that compute on the host.
    fn workers(&self) -> &Workers;

    /// Takes the samples since the last call, `[step][channel]`: velocity [m/s] half a step before each whole step, or its gradient [1/s],
    /// probe by probe.
    ///
    /// # Errors
    /// [`Failure::Device`], [`Failure::Ranks`].
    fn take_samples(&mut self) -> Result<Vec<T>, Failure>;

    /// The arrays of the state, which a run needs to resume. Their order and the order of their values are independent of patches, parts and devices.
    fn state(&self) -> Vec<StateArray>;

    /// Passes the values of an array of the state to `sink`, block by block.
    ///
    /// # Errors
    /// [`Failure::Device`], [`Failure::Ranks`].
    fn save(&mut self, array: usize, sink: &mut dyn FnMut(&[T])) -> Result<(), Failure>;

    /// Restores an array of the state. Call [`Solver::restore_step`] after the last one.
    ///
    /// # Arguments
    /// * `source` – fills a slice with the next values
    ///
    /// # Errors
    /// [`Failure::Device`], [`Failure::Ranks`].
    fn restore(&mut self, array: usize, source: &mut dyn FnMut(&mut [T])) -> Result<(), Failure>;

    /// Writes all arrays of the state to a file, whose blocks have fixed positions. Ranks that share its folder write in parallel; otherwise the first rank
    /// writes all blocks.
    ///
    /// Returns the hash (xxh3) of each block of each array.
    ///
    /// # Errors
    /// [`Failure::File`], [`Failure::Device`], [`Failure::Ranks`].
    fn save_to(&mut self, file: &StateFile) -> Result<Vec<Vec<u64>>, Failure>;

    /// Restores all arrays of the state from a file. Call [`Solver::restore_step`] afterwards.
    ///
    /// # Errors
    /// [`Failure::Damaged`], after which another state must be restored; [`Failure::Device`], [`Failure::Ranks`].
    fn restore_from(&mut self, file: &StateFile) -> Result<(), Failure>;

    /// Sets the number of completed steps of a restored state.
    ///
    /// # Errors
    /// [`Failure::Device`], [`Failure::Ranks`].
    fn restore_step(&mut self, step: u64) -> Result<(), Failure>;

    /// Ends [`Solver::serve`] on the other ranks. No other method may be called afterwards. A run that fails does not end this way: the rank that failed
    /// ends the others, see [`craton_comm::Ranks::abort`].
    ///
    /// # Errors
    /// [`Failure::Ranks`].
    fn end(&mut self) -> Result<(), Failure>;

    /// Carries out the requests of the first rank until [`Solver::end`]. Called on all ranks except the first.
    ///
    /// # Errors
    /// [`Failure::Device`], [`Failure::Ranks`].
    fn serve(&mut self) -> Result<(), Failure>;
}

/// An array of the state in a checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateArray {
    /// Its name.
    pub name: Cow<'static, str>,
    /// Its extents, slowest axis first.
    pub shape: Vec<usize>,
    /// Number of values of each block in which it is saved and restored.
    pub blocks: Vec<usize>,
}

/// Error that ends a run.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The field is no longer finite.
    #[error(transparent)]
    Unstable(#[from] Instability),
    /// The device has failed.
    #[error("at step {step}: {fault}")]
    Device {
        /// Number of enqueued steps when the error was detected; the device may not have completed all of them.
        step: u64,
        /// Error of the device.
        fault: GpuError,
    },
    /// The state cannot be written to a file.
    #[error("cannot write the state to {}: {reason}; check for a full disk or a limit of file sizes (ulimit -f)", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The state in a file is damaged.
    #[error("the state in {} is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// Another rank is lost.
    #[error(transparent)]
    Ranks(#[from] CommError),
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
