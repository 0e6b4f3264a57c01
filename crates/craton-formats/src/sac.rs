//! SAC binary seismograms, header version 6, evenly sampled.
//!
//! Craton writes SI units (m, m/s, m/s^2, Pa), as ObsPy and SPECFEM do; the SAC manual names nm. The unit stands in
//! `KUSER0`. `LCALDA` lets readers work out distances and azimuths anew, which they do on an ellipsoid: it is set where both
//! places are known and `KUSER1` is not `sphere`.

use std::path::Path;

use crate::DateTime;
use crate::atomic;
use crate::error::{Refused, Result};
use crate::text::read_bytes;

mod header;
mod layout;

use header::{decode, encode};
use layout::{HEADER_BYTES, RawHeader};

/// What the samples are (`IDEP`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SacQuantity {
    /// Displacement.
    Displacement,
    /// Velocity.
    Velocity,
    /// Acceleration.
    Acceleration,
    /// Anything else.
    #[default]
    Other,
}

/// What [`SacTrace::surface`] is where distances and azimuths are those of great circles on a sphere: readers shall not work them out anew.
pub const SPHERE: &str = "sphere";

/// A seismogram with its header. An absent header value is `None`, an absent text is empty.
#[derive(Clone, Debug, PartialEq)]
pub struct SacTrace {
    /// Code of the network (`KNETWK`), at most 8 ASCII characters, as every text but the name of the event.
    pub network: String,
    /// Name of the station (`KSTNM`).
    pub station: String,
    /// Location code (`KHOLE`).
    pub location: String,
    /// Component (`KCMPNM`).
    pub component: String,
    /// Unit of the samples (`KUSER0`), like `m/s`.
    pub unit: String,
    /// [`SPHERE`] where distances and azimuths of the header are those on it (`KUSER1`); another text means nothing here, and is kept.
    pub surface: String,
    /// What the samples are (`IDEP`).
    pub quantity: SacQuantity,
    /// Time of the first sample after the reference time [s] (`B`).
    pub begin: f64,
    /// Sampling interval [s] (`DELTA`), above 0.
    pub delta: f64,
    /// Origin time of the event after the reference time [s] (`O`).
    pub origin: Option<f64>,
    /// A time that is marked [s after the reference time], and what it is called, at most 8 ASCII characters (`T0`, `KT0`).
    pub pick: Option<(f64, String)>,
    /// Reference time, to the millisecond (`NZYEAR` ... `NZMSEC`).
    pub reference: Option<DateTime>,
    /// Latitude of the station [degrees] (`STLA`).
    pub station_latitude: Option<f64>,
    /// Longitude of the station [degrees] (`STLO`).
    pub station_longitude: Option<f64>,
    /// Elevation of the ground above sea level [m] (`STEL`).
    pub station_elevation: Option<f64>,
    /// Depth of the instrument below the ground [m] (`STDP`).
    pub station_depth: Option<f64>,
    /// Latitude of the event [degrees] (`EVLA`).
    pub event_latitude: Option<f64>,
    /// Longitude of the event [degrees] (`EVLO`).
    pub event_longitude: Option<f64>,
    /// Depth of the event [km] (`EVDP`).
    pub event_depth_km: Option<f64>,
    /// Name of the event (`KEVNM`), at most 16 ASCII characters.
    pub event_name: String,
    /// Distance of the station from the event [km] (`DIST`).
    pub distance_km: Option<f64>,
    /// Direction from the event to the station, clockwise from north [degrees] (`AZ`).
    pub event_azimuth: Option<f64>,
    /// Direction from the station to the event, clockwise from north [degrees] (`BAZ`).
    pub back_azimuth: Option<f64>,
    /// Angle between event and station as seen from the centre of the Earth [degrees] (`GCARC`).
    pub arc: Option<f64>,
    /// Azimuth of the component, clockwise from north [degrees] (`CMPAZ`).
    pub azimuth: Option<f64>,
    /// Inclination of the component from upward [degrees] (`CMPINC`): 0 up, 90 horizontal.
    pub inclination: Option<f64>,
    /// Free numbers (`USER0` ... `USER9`), for instance local coordinates.
    pub user: [Option<f64>; 10],
    /// Samples, all finite.
    pub samples: Vec<f32>,
}

