//! Finds the [`Classes`] of a block: the stencil of each point from the kinds of the cells around it, and its factors from the solids in its volume.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};
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
use crate::mixture::{GroupFactors, Mixture};
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
    let taps = taps::<T, U>(around, &stencils.list);
    let rows = GROUP * U::MIXING;
    let mut factors = AlignedVec::zeroed(mixings.list.len() * rows);
    for (factors, bits) in factors.chunks_exact_mut(rows.max(1)).zip(&mixings.list) {
        factors.iter_mut().zip(bits.iter()).for_each(|(factor, &bits)| *factor = T::from_f64(f64::from_bits(bits)));
    }
    Classes::new(layout, groups, classes.list, taps, factors)
}

/// Coefficients of stencils over the spacing, `[stencil][m][p, q, r][lane]` [1/m]. Points with the same shape share their coefficients.
///
/// # Arguments
/// * `stencils` – number of the derivative of each, and the shapes of its points
fn taps<T: Scalar, U: Update>(around: &Surroundings<T>, stencils: &[(usize, Shapes)]) -> AlignedVec<T> {
    let Surroundings { derivatives, medium, .. } = *around;
    let mut shapes = Numbered::default();
    let number = |&(d, own): &(usize, Shapes)| own.map(|shape| shapes.number((d, shape)));
    let numbers: Vec<[u32; GROUP]> = stencils.iter().map(number).collect();
    let of_shape = |&(d, shape): &(usize, Shape)| {
        let spacing = medium.grid().spacing[d % 3];
        let coefficients = derivatives.coefficients(&derivative::<U>(d), shape);
        pairs(&coefficients).flatten().map(|part| T::from_f64(part / spacing)).collect::<Vec<T>>()
    };
    let coefficients: Vec<Vec<T>> = shapes.list.par_iter().map(of_shape).collect();
    let stencil_len = 3 * derivatives.stencil().half_length() * GROUP;
    let mut taps = AlignedVec::zeroed(stencils.len() * stencil_len);
    taps.par_chunks_exact_mut(stencil_len).zip(&numbers).for_each(|(taps, numbers)| {
        for (lane, &number) in numbers.iter().enumerate() {
            let own = taps.iter_mut().skip(lane).step_by(GROUP);
            own.zip(&coefficients[number as usize]).for_each(|(tap, part)| *tap = *part);
        }
    });
    taps
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
#[derive(Clone, Copy, PartialEq, Eq)]
struct Distinct {
    shapes: [Shapes; 9],
    /// Index into the factors of the plane, counted from 1; 0 if it has none.
    factors: u32,
}

/// Shapes are hashed in independent chains, which a processor works on at the same time.
impl Hash for Distinct {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let mut chains = [const { Mixer(0) }; 4];
        for (number, shape) in self.shapes.as_flattened().iter().enumerate() {
            shape.hash(&mut chains[number % 4]);
        }
        chains.iter().for_each(|chain| state.write_u64(chain.0));
        state.write_u64(u64::from(self.factors));
    }
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
        let Surroundings { layout, kinds, derivatives, medium, .. } = *around;
        let ([n, rows, _], per_row) = (layout.extent(), layout.groups());
        let is_regular = derivatives.is_regular((layout.first[2] + k) as i64);
        let mut numbering = Numbering::default();
        let mut groups = Vec::with_capacity(rows * per_row);
        let mut mixed_before: &[_] = &[];
        for j in 0..rows {
            let [x, y, z] = layout.first;
            let mixed = medium.mixtures_of_row([x, y + j, z + k], n);
            let has_factors = !(mixed.is_empty() && mixed_before.is_empty());
            mixed_before = mixed;
            if kinds.repeat_around_row([j, k]) && (!has_factors || repeats_with_factors(around, [j, k])) {
                groups.extend_from_within(groups.len() - per_row..);
            } else if is_regular && mixed.is_empty() && kinds.are_uniform_around_row([j, k]) {
                groups.extend(std::iter::repeat_n(None, per_row));
            } else {
                for group in 0..per_row {
                    let number = numbering.number::<T, U>(around, [group * GROUP, j, k], mixed, is_regular);
                    groups.push(number);
                }
            }
        }
        Self { distinct: numbering.distinct.list, factors: numbering.factors.list, groups }
    }

    fn factors_of(&self, group: &Distinct) -> Option<&Bits> {
        (group.factors as usize).checked_sub(1).map(|number| &self.factors[number])
    }
}

