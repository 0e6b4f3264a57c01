//! Finds the [`Classes`] of a block: the stencil of each point, from the kinds of the cells around it.

use std::collections::HashMap;
use std::num::NonZeroU32;

use craton_device::{AlignedVec, Scalar};
use craton_fd_kernels::{Classes, Update};
use rayon::prelude::*;

use crate::derivatives::{Derivatives, Shape};
use crate::kinds::Kinds;
use crate::layout::{GROUP, Layout};
use crate::stencil::Derivative;

/// Stencil shapes of the points of a group for one derivative.
type Shapes = [Shape; GROUP];

/// Determines the stencil of every point of a block from the cells around it, for one half of the step.
///
/// # Arguments
/// * `kinds` – kinds of the cells in and around the block
pub fn classes<T: Scalar, U: Update>(
    layout: &Layout,
    kinds: &Kinds,
    derivatives: &Derivatives,
    spacing: [f64; 3],
) -> Classes<T> {
    let [_, _, planes] = layout.extent();
    let half_length = derivatives.stencil().half_length();
    let planes: Vec<Plane> =
        (0..planes).into_par_iter().map(|k| Plane::new::<U>(layout, kinds, k, derivatives)).collect();
    let (mut patterns, mut classes) = (Numbered::default(), Numbered::default());
    let mut class_of = |group: &[Shapes; 9]| classes.number(std::array::from_fn(|d| patterns.number((d, group[d]))));
    let regular = class_of(&[[derivatives.regular(); GROUP]; 9]);
    let classes_of: Vec<Vec<u32>> =
        planes.iter().map(|plane| plane.distinct.iter().map(&mut class_of).collect()).collect();
    let numbered = planes.par_iter().zip(&classes_of);
    let groups = numbered.flat_map_iter(|(plane, classes)| {
        plane.groups.iter().map(move |group| group.map_or(regular, |number| classes[number.get() as usize - 1]))
    });
    let groups = groups.collect();
    let pattern_len = 3 * half_length * GROUP;
    let mut taps = AlignedVec::zeroed(patterns.list.len() * pattern_len);
    for (taps, (d, shapes)) in taps.chunks_exact_mut(pattern_len).zip(&patterns.list) {
        for (lane, &shape) in shapes.iter().enumerate() {
            let coefficients = derivatives.coefficients(&derivative::<U>(*d), shape);
            for (m, parts) in pairs(&coefficients).enumerate() {
                for (which, part) in parts.into_iter().enumerate() {
                    taps[(3 * m + which) * GROUP + lane] = T::from_f64(part / spacing[d % 3]);
                }
            }
        }
    }
    Classes::new(layout, groups, classes.list, taps)
}

/// Coefficients of pairs of points from the middle outward. If they are opposite, p multiplies the difference; otherwise q and r multiply the upper
/// and the lower point. A point that a folded stencil does not read has zero coefficients.
fn pairs(coefficients: &[f64]) -> impl Iterator<Item = [f64; 3]> {
    let (below, above) = coefficients.split_at(coefficients.len() / 2);
    let pair = |(&above, &below): (&f64, &f64)| if above == -below { [above, 0.0, 0.0] } else { [0.0, above, below] };
    above.iter().zip(below.iter().rev()).map(pair)
}

/// The derivative of row c along axis a, by its number 3 c + a.
fn derivative<U: Update>(d: usize) -> Derivative {
    Derivative { target: U::target(d / 3, d % 3), axis: d % 3 }
}

/// The stencil shapes of the groups of a plane.
struct Plane {
    /// Distinct groups near interfaces, in order of first occurrence.
    distinct: Vec<[Shapes; 9]>,
    /// Index into `distinct`, counted from 1, of each group of the plane; `None` far from interfaces.
    groups: Vec<Option<NonZeroU32>>,
}

impl Plane {
    fn new<U: Update>(layout: &Layout, kinds: &Kinds, k: usize, derivatives: &Derivatives) -> Self {
        let ([_, rows, _], per_row) = (layout.extent(), layout.groups());
        let is_regular = derivatives.is_regular((layout.first[2] + k) as i64);
        let mut distinct = Numbered::default();
        let mut groups = Vec::with_capacity(rows * per_row);
        for place in 0..rows * per_row {
            let first = [place % per_row * GROUP, place / per_row, k];
            let number = (!(is_regular && kinds.are_uniform_around(first))).then(|| {
                let shapes = group_shapes::<U>(layout, kinds, first, derivatives);
                // Most groups equal the one in the previous row; comparing is faster than the lookup.
                let before = place.checked_sub(per_row).and_then(|above| groups[above]);
                let is_alike = |number: &NonZeroU32| distinct.list[number.get() as usize - 1] == shapes;
                before.filter(is_alike).unwrap_or_else(|| NonZeroU32::MIN.saturating_add(distinct.number(shapes)))
            });
            groups.push(number);
        }
        Self { distinct: distinct.list, groups }
    }
}

/// Stencils of the nine derivatives at the points of a group.
fn group_shapes<U: Update>(
    layout: &Layout,
    kinds: &Kinds,
    first: [usize; 3],
    derivatives: &Derivatives,
) -> [Shapes; 9] {
    let mut shapes = [[derivatives.regular(); GROUP]; 9];
    let level = (layout.first[2] + first[2]) as i64;
    let lanes = GROUP.min(layout.extent()[0] - first[0]);
    for (d, shapes) in shapes.iter_mut().enumerate() {
        for (lane, shape) in shapes[..lanes].iter_mut().enumerate() {
            let point = [first[0] + lane, first[1], first[2]].map(|i| i as i64);
            *shape = derivatives.shape(&derivative::<U>(d), |cell| kinds.at(cell), point, level);
        }
    }
    shapes
}

/// Distinct things, numbered in the order in which they come.
struct Numbered<K> {
    numbers: HashMap<K, u32>,
    list: Vec<K>,
}

impl<K> Default for Numbered<K> {
    fn default() -> Self {
        Self { numbers: HashMap::new(), list: Vec::new() }
    }
}

impl<K: Copy + Eq + std::hash::Hash> Numbered<K> {
    fn number(&mut self, thing: K) -> u32 {
        *self.numbers.entry(thing).or_insert_with(|| {
            self.list.push(thing);
            self.list.len() as u32 - 1
        })
    }
}
