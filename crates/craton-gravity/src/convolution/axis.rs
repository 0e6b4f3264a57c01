//! Lattice and grid along one axis: which offsets there are between points and cells, and in what order convolutions take them.
//!
//! With a cell's side a·g and a spacing b·g of the points, a and b without a common divisor, the offset from point p to cell i is that of both first ones and
//! (a i - b p) g. Cells are dealt to b *trains*, each of every b-th cell, points to a trains: from train to train all steps are a·b·g, so that the sum of each pair of
//! trains is a plain convolution, and every offset belongs to one pair only.

use std::ops::Range;

use super::lattice::tolerance;
use super::touching::{may_touch, outside};

/// Largest a.
const FINEST: usize = 64;
/// Largest b.
const COARSEST: usize = 4096;

/// Most offsets along an axis.
const OFFSETS: usize = 1 << 24;
/// Steps from lattice to grid up to which all are counted without rounding.
const COUNTED: f64 = 1e15;

/// One axis of a lattice and a grid.
#[derive(Debug, Clone)]
pub struct Axis {
    cells: usize,
    points: usize,
    /// a and b, the numbers of trains of points and of cells.
    ratio: [usize; 2],
    /// Side of a cell [m].
    pub side: f64,
    /// Length of the transforms.
    pub length: usize,
    /// From a point to the lower bound of a cell [m], for each column of the table.
    pub offsets: Vec<f64>,
    columns: Columns,
}

/// Which column of the table an offset has.
#[derive(Debug, Clone, Copy)]
enum Columns {
    /// One for each offset, from this one on.
    All { first: i64 },
    /// One for offsets of either sign: the centres of cells are (2 n + shift) g / 2 away, and `first` is the least |2 n + shift| / 2, rounded down.
    Mirrored { shift: i64, first: i64 },
}

/// The offsets of a train of points from a train of cells.
#[derive(Debug, Clone)]
pub struct Window {
    pub entries: Vec<Entry>,
    /// The columns of the table that it uses, each once.
    pub columns: Vec<usize>,
    /// The same as `entries`, in as few pieces as there are.
    pub runs: Vec<Run>,
    /// Places of the transform that no offset has.
    pub gap: Range<usize>,
}

/// An offset of a window.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Its place in the transform.
    pub at: usize,
    /// Its place among the columns of its window.
    pub slot: usize,
    /// Whether the table holds its opposite.
    pub is_mirrored: bool,
}

/// Offsets of a window that stand side by side in the transform, and in equal steps in the table.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// The first one's place in the transform.
    pub at: usize,
    pub len: usize,
    /// Its column of the table.
    pub column: usize,
    /// From column to column, or that back.
    pub step: usize,
    /// Whether columns descend, as they do but for opposites.
    pub is_mirrored: bool,
}

impl Axis {
    /// None where cells and points do not fit.
    ///
    /// # Arguments
    /// * `cells`, `points` – (first lower bound or point, side or spacing, number) [m]
    pub fn new(cells: (f64, f64, usize), points: (f64, f64, usize)) -> Option<Self> {
        let (side, spacing) = (cells.1, points.1);
        let last = |(first, step, count): (f64, f64, usize)| first + step * count as f64;
        let largest = [cells.0, last(cells), points.0, last(points)].into_iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let off = tolerance(if points.2 > 1 { side.min(spacing) } else { side }, largest);
        // A single cell or point fits anywhere. Of the two steps the longer row tells more digits.
        let ([a, b], step) = match (cells.2, points.2) {
            (_, 1) => ([1, 1], side),
            (1, _) => ([1, 1], spacing),
            (cells, points) => {
                let [a, b] = ratio((side, cells), (spacing, points), off)?;
                ([a, b], if a * cells > b * points { side / a as f64 } else { spacing / b as f64 })
            }
        };
        if (a * cells.2).checked_add(b * points.2).is_none_or(|offsets| offsets > OFFSETS) {
            return None;
        }
        let [lowest, highest] = [-((b * (points.2 - 1)) as i64), (a * (cells.2 - 1)) as i64];
        let centre = cells.0 - points.0 + 0.5 * side;
        let shift = (2.0 * centre / step).round();
        let is_mirrored = shift.abs() < COUNTED && (shift * step - 2.0 * centre).abs() <= 2.0 * off;
        let (columns, offsets) = if is_mirrored {
            mirrored(shift as i64, [lowest, highest], step)
        } else {
            let offset = |n: i64| centre + n as f64 * step;
            (Columns::All { first: lowest }, (lowest..=highest).map(offset).collect())
        };
        let offsets = offsets.into_iter().map(|centre| centre - 0.5 * side).collect();
        let length = quick(cells.2.div_ceil(b) + points.2.div_ceil(a) - 1);
        Some(Self { cells: cells.2, points: points.2, ratio: [a, b], side, length, offsets, columns })
    }

