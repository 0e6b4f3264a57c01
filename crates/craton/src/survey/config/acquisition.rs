//! Acquisition geometry: shots and receivers.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The acquisition geometry: shots and receivers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Acquisition {
    /// A marine line: a ship with a streamer.
    Marine(MarineLine),
    /// A land line with a roll-along spread.
    Land(LandLine),
    /// Fixed receivers that record all shots, such as ocean-bottom nodes.
    Fixed(FixedReceivers),
    /// CSV tables of shots and receivers.
    Tables(Tables),
    /// SPS files.
    Sps(Sps),
    /// The geometry in the trace headers of a SEG-Y file.
    Headers(Headers),
}

/// A straight marine line with a towed streamer. Channel 1 is nearest to the source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarineLine {
    /// x and y of the first shot [m].
    #[schemars(extend("examples" = [[3000.0, 0.0]]))]
    pub first_shot: [f64; 2],
    /// Sailing direction, clockwise from north (y) [degrees]. 90 is along x.
    #[serde(default = "MarineLine::default_azimuth")]
    #[schemars(range(min = -360.0, max = 360.0))]
    pub azimuth: f64,
    /// Number of the first shot; shot numbers are consecutive.
    #[serde(default = "first")]
    #[schemars(range(min = 0, max = MOST_NUMBER))]
    pub first_number: u32,
    /// Number of shots.
    #[schemars(range(min = 1, max = MOST_POINTS), example = 100)]
    pub shots: usize,
    /// Shot interval [m].
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 50.0)]
    pub shot_interval: f64,
    /// Source depth [m].
    #[schemars(range(min = 0.0), example = 6.0)]
    pub source_depth: f64,
    /// Position of the streamer relative to the source.
    #[serde(default)]
    pub side: StreamerSide,
    /// Streamer length, from the first to the last group [m].
    #[schemars(range(min = 0.0), example = 3000.0)]
    pub streamer_length: f64,
    /// Group interval [m].
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 12.5)]
    pub group_interval: f64,
    /// Near offset: distance from the source to the nearest group [m].
    #[schemars(range(min = 0.0), example = 100.0)]
    pub near_offset: f64,
    /// Streamer depth [m].
    #[schemars(range(min = 0.0), example = 8.0)]
    pub streamer_depth: f64,
}

/// Position of a streamer relative to the source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamerSide {
    /// Behind the source, as a towed streamer.
    #[default]
    Behind,
    /// Ahead of the source.
    Ahead,
}

/// Shots at the stations of a line, with groups on both sides.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LandLine {
    /// The stations of the line.
    pub stations: PointLine,
    /// Station of the first shot, counted from 1.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = MOST_POINTS))]
    pub first_station: usize,
    /// Number of stations between shots; shots continue to the end of the line.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = MOST_POINTS))]
    pub station_step: usize,
    /// Number of the first shot; shot numbers are consecutive.
    #[serde(default = "first")]
    #[schemars(range(min = 0, max = MOST_NUMBER))]
    pub first_number: u32,
    /// Depth of the source below its station [m].
    #[serde(default)]
    #[schemars(range(min = 0.0), example = 10.0)]
    pub source_depth: f64,
    /// Number of groups towards the first station.
    #[schemars(range(min = 0, max = MOST_POINTS), example = 60)]
    pub behind: usize,
    /// Number of groups towards the last station.
    #[schemars(range(min = 0, max = MOST_POINTS), example = 60)]
    pub ahead: usize,
    /// Number of stations from the shot to the nearest group on each side.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = MOST_POINTS))]
    pub nearest: usize,
    /// Treatment of shots near the ends of the line.
    #[serde(default)]
    pub ends: LineEnds,
}

/// Treatment of shots near the ends of a line, where part of the spread lies beyond the line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LineEnds {
    /// Keep them, with the receivers that exist.
    #[default]
    PartSpreads,
    /// Leave them out.
    WholeSpreads,
}

/// Shots and receivers on lines and grids; all receivers record all shots. Numbers count from 1, lines before grids.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FixedReceivers {
    /// Lines of shots; one table `[[acquisition.fixed.shot_line]]` each.
    #[serde(default, rename = "shot_line")]
    pub shot_lines: Vec<PointLine>,
    /// Grids of shots.
    #[serde(default, rename = "shot_grid")]
    pub shot_grids: Vec<PointGrid>,
    /// Lines of receivers.
    #[serde(default, rename = "receiver_line")]
    pub receiver_lines: Vec<PointLine>,
    /// Grids of receivers.
    #[serde(default, rename = "receiver_grid")]
    pub receiver_grids: Vec<PointGrid>,
}

/// Equidistant points along a straight line, including both ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointLine {
    /// First point: x, y and depth [m].
    #[schemars(extend("examples" = [[0.0, 0.0, 5.0]]))]
    pub from: [f64; 3],
    /// Last point: x, y and depth [m].
    #[schemars(extend("examples" = [[10000.0, 0.0, 5.0]]))]
    pub to: [f64; 3],
    /// Number of points.
    #[schemars(range(min = 1, max = MOST_POINTS), example = 201)]
    pub count: usize,
}

/// A horizontal grid of points, with x as the fastest index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointGrid {
    /// First and last x [m].
    #[schemars(extend("examples" = [[0.0, 4000.0]]))]
    pub x: [f64; 2],
    /// First and last y [m].
    #[schemars(extend("examples" = [[0.0, 2000.0]]))]
    pub y: [f64; 2],
    /// Depth of all points [m].
    #[schemars(example = 800.0)]
    pub depth: f64,
    /// Number of points along x and y.
    #[schemars(inner(range(min = 1, max = MOST_POINTS)), extend("examples" = [[21, 11]]))]
    pub count: [usize; 2],
}

/// Tables with named columns; positions are x, y and depth (or z, positive up) [m].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tables {
    /// Shot table: columns shot, x, y, depth. With a column weight or delay [s], the rows of one shot form a source array. A column wavelet contains the number of
    /// the signature in `source.signatures`.
    #[schemars(example = &"shots.csv")]
    pub shots: PathBuf,
    /// Receiver table: columns channel, x, y, depth. With a column shot, each row belongs to that shot only.
    #[schemars(example = &"receivers.csv")]
    pub receivers: PathBuf,
    /// Relation table, which assigns channels to shots: columns shot, from, to. By default all channels record all
    /// shots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"relations.csv")]
    pub relations: Option<PathBuf>,
}

/// SPS files, revision 2.1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sps {
    /// Source point file.
    #[schemars(example = &"line.s")]
    pub sources: PathBuf,
    /// Receiver point file.
    #[schemars(example = &"line.r")]
    pub receivers: PathBuf,
    /// Relation file.
    #[schemars(example = &"line.x")]
    pub relations: PathBuf,
}

/// A SEG-Y file of revision 0, 1 or 2 with the geometry in its trace headers: field record, trace number, coordinates, source depth and group
/// elevation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Headers {
    /// The file.
    #[schemars(example = &"field.segy")]
    pub file: PathBuf,
}

/// Largest shot number of a trace header.
const MOST_NUMBER: u32 = i32::MAX as u32;

/// Largest number of shots, stations and channels.
pub const MOST_POINTS: usize = 1_000_000;

fn one() -> usize {
    1
}

fn first() -> u32 {
    1
}

impl MarineLine {
    fn default_azimuth() -> f64 {
        90.0
    }
}
