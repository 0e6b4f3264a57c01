//! The survey as it is written: one struct per table of the TOML file.
//!
//! These types carry the words of the format and nothing else, as those of a scenario do (`crate::config`), some of which they share.

mod acquisition;
mod model;
mod output;
mod source;

pub use acquisition::{
    Acquisition, FixedReceivers, Headers, LandLine, LineEnds, MOST_POINTS, MarineLine, PointGrid, PointLine, Sps,
    StreamerSide, Tables,
};
pub use model::{Density, Domain, FluidLayer, Layered, Model, Volumes};
pub use output::{Compute, GatherFormat, GatherGain, GatherPictures, GatherStyle, Numbers, Output, Slice, Snapshots};
pub use source::{ArrayPoint, Quantity, Receivers, Source, SourceKind};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A survey: a model, a wavelet, and shots with their receivers. The answer is every shot gather in one file.
///
/// SI units; x east, y north, depths positive down from 0. Relative paths of files to be read are taken from the folder of the survey file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// A line that names the survey in pictures, records and headers.
    #[serde(default)]
    #[schemars(example = "A marine line over a salt dome")]
    pub title: String,
    /// Length of the traces, from 0 [s].
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e9), example = 4.0)]
    pub duration: f64,
    /// The box that is modelled; what is left out comes from the model.
    #[serde(default)]
    pub domain: Domain,
    /// What happens at the sides of the box.
    #[serde(default)]
    pub boundaries: Boundaries,
    /// The Earth model.
    pub model: Model,
    /// Where shots and receivers are.
    pub acquisition: Acquisition,
    /// What every shot sends.
    pub source: Source,
    /// What every receiver hears.
    #[serde(default)]
    pub receivers: Receivers,
    /// How a shot is computed.
    pub method: Method,
    /// What is written, and where.
    pub output: Output,
    /// What the computer may use.
    #[serde(default)]
    pub compute: Compute,
}

/// What happens at the sides of the box: all absorb but the top, which may be free.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Boundaries {
    /// The top, at the least depth.
    pub top: Top,
    /// The layers that absorb.
    pub absorbing: Absorbing,
}

/// The top of the box.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Top {
    /// No pressure: the surface of the sea, with its ghosts.
    #[default]
    Free,
    /// Waves leave.
    Absorbing,
}

/// Convolutional perfectly matched layers around the box.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Absorbing {
    /// Thickness, in cells.
    #[schemars(range(min = 1, max = 1000))]
    pub cells: usize,
    /// Amplitude that a wave at normal incidence keeps.
    #[schemars(range(min = 1e-12, max = 0.5))]
    pub reflection: f64,
}

impl Default for Absorbing {
    fn default() -> Self {
        Self { cells: 20, reflection: 1e-4 }
    }
}

/// How a shot is computed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// Finite differences.
    Fd(Fd),
}

impl Method {
    /// The finite differences, which are all there is.
    pub fn fd(&self) -> &Fd {
        let Self::Fd(fd) = self;
        fd
    }
}

/// Finite differences of pressure and velocity on a staggered grid. The grid and the time step follow from `max_frequency`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fd {
    /// Highest frequency that is to be resolved [Hz].
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e12), example = 40.0)]
    pub max_frequency: f64,
    /// Values that make a derivative, twice the half-length of the operator.
    #[serde(default = "Fd::default_order")]
    #[schemars(extend("enum" = [2, 4, 6, 8, 10, 12, 14, 16]))]
    pub order: usize,
    /// Largest relative error of the group velocity, for Holberg's coefficients: they carry the widest band of frequencies with it. By default
    /// the coefficients are Taylor's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1e-9, max = 0.1), example = 0.001)]
    pub holberg: Option<f64>,
    /// Points per shortest wavelength at the highest frequency; the grid follows from it. By default 20 for order 2, 10 for order 4, 8 for
    /// order 6, and 6 from order 8 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 2.0, max = 1000.0), example = 5.0)]
    pub points_per_wavelength: Option<f64>,
    /// Edge of a cell [m], in place of the one that follows from the wavelength.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 10.0)]
    pub grid_spacing: Option<f64>,
    /// Time step [s]; refused when it is not stable. By default it follows from `courant`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 0.001)]
    pub time_step: Option<f64>,
    /// Time step as a fraction of the largest stable one; the error of time is removed from the traces whatever it is.
    #[serde(default = "Fd::default_courant")]
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.0))]
    pub courant: f64,
    /// What a shot needs of the model: the box around its source and receivers and so much more on each side, all depths [m]. All of the model by
    /// default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0), example = 2000.0)]
    pub aperture: Option<f64>,
}

impl Fd {
    fn default_order() -> usize {
        8
    }

    fn default_courant() -> f64 {
        0.9
    }
}
