//! Reduction of observed gravity.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bodies::ListFormat;

/// Reduction of gravity that was observed at the points to free-air, Bouguer and complete Bouguer anomalies. The points
/// are a list from a file. The bodies are the masses between the surface of the terrain and the datum, whose
/// attraction gives the terrain correction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reduction {
    /// Column of the observed gravity in the file of the points.
    #[serde(default = "observed")]
    #[schemars(example = &"g_obs")]
    pub observed: String,
    /// Unit of the observed gravity.
    #[serde(default)]
    pub unit: ObservedUnit,
    /// Column of the geodetic latitude in the file of the points [degrees]; not needed for points with a `projection`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"latitude")]
    pub latitude: Option<String>,
    /// Column of the heights for normal gravity [m]: heights above the ellipsoid for gravity disturbances; by default
    /// the heights z of the points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"h_ellipsoid")]
    pub height: Option<String>,
    /// The ellipsoid of normal gravity.
    #[serde(default)]
    pub ellipsoid: ReferenceEllipsoid,
    /// Density of the Bouguer slab [kg/m3].
    #[serde(default = "crust")]
    #[schemars(range(min = 0.0), example = 2670.0)]
    pub density: f64,
    /// Height of the datum [m], where the slab and the bodies end.
    #[serde(default)]
    #[schemars(example = 0.0)]
    pub datum: f64,
    /// Whether to bend the slab to a spherical cap of 166.7 km radius (Bullard's term B).
    #[serde(default = "yes")]
    pub curvature: bool,
    /// Radius around each station to which the terrain correction extends [m]: at least ten times the width of a column,
    /// and at most the distance from any station to the edge of the bodies. By default it extends to the edges of the bodies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1.0, max = 1e7), example = 20_000.0)]
    pub radius: Option<f64>,
    /// Whether to correct for the mass of the atmosphere.
    #[serde(default)]
    pub atmosphere: bool,
}

/// The ellipsoid of normal gravity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReferenceEllipsoid {
    /// Geodetic Reference System 1980.
    #[default]
    Grs80,
    /// World Geodetic System 1984.
    Wgs84,
}

/// A unit of observed gravity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ObservedUnit {
    /// mGal (1e-5 m/s2).
    #[default]
    Mgal,
    /// m/s2.
    Si,
}

impl Reduction {
    /// Whether the columns can be read from a list of this format.
    pub fn reads(format: ListFormat) -> bool {
        matches!(format, ListFormat::Table | ListFormat::Netcdf)
    }
}

fn observed() -> String {
    "gravity".to_owned()
}

fn crust() -> f64 {
    2670.0
}

fn yes() -> bool {
    true
}