    /// Number of trains of points.
    pub fn point_trains(&self) -> usize {
        self.ratio[0].min(self.points)
    }

    /// Number of trains of cells.
    pub fn cell_trains(&self) -> usize {
        self.ratio[1].min(self.cells)
    }

    /// The points of a train, in their order.
    pub fn points(&self, train: usize) -> impl ExactSizeIterator<Item = usize> + Clone {
        (train..self.points).step_by(self.ratio[0])
    }

    /// The cells of a train, in their order.
    pub fn cells(&self, train: usize) -> impl ExactSizeIterator<Item = usize> + Clone {
        (train..self.cells).step_by(self.ratio[1])
    }

    /// The windows of all pairs of trains, those of a train of cells after the other.
    pub fn windows(&self) -> Vec<Window> {
        let of_cells = |cells| (0..self.point_trains()).map(move |points| self.window(cells, points));
        (0..self.cell_trains()).flat_map(of_cells).collect()
    }

    /// The offsets between a train of cells and a train of points: at place n, modulo the length, stand those of points that are n steps further on than a cell.
    fn window(&self, cell_train: usize, point_train: usize) -> Window {
        let [a, b] = self.ratio.map(|n| n as i64);
        let start = a * cell_train as i64 - b * point_train as i64;
        let (cells, points) = (self.cells(cell_train).len() as i64, self.points(point_train).len() as i64);
        let mut slots = vec![usize::MAX; self.offsets.len()];
        let (mut entries, mut columns) = (Vec::new(), Vec::new());
        let mut runs: Vec<Run> = Vec::new();
        for n in 1 - cells..points {
            let (column, is_mirrored) = self.column(start - a * b * n);
            if slots[column] == usize::MAX {
                slots[column] = columns.len();
                columns.push(column);
            }
            let at = n.rem_euclid(self.length as i64) as usize;
            entries.push(Entry { at, slot: slots[column], is_mirrored });
            match runs.last_mut() {
                Some(run) if run.is_mirrored == is_mirrored && run.at + run.len == at => run.len += 1,
                _ => runs.push(Run { at, len: 1, column, step: (a * b) as usize, is_mirrored }),
            }
        }
        let gap = points as usize..self.length + 1 - cells as usize;
        Window { entries, columns, runs, gap }
    }

    /// Which share of the offsets the centre of a cell has that is not farther away than so much [m].
    pub fn share_within(&self, reach: f64) -> f64 {
        let is_within = |offset: &&f64| (*offset + 0.5 * self.side).abs() <= reach;
        self.offsets.iter().filter(is_within).count() as f64 / self.offsets.len() as f64
    }

    /// Column of the table for an offset, and whether that holds its opposite.
    fn column(&self, offset: i64) -> (usize, bool) {
        match self.columns {
            Columns::All { first } => ((offset - first) as usize, false),
            Columns::Mirrored { shift, first } => {
                let twice = 2 * offset + shift;
                ((twice.abs() / 2 - first) as usize, twice < 0)
            }
        }
    }

