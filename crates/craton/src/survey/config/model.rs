//! What the Earth is made of.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::VolumeFile;

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
    /// Density [kg/m3]: a table as that of `velocity`, or a number from 100 to 1e5 for all of the model. Without it density follows from the speed: 1025 up
    /// to 1550 m/s, which is water, and 310 vp^0.25 above (Gardner and others 1974).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<Density>,
}

/// Density beside speeds from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Density {
    /// The same everywhere [kg/m3].
    Constant(#[schemars(range(min = 100.0, max = 1e5))] f64),
    /// Values at the points of a grid of its own.
    File(VolumeFile),
}

impl Density {
    /// The file, if there is one.
    pub fn file(&self) -> Option<&VolumeFile> {
        match self {
            Self::Constant(_) => None,
            Self::File(file) => Some(file),
        }
    }
}
