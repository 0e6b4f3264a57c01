//! What is written, and what the computer may use.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{DeviceNames, MOST_DEVICES, MOST_THREADS};

/// What is written, and where.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Folder of the results, from the working directory.
    #[schemars(example = &"results/line")]
    pub directory: PathBuf,
    /// Format of the gathers.
    #[serde(default)]
    pub format: GatherFormat,
    /// Sample interval of the traces [s], a whole number of microseconds.
    #[schemars(range(min = 1e-6, max = 0.065535), example = 0.002)]
    pub sample_interval: f64,
    /// Type of the samples in SEG-Y.
    #[serde(default)]
    pub samples: Numbers,
    /// Numbers of the shots whose gathers are drawn; the first, the middle one and the last by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[1, 50, 100]]))]
    pub pictures: Option<Vec<u32>>,
    /// How gathers are drawn.
    #[serde(default)]
    pub gather: GatherPictures,
    /// Pressure of some shots at some times, as frames for ParaView and as pictures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshots: Option<Snapshots>,
}

/// How gathers are drawn. Given again with other values, the command of a complete survey draws its pictures anew.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GatherPictures {
    /// Shades or lines.
    pub style: GatherStyle,
    /// What balances amplitudes.
    pub gain: GatherGain,
    /// Window of automatic gain control [s].
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub agc_window: f64,
    /// Percentile of the amplitudes, after the gain, that gets the darkest shade or the widest line [%].
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 100.0))]
    pub clip: f64,
}

impl Default for GatherPictures {
    fn default() -> Self {
        Self { style: GatherStyle::Density, gain: GatherGain::Time, agc_window: 0.5, clip: 99.0 }
    }
}

/// What stands for amplitudes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GatherStyle {
    /// A shade of grey for each sample.
    Density,
    /// A line for each trace, black on its positive side; as many as there is room for.
    Wiggle,
}

/// What balances amplitudes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GatherGain {
    /// Time in space, and its root in a plane: what waves lose as they spread.
    Time,
    /// Automatic gain control: the RMS of each trace around each sample.
    Agc,
    /// The peak of each trace.
    Trace,
    /// Nothing.
    None,
}

/// The fluid in motion: pressure in the cells of a shot, without the layers around them. Frames (VTI) are written while the shot is computed, and drawn on one
/// scale of colours when the survey is complete. They show the field as the time steps leave it: its error of time is removed from traces alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Snapshots {
    /// Numbers of the shots.
    #[schemars(length(min = 1), extend("examples" = [[1, 50]]))]
    pub shots: Vec<u32>,
    /// Times of the frames, each rounded to a whole step [s].
    #[schemars(length(min = 1), inner(range(min = 1e-9)), extend("examples" = [[0.5, 1.0, 1.5]]))]
    pub times: Vec<f64>,
    /// Planes, in space; one table `[[output.snapshots.slices]]` each. In a plane there is only that plane.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<Slice>,
}

/// A plane through the box, given by exactly one of x, y and depth; values are linear between the middles of cells across it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Slice {
    /// The plane x = this [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<f64>,
    /// The plane y = this [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 600.0)]
    pub y: Option<f64>,
    /// The plane at this depth [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<f64>,
}

impl Slice {
    /// All that is given: axis, key and value.
    pub fn given(&self) -> impl Iterator<Item = (usize, &'static str, f64)> {
        let all = [(0, "x", self.x), (1, "y", self.y), (2, "depth", self.depth)];
        all.into_iter().filter_map(|(axis, key, at)| Some((axis, key, at?)))
    }

    /// The axis across, its key, and where the plane is.
    pub fn place(&self) -> (usize, &'static str, f64) {
        self.given().next().expect("a checked slice has one of x, y and depth")
    }
}

/// Format of the gathers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GatherFormat {
    /// SEG-Y revision 1.
    #[default]
    Segy,
    /// Seismic Unix.
    Su,
}

/// Type of samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Numbers {
    /// IEEE, single precision: what was computed to the last bit.
    #[default]
    Ieee,
    /// IBM, for programs that read nothing else.
    Ibm,
}

/// What the computer may use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Compute {
    /// What computes: `"auto"`, the GPUs that are there and the cores besides where they help; `"cpu"`; `"cuda"`, the GPUs and nothing else; `"cuda:1"`,
    /// the GPU of this number; a list of GPUs.
    pub device: DeviceNames,
    /// How many GPUs compute; all by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MOST_DEVICES), example = 4)]
    pub devices: Option<usize>,
    /// Worker threads; one for every core by default. What is computed on cores does not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MOST_THREADS), example = 2)]
    pub threads: Option<usize>,
    /// Compute every shot on the same kind of device, so that the file is the same to the last bit whoever computed what.
    pub reproducible: bool,
}
