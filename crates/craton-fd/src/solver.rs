//! What is asked of finite differences beyond what a run asks of any method.

use craton_sim::Failure;

use crate::grid::Grid;
use crate::medium::Kind;
use crate::selection::{Selection, Values, Vector};
use crate::sweep::Precision;

/// A grid in motion: velocity at half steps, stress at whole ones.
pub trait Solver<T: Precision>: craton_sim::Solver<T> {
    /// All cells.
    fn grid(&self) -> &Grid;

    /// What a cell is made of.
    fn kind(&self, cell: [usize; 3]) -> Kind;

    /// Whether there is anything at a position [m]: it is in the box and not in air.
    fn is_matter(&self, position: [f64; 3]) -> bool;

    /// Makes ready to read the same cells again and again. Displacement is that since now, or since what is restored after this began.
    ///
    /// # Returns
    /// The number by which [`Solver::read`] knows them.
    /// # Errors
    /// [`Failure::Device`]: too little memory; [`Failure::Ranks`].
    fn select(&mut self, selection: Selection) -> Result<usize, Failure>;

    /// A field around the cells of a selection.
    ///
    /// # Errors
    /// [`Failure::Device`], [`Failure::Ranks`].
    ///
    /// # Panics
    /// If there is no such selection, or it has no displacement.
    fn read(&self, selection: usize, vector: Vector) -> Result<Values<T>, Failure>;
}