impl SacTrace {
    /// A trace with a name, times and samples, and nothing else in its header.
    ///
    /// # Arguments
    /// * `name` – network, station and component
    /// * `begin` – time of the first sample [s]
    /// * `delta` – sampling interval [s]
    /// * `samples` – samples
    pub fn new(name: [&str; 3], begin: f64, delta: f64, samples: Vec<f32>) -> Self {
        let [network, station, component] = name.map(str::to_owned);
        Self {
            network,
            station,
            component,
            begin,
            delta,
            samples,
            location: String::new(),
            unit: String::new(),
            surface: String::new(),
            quantity: SacQuantity::default(),
            origin: None,
            pick: None,
            reference: None,
            station_latitude: None,
            station_longitude: None,
            station_elevation: None,
            station_depth: None,
            event_latitude: None,
            event_longitude: None,
            event_depth_km: None,
            event_name: String::new(),
            distance_km: None,
            event_azimuth: None,
            back_azimuth: None,
            arc: None,
            azimuth: None,
            inclination: None,
            user: [None; 10],
        }
    }

    /// Time of the last sample after the reference time [s] (`E`).
    pub fn end(&self) -> f64 {
        self.begin + self.samples.len().saturating_sub(1) as f64 * self.delta
    }
}

/// Writes a trace as little-endian SAC, whole or not at all.
///
/// The header holds single precision: times keep seven digits.
///
/// # Errors
/// [`crate::FormatError::Unwritable`] for no samples, a sample that is not finite, a sampling interval that is not positive,
/// a text that is too long or not ASCII, an impossible reference time; [`crate::FormatError::Io`] if the file cannot be
/// written.
pub fn write(path: &Path, trace: &SacTrace) -> Result<()> {
    let header = encode(trace).map_err(|refused| refused.unwritable(path))?;
    let mut bytes = header.to_bytes();
    bytes.extend(trace.samples.iter().flat_map(|sample| sample.to_le_bytes()));
    atomic::write_bytes(path, &bytes)
}

/// Reads a SAC file of either byte order.
///
/// Header numbers are read as the shortest decimal that single precision cannot tell from them: an interval of 0.01 s
/// is 0.01, not 0.009999999776.
///
/// # Errors
/// As [`parse`]; a file that cannot be read.
pub fn read(path: &Path) -> Result<SacTrace> {
    parse(&read_bytes(path)?, path)
}

/// As [`read`], from the bytes of the file; `path` is for messages.
///
/// # Errors
/// Bytes that are no SAC header of version 6; a length that contradicts `NPTS`; data that are not an evenly sampled
/// time series; a sample that is not finite.
pub fn parse(bytes: &[u8], path: &Path) -> Result<SacTrace> {
    let bad = |refused: Refused| refused.unreadable(path);
    let (header, order) = RawHeader::from_bytes(bytes).ok_or_else(|| {
        bad(Refused::new("header version NVHDR", layout::version_found(bytes), layout::VERSION_WANTED))
    })?;
    let mut trace = decode(&header).map_err(bad)?;
    let data = &bytes[HEADER_BYTES..];
    let count = header.sample_count();
    if data.len() != 4 * count {
        let expected = format!("{} for NPTS = {count}; the file was cut or is not SAC", HEADER_BYTES + 4 * count);
        return Err(bad(Refused::new("size in bytes", bytes.len(), expected)));
    }
    trace.samples = data.chunks_exact(4).map(|word| order.read(word)).collect();
    match trace.samples.iter().position(|sample| !sample.is_finite()) {
        Some(index) => Err(bad(Refused::new(format!("sample {index}"), trace.samples[index], "finite samples"))),
        None => Ok(trace),
    }
}
