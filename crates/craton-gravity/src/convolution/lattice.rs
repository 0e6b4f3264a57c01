//! Which prisms are cells of one lattice.

use std::collections::HashMap;

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
}

/// Prisms of the same bottom and top.
#[derive(Debug, Clone)]
pub(super) struct Sheet {
    /// Bottom and top [m].
    pub bounds: [f64; 2],
    /// Place, x fastest, in the upper half and number of the prism in the lower one, ascending.
    cells: Vec<u64>,
}

impl<'a> Lattice<'a> {
    /// The lattice that prisms stand on.
    ///
    /// Sides and places may be off by 1e-9 of a side, and by four units in the last place of a coordinate, for rounding of coordinates as large as those of maps;
    /// in either case what is computed is that of the places of the lattice. Layers are told apart by all bits of bottom and top.
    ///
    /// # Returns
    /// None where the prisms are no lattice: none at all, sides that differ, places in between, more than 2^32 places; or so many layers of so few prisms, as
    /// columns below a topography, that convolutions are of no use. Verified by `convolution::what_is_no_lattice_is_refused`.
    pub fn of(prisms: &'a Prisms) -> Option<Self> {
        let (x, y) = (Places::of(prisms, 0)?, Places::of(prisms, 1)?);
        let count = [x.count, y.count];
        if u32::try_from(prisms.len()).is_err() || x.count.checked_mul(y.count)? > u32::MAX as usize {
            return None;
        }
        let mut layers: Vec<Sheet> = Vec::new();
        let mut number_of: HashMap<[u64; 2], usize> = HashMap::new();
        for prism in 0..prisms.len() {
            let bounds = prisms.bounds(prism);
            let place = y.index(bounds[1])? * x.count + x.index(bounds[0])?;
            // Zero has two signs.
            let key = bounds[2].map(|z| (z + 0.0).to_bits());
            let layer = *number_of.entry(key).or_insert_with(|| {
                layers.push(Sheet { bounds: bounds[2], cells: Vec::new() });
                layers.len() - 1
            });
            if layers.len() > FEW_LAYERS.max(prisms.len() / FEW_CELLS) {
                return None;
            }
            layers[layer].cells.push((place as u64) << 32 | prism as u64);
        }
        layers.iter_mut().for_each(|layer| layer.cells.sort_unstable());
        layers.sort_by(|a, b| a.bounds.partial_cmp(&b.bounds).expect("bounds of prisms are finite"));
        Some(Self { prisms, first: [x.first, y.first], side: [x.side, y.side], count, layers })
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

    /// Densities of a layer at the places of a row along x [kg/m³].
    pub(super) fn density(&self, layer: &Sheet, row: usize) -> Vec<f64> {
        let place = |cell: &u64| (cell >> 32) as usize;
        let first = row * self.count[0];
        let start = layer.cells.partition_point(|cell| place(cell) < first);
        let mut density = vec![0.0; self.count[0]];
        for cell in layer.cells[start..].iter().take_while(|cell| place(cell) < first + self.count[0]) {
            density[place(cell) - first] += self.prisms.density()[*cell as u32 as usize];
        }
        density
    }
}

impl Sheet {
    /// The prisms at a place, in the order of their numbers.
    pub fn prisms_at(&self, place: usize) -> impl Iterator<Item = usize> {
        let start = self.cells.partition_point(|&cell| ((cell >> 32) as usize) < place);
        let here = self.cells[start..].iter().take_while(move |&&cell| (cell >> 32) as usize == place);
        here.map(|&cell| cell as u32 as usize)
    }
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
    fn of(prisms: &Prisms, axis: usize) -> Option<Self> {
        if prisms.is_empty() {
            return None;
        }
        let (mut low, mut high, mut sum) = (f64::INFINITY, f64::NEG_INFINITY, 0.0);
        for prism in 0..prisms.len() {
            let [from, to] = prisms.bounds(prism)[axis];
            (low, high, sum) = (low.min(from), high.max(to), sum + (to - from));
        }
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
    OFF * side + (ULPS * f64::EPSILON * largest).min(ROUNDED * side)
}
