//! Output and computing resources of a survey.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{DeviceNames, MOST_DEVICES, MOST_THREADS};

/// The output files and their folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Folder of the results, relative to the working directory.
    #[schemars(example = &"results/line")]
    pub directory: PathBuf,
    /// File format of the shot gathers.
    #[serde(default)]
    pub format: GatherFormat,
    /// Sample interval of the traces [s]; a whole number of microseconds.
    #[schemars(range(min = 1e-6, max = 0.032767), example = 0.002)]
    pub sample_interval: f64,
    /// Time 0 of the traces and snapshots.
    #[serde(default)]
    pub time_zero: TimeZero,
    /// Number format of SEG-Y samples.
    #[serde(default)]
    pub samples: Numbers,
    /// Byte order of Seismic Unix files. Craton writes SEG-Y big-endian.
    #[serde(default)]
    pub byte_order: ByteOrder,
    /// Numbers of the shots whose gathers are drawn; by default the first, the middle and the last one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[1, 50, 100]]))]
    pub pictures: Option<Vec<u32>>,
    /// Style of the gather pictures.
    #[serde(default)]
    pub gather: GatherPictures,
    /// Pressure snapshots of selected shots and times, for ParaView and as pictures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshots: Option<Snapshots>,
}

/// Style of the gather pictures. If these values change, the same command redraws the pictures of a complete survey.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GatherPictures {
    /// Variable density or wiggles.
    pub style: GatherStyle,
    /// Amplitude scaling.
    pub gain: GatherGain,
    /// Length of the window of automatic gain control [s].
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub agc_window: f64,
    /// Percentile of the scaled amplitudes at which the display clips [%].
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 100.0))]
    pub clip: f64,
}

impl Default for GatherPictures {
    fn default() -> Self {
        Self { style: GatherStyle::Density, gain: GatherGain::Time, agc_window: 0.5, clip: 99.0 }
    }
}

/// Display style of amplitudes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GatherStyle {
    /// Variable density: a shade of grey per sample.
    Density,
    /// Wiggles: one line per trace, filled on the positive side; as many traces as fit.
    Wiggle,
}

/// Amplitude scaling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GatherGain {
    /// Multiplication by t in three dimensions and by the square root of t in two, which compensates geometrical
    /// spreading.
    Time,
    /// Automatic gain control by the RMS amplitude of each trace in a window.
    Agc,
    /// Normalisation of each trace by its peak.
    Trace,
    /// No scaling.
    None,
}

/// Pressure snapshots in the cells of a shot, without absorbing layers. Craton writes the frames (VTI) during the
/// simulation, and draws them with a common colour scale when the survey is complete. Snapshots are not corrected for
/// time dispersion; traces are.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Snapshots {
    /// Shot numbers.
    #[schemars(length(min = 1), extend("examples" = [[1, 50]]))]
    pub shots: Vec<u32>,
    /// Times of the frames [s], each rounded to a whole time step.
    #[schemars(length(min = 1), inner(range(min = 1e-9)), extend("examples" = [[0.5, 1.0, 1.5]]))]
    pub times: Vec<f64>,
    /// Slices through a three-dimensional box; one table `[[output.snapshots.slices]]` each. In two dimensions a frame
    /// shows the whole plane.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<Slice>,
}

/// A plane through the box: exactly one of x, y and depth. Values are interpolated linearly between cell centres.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Slice {
    /// The plane x = constant [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<f64>,
    /// The plane y = constant [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 600.0)]
    pub y: Option<f64>,
    /// The plane at constant depth [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depth: Option<f64>,
}

impl Slice {
    /// The given keys: axis, key and value.
    pub fn given(&self) -> impl Iterator<Item = (usize, &'static str, f64)> {
        let all = [(0, "x", self.x), (1, "y", self.y), (2, "depth", self.depth)];
        all.into_iter().filter_map(|(axis, key, at)| Some((axis, key, at?)))
    }

    /// The axis normal to the plane, its key, and its coordinate.
    pub fn place(&self) -> (usize, &'static str, f64) {
        self.given().next().expect("a checked slice has one of x, y and depth")
    }
}

/// Time 0 of the traces and snapshots.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TimeZero {
    /// Time 0 of the time function. Traces start there.
    #[default]
    Start,
    /// The largest magnitude of the source wavelet. Traces start before it, at the beginning of the wavelet, rounded to a sample time that trace headers can represent
    /// (bytes 109-110). With signatures, the peaks of all shots are at time 0.
    Peak,
}

/// File format of the shot gathers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GatherFormat {
    /// SEG-Y revision 1.
    #[default]
    Segy,
    /// Seismic Unix.
    Su,
}

/// Byte order of Seismic Unix files.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ByteOrder {
    /// Big-endian (XDR), for Seismic Unix as it is shipped.
    #[default]
    Big,
    /// Little-endian, for Seismic Unix built without XDR on x86 and ARM.
    Little,
}

/// Number format of SEG-Y samples.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Numbers {
    /// IEEE single precision, bit-identical to the computed values.
    #[default]
    Ieee,
    /// IBM floating point, for programs that require it.
    Ibm,
}

/// The devices and threads of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Compute {
    /// The device: `"auto"` uses the available GPUs, and also the CPU cores where they help; `"cpu"`; `"cuda"` uses all
    /// GPUs and fails without one; `"cuda:1"` is GPU number 1; a list selects several GPUs.
    pub device: DeviceNames,
    /// Number of GPUs; all of them by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MOST_DEVICES), example = 4)]
    pub devices: Option<usize>,
    /// Number of worker threads; one per core by default. Results computed on the CPU do not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MOST_THREADS), example = 2)]
    pub threads: Option<usize>,
    /// Compute all shots on the same kind of device, so that results are bit-identical whichever worker computes a
    /// shot.
    pub reproducible: bool,
}
