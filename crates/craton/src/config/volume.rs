//! Files of values at the points of regular grids.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A file of values at the points of a regular grid. What the file says of its grid can be left out here, and corrected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VolumeFile {
    /// The file.
    #[schemars(example = &"vp.segy")]
    pub file: PathBuf,
    /// Its format; by default from the end of its name: `.segy` and `.sgy`, `.rsf`, `.nc`; anything else is `raw`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<VolumeFormat>,
    /// Name of the variable in netCDF; the only one by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"vp")]
    pub variable: Option<String>,
    /// What the axes are, the one that runs fastest first. By default what their names in the file say (x or easting, y or
    /// northing, depth, height or elevation), which those of netCDF must; else depth, x, y, as far as there are axes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [["depth", "x"]]))]
    pub axes: Option<Vec<VolumeAxis>>,
    /// Number of points along each axis; for raw files alone, which need it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1, max = 1_000_000)), extend("examples" = [[301, 1201]]))]
    pub shape: Option<Vec<usize>>,
    /// Distance of the points along each axis [m]; raw files need it. The sample interval of SEG-Y is taken for thousandths of a metre, or of a foot where the file is in feet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1e-6, max = 1e9)), extend("examples" = [[10.0, 10.0]]))]
    pub spacing: Option<Vec<f64>>,
    /// Place of the first point along each axis [m]; by default what the file says, and 0 where it counts points or traces only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[0.0, 5000.0]]))]
    pub origin: Option<Vec<f64>>,
    /// Byte order of raw numbers, which are of single precision (IEEE).
    #[serde(default)]
    pub byte_order: ByteOrder,
    /// Factor on the values, 1 by default: 1000 where they are km/s or g/cm3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub factor: Option<f64>,
}

/// Byte order of raw numbers.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ByteOrder {
    /// Least byte first, as nearly all machines write.
    #[default]
    Little,
    /// Most significant byte first.
    Big,
}

/// A format of volumes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VolumeFormat {
    /// SEG-Y revision 0 or 1, a trace for each column.
    Segy,
    /// Madagascar's header and binary.
    Rsf,
    /// netCDF.
    Netcdf,
    /// Numbers without a header.
    Raw,
}

/// An axis of a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VolumeAxis {
    /// Depth, positive down.
    Depth,
    /// Height, positive up.
    Z,
    /// East.
    X,
    /// North.
    Y,
}
