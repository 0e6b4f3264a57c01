//! The Earth model of a survey.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::VolumeFile;

/// The model domain. Without `y`, the simulation is two-dimensional, in the plane of x and depth.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Domain {
    /// West and east limits [m]; those of the model by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[0.0, 10000.0]]))]
    pub x: Option<[f64; 2]>,
    /// South and north limits [m]; those of the model by default, if it has a y axis.
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
    /// Flat homogeneous layers.
    Layered(Layered),
    /// Velocity and density on a regular grid, from files.
    Volume(Box<Volumes>),
}

/// Flat homogeneous layers, which extend across the domain.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Layered {
    /// The layers, from the top down; the last one extends to the bottom.
    #[schemars(length(min = 1))]
    pub layers: Vec<Layer>,
}

/// A homogeneous layer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Layer {
    /// Depth of the top of the layer [m]; optional for the first layer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 1200.0)]
    pub top: Option<f64>,
    /// Wave speed [m/s]: that of P waves in a solid.
    #[schemars(range(min = 100.0, max = 1e5), example = 2200.0)]
    pub vp: f64,
    /// S-wave speed [m/s]; 0 in a fluid. Required by `method.fd.equation = "elastic"`, ignored by the other equations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = 1e5), example = 1100.0)]
    pub vs: Option<f64>,
    /// Density [kg/m3]; by default from the wave speed, see `model.volume.density`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 100.0, max = 1e5), example = 2100.0)]
    pub rho: Option<f64>,
    /// Quality factor, of P waves in a solid; by default infinite. The table `attenuation` gives the band of frequencies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 5.0), example = 100.0)]
    pub qp: Option<f64>,
    /// Quality factor of S waves; required in a solid with `qp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0), example = 50.0)]
    pub qs: Option<f64>,
}

/// Velocity and density from files, which may have different grids. In elastic surveys, files of `vs`, `qp` and `qs` have
/// the grid points of `velocity`, and the density is used at these points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Volumes {
    /// Wave speed [m/s]: that of P waves in a solid.
    pub velocity: VolumeFile,
    /// S-wave speed [m/s], 0 in a fluid: a table like that of `velocity`, with the same grid points, or a constant. Required by
    /// `method.fd.equation = "elastic"`, ignored by the other equations. Values are not interpolated between a
    /// point in water and a point in rock: the interface is halfway between the two points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vs: Option<ShearSpeed>,
    /// Density [kg/m3]: a table like that of `velocity`, or a constant from 100 to 1e5. By default density follows from
    /// the wave speed: 1025 up to 1550 m/s (water), 310 vp^0.25 above (Gardner et al. 1974); in elastic surveys 1025
    /// where `vs` is 0 and 310 vp^0.25 elsewhere.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub density: Option<Density>,
    /// Quality factor: a table like that of `velocity`, or a constant of at least 5; by default infinite. A file has values
    /// of at least 5, in water infinite (`inf`) or very large ones. The table `attenuation` gives the band of frequencies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qp: Option<Quality>,
    /// Quality factor of S waves: a table like that of `velocity`, or a constant; required in solids with `qp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qs: Option<Quality>,
}

/// S-wave speed of a model with velocities from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ShearSpeed {
    /// Constant speed [m/s].
    Constant(#[schemars(range(min = 0.0, max = 1e5))] f64),
    /// Values on the grid of `velocity`.
    File(VolumeFile),
}

impl ShearSpeed {
    /// The file, if there is one.
    pub fn file(&self) -> Option<&VolumeFile> {
        match self {
            Self::Constant(_) => None,
            Self::File(file) => Some(file),
        }
    }
}

/// Density of a model with velocities from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Density {
    /// Constant density [kg/m3].
    Constant(#[schemars(range(min = 100.0, max = 1e5))] f64),
    /// Values on their own regular grid.
    File(VolumeFile),
}

/// Quality factor of a model with velocities from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Quality {
    /// Constant quality factor.
    Constant(#[schemars(range(min = 5.0))] f64),
    /// Values on their own regular grid.
    File(VolumeFile),
}

impl Quality {
    /// The file, if there is one.
    pub fn file(&self) -> Option<&VolumeFile> {
        match self {
            Self::Constant(_) => None,
            Self::File(file) => Some(file),
        }
    }
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
