//! Accumulation of the spectra of the fields and third derivatives, layer by layer.

use craton_fft::Complex64;

use craton_device::{Isa, Kernel, Lanes, Scalar};

use super::axis::{Entry, Window};
use super::lattice::Sheet;
use super::plane::{Rows, Sum};
use super::quantity::{Quantities, Quantity};
use super::table::{RowOfFields, Table};
use super::{Bound, Convolution, LANES};
use crate::{Field, GRAVITATIONAL_CONSTANT};

/// Accumulated spectra of the quantities.
pub struct Sums<'a> {
    plan: &'a Convolution<'a>,
    quantities: Vec<Quantity>,
    /// One table per group of quantities.
    tables: Vec<Table>,
    /// Windows along x and y, grouped by train of cells.
    windows: [Vec<Window>; 2],
    rows: Rows,
    /// Spectra of the densities of the trains of cells along x.
    densities: Vec<Vec<Complex64>>,
    totals: Vec<Total>,
}

/// Accumulated spectrum of a quantity at a train of points.
struct Total {
    spectrum: Vec<Complex64>,
    /// Sum of the products of the norms of densities and fields.
    norms: f64,
    /// Number of accumulated products of spectra.
    terms: usize,
}

/// A train of cells with nonzero density, by its index along x.
struct Train {
    number: usize,
    /// Euclidean norm of its densities.
    norm: f64,
}

/// A train of cells and a train of points along x.
struct Pair<'a> {
    cells: &'a Train,
    window: &'a Window,
}

impl<'a> Sums<'a> {
    /// Empty sums.
    pub fn new(plan: &'a Convolution<'a>, quantities: Quantities) -> Self {
        let spectrum = || vec![Complex64::default(); plan.plane.len()];
        let [x, y] = &plan.axes;
        let fields: Vec<Field> = quantities.fields.iter().collect();
        let group = |group: &[Field]| Quantities::of(group.iter().copied().collect());
        let mut groups: Vec<Quantities> = fields.chunks(plan.fields_at_a_time(fields.len())).map(group).collect();
        if quantities.has_third {
            // Third derivatives share most of their work.
            groups.push(Quantities { has_third: true, ..group(&[]) });
        }
        let quantities: Vec<Quantity> = quantities.iter().collect();
        let count = quantities.len() * x.point_trains() * y.point_trains();
        Self {
            plan,
            tables: groups.into_iter().map(|group| Table::new(x, group)).collect(),
            quantities,
            windows: [x.windows(), y.windows()],
            rows: Rows::default(),
            densities: (0..x.cell_trains()).map(|_| spectrum()).collect(),
            totals: (0..count).map(|_| Total { spectrum: spectrum(), norms: 0.0, terms: 0 }).collect(),
        }
    }

    /// Adds a layer.
    pub fn add(&mut self, layer: &Sheet, isa: Isa) {
        if self.quantities.is_empty() {
            return;
        }
        let y = &self.plan.axes[1];
        for cells in 0..y.cell_trains() {
            let trains = self.transform_density(layer, cells, isa);
            for points in (0..y.point_trains()).filter(|_| !trains.is_empty()) {
                for group in 0..self.tables.len() {
                    self.add_fields(group, layer.bounds, &trains, [cells, points], isa);
                }
            }
        }
    }

    /// Adds a group of quantities of the cells of some trains along x and one train along y, at one train of points along y.
    fn add_fields(&mut self, group: usize, bounds: [f64; 2], trains: &[Train], [cells, points]: [usize; 2], isa: Isa) {
        let Self { plan, quantities, tables, windows: [windows, along_y], rows, densities, totals } = self;
        let Convolution { plane, axes, grid, .. } = plan;
        let ([x, y], table) = (axes, &tables[group]);
        let along_y = &along_y[cells * y.point_trains() + points];
        let of_train = |cells: &Train| windows[cells.number * x.point_trains()..][..x.point_trains()].iter();
        let pairs: Vec<Pair> =
            trains.iter().flat_map(|cells| of_train(cells).map(|window| Pair { cells, window })).collect();
        let (first, number) =
            (tables[..group].iter().map(|table| table.quantities().len()).sum(), table.quantities().len());
        plane.transform_rows(
            rows,
            [along_y.columns.len(), pairs.len() * number],
            |row, of_row| table.row(axes, bounds, grid.z, along_y.columns[row], isa, of_row),
            |of_row: &RowOfFields, line, place| {
                table.copy(of_row, line % number, pairs[line / number].window, place);
                f64::dispatch(isa, Squares(place))
            },
        );
        let of_train = x.point_trains() * quantities.len();
        let totals = &mut totals[points * of_train..][..of_train];
        let of_group =
            totals.chunks_mut(quantities.len()).map(|totals| totals[first..first + number].iter_mut().enumerate());
        let mut sums = Vec::with_capacity(x.point_trains() * number);
        for (points, totals) in of_group.enumerate() {
            for (field, total) in totals {
                let line = |train: usize| (train * x.point_trains() + points) * number + field;
                let lines: Vec<usize> = (0..trains.len()).map(line).collect();
                for (train, &line) in trains.iter().zip(&lines) {
                    let squares = rows.squares(line, along_y.entries.iter().map(|entry| entry.slot));
                    total.norms += train.norm * squares.sqrt();
                    total.terms += 1;
                }
                sums.push(Sum { spectrum: &mut total.spectrum, lines, is_odd: table.quantities()[field].is_odd(1) });
            }
        }
        plane.transform_columns(rows, (&along_y.entries, &along_y.gap), &mut sums, |[line, place], sum, column| {
            let density = &densities[pairs[line / number].cells.number][place * column.len()..];
            f64::dispatch(isa, Product { sum, column, density });
        });
    }

