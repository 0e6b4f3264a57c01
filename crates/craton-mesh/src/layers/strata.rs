//! Interfaces of strata: elevations, thicknesses, and the refusal of strata that pinch out or cross.

use super::spec::Stratum;
use crate::error::MeshError;

/// Minimum thickness of a stratum relative to its mean.
const THINNEST: f64 = 0.01;

/// A stratum approximated by mean elevations and the range of its thickness, for planning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Slab {
    /// Mean elevation of the upper interface [m]
    pub(crate) top: f64,
    /// Mean elevation of the lower interface [m]
    pub(crate) bottom: f64,
    /// Largest thickness over mean thickness
    pub(crate) stretch: f64,
    /// Smallest thickness over mean thickness
    pub(crate) shrink: f64,
}

impl Slab {
    /// Mean thickness [m].
    pub(crate) fn thickness(&self) -> f64 {
        self.top - self.bottom
    }
}

/// Strata above a flat bottom.
#[derive(Clone, Copy)]
pub(crate) struct Strata<'a> {
    pub(crate) strata: &'a [Stratum<'a>],
    /// Elevation of the bottom [m]
    pub(crate) bottom: f64,
}

impl Strata<'_> {
    /// Samples all interfaces at these points x, y [m].
    pub(crate) fn survey(&self, points: &[[f64; 2]]) -> Result<Vec<Slab>, MeshError> {
        (0..self.strata.len()).map(|stratum| self.survey_stratum(stratum, points)).collect()
    }

    fn survey_stratum(&self, stratum: usize, points: &[[f64; 2]]) -> Result<Slab, MeshError> {
        let mut sums = [0.0; 2];
        let (mut thinnest, mut thickest) = ((f64::INFINITY, [0.0; 2]), f64::NEG_INFINITY);
        for &place in points {
            let [top, bottom] = [self.elevation(stratum, place)?, self.elevation(stratum + 1, place)?];
            sums = [sums[0] + top, sums[1] + bottom];
            thickest = thickest.max(top - bottom);
            if top - bottom < thinnest.0 {
                thinnest = (top - bottom, place);
            }
        }
        let [top, bottom] = sums.map(|sum| sum / points.len() as f64);
        let slab = Slab { top, bottom, stretch: thickest / (top - bottom), shrink: thinnest.0 / (top - bottom) };
        refuse_thin(&slab, stratum, thinnest.1, thinnest.0)?;
        Ok(slab)
    }

    /// Elevation [m] of an interface at (x, y): 0 is the topography, the last one is the bottom.
    fn elevation(&self, interface: usize, [x, y]: [f64; 2]) -> Result<f64, MeshError> {
        let value = match self.strata.get(interface) {
            Some(stratum) => stratum.top.elevation(x, y),
            None => self.bottom,
        };
        if value.is_finite() { Ok(value) } else { Err(MeshError::InterfaceNotFinite { interface, x, y, value }) }
    }

    /// Elevation [m] of a point at the fraction `depth` (0 at its top, 1 at its bottom) of a stratum.
    pub(crate) fn inside(&self, slabs: &[Slab], stratum: usize, depth: f64, place: [f64; 2]) -> Result<f64, MeshError> {
        let [top, bottom] = [self.elevation(stratum, place)?, self.elevation(stratum + 1, place)?];
        refuse_thin(&slabs[stratum], stratum, place, top - bottom)?;
        Ok(lerp([top, bottom], depth))
    }
}

fn refuse_thin(slab: &Slab, stratum: usize, [x, y]: [f64; 2], thickness: f64) -> Result<(), MeshError> {
    let least = THINNEST * slab.thickness().max(0.0);
    if thickness > 0.0 && thickness >= least {
        return Ok(());
    }
    Err(MeshError::StrataCross { upper: stratum, lower: stratum + 1, x, y, thickness, least })
}

/// Linear interpolation, exact at both ends.
pub(crate) fn lerp([low, high]: [f64; 2], along: f64) -> f64 {
    low * (1.0 - along) + high * along
}
