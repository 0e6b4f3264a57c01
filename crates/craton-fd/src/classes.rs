//! Which stencil each point has, stored for groups of points along x.
//!
//! A group has nine derivatives, each with the half-lengths of its points: a *pattern*, for which the coefficients stand in a table lane by
//! lane, zeros beyond the half-length. Nine patterns make a *class*, and a group holds the number of its class: four bytes for sixteen points.
//! So contacts, topography and sides cost the kernel nothing but these numbers, and all groups far from them share one class.

use std::collections::HashMap;

use craton_device::{AlignedVec, Scalar};
use craton_numerics::staggered::StaggeredStencil;
use rayon::prelude::*;

use crate::error::FdError;
use crate::layout::{GROUP, Layout};
use crate::medium::Kind;
use crate::reach::Derivative;
use crate::sweep::Update;

/// Half-lengths of the points of a group for one derivative.
type Reaches = [u8; GROUP];

/// Coefficients of every half-length up to the longest.
#[derive(Debug, Clone)]
pub struct Stencils {
    by_reach: Vec<StaggeredStencil>,
}

impl Stencils {
    /// The stencil asked for, and Taylor's for those that must be shorter.
    ///
    /// # Errors
    /// None but those of [`StaggeredStencil::taylor`].
    pub fn new(longest: &StaggeredStencil) -> Result<Self, FdError> {
        let shorter = (1..longest.half_length()).map(StaggeredStencil::taylor);
        let by_reach = shorter.chain([Ok(longest.clone())]).collect::<Result<_, _>>()?;
        Ok(Self { by_reach })
    }

    /// The longest half-length.
    pub fn longest(&self) -> usize {
        self.by_reach.len()
    }

    /// Coefficients of half-length `reach`.
    pub fn coefficients(&self, reach: usize) -> &[f64] {
        self.by_reach[reach - 1].coefficients()
    }

    /// Largest sum of absolute coefficients.
    pub fn absolute_sum(&self) -> f64 {
        self.by_reach.iter().map(StaggeredStencil::absolute_sum).fold(0.0, f64::max)
    }
}

/// The stencils of all points of a block for one half of the step.
pub struct Classes<T: Scalar> {
    /// Class of each group, `[k][j][group]`.
    groups: Vec<u32>,
    rows: usize,
    per_row: usize,
    /// Patterns of each class: derivative of row c along axis a at 3 c + a.
    patterns: Vec<[u32; 9]>,
    /// Coefficients of each pattern over the spacing [1/m], `[m][lane]`.
    coefficients: AlignedVec<T>,
    pattern_len: usize,
}

impl<T: Scalar> Classes<T> {
    /// Looks at the cells around every point of a block.
    ///
    /// # Arguments
    /// * `kinds` – of all cells of the block and its halo, as the arrays stand
    pub fn new<U: Update>(layout: &Layout, kinds: &[Kind], stencils: &Stencils, spacing: [f64; 3]) -> Self {
        let [_, rows, planes] = layout.extent();
        let per_row = layout.groups();
        let mut reaches = vec![[[0; GROUP]; 9]; rows * per_row];
        let (mut patterns, mut classes) = (Numbered::default(), Numbered::default());
        let mut groups = Vec::with_capacity(planes * rows * per_row);
        for k in 0..planes {
            reaches.par_iter_mut().enumerate().for_each(|(group, reaches)| {
                let (i, j) = (group % per_row * GROUP, group / per_row);
                *reaches = group_reaches::<U>(layout, kinds, [i, j, k], stencils.longest());
            });
            for group in &reaches {
                let class = std::array::from_fn(|d| patterns.number((d % 3, group[d])));
                groups.push(classes.number(class));
            }
        }
        let pattern_len = stencils.longest() * GROUP;
        let mut coefficients = AlignedVec::zeroed(patterns.list.len() * pattern_len);
        for (taps, (axis, reaches)) in coefficients.chunks_exact_mut(pattern_len).zip(&patterns.list) {
            for (lane, &reach) in reaches.iter().enumerate() {
                for (m, c) in stencils.coefficients(usize::from(reach)).iter().enumerate() {
                    taps[m * GROUP + lane] = T::from_f64(c / spacing[*axis]);
                }
            }
        }
        Self { groups, rows, per_row, patterns: classes.list, coefficients, pattern_len }
    }

    /// Classes of the groups of row (j, k).
    #[inline(always)]
    pub fn row(&self, j: usize, k: usize) -> &[u32] {
        &self.groups[(k * self.rows + j) * self.per_row..][..self.per_row]
    }

    /// Coefficients of the nine derivatives of a class, `[m][lane]` each.
    #[inline(always)]
    pub fn coefficients(&self, class: u32) -> [&[T]; 9] {
        self.patterns[class as usize]
            .map(|pattern| &self.coefficients[pattern as usize * self.pattern_len..][..self.pattern_len])
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        4 * self.groups.len() + 36 * self.patterns.len() + self.coefficients.bytes()
    }
}

/// Half-lengths of the nine derivatives at the points of a group.
fn group_reaches<U: Update>(layout: &Layout, kinds: &[Kind], first: [usize; 3], longest: usize) -> [Reaches; 9] {
    let mut reaches = [[longest as u8; GROUP]; 9];
    if is_calm(layout, kinds, first, longest) {
        return reaches;
    }
    let kind = |cell| kinds[layout.at(cell)];
    let lanes = GROUP.min(layout.extent()[0] - first[0]);
    for (d, reaches) in reaches.iter_mut().enumerate() {
        let derivative = Derivative { target: U::target(d / 3, d % 3), axis: d % 3 };
        for (lane, reach) in reaches[..lanes].iter_mut().enumerate() {
            let point = [first[0] + lane, first[1], first[2]].map(|i| i as i64);
            *reach = derivative.reach(kind, point, longest) as u8;
        }
    }
    reaches
}

/// Whether all cells that the stencils of a group may touch are of one kind.
fn is_calm(layout: &Layout, kinds: &[Kind], [i, j, k]: [usize; 3], longest: usize) -> bool {
    let start = layout.at([i as i64, j as i64, k as i64]);
    let [_, row, plane] = layout.stride;
    let kind = kinds[start];
    if i + GROUP + longest > layout.cells[0] + layout.halo {
        return false;
    }
    let run =
        |at: usize, before: usize, after: usize| kinds[at - before..at + GROUP + after].iter().all(|&k| k == kind);
    let cross = [row, plane].into_iter().zip([plane, row]).all(|(along, across)| {
        (0..2 * longest).all(|l| {
            let at = start + l * along - longest * along;
            run(at, 1, 0) && run(at - across, 1, 0)
        })
    });
    cross && [0, row, plane, row + plane].into_iter().all(|back| run(start - back, longest, longest - 1))
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
