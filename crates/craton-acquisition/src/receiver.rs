//! Receivers: where the instruments stand and what they record.

use crate::AcquisitionError;
use crate::error::finite;

/// The longest network, station or location code.
pub(crate) const LONGEST_CODE: usize = 32;

/// An instrument at a point.
#[derive(Debug, Clone, PartialEq)]
pub struct Receiver {
    network: String,
    station: String,
    location: Option<String>,
    position: [f64; 3],
    on_surface: bool,
    elevation: Option<f64>,
}

impl Receiver {
    /// A receiver at a position, named by its code.
    ///
    /// # Arguments
    /// * `code` – `NET.STA` or `NET.STA.LOC`: ASCII letters, digits, `-` and `_`
    /// * `position` – x east, y north, z up \[m\]
    /// # Errors
    /// A code that cannot name a file, a position that is not a number.
    pub fn new(code: &str, position: [f64; 3]) -> Result<Self, AcquisitionError> {
        for (axis, value) in ["x", "y", "z"].iter().zip(position) {
            finite(&format!("receiver {code}, {axis}"), value, "a finite number of m")?;
        }
        let parts: Vec<&str> = code.split('.').collect();
        let (network, station, location) = match parts[..] {
            [network, station] => (network, station, None),
            [network, station, location] => (network, station, Some(location)),
            _ => return Err(bad_code(code, "it has not two or three parts")),
        };
        for part in &parts {
            check_part(code, part)?;
        }
        Ok(Self {
            network: network.to_owned(),
            station: station.to_owned(),
            location: location.map(str::to_owned),
            position,
            on_surface: false,
            elevation: None,
        })
    }

    /// The same receiver at another position \[m\], on the surface or not.
    ///
    /// # Errors
    /// A position that is not a number.
    pub fn moved(&self, position: [f64; 3], on_surface: bool) -> Result<Self, AcquisitionError> {
        Ok(Self { on_surface, elevation: self.elevation, ..Self::new(&self.code(), position)? })
    }

    /// The same receiver where the ground is so high above sea level \[m\], if that is known: it stands where it stood, and
    /// headers tell.
    pub fn at_elevation(self, elevation: Option<f64>) -> Self {
        Self { elevation, ..self }
    }

    /// The same receiver, snapped to the surface of the model above or below it: its z counts no more.
    pub fn on_surface(self) -> Self {
        Self { on_surface: true, ..self }
    }

    /// `NET.STA`, or `NET.STA.LOC` where there is a location.
    pub fn code(&self) -> String {
        let (network, station) = (&self.network, &self.station);
        match &self.location {
            None => format!("{network}.{station}"),
            Some(location) => format!("{network}.{station}.{location}"),
        }
    }

    /// Network code.
    pub fn network(&self) -> &str {
        &self.network
    }

    /// Station code.
    pub fn station(&self) -> &str {
        &self.station
    }

    /// Location code, if it has one.
    pub fn location(&self) -> Option<&str> {
        self.location.as_deref()
    }

    /// x east, y north, z up \[m\].
    pub fn position(&self) -> [f64; 3] {
        self.position
    }

    /// Elevation of the ground above sea level \[m\], where a file of stations tells it.
    pub fn elevation(&self) -> Option<f64> {
        self.elevation
    }

    /// Whether it stands on the surface, wherever that is at its x and y.
    pub fn is_on_surface(&self) -> bool {
        self.on_surface
    }
}

fn check_part(code: &str, part: &str) -> Result<(), AcquisitionError> {
    if part.is_empty() {
        return Err(bad_code(code, "a part of it is empty"));
    }
    if part.len() > LONGEST_CODE {
        return Err(bad_code(code, "a part of it is too long"));
    }
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !part.chars().all(allowed) {
        return Err(bad_code(code, "a character of it is not allowed"));
    }
    Ok(())
}

fn bad_code(code: &str, problem: &'static str) -> AcquisitionError {
    AcquisitionError::BadCode { code: code.to_owned(), problem }
}

/// What a receiver records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quantity {
    /// Displacement \[m\].
    Displacement,
    /// Velocity \[m/s\].
    Velocity,
    /// Acceleration \[m/s²\].
    Acceleration,
    /// Strain \[1\]: the symmetric part of the gradient of displacement.
    Strain,
    /// Pressure \[Pa\]: minus the mean normal stress.
    Pressure,
}

/// What the horizontal axes are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisNames {
    /// X, Y, Z: a model without a place on the Earth.
    Cartesian,
    /// E, N, Z: a projected model.
    Geographic,
    /// R, T, Z: away from an event, a quarter to the right of that as seen from above, and up.
    Radial,
}

impl Quantity {
    /// The names of its components, in the order they are recorded in: x, y, z, or Voigt's xx, yy, zz, yz, xz, xy.
    pub fn components(self, names: AxisNames) -> &'static [&'static str] {
        match (self, names) {
            (Self::Pressure, _) => &["P"],
            (Self::Strain, AxisNames::Cartesian) => &["XX", "YY", "ZZ", "YZ", "XZ", "XY"],
            (Self::Strain, AxisNames::Geographic) => &["EE", "NN", "ZZ", "NZ", "EZ", "EN"],
            (Self::Strain, AxisNames::Radial) => &["RR", "TT", "ZZ", "TZ", "RZ", "RT"],
            (_, AxisNames::Cartesian) => &["X", "Y", "Z"],
            (_, AxisNames::Geographic) => &["E", "N", "Z"],
            (_, AxisNames::Radial) => &["R", "T", "Z"],
        }
    }

    /// Its SI unit.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Displacement => "m",
            Self::Velocity => "m/s",
            Self::Acceleration => "m/s^2",
            Self::Strain => "1",
            Self::Pressure => "Pa",
        }
    }
}
