//! Two-dimensional FFTs.
//!
//! Rows are transformed along x as real numbers, which leaves half of the frequencies, then columns along y as complex numbers. The spectrum of a convolution
//! is the elementwise product of two spectra.

use std::ops::Range;
use std::sync::Arc;

use craton_fft::Complex64;
use craton_fft::{ComplexPlanner, Fft};
use craton_fft::{ComplexToReal, RealPlanner, RealToComplex};
use rayon::prelude::*;

use super::axis::Entry;

/// Columns per block, which share cache lines of the rows; smaller blocks are used if there are too few for all threads.
const BLOCKS: [usize; 3] = [16, 8, 4];
/// Minimum number of blocks per thread.
const SHARE: usize = 4;

/// Transforms of planes of one size.
pub struct Plane {
    rows: OfRows,
    columns: OfColumns,
}

/// Spectra of rows along x; every row has one line per plane.
#[derive(Default)]
pub struct Rows {
    /// Lines per row.
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

/// A plane spectrum to which the transforms of some lines are added.
pub struct Sum<'a> {
    pub spectrum: &'a mut [Complex64],
    /// Indices of the lines.
    pub lines: Vec<usize>,
    /// Whether mirrored rows change sign.
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
    /// Plans transforms of an even length.
    fn new(length: usize) -> Self {
        let mut planner = RealPlanner::new();
        Self { length, forward: planner.forward(length), inverse: planner.inverse(length) }
    }

    /// Number of frequencies of a line.
    fn frequencies(&self) -> usize {
        self.length / 2 + 1
    }

    /// Transforms a line, which is overwritten.
    fn forward(&self, line: &mut [f64], spectrum: &mut [Complex64], scratch: &mut [Complex64]) {
        self.forward.process_with_scratch(line, spectrum, scratch).expect("buffers of the plan's lengths");
    }

    /// Unnormalised inverse transform of a spectrum, which is overwritten.
    fn inverse(&self, spectrum: &mut [Complex64], line: &mut [f64], scratch: &mut [Complex64]) {
        // Zero up to round-off, because the line is real.
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

/// Scratch memory of a thread for a block of columns.
struct Scratch {
    /// The columns, and the spectrum of one.
    columns: Vec<Complex64>,
    spectrum: Vec<Complex64>,
    work: Vec<Complex64>,
}

impl Plane {
    /// Plans transforms of planes with an even length along x and any length along y.
    pub fn new([nx, ny]: [usize; 2]) -> Self {
        Self { rows: OfRows::new(nx), columns: OfColumns::new(ny) }
    }

    /// Number of values of a spectrum.
    pub fn len(&self) -> usize {
        self.rows.frequencies() * self.columns.length
    }

    /// Transforms rows.
    ///
    /// # Arguments
    /// * `[count, lines]` – number of rows, and of lines per row
    /// * `of_row` – computes the input of all lines of a row into a reused buffer
    /// * `fill` – fills a line (with stale contents) from that input and the index of the line; returns the sum of its squares
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

    /// Transforms columns of row spectra and passes each with the matching column of its sum to `take`, the lines of a sum in order. Blocks of columns are
    /// processed for all sums in turn, so that shared data stay in the cache.
    ///
    /// # Arguments
    /// * `entries`, `gap` – position of each row, given by its slot, and the positions without a row
    /// * `take` – called with the indices of the line and of the column, the column of the sum, and the transformed column
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

    /// Columns per block for a given number of sums.
    fn width(&self, sums: usize) -> usize {
        let least = SHARE * rayon::current_num_threads();
        let is_enough = |width: &usize| sums * self.rows.frequencies().div_ceil(*width) >= least;
        BLOCKS.into_iter().find(is_enough).unwrap_or(BLOCKS[BLOCKS.len() - 1])
    }

    /// Stride between columns of a block: an odd number of cache lines, because powers of two would map to the same cache sets.
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

    /// Gathers a block of columns of a line.
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

    /// Inverse transform of the first rows of a plane from its spectrum, which is consumed.
    ///
    /// # Arguments
    /// * `count` – number of rows
    /// * `take` – called with the index of each row and its unnormalised values; its results are returned in order
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
