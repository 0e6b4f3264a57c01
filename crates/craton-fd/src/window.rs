//! Windows of a grid: the cells whose material a rank holds, and the points of a frame.

use std::ops::Range;

use craton_sim::PartExchange;

use crate::boundary::Boundaries;
use crate::cut::Cut;
use crate::grid::Grid;
use crate::layout::Layout;

/// The Cartesian product of some indices of cells or points along each axis.
#[derive(Debug, Clone)]
pub struct Window {
    /// The indices, ascending.
    indices: [Vec<usize>; 3],
    /// Position of each index of the grid among them, or `u32::MAX`.
    places: [Vec<u32>; 3],
}

/// Approximate maximum number of points of a brick; a device gathers one brick at a time.
pub const LARGEST: usize = 1 << 21;

/// A box of contiguous points of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Brick {
    /// Local indices of the first point.
    pub first: [usize; 3],
    /// Number of points along each axis.
    pub size: [usize; 3],
}

impl Brick {
    /// Number of points.
    pub fn len(&self) -> usize {
        self.size.iter().product()
    }

    /// Number of rows along x.
    pub fn rows(&self) -> usize {
        self.size[1] * self.size[2]
    }

    /// First point of a row.
    pub fn row(&self, number: usize) -> [usize; 3] {
        let Self { first: [i, j, k], size: [_, ny, _] } = *self;
        [i, j + number % ny, k + number / ny]
    }
}

impl Window {
    /// All cells of a grid.
    pub fn whole(grid: &Grid) -> Self {
        Self::new(grid.cells, |axis, held| held[..grid.cells[axis]].fill(true))
    }

    /// The cells of the parts of a rank and of their halos; indices beyond the ends of an axis wrap around.
    pub fn distributed(grid: &Grid, cut: &Cut, exchange: &PartExchange) -> Self {
        Self::new(grid.cells, |axis, held| {
            let n = grid.cells[axis] as i64;
            for Layout { first, cells, halo, .. } in exchange.own().map(|part| cut.layout(part)) {
                let (first, margin) = (first[axis] as i64, halo as i64 + 1);
                let around = first - margin..first + cells[axis] as i64 + margin;
                around.for_each(|i| held[i.rem_euclid(n) as usize] = true);
            }
        })
    }

    /// The points of some cells with a margin on either side; indices beyond the ends of a periodic axis wrap around.
    pub fn around(grid: &Grid, boundaries: &Boundaries, cells: &[Range<usize>; 3], margin: usize) -> Self {
        let points = [0, 1, 2].map(|axis| grid.cells[axis] + boundaries.extra(axis));
        Self::new(points, |axis, held| {
            let (n, margin) = (held.len() as i64, margin as i64);
            for i in cells[axis].start as i64 - margin..=cells[axis].end as i64 + margin {
                let i = if boundaries.is_periodic(axis) { i.rem_euclid(n) } else { i };
                if (0..n).contains(&i) {
                    held[i as usize] = true;
                }
            }
        })
    }

    fn new(lengths: [usize; 3], mark: impl Fn(usize, &mut [bool])) -> Self {
        let indices = [0, 1, 2].map(|axis| {
            let mut held = vec![false; lengths[axis]];
            mark(axis, &mut held);
            (0..held.len()).filter(|&i| held[i]).collect::<Vec<usize>>()
        });
        let places = [0, 1, 2].map(|axis| {
            let mut places = vec![u32::MAX; lengths[axis]];
            indices[axis].iter().enumerate().for_each(|(place, &i)| places[i] = place as u32);
            places
        });
        Self { indices, places }
    }

    /// The points of a block that are in the window, including those at the upper sides of the grid.
    pub fn bricks(&self, block: &Layout) -> Vec<Brick> {
        self.bricks_of(block, LARGEST)
    }

    /// As [`Self::bricks`], with about `largest` points per brick.
    fn bricks_of(&self, block: &Layout, largest: usize) -> Vec<Brick> {
        let runs = [0, 1, 2].map(|axis| {
            let first = block.first[axis];
            let own = self.indices[axis].iter().filter_map(|&i| i.checked_sub(first));
            let own: Vec<usize> = own.filter(|&i| i < block.extent()[axis]).collect();
            own.chunk_by(|a, b| a + 1 == *b).map(|run| (run[0], run.len())).collect::<Vec<_>>()
        });
        let [x, y, z] = &runs;
        let mut bricks = Vec::new();
        for (&(k, nz), &(j, ny), &(i, nx)) in
            z.iter().flat_map(|z| y.iter().flat_map(move |y| x.iter().map(move |x| (z, y, x))))
        {
            let planes = (largest / (nx * ny)).max(1);
            let brick = |k: usize, end: usize| Brick { first: [i, j, k], size: [nx, ny, planes.min(end - k)] };
            bricks.extend((k..k + nz).step_by(planes).map(|first| brick(first, k + nz)));
        }
        bricks
    }