    /// The cells that hold or touch a point, with how far outside each it stands.
    pub fn around(&self, point: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let [a, b] = self.ratio;
        let column = move |cell: usize| self.column((a * cell) as i64 - (b * point) as i64);
        // The cells that may, with some more at either end.
        let (first, is_mirrored) = column(0);
        let place = -self.offsets[first] / self.side;
        let place = if is_mirrored { 1.0 - place } else { place };
        let bound = |place: f64| place.clamp(0.0, self.cells as f64) as usize;
        let cells = bound(place - 2.0)..bound(place + 3.0);
        // By the table's own numbers, so that no pair is in it and here.
        let beside = move |cell: usize| outside(self.offsets[column(cell).0], self.side);
        cells.map(move |cell| (cell, beside(cell))).filter(|&(_, beside)| may_touch(beside))
    }
}

/// Columns for offsets of either sign, and how far away the centres of cells are in each [m].
fn mirrored(shift: i64, [lowest, highest]: [i64; 2], step: f64) -> (Columns, Vec<f64>) {
    let ends = [2 * lowest + shift, 2 * highest + shift];
    let odd = shift.rem_euclid(2);
    let last = ends[0].abs().max(ends[1].abs()) / 2;
    let first = if ends[0] <= 0 && ends[1] >= 0 { 0 } else { ends[0].abs().min(ends[1].abs()) / 2 };
    let offsets = (first..=last).map(|n| 0.5 * (2 * n + odd) as f64 * step).collect();
    (Columns::Mirrored { shift, first }, offsets)
}

/// a and b with side / spacing = a / b, if there are small ones.
///
/// # Arguments
/// * `cells`, `points` – (side or spacing, number) [m]
/// * `off` – how far the last cell and the last point may be off [m]
fn ratio(cells: (f64, usize), points: (f64, usize), off: f64) -> Option<[usize; 2]> {
    (1..=FINEST as u32).map(f64::from).find_map(|a| {
        let b = (a * points.0 / cells.0).round();
        let error = (a * points.0 - b * cells.0).abs();
        let allowed = off * (a / points.1 as f64 + b / cells.1 as f64);
        ((1.0..=COARSEST as f64).contains(&b) && error <= allowed).then_some([a as usize, b as usize])
    })
}

/// The even length from `least` on, without a prime factor above 7, whose transforms cost least.
///
/// Measured of `rustfft`: a place costs 10 units for each factor 2, 22 for 3, 36 for 5, 52 for 7, and `PLACE` for what else is done with it. So 512 takes
/// less time than 500. Lengths go by these numbers alone and never by a clock, for they decide about the last bits of results.
fn quick(least: usize) -> usize {
    const PLACE: usize = 200;
    // Powers of a prime times what is there already, as long as that is not more than is needed.
    let powers = |first: usize, prime: usize| {
        std::iter::successors(Some(first), move |&n| (n < least).then_some(prime * n)).enumerate()
    };
    let mut best = (usize::MAX, 0);
    for (threes, a) in powers(1, 3) {
        for (fives, b) in powers(a, 5) {
            for (sevens, odd) in powers(b, 7) {
                let twos = least.div_ceil(odd).max(2).next_power_of_two();
                let length = twos * odd;
                let factors = 10 * twos.ilog2() as usize + 22 * threes + 36 * fives + 52 * sevens;
                best = best.min((length * (PLACE + factors), length));
            }
        }
    }
    best.1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_those_that_cost_least() {
        for (least, length) in [(1, 2), (3, 4), (7, 8), (499, 512), (599, 600), (1000, 1024), (1025, 1080)] {
            assert_eq!(quick(least), length, "{least}");
        }
        for least in (1..3000).chain([117_656, 1 << 20, (1 << 24) - 1, 1 << 24]) {
            let length = quick(least);
            let left = [2, 3, 5, 7].into_iter().fold(length, |mut left, prime| {
                while left.is_multiple_of(prime) {
                    left /= prime;
                }
                left
            });
            assert!(
                left == 1 && length.is_multiple_of(2) && (least..2 * least + 2).contains(&length),
                "{least}: {length}"
            );
        }
    }
}
