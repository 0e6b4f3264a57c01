//! Memory layout of the arrays of a part.

use crate::field::Field;
use crate::grid::Grid;
use craton_numerics::staggered::GridPoints;

/// Number of points along x that share an entry of the stencil table. Rows begin at multiples of it.
pub const GROUP: usize = 16;

/// A block of cells with its halo, padded so that every row begins on a cache line.
#[derive(Debug, Clone, PartialEq)]
pub struct Layout {
    /// Global index of its first cell.
    pub first: [usize; 3],
    /// Number of its own cells along each axis.
    pub cells: [usize; 3],
    /// 1 if the block ends at the upper side of the grid, unless that side is an absorbing layer: whole points have one more plane there.
    pub extra: [usize; 3],
    /// Width of the halo in cells: the half-length of the stencil.
    pub halo: usize,
    /// Stride in memory along each axis.
    pub stride: [usize; 3],
}

/// Padded length of a row of cells.
fn row_length(cells: usize, halo: usize) -> usize {
    (GROUP + cells + halo).next_multiple_of(2 * GROUP)
}

/// Number of values of a field on the whole grid, with halo and padding. It is a float, so that grids too large for memory do not overflow.
///
/// # Arguments
/// * `half_length` – half-length of the stencil
pub fn field_values(grid: &Grid, half_length: usize) -> f64 {
    let across = |axis: usize| (grid.cells[axis] + 2 * half_length + 1) as f64;
    row_length(grid.cells[0], half_length) as f64 * across(1) * across(2)
}

impl Layout {
    /// Layout of a block that starts at global cell `first`. Rows are padded to pairs of groups, because a GPU reads 128 bytes at a time.
    pub fn new(first: [usize; 3], cells: [usize; 3], extra: [usize; 3], halo: usize) -> Self {
        let row = row_length(cells[0], halo);
        let plane = row * (cells[1] + 2 * halo);
        Self { first, cells, extra, halo, stride: [1, row, plane] }
    }

    /// Length of an array. Stencils at the upper sides also read fields that have no points there; these values are never used, but lie up to
    /// a plane, a row and a group beyond the halo.
    pub fn len(&self) -> usize {
        self.plane(self.cells[2] + self.halo + 1) + self.stride[1] + 2 * GROUP
    }

    /// Array index where plane k of own points begins.
    pub fn plane(&self, k: usize) -> usize {
        (k + self.halo) * self.stride[2]
    }

    /// Array index of a point. Points of halos have indices below zero or beyond the cells.
    pub fn at(&self, [i, j, k]: [i64; 3]) -> usize {
        let halo = self.halo as i64;
        (i + GROUP as i64) as usize + (j + halo) as usize * self.stride[1] + (k + halo) as usize * self.stride[2]
    }

    /// Number of planes of the block including its halo.
    pub fn planes_around(&self) -> usize {
        self.cells[2] + 2 * self.halo
    }

    /// Cells of one of these planes: global indices, and array index relative to the start of the plane.
    pub fn plane_around(&self, plane: usize) -> impl Iterator<Item = ([i64; 3], usize)> + '_ {
        let halo = self.halo as i64;
        let [nx, ny, _] = self.cells.map(|cells| cells as i64);
        let [x, y, z] = self.first.map(|i| i as i64);
        (-halo..ny + halo).flat_map(move |j| {
            (-halo..nx + halo).map(move |i| ([x + i, y + j, z + plane as i64 - halo], self.at([i, j, -halo])))
        })
    }

    /// The own point at an array index.
    pub fn point(&self, at: usize) -> [usize; 3] {
        let [_, row, plane] = self.stride;
        [at % row - GROUP, at % plane / row - self.halo, at / plane - self.halo]
    }

    /// Number of points along each axis at which any field is updated.
    pub fn extent(&self) -> [usize; 3] {
        [0, 1, 2].map(|axis| self.cells[axis] + self.extra[axis])
    }

    /// Number of points of a field along each axis that this block owns.
    pub fn count(&self, field: Field) -> [usize; 3] {
        let points = field.points();
        [0, 1, 2].map(|axis| match points[axis] {
            GridPoints::Whole => self.cells[axis] + self.extra[axis],
            GridPoints::Half => self.cells[axis],
        })
    }

    /// Number of groups in a row.
    pub fn groups(&self) -> usize {
        self.extent()[0].div_ceil(GROUP)
    }
}
