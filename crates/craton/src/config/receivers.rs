//! Receivers and recorded quantities.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Depths, ReceiverFibre};

/// Largest number of receivers of a line or grid.
pub const MOST_RECEIVERS: usize = 1_000_000;

/// Receivers and recorded quantities. Stations, lines, grids and the stations file are combined.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Receivers {
    /// The recorded quantities.
    #[schemars(length(min = 1))]
    pub quantities: Vec<Quantity>,
    /// Component directions of vectors and strain. If both are given, the components that they share (Z, ZZ) are
    /// written once.
    #[schemars(length(min = 1))]
    pub components: Vec<Components>,
    /// Single stations.
    pub stations: Vec<Station>,
    /// Lines of equidistant stations; one table `[[receivers.line]]` each.
    #[serde(rename = "line")]
    pub lines: Vec<ReceiverLine>,
    /// Horizontal grids of stations; one table `[[receivers.grid]]` each.
    #[serde(rename = "grid")]
    pub grids: Vec<ReceiverGrid>,
    /// Optical fibres; one table `[[receivers.fibre]]` each. Their channels are in files of their own, see `output.fibres`.
    #[serde(rename = "fibre")]
    pub fibres: Vec<ReceiverFibre>,
    /// A StationXML or STATIONS file. Stations of a StationXML file are at the surface, or below it by the depth of
    /// their channels. Craton reads each station once, at the time of the event if it has moved, with the location code
    /// of its channels if all have the same one. A STATIONS file has one station per line: name, network, latitude
    /// [degrees] or y [m], longitude [degrees] or x [m], elevation [m] (for headers), depth below the surface [m];
    /// further columns are ignored. Positions are in degrees if the domain has a projection.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"STATIONS")]
    pub stations_file: Option<PathBuf>,
    /// Codes of the channels of a StationXML file whose positions are receivers, with the wildcards `?`, `*` and `[..]`; all by default. Receivers record the
    /// same components at each position, whatever its channels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("examples" = [["BH?", "HN[ZNE]"]]))]
    pub channels: Vec<String>,
    /// Location codes of the channels of a StationXML file whose positions are receivers, with the same wildcards; `""` or `"--"` is the blank one. All by
    /// default.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(extend("examples" = [["00", "--"]]))]
    pub locations: Vec<String>,
    /// Date, such as `2010-02-27T06:34:11`, at which channels and stations of a StationXML file must be open; by default, those of the time of the event, or else
    /// the last ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(example = &"2010-02-27")]
    pub epoch: Option<String>,
    /// Meaning of the depths in a STATIONS file.
    pub depths: Depths,
    /// Treatment of stations of `stations_file` outside the domain.
    pub outside: StationsOutside,
    /// Move all receivers vertically to the surface.
    pub snap_to_surface: bool,
}

impl Default for Receivers {
    fn default() -> Self {
        Self {
            quantities: vec![Quantity::Velocity],
            components: vec![Components::Axes],
            stations: Vec::new(),
            lines: Vec::new(),
            grids: Vec::new(),
            fibres: Vec::new(),
            stations_file: None,
            channels: Vec::new(),
            locations: Vec::new(),
            epoch: None,
            depths: Depths::default(),
            outside: StationsOutside::default(),
            snap_to_surface: false,
        }
    }
}

/// A recorded quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Displacement [m], three components.
    Displacement,
    /// Velocity [m/s], three components.
    Velocity,
    /// Acceleration [m/s2], three components.
    Acceleration,
    /// Strain (no unit), six components xx, yy, zz, yz, xz, xy of the tensor: xy is (du_x/dy + du_y/dx) / 2.
    Strain,
    /// Pressure [Pa], minus a third of the trace of stress. On the sea bottom it is that of the water, whereas motion is that of the rock; strain and
    /// rotation, if recorded with pressure, are those of the water, too.
    Pressure,
    /// Rotation [rad], three components: half of the curl of displacement.
    Rotation,
    /// Rate of rotation [rad/s], three components, as rotational seismometers and ring lasers measure it.
    RotationRate,
}

/// Treatment of stations of a file outside the domain.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StationsOutside {
    /// Reject the file.
    #[default]
    Refused,
    /// Leave these stations out, with a warning.
    LeftOut,
}

/// Component directions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Components {
    /// East, north and up: E, N, Z with a projection and on the spherical Earth, X, Y, Z without.
    Axes,
    /// Radial, transverse and vertical: R points horizontally away from the epicentre, T 90 degrees to the right of R
    /// as seen from above, Z up. Azimuths are those of the x-y plane, or of great circles on the spherical Earth. With
    /// several sources, the epicentre is that of the event in the headers: for files the earliest by date, without
    /// delays; for sources in the scenario the earliest, and the first one in the file among equals.
    Radial,
}

/// A station.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Station {
    /// Network and station code, `NET.STA`, or `NET.STA.LOC` with a location code.
    #[schemars(example = "XX.S10")]
    pub code: String,
    /// Position x, y, z [m].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("examples" = [[8000.0, 6000.0, 0.0]]))]
    pub position: Option<[f64; 3]>,
    /// Longitude, positive east [degrees]; with `latitude`, instead of `position`, if the domain has a projection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -180.0, max = 360.0))]
    pub longitude: Option<f64>,
    /// Latitude, positive north [degrees].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -90.0, max = 90.0))]
    pub latitude: Option<f64>,
    /// Depth below the surface [m], with `longitude` and `latitude`; 0 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.0))]
    pub depth: Option<f64>,
}

/// A line of equidistant stations, numbered from 1.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceiverLine {
    /// Prefix of the station codes, `NET.STA`: `XX.L` gives XX.L0001, XX.L0002 and so on.
    #[schemars(example = "XX.L")]
    pub code: String,
    /// Position x, y, z of the first station [m].
    #[schemars(extend("examples" = [[0.0, 0.0, 0.0]]))]
    pub from: [f64; 3],
    /// Position x, y, z of the last station [m].
    #[schemars(extend("examples" = [[9000.0, 0.0, 0.0]]))]
    pub to: [f64; 3],
    /// Number of stations, including both ends.
    #[schemars(range(min = 2, max = MOST_RECEIVERS), example = 10)]
    pub count: usize,
}

/// A horizontal grid of stations, numbered from 1, with x as the fastest index.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReceiverGrid {
    /// Prefix of the station codes, `NET.STA`: `XX.G` gives XX.G0001, XX.G0002 and so on.
    #[schemars(example = "XX.G")]
    pub code: String,
    /// First and last x [m].
    #[schemars(extend("examples" = [[0.0, 9000.0]]))]
    pub x: [f64; 2],
    /// First and last y [m].
    #[schemars(extend("examples" = [[0.0, 4000.0]]))]
    pub y: [f64; 2],
    /// Elevation of all stations [m].
    pub z: f64,
    /// Number of stations along x and y.
    #[schemars(inner(range(min = 1, max = MOST_RECEIVERS)), extend("examples" = [[10, 5]]))]
    pub count: [usize; 2],
}
