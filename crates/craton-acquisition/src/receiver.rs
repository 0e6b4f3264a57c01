//! Receivers: positions, codes and recorded quantities.

use craton_formats::check_code;

use crate::AcquisitionError;
use crate::error::finite;

/// Largest length of a network, station or location code.
pub(crate) const LONGEST_CODE: usize = 32;

/// A point receiver.
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
    /// Creates a receiver with a code and a position.
    ///
    /// # Arguments
    /// * `code` – `NET.STA` or `NET.STA.LOC`: ASCII letters, digits, `-` and `_`
    /// * `position` – x east, y north, z up \[m\]
    /// # Errors
    /// A code that cannot be used in a file name, a position that is not finite.
    pub fn new(code: &str, position: [f64; 3]) -> Result<Self, AcquisitionError> {
        for (axis, value) in ["x", "y", "z"].iter().zip(position) {
            finite(&format!("receiver {code}, {axis}"), value, "a finite number of m")?;
        }
        let parts: Vec<&str> = code.split('.').collect();
        let (network, station, location) = match parts[..] {
            [network, station] => (network, station, None),
            [network, station, location] => (network, station, Some(location)),
            _ => return Err(bad_code(code, "it must have two or three parts")),
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

    /// Returns the receiver at another position \[m\], on the surface or not.
    ///
    /// # Errors
    /// A position that is not finite.
    pub fn moved(&self, position: [f64; 3], on_surface: bool) -> Result<Self, AcquisitionError> {
        Ok(Self { on_surface, elevation: self.elevation, ..Self::new(&self.code(), position)? })
    }

    /// Sets the elevation of the ground above sea level \[m\], if known. The position does not change; the elevation is written to trace
    /// headers.
    pub fn at_elevation(self, elevation: Option<f64>) -> Self {
        Self { elevation, ..self }
    }

    /// Places the receiver on the surface of the model, above or below its position; its z is then ignored.
    pub fn on_surface(self) -> Self {
        Self { on_surface: true, ..self }
    }

    /// `NET.STA`, or `NET.STA.LOC` if there is a location code.
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

    /// Location code, if any.
    pub fn location(&self) -> Option<&str> {
        self.location.as_deref()
    }

    /// Position x east, y north, z up \[m\].
    pub fn position(&self) -> [f64; 3] {
        self.position
    }

    /// Elevation of the ground above sea level \[m\], if a station file gives it.
    pub fn elevation(&self) -> Option<f64> {
        self.elevation
    }

    /// Whether the receiver is on the surface of the model at its x and y.
    pub fn is_on_surface(&self) -> bool {
        self.on_surface
    }
}

fn check_part(code: &str, part: &str) -> Result<(), AcquisitionError> {
    if part.is_empty() {
        return Err(bad_code(code, "one of its parts is empty"));
    }
    if part.len() > LONGEST_CODE {
        return Err(bad_code(code, "one of its parts is too long"));
    }
    check_code("code", part).map_err(|_| bad_code(code, "it contains a character that is not allowed"))
}

fn bad_code(code: &str, problem: &'static str) -> AcquisitionError {
    AcquisitionError::BadCode { code: code.to_owned(), problem }
}

/// A recorded quantity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quantity {
    /// Displacement \[m\].
    Displacement,
    /// Velocity \[m/s\].
    Velocity,
    /// Acceleration \[m/s²\].
    Acceleration,
    /// Strain \[1\]: the symmetric part of the displacement gradient.
    Strain,
    /// Pressure \[Pa\]: minus the mean normal stress.
    Pressure,
    /// Rotation \[rad\]: half of the curl of displacement.
    Rotation,
    /// Rate of rotation \[rad/s\].
    RotationRate,
    /// Strain along a fibre \[1\], averaged over its gauge length.
    FibreStrain,
    /// Rate of the strain along a fibre \[1/s\].
    FibreStrainRate,
}

/// Names of the axes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AxisNames {
    /// X, Y, Z: a model without geographic coordinates.
    Cartesian,
    /// E, N, Z: a model with geographic coordinates or a map projection.
    Geographic,
    /// R, T, Z: radial away from an event, transverse 90 degrees to the right of it as seen from above, and up.
    Radial,
}

impl Quantity {
    /// Names of the components, in the order in which they are recorded: x, y, z, or Voigt order xx, yy, zz, yz, xz, xy.
    pub fn components(self, names: AxisNames) -> &'static [&'static str] {
        match (self, names) {
            (Self::Pressure, _) => &["P"],
            (Self::FibreStrain | Self::FibreStrainRate, _) => &["A"],
            (Self::Strain, AxisNames::Cartesian) => &["XX", "YY", "ZZ", "YZ", "XZ", "XY"],
            (Self::Strain, AxisNames::Geographic) => &["EE", "NN", "ZZ", "NZ", "EZ", "EN"],
            (Self::Strain, AxisNames::Radial) => &["RR", "TT", "ZZ", "TZ", "RZ", "RT"],
            (_, AxisNames::Cartesian) => &["X", "Y", "Z"],
            (_, AxisNames::Geographic) => &["E", "N", "Z"],
            (_, AxisNames::Radial) => &["R", "T", "Z"],
        }
    }

    /// SI unit.
    pub fn unit(self) -> &'static str {
        match self {
            Self::Displacement => "m",
            Self::Velocity => "m/s",
            Self::Acceleration => "m/s^2",
            Self::Strain => "1",
            Self::Pressure => "Pa",
            Self::Rotation => "rad",
            Self::RotationRate => "rad/s",
            Self::FibreStrain => "1",
            Self::FibreStrainRate => "1/s",
        }
    }

    /// Whether it has three components, along the axes.
    pub fn is_vector(self) -> bool {
        !matches!(self, Self::Strain | Self::Pressure | Self::FibreStrain | Self::FibreStrainRate)
    }

    /// Whether it is derived from the displacement gradient.
    pub fn is_of_gradient(self) -> bool {
        matches!(self, Self::Strain | Self::Pressure | Self::Rotation | Self::RotationRate)
    }
}
