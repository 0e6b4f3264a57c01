//! Where gravity is computed.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::bodies::ListFormat;

/// Points of a problem at most.
pub const MOST_POINTS: usize = 100_000_000;

/// Where gravity is computed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Points {
    /// A grid at one height.
    Grid(LevelGrid),
    /// A grid above a surface.
    Draped(Draped),
    /// Points along a straight line: a profile, or a borehole.
    Line(PointLine),
    /// Points one by one.
    List(PointFile),
    /// The receivers of a scenario.
    Receivers(ScenarioReceivers),
}

impl Points {
    /// Whether points in the ground are meant to be there: sensors of a scenario, and those of a borehole.
    pub fn may_be_in_the_ground(&self) -> bool {
        matches!(self, Self::Receivers(_) | Self::Line(_))
    }
}

/// The receivers of a scenario.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScenarioReceivers {
    /// The scenario.
    #[schemars(example = &"valley.toml")]
    pub file: PathBuf,
    /// Changes of its keys, as `--set` makes them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("examples" = [["domain.z[0]=-9000"]]))]
    pub set: Vec<String>,
}

/// A grid at one height.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LevelGrid {
    /// First and last x [m].
    #[schemars(extend("examples" = [[0.0, 15000.0]]))]
    pub x: [f64; 2],
    /// First and last y [m].
    #[schemars(extend("examples" = [[0.0, 10000.0]]))]
    pub y: [f64; 2],
    /// Number of points along x and y; this, or `spacing`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1, max = 1_000_000)), extend("examples" = [[151, 101]]))]
    pub count: Option<[usize; 2]>,
    /// Distance of the points along x and y [m], in place of `count`: the ends are a whole number of them apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1e-6, max = 1e9)), extend("examples" = [[100.0, 100.0]]))]
    pub spacing: Option<[f64; 2]>,
    /// Height of the grid above z = 0 [m].
    #[schemars(example = 100.0)]
    pub z: f64,
}

/// A grid above a surface: at the points of the surface's file, or at other ones. Between the points of its file the surface is smooth, a cubic through four of
/// them along x and along y, and never below or above all of the points around: beside a step it is as level as they are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Draped {
    /// The surface: ESRI ascii, netCDF classic over x and y with heights as its only variable, or `x y z` lines.
    #[schemars(example = &"topography.asc")]
    pub surface: PathBuf,
    /// Height above it [m].
    #[schemars(range(min = 0.0), example = 80.0)]
    pub above: f64,
    /// Least height of the points [m], such as that of the sea over its bottom.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 2.0)]
    pub lowest: Option<f64>,
    /// First and last x [m]; those of the surface by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[0.0, 15000.0]]))]
    pub x: Option<[f64; 2]>,
    /// First and last y [m]; those of the surface by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[0.0, 10000.0]]))]
    pub y: Option<[f64; 2]>,
    /// Number of points along x and y; those of the surface within the ends by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1, max = 1_000_000)), extend("examples" = [[151, 101]]))]
    pub count: Option<[usize; 2]>,
    /// Distance of the points along x and y [m], in place of `count`: the ends are a whole number of them apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1e-6, max = 1e9)), extend("examples" = [[100.0, 100.0]]))]
    pub spacing: Option<[f64; 2]>,
}

/// Points along a straight line.
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

/// Points one by one: from a file, or written here.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PointFile {
    /// The file, with the columns or variables `x`, `y` and `z` [m], or what `columns` says.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"stations.csv")]
    pub file: Option<PathBuf>,
    /// Its format; by default from the end of its name: `.npy`, `.nc`, `.loc`, `.grv` and `.gg` (which are of UBC-GIF); anything else is a `table`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<ListFormat>,
    /// What the columns are called in the file, where that is something else; others are not read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub columns: Option<PointColumns>,
    /// Points [x, y, z] [m].
    #[schemars(extend("examples" = [[[17.0, 3.0, 5.0]]]))]
    pub rows: Vec<[f64; 3]>,
}

/// Names of the columns of a table, or of the variables of netCDF.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PointColumns {
    /// The column that is x, to the east.
    #[schemars(example = &"easting")]
    pub x: String,
    /// The column that is y, to the north.
    #[schemars(example = &"northing")]
    pub y: String,
    /// The column that is z, upwards.
    #[schemars(example = &"height")]
    pub z: String,
    /// The column of names, such as those of stations, which then stand in the results. Without it there are none.
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
    /// What is read of a point, and what that is called.
    pub fn numbers(&self) -> [(&'static str, &str); 3] {
        [("x", &self.x), ("y", &self.y), ("z", &self.z)]
    }
}
