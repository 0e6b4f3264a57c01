//! Damping factors of the sponges.

use craton_device::{AlignedVec, Scalar};
use craton_fd_kernels::Taper;
use craton_numerics::staggered::GridPoints;

use crate::boundary::Boundaries;
use crate::grid::Grid;
use crate::layout::{GROUP, Layout};

/// Tabulates the factors of a block; `None` if no side has a sponge.
pub fn taper<T: Scalar>(grid: &Grid, boundaries: &Boundaries, layout: &Layout) -> Option<Taper<T>> {
    let factors = |axis: usize, points: GridPoints| {
        let count = layout.extent()[axis].next_multiple_of(GROUP);
        let position = |i: usize| (layout.first[axis] + i) as f64 + points.offset();
        let along = |i: usize| factor(boundaries, axis, grid.cells[axis], position(i));
        AlignedVec::from_slice(&(0..count).map(|i| T::from_f64(along(i))).collect::<Vec<_>>())
    };
    boundaries.sponges.iter().any(Option::is_some).then(|| {
        Taper::new([0, 1, 2].map(|axis| [GridPoints::Whole, GridPoints::Half].map(|points| factors(axis, points))))
    })
}

/// Combined factor of the two sides of an axis of `cells` cells, at a position in units of cells.
fn factor(boundaries: &Boundaries, axis: usize, cells: usize, position: f64) -> f64 {
    let depths = [position, cells as f64 - position];
    let of_side = |(side, depth): (usize, f64)| match boundaries.sponges[2 * axis + side] {
        Some(sponge) => (-(sponge.factor * (sponge.cells as f64 - depth).max(0.0)).powi(2)).exp(),
        None => 1.0,
    };
    depths.into_iter().enumerate().map(of_side).product()
}
