//! Relaxation of the moduli of a grid: its mechanisms, and how their memory variables are distributed over the points.

use craton_device::{AlignedVec, Scalar};
use craton_fd_kernels::{COMPONENTS, FACTORS, MemorySet, Relaxation};
use craton_physics::{decay, relaxing_part};
use craton_sim::SourceMechanism;
use rayon::prelude::*;

use crate::boundary::Boundaries;
use crate::layout::Layout;
use crate::medium::Medium;
use crate::sources::PointSource;

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
    /// If points have one of them: strain of a point over the mean strain is 1 + c δ, where δ is the relaxed part of its modulus minus the mean; c of the
    /// bulk and the shear modulus [–].
    pub concentration: [f64; 2],
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

/// The mechanism of a point of the grid if each point has one.
pub fn mechanism_of(point: [usize; 3], mechanisms: usize) -> usize {
    mechanism_at(point[0] % 2 + 2 * (point[1] % 2) + 4 * (point[2] % 2), mechanisms)
}

impl Mechanisms {
    /// Sets of memory variables, each with one per stress component of a point.
    pub fn sets(&self) -> usize {
        self.points.sets(self.mechanisms.len())
    }

    /// The shares of a source at the points of each mechanism, so that it radiates as in a medium without a pattern: where strain concentrates, a moment
    /// radiates more. Isotropic and deviatoric parts have shares of their own.
    ///
    /// # Arguments
    /// * `dt` – time step [s]
    /// # Returns
    /// Sources, and the mechanism of the points at which they act; `None` for all points
    pub fn shares_of(&self, source: &PointSource, dt: f64) -> Vec<(PointSource, Option<usize>)> {
        let SourceMechanism::Moment(moment) = source.mechanism else { return vec![(source.clone(), None)] };
        let count = self.mechanisms.len();
        let Some(shares) = self.points.shares(count).filter(|_| count > 1) else { return vec![(source.clone(), None)] };
        let mean = (moment[0] + moment[1] + moment[2]) / 3.0;
        let [xx, yy, zz, yz, xz, xy] = moment;
        let parts = [[mean, mean, mean, 0.0, 0.0, 0.0], [xx - mean, yy - mean, zz - mean, yz, xz, xy]];
        let size = moment.iter().fold(0.0, |most: f64, m| most.max(m.abs()));
        let mut all = Vec::new();
        for (modulus, part) in parts.into_iter().enumerate() {
            if part.iter().all(|m| m.abs() < 1e-9 * size) {
                continue;
            }
            let relaxed = self.relaxed_histories(source, modulus, dt);
            let mean: Vec<f64> = (0..relaxed[0].len())
                .map(|step| relaxed.iter().zip(&shares).map(|(own, share)| share * own[step]).sum())
                .collect();
            for (mechanism, relaxed) in relaxed.iter().enumerate() {
                let at = |step: usize| source.history.get(step).or(source.history.last()).copied().unwrap_or(0.0);
                let c = self.concentration[modulus];
                let history = (0..mean.len()).map(|step| at(step) - c * (relaxed[step] - mean[step])).collect();
                let own = PointSource { mechanism: SourceMechanism::Moment(part), history, ..source.clone() };
                all.push((own, Some(mechanism)));
            }
        }
        all
    }

    /// What the modulus at the points of each mechanism relaxes of a source's time function, until all has relaxed.
    fn relaxed_histories(&self, source: &PointSource, modulus: usize, dt: f64) -> Vec<Vec<f64>> {
        /// Multiple of the longest relaxation time after which little is left to relax.
        const LATE: f64 = 5.0;
        let slowest = self.mechanisms.iter().map(|own| own.rate).fold(f64::INFINITY, f64::min);
        let steps = source.history.len() + (LATE / slowest / dt) as usize;
        let of_mechanism = |Mechanism { rate, polynomials }: &Mechanism| {
            let (decay, part) = (decay(*rate, dt), relaxing_part(source.losses[modulus], polynomials[modulus]));
            let (mut own, mut before) = (0.0, 0.0);
            let history = (0..steps).map(|step| {
                let value = source.history.get(step).or(source.history.last()).copied().unwrap_or(0.0);
                own = decay * own + 0.5 * (1.0 - decay) * (value + before);
                before = value;
                part * own
            });
            history.collect()
        };
        self.mechanisms.iter().map(of_mechanism).collect()
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
        for (cell, at) in layout.plane_around(plane) {
            [bulk[at], shear[at]] = medium.losses_beyond(cell, boundaries);
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
