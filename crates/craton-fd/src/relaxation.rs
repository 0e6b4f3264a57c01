//! Relaxation of the moduli of a grid: its mechanisms, and how their memory variables are distributed over the points.

use craton_device::{AlignedVec, Scalar};
use craton_fd_kernels::{COMPONENTS, FACTORS, MemorySet, Relaxation};
use craton_physics::decay;
use rayon::prelude::*;

use crate::boundary::Boundaries;
use crate::layout::Layout;
use crate::medium::Medium;
use crate::rows::{ends_of_row, rows_around};

/// A standard linear solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mechanism {
    /// Relaxation rate [rad/s].
    pub rate: f64,
    /// Coefficients Yκ and Yμ as polynomials of 1/Qκ and 1/Qμ: factors of 1/Q, 1/Q², 1/Q³ [–].
    pub polynomials: [[f64; 3]; 2],
}

/// Which mechanisms a point has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryPoints {
    /// One of them, in a pattern that repeats every two points along each axis.
    One,
    /// All of them.
    All,
}

/// The mechanisms of a grid.
#[derive(Debug, Clone, PartialEq)]
pub struct Mechanisms {
    /// Their rates and coefficients. If points have one of them, its coefficients are those at its points.
    pub mechanisms: Vec<Mechanism>,
    /// Which of them a point has.
    pub points: MemoryPoints,
}

impl MemoryPoints {
    /// Sets of memory variables, each with one per stress component of a point.
    pub fn sets(self, mechanisms: usize) -> usize {
        match self {
            Self::One => 1,
            Self::All => mechanisms,
        }
    }

    /// Fraction of the points that have each mechanism \[–\]; `None` if all have all.
    ///
    /// # Arguments
    /// * `mechanisms` – their number, at most 8
    pub fn shares(self, mechanisms: usize) -> Option<Vec<f64>> {
        let share = |own: usize| (0..8).filter(|&parity| mechanism_at(parity, mechanisms) == own).count() as f64 / 8.0;
        (self == Self::One).then(|| (0..mechanisms).map(share).collect())
    }
}

/// The mechanism of a point if each point has one: patterns in which strain concentrates almost equally for all directions of strain.
///
/// # Arguments
/// * `parity` – bit a is set if the index along axis a is odd
fn mechanism_at(parity: usize, mechanisms: usize) -> usize {
    match mechanisms {
        2 => [0, 0, 0, 1, 1, 1, 1, 0][parity],
        4 => [0, 1, 2, 3, 3, 2, 1, 0][parity],
        _ => parity % mechanisms,
    }
}

impl Mechanisms {
    /// Sets of memory variables, each with one per stress component of a point.
    pub fn sets(&self) -> usize {
        self.points.sets(self.mechanisms.len())
    }

    /// The factors of a set of memory variables in a block.
    fn set<T: Scalar>(&self, number: usize, layout: &Layout, dt: f64) -> MemorySet<T> {
        MemorySet::new(layout, |parity| {
            let own = match self.points {
                MemoryPoints::One => mechanism_at(parity, self.mechanisms.len()),
                MemoryPoints::All => number,
            };
            let Mechanism { rate, polynomials } = self.mechanisms[own];
            let [[a, b, c], [d, e, f]] = polynomials;
            let factors: [f64; FACTORS] = [decay(rate, dt), a, b, c, d, e, f];
            factors
        })
    }
}

/// Relaxation of the moduli of a block, if its medium has losses.
pub fn relaxation<T: Scalar>(
    medium: &Medium<T>,
    boundaries: &Boundaries,
    layout: &Layout,
    dt: f64,
) -> Option<Relaxation<T>> {
    let mechanisms = medium.mechanisms()?;
    let array = || AlignedVec::zeroed(layout.len());
    let (mut bulk, mut shear): (AlignedVec<T>, AlignedVec<T>) = (array(), array());
    let plane = layout.stride[2];
    let planes = bulk.par_chunks_mut(plane).zip(shear.par_chunks_mut(plane)).take(layout.planes_around());
    planes.enumerate().for_each(|(plane, (bulk, shear))| {
        for (first, start) in rows_around(layout, plane) {
            let row = start..start + layout.cells[0];
            medium.copy_losses(boundaries, first, [&mut bulk[row.clone()], &mut shear[row]]);
            for (cell, at) in ends_of_row(layout, first, start) {
                [bulk[at], shear[at]] = medium.losses_beyond(cell, boundaries);
            }
        }
    });
    let sets = (0..mechanisms.sets()).map(|number| mechanisms.set(number, layout, dt)).collect();
    Some(Relaxation { bulk, shear, sets })
}

/// Memory variables of a block at rest, `[set][component]`, with the layout of the fields.
pub fn memory<T: Scalar>(relaxation: Option<&Relaxation<T>>, layout: &Layout) -> Vec<AlignedVec<T>> {
    let sets = relaxation.map_or(0, |relaxation| relaxation.sets.len());
    (0..sets * COMPONENTS).map(|_| AlignedVec::zeroed(layout.len())).collect()
}
