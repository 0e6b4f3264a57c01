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
