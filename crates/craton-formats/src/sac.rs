//! SAC binary seismograms, header version 6, evenly sampled.
//!
//! Craton writes SI units (m, m/s, m/s^2, Pa), like ObsPy and SPECFEM, although the SAC manual specifies nm. The unit is in `KUSER0`.
//! `LCALDA` allows readers to recompute distances and azimuths, which they do on an ellipsoid; it is set if both positions are known and
//! `KUSER1` is not `sphere`.

use std::path::Path;

use crate::DateTime;
use crate::atomic;
use crate::error::{Refused, Result};
use crate::text::read_bytes;

mod header;
mod layout;

use header::{decode, encode};
use layout::{HEADER_BYTES, RawHeader};

/// Quantity of the samples (`IDEP`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SacQuantity {
    /// Displacement.
    Displacement,
    /// Velocity.
    Velocity,
    /// Acceleration.
    Acceleration,
    /// Any other quantity.
    #[default]
    Other,
}

/// Value of [`SacTrace::surface`] if distances and azimuths refer to great circles on a sphere, so that readers must not recompute them.
pub const SPHERE: &str = "sphere";

/// A seismogram with its header. Header values that are absent or not finite are `None`, absent texts are empty.
#[derive(Clone, Debug, PartialEq)]
pub struct SacTrace {
    /// Network code (`KNETWK`), at most 8 ASCII characters, like every text except the event name.
    pub network: String,
    /// Station code (`KSTNM`).
    pub station: String,
    /// Location code (`KHOLE`).
    pub location: String,
    /// Component (`KCMPNM`).
    pub component: String,
    /// Unit of the samples (`KUSER0`), like `m/s`.
    pub unit: String,
    /// [`SPHERE`] if distances and azimuths of the header refer to a sphere (`KUSER1`); other texts are kept, but have no meaning.
    pub surface: String,
    /// Quantity of the samples (`IDEP`).
    pub quantity: SacQuantity,
    /// Time of the first sample relative to the reference time [s] (`B`).
    pub begin: f64,
    /// Sampling interval [s] (`DELTA`), above 0.
    pub delta: f64,
    /// Origin time of the event relative to the reference time [s] (`O`).
    pub origin: Option<f64>,
    /// A pick: its time relative to the reference time [s], and its name, at most 8 ASCII characters (`T0`, `KT0`).
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
    /// Azimuth from the event to the station, clockwise from north [degrees] (`AZ`).
    pub event_azimuth: Option<f64>,
    /// Azimuth from the station to the event, clockwise from north [degrees] (`BAZ`).
    pub back_azimuth: Option<f64>,
    /// Angle between event and station as seen from the centre of the Earth [degrees] (`GCARC`).
    pub arc: Option<f64>,
    /// Azimuth of the component, clockwise from north [degrees] (`CMPAZ`).
    pub azimuth: Option<f64>,
    /// Inclination of the component from upward [degrees] (`CMPINC`): 0 up, 90 horizontal.
    pub inclination: Option<f64>,
    /// User-defined numbers (`USER0` ... `USER9`), for example local coordinates.
    pub user: [Option<f64>; 10],
    /// Samples, all finite.
    pub samples: Vec<f32>,
}

impl SacTrace {
    /// Creates a trace with a name, times and samples, and an otherwise empty header.
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

    /// Time of the last sample relative to the reference time [s] (`E`).
    pub fn end(&self) -> f64 {
        self.begin + self.samples.len().saturating_sub(1) as f64 * self.delta
    }
}

/// Writes a trace as little-endian SAC, atomically.
///
/// Header values are stored in single precision, so times have seven digits.
///
/// # Errors
/// [`crate::FormatError::Unwritable`] for no samples, a sample that is not finite, a sampling interval that is not positive, a text that is
/// too long or not ASCII, an invalid reference time; [`crate::FormatError::Io`] if the file cannot be written.
pub fn write(path: &Path, trace: &SacTrace) -> Result<()> {
    let header = encode(trace).map_err(|refused| refused.unwritable(path))?;
    let mut bytes = header.to_bytes();
    bytes.extend(trace.samples.iter().flat_map(|sample| sample.to_le_bytes()));
    atomic::write_bytes(path, &bytes)
}

/// Reads a SAC file in either byte order.
///
/// Header values are converted to the shortest decimal with the same single-precision value: an interval of 0.01 s is 0.01, not
/// 0.009999999776.
///
/// # Errors
/// As [`parse`]; a file that cannot be read.
pub fn read(path: &Path) -> Result<SacTrace> {
    parse(&read_bytes(path)?, path)
}

/// As [`read`], from the bytes of the file; `path` is used in messages.
///
/// # Errors
/// Bytes that are not a SAC header of version 6; a length that contradicts `NPTS`; data that are not an evenly sampled time series; a
/// sample that is not finite.
pub fn parse(bytes: &[u8], path: &Path) -> Result<SacTrace> {
    let bad = |refused: Refused| refused.unreadable(path);
    let (header, order) = RawHeader::from_bytes(bytes).ok_or_else(|| {
        bad(Refused::new("header version NVHDR", layout::version_found(bytes), layout::EXPECTED_VERSION))
    })?;
    let mut trace = decode(&header).map_err(bad)?;
    let data = &bytes[HEADER_BYTES..];
    let count = header.sample_count();
    if data.len() != 4 * count {
        let expected = format!("{} for NPTS = {count}; the file was truncated or is not SAC", HEADER_BYTES + 4 * count);
        return Err(bad(Refused::new("size in bytes", bytes.len(), expected)));
    }
    trace.samples = data.chunks_exact(4).map(|word| order.read(word)).collect();
    match trace.samples.iter().position(|sample| !sample.is_finite()) {
        Some(index) => Err(bad(Refused::new(format!("sample {index}"), trace.samples[index], "finite samples"))),
        None => Ok(trace),
    }
}
