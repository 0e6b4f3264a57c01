//! Gravity of a lattice of prisms at the points of a level grid: a convolution per layer, done by fast Fourier transforms.
//!
//! `lattice.rs` finds out whether prisms are cells of a lattice, `axis.rs` whether points of a grid (`grid.rs`) see them at few offsets. For each layer the fields of one
//! cell at those offsets are computed row by row (`table.rs`), by the forms that sums are made of, and transformed at once; their spectra times that of the densities are
//! added (`sums.rs`, `plane.rs`). The transforms are linear: one inverse for each field in the end. Where a point touches a cell its tensor does not pass through them (`touching.rs`).

mod axis;
mod bound;
mod grid;
mod lattice;
mod plane;
mod sums;
mod table;
mod touching;

use std::f64::consts::PI;

use craton_device::{Isa, Workers};

use crate::fields::Needs;
use crate::multipole::FAR;
use crate::{Field, Fields, Gravity};
use axis::Axis;
use lattice::Sheet;
use plane::Plane;
use sums::Sums;

pub use bound::Bound;
pub use grid::LevelGrid;
pub use lattice::Lattice;

/// Whole lanes of every instruction set.
const LANES: usize = 16;

/// Fields that are on their way at a time, at most, and the share of near offsets from which on all are.
const GROUP: usize = 3;
const MOSTLY: f64 = 0.8;

/// A lattice of prisms and a level grid of points that see it at few offsets.
pub struct Convolution<'a> {
    lattice: &'a Lattice<'a>,
    grid: LevelGrid,
    /// Along x and y.
    axes: [Axis; 2],
    plane: Plane,
}

impl<'a> Convolution<'a> {
    /// The plan of a convolution.
    ///
    /// Along each axis sides of cells and spacings of points must be as small whole numbers to each other: 1 to n and n to 1 as well as 2 to 3. The number of points per cell
    /// goes up to 64, that of cells per point to 4096, that of offsets to 2^24. It does not matter where between the cells the points stand, nor at what height.
    ///
    /// # Returns
    /// None where the grid does not fit to the lattice within its tolerance ([`Lattice::of`]), has no points or places that are no numbers.
    /// Verified by `convolution::grids_that_do_not_fit_are_refused`.
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

    /// Of so many fields, how many are on their way at a time. Caches hold the rows of few until columns are made of them; but where most offsets are near, all fields
    /// together share their logarithms and angles.
    fn together(&self, number: usize) -> usize {
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

    /// About how many cells a point sees within so many of their half diagonals: of each layer what a disc holds.
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

    /// Memory that [`Convolution::forward`] takes [bytes], whatever the number of layers and, but for a row of fields and 17 columns each, threads.
    pub fn bytes(&self, fields: Fields) -> u64 {
        let [x, y] = &self.axes;
        let count = |numbers: [usize; 2]| numbers.map(|n| n as u64).into_iter().product::<u64>();
        let number = fields.iter().count() as u64;
        let touching = if fields.iter().any(touching::is_tensor) { Field::ALL.len() as u64 } else { 0 };
        let results = (number + touching) * self.grid.len() as u64;
        let of_fields = y.windows().iter().map(|window| window.columns.len()).max().unwrap_or(0) as u64;
        let trains = x.cell_trains() as u64;
        let together = self.together(number as usize) as u64;
        let lines = trains * (of_fields * x.point_trains() as u64 * together).max(y.cells(0).len() as u64);
        // Real and imaginary parts: of the totals, of the densities, of the rows.
        let spectra = number * count([x.point_trains(), y.point_trains()]) + trains;
        8 * (results + 2 * spectra * self.plane.len() as u64 + lines * (x.length as u64 + 3))
    }

    /// Transforms that [`Convolution::forward`] makes, if no layer is empty: (length, number) of real ones along x and of complex ones along y.
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

    /// What [`Convolution::forward`] costs, in the unit of [`Convolution::operations_of_sums`]: that many floating-point operations of a transform.
    pub fn operations(&self, fields: Fields) -> f64 {
        let [along_x, along_y] = self.transforms(fields).map(|(length, number)| {
            let n = length as f64;
            number as f64 * n * (2.5 * n.log2() + PLACE)
        });
        let pairs = (self.axes[0].offsets.len() * self.rows()) as f64;
        along_x + 2.0 * along_y + self.lattice.layers.len() as f64 * pairs * pair(fields)
    }

    /// Rows of offsets of a layer, those of each pair of trains along y by themselves.
    fn rows(&self) -> usize {
        self.axes[1].windows().iter().map(|window| window.columns.len()).sum()
    }

    /// What [`crate::forward`] would cost for the same prisms and points.
    pub fn operations_of_sums(&self, fields: Fields) -> f64 {
        self.lattice.prisms().len() as f64 * self.grid.len() as f64 * pair(fields)
    }

    /// Gravity of the lattice at the points of the grid, as [`crate::forward`] has it where all places are those of the lattice, with a [`Bound`] of the round-off by which
    /// it may differ.
    ///
    /// The result has the same bits for any number of threads. Verified by `convolution::threads_change_no_bit`. Pairs have the ten digits of `forward`, though not
    /// always the same further ones, as opposite offsets share their fields. Verified by `convolution::sums_are_those_of_forward_whatever_the_grid`.
    ///
    /// # Arguments
    /// * `fields` – what is computed
    /// * `isa` – the instruction set; another one may change the last bits
    /// * `progress` – is told after each layer which share of all layers it is; whether to go on
    /// # Returns
    /// None if `progress` said no.
    /// # Domain and errors
    /// As those of `forward`: on faces the tensor is that seen from outside; NaN, on edges and corners of prisms, stands where `forward` has it, and nowhere else.
    /// Verified by `convolution::points_on_prisms_have_what_forward_has`; what [`Limits`](crate::Limits) of the grid's own points add by
    /// `convolution::limits_complete_a_convolution_as_they_do_sums`.
    /// # Panics
    /// If this processor lacks `isa`.
    pub fn forward(
        &self,
        fields: Fields,
        workers: &Workers,
        isa: Isa,
        progress: &(dyn Fn(f64) -> bool + Sync),
    ) -> Option<(Gravity, Bound)> {
        workers.run(|| {
            let mut sums = Sums::new(self, fields);
            for layer in &self.lattice.layers {
                sums.add(layer, isa);
                if !progress(1.0 / self.lattice.layers.len() as f64) {
                    return None;
                }
            }
            let (mut values, bound) = sums.finish();
            touching::add(self, fields, &mut values, isa);
            Some((Gravity::new(fields, values), bound))
        })
    }
}

/// What moving a number of a line to and fro costs beside its transform, in operations of a transform. Measured, as those of [`pair`].
const PLACE: f64 = 10.0;

/// What a pair of a cell and a point near each other costs, in operations of a transform; others are taken to cost as much.
fn pair(fields: Fields) -> f64 {
    let needs = Needs::of(fields);
    let [edges, angles] =
        [needs.edges, needs.angles].map(|needs| needs.into_iter().filter(|&need| need).count() as f64);
    40.0 + 30.0 * edges + 40.0 * angles
}
