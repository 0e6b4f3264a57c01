//! Bodies and points in longitude, latitude and height above a sphere.

use std::path::PathBuf;

use craton_gravity::EARTH_RADIUS;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bodies::ListFormat;

/// The reference sphere of bodies and points in longitude, latitude and height, unless the problem has an `ellipsoid`.
/// Latitudes are geocentric: the angle at the centre of the sphere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ReferenceSphere {
    /// Radius of the sphere at height 0 [m]. With 0, heights are distances from the centre.
    #[schemars(range(min = 0.0, max = 1e11), example = 6_378_137.0)]
    pub radius: f64,
}

impl Default for ReferenceSphere {
    fn default() -> Self {
        Self { radius: EARTH_RADIUS }
    }
}

/// Coordinates of the grids of a layer, or of the axes of a volume.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Coordinates {
    /// x and y of a map in metres. Cells are prisms.
    #[default]
    Metres,
    /// Longitude and latitude in degrees, with heights above the reference sphere or `ellipsoid`. Cells are tesseroids.
    Geographic,
}

impl Coordinates {
    /// Whether they are those of a map.
    #[allow(clippy::trivially_copy_pass_by_ref)] // the signature that serde requires
    pub(super) fn are_metres(&self) -> bool {
        *self == Self::Metres
    }
}

/// A list of tesseroids, from a file or from `rows`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Tesseroids {
    /// File with the columns or variables `west`, `east` (longitude), `south`, `north` (latitude, degrees),
    /// `bottom`, `top` (height above the reference sphere or `ellipsoid`, m) and `density` (kg/m3), or with the names in `columns`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"crust.csv")]
    pub file: Option<PathBuf>,
    /// File format; by default from the file name: `.npy`, `.nc`; all other names are a `table`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<ListFormat>,
    /// Column names of the file, if they differ from the default. Other columns are ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<TesseroidColumns>,
    /// Factor on the densities of the file and of `rows`: 1000 for densities in g/cm3.
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub density_factor: f64,
    /// Tesseroids [west, east, south, north, bottom, top, density], in degrees, m and kg/m3.
    #[schemars(extend("examples" = [[[10.0, 11.0, 45.0, 46.0, -30000.0, 0.0, 2670.0]]]))]
    pub rows: Vec<[f64; 7]>,
}

impl Default for Tesseroids {
    fn default() -> Self {
        Self { file: None, format: None, columns: None, density_factor: 1.0, rows: Vec::new() }
    }
}

/// Names of the columns of a table of tesseroids, or of the netCDF variables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct TesseroidColumns {
    /// Column of the western meridians.
    #[schemars(example = &"lon_min")]
    pub west: String,
    /// Column of the eastern meridians.
    #[schemars(example = &"lon_max")]
    pub east: String,
    /// Column of the southern parallels.
    #[schemars(example = &"lat_min")]
    pub south: String,
    /// Column of the northern parallels.
    #[schemars(example = &"lat_max")]
    pub north: String,
    /// Column of the heights of the bottoms.
    #[schemars(example = &"h_min")]
    pub bottom: String,
    /// Column of the heights of the tops.
    #[schemars(example = &"h_max")]
    pub top: String,
    /// Column of the densities, halfway between bottom and top.
    #[schemars(example = &"rho")]
    pub density: String,
    /// Column of the increase of the density with height [kg/m3 per m]. By default the density of a tesseroid is constant.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"slope")]
    pub gradient: Option<String>,
}

impl Default for TesseroidColumns {
    fn default() -> Self {
        let [west, east, south, north, bottom, top, density] =
            ["west", "east", "south", "north", "bottom", "top", "density"].map(str::to_owned);
        Self { west, east, south, north, bottom, top, density, gradient: None }
    }
}

impl TesseroidColumns {
    /// The quantities read for each tesseroid without its gradient, and their column names.
    pub fn numbers(&self) -> [(&'static str, &str); 7] {
        [
            ("west", &self.west),
            ("east", &self.east),
            ("south", &self.south),
            ("north", &self.north),
            ("bottom", &self.bottom),
            ("top", &self.top),
            ("density", &self.density),
        ]
    }
}

/// A grid in longitude and latitude at constant height above the reference sphere or `ellipsoid`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GeographicGrid {
    /// First and last longitude [degrees].
    #[schemars(inner(range(min = -720.0, max = 720.0)), extend("examples" = [[-180.0, 179.0]]))]
    pub longitude: [f64; 2],
    /// First and last latitude [degrees]: geocentric, or geodetic with `ellipsoid`.
    #[schemars(inner(range(min = -90.0, max = 90.0)), extend("examples" = [[-90.0, 90.0]]))]
    pub latitude: [f64; 2],
    /// Number of points along longitude and latitude; either this or `spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1, max = 1_000_000)), extend("examples" = [[360, 181]]))]
    pub count: Option<[usize; 2]>,
    /// Grid spacing along longitude and latitude [degrees], instead of `count`. The extent must be a multiple of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1e-6, max = 720.0)), extend("examples" = [[1.0, 1.0]]))]
    pub spacing: Option<[f64; 2]>,
    /// Height of the grid above the reference sphere or `ellipsoid` [m].
    #[schemars(example = 250_000.0)]
    pub height: f64,
}

/// A list of points in longitude, latitude and height above the reference sphere or `ellipsoid`, from a file or from `rows`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GeographicList {
    /// File with the columns or variables `longitude`, `latitude` (degrees) and `height` [m], or with the names
    /// in `columns`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"stations.csv")]
    pub file: Option<PathBuf>,
    /// File format; by default from the file name: `.npy`, `.nc`; all other names are a `table`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<ListFormat>,
    /// Column names of the file, if they differ from the default. Other columns are ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<GeographicColumns>,
    /// Points [longitude, latitude, height], in degrees and m.
    #[schemars(extend("examples" = [[[10.5, 45.5, 250000.0]]]))]
    pub rows: Vec<[f64; 3]>,
}

/// Names of the columns of a table of points in longitude and latitude, or of the netCDF variables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GeographicColumns {
    /// Column of the longitude, positive east.
    #[schemars(example = &"lon")]
    pub longitude: String,
    /// Column of the latitude, positive north: geocentric, or geodetic with `ellipsoid`.
    #[schemars(example = &"lat")]
    pub latitude: String,
    /// Column of the height above the reference sphere or `ellipsoid`.
    #[schemars(example = &"h")]
    pub height: String,
    /// Column of point names, such as station codes, which Craton copies to the results. By default there are no names.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"station")]
    pub name: Option<String>,
}

impl Default for GeographicColumns {
    fn default() -> Self {
        let [longitude, latitude, height] = ["longitude", "latitude", "height"].map(str::to_owned);
        Self { longitude, latitude, height, name: None }
    }
}

impl GeographicColumns {
    /// The quantities read for each point, and their column names.
    pub fn numbers(&self) -> [(&'static str, &str); 3] {
        [("longitude", &self.longitude), ("latitude", &self.latitude), ("height", &self.height)]
    }
}
