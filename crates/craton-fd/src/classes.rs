//! Finds the [`Classes`] of a block: the stencil of each point from the kinds of the cells around it, and its factors from the solids in its volume.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::Arc;

use craton_device::{AlignedVec, Scalar};
use craton_fd_kernels::{Classes, Pattern, Update};
use rayon::prelude::*;

use crate::boundary::Boundaries;
use crate::derivatives::{Derivatives, Shape};
use crate::kinds::Kinds;
use crate::layout::{GROUP, Layout};
use crate::medium::Medium;
use crate::mixture::GroupFactors;
use crate::stencil::Derivative;

/// Stencil shapes of the points of a group for one derivative.
type Shapes = [Shape; GROUP];

/// What determines the stencils and factors of a block.
pub struct Surroundings<'a, T: Scalar> {
    /// Memory layout of the block.
    pub layout: &'a Layout,
    /// Kinds of the cells in and around the block.
    pub kinds: &'a Kinds,
    /// The stencils of the grid.
    pub derivatives: &'a Derivatives,
    /// Material of the grid.
    pub medium: &'a Medium<T>,
    /// Sides of the grid.
    pub boundaries: &'a Boundaries,
}

/// Determines the stencil and the factors of every point of a block, for one half of the step.
pub fn classes<T: Scalar, U: Update>(around: &Surroundings<T>) -> Classes<T> {
    let Surroundings { layout, derivatives, .. } = *around;
    let [_, _, planes] = layout.extent();
    let half_length = derivatives.stencil().half_length();
    let planes: Vec<Plane> = (0..planes).into_par_iter().map(|k| Plane::new::<T, U>(around, k)).collect();
    let (mut stencils, mut mixings, mut classes) = (Numbered::default(), Numbered::default(), Numbered::default());
    let mut class_of = |shapes: &[Shapes; 9], factors: Option<&Bits>| {
        let own = std::array::from_fn(|d| stencils.number((d, shapes[d])));
        classes
            .number(Pattern { stencils: own, mixing: factors.map_or(0, |factors| 1 + mixings.number(factors.clone())) })
    };
    let regular = class_of(&[[derivatives.regular(); GROUP]; 9], None);
    let classes_of: Vec<Vec<u32>> = planes
        .iter()
        .map(|plane| {
            let of_group = |group: &Distinct| class_of(&group.shapes, plane.factors_of(group));
            plane.distinct.iter().map(of_group).collect()
        })
        .collect();
    let numbered = planes.par_iter().zip(&classes_of);
    let groups = numbered.flat_map_iter(|(plane, classes)| {
        plane.groups.iter().map(move |group| group.map_or(regular, |number| classes[number.get() as usize - 1]))
    });
    let groups = groups.collect();
    let stencil_len = 3 * half_length * GROUP;
    let mut taps = AlignedVec::zeroed(stencils.list.len() * stencil_len);
    for (taps, (d, shapes)) in taps.chunks_exact_mut(stencil_len).zip(&stencils.list) {
        for (lane, &shape) in shapes.iter().enumerate() {
            let coefficients = derivatives.coefficients(&derivative::<U>(*d), shape);
            for (m, parts) in pairs(&coefficients).enumerate() {
                for (which, part) in parts.into_iter().enumerate() {
                    taps[(3 * m + which) * GROUP + lane] = T::from_f64(part / around.medium.grid().spacing[d % 3]);
                }
            }
        }
    }
    let rows = GROUP * U::MIXING;
    let mut factors = AlignedVec::zeroed(mixings.list.len() * rows);
    for (factors, bits) in factors.chunks_exact_mut(rows.max(1)).zip(&mixings.list) {
        factors.iter_mut().zip(bits.iter()).for_each(|(factor, &bits)| *factor = T::from_f64(f64::from_bits(bits)));
    }
    Classes::new(layout, groups, classes.list, taps, factors)
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

/// Factors of a group as bit patterns, `[factor][lane]`.
type Bits = Arc<[u64]>;

/// A group with at least one point that is not regular.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Distinct {
    shapes: [Shapes; 9],
    /// Index into the factors of the plane, counted from 1; 0 if it has none.
    factors: u32,
}

/// The groups of a plane.
struct Plane {
    /// Distinct groups near interfaces, in order of first occurrence.
    distinct: Vec<Distinct>,
    /// Their factors.
    factors: Vec<Bits>,
    /// Index into `distinct`, counted from 1, of each group of the plane; `None` far from interfaces.
    groups: Vec<Option<NonZeroU32>>,
}

impl Plane {
    fn new<T: Scalar, U: Update>(around: &Surroundings<T>, k: usize) -> Self {
        let Surroundings { layout, kinds, derivatives, medium, boundaries } = *around;
        let ([_, rows, _], per_row) = (layout.extent(), layout.groups());
        let is_regular = derivatives.is_regular((layout.first[2] + k) as i64);
        let (mut distinct, mut factors) = (Numbered::default(), Numbered::default());
        let mut groups = Vec::with_capacity(rows * per_row);
        for place in 0..rows * per_row {
            let first = [place % per_row * GROUP, place / per_row, k];
            let cell = [0, 1, 2].map(|axis| layout.first[axis] + first[axis]);
            let of_group = medium.group_factors(boundaries, cell, layout.extent()[0] - first[0], U::HALF);
            let is_regular_group = of_group.is_none() && is_regular && kinds.are_uniform_around(first);
            let number = (!is_regular_group).then(|| {
                let factors = of_group.map_or(0, |of_group| 1 + factors.number(bits(&of_group)));
                let group = Distinct { shapes: group_shapes::<U>(layout, kinds, first, derivatives), factors };
                // Most groups equal the one in the previous row; comparing is faster than the lookup.
                let before = place.checked_sub(per_row).and_then(|above| groups[above]);
                let is_alike = |number: &NonZeroU32| distinct.list[number.get() as usize - 1] == group;
                before.filter(is_alike).unwrap_or_else(|| NonZeroU32::MIN.saturating_add(distinct.number(group)))
            });
            groups.push(number);
        }
        Self { distinct: distinct.list, factors: factors.list, groups }
    }

    fn factors_of(&self, group: &Distinct) -> Option<&Bits> {
        (group.factors as usize).checked_sub(1).map(|number| &self.factors[number])
    }
}

/// Factors as bit patterns, which can be compared and hashed.
fn bits(factors: &GroupFactors) -> Bits {
    factors.as_flattened().iter().map(|factor| factor.to_bits()).collect()
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

impl<K: Clone + Eq + std::hash::Hash> Numbered<K> {
    fn number(&mut self, thing: K) -> u32 {
        *self.numbers.entry(thing.clone()).or_insert_with(|| {
            self.list.push(thing);
            self.list.len() as u32 - 1
        })
    }
}
