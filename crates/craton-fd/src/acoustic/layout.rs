//! Memory layout of the arrays of a shot.

use std::ops::Range;

use crate::layout::GROUP;

/// Rows along x of whole groups, each after a group of zeros; planes of rows across z. Stencils read zeros beyond the sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Cells along each axis.
    pub cells: [usize; 3],
    /// Groups per row.
    pub groups: usize,
    /// Rows of zeros on either side of a plane, and planes of zeros below the first one: L; no rows in 2D.
    halo: [usize; 3],
    /// Stride in memory along each axis.
    pub stride: [usize; 3],
}

impl Layout {
    /// Layout of a grid for a stencil of half-length `half_length`.
    pub fn new(cells: [usize; 3], half_length: usize) -> Self {
        Self::with_rows(cells, half_length, GROUP)
    }

    /// The same with rows of a multiple of `unit` values.
    pub fn with_rows(cells: [usize; 3], half_length: usize, unit: usize) -> Self {
        let halo = [0, if cells[1] == 1 { 0 } else { half_length }, half_length];
        let groups = cells[0].div_ceil(GROUP);
        let row = (GROUP * (groups + 1)).next_multiple_of(unit);
        Self { cells, groups, halo, stride: [1, row, row * (cells[1] + 2 * halo[1])] }
    }

    /// Length of an array: one more plane than cells, for the velocity at the top, and a group after the last row.
    pub fn len(&self) -> usize {
        self.stride[2] * (self.cells[2] + 1 + 2 * self.halo[2]) + GROUP
    }

    /// Array index of a point, also in the planes above the top and below the bottom.
    pub fn at(&self, [i, j, k]: [i64; 3]) -> usize {
        let [_, y, z] = self.halo.map(|halo| halo as i64);
        GROUP + i as usize + (j + y) as usize * self.stride[1] + (k + z) as usize * self.stride[2]
    }

    /// The index of plane `number` of the array, if it contains cells or is the one above them.
    pub fn plane(&self, number: usize) -> Option<usize> {
        number.checked_sub(self.halo[2]).filter(|&k| k <= self.cells[2])
    }

    /// Array ranges of the rows of some cells, y before z.
    pub fn rows(&self, [x, y, z]: &[Range<usize>; 3]) -> impl Iterator<Item = Range<usize>> + use<> {
        let (first, len, [_, sy, sz]) = (self.row(0, 0) + x.start, x.len(), self.stride);
        let starts = z.clone().flat_map({
            let y = y.clone();
            move |k| y.clone().map(move |j| first + j * sy + k * sz)
        });
        starts.map(move |start| start..start + len)
    }

    /// Array index of the first point of row (j, k).
    pub fn row(&self, j: usize, k: usize) -> usize {
        self.at([0, j as i64, k as i64])
    }
}
