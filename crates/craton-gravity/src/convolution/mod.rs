//! Gravity of a lattice of prisms at the points of a level grid, as one FFT convolution per layer.
//!
//! `lattice.rs` detects whether prisms are cells of a lattice; `axis.rs` checks that the offsets between the cells and the points of a grid (`grid.rs`) take
//! few distinct values. For each layer, the fields of one cell at these offsets are computed row by row (`table.rs`), with the same formulae as direct sums,
//! and transformed. Their spectra are multiplied with those of the densities and accumulated over the layers (`sums.rs`, `plane.rs`), so that one inverse
//! transform per field suffices. The tensor of a cell that touches a point is added separately (`touching.rs`).

mod axis;
mod bound;
mod grid;
mod lattice;
mod magnetic;
mod plane;
mod quantity;
mod sums;
mod table;
mod touching;

use std::f64::consts::PI;

use craton_device::{Isa, Workers};

use crate::fields::Needs;
use crate::multipole::FAR;
use crate::{Fields, Gravity};
use axis::Axis;
use lattice::Sheet;
use plane::Plane;
use quantity::{PLACES, Quantities, THIRDS};
use sums::Sums;

pub use bound::Bound;
pub use grid::LevelGrid;
pub use lattice::Lattice;

/// A multiple of the vector width of every instruction set.
const LANES: usize = 16;

/// Largest number of fields processed at a time, and the fraction of near offsets above which all are processed together.
const GROUP: usize = 3;
const MOSTLY: f64 = 0.8;

/// A convolution plan for a lattice of prisms and a compatible level grid.
pub struct Convolution<'a> {
    lattice: &'a Lattice<'a>,
    grid: LevelGrid,
    /// Along x and y.
    axes: [Axis; 2],
    plane: Plane,
}

impl<'a> Convolution<'a> {
    /// Plans a convolution.
    ///
    /// Along each axis the ratio of cell side to point spacing must be a ratio of small integers, such as 1:n, n:1 or 2:3, with at most 64 points per cell,
    /// 4096 cells per point and 2^24 offsets. The position of the points relative to the cells and their height are arbitrary.
    ///
    /// # Returns
    /// `None` if the grid does not match the lattice within its tolerance (see [`Lattice::of`]), is empty or has coordinates that are not finite. Verified by
    /// `convolution::incompatible_grids_are_rejected`.
    pub fn new(lattice: &'a Lattice<'a>, grid: &LevelGrid) -> Option<Self> {
        if !grid.is_sound() {
            return None;
        }
        let axis = |axis: usize| {
            let cells = (lattice.first[axis], lattice.side[axis], lattice.count[axis]);
            Axis::new(cells, (grid.first[axis], grid.spacing[axis], grid.count[axis]))
        };
        let axes = [axis(0)?, axis(1)?];
        let plane = Plane::new(axes.each_ref().map(|axis| axis.length));
        Some(Self { lattice, grid: *grid, axes, plane })
    }

    /// How many of `number` fields to process at a time. The rows of few fields stay in the cache until their columns are transformed; but if most offsets are
    /// near, processing all fields together shares the logarithms and angles.
    fn fields_at_a_time(&self, number: usize) -> usize {
        let [x, y] = &self.axes;
        let half_diagonal = self.lattice.layers.iter().map(|layer| self.half_diagonal(layer)).fold(0.0, f64::max);
        let near = x.share_within(FAR * half_diagonal) * y.share_within(FAR * half_diagonal);
        let groups = if near > MOSTLY { 1 } else { number.div_ceil(GROUP) };
        number.div_ceil(groups.max(1)).max(1)
    }

    /// Half the diagonal of a cell of a layer [m].
    fn half_diagonal(&self, layer: &Sheet) -> f64 {
        let [x, y] = &self.axes;
        0.5 * [x.side, y.side, layer.bounds[1] - layer.bounds[0]].into_iter().fold(0.0, f64::hypot)
    }

    /// Approximate number of cells within a distance of `half_diagonals` half diagonals of a point: for each layer, the area of a disc over that of a cell.
    pub fn cells_within(&self, half_diagonals: f64) -> f64 {
        let [x, y] = &self.axes;
        let most = self.lattice.count.map(|count| count as f64).into_iter().product::<f64>();
        let of_layer = |layer: &Sheet| {
            let reach = half_diagonals * self.half_diagonal(layer);
            let above = self.grid.z - f64::midpoint(layer.bounds[0], layer.bounds[1]);
            let disc = PI * (reach * reach - above * above).max(0.0);
            (disc / (x.side * y.side)).min(most)
        };
        self.lattice.layers.iter().map(of_layer).sum()
    }

    /// Memory that [`Convolution::forward`] needs [bytes]. It does not depend on the number of layers; each thread adds a row of fields and 17 columns.
    pub fn bytes(&self, fields: Fields) -> u64 {
        self.bytes_of(Quantities::of(fields))
    }

    fn bytes_of(&self, quantities: Quantities) -> u64 {
        let [x, y] = &self.axes;
        let count = |numbers: [usize; 2]| numbers.map(|n| n as u64).into_iter().product::<u64>();
        let number = quantities.iter().count() as u64;
        let touching = if quantities.iter().any(quantity::Quantity::is_singular) { PLACES as u64 } else { 0 };
        let results = (number + touching) * self.grid.len() as u64;
        let of_fields = y.windows().iter().map(|window| window.columns.len()).max().unwrap_or(0) as u64;
        let trains = x.cell_trains() as u64;
        let of_third = if quantities.has_third { THIRDS.len() } else { 0 };
        let at_a_time = self.fields_at_a_time(quantities.fields.iter().count()).max(of_third) as u64;
        let lines = trains * (of_fields * x.point_trains() as u64 * at_a_time).max(y.cells(0).len() as u64);
        // Real and imaginary parts: of the totals, of the densities, of the rows.
        let spectra = number * count([x.point_trains(), y.point_trains()]) + trains;
        8 * (results + 2 * spectra * self.plane.len() as u64 + lines * (x.length as u64 + 3))
    }

