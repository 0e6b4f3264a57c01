//! The model domain and its map projection.

use std::path::PathBuf;

use craton_model::geodesy::EARTH_RADIUS;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{GeographicBox, MeshFile};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;

/// Height above all mountains of the Earth [m].
const HIGHEST_MOUNTAIN: f64 = 10e3;

/// The model domain: a box with x east, y north, z up, a chunk of the spherical Earth, the whole Earth, or a mesh of another program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Domain {
    /// West and east limits of the box [m]. Required unless `region`, `chunk`, `globe` or `mesh` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = -1e9, max = 1e9)), extend("examples" = [[-4000.0, 14000.0]]))]
    x: Option<[f64; 2]>,
    /// South and north limits of the box [m]. Required unless `region`, `chunk`, `globe` or `mesh` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = -1e9, max = 1e9)), extend("examples" = [[-4000.0, 14000.0]]))]
    y: Option<[f64; 2]>,
    /// Bottom and top of the box [m]. Required unless `chunk`, `globe` or `mesh` is given. With `topography`, the topography replaces the
    /// top and must lie between the two values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = -1e9, max = 1e9)), extend("examples" = [[-12000.0, 0.0]]))]
    z: Option<[f64; 2]>,
    /// Horizontal limits of the box by longitudes and latitudes, instead of `x`, `y` and `projection`.
    #[serde(default, skip_serializing)]
    pub region: Option<GeographicBox>,
    /// A chunk of the spherical Earth instead of a box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chunk: Option<Chunk>,
    /// The whole spherical Earth instead of a box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub globe: Option<Globe>,
    /// A mesh of another program instead of a box.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mesh: Option<MeshFile>,
    /// Topography of the top as a grid over x and y: ESRI ASCII, netCDF with the elevation as its only
    /// variable, or text with columns x, y, z [m]. With a projection, the grid may be over longitude and latitude. On the
    /// spherical Earth, it must be over longitude and latitude, and Craton averages it over the node spacing of the mesh.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = "valley.asc")]
    pub topography: Option<PathBuf>,
    /// Conversion of longitude and latitude to x and y.
    #[serde(default)]
    pub projection: Projection,
    /// Limits of `mesh` [m], once it is read.
    #[serde(skip)]
    bounds: Option<[[f64; 2]; 3]>,
}

/// Limits of a domain that are not known yet [m].
const UNKNOWN: [[f64; 2]; 3] = [[-1e12, 1e12]; 3];

impl Domain {
    /// The domain of a mesh with these limits along x, y and z [m].
    pub fn with_bounds(&self, bounds: [[f64; 2]; 3]) -> Self {
        Self { bounds: Some(bounds), ..self.clone() }
    }

    /// The domain with the limits and the projection of its `region`, if it has one.
    ///
    /// # Errors
    /// A region that is incomplete or conflicts with other keys, or that the projection cannot represent.
    pub fn resolved(mut self) -> Result<Self, Box<Problem>> {
        let path = KeyPath::default().key("domain").key("region");
        let Some(region) = &self.region else { return Ok(self) };
        let is_box = self.chunk.is_none() && self.globe.is_none() && self.mesh.is_none();
        if !is_box || self.x.is_some() || self.y.is_some() || self.projection != Projection::None {
            let problem =
                Problem::new(path, "conflicts with `x`, `y`, `projection`, `chunk`, `globe` and `mesh`").at_key();
            return Err(problem.hint("the region defines the horizontal limits and the projection of a box").into());
        }
        if !region.is_complete() {
            let problem = Problem::new(path, "requires `longitude` and `latitude`, or `centre` and `widths`").at_key();
            let hint = "limits are in ascending order: [west, east], [south, north]; `azimuth` requires a centre, and excludes UTM";
            return Err(problem.hint(hint).into());
        }
        let projected = region.projected().map_err(|error| Problem::new(path, error.to_string()))?;
        (self.x, self.y) = (Some(projected.x), Some(projected.y));
        self.projection = projected.projection;
        Ok(self)
    }

