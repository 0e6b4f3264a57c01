//! Spectra of the sums, layer by layer.

use realfft::num_complex::Complex64;

use craton_device::{Isa, Kernel, Lanes, Scalar};

use super::axis::{Entry, Window};
use super::lattice::Sheet;
use super::plane::{Line, Rows};
use super::table::{Table, is_odd};
use super::{Bound, Convolution};
use crate::{Field, Fields, GRAVITATIONAL_CONSTANT};

/// Sums of fields over the layers so far.
pub struct Sums<'a> {
    plan: &'a Convolution<'a>,
    fields: Vec<Field>,
    table: Table,
    /// Along x and y, those of a train of cells after the other.
    windows: [Vec<Window>; 2],
    rows: Rows,
    /// Of the trains of cells along x.
    densities: Vec<Vec<Complex64>>,
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

/// A train of cells with densities, by its number along x.
struct Train {
    number: usize,
    /// Root of the sum of the squares of its densities.
    norm: f64,
}

/// A train of cells and one of points, along x.
struct Pair<'a> {
    cells: &'a Train,
    points: usize,
    window: &'a Window,
}

impl<'a> Sums<'a> {
    /// Nothing yet.
    pub fn new(plan: &'a Convolution<'a>, fields: Fields) -> Self {
        let spectrum = || vec![Complex64::default(); plan.plane.len()];
        let [x, y] = &plan.axes;
        let count = fields.iter().count() * x.point_trains() * y.point_trains();
        Self {
            plan,
            fields: fields.iter().collect(),
            table: Table::new(x, fields),
            windows: [x.windows(), y.windows()],
            rows: Rows::default(),
            densities: (0..x.cell_trains()).map(|_| spectrum()).collect(),
            totals: (0..count).map(|_| Total { spectrum: spectrum(), norms: 0.0, terms: 0 }).collect(),
        }
    }

    /// Adds a layer.
    pub fn add(&mut self, layer: &Sheet, isa: Isa) {
        if self.fields.is_empty() {
            return;
        }
        let y = &self.plan.axes[1];
        for cells in 0..y.cell_trains() {
            let trains = self.transform_density(layer, cells, isa);
            for points in (0..y.point_trains()).filter(|_| !trains.is_empty()) {
                self.add_trains(layer.bounds, &trains, [cells, points], isa);
            }
        }
    }

    /// Adds what the cells of some trains along x and of one along y do at a train of points along y.
    fn add_trains(&mut self, bounds: [f64; 2], trains: &[Train], [cells, points]: [usize; 2], isa: Isa) {
        let Self { plan, fields, table, windows: [windows, along_y], rows, densities, totals } = self;
        let Convolution { plane, axes, grid, .. } = plan;
        let ([x, y], number) = (axes, fields.len());
        let along_y = &along_y[cells * y.point_trains() + points];
        let mut pairs = Vec::with_capacity(trains.len() * x.point_trains());
        for cells in trains {
            let own = windows[cells.number * x.point_trains()..][..x.point_trains()].iter().enumerate();
            pairs.extend(own.map(|(points, window)| Pair { cells, points, window }));
        }
        plane.transform_rows(
            rows,
            [along_y.columns.len(), pairs.len() * number],
            |row, values| table.row(axes, bounds, grid.z, along_y.columns[row], isa, values),
            |values: &Vec<f64>, line, place| {
                table.copy(values, line % number, pairs[line / number].window, place);
                f64::dispatch(isa, Squares(place))
            },
        );
        let of = |line: usize| {
            let into = pairs[line / number].points * number + line % number;
            Line { is_odd: is_odd(fields[line % number], 1), into }
        };
        let lines: Vec<Line> = (0..pairs.len() * number).map(of).collect();
        let totals = &mut totals[points * x.point_trains() * number..][..x.point_trains() * number];
        for (at, line) in lines.iter().enumerate() {
            let squares = rows.squares(at, along_y.entries.iter().map(|entry| entry.slot));
            totals[line.into].norms += pairs[at / number].cells.norm * squares.sqrt();
            totals[line.into].terms += 1;
        }
        plane.transform_columns(
            rows,
            (&along_y.entries, &along_y.gap),
            &lines,
            totals.iter_mut().map(|total| &mut total.spectrum[..]).collect(),
            |[line, place], sum, column| {
                let density = &densities[pairs[line / number].cells.number][place * column.len()..];
                f64::dispatch(isa, Product { sum, column, density });
            },
        );
    }

    /// Transforms the densities of the trains along x and of one along y, and returns those that have any.
    fn transform_density(&mut self, layer: &Sheet, cells: usize, isa: Isa) -> Vec<Train> {
        let Convolution { plane, axes: [x, y], lattice, .. } = self.plan;
        let rows: Vec<usize> = y.cells(cells).collect();
        let trains = x.cell_trains();
        plane.transform_rows(
            &mut self.rows,
            [rows.len(), trains],
            |row, density| *density = lattice.density(layer, rows[row]),
            |density: &Vec<f64>, train, line| {
                let cells = x.cells(train);
                line[cells.len()..].fill(0.0);
                line.iter_mut().zip(cells).for_each(|(value, cell)| *value = density[cell]);
                f64::dispatch(isa, Squares(line))
            },
        );
        let entries: Vec<Entry> = (0..rows.len()).map(|at| Entry { at, slot: at, is_mirrored: false }).collect();
        let lines: Vec<Line> = (0..trains).map(|into| Line { is_odd: false, into }).collect();
        plane.transform_columns(
            &self.rows,
            (&entries, &(rows.len()..y.length)),
            &lines,
            self.densities.iter_mut().map(Vec::as_mut_slice).collect(),
            |_, spectrum, column| spectrum.copy_from_slice(column),
        );
        let train = |number| Train { number, norm: self.rows.squares(number, 0..rows.len()).sqrt() };
        (0..trains).map(train).filter(|train| train.norm > 0.0).collect()
    }

    /// Fields at the points, in the order of their places, with what round-off may be in each.
    pub fn finish(self) -> (Vec<Vec<f64>>, Bound) {
        let Convolution { plane, axes: [x, y], grid, .. } = self.plan;
        let size = (x.length * y.length) as f64;
        let number = self.fields.len();
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
        (values, Bound::new(self.fields.into_iter().collect(), bounds))
    }
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

/// The kernel: the sum of the squares of a line, in parts that do not wait for each other.
struct Squares<'a>(&'a [f64]);

impl Kernel<f64> for Squares<'_> {
    type Output = f64;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) -> f64 {
        let mut parts = [0.0; 32];
        for values in self.0.chunks(32) {
            parts.iter_mut().zip(values).for_each(|(part, value)| *part += value * value);
        }
        parts.into_iter().sum()
    }
}
