//! The scenario as it is written: one struct per table of the TOML file.
//!
//! These types carry the words of the format and nothing else. Their doc comments, ranges and defaults are the JSON schema and the
//! reference page (`reference`), and the schema is what a file is checked against (`schema_check`). A unit stands in brackets
//! at the end of the first sentence. Meaning is checked in `validate`.

mod boundaries;
mod compute;
mod domain;
mod gravity;
mod grid_sides;
mod method;
mod model;
mod output;
mod perturbation;
mod receivers;
mod source;
mod volume;

pub use boundaries::{Boundaries, BoundaryKind};
pub use compute::{
    BadDevice, Compute, DEVICES_ALLOWED, DeviceChoice, DeviceNames, GpuMessages, MOST_DEVICES, MOST_THREADS, Partition,
};
pub use domain::{Chunk, Domain, GeographicPoint, Latitudes, Projection, Utm};
pub use gravity::ModelGravity;
pub use grid_sides::{Absorbing, AbsorbingSide, BoxSide, Cpml, Paraxial, Sponge, SpongeSide};
pub use method::{Fd, Method, Precision, Sem};
pub use model::{
    DepthTable, Earth, EarthName, EarthTop, FLUID_HINT, Layer, Layered, Level, MOST_DENSITY, MOST_SPEED, Material,
    Model, Thomsen, Volumes,
};
pub use output::{Output, SeismogramFormat, Shown, Slice, Snapshot, Snapshots};
pub use perturbation::{MissingValues, Perturbation, PerturbationUnits, Scaling};
pub use receivers::{
    Components, MOST_RECEIVERS, Quantity, ReceiverGrid, ReceiverLine, Receivers, Station, StationsOutside,
};
pub use source::{DoubleCouple, MomentTensor, Source, TimeFunction, TimeFunctionOf, TimeZero};
pub use volume::{ByteOrder, VolumeAxis, VolumeFile, VolumeFormat};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A scenario: what the Earth is made of, where the source is and where the instruments stand.
///
/// SI units; x east, y north, z up. Relative paths of files to be read are taken from the folder of the scenario file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// A line that names the scenario in pictures and records.
    #[serde(default)]
    #[schemars(example = "LOH.1: a soft layer over a half-space")]
    pub title: String,
    /// Simulated time, from 0 [s]. Sources from a solution file make the simulation begin before 0.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e9), example = 9.0)]
    pub duration: f64,
    /// What is simulated: a box, or a chunk of the Earth.
    pub domain: Domain,
    /// What happens at the six sides of the box.
    #[serde(default)]
    pub boundaries: Boundaries,
    /// The Earth model.
    pub model: Model,
    /// Changes of the Earth model in three dimensions.
    // Beside the model and not in it: a model is exactly one of its kinds, and this goes with all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perturbation: Option<Perturbation>,
    /// Where and how energy enters; one table `[[source]]` each.
    #[serde(default, rename = "source")]
    pub sources: Vec<Source>,
    /// Where the instruments stand and what they measure.
    #[serde(default)]
    pub receivers: Receivers,
    /// How the scenario is solved.
    pub method: Method,
    /// Gravity of the model, for `craton gravity`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gravity: Option<ModelGravity>,
    /// What is written, and where.
    pub output: Output,
    /// What the computer may use.
    #[serde(default)]
    pub compute: Compute,
}
