//! Lattice and grid along one axis: the offsets between points and cells, and their order in the convolutions.
//!
//! Let the side of a cell be a·g and the spacing of the points b·g, with a and b coprime. The offset from point p to cell i is then the offset between the
//! first ones plus (a i - b p) g. The cells are split into b *trains* of every b-th cell, and the points into a trains. Within every train the step is a·b·g,
//! so that each pair of trains is a plain convolution, and every offset belongs to exactly one pair.

use std::ops::Range;

use super::lattice::tolerance;
use super::touching::{may_touch, outside};

/// Largest a.
const FINEST: usize = 64;
/// Largest b.
const COARSEST: usize = 4096;

/// Most offsets along an axis.
const OFFSETS: usize = 1 << 24;
/// Largest shift between lattice and grid, in steps, that is represented exactly.
const COUNTED: f64 = 1e15;

/// One axis of a lattice and a grid.
#[derive(Debug, Clone)]
pub struct Axis {
    cells: usize,
    points: usize,
    /// a and b: the number of trains of points and of cells.
    ratio: [usize; 2],
    /// Side of a cell [m].
    pub side: f64,
    /// Length of the transforms.
    pub length: usize,
    /// Offset from a point to the lower bound of a cell [m], for each column of the table.
    pub offsets: Vec<f64>,
    columns: Columns,
}

/// Mapping from offsets to columns of the table.
#[derive(Debug, Clone, Copy)]
enum Columns {
    /// One column per offset, starting with this one.
    All { first: i64 },
    /// One column for both signs of an offset: the centres of cells are (2 n + shift) g / 2 away, and `first` is the smallest |2 n + shift| / 2, rounded down.
    Mirrored { shift: i64, first: i64 },
}

/// The offsets between a train of points and a train of cells.
#[derive(Debug, Clone)]
pub struct Window {
    pub entries: Vec<Entry>,
    /// The distinct columns of the table that the window uses.
    pub columns: Vec<usize>,
    /// `entries`, combined into the fewest possible runs.
    pub runs: Vec<Run>,
    /// Positions of the transform without an offset (zero padding).
    pub gap: Range<usize>,
}

/// An offset of a window.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Position in the transform.
    pub at: usize,
    /// Index into the columns of the window.
    pub slot: usize,
    /// Whether the table holds the opposite offset.
    pub is_mirrored: bool,
}

/// Offsets of a window that are contiguous in the transform and equally spaced in the table.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    /// Position of the first offset in the transform.
    pub at: usize,
    pub len: usize,
    /// Column of the first offset in the table.
    pub column: usize,
    /// Absolute step between columns.
    pub step: usize,
    /// Whether the table holds opposite offsets; columns then ascend, otherwise they descend.
    pub is_mirrored: bool,
}

