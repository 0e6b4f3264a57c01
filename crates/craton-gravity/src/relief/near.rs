//! The columns around a point: the body below the smooth surface minus the flat prisms.

use std::ops::Range;

use craton_device::{Isa, Kernel, Lanes};

use super::Relief;
use super::axis::Axis;
use super::column::{Boundary, Rectangle};
use super::patch::Patch;
use crate::fields::Needs;
use crate::pair::Body;

/// Distances in columns from which nine and four point masses per column are used. Their errors are 1e-3 of the effect of the thin body of the column.
const REACH: f64 = 3.0;
const REACH_OF_FOUR: f64 = 10.0;
/// Depth of the common floor below the surface around the point, in columns.
const DEPTH: f64 = 2.0;

/// The columns around a point, as ranges along x and y, each within the next: those that are integrated, and those with nine and four point masses.
pub struct Around {
    pub block: [Range<usize>; 2],
    pub nine: [Range<usize>; 2],
    pub four: [Range<usize>; 2],
}

impl Around {
    /// The columns around a point; the block is empty if the point is far above or below the surface.
    pub fn new(relief: &Relief, point: &[f64; 3]) -> Self {
        let axes = [&relief.x, &relief.y];
        let at = [0, 1].map(|axis| axes[axis].column(point[axis]));
        let size = [0, 1].map(|axis| axes[axis].size(at[axis]));
        let four = [0, 1].map(|axis| {
            let end = at[axis].saturating_add(relief.radius).saturating_add(1);
            at[axis].saturating_sub(relief.radius)..end.min(axes[axis].len())
        });
        let within =
            |reach: f64| [0, 1].map(|axis| around(axes[axis], point[axis], reach, size[1 - axis], &four[axis]));
        let (block, nine) = (within(REACH), within(REACH_OF_FOUR));
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for row in block[1].clone() {
            for column in block[0].clone() {
                let flat = relief.flat[row * relief.x.len() + column];
                (low, high) = (low.min(flat), high.max(flat));
            }
        }
        let reach = REACH * size[0].max(size[1]);
        let is_far = !(low - reach..=high + reach).contains(&point[2]);
        Self { block: if is_far { [0..0, 0..0] } else { block }, nine, four }
    }

    /// The same columns, restricted to some rows.
    pub fn of_rows(mut self, rows: &Range<usize>) -> Self {
        for part in [&mut self.nine, &mut self.four] {
            let start = part[1].start.max(rows.start);
            part[1] = start..part[1].end.min(rows.end).max(start);
        }
        self
    }
}

/// The columns along an axis that are nearer than `reach` times their size or that of the other axis.
fn around(axis: &Axis, place: f64, reach: f64, other: f64, all: &Range<usize>) -> Range<usize> {
    let is_near = |column: &usize| {
        let gap = (axis.edges[*column] - place).max(place - axis.edges[*column + 1]);
        gap < reach * axis.size(*column).max(other)
    };
    let first = all.clone().find(is_near);
    let last = all.clone().rev().find(is_near);
    first.zip(last).map_or(0..0, |(first, last)| first..last + 1)
}

/// Kernel that computes the correction of each column of the block, per unit of G times density.
pub struct Block<'a> {
    pub relief: &'a Relief,
    pub block: &'a [Range<usize>; 2],
    pub point: [f64; 3],
    pub needs: Needs,
    /// Whether the wall between two neighbouring columns has no effect, because both have the same density and the same surface there.
    pub is_open: &'a dyn Fn(usize, usize) -> bool,
    /// Receives the column and its fields. Without walls, only sums over columns of equal density are meaningful.
    pub visit: &'a mut dyn FnMut(usize, [f64; 10]),
}

impl Kernel<f64> for Block<'_> {
    type Output = ();
    const DOUBLE: Isa = Isa::Avx512;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) {
        let Self { relief, block, point, needs, is_open, visit } = self;
        let columns = || block[1].clone().flat_map(|row| block[0].clone().map(move |i| row * relief.x.len() + i));
        let lifted = relief.lifted(point);
        let floor = floor(relief, block, lifted[2]);
        let patches = Patches::new(relief, block, &lifted);
        for column in columns() {
            let mut boundary = Boundary::<V, false>::new(&relief.rules);
            let walls = walls(relief, block, column, is_open);
            below_surface(&mut boundary, &patches.quarters(column), walls, floor - lifted[2]);
            let mut fields = boundary.sums.map(sum_of_lanes);
            let flat = relief.flat[column];
            match &relief.bases {
                // The prism from the base to the flat top, as it was summed, is replaced.
                Some(bases) => {
                    add_prism::<V>(&mut fields, relief, column, [bases[column], floor], &point, needs);
                    add_prism::<V>(&mut fields, relief, column, [flat, bases[column]], &point, needs);
                }
                None => add_prism::<V>(&mut fields, relief, column, [flat, floor], &point, needs),
            }
            visit(column, fields);
        }
    }
}

