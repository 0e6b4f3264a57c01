//! The thin body between the flat top of a column and the surface, as point masses.

use std::ops::Range;

use craton_device::Lanes;
use rayon::prelude::*;

use super::Relief;
use super::slices::Line;
use crate::point_mass::point_mass;

/// Gauss points of a column: distance from the middle in units of the column, and weight.
pub type Rule = &'static [[f64; 2]];
/// Two and three Gauss points; the distances are 1/(2 √3) and √(3/20).
pub const TWO: Rule = &[[-0.288_675_134_594_812_9, 0.5], [0.288_675_134_594_812_9, 0.5]];
pub const THREE: Rule =
    &[[-0.387_298_334_620_741_7, 5.0 / 18.0], [0.0, 4.0 / 9.0], [0.387_298_334_620_741_7, 5.0 / 18.0]];
/// Padding of the arrays, so that whole vectors can be loaded.
const PADDING: usize = 16;

/// Numbers of the lanes.
const COUNT: [f64; PADDING] = {
    let (mut count, mut lane) = ([0.0; PADDING], 0);
    while lane < PADDING {
        count[lane] = lane as f64;
        lane += 1;
    }
    count
};

/// Point masses at the Gauss points of each column.
///
/// The masses of a column are shifted by a common amount, so that their sum is exact.
#[derive(Debug, Clone, Default)]
pub struct Masses {
    /// Gauss points per column along each axis.
    side: usize,
    /// x of the masses of a row [m].
    x: Vec<f64>,
    /// y of the rows of masses [m].
    y: Vec<f64>,
    /// Heights [m] and volumes [m³], row by row.
    z: Vec<f64>,
    volume: Vec<f64>,
}

impl Masses {
    /// The masses of all columns.
    pub fn new(relief: &Relief, rule: Rule) -> Self {
        let side = rule.len();
        let nodes = |axis: &super::Axis| -> Vec<f64> {
            let of = |at: usize| {
                let middle = 0.5 * (axis.edges[at] + axis.edges[at + 1]);
                rule.iter().map(move |[offset, _]| middle + offset * axis.size(at))
            };
            (0..axis.len()).flat_map(of).collect()
        };
        let (mut x, y) = (nodes(&relief.x), nodes(&relief.y));
        let columns = relief.x.len();
        let of_row = |row: usize| {
            let mut places = [vec![0.0; side * x.len()], vec![0.0; side * x.len()]];
            for column in 0..columns {
                let index = row * columns + column;
                let flat = relief.flat[index];
                let area = relief.x.size(column) * relief.y.size(row);
                let node = |node: usize| [node % side, node / side];
                let weight = |[a, b]: [usize; 2]| rule[a][1] * rule[b][1];
                let height = |[a, b]: [usize; 2]| {
                    let (x, y) = (x[side * column + a], y[side * row + b]);
                    relief.patch(index, [relief.x.find(x), relief.y.find(y)], &[x, y, flat]).one(0.0, 0.0)[0]
                };
                let heights: Vec<f64> = (0..side * side).map(|at| height(node(at))).collect();
                let mean: f64 = heights.iter().enumerate().map(|(at, height)| weight(node(at)) * height).sum();
                for (at, height) in heights.into_iter().enumerate() {
                    let [a, b] = node(at);
                    let place = b * x.len() + side * column + a;
                    places[0][place] = flat + 0.5 * height;
                    places[1][place] = weight([a, b]) * area * (height - mean);
                }
            }
            places
        };
        let rows: Vec<_> = (0..relief.y.len()).into_par_iter().map(of_row).collect();
        let join = |part: usize| {
            let mut all: Vec<f64> = rows.iter().flat_map(|row| row[part].iter().copied()).collect();
            all.extend([0.0; PADDING]);
            all
        };
        let (z, volume) = (join(0), join(1));
        x.extend([0.0; PADDING]);
        Self { side, x, y, z, volume }
    }

