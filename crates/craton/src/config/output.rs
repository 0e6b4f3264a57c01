//! Output files of a scenario.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::FibreFormat;

/// Output files and their folder.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Output {
    /// Folder of the results, relative to the working directory. Craton creates a missing folder and overwrites an
    /// existing one only with `--overwrite`.
    #[schemars(example = "results/loh1")]
    pub directory: PathBuf,
    /// File formats of the seismograms.
    #[serde(default = "Output::default_seismograms")]
    pub seismograms: Vec<SeismogramFormat>,
    /// Files in the folder of the seismograms that each contain the seismograms of all receivers, in addition to `seismograms`.
    #[serde(default)]
    pub gathers: Vec<GatherFormat>,
    /// Formats of the files of `receivers.fibre`.
    #[serde(default = "Output::default_fibres")]
    pub fibres: Vec<FibreFormat>,
    /// Sample interval of the seismograms [s]; the time step by default. Not necessarily a multiple of the time step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 0.01)]
    pub sample_interval: Option<f64>,
    /// Snapshots of the wavefield.
    #[serde(default)]
    pub snapshots: Snapshots,
    /// Wall-clock time between checkpoints [s]. With 0, Craton writes a checkpoint only when the run is interrupted.
    #[serde(default = "Output::default_checkpoint_interval")]
    #[schemars(range(min = 0.0))]
    pub checkpoint_interval: f64,
}

impl Output {
    fn default_seismograms() -> Vec<SeismogramFormat> {
        vec![SeismogramFormat::Sac]
    }

    fn default_fibres() -> Vec<FibreFormat> {
        vec![FibreFormat::Hdf5]
    }

    fn default_checkpoint_interval() -> f64 {
        600.0
    }
}

/// A file format of seismograms.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SeismogramFormat {
    /// SAC, one file per component. The header has station, event, distance and azimuths, as far as they are known.
    /// Network, station and location codes have at most 8 characters each.
    Sac,
    /// Text with two columns, time and value; one file per component.
    Text,
    /// Text with two columns under SPECFEM's file names, which have no location code.
    Specfem,
    /// miniSEED 2 in single precision, one file per station and quantity: `NET.STA.velocity.mseed`. Dates are those of
    /// the event; without an event, time 0 is 1970-01-01. Network and location codes have at most 2 characters, station
    /// codes 5. Strain is not supported.
    Miniseed,
}

/// A format of files that contain the seismograms of all receivers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GatherFormat {
    /// ASDF 1.0.3 (HDF5) with sources, stations and all seismograms but strain: `seismograms.h5`. Codes have at most 2 (network), 5 (station) and 2
    /// (location) capital letters and digits.
    Asdf,
    /// SEG-Y revision 1 in single precision, one file per quantity and component, with one trace per receiver: `velocity_Z.sgy`. Requires
    /// `sample_interval`, a whole number of microseconds.
    Segy,
}

/// Snapshots of the wavefield: VTK time series, and optionally PNG pictures. Snapshots are not corrected for time
/// dispersion; seismograms are.
///
/// With `method.fd`, snapshots show the field at the centres of cells, without the absorbing layers around the domain.
/// Points and cells of air are NaN, and hidden by `vtkGhostType`. Displacement, strain and pressure are time integrals
/// of the velocity, which take memory and some time at each step: three numbers per point of a volume, and per point of
/// about twenty planes for a slice.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Snapshots {
    /// The top of the domain, as quadrilaterals (VTU): between GLL points of elements, or between the centres of the
    /// columns of cells, at the height of the ground.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub surface: Option<Snapshot>,
    /// Planes through the domain, as images (VTI); one table `[[output.snapshots.slices]]` each. Along each axis an
    /// image has one point per cell, or two per GLL point, and at most 1000.
    pub slices: Vec<Slice>,
    /// The whole domain: elements subdivided at their GLL points (VTU), or an image of cells (VTI).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volume: Option<Snapshot>,
}

impl Snapshots {
    /// Whether there are no snapshots.
    pub fn is_empty(&self) -> bool {
        self.surface.is_none() && self.slices.is_empty() && self.volume.is_none()
    }
}

/// The times and quantities of a snapshot series.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Snapshot {
    /// Time between frames [s], rounded down to whole time steps, at least one. Each frame stores its exact time.
    #[schemars(extend("exclusiveMinimum" = 0.0), example = 0.1)]
    pub every: f64,
    /// The quantities to show. Acceleration is available at receivers only.
    #[serde(default = "Snapshot::default_quantities")]
    #[schemars(length(min = 1))]
    pub quantities: Vec<Shown>,
    /// Also draw each frame of a surface or slice as a PNG picture when the run is complete. On the spherical Earth,
    /// horizontal pictures are maps with meridians and parallels.
    #[serde(default)]
    pub png: bool,
    /// Longitude by which the centre of the map moves west from one picture to the next [degrees]; negative values move it east. Only for
    /// `output.snapshots.surface` with `domain.globe`.
    #[serde(default)]
    #[schemars(range(min = -180.0, max = 180.0), example = 5.0)]
    pub rotate: f64,
}

impl Snapshot {
    fn default_quantities() -> Vec<Shown> {
        vec![Shown::Velocity]
    }
}

/// A quantity of a snapshot. Acceleration is not among them: it is a difference between two times, and a frame has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Shown {
    /// Displacement [m], three components.
    Displacement,
    /// Velocity [m/s], three components.
    Velocity,
    /// Strain (no unit), six components of the tensor, in VTK's order: xx, yy, zz, xy, yz, xz.
    Strain,
    /// Pressure [Pa], minus a third of the trace of stress.
    Pressure,
}

/// A plane through the domain: exactly one of x, y, z and `great_circle`.
// serde does not support `deny_unknown_fields` together with `flatten`; the schema closes this table instead.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Slice {
    /// The plane x = constant [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<f64>,
    /// The plane y = constant [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(example = 0.0)]
    pub y: Option<f64>,
    /// The plane z = constant [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z: Option<f64>,
    /// The plane of a great circle through the whole Earth; with `domain.globe`. In its image, x is along the azimuth of the
    /// circle and z upwards at its point; the origin is the centre of the Earth. Vectors are in local east, north and up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub great_circle: Option<GreatCircle>,
    /// Times and quantities.
    #[serde(flatten)]
    pub snapshot: Snapshot,
}

/// A great circle.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GreatCircle {
    /// Longitude of a point on the circle [degrees].
    #[schemars(range(min = -180.0, max = 360.0), example = -67.25)]
    pub longitude: f64,
    /// Latitude of the point [degrees].
    #[schemars(range(min = -90.0, max = 90.0), example = -13.82)]
    pub latitude: f64,
    /// Azimuth of the circle at the point, clockwise from north [degrees].
    #[schemars(range(min = -360.0, max = 360.0), example = 90.0)]
    pub azimuth: f64,
}
