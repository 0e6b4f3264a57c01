//! The azimuthal equidistant projection of the ellipsoid.

use geographiclib_rs::{DirectGeodesic, Geodesic, InverseGeodesic};

use crate::ModelError;
use crate::check::{finite, readable, require};

/// Largest distance from the centre \[m\].
const FARTHEST: f64 = 5e6;

/// The azimuthal equidistant projection of the ellipsoid WGS84: distances and directions from its centre are exact, anywhere on Earth.
///
/// At a distance s from the centre, lengths across the direction to it are too long by a fraction of about (s / R)² / 6: 1e-4 at 156 km, 1e-3 at
/// 494 km.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Azimuthal {
    longitude: f64,
    latitude: f64,
    azimuth: f64,
}

impl Azimuthal {
    /// Creates a projection.
    ///
    /// # Arguments
    /// * `longitude`, `latitude` – its centre \[degrees\]
    /// * `azimuth` – azimuth of the y axis at the centre, clockwise from north \[degrees\]
    /// # Errors
    /// A latitude outside -90..90, a longitude outside -180..360, an azimuth that is not finite.
    pub fn new(longitude: f64, latitude: f64, azimuth: f64) -> Result<Self, ModelError> {
        check(longitude, latitude)?;
        finite("azimuth", azimuth, "degrees")?;
        Ok(Self { longitude, latitude, azimuth })
    }

    /// Azimuth of the y axis at the centre, clockwise from north \[degrees\].
    pub fn azimuth(&self) -> f64 {
        self.azimuth
    }

    /// Longitude and latitude of the centre \[degrees\].
    pub fn centre(&self) -> [f64; 2] {
        [self.longitude, self.latitude]
    }

    /// Converts a longitude and latitude \[degrees\] to x and y \[m\].
    ///
    /// # Errors
    /// A latitude outside -90..90, a longitude outside -180..360, a position farther than 5,000 km from the centre.
    pub fn forward(&self, longitude: f64, latitude: f64) -> Result<[f64; 2], ModelError> {
        check(longitude, latitude)?;
        let (distance, azimuth, _, _): (f64, f64, f64, f64) =
            Geodesic::wgs84().inverse(self.latitude, self.longitude, latitude, longitude);
        require(
            distance <= FARTHEST,
            "longitude",
            longitude,
            format!("within {} m of the centre of the projection", readable(FARTHEST)),
            "use a chunk of the spherical Earth, or another centre",
        )?;
        let (sin, cos) = (azimuth - self.azimuth).to_radians().sin_cos();
        Ok([distance * sin, distance * cos])
    }

    /// Converts x and y \[m\] to longitude and latitude \[degrees\].
    pub fn inverse(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let azimuth = x.atan2(y).to_degrees() + self.azimuth;
        let (latitude, longitude) = Geodesic::wgs84().direct(self.latitude, self.longitude, azimuth, x.hypot(y));
        [longitude, latitude]
    }

    /// Unit vectors to the east, to the north and up at x, y \[m\], along the axes of the map.
    pub fn axes_at(&self, [x, y]: [f64; 2]) -> [[f64; 3]; 3] {
        let outwards = x.atan2(y).to_degrees();
        let (_, _, onward): (f64, f64, f64) =
            Geodesic::wgs84().direct(self.latitude, self.longitude, outwards + self.azimuth, x.hypot(y));
        // The direction from the centre has this angle from y on the map, and this azimuth on the ellipsoid.
        let (sin, cos) = (outwards - onward).to_radians().sin_cos();
        [[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]]
    }
}

fn check(longitude: f64, latitude: f64) -> Result<(), ModelError> {
    let hint = "give longitude and latitude in degrees";
    require((-90.0..=90.0).contains(&latitude), "latitude", latitude, "between -90 and 90 degrees", hint)?;
    require((-180.0..=360.0).contains(&longitude), "longitude", longitude, "between -180 and 360 degrees", hint)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The direction of a small step on the map, as azimuth and length by the geodesic between its ends.
    fn step(map: &Azimuthal, from: [f64; 2], along: [f64; 3]) -> (f64, f64) {
        let places = [from, [from[0] + 100.0 * along[0], from[1] + 100.0 * along[1]]].map(|place| map.inverse(place));
        let (length, azimuth, _, _): (f64, f64, f64, f64) =
            Geodesic::wgs84().inverse(places[0][1], places[0][0], places[1][1], places[1][0]);
        (length, azimuth)
    }

    #[test]
    fn positions_survive_a_round_trip_anywhere() {
        for (longitude, latitude, azimuth) in
            [(11.0, 46.0, 30.0), (-179.9, -78.0, 0.0), (0.0, 90.0, -45.0), (100.0, 0.0, 250.0)]
        {
            let map = Azimuthal::new(longitude, latitude, azimuth).unwrap();
            for place in [[0.0, 0.0], [3e3, -2e4], [-4e5, 1.5e5], [2e6, 1e6]] {
                let [lon, lat] = map.inverse(place);
                let [x, y] = map.forward(lon, lat).unwrap();
                assert!((x - place[0]).abs() < 1e-6 && (y - place[1]).abs() < 1e-6, "{x} {y} {place:?}");
            }
        }
    }

    #[test]
    fn axes_point_east_and_north_where_the_map_does_not_distort() {
        let map = Azimuthal::new(-67.25, -13.82, 35.0).unwrap();
        for place in [[0.0, 0.0], [4e4, -3e4], [-1e5, 1e5]] {
            let [east, north, _] = map.axes_at(place);
            for (along, expected) in [(east, 90.0), (north, 0.0)] {
                let (length, azimuth) = step(&map, place, along);
                // Distortion of lengths and directions at 141 km: 8e-5.
                assert!(
                    (length - 100.0).abs() < 0.01 && (azimuth - expected).abs() < 6e-3,
                    "{length} {azimuth} at {place:?}"
                );
            }
        }
        // The y axis has its azimuth at the centre.
        let (_, azimuth) = step(&map, [0.0; 2], [0.0, 1.0, 0.0]);
        assert!((azimuth - 35.0).abs() < 1e-6, "{azimuth}");
    }

    #[test]
    fn positions_beyond_the_map_are_refused() {
        let map = Azimuthal::new(11.0, 46.0, 0.0).unwrap();
        assert!(map.forward(100.0, -30.0).unwrap_err().to_string().contains("centre of the projection"));
        assert!(map.forward(11.0, 91.0).is_err() && Azimuthal::new(400.0, 0.0, 0.0).is_err());
        assert!(Azimuthal::new(0.0, 0.0, f64::NAN).is_err());
    }
}
