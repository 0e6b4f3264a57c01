//! Which prisms are cells of one lattice.

use std::ops::Range;

use rayon::prelude::*;

use crate::Prisms;

/// How far a place may be off, in sides of a cell.
const OFF: f64 = 1e-9;

/// What rounding may do to a place besides, in units in the last place of the coordinate; never more than [`ROUNDED`] of a side.
const ULPS: f64 = 4.0;
const ROUNDED: f64 = 1e-7;

/// Layers up to which it does not matter how few prisms each has, and the number of prisms per layer that more of them must have on the average: with fewer
/// a convolution evaluates about as many pairs as plain sums do.
const FEW_LAYERS: usize = 16;
const FEW_CELLS: usize = 4;

/// Prisms that a thread takes at a time.
const CHUNK: usize = 1 << 16;

/// Prisms that are cells of one lattice: of equal sides along x and along y, at places that are whole numbers of sides apart, in layers of any thickness.
///
/// Not all places of the lattice need a prism, and some may have several. Layers may overlap.
#[derive(Debug, Clone)]
pub struct Lattice<'a> {
    prisms: &'a Prisms,
    /// Lower bounds of the first cell along x and y [m].
    pub(super) first: [f64; 2],
    /// Sides of a cell along x and y [m].
    pub(super) side: [f64; 2],
    /// Places along x and y.
    pub(super) count: [usize; 2],
    /// From the lowest to the highest.
    pub(super) layers: Vec<Sheet>,
    /// Layer, place in it, x fastest, and number of each prism, ascending.
    cells: Vec<[u32; 3]>,
}

/// Prisms of the same bottom and top.
#[derive(Debug, Clone)]
pub(super) struct Sheet {
    /// Bottom and top [m].
    pub bounds: [f64; 2],
    /// Which cells of the lattice they are.
    cells: Range<usize>,
}

impl<'a> Lattice<'a> {
    /// The lattice that prisms stand on, by all threads of the team; it does not depend on their number.
    ///
    /// Sides and places may be off by 1e-9 of a side, and by four units in the last place of a coordinate, for rounding of coordinates as large as those of maps;
    /// in either case what is computed is that of the places of the lattice. Layers are told apart by all bits of bottom and top.
    ///
    /// # Returns
    /// None where the prisms are no lattice: none at all, sides that differ, places in between, more than 2^32 places; or so many layers of so few prisms, as
    /// columns below a topography, that convolutions are of no use. Verified by `convolution::what_is_no_lattice_is_refused`.
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

    /// The prisms it is made of.
    pub fn prisms(&self) -> &'a Prisms {
        self.prisms
    }

    /// Places of a layer along x and y.
    pub fn count(&self) -> [usize; 2] {
        self.count
    }

    /// Number of layers.
    pub fn layers(&self) -> usize {
        self.layers.len()
    }

    /// How far coordinates as large as these may be rounded, in sides of a cell: what [`Lattice::of`] allows for that.
    pub fn rounding(&self) -> f64 {
        let along = |axis: usize| {
            let ends = [self.first[axis], self.first[axis] + self.count[axis] as f64 * self.side[axis]];
            rounded(self.side[axis], ends.into_iter().fold(0.0, |largest, end| end.abs().max(largest)))
                / self.side[axis]
        };
        along(0).max(along(1))
    }

    /// Puts the densities of a layer at the places of a row along x into `density` [kg/m³].
    pub(super) fn density(&self, layer: &Sheet, row: usize, density: &mut Vec<f64>) {
        let first = row * self.count[0];
        density.clear();
        density.resize(self.count[0], 0.0);
        for (place, prism) in self.cells_at(layer, first..first + self.count[0]) {
            density[place - first] += self.prisms.density()[prism];
        }
    }

    /// The prisms of a layer at a place, in the order of their numbers.
    pub(super) fn prisms_at(&self, layer: &Sheet, place: usize) -> impl Iterator<Item = usize> {
        self.cells_at(layer, place..place + 1).map(|(_, prism)| prism)
    }

    /// Places and numbers of the prisms of a layer at a run of places, ascending.
    fn cells_at(&self, layer: &Sheet, places: Range<usize>) -> impl Iterator<Item = (usize, usize)> {
        let cells = &self.cells[layer.cells.clone()];
        let start = cells.partition_point(|&[_, place, _]| (place as usize) < places.start);
        let known = cells[start..].iter().map(|&[_, place, prism]| (place as usize, prism as usize));
        known.take_while(move |&(place, _)| place < places.end)
    }
}

/// Bottoms and tops of all prisms, each pair once, ascending; none where there are more of them than a lattice may have layers.
fn heights(prisms: &Prisms) -> Option<Vec<[f64; 2]>> {
    let most = FEW_LAYERS.max(prisms.len() / FEW_CELLS);
    let once = |mut heights: Vec<[f64; 2]>| {
        heights.sort_by(|a, b| a.partial_cmp(b).expect("bounds of prisms are finite"));
        heights.dedup();
        (heights.len() <= most).then_some(heights)
    };
    let of_chunk = |first: usize| {
        // Zero has two signs.
        let height = |prism| prisms.bounds(prism)[2].map(|z| z + 0.0);
        let mut heights: Vec<_> = (first..(first + CHUNK).min(prisms.len())).map(height).collect();
        heights.dedup();
        once(heights)
    };
    let chunks = (0..prisms.len()).into_par_iter().step_by(CHUNK).map(of_chunk);
    chunks.try_reduce(Vec::new, |a, b| once([a, b].concat()))
}

/// Places of cells along an axis.
struct Places {
    first: f64,
    side: f64,
    count: usize,
    /// How far a bound may be off [m].
    off: f64,
}

impl Places {
    /// What all prisms agree on, if they do.
    ///
    /// # Arguments
    /// * `low`, `high` – of all bounds along the axis [m]
    fn of(prisms: &Prisms, axis: usize, [low, high]: [f64; 2]) -> Option<Self> {
        if prisms.is_empty() {
            return None;
        }
        let side = |prism| {
            let [from, to] = prisms.bounds(prism)[axis];
            to - from
        };
        let of_chunk = |first: usize| (first..(first + CHUNK).min(prisms.len())).map(side).sum();
        // Parts in their order: so the sum is the same for any number of threads.
        let parts: Vec<f64> = (0..prisms.len()).into_par_iter().step_by(CHUNK).map(of_chunk).collect();
        let sum: f64 = parts.iter().sum();
        // The extent tells the side better than any cell.
        let mean = sum / prisms.len() as f64;
        let count = ((high - low) / mean).round();
        if !(1.0..=f64::from(u32::MAX)).contains(&count) {
            return None;
        }
        let side = (high - low) / count;
        Some(Self { first: low, side, count: count as usize, off: tolerance(side, low.abs().max(high.abs())) })
    }

    /// Where on the lattice bounds stand, if they do.
    fn index(&self, [low, high]: [f64; 2]) -> Option<usize> {
        let index = ((low - self.first) / self.side).round();
        let is_there = |bound: f64, index: f64| (bound - self.first - index * self.side).abs() <= self.off;
        (is_there(low, index) && is_there(high, index + 1.0)).then_some(index as usize)
    }
}

/// How far places along an axis may be off [m].
///
/// # Arguments
/// * `side` – of a cell [m]; `largest` – coordinate [m]
pub(super) fn tolerance(side: f64, largest: f64) -> f64 {
    OFF * side + rounded(side, largest)
}

/// The part of it that is for rounding.
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
