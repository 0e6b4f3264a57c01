//! What changes the Earth model in three dimensions.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::domain::Latitudes;

/// Changes of the Earth model in three dimensions, such as a tomography: speeds and densities on a grid of depths, latitudes and longitudes,
/// in netCDF as the Earth models of IRIS EMC are. Any kind of model may be changed but for 21 stiffnesses and a Thomsen material.
///
/// The file has the coordinates `depth` (km or m, positive down from z = 0), `latitude` and `longitude` [degrees], in steps of any size
/// and in any order; in a domain without projection `x` and `y` in their place. Between its points all is linear. The map must cover the
/// domain sideways; above its first and below its last depth the model is as it was, of which a warning tells. A map that begins at
/// a depth of 0 or above holds level up to the ground.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Perturbation {
    /// The file: netCDF, classic formats.
    #[schemars(example = &"tomography.nc")]
    pub file: PathBuf,
    /// Name of the variable of the P speed. Where none of `vp`, `vs` and `rho` is given, all are read that the file has by a usual name, such as
    /// `vp`, `dvp` or `dlnvp`; else those that are given, and no other. Of files that have `vpv` and `vph`, or `vsv` and `vsh`, with or without a `d`, a model without direction takes
    /// Voigt's mean, of which a warning tells, and one with a direction takes each polarisation for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"dvp")]
    pub vp: Option<String>,
    /// Name of the variable of the S speed. Of one variable, both polarisations of an anisotropic model change alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"dvs")]
    pub vs: Option<String>,
    /// Name of the variable of density.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"rho")]
    pub rho: Option<String>,
    /// What the values are; by default what the attribute `units` of each variable says. Changes are relative to the model; speeds and densities
    /// take the place of the model's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<PerturbationUnits>,
    /// Relative changes of what has no variable.
    #[serde(default)]
    pub scaling: Scaling,
    /// What becomes of missing values (`missing_value`, `_FillValue`) that the domain needs.
    #[serde(default)]
    pub missing: MissingValues,
    /// What the latitudes of the file are, whatever those of the domain are; with `domain.chunk`.
    #[serde(default)]
    pub latitudes: Latitudes,
}

/// What the values of a perturbation are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PerturbationUnits {
    /// Changes in per cent of what the model has.
    Percent,
    /// Changes as parts of what the model has: 0.02 for two per cent more.
    Fraction,
    /// Speeds in km/s, densities in g/cm3.
    KmS,
    /// Speeds in m/s, densities in kg/m3.
    Si,
}

/// Relative changes of what has no variable of its own, as so many times those of vs; where vs has none, of vp. What has neither variable nor factor
/// does not change.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Scaling {
    /// Change of vp for that of vs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -10.0, max = 10.0), example = 0.5)]
    pub vp: Option<f64>,
    /// Change of vs for that of vp.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -10.0, max = 10.0), example = 2.0)]
    pub vs: Option<f64>,
    /// Change of density for that of vs, or of vp.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -10.0, max = 10.0), example = 0.33)]
    pub rho: Option<f64>,
}

/// What becomes of missing values that the domain needs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MissingValues {
    /// They are refused.
    #[default]
    Refused,
    /// They change nothing, of which a warning tells; for relative changes only.
    Unchanged,
}