    /// The box of `region` in words; `None` without one.
    pub fn region_in_words(&self) -> Option<String> {
        let (map, origin) = match (&self.region, &self.projection) {
            (Some(_), Projection::Utm(Utm { zone, south, origin: Some(origin) })) => {
                (format!("UTM zone {zone}{}", if *south { 'S' } else { 'N' }), origin)
            }
            (Some(_), Projection::Azimuthal(Azimuthal { origin, azimuth })) => {
                (format!("azimuthal equidistant, y axis towards {} degrees", Number(*azimuth)), origin)
            }
            _ => return None,
        };
        let ([west, east], [from, to]) = (self.x().map(Number), self.y().map(Number));
        let [longitude, latitude] = [origin.longitude, origin.latitude].map(Number);
        Some(format!(
            "x from {west} to {east} m, y from {from} to {to} m, {map}, origin at longitude {longitude}, latitude {latitude}"
        ))
    }

    /// Whether the domain is on the sphere: a chunk of the Earth, or all of it.
    pub fn is_on_sphere(&self) -> bool {
        self.chunk.is_some() || self.globe.is_some()
    }

    /// The key of the domain on the sphere.
    pub fn sphere_key(&self) -> &'static str {
        if self.globe.is_some() { "globe" } else { "chunk" }
    }

    /// West and east limits [m]; of a chunk, along the great circle through its centre.
    pub fn x(&self) -> [f64; 2] {
        self.ends()[0].unwrap_or_default()
    }

    /// South and north limits [m]; of a chunk, along the great circle through its centre.
    pub fn y(&self) -> [f64; 2] {
        self.ends()[1].unwrap_or_default()
    }

    /// Bottom and top [m]; of a chunk, heights above the sphere.
    pub fn z(&self) -> [f64; 2] {
        self.ends()[2].unwrap_or_default()
    }

    /// The bottom with its key, such as `domain.z[0] = -12000 m`.
    pub fn named_bottom(&self) -> String {
        let bottom = Number(self.z()[0]);
        match (&self.chunk, &self.globe) {
            (Some(_), _) => format!("-domain.chunk.depth = {bottom} m"),
            (_, Some(_)) => format!("{bottom} m, the centre of the Earth"),
            _ => format!("domain.z[0] = {bottom} m"),
        }
    }

    /// The instruction that makes the domain deeper.
    pub fn lowering(&self) -> &'static str {
        match (&self.chunk, &self.globe) {
            (Some(_), _) => "raise domain.chunk.depth",
            (_, Some(_)) => "raise this top",
            _ => "lower domain.z[0]",
        }
    }

    /// The known limits: all of them once the domain is validated; of a mesh, far beyond it until it is read.
    pub fn ends(&self) -> [Option<[f64; 2]>; 3] {
        match (&self.chunk, &self.globe) {
            (Some(chunk), _) => self.raised(chunk.ends()).map(Some),
            (_, Some(globe)) => self.raised(globe.ends()).map(Some),
            _ if self.mesh.is_some() => self.bounds.unwrap_or(UNKNOWN).map(Some),
            _ => self.written(),
        }
    }

    /// Limits on the sphere; with topography, the top is above all mountains.
    fn raised(&self, [x, y, [bottom, top]]: [[f64; 2]; 3]) -> [[f64; 2]; 3] {
        [x, y, [bottom, if self.topography.is_some() { HIGHEST_MOUNTAIN } else { top }]]
    }

    /// The limits of the box as written in the file.
    pub fn written(&self) -> [Option<[f64; 2]>; 3] {
        [self.x, self.y, self.z]
    }
}

/// A chunk of the spherical Earth. Its surface is a sphere of radius 6371 km, an ellipsoid (`ellipticity`) or follows `domain.topography`; its sides are the
/// same in degrees at every depth. Model coordinates x and y are arc lengths from its centre, z is the height above the
/// sphere or ellipsoid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chunk {
    /// Centre of the surface of the chunk.
    pub centre: GeographicPoint,
    /// Widths along x and y, measured along the great circles through the centre [degrees].
    #[schemars(inner(range(min = 0.1, max = 120.0)), extend("examples" = [[90.0, 90.0]]))]
    pub widths: [f64; 2],
    /// Depth of the bottom below the surface [m].
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 6.0e6), example = 2891e3)]
    pub depth: f64,
    /// Azimuth of the y axis, clockwise from north [degrees].
    #[serde(default)]
    #[schemars(range(min = -360.0, max = 360.0))]
    pub rotation: f64,
    /// Kind of latitude in this file: geographic, as in maps and catalogues, or geocentric. Applies to all latitudes
    /// except those of the perturbation file, which has its own key.
    #[serde(default)]
    pub latitudes: Latitudes,
    /// Whether the surface and all discontinuities have the hydrostatic ellipticity of PREM (flattening 1/299.9 at the surface).
    #[serde(default)]
    pub ellipticity: bool,
}