/// Factors as bit patterns, which can be compared and hashed.
fn bits(factors: &GroupFactors) -> Bits {
    factors.as_flattened().iter().map(|factor| factor.to_bits()).collect()
}

/// Whether the factors of a row of points equal those of the row before it along y: they depend on the cells below each point.
fn repeats_with_factors<T: Scalar>(around: &Surroundings<T>, [j, k]: [usize; 2]) -> bool {
    const BELOW: [[i64; 2]; 4] = [[0, 0], [-1, 0], [0, -1], [-1, -1]];
    let [_, y, z] = around.layout.first;
    around.medium.repeats().around(around.medium, [y + j, z + k], BELOW)
}

/// The distinct groups of a plane, numbered in the order in which they come.
#[derive(Default)]
struct Numbering {
    distinct: Numbered<Distinct>,
    factors: Numbered<Bits>,
}

impl Numbering {
    /// Number of a group, counted from 1; `None` far from interfaces.
    ///
    /// # Arguments
    /// * `first` – its first point in the block
    /// * `mixed` – the mixtures of its row
    /// * `is_regular` – whether its plane is not next to a flat interface
    fn number<T: Scalar, U: Update>(
        &mut self,
        around: &Surroundings<T>,
        first: [usize; 3],
        mixed: &[(usize, Mixture)],
        is_regular: bool,
    ) -> Option<NonZeroU32> {
        let Surroundings { layout, kinds, derivatives, medium, boundaries } = *around;
        let cell = [0, 1, 2].map(|axis| layout.first[axis] + first[axis]);
        let number = medium.grid().number(cell);
        let before = |end: usize| mixed.partition_point(|(own, _)| *own < end);
        let of_group = &mixed[before(number)..before(number + GROUP.min(layout.extent()[0] - first[0]))];
        let of_group = medium.group_factors(boundaries, cell, of_group, U::HALF);
        if of_group.is_none() && is_regular && kinds.are_uniform_around(first) {
            return None;
        }
        let factors = of_group.map_or(0, |of_group| 1 + self.factors.number(bits(&of_group)));
        let group = Distinct { shapes: group_shapes::<U>(layout, kinds, first, derivatives), factors };
        Some(NonZeroU32::MIN.saturating_add(self.distinct.number(group)))
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
    let first = first.map(|i| i as i64);
    for (d, shapes) in shapes.iter_mut().enumerate() {
        derivatives.shapes(&derivative::<U>(d), |cell| kinds.group(cell), first, level, &mut shapes[..lanes]);
    }
    shapes
}

/// Distinct things, numbered in the order in which they come.
struct Numbered<K> {
    numbers: HashMap<K, u32, BuildHasherDefault<Mixer>>,
    list: Vec<K>,
}

impl<K> Default for Numbered<K> {
    fn default() -> Self {
        Self { numbers: HashMap::default(), list: Vec::new() }
    }
}

impl<K: Clone + Eq + std::hash::Hash> Numbered<K> {
    fn number(&mut self, thing: K) -> u32 {
        if let Some(&number) = self.numbers.get(&thing) {
            return number;
        }
        let number = self.list.len() as u32;
        self.list.push(thing.clone());
        self.numbers.insert(thing, number);
        number
    }
}

/// A fast hasher for long keys: multiplies and rotates, one word at a time.
#[derive(Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u64(&mut self, word: u64) {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        self.0 = (self.0.rotate_left(23) ^ word).wrapping_mul(ODD);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.write_u64(word as u64);
    }
}