impl Axis {
    /// Combines cells and points; `None` if they are not compatible.
    ///
    /// # Arguments
    /// * `cells`, `points` – (first lower bound or point, side or spacing, number) [m]
    pub fn new(cells: (f64, f64, usize), points: (f64, f64, usize)) -> Option<Self> {
        let (side, spacing) = (cells.1, points.1);
        let last = |(first, step, count): (f64, f64, usize)| first + step * count as f64;
        let largest = [cells.0, last(cells), points.0, last(points)].into_iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let off = tolerance(if points.2 > 1 { side.min(spacing) } else { side }, largest);
        // A single cell or point fits anywhere. The longer row determines the step more accurately.
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

    /// The points of a train, in order.
    pub fn points(&self, train: usize) -> impl ExactSizeIterator<Item = usize> + Clone {
        (train..self.points).step_by(self.ratio[0])
    }

    /// The cells of a train, in order.
    pub fn cells(&self, train: usize) -> impl ExactSizeIterator<Item = usize> + Clone {
        (train..self.cells).step_by(self.ratio[1])
    }

    /// The windows of all pairs of trains, grouped by train of cells.
    pub fn windows(&self) -> Vec<Window> {
        let of_cells = |cells| (0..self.point_trains()).map(move |points| self.window(cells, points));
        (0..self.cell_trains()).flat_map(of_cells).collect()
    }

    /// The offsets between a train of cells and a train of points. Position n, modulo the length, holds the offset of points that are n steps ahead of a cell.
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

    /// Fraction of the offsets at which the centre of a cell is within `reach` [m].
    pub fn share_within(&self, reach: f64) -> f64 {
        let is_within = |offset: &&f64| (*offset + 0.5 * self.side).abs() <= reach;
        self.offsets.iter().filter(is_within).count() as f64 / self.offsets.len() as f64
    }

    /// Column of the table for an offset, and whether it holds the opposite offset.
    fn column(&self, offset: i64) -> (usize, bool) {
        match self.columns {
            Columns::All { first } => ((offset - first) as usize, false),
            Columns::Mirrored { shift, first } => {
                let twice = 2 * offset + shift;
                ((twice.abs() / 2 - first) as usize, twice < 0)
            }
        }
    }

    /// The cells that contain or touch a point, with the distance of the point outside each.
    pub fn around(&self, point: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let [a, b] = self.ratio;
        let column = move |cell: usize| self.column((a * cell) as i64 - (b * point) as i64);
        // Candidate cells, with a margin at either end.
        let (first, is_mirrored) = column(0);
        let place = -self.offsets[first] / self.side;
        let place = if is_mirrored { 1.0 - place } else { place };
        let bound = |place: f64| place.clamp(0.0, self.cells as f64) as usize;
        let cells = bound(place - 2.0)..bound(place + 3.0);
        // Uses the same numbers as the table, so that no pair is counted in both.
        let distance = move |cell: usize| outside(self.offsets[column(cell).0], self.side);
        cells.map(move |cell| (cell, distance(cell))).filter(|&(_, distance)| may_touch(distance))
    }
}

/// Columns shared by both signs of an offset, and the distance of the cell centres for each [m].
fn mirrored(shift: i64, [lowest, highest]: [i64; 2], step: f64) -> (Columns, Vec<f64>) {
    let ends = [2 * lowest + shift, 2 * highest + shift];
    let odd = shift.rem_euclid(2);
    let last = ends[0].abs().max(ends[1].abs()) / 2;
    let first = if ends[0] <= 0 && ends[1] >= 0 { 0 } else { ends[0].abs().min(ends[1].abs()) / 2 };
    let offsets = (first..=last).map(|n| 0.5 * (2 * n + odd) as f64 * step).collect();
    (Columns::Mirrored { shift, first }, offsets)
}

/// a and b with side / spacing = a / b, if small ones exist.
///
/// # Arguments
/// * `cells`, `points` – (side or spacing, number) [m]
/// * `off` – tolerance of the last cell and the last point [m]
fn ratio(cells: (f64, usize), points: (f64, usize), off: f64) -> Option<[usize; 2]> {
    (1..=FINEST as u32).map(f64::from).find_map(|a| {
        let b = (a * points.0 / cells.0).round();
        let error = (a * points.0 - b * cells.0).abs();
        let allowed = off * (a / points.1 as f64 + b / cells.1 as f64);
        ((1.0..=COARSEST as f64).contains(&b) && error <= allowed).then_some([a as usize, b as usize])
    })
}

/// The even transform length of at least `least`, without prime factors above 7, that is cheapest.
///
/// Measured with `rustfft`: each value costs 10 units per factor 2, 22 per factor 3, 36 per factor 5, 52 per factor 7, plus `PLACE` for other work. For
/// example, 512 is faster than 500. Lengths depend only on these constants and never on timing, because they affect the last bits of results.
fn quick(least: usize) -> usize {
    const PLACE: usize = 200;
    // Products of `first` and powers of a prime, up to the first one that reaches `least`.
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
    fn transform_lengths_are_the_cheapest() {
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
