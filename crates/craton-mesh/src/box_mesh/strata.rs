//! Interfaces of strata: elevations, thicknesses, and the refusal of strata that pinch out or cross.

use super::spec::BoxSpec;
use crate::error::MeshError;

/// Number of points along each side of the box at which the interfaces are sampled for planning.
const SAMPLES: usize = 65;

/// Minimum thickness of a stratum relative to its mean.
const THINNEST: f64 = 0.01;

/// A stratum approximated by mean elevations and the range of its thickness, for planning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Slab {
    /// Mean elevation of the upper interface [m]
    pub(super) top: f64,
    /// Mean elevation of the lower interface [m]
    pub(super) bottom: f64,
    /// Largest thickness over mean thickness
    pub(super) stretch: f64,
    /// Smallest thickness over mean thickness
    pub(super) shrink: f64,
}

impl Slab {
    /// Mean thickness [m].
    pub(super) fn thickness(&self) -> f64 {
        self.top - self.bottom
    }
}

/// Samples all interfaces on a regular grid.
pub(super) fn survey(spec: &BoxSpec) -> Result<Vec<Slab>, MeshError> {
    (0..spec.strata.len()).map(|stratum| survey_stratum(spec, stratum)).collect()
}

fn survey_stratum(spec: &BoxSpec, stratum: usize) -> Result<Slab, MeshError> {
    let mut sums = [0.0; 2];
    let (mut thinnest, mut thickest) = ((f64::INFINITY, [0.0; 2]), f64::NEG_INFINITY);
    for index in 0..SAMPLES * SAMPLES {
        let along = [index % SAMPLES, index / SAMPLES].map(|i| i as f64 / (SAMPLES - 1) as f64);
        let [x, y] = [lerp(spec.x, along[0]), lerp(spec.y, along[1])];
        let top = elevation(spec, stratum, x, y)?;
        let bottom = elevation(spec, stratum + 1, x, y)?;
        sums = [sums[0] + top, sums[1] + bottom];
        thickest = thickest.max(top - bottom);
        if top - bottom < thinnest.0 {
            thinnest = (top - bottom, [x, y]);
        }
    }
    let [top, bottom] = sums.map(|sum| sum / (SAMPLES * SAMPLES) as f64);
    let slab = Slab { top, bottom, stretch: thickest / (top - bottom), shrink: thinnest.0 / (top - bottom) };
    refuse_thin(&slab, stratum, thinnest.1, thinnest.0)?;
    Ok(slab)
}

/// Elevation [m] of an interface at (x, y): 0 is the topography, the last one is the bottom of the box.
fn elevation(spec: &BoxSpec, interface: usize, x: f64, y: f64) -> Result<f64, MeshError> {
    let value = match spec.strata.get(interface) {
        Some(stratum) => stratum.top.elevation(x, y),
        None => spec.bottom,
    };
    if value.is_finite() { Ok(value) } else { Err(MeshError::InterfaceNotFinite { interface, x, y, value }) }
}

fn refuse_thin(slab: &Slab, stratum: usize, [x, y]: [f64; 2], thickness: f64) -> Result<(), MeshError> {
    let least = THINNEST * slab.thickness().max(0.0);
    if thickness > 0.0 && thickness >= least {
        return Ok(());
    }
    Err(MeshError::StrataCross { upper: stratum, lower: stratum + 1, x, y, thickness, least })
}

/// Elevation [m] of a point at the fraction `depth` (0 at its top, 1 at its bottom) of a stratum.
pub(super) fn elevation_inside(
    spec: &BoxSpec,
    slabs: &[Slab],
    stratum: usize,
    depth: f64,
    [x, y]: [f64; 2],
) -> Result<f64, MeshError> {
    let top = elevation(spec, stratum, x, y)?;
    let bottom = elevation(spec, stratum + 1, x, y)?;
    refuse_thin(&slabs[stratum], stratum, [x, y], top - bottom)?;
    Ok(lerp([top, bottom], depth))
}

/// Linear interpolation, exact at both ends.
pub(super) fn lerp([low, high]: [f64; 2], along: f64) -> f64 {
    low * (1.0 - along) + high * along
}
