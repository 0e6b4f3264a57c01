//! Where the instruments stand and what they measure.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Receivers of a line or a grid at most.
pub const MOST_RECEIVERS: usize = 1_000_000;

/// Where the instruments stand and what they measure. Lists, lines, grids and a file add up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Receivers {
    /// What is recorded.
    #[schemars(length(min = 1))]
    pub quantities: Vec<Quantity>,
    /// Along which directions vectors and strain are recorded; with both, what they share (Z, ZZ) is written once.
    #[schemars(length(min = 1))]
    pub components: Vec<Components>,
    /// Single stations.
    pub stations: Vec<Station>,
    /// Stations at equal distances along straight lines; one table `[[receivers.line]]` each.
    #[serde(rename = "line")]
    pub lines: Vec<ReceiverLine>,
    /// Stations at the points of horizontal grids; one table `[[receivers.grid]]` each.
    #[serde(rename = "grid")]
    pub grids: Vec<ReceiverGrid>,
    /// A StationXML file, whose stations stand on the surface, or below it where their channels say so; each once, at the time of the event where it
    /// has moved, with the location code of its channels where all of them, of any time, have the same one. Or a STATIONS file, a station a line: name, network, latitude [degrees] or y [m], longitude [degrees] or x [m], elevation [m] (for headers),
    /// depth below the surface [m]; further words on a line are left alone. Degrees where the domain has a projection.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"STATIONS")]
    pub stations_file: Option<PathBuf>,
    /// What becomes of stations of `stations_file` outside of the domain.
    pub outside: StationsOutside,
    /// Move every receiver vertically onto the surface.
    pub snap_to_surface: bool,
}

impl Default for Receivers {
    fn default() -> Self {
        Self {
            quantities: vec![Quantity::Velocity],
            components: vec![Components::Axes],
            stations: Vec::new(),
            lines: Vec::new(),
            grids: Vec::new(),
            stations_file: None,
            outside: StationsOutside::default(),
            snap_to_surface: false,
        }
    }
}

/// What can be recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Displacement [m], three components.
    Displacement,
    /// Velocity [m/s], three components.
    Velocity,
    /// Acceleration [m/s2], three components.
    Acceleration,
    /// Strain (no unit), six components xx, yy, zz, yz, xz, xy of the tensor: xy is (du_x/dy + du_y/dx) / 2.
    Strain,
    /// Pressure [Pa], minus a third of the trace of stress.
    Pressure,
}

/// What becomes of stations of a file that lie outside of the domain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StationsOutside {
    /// Nothing is computed.
    #[default]
    Refused,
    /// They are left out, of which a warning tells.
    LeftOut,
}

/// Directions along which motion is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Components {
    /// East, north and up: E, N, Z with a projection and in a chunk of the Earth, X, Y, Z without.
    Axes,
    /// R, T, Z: radial, horizontally away from the epicentre, transverse, a quarter to the right of it as seen from above, and up. In the plane of the
    /// model, and along the great circle in a chunk of the Earth. Of several sources the event that headers tell has the epicentre, which of files
    /// is the first by date, delays left out; of sources that are written out it is the earliest, the first one written of several that are.
    Radial,
}

/// One station.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Station {
    /// Network and station, `NET.STA`, or `NET.STA.LOC` with a location.
    #[schemars(example = "XX.S10")]
    pub code: String,
    /// Position x, y, z [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[8000.0, 6000.0, 0.0]]))]
    pub position: Option<[f64; 3]>,
    /// Longitude, east positive [degrees]; with `latitude` in place of `position`, where the domain has a projection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -180.0, max = 360.0))]
    pub longitude: Option<f64>,
    /// Latitude, north positive [degrees].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -90.0, max = 90.0))]
    pub latitude: Option<f64>,
    /// Depth below the surface [m], with `longitude` and `latitude`; 0 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub depth: Option<f64>,
}

/// Stations at equal distances along a straight line; they are numbered from 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceiverLine {
    /// Beginning of the codes, `NET.STA`: `XX.L` gives XX.L0001, XX.L0002 and so on.
    #[schemars(example = "XX.L")]
    pub code: String,
    /// First station x, y, z [m].
    #[schemars(extend("examples" = [[0.0, 0.0, 0.0]]))]
    pub from: [f64; 3],
    /// Last station x, y, z [m].
    #[schemars(extend("examples" = [[9000.0, 0.0, 0.0]]))]
    pub to: [f64; 3],
    /// Number of stations, both ends included.
    #[schemars(range(min = 2, max = MOST_RECEIVERS), example = 10)]
    pub count: usize,
}

/// Stations at the points of a horizontal grid; they are numbered from 1, x fastest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceiverGrid {
    /// Beginning of the codes, `NET.STA`: `XX.G` gives XX.G0001, XX.G0002 and so on.
    #[schemars(example = "XX.G")]
    pub code: String,
    /// First and last x [m].
    #[schemars(extend("examples" = [[0.0, 9000.0]]))]
    pub x: [f64; 2],
    /// First and last y [m].
    #[schemars(extend("examples" = [[0.0, 4000.0]]))]
    pub y: [f64; 2],
    /// Elevation of all of them [m].
    pub z: f64,
    /// Number of stations along x and along y.
    #[schemars(inner(range(min = 1, max = MOST_RECEIVERS)), extend("examples" = [[10, 5]]))]
    pub count: [usize; 2],
}
