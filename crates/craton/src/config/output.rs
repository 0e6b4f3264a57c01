//! What is written, and where.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is written, and where.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Folder of the results, from the working directory; made when it is missing, never overwritten unless asked.
    #[schemars(example = "results/loh1")]
    pub directory: PathBuf,
    /// Forms in which seismograms are written.
    #[serde(default = "Output::default_seismograms")]
    pub seismograms: Vec<SeismogramFormat>,
    /// Time between samples of a seismogram [s]; the time step by default. It need not be whole steps.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 0.01)]
    pub sample_interval: Option<f64>,
    /// Pictures of the moving Earth.
    #[serde(default)]
    pub snapshots: Snapshots,
    /// Time on the clock between checkpoints [s]; 0 writes one only when the run is interrupted.
    #[serde(default = "Output::default_checkpoint_interval")]
    #[schemars(range(min = 0.0))]
    pub checkpoint_interval: f64,
}

impl Output {
    fn default_seismograms() -> Vec<SeismogramFormat> {
        vec![SeismogramFormat::Sac]
    }

    fn default_checkpoint_interval() -> f64 {
        600.0
    }
}

/// A form of seismogram.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeismogramFormat {
    /// SAC, one file per component, with station, event, distance and azimuths in its header, as far as they are known. Network, station and
    /// location have at most 8 characters each.
    Sac,
    /// Two columns of text, time and value, one file per component.
    Text,
    /// Two columns of text under SPECFEM's file names, which know no location.
    Specfem,
    /// miniSEED 2 of single precision, one file per station and quantity: `NET.STA.velocity.mseed`. Dates are those of the event; without one time
    /// 0 is the beginning of 1970. Networks and locations have at most 2 characters, stations 5. It knows no strain.
    Miniseed,
}

/// Pictures of the moving Earth: VTK time series, and PNG frames on request. They show the field as the time steps leave it: its time
/// dispersion is removed from seismograms alone.
///
/// Of `method.fd` they show what receivers would record in the middle of cells; layers around the domain are left out. Points and cells of air
/// are NaN, and hidden by `vtkGhostType`. Displacement, strain and pressure sum velocity over time, which costs memory and a little time at
/// each step: three numbers of each point of a volume, and of twenty or so planes for a slice.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Snapshots {
    /// The top of the domain, as quadrilaterals (VTU): between the GLL points of elements, or between the middles of the columns of cells,
    /// at the height of their ground.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface: Option<Snapshot>,
    /// Planes through the domain, as images (VTI); one table `[[output.snapshots.slices]]` each. Along each axis they have a point in the middle
    /// of every cell, or twice as many as GLL points, and at most 1000.
    pub slices: Vec<Slice>,
    /// The whole domain: elements, divided between their GLL points (VTU), or an image of cells (VTI).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume: Option<Snapshot>,
}

impl Snapshots {
    /// Whether none is asked for.
    pub fn is_empty(&self) -> bool {
        self.surface.is_none() && self.slices.is_empty() && self.volume.is_none()
    }
}

/// When a snapshot is taken and what it shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// Simulated time between frames, rounded down to whole steps, but at least one [s]. A frame knows its exact time.
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 0.1)]
    pub every: f64,
    /// What is shown. Acceleration is recorded at receivers alone.
    #[serde(default = "Snapshot::default_quantities")]
    #[schemars(length(min = 1))]
    pub quantities: Vec<Shown>,
    /// Draw every frame as a PNG picture too, when the run is complete (surface and slices). What lies level in a chunk of the Earth stands on
    /// a map with meridians and parallels.
    #[serde(default)]
    pub png: bool,
}

impl Snapshot {
    fn default_quantities() -> Vec<Shown> {
        vec![Shown::Velocity]
    }
}

/// What a frame can show. A frame knows one time, so that acceleration, a difference of two, is none of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// Displacement [m], three components.
    Displacement,
    /// Velocity [m/s], three components.
    Velocity,
    /// Strain (no unit), six components of the tensor, in the order by which VTK names them: xx, yy, zz, xy, yz, xz.
    Strain,
    /// Pressure [Pa], minus a third of the trace of stress.
    Pressure,
}

/// A plane through the domain, given by exactly one of x, y and z.
// `deny_unknown_fields` cannot stand beside `flatten`; the schema closes this table instead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Slice {
    /// The plane x = this [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<f64>,
    /// The plane y = this [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 0.0)]
    pub y: Option<f64>,
    /// The plane z = this [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z: Option<f64>,
    /// When and what.
    #[serde(flatten)]
    pub snapshot: Snapshot,
}
