//! Directions by inclination and declination.

/// A direction in the convention of geomagnetism.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Direction {
    /// Angle below the horizontal [degrees], positive down.
    pub inclination: f64,
    /// Angle of the horizontal projection from north, clockwise [degrees].
    pub declination: f64,
}

impl Direction {
    /// The unit vector (east, north, up).
    ///
    /// Exact at multiples of 90 degrees, so that a vertical or horizontal field has no spurious components.
    pub fn vector(self) -> [f64; 3] {
        let (down, level) = sin_cos(self.inclination);
        let (east, north) = sin_cos(self.declination);
        [level * east, level * north, -down]
    }

    /// The direction of a vector (east, north, up) of any length; inclination 0 and declination 0 for a vector of length 0.
    pub fn of([east, north, up]: [f64; 3]) -> Self {
        Self {
            inclination: (-up + 0.0).atan2(east.hypot(north)).to_degrees(),
            declination: east.atan2(north).to_degrees(),
        }
    }
}

/// Sine and cosine of an angle in degrees, exact at multiples of 90.
fn sin_cos(degrees: f64) -> (f64, f64) {
    let turned = degrees.rem_euclid(360.0);
    let quarter = (turned / 90.0).round();
    let (sin, cos) = (turned - 90.0 * quarter).to_radians().sin_cos();
    match quarter as u8 % 4 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}