    /// Indices along each axis.
    pub fn indices(&self) -> &[Vec<usize>; 3] {
        &self.indices
    }

    /// Number of cells or points.
    pub fn len(&self) -> usize {
        self.indices.iter().map(Vec::len).product()
    }

    /// Number of cells of a row along x.
    pub fn row_len(&self) -> usize {
        self.indices[0].len()
    }

    /// The cells of a row along x.
    pub fn row(&self, number: usize) -> impl Iterator<Item = [usize; 3]> + '_ {
        let [x, y, z] = &self.indices;
        let (j, k) = (y[number % y.len()], z[number / y.len()]);
        x.iter().map(move |&i| [i, j, k])
    }

    /// Linear index of a cell or point in the window, x fastest.
    ///
    /// # Panics
    /// If it is not in the window.
    pub fn place(&self, cell: [usize; 3]) -> usize {
        self.find(cell).unwrap_or_else(|| panic!("{cell:?} is outside the window"))
    }

    /// Linear index of a cell or point, or `None` if it is not in the window.
    pub fn find(&self, cell: [usize; 3]) -> Option<usize> {
        let [i, j, k] = [0, 1, 2].map(|axis| self.places[axis][cell[axis]]);
        let [nx, ny, _] = [0, 1, 2].map(|axis| self.indices[axis].len());
        (i != u32::MAX && j != u32::MAX && k != u32::MAX).then(|| i as usize + nx * (j as usize + ny * k as usize))
    }
}

/// Run-length encodes kinds of cells for other ranks: number of cells times four plus the kind.
pub fn runs(kinds: impl Iterator<Item = u8>) -> Vec<u64> {
    let mut runs: Vec<u64> = Vec::new();
    for kind in kinds {
        match runs.last_mut().filter(|run| **run & 3 == u64::from(kind)) {
            Some(run) => *run += 4,
            None => runs.push(4 | u64::from(kind)),
        }
    }
    runs
}

/// Decodes the result of [`runs`].
pub fn kinds(runs: &[u64]) -> impl Iterator<Item = u8> + '_ {
    runs.iter().flat_map(|&run| std::iter::repeat_n((run & 3) as u8, (run >> 2) as usize))
}

/// The cells of a block, x fastest.
pub fn cells(layout: &Layout) -> impl Iterator<Item = [usize; 3]> + use<> {
    let range = |axis: usize| layout.first[axis]..layout.first[axis] + layout.cells[axis];
    let [x, y, z]: [Range<usize>; 3] = [range(0), range(1), range(2)];
    z.flat_map(move |k| {
        let x = x.clone();
        y.clone().flat_map(move |j| x.clone().map(move |i| [i, j, k]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::boundary::Side;

    #[test]
    fn bricks_of_all_parts_contain_each_point_once() {
        let grid = Grid { origin: [0.0; 3], spacing: [1.0; 3], cells: [12, 10, 9] };
        let mut boundaries = Boundaries::all(Side::Free);
        boundaries.sides[2..4].fill(Side::Periodic);
        // Around the end of the periodic axis, beyond the lower side, and to the upper side, which has one more point than cells.
        let window = Window::around(&grid, &boundaries, &[0..3, 9..10, 6..9], 2);
        let [x, y, z] = window.indices();
        assert_eq!(
            (&x[..], &y[..], &z[..]),
            (&[0, 1, 2, 3, 4, 5][..], &[0, 1, 2, 7, 8, 9][..], &[4, 5, 6, 7, 8, 9][..])
        );
        let cut = Cut::new(&grid, &boundaries, 2, [2, 2, 2]).unwrap();
        for largest in [1, 10, LARGEST] {
            let mut found = vec![0; window.len()];
            for layout in (0..cut.count()).map(|part| cut.layout(part)) {
                for brick in window.bricks_of(&layout, largest) {
                    assert!(brick.len() <= largest.max(brick.size[0] * brick.size[1]));
                    for (row, along) in (0..brick.rows()).flat_map(|row| (0..brick.size[0]).map(move |i| (row, i))) {
                        let [i, j, k] = brick.row(row);
                        let local = [i + along, j, k];
                        found[window.place([0, 1, 2].map(|axis| layout.first[axis] + local[axis]))] += 1;
                    }
                }
            }
            assert!(found.iter().all(|&count| count == 1), "{largest}");
        }
        assert_eq!(window.find([6, 0, 4]), None);
    }
}
