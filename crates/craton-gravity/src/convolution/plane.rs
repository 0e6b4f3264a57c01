//! Transforms of planes.
//!
//! Rows are transformed along x as real numbers, which leaves half of the frequencies, then their columns along y as complex ones; spectra of convolutions are products
//! of these, number by number.

use std::ops::Range;
use std::sync::Arc;

use craton_fft::Complex64;
use craton_fft::{ComplexPlanner, Fft};
use craton_fft::{ComplexToReal, RealPlanner, RealToComplex};
use rayon::prelude::*;

use super::axis::Entry;

/// Columns that are transformed together, for a row brings neighbours along: fewer where threads would have too little to share.
const BLOCKS: [usize; 3] = [16, 8, 4];
/// Blocks of columns for each thread.
const SHARE: usize = 4;

/// Transforms of planes of one size.
pub struct Plane {
    rows: OfRows,
    columns: OfColumns,
}

/// Rows of several planes along x, each of a line for each plane, with their spectra.
#[derive(Default)]
pub struct Rows {
    /// Lines of a row.
    lines: usize,
    /// `[row][line][frequency]`.
    spectra: Vec<Complex64>,
    /// Sum of the squares of each line, `[row][line]`.
    squares: Vec<f64>,
}

impl Rows {
    /// Sum of the squares of a line of some rows.
    pub fn squares(&self, line: usize, rows: impl Iterator<Item = usize>) -> f64 {
        rows.map(|row| self.squares[row * self.lines + line]).sum()
    }
}

/// What some lines of all rows, planes on their way, are added to.
pub struct Sum<'a> {
    pub spectrum: &'a mut [Complex64],
    /// Their numbers.
    pub lines: Vec<usize>,
    /// Whether rows that are mirrored change their signs.
    pub is_odd: bool,
}

/// A block of columns of a sum.
struct Block<'a> {
    /// Its first column.
    first: usize,
    spectrum: &'a mut [Complex64],
    lines: &'a [usize],
    is_odd: bool,
}

/// Transforms of real numbers along x.
struct OfRows {
    length: usize,
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
}

/// Transforms of complex numbers along y.
struct OfColumns {
    length: usize,
    forward: Arc<dyn Fft<f64>>,
    inverse: Arc<dyn Fft<f64>>,
}

impl OfRows {
    /// Of lines of an even length.
    fn new(length: usize) -> Self {
        let mut planner = RealPlanner::new();
        Self { length, forward: planner.forward(length), inverse: planner.inverse(length) }
    }

    /// Frequencies of a line.
    fn frequencies(&self) -> usize {
        self.length / 2 + 1
    }

    /// Transforms a line, which is used up.
    fn forward(&self, line: &mut [f64], spectrum: &mut [Complex64], scratch: &mut [Complex64]) {
        self.forward.process_with_scratch(line, spectrum, scratch).expect("buffers of the plan's lengths");
    }

    /// The line of a spectrum times its length. The spectrum is used up.
    fn inverse(&self, spectrum: &mut [Complex64], line: &mut [f64], scratch: &mut [Complex64]) {
        // Round-off, as the line is real.
        spectrum[0].im = 0.0;
        spectrum[self.length / 2].im = 0.0;
        self.inverse.process_with_scratch(spectrum, line, scratch).expect("buffers of the plan's lengths");
    }
}

impl OfColumns {
    fn new(length: usize) -> Self {
        let mut planner = ComplexPlanner::new();
        Self { length, forward: planner.forward(length), inverse: planner.inverse(length) }
    }
}

/// What a thread needs for a block of columns.
struct Scratch {
    /// The columns, and the spectrum of one.
    columns: Vec<Complex64>,
    spectrum: Vec<Complex64>,
    work: Vec<Complex64>,
}

impl Plane {
    /// Transforms of planes of an even length along x, and of any length along y.
    pub fn new([nx, ny]: [usize; 2]) -> Self {
        Self { rows: OfRows::new(nx), columns: OfColumns::new(ny) }
    }

    /// Numbers of a spectrum.
    pub fn len(&self) -> usize {
        self.rows.frequencies() * self.columns.length
    }

    /// Transforms rows.
    ///
    /// # Arguments
    /// * `count` – of rows, and of the lines of each
    /// * `of_row` – makes what the lines of a row are made of, out of that of another row
    /// * `fill` – is given it, the number of a line and what it has to fill, as left by others; returns the sum of its squares
    pub fn transform_rows<T: Default>(
        &self,
        rows: &mut Rows,
        [count, lines]: [usize; 2],
        of_row: impl Fn(usize, &mut T) + Sync,
        fill: impl Fn(&T, usize, &mut [f64]) -> f64 + Sync,
    ) {
        let frequencies = self.rows.frequencies();
        rows.lines = lines;
        rows.spectra.resize(count * lines * frequencies, Complex64::default());
        rows.squares.resize(count * lines, 0.0);
        let scratch = || (T::default(), vec![0.0; self.rows.length], self.rows.forward.make_scratch_vec());
        let each = rows.spectra.par_chunks_mut(lines * frequencies).zip(rows.squares.par_chunks_mut(lines));
        each.enumerate().for_each_init(scratch, |(given, line, work), (row, (spectra, squares))| {
            of_row(row, given);
            for (number, (spectrum, square)) in spectra.chunks_mut(frequencies).zip(squares).enumerate() {
                *square = fill(given, number, line);
                self.rows.forward(line, spectrum, work);
            }
        });
    }

