//! The Earth model.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{MeshModel, VolumeFile};

/// Largest accepted wave speed [m/s], faster than in any planet.
pub const MOST_SPEED: f64 = 1e6;
/// Largest accepted density [kg/m3], larger than in any planet.
pub const MOST_DENSITY: f64 = 1e6;

/// The Earth model: exactly one of six kinds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Model {
    /// One homogeneous material.
    Homogeneous(Material),
    /// Homogeneous layers between flat or curved interfaces.
    Layered(Layered),
    /// A one-dimensional model: properties depend on depth only.
    DepthTable(DepthTable),
    /// Wave speeds and density on a regular grid, from files.
    Volume(Box<Volumes>),
    /// A reference Earth model.
    Earth(Earth),
    /// The materials of the blocks of `domain.mesh`.
    Mesh(MeshModel),
}

/// An isotropic model on a regular grid, such as a velocity model of exploration: SEG-Y, RSF, netCDF or raw
/// binary.
///
/// All files have the same grid points, which cover the domain horizontally within half a spacing. Values are
/// interpolated linearly. Above the uppermost and below the lowermost points Craton extends their values vertically and
/// warns. Fluid points (vs = 0) and rock points are never averaged: their interface is half way between them. With
/// spectral elements it is a surface of the mesh, which requires water above rock everywhere or nowhere. Points
/// above the ground take the value of the uppermost point below it, but must be numbers from 0 to 1e6. Files without a
/// y axis are constant along y. Not available on the spherical Earth, where `perturbation` changes the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Volumes {
    /// P-wave speed [m/s].
    pub vp: VolumeFile,
    /// S-wave speed [m/s]; 0 in a fluid.
    pub vs: VolumeFile,
    /// Density [kg/m3]. By default 1025 in water and 310 vp^0.25 in rock (Gardner et al. 1974).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rho: Option<VolumeFile>,
    /// Quality factor of P waves; requires `qs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qp: Option<VolumeFile>,
    /// Quality factor of S waves; requires `qp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qs: Option<VolumeFile>,
    /// Quality factor of the bulk modulus, instead of `qp` and `qs`. By default there are no losses of compression.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qkappa: Option<VolumeFile>,
    /// Quality factor of the shear modulus, instead of `qp` and `qs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub qmu: Option<VolumeFile>,
}

/// A spherically symmetric model of the Earth, below z = 0. Discontinuities of the model coincide with element faces. The
/// outer core is a fluid.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Earth {
    /// Name of the model.
    pub name: EarthName,
    /// The uppermost layers.
    #[serde(default)]
    pub top: EarthTop,
    /// Depth of the Moho below the sphere or ellipsoid, not below the ground, as a grid over longitude and latitude in the formats of `domain.topography`,
    /// or `crust1.bnds` of CRUST1.0. Craton ignores the sign. If no value exceeds 100, all values are in kilometres, otherwise all are in metres. The crust
    /// becomes one homogeneous layer with the mean slownesses and density of the model's crust, weighted by thickness.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = "crust1.bnds")]
    pub moho: Option<PathBuf>,
    /// Smallest thickness of the crust above `moho` [m]: the Moho is lowered where the crust is thinner. A thin crust requires thin elements and
    /// short time steps.
    #[serde(default)]
    #[schemars(range(min = 0.0, max = 1e5), example = 10e3)]
    pub thinnest_crust: f64,
}

/// A reference Earth model, with wave speeds at a period of 1 s. With the table `attenuation` it has its own quality
/// factors: AK135 those of AK135-F, IASP91 those of PREM.
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
    /// AK135-F, spherical average: the mantle and core of AK135 below a crust of 18 km, with the densities and quality factors of Montagner &
    /// Kennett (1996). Upper crust takes the place of its 300 m of sediments.
    #[serde(rename = "ak135_f")]
    Ak135F,
}

/// The uppermost layers of a reference Earth model.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EarthTop {
    /// The crust of the model, with upper crust instead of the ocean.
    #[default]
    Crust,
    /// The crust of PREM or AK135-F and its ocean: the uppermost 3 km are water, and the surface is the sea surface. Not available with
    /// `domain.topography` or `moho`.
    Ocean,
    /// The uppermost mantle, continued upwards: the thin layers of the crust would require thin elements and short time
    /// steps.
    Mantle,
}