    /// Transforms that [`Convolution::forward`] performs if no layer is empty: (length, number) of the real ones along x and of the complex ones along y.
    pub fn transforms(&self, fields: Fields) -> [(usize, u64); 2] {
        let [x, y] = &self.axes;
        let (layers, number) = (self.lattice.layers.len() as u64, fields.iter().count() as u64);
        let columns = x.length as u64 / 2 + 1;
        let [cells_x, cells_y] = [x, y].map(|axis| axis.cell_trains() as u64);
        let [points_x, points_y] = [x, y].map(|axis| axis.point_trains() as u64);
        let rows = self.rows();
        let of_densities = [cells_x * self.lattice.count[1] as u64, cells_x * cells_y * columns];
        let of_fields = [cells_x * points_x * rows as u64, cells_x * cells_y * points_x * points_y * columns];
        let inverse = [points_x * self.grid.count[1] as u64, points_x * points_y * columns];
        let total = |axis: usize| layers * (of_densities[axis] + number * of_fields[axis]) + number * inverse[axis];
        [(x.length, total(0)), (y.length, total(1))]
    }

    /// Estimated cost of [`Convolution::forward`], in equivalent floating-point operations of an FFT, comparable to [`Convolution::operations_of_sums`].
    pub fn operations(&self, fields: Fields) -> f64 {
        let [along_x, along_y] = self.transforms(fields).map(|(length, number)| {
            let n = length as f64;
            number as f64 * n * (2.5 * n.log2() + PLACE)
        });
        let pairs = (self.axes[0].offsets.len() * self.rows()) as f64;
        along_x + 2.0 * along_y + self.lattice.layers.len() as f64 * pairs * pair(fields)
    }

    /// Rows of offsets per layer, counted separately for each pair of trains along y.
    fn rows(&self) -> usize {
        self.axes[1].windows().iter().map(|window| window.columns.len()).sum()
    }

    /// Estimated cost of [`crate::forward`] for the same prisms and points.
    pub fn operations_of_sums(&self, fields: Fields) -> f64 {
        self.lattice.prisms().len() as f64 * self.grid.len() as f64 * pair(fields)
    }

    /// Gravity of the lattice at the points of the grid, with a [`Bound`] of its round-off. It equals [`crate::forward`] for prisms exactly on the lattice.
    ///
    /// The result is bit-identical for any number of threads. Verified by `convolution::results_are_bit_identical_for_any_number_of_threads`.
    /// Each pair has the ten digits of `forward`; further digits may differ, because opposite offsets share their fields. Verified by `convolution::convolutions_match_forward_on_any_grid`.
    ///
    /// # Arguments
    /// * `fields` – fields to compute
    /// * `isa` – instruction set; results of different ones may differ by round-off
    /// * `progress` – called after each layer with the fraction of all layers it represents; `false` cancels
    /// # Returns
    /// `None` if cancelled.
    /// # Domain and errors
    /// As for `forward`: on faces the tensor is the limit from outside, and values on edges and corners of prisms are NaN exactly where those of `forward` are.
    /// Verified by `convolution::points_on_prisms_match_forward`; adding the [`Limits`](crate::Limits) of the points of the grid is verified by
    /// `convolution::limits_apply_to_convolutions_as_to_sums`.
    /// # Panics
    /// If this processor lacks `isa`.
    pub fn forward(
        &self,
        fields: Fields,
        workers: &Workers,
        isa: Isa,
        progress: &(dyn Fn(f64) -> bool + Sync),
    ) -> Option<(Gravity, Bound)> {
        let (values, bounds) = self.convolve(Quantities::of(fields), workers, isa, progress)?;
        Some((Gravity::new(fields, values), Bound::new(fields, bounds)))
    }

    /// The quantities at the points of the grid, and their round-off bounds, in their order.
    fn convolve(
        &self,
        quantities: Quantities,
        workers: &Workers,
        isa: Isa,
        progress: &(dyn Fn(f64) -> bool + Sync),
    ) -> Option<(Vec<Vec<f64>>, Vec<f64>)> {
        workers.run(|| {
            let mut sums = Sums::new(self, quantities);
            for layer in &self.lattice.layers {
                sums.add(layer, isa);
                if !progress(1.0 / self.lattice.layers.len() as f64) {
                    return None;
                }
            }
            let (mut values, bounds) = sums.finish();
            touching::add(self, quantities, &mut values, isa);
            Some((values, bounds))
        })
    }
}

/// Cost of copying one value of a line in addition to its transform, in operations of a transform; measured, like the costs in [`pair`].
const PLACE: f64 = 10.0;

/// Cost of evaluating a cell at a near point, in operations of a transform; the same cost is assumed for far points.
fn pair(fields: Fields) -> f64 {
    let needs = Needs::of(fields);
    let [edges, angles] =
        [needs.edges, needs.angles].map(|needs| needs.into_iter().filter(|&need| need).count() as f64);
    40.0 + 30.0 * edges + 40.0 * angles
}
