//! The interface of a part on any device.

use craton_device::Workers;
use craton_sim::{Failure, PartExchange};

use crate::block::Block;
use crate::saved::Saved;
use crate::selection::Vector;
use crate::sweep::Precision;
use crate::window::Brick;

/// A block of cells that is advanced on one device.
pub trait Part<T: Precision>: Send + Sync {
    /// Number of partial sums of a sample.
    const LANES: usize;

    /// Number of completed steps.
    fn step(&self) -> u64;

    /// Advances all parts of this process. Every rank must call it.
    ///
    /// # Errors
    /// A device that fails, a rank that is lost.
    fn advance_all(parts: &mut [Self], exchange: &PartExchange, workers: &Workers, steps: u64) -> Result<(), Failure>
    where
        Self: Sized;

    /// Takes the samples recorded since the last call, `[step][value]`.
    ///
    /// # Errors
    /// A device that fails.
    fn take_samples(&mut self) -> Result<Vec<T>, Failure>;

    /// Global index of the first cell of the part, in x-fastest order, with a velocity that is not finite.
    ///
    /// # Errors
    /// A device that fails, in this call or in an earlier step.
    fn broken_cell(&mut self, workers: &Workers) -> Result<Option<[usize; 3]>, Failure>;

    /// Copies an array of the state to the host, where it stays until [`Part::unload`].
    ///
    /// # Errors
    /// A device that fails.
    fn load(&mut self, array: Saved) -> Result<(), Failure>;

    /// Its block, in which only loaded arrays of the state are valid.
    fn loaded(&mut self) -> &mut Block<T>;

    /// Releases a loaded array; if it has `changed`, copies it back to the device.
    ///
    /// # Errors
    /// A device that fails.
    fn unload(&mut self, array: Saved, changed: bool) -> Result<(), Failure>;

    /// Registers bricks of velocities for repeated reading. Selections are numbered from 0.
    ///
    /// # Arguments
    /// * `is_summed` – whether velocities are summed to displacements from this call on
    /// # Errors
    /// Too little memory on the device.
    fn select(&mut self, bricks: Vec<Brick>, is_summed: bool) -> Result<(), Failure>;

    /// Reads a vector field in the bricks of a selection, `[brick][component][k][j][i]`.
    ///
    /// # Errors
    /// A device that fails.
    fn read(&self, selection: usize, vector: Vector) -> Result<Vec<T>, Failure>;

    /// Replaces the displacements of a selection, in the order of [`Part::read`].
    ///
    /// # Errors
    /// A device that fails.
    fn replace_sums(&mut self, selection: usize, sums: &[T]) -> Result<(), Failure>;

    /// Sets the number of completed steps of a restored state.
    ///
    /// # Errors
    /// A device that fails.
    fn restore_step(&mut self, step: u64) -> Result<(), Failure>;

    /// Bytes held on the device, without sources and samples.
    fn bytes(&self) -> usize;
}
