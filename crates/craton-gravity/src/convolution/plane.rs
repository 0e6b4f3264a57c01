//! Transforms of planes.
//!
//! Rows are transformed along x as real numbers, which leaves half of the frequencies, then their columns along y as complex ones; spectra of convolutions are products
//! of these, number by number.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use realfft::num_complex::Complex64;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};
use rustfft::{Fft, FftPlanner};

use super::axis::Entry;

/// Columns that are transformed together, for a row brings neighbours along.
const BLOCK: usize = 8;

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

/// A line of all rows: a plane on its way.
pub struct Line {
    /// Whether rows that are mirrored change its sign.
    pub is_odd: bool,
    /// The number of the spectrum that it belongs to.
    pub into: usize,
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
        let mut planner = RealFftPlanner::new();
        Self { length, forward: planner.plan_fft_forward(length), inverse: planner.plan_fft_inverse(length) }
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
        let mut planner = FftPlanner::new();
        Self { length, forward: planner.plan_fft_forward(length), inverse: planner.plan_fft_inverse(length) }
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

    /// Transforms columns of row spectra, and gives each with the numbers of its spectrum at its place to `take`: a block of columns of all lines after the other, so
    /// that what lines share stays near.
    ///
    /// # Arguments
    /// * `entries`, `gap` – which row, by its slot, stands where, and where none does
    /// * `lines` – of the rows, in their order
    /// * `spectra` – what lines belong to
    /// * `take` – is given the numbers of the line and of the column besides
    pub fn transform_columns(
        &self,
        rows: &Rows,
        (entries, gap): (&[Entry], &Range<usize>),
        lines: &[Line],
        spectra: Vec<&mut [Complex64]>,
        take: impl Fn([usize; 2], &mut [Complex64], &[Complex64]) + Sync,
    ) {
        let len = self.columns.length;
        let mut planes: Vec<_> = spectra.into_iter().map(|spectrum| spectrum.chunks_mut(BLOCK * len)).collect();
        let blocks = 0..self.rows.frequencies().div_ceil(BLOCK);
        let blocks: Vec<Vec<&mut [Complex64]>> = blocks
            .map(|_| planes.iter_mut().map(|plane| plane.next().expect("as many blocks in all")).collect())
            .collect();
        blocks.into_par_iter().enumerate().for_each_init(
            || self.scratch(),
            |Scratch { columns, spectrum, work }, (block, mut sums)| {
                for (number, line) in lines.iter().enumerate() {
                    columns.chunks_mut(len).for_each(|column| column[gap.clone()].fill(Complex64::default()));
                    self.gather(rows, number, entries, line.is_odd, BLOCK * block, columns);
                    let each = columns.chunks_mut(len).zip(sums[line.into].chunks_mut(len));
                    for (at, (column, sum)) in each.enumerate() {
                        self.columns.forward.process_outofplace_with_scratch(column, spectrum, work);
                        take([number, BLOCK * block + at], sum, spectrum);
                    }
                }
            },
        );
    }

    fn scratch(&self) -> Scratch {
        Scratch {
            columns: vec![Complex64::default(); BLOCK * self.columns.length],
            spectrum: vec![Complex64::default(); self.columns.length],
            work: vec![Complex64::default(); self.columns.forward.get_outofplace_scratch_len()],
        }
    }

    /// Brings a block of columns of a line together.
    fn gather(
        &self,
        rows: &Rows,
        line: usize,
        entries: &[Entry],
        is_odd: bool,
        first: usize,
        columns: &mut [Complex64],
    ) {
        let (frequencies, length) = (self.rows.frequencies(), self.columns.length);
        let width = BLOCK.min(frequencies - first);
        for entry in entries {
            let sign = if entry.is_mirrored && is_odd { -1.0 } else { 1.0 };
            let start = (entry.slot * rows.lines + line) * frequencies + first;
            for (number, value) in rows.spectra[start..start + width].iter().enumerate() {
                columns[number * length + entry.at] = sign * value;
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