/// Height of the common floor below the columns of a block [m].
#[inline(always)]
pub fn floor(relief: &Relief, block: &[Range<usize>; 2], z: f64) -> f64 {
    let columns = block[1].clone().flat_map(|row| block[0].clone().map(move |i| row * relief.x.len() + i));
    let lowest = columns.map(|column| relief.flat[column]).fold(z, f64::min);
    let largest = |axis: &Axis, range: &Range<usize>| range.clone().map(|at| axis.size(at)).fold(0.0, f64::max);
    lowest - DEPTH * largest(&relief.x, &block[0]).max(largest(&relief.y, &block[1]))
}

/// The surface around the grid points of a block: a patch for each cell between them.
pub struct Patches<'a> {
    relief: &'a Relief,
    block: &'a [Range<usize>; 2],
    point: [f64; 3],
    /// Without bounds, x fastest.
    patches: Vec<Patch>,
}

impl<'a> Patches<'a> {
    #[inline(always)]
    pub fn new(relief: &'a Relief, block: &'a [Range<usize>; 2], point: &[f64; 3]) -> Self {
        let mut patches = Vec::with_capacity((block[0].len() + 1) * (block[1].len() + 1));
        // Plain loops: the code of a closure would not be compiled for the vectors of the kernel.
        for j in block[1].start..=block[1].end {
            for i in block[0].start..=block[0].end {
                patches.push(relief.free_patch([i, j], point));
            }
        }
        Self { relief, block, point: *point, patches }
    }

    /// The four quarters of a column: patch and bounds along x and y, relative to the point.
    #[inline(always)]
    pub fn quarters(&self, column: usize) -> [(Patch, Rectangle); 4] {
        let [i, j] = self.relief.place(column);
        let range = self.relief.range(column);
        self.relief.quarters_of(column, &self.point, |[a, b]| {
            let [x, y] = [i - self.block[0].start + a, j - self.block[1].start + b];
            self.patches[y * (self.block[0].len() + 1) + x].within(range, &self.point)
        })
    }
}

/// The walls of a column that have an effect, `[axis][side]`.
#[inline(always)]
pub fn walls(
    relief: &Relief,
    block: &[Range<usize>; 2],
    column: usize,
    is_open: &dyn Fn(usize, usize) -> bool,
) -> [[bool; 2]; 2] {
    let steps = [1, relief.x.len()];
    let at = relief.place(column);
    [0, 1].map(|axis| {
        let is_first = at[axis] == block[axis].start;
        let is_last = at[axis] + 1 == block[axis].end;
        [is_first || !is_open(column, column - steps[axis]), is_last || !is_open(column, column + steps[axis])]
    })
}

/// Adds the body between the floor and the surface.
#[inline(always)]
pub fn below_surface<V: Lanes<Scalar = f64>, const LINEAR: bool>(
    boundary: &mut Boundary<V, LINEAR>,
    quarters: &[(Patch, Rectangle); 4],
    walls: [[bool; 2]; 2],
    floor: f64,
) {
    let floor_patch = Patch::level(floor);
    for (quarter, (patch, rectangle)) in quarters.iter().enumerate() {
        boundary.add_surface(patch, *rectangle, 1.0);
        let [x, y] = rectangle;
        let (a, b) = (quarter % 2, quarter / 2);
        if walls[0][a] {
            boundary.add_wall(patch, 0, x[a], if a == 0 { -1.0 } else { 1.0 }, *y, floor);
        }
        if walls[1][b] {
            boundary.add_wall(patch, 1, y[b], if b == 0 { -1.0 } else { 1.0 }, *x, floor);
        }
    }
    let ([_, [[x0, _], [y0, _]]], [_, [[_, x1], [_, y1]]]) = ([quarters[0].1; 2], [quarters[3].1; 2]);
    boundary.add_surface(&floor_patch, [[x0, x1], [y0, y1]], -1.0);
}

/// Adds the prism of a column between two heights: with a negative sign if they descend.
#[inline(always)]
fn add_prism<V: Lanes<Scalar = f64>>(
    fields: &mut [f64; 10],
    relief: &Relief,
    column: usize,
    [from, to]: [f64; 2],
    point: &[f64; 3],
    needs: Needs,
) {
    if from == to {
        return;
    }
    let [i, j] = relief.place(column);
    let [x, y] = [(&relief.x, i), (&relief.y, j)].map(|(axis, at)| [axis.edges[at], axis.edges[at + 1]]);
    let body = Body::<V>::new(&[x, y, [from.min(to), from.max(to)]]);
    let values = body.at(&[V::splat(point[0]), V::splat(point[1]), V::splat(point[2])], needs);
    let sign = if from < to { 1.0 } else { -1.0 };
    for (field, value) in fields.iter_mut().zip(values) {
        *field += sign * first_lane(value);
    }
}

#[inline(always)]
fn first_lane<V: Lanes<Scalar = f64>>(value: V) -> f64 {
    let mut lanes = [0.0; 16];
    value.store(&mut lanes, 0);
    lanes[0]
}

#[inline(always)]
pub fn sum_of_lanes<V: Lanes<Scalar = f64>>(value: V) -> f64 {
    let mut lanes = [0.0; 16];
    value.store(&mut lanes, 0);
    lanes[..V::COUNT].iter().sum()
}
