//! The scenario as written: one struct per table of the TOML file.
//!
//! These types define the file format only. Their doc comments, ranges and defaults generate the JSON schema and the
//! reference page (`reference`); `structure` checks a file against the schema. A unit is in brackets at the end of the
//! first sentence. Module `validate` checks the meaning of the values.

mod attenuation;
mod boundaries;
mod compute;
mod domain;
mod fibre;
mod geographic_box;
mod gravity;
mod grid_sides;
mod mesh;
mod method;
mod model;
mod output;
mod perturbation;
mod receivers;
mod source;
mod volume;

pub use attenuation::{Attenuation, PowerLaw, QualityRelation};
pub use boundaries::{Boundaries, BoundaryKind};
pub use compute::{
    BadDevice, Compute, DEVICES_ALLOWED, DeviceChoice, DeviceNames, GpuMessages, MOST_DEVICES, MOST_THREADS, Partition,
};
pub use domain::{Azimuthal, Chunk, Domain, GeographicPoint, Globe, Latitudes, Projection, Utm};
pub use fibre::{FibreFormat, FibreQuantity, ReceiverFibre};
pub use geographic_box::{GeographicBox, MapOfBox};
pub use gravity::ModelGravity;
pub use grid_sides::{Absorbing, AbsorbingSide, BoxSide, Cpml, CpmlElements, Paraxial, Sponge, SpongeSide};
pub use mesh::{Block, ElementFields, MeshFile, MeshModel, MeshSides, Unmarked};
pub use method::{Fd, GridMemory, Method, Precision, Sem};
pub use model::{
    DepthTable, Earth, EarthName, EarthTop, Layer, Layered, Level, MOST_DENSITY, MOST_SPEED, Material, Model, Thomsen,
    Volumes,
};
pub use output::{GatherFormat, GreatCircle, Output, SeismogramFormat, Shown, Slice, Snapshot, Snapshots};
pub use perturbation::{MissingValues, Perturbation, PerturbationUnits, Scaling};
pub use receivers::{
    Components, MOST_RECEIVERS, Quantity, ReceiverGrid, ReceiverLine, Receivers, Station, StationsOutside,
};
pub use source::{Depths, DoubleCouple, MomentTensor, Source, TimeFunction, TimeFunctionOf, TimeZero};
pub use volume::{ByteOrder, VolumeAxis, VolumeFile, VolumeFormat};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A scenario: Earth model, sources, receivers, boundaries and numerical method of one simulation.
///
/// SI units; x east, y north, z up. Relative paths of input files are relative to the folder of the scenario file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Config {
    /// Title of the scenario in pictures and records.
    #[serde(default)]
    #[schemars(example = "LOH.1: a soft layer over a half-space")]
    pub title: String,
    /// Simulated time after time 0 [s]. With sources from a solution file, the simulation begins before 0.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e9), example = 9.0)]
    pub duration: f64,
    /// The model domain: a box, a chunk of the Earth, or the whole Earth.
    pub domain: Domain,
    /// Boundary conditions on the six sides of the box, or on the surface of the whole Earth.
    #[serde(default)]
    pub boundaries: Boundaries,
    /// The Earth model.
    pub model: Model,
    /// Attenuation of waves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attenuation: Option<Attenuation>,
    /// Three-dimensional perturbation of the Earth model.
    // A table next to `model` and not a kind of it: `model` is exactly one kind, and a perturbation combines with each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub perturbation: Option<Perturbation>,
    /// The sources; one table `[[source]]` each.
    #[serde(default, rename = "source")]
    pub sources: Vec<Source>,
    /// The receivers and the recorded quantities.
    #[serde(default)]
    pub receivers: Receivers,
    /// The numerical method and its parameters.
    pub method: Method,
    /// Gravity of the Earth model, for `craton gravity`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gravity: Option<ModelGravity>,
    /// The output files and their folder.
    pub output: Output,
    /// The devices and threads of a run.
    #[serde(default)]
    pub compute: Compute,
}

impl Config {
    /// The boundary condition of each side, in the order x min, x max, y min, y max, bottom, top. A globe has only a top.
    pub fn sides(&self) -> [BoundaryKind; 6] {
        let sides = self.boundaries.by_side();
        if self.domain.globe.is_none() {
            return sides;
        }
        std::array::from_fn(|side| if side == BoxSide::Top as usize { sides[side] } else { BoundaryKind::Free })
    }
}
