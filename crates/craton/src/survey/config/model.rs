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
    /// Wave speed [m/s]: that of P waves in a solid; along the symmetry axis with `epsilon` and `delta`.
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
    /// Thomsen's epsilon, 0 by default: relative difference of the P-wave speeds across and along the axis. With `epsilon` or `delta`,
    /// acoustic waves are those of a transversely isotropic medium, see `model.volume.epsilon`.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = -0.45, max = 10.0), example = 0.2)]
    pub epsilon: f64,
    /// Thomsen's delta, 0 by default: determines the P-wave speed near the axis. At most `epsilon`.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = -0.45, max = 10.0), example = 0.1)]
    pub delta: f64,
    /// Tilt of the symmetry axis from the vertical [degrees], for `epsilon` and `delta` (TTI); on CPUs only.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = 0.0, max = 180.0), example = 30.0)]
    pub tilt: f64,
    /// Azimuth towards which the axis tilts, clockwise from north [degrees]; 90 or 270 in two dimensions.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[schemars(range(min = -360.0, max = 360.0), example = 90.0)]
    pub azimuth: f64,
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
    /// Wave speed [m/s]: that of P waves in a solid; along the symmetry axis with `epsilon` and `delta`.
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
    /// Thomsen's epsilon: a table like that of `velocity`, or a constant from -0.45 to 10; by default 0. With `epsilon` or `delta`, acoustic
    /// waves are those of a transversely isotropic medium with a vertical (VTI) or tilted (TTI) axis, without shear modulus along the axis:
    /// P waves have almost the speeds of a solid. Where `epsilon` and `delta` differ, a source also excites a slower wave, up to about
    /// vp sqrt((epsilon - delta) / 2), which is an artefact; a source in water does not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub epsilon: Option<Anisotropy>,
    /// Thomsen's delta: a table like that of `velocity`, or a constant from -0.45 to 10; by default 0. It is at most `epsilon` everywhere,
    /// since the equation is unstable otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delta: Option<Anisotropy>,
    /// Tilt of the symmetry axis from the vertical [degrees]: a table like that of `velocity`, or a constant from 0 to 180; by default 0.
    /// A tilted axis is supported on CPUs only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tilt: Option<Angle>,
    /// Azimuth towards which the axis tilts, clockwise from north [degrees]: a table with the grid points of `tilt`, or a constant; by default 0.
    /// It is 90 or 270 in two dimensions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub azimuth: Option<Angle>,
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

/// Thomsen parameter of a model with velocities from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Anisotropy {
    /// Constant value.
    Constant(#[schemars(range(min = -0.45, max = 10.0))] f64),
    /// Values on their own regular grid.
    File(VolumeFile),
}

impl Anisotropy {
    /// The file, if there is one.
    pub fn file(&self) -> Option<&VolumeFile> {
        match self {
            Self::Constant(_) => None,
            Self::File(file) => Some(file),
        }
    }
}

/// Angle of the axis of a model with velocities from a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Angle {
    /// Constant angle [degrees].
    Constant(#[schemars(range(min = -360.0, max = 360.0))] f64),
    /// Values on their own regular grid.
    File(VolumeFile),
}

impl Angle {
    /// The file, if there is one.
    pub fn file(&self) -> Option<&VolumeFile> {
        match self {
            Self::Constant(_) => None,
            Self::File(file) => Some(file),
        }
    }
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

#[allow(clippy::trivially_copy_pass_by_ref)] // as serde requires
fn is_zero(value: &f64) -> bool {
    *value == 0.0
}
