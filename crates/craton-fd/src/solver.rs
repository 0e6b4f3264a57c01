//! The solver interface of finite differences, which extends that of all methods.

use craton_sim::Failure;

use crate::grid::Grid;
use crate::medium::Kind;
use crate::selection::{Selection, Values, Vector};
use crate::sweep::Precision;

/// A running solver on a grid: velocity at half steps, stress at whole steps.
pub trait Solver<T: Precision>: craton_sim::Solver<T> {
    /// The grid of the whole domain.
    fn grid(&self) -> &Grid;

    /// Kind of a cell: air, fluid or solid.
    fn kind(&self, cell: [usize; 3]) -> Kind;

    /// Whether a position [m] is inside the box and not in air.
    fn is_matter(&self, position: [f64; 3]) -> bool;

    /// Registers a selection of cells for repeated reading. Displacement is summed from this call on, or from where the state that is restored
    /// after this call began its sum.
    ///
    /// # Returns
    /// The number of the selection, an argument of [`Solver::read`].
    /// # Errors
    /// [`Failure::Device`]: too little memory; [`Failure::Ranks`].
    fn select(&mut self, selection: Selection) -> Result<usize, Failure>;

    /// Reads a field at the points around the cells of a selection.
    ///
    /// # Errors
    /// [`Failure::Device`], [`Failure::Ranks`].
    ///
    /// # Panics
    /// If the selection does not exist, or does not have displacement.
    fn read(&self, selection: usize, vector: Vector) -> Result<Values<T>, Failure>;
}
