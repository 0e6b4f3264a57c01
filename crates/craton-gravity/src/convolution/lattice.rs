//! Detection of prisms that are cells of one lattice.

use std::ops::Range;

use rayon::prelude::*;

use crate::Prisms;

/// Tolerance of coordinates, in sides of a cell.
const OFF: f64 = 1e-9;

/// Additional tolerance for rounding, in units in the last place of the coordinate; at most [`ROUNDED`] sides.
const ULPS: f64 = 4.0;
const ROUNDED: f64 = 1e-7;

/// With more than `FEW_LAYERS` layers, a lattice needs at least `FEW_CELLS` prisms per layer on average; with fewer, a convolution evaluates about as many
/// pairs as direct sums do.
const FEW_LAYERS: usize = 16;
const FEW_CELLS: usize = 4;

/// Prisms per parallel task.
const CHUNK: usize = 1 << 16;

/// Prisms that are cells of one lattice: equal sides along x and along y, offsets that are integer multiples of the sides, and layers of any thickness.
///
/// A cell of the lattice may hold no prism or several. Layers may overlap.
#[derive(Debug, Clone)]
pub struct Lattice<'a> {
    prisms: &'a Prisms,
    /// Lower bounds of the first cell along x and y [m].
    pub(super) first: [f64; 2],
    /// Sides of a cell along x and y [m].
    pub(super) side: [f64; 2],
    /// Number of cells along x and y.
    pub(super) count: [usize; 2],
    /// Layers in ascending order.
    pub(super) layers: Vec<Sheet>,
    /// Layer, cell within the layer (x fastest) and index of each prism, sorted.
    cells: Vec<[u32; 3]>,
}

/// A layer: prisms with the same bottom and top.
#[derive(Debug, Clone)]
pub(super) struct Sheet {
    /// Bottom and top [m].
    pub bounds: [f64; 2],
    /// Range of [`Lattice::cells`].
    cells: Range<usize>,
}

impl<'a> Lattice<'a> {
    /// Finds the lattice of the prisms, in parallel; the result does not depend on the number of threads.
    ///
    /// Bounds may deviate from the lattice by 1e-9 of a side plus four units in the last place of a coordinate, which allows for rounding of large map
    /// coordinates; they are then snapped to the lattice. Layers are distinguished by the exact values of bottom and top.
    ///
    /// # Returns
    /// `None` if the prisms do not form a lattice: no prisms, different sides, offsets that are not multiples of the sides, or more than 2^32 cells; also if
    /// there are so many layers with so few prisms each, such as columns below a topography, that a convolution is not worthwhile. Verified by
    /// `convolution::prisms_off_a_lattice_are_rejected`.
    pub fn of(prisms: &'a Prisms) -> Option<Self> {
        let [along_x, along_y, _] = prisms.extent(0..prisms.len());
        let (x, y) = (Places::of(prisms, 0, along_x)?, Places::of(prisms, 1, along_y)?);
        let count = [x.count, y.count];
        if u32::try_from(prisms.len()).is_err() || x.count.checked_mul(y.count)? > u32::MAX as usize {
            return None;
        }
        let heights = heights(prisms)?;
        let mut cells = vec![[0_u32; 3]; prisms.len()];
        cells.par_iter_mut().enumerate().try_for_each(|(prism, cell)| {
            let bounds = prisms.bounds(prism);
            let layer = heights.partition_point(|known| *known < bounds[2]);
            let place = y.index(bounds[1])? * x.count + x.index(bounds[0])?;
            *cell = [layer, place, prism].map(|number| number as u32);
            Some(())
        })?;
        cells.par_sort_unstable();
        let mut end = 0;
        let sheet = |(number, bounds)| {
            let start = end;
            end += cells[start..].partition_point(|&[layer, ..]| layer as usize == number);
            Sheet { bounds, cells: start..end }
        };
        let layers = heights.into_iter().enumerate().map(sheet).collect();
        Some(Self { prisms, first: [x.first, y.first], side: [x.side, y.side], count, layers, cells })
    }

    /// The prisms of the lattice.
    pub fn prisms(&self) -> &'a Prisms {
        self.prisms
    }

    /// Number of cells of a layer along x and y.
    pub fn count(&self) -> [usize; 2] {
        self.count
    }

    /// Number of layers.
    pub fn layers(&self) -> usize {
        self.layers.len()
    }

    /// The tolerance of [`Lattice::of`] for rounding of coordinates as large as these, in sides of a cell.
    pub fn rounding(&self) -> f64 {
        let along = |axis: usize| {
            let ends = [self.first[axis], self.first[axis] + self.count[axis] as f64 * self.side[axis]];
            rounded(self.side[axis], ends.into_iter().fold(0.0, |largest, end| end.abs().max(largest)))
                / self.side[axis]
        };
        along(0).max(along(1))
    }

    /// Fills `density` [kg/m³] with the densities of a row of cells along x.
    pub(super) fn density(&self, layer: &Sheet, row: usize, density: &mut Vec<f64>) {
        let first = row * self.count[0];
        density.clear();
        density.resize(self.count[0], 0.0);
        for (place, prism) in self.cells_at(layer, first..first + self.count[0]) {
            density[place - first] += self.prisms.density()[prism];
        }
    }

    /// Indices of the prisms of a layer in one cell, ascending.
    pub(super) fn prisms_at(&self, layer: &Sheet, place: usize) -> impl Iterator<Item = usize> {
        self.cells_at(layer, place..place + 1).map(|(_, prism)| prism)
    }

    /// Cells and prism indices of a layer for a range of cells, ascending.
    fn cells_at(&self, layer: &Sheet, places: Range<usize>) -> impl Iterator<Item = (usize, usize)> {
        let cells = &self.cells[layer.cells.clone()];
        let start = cells.partition_point(|&[_, place, _]| (place as usize) < places.start);
        let known = cells[start..].iter().map(|&[_, place, prism]| (place as usize, prism as usize));
        known.take_while(move |&(place, _)| place < places.end)
    }
}

