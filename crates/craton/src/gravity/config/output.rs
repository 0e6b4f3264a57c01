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
    #[schemars(example = &"results/basin")]
    pub directory: PathBuf,
    /// Formats of the results, each in files of its own. By default a table, and of a grid netCDF besides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("examples" = [["netcdf", "esri"]]))]
    pub formats: Option<Vec<OutputFormat>>,
    /// Units of the results, which stand in the name of each column.
    #[serde(default)]
    pub units: Units,
    /// Whether pictures are drawn.
    #[serde(default = "yes")]
    pub pictures: bool,
}

/// A format of results.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OutputFormat {
    /// `gravity.csv`: a row for each point, places and fields with all their digits.
    Csv,
    /// `gravity.nc`: netCDF with CF attributes, which xarray and GMT read; of a grid, fields over y and x.
    Netcdf,
    /// A file `FIELD.asc` for each field, ESRI ascii; of grids alone, whose points are as far apart along x as along y.
    Esri,
    /// `gravity.npy`: NumPy's binary array, a row for each point, the columns those of the table.
    Npy,
    /// Observations of UBC-GIF: `g_d` in `gravity.grv`, components of the tensor in `gradient.gg`, whose z is down: `g_u`, `g_eu` and `g_nu` change
    /// their signs. Other fields are left out.
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

/// What the computer may use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Compute {
    /// What computes: `"auto"`, the GPUs that are there where they are expected to be the faster way, else the CPU; `"cpu"`; `"cuda"`, the GPUs and nothing else;
    /// `"cuda:1"`, the GPU of this number; a list of GPUs. GPUs make direct sums. The number of GPUs changes no bit of the results; a GPU and the CPU differ
    /// by round-off.
    pub device: DeviceNames,
    /// How many GPUs compute; all by default. The results do not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MOST_DEVICES), example = 4)]
    pub devices: Option<usize>,
    /// Worker threads; one for every core by default. The results do not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MOST_THREADS), example = 2)]
    pub threads: Option<usize>,
}

fn yes() -> bool {
    true
}
