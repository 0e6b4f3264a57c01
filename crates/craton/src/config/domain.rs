//! The box of the simulation, and how degrees become metres.

use std::path::PathBuf;

use craton_model::geodesy::EARTH_RADIUS;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::number::Number;

/// What is simulated: a box, x east, y north, z up; or a chunk of the spherical Earth.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Domain {
    /// West and east ends of the box [m]. Required unless `chunk` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = -1e9, max = 1e9)), extend("examples" = [[-4000.0, 14000.0]]))]
    x: Option<[f64; 2]>,
    /// South and north ends of the box [m]. Required unless `chunk` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = -1e9, max = 1e9)), extend("examples" = [[-4000.0, 14000.0]]))]
    y: Option<[f64; 2]>,
    /// Bottom and top of the box [m]. Required unless `chunk` is given. With `topography`, the grid is the top and must lie between the two.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = -1e9, max = 1e9)), extend("examples" = [[-12000.0, 0.0]]))]
    z: Option<[f64; 2]>,
    /// A piece of the sphere in place of a box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk: Option<Chunk>,
    /// Elevation of the top as a grid over x and y: ESRI ascii, netCDF classic over x and y with heights as its only variable, or text of x y z [m]. With a projection it may be over longitude and latitude.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = "valley.asc")]
    pub topography: Option<PathBuf>,
    /// How longitude and latitude become x and y.
    #[serde(default)]
    pub projection: Projection,
}

impl Domain {
    /// West and east ends [m]; of a chunk, along the great circle through its centre.
    pub fn x(&self) -> [f64; 2] {
        self.ends()[0].unwrap_or_default()
    }

    /// South and north ends [m]; of a chunk, along the great circle through its centre.
    pub fn y(&self) -> [f64; 2] {
        self.ends()[1].unwrap_or_default()
    }

    /// Bottom and top [m]; of a chunk, heights above the sphere.
    pub fn z(&self) -> [f64; 2] {
        self.ends()[2].unwrap_or_default()
    }

    /// The bottom by its key, `domain.z[0] = -12000 m`.
    pub fn named_bottom(&self) -> String {
        let key = if self.chunk.is_some() { "-domain.chunk.depth" } else { "domain.z[0]" };
        format!("{key} = {} m", Number(self.z()[0]))
    }

    /// What is to be done for a lower bottom.
    pub fn lowering(&self) -> &'static str {
        if self.chunk.is_some() { "raise domain.chunk.depth" } else { "lower domain.z[0]" }
    }

    /// The ends that are known: all, once the domain is checked.
    pub fn ends(&self) -> [Option<[f64; 2]>; 3] {
        match &self.chunk {
            Some(chunk) => chunk.ends().map(Some),
            None => self.written(),
        }
    }

    /// The ends of the box as they are written.
    pub fn written(&self) -> [Option<[f64; 2]>; 3] {
        [self.x, self.y, self.z]
    }
}

/// A piece of the spherical Earth around a place, as wide in degrees below as above. Its surface is a sphere of 6371 km; there is no ellipticity yet.
/// Model coordinates x and y are arcs from its centre, z is the height above the sphere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chunk {
    /// The middle of its surface.
    pub centre: GeographicPoint,
    /// How far it reaches along x and along y, sides to sides on the great circles through its centre [degrees].
    #[schemars(inner(range(min = 0.1, max = 120.0)), extend("examples" = [[90.0, 90.0]]))]
    pub widths: [f64; 2],
    /// How deep it reaches below the surface [m].
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 6.0e6), example = 2891e3)]
    pub depth: f64,
    /// Direction of its y axis, from north over east [degrees].
    #[serde(default)]
    #[schemars(range(min = -360.0, max = 360.0))]
    pub rotation: f64,
    /// What latitudes are, here and wherever else they are given but in the map of a perturbation: of the ellipsoid, as in maps and catalogues, or angles at
    /// the centre of the Earth.
    #[serde(default)]
    pub latitudes: Latitudes,
}

impl Chunk {
    /// Ends along x, y and z [m].
    pub fn ends(&self) -> [[f64; 2]; 3] {
        let [x, y] = self.widths.map(|width| 0.5 * EARTH_RADIUS * width.to_radians());
        [[-x, x], [-y, y], [-self.depth, 0.0]]
    }
}

/// What latitudes are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Latitudes {
    /// Of the WGS84 ellipsoid; on the sphere stands the geocentric latitude that belongs to each.
    #[default]
    Geographic,
    /// Angles at the centre of the Earth.
    Geocentric,
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
