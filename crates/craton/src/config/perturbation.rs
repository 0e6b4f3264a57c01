//! Three-dimensional perturbations of the Earth model.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::domain::Latitudes;

/// A three-dimensional perturbation of the Earth model, such as a tomographic model: wave speeds, densities and quality
/// factors over depth, latitude and longitude, in netCDF as in the IRIS EMC repository. It applies to every kind of model except
/// materials with 21 stiffnesses or Thomsen parameters.
///
/// The file has the coordinates `depth` (km or m, positive down from z = 0), `latitude` and `longitude` [degrees], with
/// any spacing and in any order; in a domain without projection, `x` and `y` instead. Values are interpolated linearly.
/// The file must cover the domain horizontally. Above its first and below its last depth Craton leaves the model
/// unchanged and warns. A file that begins at a depth of 0 or above is extended up to the ground.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Perturbation {
    /// The file: netCDF, classic or netCDF-4 (HDF5).
    #[schemars(example = &"tomography.nc")]
    pub file: PathBuf,
    /// Variable of the P-wave speed. If the scenario names no variable, Craton reads all variables with a usual
    /// name, such as `vp`, `dvp`, `dlnvp` or `qmu`; otherwise only the named ones. If the file has `vpv` and `vph`, or `vsv`
    /// and `vsh`, with or without a `d`, an isotropic model takes the Voigt average, with a warning; an anisotropic
    /// model takes each polarisation separately.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"dvp")]
    pub vp: Option<String>,
    /// Variable of the S-wave speed. In an anisotropic model, a single variable perturbs both polarisations alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"dvs")]
    pub vs: Option<String>,
    /// Variable of the density.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"rho")]
    pub rho: Option<String>,
    /// Variable of the quality factor of P waves, together with `qs` or `qmu`. Quality factors replace those of the
    /// model and have no effect without `[attenuation]`; 1/Q is interpolated linearly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"qp")]
    pub qp: Option<String>,
    /// Variable of the quality factor of S waves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"qs")]
    pub qs: Option<String>,
    /// Variable of the quality factor of the bulk modulus, instead of `qp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"qkappa")]
    pub qkappa: Option<String>,
    /// Variable of the quality factor of the shear modulus, instead of `qs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"qmu")]
    pub qmu: Option<String>,
    /// Units of speeds and densities; by default those of the attribute `units` of each variable. Relative units perturb
    /// the model; absolute ones replace it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub units: Option<PerturbationUnits>,
    /// Relative perturbations of properties without a variable.
    #[serde(default)]
    pub scaling: Scaling,
    /// Treatment of missing values (`missing_value`, `_FillValue`) within the domain.
    #[serde(default)]
    pub missing: MissingValues,
    /// Kind of latitude in the file, independent of that of the domain; with `domain.chunk`.
    #[serde(default)]
    pub latitudes: Latitudes,
}

/// Units of a perturbation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PerturbationUnits {
    /// Relative perturbation in per cent.
    Percent,
    /// Relative perturbation as a fraction: 0.02 is two per cent.
    Fraction,
    /// Speeds in km/s, densities in g/cm3; replace those of the model.
    KmS,
    /// Speeds in m/s, densities in kg/m3; replace those of the model.
    Si,
}

/// Relative perturbations of properties without a variable, as multiples of the perturbation of vs, or of vp if vs has
/// no variable. A property with neither variable nor factor does not change.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Scaling {
    /// dln(vp) / dln(vs).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -10.0, max = 10.0), example = 0.5)]
    pub vp: Option<f64>,
    /// dln(vs) / dln(vp).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -10.0, max = 10.0), example = 2.0)]
    pub vs: Option<f64>,
    /// dln(rho) / dln(vs), or dln(rho) / dln(vp).
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -10.0, max = 10.0), example = 0.33)]
    pub rho: Option<f64>,
}

/// Treatment of missing values within the domain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MissingValues {
    /// Reject the file.
    #[default]
    Refused,
    /// Leave the model unchanged there, with a warning; for relative perturbations only.
    Unchanged,
}
