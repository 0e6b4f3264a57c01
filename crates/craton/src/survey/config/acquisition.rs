//! Where shots and receivers are.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where shots and receivers are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Acquisition {
    /// A ship with a streamer.
    Marine(MarineLine),
    /// A spread that rolls along a line.
    Land(LandLine),
    /// Receivers that stay where they are and hear every shot: nodes on the sea bottom.
    Fixed(FixedReceivers),
    /// Tables (CSV) of shots and receivers.
    Tables(Tables),
    /// SPS files.
    Sps(Sps),
    /// The geometry in the trace headers of a SEG-Y file.
    Headers(Headers),
}

/// A straight line of shots with a streamer that moves with them. Channel 1 is nearest to the source.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MarineLine {
    /// x and y of the first shot [m].
    #[schemars(extend("examples" = [[3000.0, 0.0]]))]
    pub first_shot: [f64; 2],
    /// Direction the ship goes: degrees from north (y), clockwise [degrees]. 90 is along x.
    #[serde(default = "MarineLine::default_azimuth")]
    #[schemars(range(min = -360.0, max = 360.0))]
    pub azimuth: f64,
    /// Number of the first shot; the others follow.
    #[serde(default = "first")]
    #[schemars(range(min = 0, max = MOST_NUMBER))]
    pub first_number: u32,
    /// Number of shots.
    #[schemars(range(min = 1, max = MOST_POINTS), example = 100)]
    pub shots: usize,
    /// Distance between shots [m].
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 50.0)]
    pub shot_interval: f64,
    /// Depth of the source [m].
    #[schemars(range(min = 0.0), example = 6.0)]
    pub source_depth: f64,
    /// Where the streamer lies.
    #[serde(default)]
    pub side: StreamerSide,
    /// Length of the streamer, from the first to the last group [m].
    #[schemars(range(min = 0.0), example = 3000.0)]
    pub streamer_length: f64,
    /// Distance between groups [m].
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 12.5)]
    pub group_interval: f64,
    /// Distance from the source to the nearest group [m].
    #[schemars(range(min = 0.0), example = 100.0)]
    pub near_offset: f64,
    /// Depth of the streamer [m].
    #[schemars(range(min = 0.0), example = 8.0)]
    pub streamer_depth: f64,
}

/// On which side of the source a streamer lies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StreamerSide {
    /// The ship tows it.
    #[default]
    Behind,
    /// The ship pushes it.
    Ahead,
}

/// Shots at the stations of a line, each with groups behind and ahead of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LandLine {
    /// The stations.
    pub stations: PointLine,
    /// Station of the first shot, from 1.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = MOST_POINTS))]
    pub first_station: usize,
    /// Stations from shot to shot; shots go on to the end of the line.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = MOST_POINTS))]
    pub station_step: usize,
    /// Number of the first shot; the others follow.
    #[serde(default = "first")]
    #[schemars(range(min = 0, max = MOST_NUMBER))]
    pub first_number: u32,
    /// Depth of the sources below their station [m].
    #[serde(default)]
    #[schemars(range(min = 0.0), example = 10.0)]
    pub source_depth: f64,
    /// Groups on the side of the first station.
    #[schemars(range(min = 0, max = MOST_POINTS), example = 60)]
    pub behind: usize,
    /// Groups on the side of the last station.
    #[schemars(range(min = 0, max = MOST_POINTS), example = 60)]
    pub ahead: usize,
    /// Stations from the shot to the nearest group of each side.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = MOST_POINTS))]
    pub nearest: usize,
    /// What becomes of shots near the ends of the line.
    #[serde(default)]
    pub ends: LineEnds,
}

/// What becomes of shots near the ends of a line, where stations of their spread are missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LineEnds {
    /// They have the receivers that are there.
    #[default]
    PartSpreads,
    /// They are left out.
    WholeSpreads,
}

/// Shots and receivers at the points of lines and grids, every receiver for every shot; numbers count from 1, lines first.
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

/// Points at equal distances along a straight line, both ends included.
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

/// Points of a horizontal grid, x fastest.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointGrid {
    /// First and last x [m].
    #[schemars(extend("examples" = [[0.0, 4000.0]]))]
    pub x: [f64; 2],
    /// First and last y [m].
    #[schemars(extend("examples" = [[0.0, 2000.0]]))]
    pub y: [f64; 2],
    /// Depth of all of them [m].
    #[schemars(example = 800.0)]
    pub depth: f64,
    /// Number of points along x and along y.
    #[schemars(inner(range(min = 1, max = MOST_POINTS)), extend("examples" = [[21, 11]]))]
    pub count: [usize; 2],
}

/// Tables with named columns; positions are x, y and depth (or z, up) [m].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tables {
    /// Shots: columns shot, x, y, depth; rows of one shot with a weight each are an array.
    #[schemars(example = &"shots.csv")]
    pub shots: PathBuf,
    /// Receivers: columns channel, x, y, depth, and with a column shot those of each shot alone.
    #[schemars(example = &"receivers.csv")]
    pub receivers: PathBuf,
    /// Which channels hear which shot: columns shot, from, to. All hear all by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"relations.csv")]
    pub relations: Option<PathBuf>,
}

/// SPS files, revision 2.1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sps {
    /// Source points.
    #[schemars(example = &"line.s")]
    pub sources: PathBuf,
    /// Receiver points.
    #[schemars(example = &"line.r")]
    pub receivers: PathBuf,
    /// Relations.
    #[schemars(example = &"line.x")]
    pub relations: PathBuf,
}

/// A SEG-Y file whose geometry is taken: field record, trace number, coordinates, depth of the source and elevation of the group.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Headers {
    /// The file.
    #[schemars(example = &"field.segy")]
    pub file: PathBuf,
}

/// Numbers of shots at most: those of a trace header.
const MOST_NUMBER: u32 = i32::MAX as u32;

/// Shots, stations and channels at most.
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
