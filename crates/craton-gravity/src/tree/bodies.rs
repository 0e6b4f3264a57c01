//! The bodies of a tree.

use std::ops::Range;

use craton_device::{Isa, Scalar};

use super::moments::{COUNT, DEGREE, Moments, OfPrisms, place};
use crate::magnetics::{FACTOR, Magnetisation};
use crate::{GRAVITATIONAL_CONSTANT, Prisms, Tesseroids};

/// Bodies in the order of a tree.
pub enum Bodies {
    Prisms(Prisms),
    Tesseroids(Tesseroids),
    /// Magnetised prisms. Their mass is the length of their dipole moment [A m²], their attraction the flux density [T], and their tensor its gradient.
    Magnetised(Prisms, Magnetisation),
}

impl Bodies {
    /// Factor of the fields per unit of mass: the constant of gravitation, or μ₀/4π.
    pub fn strength(&self) -> f64 {
        match self {
            Self::Prisms(_) | Self::Tesseroids(_) => GRAVITATIONAL_CONSTANT,
            Self::Magnetised(..) => FACTOR,
        }
    }

    /// Order of the sources: 0 for masses, 1 for dipoles.
    pub fn order(&self) -> usize {
        usize::from(matches!(self, Self::Magnetised(..)))
    }

    /// A box that contains a body [m].
    pub fn bounds(&self, number: usize) -> [[f64; 2]; 3] {
        match self {
            Self::Prisms(prisms) | Self::Magnetised(prisms, _) => prisms.bounds(number),
            Self::Tesseroids(tesseroids) => tesseroids.enclosure(number),
        }
    }

    /// The middle of a body [m].
    pub fn middle(&self, number: usize) -> [f64; 3] {
        match self {
            Self::Prisms(prisms) | Self::Magnetised(prisms, _) => {
                prisms.bounds(number).map(|[low, high]| 0.5 * (low + high))
            }
            Self::Tesseroids(tesseroids) => tesseroids.middle(number),
        }
    }

    /// Mass of a body [kg], and whether its density has both signs.
    pub fn mass(&self, number: usize) -> (f64, bool) {
        let volume = |prisms: &Prisms| prisms.bounds(number).iter().map(|[low, high]| high - low).product::<f64>();
        match self {
            Self::Prisms(prisms) => (prisms.density()[number] * volume(prisms), false),
            Self::Tesseroids(tesseroids) => tesseroids.mass(number),
            // Dipoles have no sign.
            Self::Magnetised(prisms, magnetisation) => {
                (magnetisation.get(number).into_iter().fold(0.0, f64::hypot) * volume(prisms), true)
            }
        }
    }

    /// Moments of a run of bodies about a centre, with lengths in units of `radius`.
    ///
    /// # Arguments
    /// * `masses` – masses of the run [kg]; absolute ones if `is_absolute`
    pub fn moments(
        &self,
        run: Range<usize>,
        (centre, radius): ([f64; 3], f64),
        masses: &[f64],
        is_absolute: bool,
        isa: Isa,
    ) -> Box<Moments> {
        let of_prisms = |prisms: &Prisms, masses: &[f64]| {
            f64::dispatch(isa, OfPrisms { prisms, run: run.clone(), centre, radius, masses })
        };
        match self {
            Self::Prisms(prisms) => Box::new(of_prisms(prisms, masses)),
            Self::Tesseroids(tesseroids) => tesseroids.moments(run, &centre, radius, is_absolute, isa),
            Self::Magnetised(prisms, _) if is_absolute => Box::new(of_prisms(prisms, masses)),
            Self::Magnetised(prisms, magnetisation) => {
                let along = |axis: usize| {
                    let moment = |number: usize| {
                        let volume: f64 = prisms.bounds(number).iter().map(|[low, high]| high - low).product();
                        magnetisation.get(number)[axis] * volume
                    };
                    of_prisms(prisms, &run.clone().map(moment).collect::<Vec<f64>>())
                };
                of_dipoles(&[along(0), along(1), along(2)], radius)
            }
        }
    }
}

/// Moments of dipoles, from the moments of their components as masses: a dipole m has -m · ∇ of a monomial.
///
/// Their potential, with 1/4π instead of G, is then that of -∇ · M, and its gradient is B per μ₀, because B = -μ₀ ∇U outside the prisms for the scalar
/// potential U.
fn of_dipoles(components: &[Moments; 3], radius: f64) -> Box<Moments> {
    let mut moments = Box::new([0.0; COUNT]);
    for i in 0..=DEGREE {
        for j in 0..=DEGREE - i {
            for k in 0..=DEGREE - i - j {
                let powers = [i, j, k];
                let slope = |axis: usize| {
                    let mut lower = powers;
                    lower[axis] = powers[axis].checked_sub(1)?;
                    Some(powers[axis] as f64 * components[axis][place(lower)])
                };
                moments[place(powers)] = -(0..3).filter_map(slope).sum::<f64>() / radius;
            }
        }
    }
    moments
}
