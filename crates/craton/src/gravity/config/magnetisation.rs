//! Magnetisation of the bodies of a problem.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The magnetisation of the bodies, for magnetic fields. The problem is then a magnetic one: `fields` are `tfa`, `b_e`
/// and the others that begin with `b_` and `tfa_`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Magnetisation {
    /// The main field of the Earth, which induces magnetisation and gives the direction of the total-field anomaly.
    pub field: MainField,
    /// The magnetisation of each body, in the order of the bodies.
    #[serde(rename = "body")]
    #[schemars(length(min = 1))]
    pub bodies: Vec<BodyMagnetisation>,
}

/// The main field of the Earth, uniform over the region.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MainField {
    /// The field by its intensity and direction.
    Given(GivenField),
    /// The International Geomagnetic Reference Field IGRF-14.
    Igrf(IgrfField),
}

/// The main field by its intensity and direction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GivenField {
    /// Intensity [nT].
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e6), example = 48000.0)]
    pub intensity: f64,
    /// Angle below the horizontal [degrees], positive down.
    #[schemars(range(min = -90.0, max = 90.0), example = 62.5)]
    pub inclination: f64,
    /// Angle of the horizontal component from the y axis, clockwise [degrees].
    #[schemars(range(min = -360.0, max = 360.0), example = -3.0)]
    pub declination: f64,
}

/// The main field of IGRF-14 at a date and a place, with y to the true north.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IgrfField {
    /// Date, from 1900-01-01 to 2030-01-01.
    #[schemars(example = &"2025-06-30")]
    pub date: String,
    /// Longitude [degrees].
    #[schemars(range(min = -360.0, max = 360.0), example = 19.94)]
    pub longitude: f64,
    /// Geodetic latitude [degrees].
    #[schemars(range(min = -90.0, max = 90.0), example = 50.06)]
    pub latitude: f64,
    /// Height above the ellipsoid [m].
    #[serde(default)]
    #[schemars(range(min = -1e4, max = 1e6), example = 300.0)]
    pub height: f64,
}

/// The magnetisation of a body: induced and remanent magnetisation add up.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BodyMagnetisation {
    /// Volume susceptibility (SI) of all prisms of the body.
    #[schemars(range(min = -1.0, max = 1e3), example = 0.05)]
    pub susceptibility: f64,
    /// Factor from the densities of the body to an additional susceptibility: 1 for a body whose densities are
    /// susceptibilities, such as a UBC-GIF model of susceptibility (with a `density_factor` of 1). Prisms with density 0
    /// are left out of meshes.
    #[schemars(example = 1.0)]
    pub susceptibility_per_density: f64,
    /// Remanent magnetisation of all prisms of the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remanent: Option<Remanent>,
    /// Table with the remanent magnetisation of each prism of the body, in their order: columns `m_e`, `m_n` and `m_u`
    /// [A/m].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"remanence.csv")]
    pub vectors: Option<PathBuf>,
}

/// A remanent magnetisation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Remanent {
    /// Intensity [A/m].
    #[schemars(range(min = 0.0), example = 2.5)]
    pub intensity: f64,
    /// Angle below the horizontal [degrees], positive down.
    #[schemars(range(min = -90.0, max = 90.0), example = -40.0)]
    pub inclination: f64,
    /// Angle of the horizontal component from the y axis, clockwise [degrees].
    #[schemars(range(min = -360.0, max = 360.0), example = 170.0)]
    pub declination: f64,
}