    /// Transforms columns of row spectra, and gives each with the numbers of its sum at its place to `take`, lines of a sum in their order: a block of columns of all
    /// sums after the other, so that what they share stays near.
    ///
    /// # Arguments
    /// * `entries`, `gap` – which row, by its slot, stands where, and where none does
    /// * `take` – is given the numbers of the line and of the column besides
    pub fn transform_columns(
        &self,
        rows: &Rows,
        (entries, gap): (&[Entry], &Range<usize>),
        sums: &mut [Sum],
        take: impl Fn([usize; 2], &mut [Complex64], &[Complex64]) + Sync,
    ) {
        let (len, stride) = (self.columns.length, self.stride());
        let width = self.width(sums.len());
        let mut blocks = Vec::with_capacity(sums.len() * self.rows.frequencies().div_ceil(width));
        for Sum { spectrum, lines, is_odd } in sums {
            for (block, spectrum) in spectrum.chunks_mut(width * len).enumerate() {
                blocks.push(Block { first: block * width, spectrum, lines: &*lines, is_odd: *is_odd });
            }
        }
        blocks.sort_by_key(|block| block.first);
        blocks.into_par_iter().for_each_init(
            || self.scratch(width),
            |Scratch { columns, spectrum, work }, block| {
                for &line in block.lines {
                    columns.chunks_mut(stride).for_each(|column| column[gap.clone()].fill(Complex64::default()));
                    self.gather(rows, line, entries, &block, columns);
                    let each = columns.chunks_mut(stride).zip(block.spectrum.chunks_mut(len));
                    for (at, (column, sum)) in each.enumerate() {
                        self.columns.forward.process_outofplace_with_scratch(&mut column[..len], spectrum, work);
                        take([line, block.first + at], sum, spectrum);
                    }
                }
            },
        );
    }

    /// Columns of a block where there are so many sums.
    fn width(&self, sums: usize) -> usize {
        let least = SHARE * rayon::current_num_threads();
        let is_enough = |width: &usize| sums * self.rows.frequencies().div_ceil(*width) >= least;
        BLOCKS.into_iter().find(is_enough).unwrap_or(BLOCKS[BLOCKS.len() - 1])
    }

    /// From a column of a block to the next: an odd number of cache lines, for those of powers of two would all want the same places of a cache.
    fn stride(&self) -> usize {
        const OF_LINE: usize = 64 / size_of::<Complex64>();
        OF_LINE * (self.columns.length.div_ceil(OF_LINE) | 1)
    }

    fn scratch(&self, width: usize) -> Scratch {
        Scratch {
            columns: vec![Complex64::default(); width * self.stride()],
            spectrum: vec![Complex64::default(); self.columns.length],
            work: vec![Complex64::default(); self.columns.forward.get_outofplace_scratch_len()],
        }
    }

    /// Brings a block of columns of a line together.
    fn gather(&self, rows: &Rows, line: usize, entries: &[Entry], block: &Block, columns: &mut [Complex64]) {
        let (frequencies, stride) = (self.rows.frequencies(), self.stride());
        let width = block.spectrum.len() / self.columns.length;
        for entry in entries {
            let sign = if entry.is_mirrored && block.is_odd { -1.0 } else { 1.0 };
            let start = (entry.slot * rows.lines + line) * frequencies + block.first;
            let (fours, rest) = rows.spectra[start..start + width].as_chunks::<4>();
            let mut columns = columns[entry.at..].chunks_mut(4 * stride);
            for (values, columns) in fours.iter().zip(&mut columns) {
                columns[0] = sign * values[0];
                columns[stride] = sign * values[1];
                columns[2 * stride] = sign * values[2];
                columns[3 * stride] = sign * values[3];
            }
            for (value, column) in rest.iter().zip(columns.flat_map(|columns| columns.iter_mut().step_by(stride))) {
                *column = sign * value;
            }
        }
    }

    /// The first rows of a plane from its spectrum, which is used up.
    ///
    /// # Arguments
    /// * `count` – how many; `take` – is given the number of each and its values, times the number of places of the plane; what it returns comes in their order
    pub fn inverse<T: Send>(
        &self,
        mut spectrum: Vec<Complex64>,
        count: usize,
        take: impl Fn(usize, &[f64]) -> T + Sync,
    ) -> Vec<T> {
        let len = self.columns.length;
        let inverse = &self.columns.inverse;
        let work = || vec![Complex64::default(); inverse.get_inplace_scratch_len()];
        spectrum.par_chunks_mut(len).for_each_init(work, |work, column| inverse.process_with_scratch(column, work));
        let frequencies = self.rows.frequencies();
        let scratch = || {
            let work = self.rows.inverse.make_scratch_vec();
            (vec![Complex64::default(); frequencies], vec![0.0; self.rows.length], work)
        };
        let row = |(along, line, work): &mut (Vec<Complex64>, Vec<f64>, Vec<Complex64>), number: usize| {
            for (value, column) in along.iter_mut().zip(spectrum.chunks(len)) {
                *value = column[number];
            }
            self.rows.inverse(along, line, work);
            take(number, line)
        };
        (0..count).into_par_iter().map_init(scratch, row).collect()
    }
}
