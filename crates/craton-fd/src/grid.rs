//! A box of equal cells.

use std::ops::Range;

use crate::error::FdError;
use crate::medium::Kind;

/// Tolerance [cells] within which a position is on a face: heights are often given with few digits.
pub(crate) const ON_FACE: f64 = 1e-6;

/// A box of cells, x fastest; x east, y north, z up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// Lower corner of cell (0, 0, 0) [m].
    pub origin: [f64; 3],
    /// Edges of a cell [m].
    pub spacing: [f64; 3],
    /// Cells along each axis, those of absorbing layers included.
    pub cells: [usize; 3],
}

impl Grid {
    /// Number of all cells.
    pub fn n_cells(&self) -> usize {
        self.cells.iter().product()
    }

    /// Linear index of a cell, x fastest.
    pub fn number(&self, [i, j, k]: [usize; 3]) -> usize {
        i + self.cells[0] * (j + self.cells[1] * k)
    }

    /// The cell with a number.
    pub(crate) fn cell_of_number(&self, number: usize) -> [usize; 3] {
        let [nx, ny, _] = self.cells;
        [number % nx, number / nx % ny, number / nx / ny]
    }

    /// Centre of a cell [m].
    pub fn centre(&self, cell: [usize; 3]) -> [f64; 3] {
        [0, 1, 2].map(|axis| self.origin[axis] + (cell[axis] as f64 + 0.5) * self.spacing[axis])
    }

    /// Lower corner of a cell [m].
    pub fn corner(&self, cell: [usize; 3]) -> [f64; 3] {
        [0, 1, 2].map(|axis| self.origin[axis] + cell[axis] as f64 * self.spacing[axis])
    }

    /// The cell that contains a position [m], or the nearest one. A position on a face belongs to the cell below, east or north of it.
    pub fn cell_at(&self, position: [f64; 3]) -> [usize; 3] {
        let [x, y, z] = self.in_cells(position);
        self.cell_of_place([x, y, z - ON_FACE])
    }

    /// The cell that contains a position in units of cells, or the nearest one.
    pub(crate) fn cell_of_place(&self, place: [f64; 3]) -> [usize; 3] {
        [0, 1, 2].map(|axis| (place[axis].max(0.0) as usize).min(self.cells[axis] - 1))
    }

    /// The column of cells at a horizontal position [m], or the nearest one.
    pub fn column(&self, place: [f64; 2]) -> [usize; 2] {
        [0, 1].map(|axis| {
            let along = (place[axis] - self.origin[axis]) / self.spacing[axis];
            (along.max(0.0) as usize).min(self.cells[axis] - 1)
        })
    }

    /// Height of the ground in a column of cells [m]: the top of the highest cell that is not air, if there is one.
    ///
    /// # Arguments
    /// * `cells` – indices along z to search: all except those of layers above the box
    /// * `kind` – kind of a cell
    pub fn ground(&self, [i, j]: [usize; 2], cells: Range<usize>, kind: impl Fn([usize; 3]) -> Kind) -> Option<f64> {
        let highest = cells.rev().find(|&k| kind([i, j, k]) != Kind::Air)?;
        Some(self.corner([i, j, highest + 1])[2])
    }

    /// Volume of a cell [m³].
    pub fn volume(&self) -> f64 {
        self.spacing.iter().product()
    }

    /// Position relative to the origin in units of cells, along each axis [–].
    pub fn in_cells(&self, position: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|axis| (position[axis] - self.origin[axis]) / self.spacing[axis])
    }

    /// Checks the geometry.
    ///
    /// # Errors
    /// An origin that is not finite, a spacing that is not positive, an axis without cells.
    pub(crate) fn check(&self) -> Result<(), FdError> {
        let sound = |h: f64| h.is_finite() && h > 0.0;
        let finite = self.origin.iter().all(|x| x.is_finite());
        if finite && self.spacing.into_iter().all(sound) && self.cells.iter().all(|&n| n > 0) {
            return Ok(());
        }
        Err(FdError::Grid(*self))
    }
}
