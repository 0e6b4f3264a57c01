//! Memory layout of a block: the indices of points in its arrays.

use crate::field::Field;
use craton_numerics::staggered::GridPoints;

/// Points along x that share one entry of the table of stencils; rows begin at multiples of this number.
pub const GROUP: usize = 16;

/// A block of cells with its halo, padded so that every row begins at a cache line.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// Global index of its first cell.
    pub first: [usize; 3],
    /// Its own cells.
    pub cells: [usize; 3],
    /// 1 along axes where the block ends at the upper side of the grid and that side is not a layer: whole points have one more plane there.
    pub extra: [usize; 3],
    /// Cells of halo on each side: the half-length of the stencil.
    pub halo: usize,
    /// Distance in memory between neighbours along each axis; 0 along y if fields do not depend on y.
    pub stride: [usize; 3],
}

/// Padded length of a row of `cells` cells.
pub fn row_length(cells: usize, halo: usize) -> usize {
    (GROUP + cells + halo).next_multiple_of(2 * GROUP)
}

impl Layout {
    /// Creates a block from global cell `first` on. Rows consist of pairs of groups, since a GPU reads 128 bytes at a time.
    pub fn new(first: [usize; 3], cells: [usize; 3], extra: [usize; 3], halo: usize) -> Self {
        let row = row_length(cells[0], halo);
        let plane = row * (cells[1] + 2 * halo);
        Self { first, cells, extra, halo, stride: [1, row, plane] }
    }

    /// The same block with one row per plane, which also is its own neighbour along y: for fields that do not depend on y.
    ///
    /// # Panics
    /// If the block has several cells along y.
    #[must_use]
    pub fn constant_along_y(self) -> Self {
        assert_eq!(self.cells[1], 1, "a block that is constant along y has one cell along y");
        let row = self.stride[1];
        Self { stride: [1, 0, row], ..self }
    }

    /// Length of a row with its padding.
    pub fn row(&self) -> usize {
        row_length(self.cells[0], self.halo)
    }

    /// Number of values of an array. At the upper sides, the kernels also evaluate stencils of fields that have no points there; these read up to a
    /// plane, a row and a group beyond the halo, and their results are not used.
    #[expect(clippy::len_without_is_empty, reason = "no layout is empty")]
    pub fn len(&self) -> usize {
        self.plane(self.cells[2] + self.halo + 1) + self.row() + 2 * GROUP
    }

    /// Index in an array at which plane k of the block's own points begins.
    #[inline]
    pub fn plane(&self, k: usize) -> usize {
        (k + self.halo) * self.stride[2]
    }

    /// Index of a point in an array; points of the halo have negative coordinates, or coordinates beyond the cells.
    #[inline]
    pub fn at(&self, [i, j, k]: [i64; 3]) -> usize {
        let halo = self.halo as i64;
        (i + GROUP as i64) as usize + (j + halo) as usize * self.stride[1] + (k + halo) as usize * self.stride[2]
    }

    /// Number of planes of the block with its halo.
    pub fn planes_around(&self) -> usize {
        self.cells[2] + 2 * self.halo
    }

    /// The block's own point at an index of an array.
    #[inline]
    pub fn point(&self, at: usize) -> [usize; 3] {
        let [_, across, plane] = self.stride;
        let row = self.row();
        let j = if across == 0 { 0 } else { at % plane / row - self.halo };
        [at % row - GROUP, j, at / plane - self.halo]
    }

    /// Points to compute along each axis, of any field.
    #[inline]
    pub fn extent(&self) -> [usize; 3] {
        [0, 1, 2].map(|axis| self.cells[axis] + self.extra[axis])
    }

    /// Points of a field along each axis that this block owns.
    #[inline]
    pub fn count(&self, field: Field) -> [usize; 3] {
        let points = field.points();
        [0, 1, 2].map(|axis| match points[axis] {
            GridPoints::Whole => self.cells[axis] + self.extra[axis],
            GridPoints::Half => self.cells[axis],
        })
    }

    /// Groups of points in a row.
    pub fn groups(&self) -> usize {
        self.extent()[0].div_ceil(GROUP)
    }
}
