//! Files with values on regular grids.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A file with values on a regular grid. Keys that the file header defines may be left out, or given to override the
/// header.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VolumeFile {
    /// The file.
    #[schemars(example = &"vp.segy")]
    pub file: PathBuf,
    /// File format; by default from the file name: `.segy` and `.sgy`, `.rsf`, `.nc`, `.xyz` and `.txt`; all other names are `raw`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<VolumeFormat>,
    /// Name of the netCDF variable, or name or number of the column of a text file. Not needed if there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"vp")]
    pub variable: Option<String>,
    /// The axes, the fastest first. By default from the axis names in the file (x or easting, y or northing, depth,
    /// height or elevation), which netCDF files must have; otherwise depth, x, y.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [["depth", "x"]]))]
    pub axes: Option<Vec<VolumeAxis>>,
    /// Number of points along each axis; for raw files only, which require it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1, max = 1_000_000)), extend("examples" = [[301, 1201]]))]
    pub shape: Option<Vec<usize>>,
    /// Grid spacing along each axis [m]; raw files require it. Craton interprets the sample interval of SEG-Y as
    /// thousandths of a metre, or of a foot if the file is in feet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1e-6, max = 1e9)), extend("examples" = [[10.0, 10.0]]))]
    pub spacing: Option<Vec<f64>>,
    /// Coordinate of the first point along each axis [m]; by default from the file, or 0 if the file only counts points
    /// or traces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[0.0, 5000.0]]))]
    pub origin: Option<Vec<f64>>,
    /// First bytes of x and y in the trace headers of SEG-Y, four bytes each, counted from 1; by default those of the ensemble (181, 185),
    /// or else of the source (73, 77) or the receiver group (81, 85), the first that differ between traces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1, max = 237)), extend("examples" = [[73, 77]]))]
    pub coordinate_bytes: Option<[usize; 2]>,
    /// Byte order of raw values, which are IEEE single precision.
    #[serde(default)]
    pub byte_order: ByteOrder,
    /// Factor on the values, 1 by default. Use 1000 for values in km/s or g/cm3.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub factor: Option<f64>,
}

/// Byte order of raw values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ByteOrder {
    /// Little-endian, as written by nearly all computers.
    #[default]
    Little,
    /// Big-endian.
    Big,
}

/// Format of a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum VolumeFormat {
    /// SEG-Y of revision 0, 1 or 2, in either byte order and any sample format except 4 (fixed point with gain), one trace per column.
    Segy,
    /// Madagascar RSF: text header and binary.
    Rsf,
    /// netCDF, classic or netCDF-4 (HDF5).
    Netcdf,
    /// Text with one point of the grid per line, x, y, z or depth and the values, in any order of the lines: SPECFEM3D's `tomography_model.xyz`, models of
    /// SCEC's community velocity models, and other tables. The columns have names, on a line or in a comment before the points, or numbers from 1. Their
    /// units, such as `vp(km/s)`, are converted to SI.
    Text,
    /// A model of SOFI3D: the file is its parameter file (JSON) with the size and the name of the model, and `variable` is the extension of the binary: vp, vs,
    /// rho, qp or qs.
    Sofi3d,
    /// Raw binary without a header.
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
    /// East coordinate.
    X,
    /// North coordinate.
    Y,
}
