//! The survey as written: one struct per table of the TOML file.
//!
//! These types define the file format only, as those of the scenario do (`crate::config`), with which they share some
//! types.

mod acquisition;
mod model;
mod output;
mod source;

pub use acquisition::{
    Acquisition, FixedReceivers, Headers, LandLine, LineEnds, MOST_POINTS, MarineLine, PointGrid, PointLine, Sps,
    StreamerSide, Tables,
};
pub use model::{Density, Domain, Layer, Layered, Model, Quality, ShearSpeed, Volumes};
pub use output::{
    ByteOrder, Compute, GatherFormat, GatherGain, GatherPictures, GatherStyle, Numbers, Output, Slice, Snapshots,
    TimeZero,
};
pub use source::{ArrayPoint, Quantity, Receivers, Source, SourceKind, SourcePoint};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A survey: an Earth model, a wavelet, and shots with their receivers. Craton writes all shot gathers to one file.
///
/// SI units; x east, y north, depth positive down from 0. Relative paths of input files are relative to the folder of
/// the survey file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Title of the survey in pictures, records and headers.
    #[serde(default)]
    #[schemars(example = "A marine line over a salt dome")]
    pub title: String,
    /// Trace length after time 0 [s].
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e9), example = 4.0)]
    pub duration: f64,
    /// The model domain; missing limits are those of the model.
    #[serde(default)]
    pub domain: Domain,
    /// Boundary conditions on the sides of the box.
    #[serde(default)]
    pub boundaries: Boundaries,
    /// The Earth model.
    pub model: Model,
    /// Attenuation of waves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attenuation: Option<Attenuation>,
    /// The acquisition geometry: shots and receivers.
    pub acquisition: Acquisition,
    /// The source of every shot.
    pub source: Source,
    /// The recorded quantities and the receiver array.
    #[serde(default)]
    pub receivers: Receivers,
    /// The numerical method and its parameters.
    pub method: Method,
    /// The output files and their folder.
    pub output: Output,
    /// The devices and threads of a run.
    #[serde(default)]
    pub compute: Compute,
}

impl Config {
    /// Whether the survey computes elastic waves.
    pub fn is_elastic(&self) -> bool {
        self.method.fd().equation == Equation::Elastic
    }
}

/// Boundary conditions on the sides of the box. All sides absorb; the top may be a free surface.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Boundaries {
    /// The top side, at the smallest depth.
    pub top: Top,
    /// The absorbing layers.
    pub absorbing: Absorbing,
}

/// The top of the box.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Top {
    /// Free surface: zero pressure, as at the sea surface; generates ghosts.
    #[default]
    Free,
    /// Absorbing.
    Absorbing,
}

/// Convolutional perfectly matched layers around the box.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Absorbing {
    /// Thickness in cells.
    #[schemars(range(min = 1, max = 1000))]
    pub cells: usize,
    /// Theoretical reflection coefficient at normal incidence.
    #[schemars(range(min = 1e-12, max = 0.5))]
    pub reflection: f64,
}

impl Default for Absorbing {
    fn default() -> Self {
        Self { cells: 20, reflection: 1e-4 }
    }
}

/// The numerical method.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// The finite-difference method.
    Fd(Fd),
}

impl Method {
    /// The finite-difference parameters; the only method.
    pub fn fd(&self) -> &Fd {
        let Self::Fd(fd) = self;
        fd
    }
}

/// Finite differences of acoustic or elastic waves. The grid and the time step follow from `max_frequency`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fd {
    /// Highest frequency that the grid resolves [Hz].
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e12), example = 40.0)]
    pub max_frequency: f64,
    /// Order of the spatial derivatives: the number of points of the stencil, twice its half-length.
    #[serde(default = "Fd::default_order")]
    #[schemars(extend("enum" = [2, 4, 6, 8, 10, 12, 14, 16]))]
    pub order: usize,
    /// The wave equation.
    #[serde(default)]
    pub equation: Equation,
    /// Largest relative error of the group velocity for Holberg's coefficients, which maximise the bandwidth within
    /// this error. By default the coefficients are Taylor's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1e-9, max = 0.1), example = 0.001)]
    pub holberg: Option<f64>,
    /// Grid points per shortest wavelength at `max_frequency`; determines the cell size. By default 20 for order 2, 10
    /// for order 4, 8 for order 6, and 6 for order 8 or higher.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2.0, max = 1000.0), example = 5.0)]
    pub points_per_wavelength: Option<f64>,
    /// Edge length of the cells [m], instead of the one that follows from the wavelength.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 10.0)]
    pub grid_spacing: Option<f64>,
    /// Memory variables of attenuation. By default `coarse` if all quality factors are at least 30, otherwise `full`.
    /// Craton uses `full` where `coarse` is not accurate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<FluidMemory>,
    /// Time step [s]. Craton rejects an unstable step. By default it follows from `courant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 0.001)]
    pub time_step: Option<f64>,
    /// Time step as a fraction of the largest stable step. Craton always corrects the traces for time dispersion.
    #[serde(default = "Fd::default_courant")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.0))]
    pub courant: f64,
    /// Aperture [m]: Craton computes a shot in the box around its source and receivers, extended by this distance on
    /// each side, over all depths. By default in the whole model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0), example = 2000.0)]
    pub aperture: Option<f64>,
}

/// The wave equation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Equation {
    /// The scalar wave equation where it applies, otherwise the system of first order.
    #[default]
    Auto,
    /// The system of first order for pressure and particle velocity on a staggered grid.
    FirstOrder,
    /// The scalar wave equation of second order for pressure, which is several times faster. It requires three dimensions,
    /// constant density, no attenuation, monopoles, and receivers of pressure. Gradients use the system of first order.
    Scalar,
    /// Elastic waves: velocity and stress on a staggered grid. The model needs `vs`, which is 0 in fluids. Each cell is water or rock
    /// according to the material at its centre; the free surface and interfaces of water and rock are on faces of cells.
    /// Gradients and snapshots are not available.
    Elastic,
}

/// Memory variables of attenuation on a grid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FluidMemory {
    /// One mechanism per point, in a pattern (coarse-grained memory variables): 8 bytes per point. With more than 4
    /// mechanisms, Craton uses `full`.
    Coarse,
    /// All mechanisms at each point: 4 bytes per point and mechanism, and 4 per point.
    Full,
}

/// Attenuation in a survey.
pub type Attenuation = crate::config::Attenuation<QualityRelation>;

/// Empirical relation Q = factor vp^exponent, with vp in m/s, where vp is above `above`; elsewhere Q is infinite. Values
/// below 5 are set to 5. It applies to layers without `qp`, and to volumes without `qp`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QualityRelation {
    /// Q at vp = 1 m/s.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e6), example = 0.05)]
    pub factor: f64,
    /// Exponent of vp.
    #[serde(default = "QualityRelation::default_exponent")]
    #[schemars(range(min = 0.0, max = 4.0))]
    pub exponent: f64,
    /// Wave speed below which there is no attenuation [m/s], such as in water.
    #[serde(default = "QualityRelation::default_above")]
    #[schemars(range(min = 0.0, max = 1e5))]
    pub above: f64,
}

impl QualityRelation {
    fn default_exponent() -> f64 {
        1.0
    }

    fn default_above() -> f64 {
        1550.0
    }
}

impl Fd {
    fn default_order() -> usize {
        8
    }

    fn default_courant() -> f64 {
        0.9
    }
}
