//! Spectra of the sums, layer by layer.

use realfft::num_complex::Complex64;

use craton_device::{Isa, Kernel, Lanes, Scalar};

use super::axis::{Entry, Window};
use super::lattice::Sheet;
use super::plane::Rows;
use super::table::{Table, is_odd};
use super::{Bound, Convolution};
use crate::{Fields, GRAVITATIONAL_CONSTANT};

/// Sums of fields over the layers so far.
pub struct Sums<'a> {
    plan: &'a Convolution<'a>,
    fields: Fields,
    table: Table,
    rows: Rows,
    density: Vec<Complex64>,
    totals: Vec<Total>,
}

/// A field at a train of points.
struct Total {
    spectrum: Vec<Complex64>,
    /// Sum of the products of the norms of densities and fields.
    norms: f64,
    /// Products of spectra added.
    terms: usize,
}

impl<'a> Sums<'a> {
    /// Nothing yet.
    pub fn new(plan: &'a Convolution<'a>, fields: Fields) -> Self {
        let total = || Total { spectrum: vec![Complex64::default(); plan.plane.len()], norms: 0.0, terms: 0 };
        let [x, y] = &plan.axes;
        let count = fields.iter().count() * x.point_trains() * y.point_trains();
        Self {
            plan,
            fields,
            table: Table::new(x, y, fields),
            rows: Rows::default(),
            density: vec![Complex64::default(); plan.plane.len()],
            totals: (0..count).map(|_| total()).collect(),
        }
    }

    /// Adds a layer.
    pub fn add(&mut self, layer: &Sheet, isa: Isa) {
        let plan = self.plan;
        self.table.fill(&plan.axes, layer.bounds, plan.grid.z, isa);
        let density = plan.lattice.density(layer);
        let trains = plan.axes.each_ref().map(|axis| axis.cell_trains());
        for train in 0..trains[0] * trains[1] {
            self.add_train(&density, [train % trains[0], train / trains[0]], isa);
        }
    }

    /// Adds the cells of a layer that belong to a train along x and one along y.
    fn add_train(&mut self, density: &[f64], cells: [usize; 2], isa: Isa) {
        let Convolution { plane, axes, .. } = self.plan;
        let norm = self.transform_density(density, cells);
        if norm == 0.0 {
            return;
        }
        let [x, y] = axes;
        let mut totals = self.totals.iter_mut();
        for train_y in 0..y.point_trains() {
            let along_y = y.window(cells[1], train_y);
            for train_x in 0..x.point_trains() {
                let along_x = x.window(cells[0], train_x);
                for (number, field) in self.fields.iter().enumerate() {
                    let total = totals.next().expect("one for each pair of trains and field");
                    let row = |row: usize, line: &mut [f64]| {
                        self.table.copy(along_y.columns[row], number, &along_x, line);
                    };
                    plane.transform_rows(&mut self.rows, along_y.columns.len(), row);
                    total.norms += norm * norm_of(&self.rows, &along_y);
                    total.terms += 1;
                    let (rows, density) = (&self.rows, &self.density);
                    let add = |number: usize, sum: &mut [Complex64], column: &[Complex64]| {
                        let density = &density[number * column.len()..];
                        f64::dispatch(isa, Product { sum, column, density });
                    };
                    plane.transform_columns(
                        rows,
                        (&along_y.entries, &along_y.gap),
                        is_odd(field, 1),
                        &mut total.spectrum,
                        add,
                    );
                }
            }
        }
    }

    /// Transforms the densities of trains, and returns their norm.
    fn transform_density(&mut self, density: &[f64], cells: [usize; 2]) -> f64 {
        let Convolution { plane, axes: [x, y], lattice, .. } = self.plan;
        let rows: Vec<usize> = y.cells(cells[1]).collect();
        plane.transform_rows(&mut self.rows, rows.len(), |row, line| {
            let density = &density[rows[row] * lattice.count[0]..];
            let cells = x.cells(cells[0]);
            line[cells.len()..].fill(0.0);
            line.iter_mut().zip(cells).for_each(|(value, cell)| *value = density[cell]);
        });
        let entries: Vec<Entry> = (0..rows.len()).map(|at| Entry { at, slot: at, is_mirrored: false }).collect();
        plane.transform_columns(
            &self.rows,
            (&entries, &(rows.len()..y.length)),
            false,
            &mut self.density,
            |_, spectrum, column| {
                spectrum.copy_from_slice(column);
            },
        );
        self.rows.squares.iter().sum::<f64>().sqrt()
    }

    /// Fields at the points, in the order of their places, with what round-off may be in each.
    pub fn finish(self) -> (Vec<Vec<f64>>, Bound) {
        let Convolution { plane, axes: [x, y], grid, .. } = self.plan;
        let size = (x.length * y.length) as f64;
        let number = self.fields.iter().count();
        let mut values = vec![vec![0.0; grid.len()]; number];
        let mut bounds = vec![0.0_f64; number];
        for (place, total) in self.totals.into_iter().enumerate() {
            let (field, train) = (place % number, place / number);
            let trains = [train % x.point_trains(), train / x.point_trains()];
            let factor = Bound::factor(size, total.terms);
            bounds[field] = bounds[field].max(GRAVITATIONAL_CONSTANT * factor * total.norms);
            let scale = GRAVITATIONAL_CONSTANT / size;
            let columns = x.points(trains[0]);
            let take =
                |_: usize, line: &[f64]| -> Vec<f64> { line[..columns.len()].iter().map(|v| scale * v).collect() };
            let lines = plane.inverse(total.spectrum, y.points(trains[1]).len(), take);
            for (row, line) in y.points(trains[1]).zip(lines) {
                columns
                    .clone()
                    .zip(line)
                    .for_each(|(column, value)| values[field][row * grid.count[0] + column] = value);
            }
        }
        (values, Bound::new(self.fields, bounds))
    }
}

/// Norm of the fields of a cell at all offsets of a window.
fn norm_of(rows: &Rows, along_y: &Window) -> f64 {
    along_y.entries.iter().map(|entry| rows.squares[entry.slot]).sum::<f64>().sqrt()
}

/// The kernel: adds the product of two columns, number by number.
struct Product<'a> {
    sum: &'a mut [Complex64],
    column: &'a [Complex64],
    density: &'a [Complex64],
}

impl Kernel<f64> for Product<'_> {
    type Output = ();

    // No lanes, for real and imaginary parts alternate: the compiler arranges them.
    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) {
        for ((sum, a), b) in self.sum.iter_mut().zip(self.column).zip(self.density) {
            sum.re += a.re * b.re - a.im * b.im;
            sum.im += a.re * b.im + a.im * b.re;
        }
    }
}
