//! Memory layout of the arrays of a part.

use crate::grid::Grid;
use craton_fd_kernels::row_length;

pub use craton_fd_kernels::{GROUP, Layout};

/// Number of values of a field on the whole grid, with halo and padding. It is a float, so that grids too large for memory do not overflow.
///
/// # Arguments
/// * `half_length` – half-length of the stencil
pub fn field_values(grid: &Grid, half_length: usize) -> f64 {
    let across = |axis: usize| (grid.cells[axis] + 2 * half_length + 1) as f64;
    row_length(grid.cells[0], half_length) as f64 * across(1) * across(2)
}
