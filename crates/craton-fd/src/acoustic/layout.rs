//! Where the points of a shot stand in the arrays.

use std::ops::Range;

use crate::layout::GROUP;

/// Rows along x of whole groups, each after a group of zeros; planes of rows across z. Stencils find zeros beyond the sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Cells along each axis.
    pub cells: [usize; 3],
    /// Groups of a row.
    pub groups: usize,
    /// Rows of zeros on either side of a plane, and planes below the first one: L, and none along y in a plane.
    halo: [usize; 3],
    /// Distance in memory between neighbours along each axis.
    pub stride: [usize; 3],
}

impl Layout {
    /// Of a grid, for a stencil of `half_length` taps on either side.
    pub fn new(cells: [usize; 3], half_length: usize) -> Self {
        let halo = [0, if cells[1] == 1 { 0 } else { half_length }, half_length];
        let groups = cells[0].div_ceil(GROUP);
        let row = GROUP * (groups + 1);
        Self { cells, groups, halo, stride: [1, row, row * (cells[1] + 2 * halo[1])] }
    }

    /// Length of an array: a plane more than cells at the top, for the velocity there, and a group after the last row.
    pub fn len(&self) -> usize {
        self.stride[2] * (self.cells[2] + 1 + 2 * self.halo[2]) + GROUP
    }

    /// Place of a point; the planes beyond the top and below the bottom have indices, too.
    pub fn at(&self, [i, j, k]: [i64; 3]) -> usize {
        let [_, y, z] = self.halo.map(|halo| halo as i64);
        GROUP + i as usize + (j + y) as usize * self.stride[1] + (k + z) as usize * self.stride[2]
    }

    /// The index of a plane of the array, of those that hold cells and of the one above them.
    pub fn plane(&self, number: usize) -> Option<usize> {
        number.checked_sub(self.halo[2]).filter(|&k| k <= self.cells[2])
    }

    /// Places of the rows of some cells, those along y first.
    pub fn rows(&self, [x, y, z]: &[Range<usize>; 3]) -> impl Iterator<Item = Range<usize>> + use<> {
        let (first, len, [_, sy, sz]) = (self.row(0, 0) + x.start, x.len(), self.stride);
        let starts = z.clone().flat_map({
            let y = y.clone();
            move |k| y.clone().map(move |j| first + j * sy + k * sz)
        });
        starts.map(move |start| start..start + len)
    }

    /// Place of the first point of row (j, k).
    pub fn row(&self, j: usize, k: usize) -> usize {
        self.at([0, j as i64, k as i64])
    }
}
