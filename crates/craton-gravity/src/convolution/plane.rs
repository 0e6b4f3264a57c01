//! Transforms of planes.
//!
//! Rows are transformed along x as real numbers, then columns along y, real and imaginary parts each by themselves: A and B. Of a column A + iB and A - iB are kept, at
//! half of the frequencies, which is as much as A + iB at all of them; spectra of convolutions are products of these, number by number.

use std::ops::Range;
use std::sync::Arc;

use rayon::prelude::*;
use realfft::num_complex::Complex64;
use realfft::{ComplexToReal, RealFftPlanner, RealToComplex};

use super::axis::Entry;

/// Columns that are transformed together, for a row brings neighbours along.
const BLOCK: usize = 8;

/// Transforms of planes of one size.
pub struct Plane {
    rows: Transform,
    columns: Transform,
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

/// Transforms along one axis.
struct Transform {
    length: usize,
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
}

impl Transform {
    fn new(planner: &mut RealFftPlanner<f64>, length: usize) -> Self {
        Self { length, forward: planner.plan_fft_forward(length), inverse: planner.plan_fft_inverse(length) }
    }

    /// Frequencies of a real line.
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

/// What a thread needs for a block of columns.
struct Scratch {
    /// Real parts of a column, imaginary ones, those of the next column ...
    parts: Vec<f64>,
    column: Vec<Complex64>,
    work: Vec<Complex64>,
}

impl Plane {
    /// Transforms of planes of even lengths along x and y.
    pub fn new([nx, ny]: [usize; 2]) -> Self {
        let mut planner = RealFftPlanner::new();
        Self { rows: Transform::new(&mut planner, nx), columns: Transform::new(&mut planner, ny) }
    }

    /// Numbers of a spectrum.
    pub fn len(&self) -> usize {
        self.rows.frequencies() * self.column_len()
    }

    /// Numbers of a spectrum's column.
    fn column_len(&self) -> usize {
        2 * self.columns.frequencies()
    }

    /// Transforms rows.
    ///
    /// # Arguments
    /// * `count` – of rows, and of the lines of each
    /// * `of_row` – what the lines of a row are made of
    /// * `fill` – is given that, the number of a line and what it has to fill, as left by others
    pub fn transform_rows<T>(
        &self,
        rows: &mut Rows,
        [count, lines]: [usize; 2],
        of_row: impl Fn(usize) -> T + Sync,
        fill: impl Fn(&T, usize, &mut [f64]) + Sync,
    ) {
        let frequencies = self.rows.frequencies();
        rows.lines = lines;
        rows.spectra.resize(count * lines * frequencies, Complex64::default());
        rows.squares.resize(count * lines, 0.0);
        let scratch = || (vec![0.0; self.rows.length], self.rows.forward.make_scratch_vec());
        let each = rows.spectra.par_chunks_mut(lines * frequencies).zip(rows.squares.par_chunks_mut(lines));
        each.enumerate().for_each_init(scratch, |(line, work), (row, (spectra, squares))| {
            let given = of_row(row);
            for (number, (spectrum, square)) in spectra.chunks_mut(frequencies).zip(squares).enumerate() {
                fill(&given, number, line);
                *square = square_of(line);
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
        let len = self.column_len();
        let mut planes: Vec<_> = spectra.into_iter().map(|spectrum| spectrum.chunks_mut(BLOCK * len)).collect();
        let blocks = 0..self.rows.frequencies().div_ceil(BLOCK);
        let blocks: Vec<Vec<&mut [Complex64]>> = blocks
            .map(|_| planes.iter_mut().map(|plane| plane.next().expect("as many blocks in all")).collect())
            .collect();
        blocks.into_par_iter().enumerate().for_each_init(
            || self.scratch(),
            |scratch, (block, mut spectra)| {
                for (number, line) in lines.iter().enumerate() {
                    let parts = scratch.parts.chunks_mut(self.columns.length);
                    parts.for_each(|part| part[gap.clone()].fill(0.0));
                    self.gather(rows, number, entries, line.is_odd, BLOCK * block, &mut scratch.parts);
                    for (column, spectrum) in spectra[line.into].chunks_mut(len).enumerate() {
                        self.column(scratch, column);
                        take([number, BLOCK * block + column], spectrum, &scratch.column);
                    }
                }
            },
        );
    }

    fn scratch(&self) -> Scratch {
        let work = self.columns.forward.get_scratch_len().max(self.columns.inverse.get_scratch_len());
        Scratch {
            parts: vec![0.0; 2 * BLOCK * self.columns.length],
            column: vec![Complex64::default(); self.column_len()],
            work: vec![Complex64::default(); work],
        }
    }

    /// Brings the parts of a block of columns of a line together.
    fn gather(&self, rows: &Rows, line: usize, entries: &[Entry], is_odd: bool, first: usize, parts: &mut [f64]) {
        let (frequencies, length) = (self.rows.frequencies(), self.columns.length);
        let width = BLOCK.min(frequencies - first);
        for entry in entries {
            let sign = if entry.is_mirrored && is_odd { -1.0 } else { 1.0 };
            let start = (entry.slot * rows.lines + line) * frequencies + first;
            for (number, value) in rows.spectra[start..start + width].iter().enumerate() {
                parts[2 * number * length + entry.at] = sign * value.re;
                parts[(2 * number + 1) * length + entry.at] = sign * value.im;
            }
        }
    }

    /// Transforms column `number` of a block.
    fn column(&self, scratch: &mut Scratch, number: usize) {
        let Scratch { parts, column, work } = scratch;
        let length = self.columns.length;
        let (re, im) = parts[2 * number * length..][..2 * length].split_at_mut(length);
        let (sums, differences) = column.split_at_mut(self.columns.frequencies());
        let work = &mut work[..self.columns.forward.get_scratch_len()];
        self.columns.forward(re, sums, work);
        self.columns.forward(im, differences, work);
        for (sum, difference) in sums.iter_mut().zip(differences) {
            let (a, b) = (*sum, *difference);
            *sum = Complex64::new(a.re - b.im, a.im + b.re);
            *difference = Complex64::new(a.re + b.im, a.im - b.re);
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
        let len = self.column_len();
        // Each column takes as much as its spectrum, at least: the frequencies of the lower half.
        spectrum.par_chunks_mut(len).for_each_init(|| self.scratch(), |scratch, column| self.lines(scratch, column));
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

    /// Puts a column's values where its spectrum stood.
    fn lines(&self, scratch: &mut Scratch, column: &mut [Complex64]) {
        let (sums, differences) = column.split_at_mut(self.columns.frequencies());
        for (sum, difference) in sums.iter_mut().zip(differences.iter_mut()) {
            let (z, w) = (0.5 * *sum, 0.5 * *difference);
            (*sum, *difference) = (z + w, Complex64::new(z.im - w.im, w.re - z.re));
        }
        let work = &mut scratch.work[..self.columns.inverse.get_scratch_len()];
        let (re, im) = scratch.parts[..2 * self.columns.length].split_at_mut(self.columns.length);
        self.columns.inverse(sums, re, work);
        self.columns.inverse(differences, im, work);
        for ((value, re), im) in column.iter_mut().zip(re).zip(im) {
            *value = Complex64::new(*re, *im);
        }
    }
}

/// Sum of squares, in eight parts that do not wait for each other.
fn square_of(line: &[f64]) -> f64 {
    let mut parts = [0.0; 8];
    for values in line.chunks(8) {
        parts.iter_mut().zip(values).for_each(|(part, value)| *part += value * value);
    }
    parts.into_iter().sum()
}
