//! Substeps of nodes inside a time step of the run.
//!
//! In a step of length Δt from displacement u and velocity v, a node of level 0 moves with the force F(u) at its beginning: v += Δt F/M, u += Δt v. A node of
//! a higher level replaces F by a mean over the step. The step has two halves, and each half is a step of the next level that starts at rest:
//!
//! ```text
//! mean force of a step from u:  a = τ/M · mean force of the first half, from u
//!                               b = τ/M · mean force of the second half, from u + η τ a/2
//!                               (a + b)/2 · M/τ        τ: length of a half
//! ```
//!
//! and so on to the level of the node, whose forces are those of its elements. Elements at nodes of several levels are computed at the highest one; nodes of
//! lower levels stay where they are and take the mean. The step of the whole mesh is then a leapfrog step u″ = -Ã u, where Ã is symmetric and has no
//! eigenvalue above 4/Δt² or below 0: a discrete energy is conserved. With η = 1 the order in Δt remains two; `levels::Order` explains how a choice of η makes
//! it four if all nodes have substeps.
//!
//! # Source
//! Diaz and Grote (2009), SIAM J. Sci. Comput. 31; Rietmann et al. (2015), J. Comput. Phys. 300, for nested levels. The form with the changes `a` and `b`, which
//! single precision does not spoil, is Craton's own, as is the choice of η.

use craton_device::Scalar;

use crate::levels::{MOST_LEVELS, Order};

/// The substeps of nodes of one level above 0.
#[derive(Clone, Copy)]
pub struct Substeps<T> {
    pub level: u8,
    /// Length of the whole step [s].
    dt: T,
    /// η τ/2 of the halves whose changes a node keeps, from the finest level down.
    reach: [T; MOST_LEVELS as usize],
}

impl<T: Scalar> Substeps<T> {
    pub fn new(order: Order, level: u8, dt: f64) -> Self {
        let of_bit = |bit: u8| {
            let depth = level.checked_sub(bit).filter(|&depth| depth > 0)?;
            Some(T::from_f64(0.5 * order.damping(level, depth) * dt / f64::from(1 << depth)))
        };
        Self { level, dt: T::from_f64(dt), reach: std::array::from_fn(|bit| of_bit(bit as u8).unwrap_or_default()) }
    }

    /// η τ/2 of the halves whose changes a node keeps, from the finest level down; 0 beyond them.
    pub fn reach(&self) -> &[T] {
        &self.reach
    }

    /// Number of substeps in a step.
    pub fn per_step(&self) -> f64 {
        f64::from(1 << self.level)
    }

    /// Values that a node keeps during a step, for `width` values of displacement: where it started, and the change of its velocity in the first half on each
    /// level.
    pub fn kept(&self, width: usize) -> usize {
        (1 + usize::from(self.level)) * width
    }

    /// Moves a node to its next substep.
    ///
    /// # Arguments
    /// * `substep` – number of the substep that ends, from 0
    /// * `change` – τ F/M of this substep
    /// * `kept` – see [`Self::kept`]
    /// * `damped` – the change of velocity of the whole step, given its change without damping
    #[inline(always)]
    pub fn advance<const W: usize>(
        &self,
        substep: usize,
        mut change: [T; W],
        kept: &mut [T],
        [u, v]: [&mut [T; W]; 2],
        damped: impl FnOnce([T; W], [T; W]) -> [T; W],
    ) {
        let (start, halves) = kept.split_at_mut(W);
        let halves = halves.as_chunks_mut::<W>().0;
        if substep == 0 {
            start.copy_from_slice(u);
        }
        let second = substep.trailing_ones() as usize;
        for half in &halves[..second] {
            (0..W).for_each(|c| change[c] = half[c] + change[c]);
        }
        if second == usize::from(self.level) {
            let change = damped(change, *v);
            for c in 0..W {
                v[c] = (v[c] + change[c]).without_negligible();
                u[c] = (start[c] + self.dt * v[c]).without_negligible();
            }
            return;
        }
        halves[second] = change.map(Scalar::without_negligible);
        u.copy_from_slice(start);
        for (bit, half) in halves.iter().enumerate().filter(|(bit, _)| (substep + 1) >> bit & 1 == 1) {
            (0..W).for_each(|c| u[c] = u[c] + self.reach[bit] * half[c]);
        }
    }
}

/// A substep of the run: the time step is divided into 2^`finest` of them.
#[derive(Debug, Clone, Copy)]
pub struct Tick {
    /// Highest level of the mesh.
    pub finest: u8,
    /// Number of the substep in its step, from 0.
    pub number: usize,
}

impl Tick {
    /// All substeps of a step.
    pub fn all(finest: u8) -> impl Iterator<Item = Self> {
        (0..1 << finest).map(move |number| Self { finest, number })
    }

    /// Whether elements of a level are computed at its beginning.
    pub fn computes(self, level: u8) -> bool {
        self.number.is_multiple_of(self.length(level))
    }

    /// Whether nodes of a level move at its end.
    pub fn moves(self, level: u8) -> bool {
        (self.number + 1).is_multiple_of(self.length(level))
    }

    /// Whether it is the last one of its step.
    pub fn is_last(self) -> bool {
        self.moves(0)
    }

    /// Number of depths at which the substep of a level in which it lies ends a second half, counted from the finest level.
    pub fn halves_ended(self, level: u8) -> usize {
        self.of_level(level).trailing_ones().min(level.into()) as usize
    }

    /// Number of the substep of a level in which it lies.
    pub fn of_level(self, level: u8) -> usize {
        self.number >> (self.finest - level)
    }

    /// Number of these substeps in one of a level.
    fn length(self, level: u8) -> usize {
        1 << (self.finest - level)
    }
}
