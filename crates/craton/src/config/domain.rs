//! The box of the simulation, and how degrees become metres.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The box that is simulated, x east, y north, z up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Domain {
    /// West and east ends [m].
    #[schemars(inner(range(min = -1e9, max = 1e9)), extend("examples" = [[-4000.0, 14000.0]]))]
    pub x: [f64; 2],
    /// South and north ends [m].
    #[schemars(inner(range(min = -1e9, max = 1e9)), extend("examples" = [[-4000.0, 14000.0]]))]
    pub y: [f64; 2],
    /// Bottom and top [m]. With `topography`, the grid is the top and must lie between the two.
    #[schemars(inner(range(min = -1e9, max = 1e9)), extend("examples" = [[-12000.0, 0.0]]))]
    pub z: [f64; 2],
    /// Elevation of the top as a grid over x and y: ESRI ascii, or text of x y z [m]. With a projection it may be over longitude and latitude.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = "valley.asc")]
    pub topography: Option<PathBuf>,
    /// How longitude and latitude become x and y.
    #[serde(default)]
    pub projection: Projection,
}

/// How longitude and latitude become x and y.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Projection {
    /// Every position is in metres.
    #[default]
    None,
    /// Universal transverse Mercator on the WGS84 ellipsoid.
    Utm(Utm),
}

/// A zone of the universal transverse Mercator projection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Utm {
    /// Number of the zone.
    #[schemars(range(min = 1, max = 60), example = 19)]
    pub zone: u8,
    /// Whether the zone is south of the equator.
    #[serde(default)]
    pub south: bool,
    /// The point that becomes x = 0, y = 0. Without it x and y are the zone's own easting and northing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<GeographicPoint>,
}

/// A point on the ellipsoid.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GeographicPoint {
    /// East positive [degrees].
    #[schemars(range(min = -180.0, max = 360.0), example = -67.25)]
    pub longitude: f64,
    /// North positive [degrees].
    #[schemars(range(min = -90.0, max = 90.0), example = -13.82)]
    pub latitude: f64,
}
