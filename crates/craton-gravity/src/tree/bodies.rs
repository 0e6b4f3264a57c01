//! The bodies of a tree.

use std::ops::Range;

use craton_device::{Isa, Scalar};

use super::moments::{Moments, OfPrisms};
use crate::{Prisms, Tesseroids};

/// Bodies in the order of a tree.
pub enum Bodies {
    Prisms(Prisms),
    Tesseroids(Tesseroids),
}

impl Bodies {
    /// A box that contains a body [m].
    pub fn bounds(&self, number: usize) -> [[f64; 2]; 3] {
        match self {
            Self::Prisms(prisms) => prisms.bounds(number),
            Self::Tesseroids(tesseroids) => tesseroids.enclosure(number),
        }
    }

    /// The middle of a body [m].
    pub fn middle(&self, number: usize) -> [f64; 3] {
        match self {
            Self::Prisms(prisms) => prisms.bounds(number).map(|[low, high]| 0.5 * (low + high)),
            Self::Tesseroids(tesseroids) => tesseroids.middle(number),
        }
    }

    /// Mass of a body [kg], and whether its density has both signs.
    pub fn mass(&self, number: usize) -> (f64, bool) {
        match self {
            Self::Prisms(prisms) => {
                let volume: f64 = prisms.bounds(number).iter().map(|[low, high]| high - low).product();
                (prisms.density()[number] * volume, false)
            }
            Self::Tesseroids(tesseroids) => tesseroids.mass(number),
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
        match self {
            Self::Prisms(prisms) => Box::new(f64::dispatch(isa, OfPrisms { prisms, run, centre, radius, masses })),
            Self::Tesseroids(tesseroids) => tesseroids.moments(run, &centre, radius, is_absolute, isa),
        }
    }
}