/// An elastic material: isotropic with `vp` and `vs`, transversely isotropic with `thomsen` in addition, or generally
/// anisotropic with `stiffness` instead.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Material {
    /// Density [kg/m3].
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = MOST_DENSITY), example = 2600.0)]
    pub rho: f64,
    /// P-wave speed [m/s]; along the symmetry axis with `thomsen`. Required unless `stiffness` is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = MOST_SPEED), example = 4000.0)]
    pub vp: Option<f64>,
    /// S-wave speed [m/s]; along the symmetry axis with `thomsen`. Required unless `stiffness` is given. A value of 0
    /// is a fluid.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0, max = MOST_SPEED), example = 2000.0)]
    pub vs: Option<f64>,
    /// Quality factor of P waves; requires `qs` in a solid. Without quality factors the material is elastic. The table
    /// `attenuation` gives their band of frequencies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 5.0), example = 120.0)]
    pub qp: Option<f64>,
    /// Quality factor of S waves; requires `qp`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0), example = 60.0)]
    pub qs: Option<f64>,
    /// Quality factor of the bulk modulus, instead of `qp` and `qs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 5.0), example = 1000.0)]
    pub qkappa: Option<f64>,
    /// Quality factor of the shear modulus, instead of `qp` and `qs`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0), example = 60.0)]
    pub qmu: Option<f64>,
    /// Transverse isotropy: vertical symmetry axis (VTI) by default, otherwise tilted (HTI at 90 degrees, TTI between).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thomsen: Option<Thomsen>,
    /// The 21 stiffnesses [Pa]: upper triangle of the Voigt matrix row by row, C11 C12 ... C16 C22 ... C66, in the
    /// order xx, yy, zz, yz, xz, xy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 21, max = 21), inner(range(min = -1e18, max = 1e18)))]
    pub stiffness: Option<Vec<f64>>,
}

/// Thomsen parameters of a transversely isotropic material and the direction of its symmetry axis.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Thomsen {
    /// Thomsen's epsilon: relative difference of the P-wave speeds across and along the axis.
    #[schemars(extend("exclusiveMinimum" = -0.5), range(max = 10.0), example = 0.2)]
    pub epsilon: f64,
    /// Thomsen's delta: determines the P-wave speed near the axis.
    #[schemars(range(min = -10.0, max = 10.0), example = 0.1)]
    pub delta: f64,
    /// Thomsen's gamma: relative difference of the SH-wave speeds across and along the axis.
    #[schemars(extend("exclusiveMinimum" = -0.5), range(max = 10.0), example = 0.15)]
    pub gamma: f64,
    /// Tilt of the axis from the vertical [degrees].
    #[schemars(range(min = 0.0, max = 180.0))]
    pub tilt: f64,
    /// Azimuth towards which the axis tilts, clockwise from north [degrees].
    #[schemars(range(min = -360.0, max = 360.0))]
    pub azimuth: f64,
}

/// Homogeneous layers, from the top down.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Layered {
    /// The layers, the uppermost first. Each ends at the top of the next; the last one ends at the bottom of the
    /// domain.
    #[schemars(length(min = 1))]
    pub layers: Vec<Layer>,
}

/// A layer: the elevation of its top, and its material.
// serde does not support `deny_unknown_fields` together with `flatten`; the schema closes this table instead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Layer {
    /// Elevation of the top of the layer [m], or a grid file with the elevations, as for `domain.topography`. Optional
    /// for the first layer, which extends to the top of the domain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top: Option<Level>,
    /// Material of the layer.
    #[serde(flatten)]
    pub material: Material,
}

/// An elevation: a number, or a grid over x and y.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Level {
    /// A flat interface [m].
    Flat(f64),
    /// A grid file: ESRI ASCII, netCDF with the elevation as its only variable, or text with columns x, y, z
    /// [m]. With a projection, the grid may be over longitude and latitude.
    Grid(PathBuf),
}

/// Properties as a function of depth: from a file or from rows in the scenario, exactly one of them. Values are linear
/// between rows; two rows at the same depth are a discontinuity. Above the first and below the last row Craton extends
/// the values of that row and warns. On the spherical Earth the last row must reach the bottom of the chunk or the centre.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DepthTable {
    /// A text file: the first line has the column names `depth vp vs rho` in any order, each further line one row with
    /// the units of `rows`; `#` begins a comment. For a transversely isotropic model, `depth vpv vph vsv vsh eta rho`:
    /// speeds along and across the vertical, and F / (A - 2 L) of Love's moduli. Names may have a unit: `depth_km`,
    /// `vp_km_s`, `vsh_km_s`, `rho_g_cm3`. Further columns `qp qs` or `qkappa qmu` are quality factors.
    /// Files named `.tvel` or `.nd` are velocity models of TauP: depth, vp, vs and density in km, km/s and g/cm3, in `.nd`
    /// with or without quality factors of P and S waves.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = "crust.txt")]
    pub file: Option<PathBuf>,
    /// Rows of depth, vp, vs and rho in m, m/s, m/s and kg/m3, the shallowest first. Depth is positive down from z = 0,
    /// independent of the topography. Rows may end with qp and qs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), inner(length(min = 4, max = 6)), extend("examples" = [[[0.0, 3200.0, 1800.0, 2200.0], [5000.0, 5800.0, 3300.0, 2600.0]]]))]
    pub rows: Option<Vec<Vec<f64>>>,
}
