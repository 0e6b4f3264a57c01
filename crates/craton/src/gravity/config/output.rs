//! Output and computing resources of a gravity problem.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::{DeviceNames, MOST_DEVICES, MOST_THREADS};

/// The output files and their folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Folder of the results, relative to the working directory.
    #[schemars(example = &"results/basin")]
    pub directory: PathBuf,
    /// Formats of the results, one or more files each. By default a CSV table, and netCDF for a grid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("examples" = [["netcdf", "esri"]]))]
    pub formats: Option<Vec<OutputFormat>>,
    /// Units of the results. Column names include the unit.
    #[serde(default)]
    pub units: Units,
    /// Whether to draw pictures.
    #[serde(default = "yes")]
    pub pictures: bool,
}

/// A format of the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputFormat {
    /// `gravity.csv`: one row per point, with positions and fields in full precision.
    Csv,
    /// `gravity.nc`: netCDF with CF attributes, for xarray and GMT; grid fields are over y and x.
    Netcdf,
    /// `FIELD.asc`: ESRI ASCII, one file per field; only for grids with equal spacing along x and y.
    Esri,
    /// `gravity.npy`: NumPy binary array, one row per point, with the columns of the table.
    Npy,
    /// UBC-GIF observations: `g_d` in `gravity.grv`, tensor components in `gradient.gg`. Its z axis points down, so
    /// that `g_u`, `g_eu` and `g_nu` change sign. Other fields are not written.
    Ubc,
}

/// Units of the results.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Units {
    /// Attraction in mGal (1e-5 m/s2), the tensor in Eotvos (1e-9 /s2).
    #[default]
    Geophysical,
    /// Attraction in m/s2, the tensor in 1/s2.
    Si,
}

/// The devices and threads of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Compute {
    /// The device: `"auto"` uses the available GPUs if Craton expects them to be faster, otherwise the CPU; `"cpu"`;
    /// `"cuda"` uses all GPUs and fails without one; `"cuda:1"` is GPU number 1; a list selects several GPUs. GPUs
    /// compute direct sums. The number of GPUs does not change a bit of the results; GPU and CPU differ by round-off.
    pub device: DeviceNames,
    /// Number of GPUs; all of them by default. The results do not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MOST_DEVICES), example = 4)]
    pub devices: Option<usize>,
    /// Number of worker threads; one per core by default. The results do not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MOST_THREADS), example = 2)]
    pub threads: Option<usize>,
}

fn yes() -> bool {
    true
}