/// Distinct pairs of bottom and top of all prisms, ascending; `None` if there are more than a lattice may have layers.
fn heights(prisms: &Prisms) -> Option<Vec<[f64; 2]>> {
    let most = FEW_LAYERS.max(prisms.len() / FEW_CELLS);
    let once = |mut heights: Vec<[f64; 2]>| {
        heights.sort_by(|a, b| a.partial_cmp(b).expect("bounds of prisms are finite"));
        heights.dedup();
        (heights.len() <= most).then_some(heights)
    };
    let of_chunk = |first: usize| {
        // Turns -0 into +0.
        let height = |prism| prisms.bounds(prism)[2].map(|z| z + 0.0);
        let mut heights: Vec<_> = (first..(first + CHUNK).min(prisms.len())).map(height).collect();
        heights.dedup();
        once(heights)
    };
    let chunks = (0..prisms.len()).into_par_iter().step_by(CHUNK).map(of_chunk);
    chunks.try_reduce(Vec::new, |a, b| once([a, b].concat()))
}

/// Positions of the cells along an axis.
struct Places {
    first: f64,
    side: f64,
    count: usize,
    /// Tolerance of a bound [m].
    off: f64,
}

impl Places {
    /// The common cell positions of all prisms, if there are any.
    ///
    /// # Arguments
    /// * `low`, `high` – extent of all prisms along the axis [m]
    fn of(prisms: &Prisms, axis: usize, [low, high]: [f64; 2]) -> Option<Self> {
        if prisms.is_empty() {
            return None;
        }
        let side = |prism| {
            let [from, to] = prisms.bounds(prism)[axis];
            to - from
        };
        let of_chunk = |first: usize| (first..(first + CHUNK).min(prisms.len())).map(side).sum();
        // Reduced in order, so that the sum does not depend on the number of threads.
        let parts: Vec<f64> = (0..prisms.len()).into_par_iter().step_by(CHUNK).map(of_chunk).collect();
        let sum: f64 = parts.iter().sum();
        // The extent gives the side more accurately than any single cell.
        let mean = sum / prisms.len() as f64;
        let count = ((high - low) / mean).round();
        if !(1.0..=f64::from(u32::MAX)).contains(&count) {
            return None;
        }
        let side = (high - low) / count;
        Some(Self { first: low, side, count: count as usize, off: tolerance(side, low.abs().max(high.abs())) })
    }

    /// Index of the cell with these bounds, if they lie on the lattice.
    fn index(&self, [low, high]: [f64; 2]) -> Option<usize> {
        let index = ((low - self.first) / self.side).round();
        let is_there = |bound: f64, index: f64| (bound - self.first - index * self.side).abs() <= self.off;
        (is_there(low, index) && is_there(high, index + 1.0)).then_some(index as usize)
    }
}

/// Tolerance of coordinates along an axis [m].
///
/// # Arguments
/// * `side` – side of a cell [m]; `largest` – largest absolute coordinate [m]
pub(super) fn tolerance(side: f64, largest: f64) -> f64 {
    OFF * side + rounded(side, largest)
}

/// The part of the tolerance that allows for rounding.
fn rounded(side: f64, largest: f64) -> f64 {
    (ULPS * f64::EPSILON * largest).min(ROUNDED * side)
}

#[cfg(test)]
mod tests {
    use craton_device::Workers;

    use super::*;
    use crate::Prism;

    #[test]
    fn cells_of_many_prisms_in_any_order_are_found_by_any_number_of_threads() {
        let count = [250, 240, 3];
        let all: usize = count.iter().product();
        assert!(all > 2 * CHUNK);
        let place = |prism: usize| prism * 7919 % all;
        let cell = |prism: usize| {
            let (i, j, k) = (place(prism) % 250, place(prism) / 250 % 240, place(prism) / 60_000);
            let [west, south, bottom] = [20.0 * i as f64 - 30.0, 16.0 * j as f64, -[7.0, 4.0, 0.0][k]];
            let top = [-4.0, 0.0, 1.0][k];
            Prism { west, east: west + 20.0, south, north: south + 16.0, bottom, top, density: 1.0 }
        };
        let prisms = Prisms::new((0..all).map(cell)).expect("sound prisms");
        for threads in [1, 3] {
            let workers = Workers::new(Some(threads)).expect("a few threads");
            let lattice = workers.run(|| Lattice::of(&prisms)).expect("a lattice");
            assert_eq!((lattice.first, lattice.side, lattice.count), ([-30.0, 0.0], [20.0, 16.0], [250, 240]));
            let bounds: Vec<_> = lattice.layers.iter().map(|layer| layer.bounds).collect();
            assert_eq!(bounds, [[-7.0, -4.0], [-4.0, 0.0], [0.0, 1.0]]);
            for (k, layer) in lattice.layers.iter().enumerate() {
                let known = lattice.cells_at(layer, 0..60_000);
                assert!(known.enumerate().all(|(n, (at, prism))| at == n && place(prism) == 60_000 * k + n));
                assert_eq!(lattice.cells_at(layer, 0..60_000).count(), 60_000);
            }
        }
    }
}
