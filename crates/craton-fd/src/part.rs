//! What an ensemble needs from a part, wherever it computes.

use craton_device::Workers;
use craton_sim::{Crew, Failure};

use crate::block::Block;
use crate::selection::Vector;
use crate::sweep::Precision;
use crate::window::Brick;

/// A block of cells in motion on one device.
pub trait Part<T: Precision>: Send + Sync {
    /// Partial sums from which a sample is made.
    const LANES: usize;

    /// Steps done.
    fn step(&self) -> u64;

    /// Advances all parts of this process; those of other ranks do the same.
    ///
    /// # Errors
    /// A device that fails, a rank that is lost.
    fn advance_all(parts: &mut [Self], crew: &Crew, workers: &Workers, steps: u64) -> Result<(), Failure>
    where
        Self: Sized;

    /// Its values since the last call, `[step][value]`.
    ///
    /// # Errors
    /// A device that fails.
    fn take_samples(&mut self) -> Result<Vec<T>, Failure>;

    /// Global index of the first cell of the part, x fastest, with a velocity that is not finite.
    ///
    /// # Errors
    /// A device that fails, now or in a step before.
    fn broken_cell(&mut self, workers: &Workers) -> Result<Option<[usize; 3]>, Failure>;

    /// Brings what an array of the state is taken from to the host, until [`Part::unload`].
    ///
    /// # Errors
    /// A device that fails.
    fn load(&mut self, array: usize) -> Result<(), Failure>;

    /// Its block; of the state, what has been loaded.
    fn loaded(&mut self) -> &mut Block<T>;

    /// Gives an array back; what has `changed` goes where the part computes.
    ///
    /// # Errors
    /// A device that fails.
    fn unload(&mut self, array: usize, changed: bool) -> Result<(), Failure>;

    /// Makes ready to read bricks of velocities again and again; the first selection has number 0.
    ///
    /// # Arguments
    /// * `is_summed` – whether the velocities are summed to displacements from now on
    /// # Errors
    /// Too little memory on the device.
    fn select(&mut self, bricks: Vec<Brick>, is_summed: bool) -> Result<(), Failure>;

    /// A vector field in the bricks of a selection, `[brick][component][k][j][i]`.
    ///
    /// # Errors
    /// A device that fails.
    fn read(&self, selection: usize, vector: Vector) -> Result<Vec<T>, Failure>;

    /// Replaces the displacements of a selection, in the order in which they are read.
    ///
    /// # Errors
    /// A device that fails.
    fn replace_sums(&mut self, selection: usize, sums: &[T]) -> Result<(), Failure>;

    /// Says how many steps the restored state has behind it.
    ///
    /// # Errors
    /// A device that fails.
    fn restore_step(&mut self, step: u64) -> Result<(), Failure>;

    /// Bytes held where it computes, without sources and samples.
    fn bytes(&self) -> usize;
}
