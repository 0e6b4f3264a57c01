//! Stretching of derivatives by absorbing layers, at groups of points.

use craton_device::Lanes;

use super::row::{Group, groups, groups_mut};
use super::{SlabTile, Update};
use crate::layers::stretched;
use crate::layout::GROUP;

/// The part of a slab in a row of points.
pub struct Stretch<'a, V: Lanes, const N: usize> {
    /// Memory variables of N derivatives, from the row's group `first` on.
    memory: [&'a mut [Group<V::Scalar>]; N],
    factors: [Factors<'a, V>; N],
    first: usize,
}

/// Decay, gain and inverse stretch: one per point if the layer is normal to x, else the same for a row.
#[derive(Clone, Copy)]
pub enum Factors<'a, V: Lanes> {
    /// One per point.
    Along([&'a [Group<V::Scalar>]; 3]),
    /// The same for all points.
    Across([V; 3]),
}

impl<'a, V: Lanes> Stretch<'a, V, 3> {
    /// Creates the part in row [j, k]; `None` if the slab contains no point of the row.
    #[inline(always)]
    pub fn new<U: Update>(tile: &'a mut SlabTile<V::Scalar>, [j, k]: [usize; 2]) -> Option<Self> {
        let SlabTile { slab, first, memory } = tile;
        let (place, first_x) = slab.row(j, k, *first)?;
        let (width, count) = (slab.width(), slab.width() / GROUP);
        let (x, rest) = memory[place..][..3 * width].split_at_mut(width);
        let (y, z) = rest.split_at_mut(width);
        let [of_x, of_y, of_z] = [0, 1, 2].map(|c| slab.factors_of(U::target(c, slab.axis())));
        let factors = match slab.axis() {
            0 => [along(of_x, count), along(of_y, count), along(of_z, count)],
            axis => {
                let at = [0, j, k][axis] - slab.range.start;
                [across(of_x, at), across(of_y, at), across(of_z, at)]
            }
        };
        let memory = [groups_mut(x, 0, count), groups_mut(y, 0, count), groups_mut(z, 0, count)];
        Some(Self { memory, factors, first: first_x / GROUP })
    }
}

impl<'a, V: Lanes, const N: usize> Stretch<'a, V, N> {
    /// Creates it from memory variables that begin at the row's group `first`.
    #[inline(always)]
    pub fn of(memory: [&'a mut [Group<V::Scalar>]; N], factors: [Factors<'a, V>; N], first: usize) -> Self {
        Self { memory, factors, first }
    }

    /// Advances the memory variables and stretches the derivatives along the slab's axis, if the slab contains the group.
    #[inline(always)]
    pub fn apply(&mut self, group: usize, lane: usize, slopes: [&mut V; N]) {
        let group = group.wrapping_sub(self.first);
        if group >= self.memory[0].len() {
            return;
        }
        for (c, slope) in slopes.into_iter().enumerate() {
            let memory = &mut self.memory[c][group];
            let factors = match &self.factors[c] {
                Factors::Along([decay, gain, inverse]) => {
                    [V::load(&decay[group], lane), V::load(&gain[group], lane), V::load(&inverse[group], lane)]
                }
                Factors::Across(factors) => *factors,
            };
            let (moved, value) = stretched(factors, V::load(memory, lane), *slope);
            moved.store(memory, lane);
            *slope = value;
        }
    }
}

/// Factors of the points of a row from a slab's first one on.
#[inline(always)]
pub fn along<V: Lanes>([decay, gain, inverse]: [&[V::Scalar]; 3], count: usize) -> Factors<'_, V> {
    Factors::Along([groups(decay, 0, count), groups(gain, 0, count), groups(inverse, 0, count)])
}

#[inline(always)]
fn across<'a, V: Lanes>([decay, gain, inverse]: [&[V::Scalar]; 3], at: usize) -> Factors<'a, V> {
    Factors::Across([V::splat(decay[at]), V::splat(gain[at]), V::splat(inverse[at])])
}