    /// Transforms the densities of all trains along x and one train along y; returns the trains with nonzero density.
    fn transform_density(&mut self, layer: &Sheet, cells: usize, isa: Isa) -> Vec<Train> {
        let Convolution { plane, axes: [x, y], lattice, .. } = self.plan;
        let rows: Vec<usize> = y.cells(cells).collect();
        let trains = x.cell_trains();
        plane.transform_rows(
            &mut self.rows,
            [rows.len(), trains],
            |row, density| lattice.density(layer, rows[row], density),
            |density: &Vec<f64>, train, line| {
                let cells = x.cells(train);
                line[cells.len()..].fill(0.0);
                line.iter_mut().zip(cells).for_each(|(value, cell)| *value = density[cell]);
                f64::dispatch(isa, Squares(line))
            },
        );
        let entries: Vec<Entry> = (0..rows.len()).map(|at| Entry { at, slot: at, is_mirrored: false }).collect();
        let of_train = |(number, spectrum)| Sum { spectrum, lines: vec![number], is_odd: false };
        plane.transform_columns(
            &self.rows,
            (&entries, &(rows.len()..y.length)),
            &mut self.densities.iter_mut().map(Vec::as_mut_slice).enumerate().map(of_train).collect::<Vec<_>>(),
            |_, spectrum, column| spectrum.copy_from_slice(column),
        );
        let train = |number| Train { number, norm: self.rows.squares(number, 0..rows.len()).sqrt() };
        (0..trains).map(train).filter(|train| train.norm > 0.0).collect()
    }

    /// Transforms back: the quantities at the points, in their order, and their round-off bounds.
    pub fn finish(self) -> (Vec<Vec<f64>>, Vec<f64>) {
        let Convolution { plane, axes: [x, y], grid, .. } = self.plan;
        let size = (x.length * y.length) as f64;
        let number = self.quantities.len();
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
        (values, bounds)
    }
}

/// Kernel that adds the elementwise product of two columns.
struct Product<'a> {
    sum: &'a mut [Complex64],
    column: &'a [Complex64],
    density: &'a [Complex64],
}

impl Kernel<f64> for Product<'_> {
    type Output = ();
    const DOUBLE: Isa = Isa::Avx512;

    // Plain loop: real and imaginary parts are interleaved, and the compiler vectorises it.
    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) {
        for ((sum, a), b) in self.sum.iter_mut().zip(self.column).zip(self.density) {
            sum.re += a.re * b.re - a.im * b.im;
            sum.im += a.re * b.im + a.im * b.re;
        }
    }
}

/// Kernel that sums the squares of a line, in independent partial sums.
struct Squares<'a>(&'a [f64]);

impl Kernel<f64> for Squares<'_> {
    type Output = f64;
    const DOUBLE: Isa = Isa::Avx512;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) -> f64 {
        const PARTS: usize = 4;
        let mut parts = [V::constant(0.0); PARTS];
        let chunks = self.0.chunks_exact(PARTS * V::COUNT);
        let rest = chunks.remainder().iter().map(|value| value * value);
        for values in chunks.clone() {
            for (n, part) in parts.iter_mut().enumerate() {
                let value = V::load(values, n * V::COUNT);
                *part = value.mul_add(value, *part);
            }
        }
        let mut sums = [0.0; LANES];
        ((parts[0] + parts[1]) + (parts[2] + parts[3])).store(&mut sums, 0);
        sums.into_iter().chain(rest).sum()
    }
}
