//! Where the points of a part stand in its arrays.

use crate::grid::Grid;
use craton_fd_kernels::row_length;

pub use craton_fd_kernels::{GROUP, Layout};

/// Values that a field of a whole grid takes with its halo and the padding of its rows; as a number that any grid fits, be there memory or not.
///
/// # Arguments
/// * `half_length` – of the stencil
pub fn field_values(grid: &Grid, half_length: usize) -> f64 {
    let across = |axis: usize| (grid.cells[axis] + 2 * half_length + 1) as f64;
    row_length(grid.cells[0], half_length) as f64 * across(1) * across(2)
}
