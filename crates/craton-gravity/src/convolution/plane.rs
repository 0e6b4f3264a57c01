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
    rows: Line,
    columns: Line,
}

/// Rows of a plane along x, each with its spectrum.
#[derive(Default)]
pub struct Rows {
    spectra: Vec<Complex64>,
    /// Sum of the squares of each row.
    pub squares: Vec<f64>,
}

/// Transforms along one axis.
struct Line {
    length: usize,
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
}

impl Line {
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
        Self { rows: Line::new(&mut planner, nx), columns: Line::new(&mut planner, ny) }
    }

    /// Numbers of a spectrum.
    pub fn len(&self) -> usize {
        self.rows.frequencies() * self.column_len()
    }

    /// Numbers of a spectrum's column.
    fn column_len(&self) -> usize {
        2 * self.columns.frequencies()
    }

    /// Transforms rows. `fill` is given the number of each and what it has to fill, as left by others.
    pub fn transform_rows(&self, rows: &mut Rows, count: usize, fill: impl Fn(usize, &mut [f64]) + Sync) {
        let frequencies = self.rows.frequencies();
        rows.spectra.resize(count * frequencies, Complex64::default());
        rows.squares.resize(count, 0.0);
        let scratch = || (vec![0.0; self.rows.length], self.rows.forward.make_scratch_vec());
        let each = rows.spectra.par_chunks_mut(frequencies).zip(&mut rows.squares);
        each.enumerate().for_each_init(scratch, |(line, work), (number, (spectrum, square))| {
            fill(number, line);
            *square = square_of(line);
            self.rows.forward(line, spectrum, work);
        });
    }

    /// Transforms columns of row spectra, and gives each with the numbers of `spectrum` at its place to `take`.
    ///
    /// # Arguments
    /// * `entries`, `gap` – which row, by its slot, stands where, and where none does
    /// * `is_odd` – whether rows that are mirrored change their sign
    pub fn transform_columns(
        &self,
        rows: &Rows,
        (entries, gap): (&[Entry], &Range<usize>),
        is_odd: bool,
        spectrum: &mut [Complex64],
        take: impl Fn(usize, &mut [Complex64], &[Complex64]) + Sync,
    ) {
        let len = self.column_len();
        let blocks = spectrum.par_chunks_mut(BLOCK * len).enumerate();
        blocks.for_each_init(
            || self.scratch(),
            |scratch, (block, spectra)| {
                let parts = scratch.parts.chunks_mut(self.columns.length);
                parts.for_each(|part| part[gap.clone()].fill(0.0));
                self.gather(rows, entries, is_odd, BLOCK * block, &mut scratch.parts);
                for (number, spectrum) in spectra.chunks_mut(len).enumerate() {
                    self.column(scratch, number);
                    take(BLOCK * block + number, spectrum, &scratch.column);
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

    /// Brings the parts of a block of columns together.
    fn gather(&self, rows: &Rows, entries: &[Entry], is_odd: bool, first: usize, parts: &mut [f64]) {
        let (frequencies, length) = (self.rows.frequencies(), self.columns.length);
        let width = BLOCK.min(frequencies - first);
        for entry in entries {
            let sign = if entry.is_mirrored && is_odd { -1.0 } else { 1.0 };
            let start = entry.slot * frequencies + first;
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
