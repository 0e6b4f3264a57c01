//! The cells whose material a rank holds: those of its blocks and their halos.

use std::ops::Range;

use craton_sim::Crew;

use crate::cut::Cut;
use crate::grid::Grid;
use crate::layout::Layout;

/// Cells of a grid: some indices along each axis, and all of their combinations.
#[derive(Debug, Clone)]
pub struct Window {
    /// The indices.
    indices: [Vec<usize>; 3],
    /// Where each index of the grid stands among them.
    places: [Vec<u32>; 3],
}

impl Window {
    /// All cells.
    pub fn whole(grid: &Grid) -> Self {
        Self::new(grid, |axis, held| held[..grid.cells[axis]].fill(true))
    }

    /// Those of the parts of a rank, with their halos: beyond the ends of an axis they are at its other end.
    pub fn of_crew(grid: &Grid, cut: &Cut, crew: &Crew) -> Self {
        Self::new(grid, |axis, held| {
            let n = grid.cells[axis] as i64;
            for Layout { first, cells, halo, .. } in crew.own().map(|part| cut.layout(part)) {
                let (first, halo) = (first[axis] as i64, halo as i64);
                let around = first - halo..first + cells[axis] as i64 + halo;
                around.for_each(|i| held[i.rem_euclid(n) as usize] = true);
            }
        })
    }

    fn new(grid: &Grid, mark: impl Fn(usize, &mut [bool])) -> Self {
        let indices = [0, 1, 2].map(|axis| {
            let mut held = vec![false; grid.cells[axis]];
            mark(axis, &mut held);
            (0..held.len()).filter(|&i| held[i]).collect::<Vec<usize>>()
        });
        let places = [0, 1, 2].map(|axis| {
            let mut places = vec![u32::MAX; grid.cells[axis]];
            indices[axis].iter().enumerate().for_each(|(place, &i)| places[i] = place as u32);
            places
        });
        Self { indices, places }
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.indices.iter().map(Vec::len).product()
    }

    /// Cells of a row along x.
    pub fn row_len(&self) -> usize {
        self.indices[0].len()
    }

    /// The cells of a row along x.
    pub fn row(&self, number: usize) -> impl Iterator<Item = [usize; 3]> + '_ {
        let [x, y, z] = &self.indices;
        let (j, k) = (y[number % y.len()], z[number / y.len()]);
        x.iter().map(move |&i| [i, j, k])
    }

    /// Place of a cell, x fastest.
    ///
    /// # Panics
    /// If it is not held.
    pub fn place(&self, cell: [usize; 3]) -> usize {
        let [i, j, k] = [0, 1, 2].map(|axis| self.places[axis][cell[axis]] as usize);
        let [nx, ny, _] = [0, 1, 2].map(|axis| self.indices[axis].len());
        assert!(i < nx && j < ny, "cell {cell:?} is held by another rank");
        i + nx * (j + ny * k)
    }
}

/// Kinds of cells as runs, for other ranks: number of cells times four, and the kind.
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

/// The kinds of the runs that [`runs`] gave.
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
