//! Stencils of all points, stored as classes of groups of points along x.
//!
//! A group has nine derivatives. The stencil shapes of its points for one derivative form a *pattern*, whose coefficients are tabulated lane by lane.
//! Nine patterns form a *class*. Each group of sixteen points stores the number of its class, four bytes. Class 0 is that of groups far from all
//! interfaces, which need no table. Interfaces, topography and sides therefore cost the kernel only the reading of these numbers.

use std::collections::HashMap;
use std::num::NonZeroU32;

use craton_device::{AlignedVec, Scalar};
use craton_numerics::staggered::StaggeredStencil;
use rayon::prelude::*;

use crate::kinds::Kinds;
use crate::layout::{GROUP, Layout};
use crate::stencil::{Derivative, Shape};
use crate::sweep::Update;

/// Stencil shapes of the points of a group for one derivative.
type Shapes = [Shape; GROUP];

/// Stencils of all points of a block for one half of the step.
pub struct Classes<T: Scalar> {
    /// Class of each group, `[k][j][group]`.
    groups: Vec<u32>,
    rows: usize,
    per_row: usize,
    /// Patterns of each class: that of the derivative of row c along axis a is at 3 c + a.
    patterns: Vec<[u32; 9]>,
    /// Coefficients of each pattern over the spacing [1/m], `[m][p, q, r][lane]`.
    taps: AlignedVec<T>,
    pattern_len: usize,
}

impl<T: Scalar> Classes<T> {
    /// Determines the stencil of every point of a block from the cells around it.
    ///
    /// # Arguments
    /// * `kinds` – kinds of the cells in and around the block
    pub fn new<U: Update>(layout: &Layout, kinds: &Kinds, stencil: &StaggeredStencil, spacing: [f64; 3]) -> Self {
        let [_, rows, planes] = layout.extent();
        let half_length = stencil.half_length();
        let planes: Vec<Plane> =
            (0..planes).into_par_iter().map(|k| Plane::new::<U>(layout, kinds, k, half_length)).collect();
        let (mut patterns, mut classes) = (Numbered::default(), Numbered::default());
        let mut class_of =
            |group: &[Shapes; 9]| classes.number(std::array::from_fn(|d| patterns.number((d, group[d]))));
        let regular = class_of(&[[Shape::regular(half_length); GROUP]; 9]);
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
                let coefficients = derivative::<U>(*d).coefficients(shape, stencil);
                for (m, parts) in pairs(&coefficients).enumerate() {
                    for (which, part) in parts.into_iter().enumerate() {
                        taps[(3 * m + which) * GROUP + lane] = T::from_f64(part / spacing[d % 3]);
                    }
                }
            }
        }
        Self { groups, rows, per_row: layout.groups(), patterns: classes.list, taps, pattern_len }
    }

    /// Classes of the groups of row (j, k).
    #[inline(always)]
    pub fn row(&self, j: usize, k: usize) -> &[u32] {
        &self.groups[(k * self.rows + j) * self.per_row..][..self.per_row]
    }

    /// Class of each group, `[k][j][group]`; 0 far from all interfaces.
    pub fn groups(&self) -> &[u32] {
        &self.groups
    }

    /// Patterns of each class: that of the derivative of row c along axis a at `3 c + a`.
    pub fn patterns(&self) -> &[[u32; 9]] {
        &self.patterns
    }

    /// Coefficients of all patterns, `[pattern][m][p, q, r][lane]` [1/m].
    pub fn taps(&self) -> &[T] {
        &self.taps
    }

    /// Frees the tables after they have been copied to a device.
    pub fn release(&mut self) {
        (self.groups, self.patterns, self.taps) = (Vec::new(), Vec::new(), AlignedVec::zeroed(0));
    }

    /// Coefficients of derivative `3 c + a` of row c along axis a, `[m][p, q, r][lane]`; `None` if it is regular at all points of the group, as in
    /// class 0.
    #[inline(always)]
    pub fn folded(&self, class: u32, derivative: usize) -> Option<&[T]> {
        let pattern = self.patterns[class as usize][derivative];
        let is_folded = pattern != self.patterns[0][derivative];
        is_folded.then(|| &self.taps[pattern as usize * self.pattern_len..][..self.pattern_len])
    }

    /// Bytes held in memory.
    pub fn bytes(&self) -> usize {
        4 * self.groups.len() + 36 * self.patterns.len() + self.taps.bytes()
    }
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
    fn new<U: Update>(layout: &Layout, kinds: &Kinds, k: usize, half_length: usize) -> Self {
        let ([_, rows, _], per_row) = (layout.extent(), layout.groups());
        let mut distinct = Numbered::default();
        let mut groups = Vec::with_capacity(rows * per_row);
        for place in 0..rows * per_row {
            let first = [place % per_row * GROUP, place / per_row, k];
            let number = (!kinds.are_uniform_around(first)).then(|| {
                let shapes = group_shapes::<U>(layout, kinds, first, half_length);
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
fn group_shapes<U: Update>(layout: &Layout, kinds: &Kinds, first: [usize; 3], half_length: usize) -> [Shapes; 9] {
    let mut shapes = [[Shape::regular(half_length); GROUP]; 9];
    let lanes = GROUP.min(layout.extent()[0] - first[0]);
    for (d, shapes) in shapes.iter_mut().enumerate() {
        for (lane, shape) in shapes[..lanes].iter_mut().enumerate() {
            let point = [first[0] + lane, first[1], first[2]].map(|i| i as i64);
            *shape = derivative::<U>(d).shape(|cell| kinds.at(cell), point, half_length);
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