impl Chunk {
    /// Limits along x, y and z [m].
    pub fn ends(&self) -> [[f64; 2]; 3] {
        let [x, y] = self.widths.map(|width| 0.5 * EARTH_RADIUS * width.to_radians());
        [[-x, x], [-y, y], [-self.depth, 0.0]]
    }
}

/// The whole spherical Earth, from its surface at a radius of 6371 km to its centre. It has no sides and no
/// bottom. Model coordinates x and y are the longitude and the geocentric latitude times the radius, z is the height above the
/// sphere or ellipsoid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Globe {
    /// Centre of one of the six blocks of the mesh, by default the North Pole. It does not change the simulated Earth.
    pub centre: GeographicPoint,
    /// Azimuth of the y axis of this block, clockwise from north [degrees].
    #[schemars(range(min = -360.0, max = 360.0))]
    pub rotation: f64,
    /// Kind of latitude in this file: geographic, as in maps and catalogues, or geocentric. Applies to all latitudes
    /// except those of the perturbation file, which has its own key.
    pub latitudes: Latitudes,
    /// Whether the surface and all discontinuities have the hydrostatic ellipticity of PREM (flattening 1/299.9 at the surface).
    pub ellipticity: bool,
}

impl Default for Globe {
    fn default() -> Self {
        let centre = GeographicPoint { longitude: 0.0, latitude: 90.0 };
        Self { centre, rotation: 0.0, latitudes: Latitudes::default(), ellipticity: false }
    }
}

impl Globe {
    /// Limits along x, y and z [m].
    pub fn ends(&self) -> [[f64; 2]; 3] {
        let half = EARTH_RADIUS * std::f64::consts::PI;
        [[-half, half], [-0.5 * half, 0.5 * half], [-EARTH_RADIUS, 0.0]]
    }
}

/// The kind of a latitude.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Latitudes {
    /// Geographic latitude on the WGS84 ellipsoid. Craton converts it to the geocentric latitude of the sphere.
    #[default]
    Geographic,
    /// Geocentric latitude: the angle at the centre of the Earth.
    Geocentric,
}

/// Conversion of longitude and latitude to x and y.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Projection {
    /// No projection: all positions are in metres.
    #[default]
    None,
    /// Universal transverse Mercator on the WGS84 ellipsoid.
    Utm(Utm),
    /// Azimuthal equidistant projection of the WGS84 ellipsoid: distances and directions from the origin are exact.
    Azimuthal(Azimuthal),
}

impl Projection {
    /// Whether positions are in metres.
    pub fn is_none(&self) -> bool {
        *self == Self::None
    }
}

/// An azimuthal equidistant projection around a point anywhere on Earth. Distances and directions from its origin are exact; other lengths are too long by
/// up to 0.01 % at 156 km and 0.1 % at 494 km from the origin. Components E and N are true east and north.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Azimuthal {
    /// The point at x = 0, y = 0.
    pub origin: GeographicPoint,
    /// Azimuth of the y axis at the origin, clockwise from north [degrees].
    #[serde(default)]
    #[schemars(range(min = -360.0, max = 360.0))]
    pub azimuth: f64,
}

/// A zone of the universal transverse Mercator projection.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Utm {
    /// Zone number.
    #[schemars(
        range(min = 1, max = 60),
        example = 19,
        extend("x-hint" = "zones are numbered from 1 to 60, also in the south: for a zone south of the equator add south = true")
    )]
    pub zone: u8,
    /// True if the zone is south of the equator.
    #[serde(default)]
    pub south: bool,
    /// The point at x = 0, y = 0. Without it, x and y are the easting and northing of the zone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<GeographicPoint>,
}

/// A geographic point.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GeographicPoint {
    /// Longitude, positive east [degrees].
    #[schemars(range(min = -180.0, max = 360.0), example = -67.25)]
    pub longitude: f64,
    /// Latitude, positive north [degrees].
    #[schemars(range(min = -90.0, max = 90.0), example = -13.82)]
    pub latitude: f64,
}
