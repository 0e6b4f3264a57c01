//! What the Earth is made of.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::VolumeFile;

/// What to do about a fluid, whose vs is 0.
pub const FLUID_HINT: &str = "a vs of 0 is a fluid: solve it by [method.fd], let the domain end at the floor of the sea, or give a small vs that the mesh can resolve";

/// Fastest wave that is taken [m/s]; none in a planet is so fast.
pub const MOST_SPEED: f64 = 1e6;
/// Largest density that is taken [kg/m3]; none in a planet is so large.
pub const MOST_DENSITY: f64 = 1e6;

/// The Earth model: one of five kinds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// One material everywhere.
    Homogeneous(Material),
    /// Layers of one material each, between flat or curved interfaces.
    Layered(Layered),
    /// Properties that vary with depth alone.
    DepthTable(DepthTable),
    /// Speeds and density at the points of a regular grid, from files.
    Volume(Box<Volumes>),
    /// A reference Earth: crust and mantle as whole-Earth models have them.
    Earth(Earth),
}

/// Isotropic media at the points of a regular grid, such as a velocity model of exploration: SEG-Y, RSF, netCDF classic or raw numbers.
///
/// All files have the same points, which cover the domain sideways, within half a spacing. Between points all is linear; above and below the outermost
/// ones their values hold, of which a warning tells. Points of fluid, whose vs is 0, and of rock do not mix: their boundary lies half way between
/// them. What lies above the ground does not matter, but is a number from 0 to 1e6: the uppermost point below the ground stands for it. Files without y are the same all along it. Not in a
/// chunk of the Earth, whose models are changed by `perturbation`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Volumes {
    /// Speed of P waves [m/s].
    pub vp: VolumeFile,
    /// Speed of S waves [m/s]; 0 is a fluid, which finite differences solve, and spectral elements do not.
    pub vs: VolumeFile,
    /// Density [kg/m3]. Without it water has 1025, and rock 310 vp^0.25 (Gardner and others 1974).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rho: Option<VolumeFile>,
}

/// A spherically symmetric model of the crust and mantle, below z = 0. Boundaries of the model are boundaries of elements. Its core is a fluid, and so no part of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Earth {
    /// Which one.
    pub name: EarthName,
    /// What lies at the surface.
    #[serde(default)]
    pub top: EarthTop,
}

/// A reference Earth, elastic: speeds are those at a period of 1 s.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EarthName {
    /// PREM (Dziewonski & Anderson 1981) with its equivalent isotropic mantle.
    Prem,
    /// PREM, transversely isotropic about the vertical from the Moho to 220 km.
    PremAnisotropic,
    /// IASP91 (Kennett & Engdahl 1991), with the densities of PEM.
    Iasp91,
    /// AK135 (Kennett, Engdahl & Buland 1995), with the densities of PEM.
    Ak135,
}

/// What lies at the surface of a reference Earth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EarthTop {
    /// The crust of the model, its upper crust in place of the ocean.
    #[default]
    Crust,
    /// The uppermost mantle, continued upwards: thin layers of crust make thin elements and short steps.
    Mantle,
}

/// An elastic solid: isotropic by `vp` and `vs`; transversely isotropic with `thomsen` beside them; or any anisotropy by `stiffness`
/// in their place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// Density [kg/m3].
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = MOST_DENSITY), example = 2600.0)]
    pub rho: f64,
    /// P speed [m/s]; along the symmetry axis with `thomsen`. Required unless `stiffness` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = MOST_SPEED), example = 4000.0)]
    pub vp: Option<f64>,
    /// S speed [m/s]; along the symmetry axis with `thomsen`. Required unless `stiffness` is given. 0 in a fluid, which finite differences
    /// solve, and spectral elements do not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = MOST_SPEED), example = 2000.0)]
    pub vs: Option<f64>,
    /// Transverse isotropy about an axis: vertical (VTI) unless tilted (HTI at 90 degrees, TTI between).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thomsen: Option<Thomsen>,
    /// The 21 stiffnesses [Pa]: upper triangle of the Voigt matrix row by row, C11 C12 ... C16 C22 ... C66, in the order xx, yy, zz, yz, xz, xy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 21, max = 21), inner(range(min = -1e18, max = 1e18)))]
    pub stiffness: Option<Vec<f64>>,
}

/// Thomsen's parameters of a transversely isotropic solid, and the direction of its axis.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Thomsen {
    /// Relative excess of the P speed across the axis.
    #[schemars(extend("exclusiveMinimum" = -0.5), range(max = 10.0), example = 0.2)]
    pub epsilon: f64,
    /// Curvature of the P speed near the axis.
    #[schemars(range(min = -10.0, max = 10.0), example = 0.1)]
    pub delta: f64,
    /// Relative excess of the SH speed across the axis.
    #[schemars(extend("exclusiveMinimum" = -0.5), range(max = 10.0), example = 0.15)]
    pub gamma: f64,
    /// Angle of the axis from the vertical [degrees].
    #[schemars(range(min = 0.0, max = 180.0))]
    pub tilt: f64,
    /// Direction in which the axis leans, from north over east [degrees].
    #[schemars(range(min = -360.0, max = 360.0))]
    pub azimuth: f64,
}

/// Layers from the top downwards.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Layered {
    /// The layers, the uppermost first; each ends where the next begins, the last at the bottom of the domain.
    #[schemars(length(min = 1))]
    pub layers: Vec<Layer>,
}

/// A layer: its top and its material.
// `deny_unknown_fields` cannot stand beside `flatten`; the schema closes this table instead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Layer {
    /// Elevation of the top of the layer [m], or a grid file of it, as for `domain.topography`. The first layer may leave it out: it reaches the top of the domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<Level>,
    /// What the layer is made of.
    #[serde(flatten)]
    pub material: Material,
}

/// An elevation: a number, or a grid over x and y.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Level {
    /// A flat interface [m].
    Flat(f64),
    /// A grid file: ESRI ascii, netCDF classic over x and y with heights as its only variable, or text of x y z [m]. With a projection it may be over longitude and latitude.
    Grid(PathBuf),
}

/// Properties by depth: exactly one of a file and rows written here. Linear between rows; two rows at one depth are a jump.
/// Above the first row and below the last the values of that row hold, of which a warning tells; in a chunk of the Earth the last row must reach its depth.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DepthTable {
    /// A text file: the names `depth vp vs rho` on its first line, in any order, then their values, as in `rows`, on a line each; `#` begins
    /// a comment. Or, of media with a direction, `depth vpv vph vsv vsh eta rho`: speeds along and across the vertical, and F / (A - 2 L) of
    /// Love's moduli. Names may have a unit: `depth_km`, `vp_km_s`, `vsh_km_s`, `rho_g_cm3`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = "crust.txt")]
    pub file: Option<PathBuf>,
    /// Rows of depth, vp, vs and rho in m, m/s, m/s and kg/m3, the shallowest first; depth is positive down from z = 0, whatever the
    /// topography.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("examples" = [[[0.0, 3200.0, 1800.0, 2200.0], [5000.0, 5800.0, 3300.0, 2600.0]]]))]
    pub rows: Option<Vec<[f64; 4]>>,
}