    /// The masses for a density that is a linear function of height in each column [kg], padded.
    ///
    /// The mass between the flat top and the surface at height h above it is h ρ + h²/2 times the slope; ρ at the flat top.
    pub fn linear(&self, relief: &Relief, rule: Rule, line: impl Fn(usize) -> Option<Line> + Sync) -> Vec<f64> {
        let width = self.width();
        let columns = relief.x.len();
        let mut masses = vec![0.0; self.volume.len()];
        masses[..self.y.len() * width].par_chunks_mut(width).enumerate().for_each(|(row, masses)| {
            for (at, mass) in masses.iter_mut().enumerate() {
                let (i, j) = (at / self.side, row / self.side);
                let Some(line) = line(j * columns + i) else { continue };
                let (index, flat) = (row * width + at, relief.flat[j * columns + i]);
                let height = 2.0 * (self.z[index] - flat);
                let share = rule[at % self.side][1] * rule[row % self.side][1];
                let area = share * relief.x.size(i) * relief.y.size(j);
                *mass = line.at(flat) * self.volume[index] + 0.5 * line.slope * area * height * height;
            }
        });
        masses
    }

    /// Masses per row.
    fn width(&self) -> usize {
        self.x.len() - PADDING
    }

    /// The masses for unit density [m³], padded.
    pub fn volumes(&self) -> &[f64] {
        &self.volume
    }

    /// The masses for given densities [kg], padded.
    pub fn times(&self, density: &[f64], columns: usize) -> Vec<f64> {
        let width = self.width();
        let mut masses = vec![0.0; self.volume.len()];
        masses[..self.y.len() * width].par_chunks_mut(width).enumerate().for_each(|(row, masses)| {
            let of_row = &density[row / self.side * columns..(row / self.side + 1) * columns];
            for (at, mass) in masses.iter_mut().enumerate() {
                *mass = self.volume[row * width + at] * of_row[at / self.side];
            }
        });
        masses
    }

    /// The runs of consecutive masses of the columns in a range along x and along y, except those of a block: row, and range along it.
    pub fn runs(
        &self,
        [columns, rows]: &[Range<usize>; 2],
        block: &[Range<usize>; 2],
    ) -> impl Iterator<Item = (usize, Range<usize>)> {
        let (side, columns, block) = (self.side, columns.clone(), block.clone());
        (side * rows.start..side * rows.end).flat_map(move |row| {
            let is_beside = block[1].contains(&(row / side)) && !block[0].is_empty();
            let runs = match is_beside {
                true => [columns.start..block[0].start.max(columns.start), block[0].end.min(columns.end)..columns.end],
                false => [columns.clone(), 0..0],
            };
            runs.map(|run| (row, side * run.start..side * run.end)).into_iter().filter(|(_, run)| !run.is_empty())
        })
    }

    /// Index of the first of the masses from `at` on in a row.
    #[inline(always)]
    pub fn index(&self, row: usize, at: usize) -> usize {
        row * self.width() + at
    }

    /// The fields of unit masses from `at` on in a row, at a point.
    #[inline(always)]
    pub fn unit<V: Lanes<Scalar = f64>>(&self, point: &[f64; 3], row: usize, at: usize) -> [V; 10] {
        let x = V::load(&self.x, at) - V::splat(point[0]);
        let z = V::load(&self.z, self.index(row, at)) - V::splat(point[2]);
        point_mass(x, V::splat(self.y[row] - point[1]), z)
    }

    /// 1 in the lanes before `end` of a vector from `at` on, 0 in the others.
    #[inline(always)]
    pub fn mask<V: Lanes<Scalar = f64>>(at: usize, end: usize) -> V {
        V::select_less(V::load(&COUNT, 0), V::splat((end - at) as f64), V::constant(1.0), V::constant(0.0))
    }

    /// Adds the values of all masses, times their volumes, to their columns.
    pub fn gather(&self, values: &[f64], columns: usize, into: &mut [f64]) {
        let width = self.width();
        for row in 0..self.y.len() {
            for at in 0..width {
                let index = row * width + at;
                into[row / self.side * columns + at / self.side] += values[index] * self.volume[index];
            }
        }
    }

    /// Rows of masses of a row of columns: the range of indices.
    pub fn of_rows(&self, rows: &Range<usize>) -> Range<usize> {
        self.side * rows.start * self.width()..self.side * rows.end * self.width()
    }
}
