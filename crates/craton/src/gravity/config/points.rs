//! Observation points of a gravity problem.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bodies::ListFormat;
use super::geographic::{GeographicGrid, GeographicList};
use crate::config::Projection;

/// Largest number of points of a problem.
pub const MOST_POINTS: usize = 100_000_000;

/// The observation points: exactly one kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Points {
    /// A grid at constant height.
    Grid(LevelGrid),
    /// A grid draped over a surface.
    Draped(Draped),
    /// Points along a straight line, such as a profile or a borehole.
    Line(PointLine),
    /// A list of points.
    List(PointFile),
    /// The receivers of a scenario.
    Receivers(ScenarioReceivers),
    /// A grid in longitude and latitude at constant height above the reference sphere.
    GeographicGrid(GeographicGrid),
    /// A list of points in longitude, latitude and height above the reference sphere.
    GeographicList(GeographicList),
}

impl Points {
    /// Whether points below the ground are intended: receivers of a scenario, and points of a borehole.
    pub fn may_be_in_the_ground(&self) -> bool {
        matches!(self, Self::Receivers(_) | Self::Line(_))
    }

    /// Whether they are in longitude, latitude and height.
    pub fn are_geographic(&self) -> bool {
        matches!(self, Self::GeographicGrid(_) | Self::GeographicList(_))
    }
}

/// The receivers of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioReceivers {
    /// The scenario file.
    #[schemars(example = &"valley.toml")]
    pub file: PathBuf,
    /// Changes of scenario keys, as with `--set`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("examples" = [["domain.z[0]=-9000"]]))]
    pub set: Vec<String>,
}

/// A grid at constant height.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LevelGrid {
    /// First and last x [m].
    #[schemars(extend("examples" = [[0.0, 15000.0]]))]
    pub x: [f64; 2],
    /// First and last y [m].
    #[schemars(extend("examples" = [[0.0, 10000.0]]))]
    pub y: [f64; 2],
    /// Number of points along x and y; either this or `spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1, max = 1_000_000)), extend("examples" = [[151, 101]]))]
    pub count: Option<[usize; 2]>,
    /// Grid spacing along x and y [m], instead of `count`. The extent must be a multiple of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1e-6, max = 1e9)), extend("examples" = [[100.0, 100.0]]))]
    pub spacing: Option<[f64; 2]>,
    /// Height of the grid above z = 0 [m].
    #[schemars(example = 100.0)]
    pub z: f64,
}

/// A grid draped over a surface, at the grid points of the surface file or at others. Between the grid points of its
/// file the surface is interpolated by monotone cubics, which do not overshoot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Draped {
    /// The surface: ESRI ASCII, netCDF with the elevation as its only variable, or lines `x y z`.
    #[schemars(example = &"topography.asc")]
    pub surface: PathBuf,
    /// Height above the surface [m].
    #[schemars(range(min = 0.0), example = 80.0)]
    pub above: f64,
    /// Lower limit of the point heights [m], such as the sea level above the sea floor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 2.0)]
    pub lowest: Option<f64>,
    /// First and last x [m]; the extent of the surface by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[0.0, 15000.0]]))]
    pub x: Option<[f64; 2]>,
    /// First and last y [m]; the extent of the surface by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[0.0, 10000.0]]))]
    pub y: Option<[f64; 2]>,
    /// Number of points along x and y; by default the grid points of the surface within the extent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1, max = 1_000_000)), extend("examples" = [[151, 101]]))]
    pub count: Option<[usize; 2]>,
    /// Grid spacing along x and y [m], instead of `count`. The extent must be a multiple of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1e-6, max = 1e9)), extend("examples" = [[100.0, 100.0]]))]
    pub spacing: Option<[f64; 2]>,
}

/// Equidistant points along a straight line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointLine {
    /// The first point [x, y, z] [m].
    #[schemars(extend("examples" = [[0.0, 0.0, 0.0]]))]
    pub from: [f64; 3],
    /// The last point [x, y, z] [m].
    #[schemars(extend("examples" = [[0.0, 0.0, -500.0]]))]
    pub to: [f64; 3],
    /// Number of points.
    #[schemars(range(min = 1, max = MOST_POINTS), example = 501)]
    pub count: usize,
}

/// A list of points, from a file or from `rows`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PointFile {
    /// File with the columns or variables `x`, `y` and `z` [m], or with the names in `columns`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"stations.csv")]
    pub file: Option<PathBuf>,
    /// File format; by default from the file name: `.npy`, `.nc`, and `.loc`, `.grv` and `.gg` for UBC-GIF; all other
    /// names are a `table`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<ListFormat>,
    /// Column names of the file, if they differ from the default. Other columns are ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<PointColumns>,
    /// Points [x, y, z] [m].
    #[schemars(extend("examples" = [[[17.0, 3.0, 5.0]]]))]
    pub rows: Vec<[f64; 3]>,
    /// Projection for points whose x and y are longitude and latitude [degrees]: Craton projects them.
    #[serde(skip_serializing_if = "Projection::is_none")]
    pub projection: Projection,
}

/// Names of the columns of a table, or of the netCDF variables.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PointColumns {
    /// Column of x, positive east.
    #[schemars(example = &"easting")]
    pub x: String,
    /// Column of y, positive north.
    #[schemars(example = &"northing")]
    pub y: String,
    /// Column of z, positive up.
    #[schemars(example = &"height")]
    pub z: String,
    /// Column of point names, such as station codes, which Craton copies to the results. By default there are no names.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"station")]
    pub name: Option<String>,
}

impl Default for PointColumns {
    fn default() -> Self {
        let [x, y, z] = ["x", "y", "z"].map(str::to_owned);
        Self { x, y, z, name: None }
    }
}

impl PointColumns {
    /// The quantities read for each point, and their column names.
    pub fn numbers(&self) -> [(&'static str, &str); 3] {
        [("x", &self.x), ("y", &self.y), ("z", &self.z)]
    }
}
