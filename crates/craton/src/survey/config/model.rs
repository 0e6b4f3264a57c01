//! What the Earth is made of.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The box that is modelled; without `y` waves travel in the plane of x and depth.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Domain {
    /// West and east ends [m]; those of the model by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[0.0, 10000.0]]))]
    pub x: Option<[f64; 2]>,
    /// South and north ends [m]; those of the model by default, where it has any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[0.0, 4000.0]]))]
    pub y: Option<[f64; 2]>,
    /// Depths of the top and the bottom [m]; those of the model by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[0.0, 3000.0]]))]
    pub depth: Option<[f64; 2]>,
}

/// The Earth model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// Flat layers, written here.
    Layered(Layered),
    /// Speed and density at the points of a regular grid, from files.
    Volume(Box<Volumes>),
}

/// Flat layers; the domain says how far they reach.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Layered {
    /// From the top down; the last one goes on below.
    #[schemars(length(min = 1))]
    pub layers: Vec<FluidLayer>,
}

/// A layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FluidLayer {
    /// Depth of its top [m]; the first layer needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 1200.0)]
    pub top: Option<f64>,
    /// Speed of waves [m/s].
    #[schemars(range(min = 100.0, max = 1e5), example = 2200.0)]
    pub vp: f64,
    /// Density [kg/m3]; from the speed by default, see `model.volume.density`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 100.0, max = 1e5), example = 2100.0)]
    pub rho: Option<f64>,
}

/// Speed and density from files, each on a grid of its own.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Volumes {
    /// Speed of waves [m/s].
    pub velocity: VolumeFile,
    /// Density [kg/m3]. Without it density follows from the speed: 1025 up to 1550 m/s, which is water, and 310 vp^0.25 above (Gardner and
    /// others 1974).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<VolumeFile>,
}

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
    /// What the axes are, the one that runs fastest first. By default depth, x, y, as far as there are axes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [["depth", "x"]]))]
    pub axes: Option<Vec<VolumeAxis>>,
    /// Number of points along each axis; for raw files alone, which need it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1, max = 1_000_000)), extend("examples" = [[301, 1201]]))]
    pub shape: Option<Vec<usize>>,
    /// Distance of the points along each axis [m]; raw files need it. The sample interval of SEG-Y is taken for thousandths of a metre.
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
    /// Factor on the values: 1000 where they are km/s or g/cm3.
    #[serde(default = "one")]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    pub factor: f64,
}

fn one() -> f64 {
    1.0
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
    /// East.
    X,
    /// North.
    Y,
}
