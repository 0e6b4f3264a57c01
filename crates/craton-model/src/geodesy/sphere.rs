//! Model coordinates on the sphere: of a chunk, and of the whole globe.
//!
//! Model coordinates are x and y, angles times the radius, and z, the height above the sphere. *Space* has Cartesian coordinates X, Y, Z from the
//! centre of the Earth \[m\]; the mesh is in space.
//!
//! - In a chunk, x and y are angles from its centre: lines of equal x and of equal y are great circles, equally spaced along the centre lines (the
//!   equiangular gnomonic projection of Ronchi, Iacono & Paolucci 1996, J. Comput. Phys. 124). Z passes through the centre of the chunk and Y points
//!   towards its rotated north.
//! - On the globe, x is the longitude and y the geocentric latitude.

use std::f64::consts::FRAC_PI_2;

use super::ellipsoid::FLATTENING;
use crate::ModelError;
use crate::check::{finite, require};

/// Radius of the spherical Earth \[m\].
pub const EARTH_RADIUS: f64 = 6_371_000.0;

/// Largest distance from the centre of a chunk that has model coordinates \[degrees\].
const LARGEST_DISTANCE: f64 = 85.0;

/// Poles are shifted by this distance \[degrees\], 11 cm, along the given meridian, so that east and north are defined there.
const POLE_SHIFT: f64 = 1e-6;
/// Distance from the rotation axis, relative to the radius, below which the longitude is undefined and set to 0.
const ON_THE_AXIS: f64 = 1e-10;

/// The meaning of latitudes on the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Latitudes {
    /// Angles of the vertical of the WGS84 ellipsoid, as on maps and in catalogues. On the sphere, the corresponding geocentric latitude is
    /// used.
    Geographic,
    /// Angles at the centre of the Earth.
    Geocentric,
}

/// Model coordinates of the sphere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Coordinates {
    /// Angles from the centre of a chunk.
    Gnomonic,
    /// Longitude and geocentric latitude.
    Geographic,
}

/// A chunk of the sphere around a centre, or the whole globe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sphere {
    /// Axes of space in geocentric coordinates, whose axes point to longitudes 0 and 90 degrees on the equator and to the north pole.
    axes: [[f64; 3]; 3],
    latitudes: Latitudes,
    coordinates: Coordinates,
}

impl Sphere {
    /// Creates the chunk around a centre.
    ///
    /// # Arguments
    /// * `longitude`, `latitude` – of the centre \[degrees\]
    /// * `rotation` – angle of the y axis, clockwise from north \[degrees\]
    /// * `latitudes` – the meaning of latitudes, here and in all methods
    /// # Errors
    /// A latitude beyond a pole, a number that is not finite.
    pub fn chunk(longitude: f64, latitude: f64, rotation: f64, latitudes: Latitudes) -> Result<Self, ModelError> {
        check_place(longitude, latitude)?;
        let turn = finite("rotation", rotation, "degrees")?.to_radians();
        let [east, north, up] = local_axes(longitude, geocentric(latitude, latitudes));
        let rotated = |a: f64, b: f64| std::array::from_fn(|i| a * east[i] + b * north[i]);
        let axes = [rotated(turn.cos(), -turn.sin()), rotated(turn.sin(), turn.cos()), up];
        Ok(Self { axes, latitudes, coordinates: Coordinates::Gnomonic })
    }

    /// Creates the whole globe. The Z axis of space passes through the given point, which is the centre of a block of the mesh.
    ///
    /// # Arguments
    /// As [`Self::chunk`].
    /// # Errors
    /// As [`Self::chunk`].
    pub fn globe(longitude: f64, latitude: f64, rotation: f64, latitudes: Latitudes) -> Result<Self, ModelError> {
        let chunk = Self::chunk(longitude, latitude, rotation, latitudes)?;
        Ok(Self { coordinates: Coordinates::Geographic, ..chunk })
    }

    /// Whether this is the whole globe.
    pub fn is_globe(&self) -> bool {
        self.coordinates == Coordinates::Geographic
    }

    /// Returns the same coordinates for latitudes of another meaning.
    pub fn with_latitudes(self, latitudes: Latitudes) -> Self {
        Self { latitudes, ..self }
    }

    /// Converts a longitude and latitude \[degrees\] to model x, y \[m\]. A pole is shifted by 11 cm along the given meridian, which
    /// defines east and north there. Verified by `a_pole_keeps_its_given_longitude`.
    ///
    /// # Errors
    /// A position 85 degrees or more from the centre of a chunk, a latitude beyond a pole.
    pub fn forward(&self, longitude: f64, latitude: f64) -> Result<[f64; 2], ModelError> {
        check_place(longitude, latitude)?;
        let nearest = 90.0 - POLE_SHIFT;
        let latitude = latitude.clamp(-nearest, nearest);
        let geocentric = geocentric(latitude, self.latitudes);
        if self.is_globe() {
            let longitude = (longitude + 180.0).rem_euclid(360.0) - 180.0;
            return Ok([longitude.to_radians(), geocentric].map(|angle| EARTH_RADIUS * angle));
        }
        let direction = self.geocentric_to_local(local_axes(longitude, geocentric)[2]);
        let distance = direction[0].hypot(direction[1]).atan2(direction[2]).to_degrees();
        let hint = format!("the position is longitude {longitude}, latitude {latitude}; move the centre of the chunk");
        require(
            distance < LARGEST_DISTANCE,
            "distance from the centre of the chunk",
            (1e6 * distance).round() / 1e6,
            format!("below {LARGEST_DISTANCE} degrees"),
            &hint,
        )?;
        let [x, y, _] = self.from_space(direction);
        Ok([x, y])
    }

    /// Converts model x, y \[m\] to longitude (-180 to 180) and latitude \[degrees\]; the longitude of a pole is 0.
    pub fn inverse(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [longitude, latitude] = match self.coordinates {
            Coordinates::Gnomonic => self.angles(gnomonic([x, y])),
            Coordinates::Geographic => [x, y].map(|arc| arc / EARTH_RADIUS),
        };
        [longitude.to_degrees(), map_latitude(latitude, self.latitudes).to_degrees()]
    }

    /// Longitude and geocentric latitude \[radians\] of a direction in space; the longitude of a pole is 0.
    fn angles(&self, direction: [f64; 3]) -> [f64; 2] {
        let [a, b, c]: [f64; 3] = std::array::from_fn(|i| (0..3).map(|j| direction[j] * self.axes[j][i]).sum());
        let from_axis = a.hypot(b);
        let length = from_axis.hypot(c);
        let longitude = if from_axis < ON_THE_AXIS * length { 0.0 } else { b.atan2(a) };
        [longitude, c.atan2(from_axis)]
    }

    /// Unit vector in space towards model x, y \[m\].
    fn direction(&self, [x, y]: [f64; 2]) -> [f64; 3] {
        match self.coordinates {
            Coordinates::Gnomonic => gnomonic([x, y]),
            Coordinates::Geographic => {
                let longitude = (x / EARTH_RADIUS).to_degrees();
                self.geocentric_to_local(local_axes(longitude, y / EARTH_RADIUS)[2])
            }
        }
    }

    /// Converts a position from model coordinates to space \[m\]. Verified by `positions_survive_a_round_trip_through_space`.
    pub fn to_space(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        self.direction([x, y]).map(|along| (EARTH_RADIUS + z) * along)
    }

    /// Converts a position from space to model coordinates \[m\].
    pub fn from_space(&self, position: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = position;
        let [x, y] = match self.coordinates {
            Coordinates::Gnomonic => [x.atan2(z), y.atan2(z)],
            Coordinates::Geographic => self.angles(position),
        };
        [EARTH_RADIUS * x, EARTH_RADIUS * y, self.height(position)]
    }

    /// Height above the sphere of a position in space \[m\]. Cheaper than [`Self::from_space`], which also computes the angles.
    pub fn height(&self, [x, y, z]: [f64; 3]) -> f64 {
        (x * x + y * y + z * z).sqrt() - EARTH_RADIUS
    }

    /// Unit vectors to the east, to the north and up at model x, y \[m\], in space. Verified by
    /// `axes_point_to_increasing_longitude_and_latitude`.
    pub fn axes_at(&self, place: [f64; 2]) -> [[f64; 3]; 3] {
        let [longitude, latitude] = self.inverse(place);
        local_axes(longitude, geocentric(latitude, self.latitudes)).map(|axis| self.geocentric_to_local(axis))
    }

    /// Factor by which horizontal lengths at the centre lines exceed model lengths at a height z \[m\]; elsewhere they are shorter.
    pub fn spread(&self, z: f64) -> f64 {
        (EARTH_RADIUS + z) / EARTH_RADIUS
    }

    /// Converts a vector from geocentric axes to space.
    fn geocentric_to_local(&self, vector: [f64; 3]) -> [f64; 3] {
        self.axes.map(|axis| (0..3).map(|i| axis[i] * vector[i]).sum())
    }
}

/// Unit vector in space towards x, y \[m\] of a chunk.
fn gnomonic([x, y]: [f64; 2]) -> [f64; 3] {
    let [a, b] = [x, y].map(|arc| (arc / EARTH_RADIUS).tan());
    let length = (1.0 + a * a + b * b).sqrt();
    [a / length, b / length, 1.0 / length]
}

/// East, north and up at a longitude \[degrees\] and geocentric latitude \[radians\], in geocentric axes.
fn local_axes(longitude: f64, latitude: f64) -> [[f64; 3]; 3] {
    let (sin_lon, cos_lon) = longitude.to_radians().sin_cos();
    let (sin_lat, cos_lat) = latitude.sin_cos();
    [
        [-sin_lon, cos_lon, 0.0],
        [-sin_lat * cos_lon, -sin_lat * sin_lon, cos_lat],
        [cos_lat * cos_lon, cos_lat * sin_lon, sin_lat],
    ]
}

/// Converts a latitude on the map \[degrees\] to a geocentric one \[radians\].
fn geocentric(latitude: f64, latitudes: Latitudes) -> f64 {
    let latitude = latitude.to_radians();
    match latitudes {
        Latitudes::Geocentric => latitude,
        Latitudes::Geographic if latitude.abs() >= FRAC_PI_2 => latitude,
        Latitudes::Geographic => ((1.0 - FLATTENING).powi(2) * latitude.tan()).atan(),
    }
}

/// Converts a geocentric latitude to a latitude on the map \[both in radians\].
fn map_latitude(latitude: f64, latitudes: Latitudes) -> f64 {
    match latitudes {
        Latitudes::Geocentric => latitude,
        Latitudes::Geographic if latitude.abs() >= FRAC_PI_2 => latitude,
        Latitudes::Geographic => (latitude.tan() / (1.0 - FLATTENING).powi(2)).atan(),
    }
}

fn check_place(longitude: f64, latitude: f64) -> Result<(), ModelError> {
    finite("longitude", longitude, "degrees")?;
    require(
        latitude.abs() <= 90.0,
        "latitude",
        latitude,
        "between -90 and 90 degrees".to_owned(),
        "check whether latitude and longitude are swapped",
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bolivia(latitudes: Latitudes) -> Sphere {
        Sphere::chunk(-67.25, -13.82, 20.0, latitudes).unwrap()
    }

    #[test]
    fn the_centre_is_the_origin_and_positions_survive_a_round_trip() {
        for latitudes in [Latitudes::Geographic, Latitudes::Geocentric] {
            let chunk = bolivia(latitudes);
            let [x, y] = chunk.forward(-67.25, -13.82).unwrap();
            assert!(x.abs() < 1e-6 && y.abs() < 1e-6);
            for (longitude, latitude) in [(-67.25, -18.82), (-30.0, 10.0), (-100.0, -60.0), (-67.0, 40.0)] {
                let [back, north] = chunk.inverse(chunk.forward(longitude, latitude).unwrap());
                assert!((back - longitude).abs() < 1e-11 && (north - latitude).abs() < 1e-11, "{back} {north}");
            }
        }
    }

    #[test]
    fn positions_survive_a_round_trip_through_space() {
        let chunk = bolivia(Latitudes::Geocentric);
        for position in [[0.0, 0.0, 0.0], [4e6, -3e6, -600e3], [-5e6, -5e6, 8e3]] {
            let back = chunk.from_space(chunk.to_space(position));
            for (back, wanted) in back.into_iter().zip(position) {
                assert!((back - wanted).abs() < 1e-8, "{back} {wanted}");
            }
        }
    }

    #[test]
    fn great_circles_have_the_correct_lengths() {
        let chunk = Sphere::chunk(10.0, 20.0, 0.0, Latitudes::Geocentric).unwrap();
        let [x, y] = chunk.forward(10.0, 35.0).unwrap();
        assert!(x.abs() < 1e-6 && (y - EARTH_RADIUS * 15f64.to_radians()).abs() < 1e-6, "{x} {y}");
        // Rotated by 90 degrees, y points east, so north is at -x.
        let rotated = Sphere::chunk(10.0, 20.0, 90.0, Latitudes::Geocentric).unwrap();
        let [x, y] = rotated.forward(10.0, 35.0).unwrap();
        assert!((x + EARTH_RADIUS * 15f64.to_radians()).abs() < 1e-6 && y.abs() < 1e-6, "{x} {y}");
    }

    #[test]
    fn axes_point_to_increasing_longitude_and_latitude() {
        let chunk = bolivia(Latitudes::Geocentric);
        let (longitude, latitude, step) = (-40.0, 12.0, 1e-4);
        let at = |longitude, latitude, z| {
            let [x, y] = chunk.forward(longitude, latitude).unwrap();
            chunk.to_space([x, y, z])
        };
        let here = at(longitude, latitude, 0.0);
        let moved = [
            at(longitude + step / latitude.to_radians().cos(), latitude, 0.0),
            at(longitude, latitude + step, 0.0),
            at(longitude, latitude, EARTH_RADIUS * step.to_radians()),
        ];
        let axes = chunk.axes_at(chunk.forward(longitude, latitude).unwrap());
        for (axis, moved) in axes.into_iter().zip(moved) {
            for component in 0..3 {
                let slope = (moved[component] - here[component]) / (EARTH_RADIUS * step.to_radians());
                assert!((slope - axis[component]).abs() < 2e-6, "{slope} {axis:?}");
            }
        }
    }

    #[test]
    fn geocentric_latitudes_are_nearer_to_the_equator_than_geographic_ones() {
        let chunk = Sphere::chunk(0.0, 0.0, 0.0, Latitudes::Geographic).unwrap();
        let [_, y] = chunk.forward(0.0, 45.0).unwrap();
        // The difference is 11.545 minutes of arc at 45 degrees.
        let minutes = (45.0 - (y / EARTH_RADIUS).to_degrees()) * 60.0;
        assert!((minutes - 11.545).abs() < 0.001, "{minutes}");
    }

    #[test]
    fn positions_survive_a_round_trip_across_the_date_line_and_around_a_pole() {
        let over_the_date_line = Sphere::chunk(178.0, -18.0, 25.0, Latitudes::Geographic).unwrap();
        let around_a_pole = Sphere::chunk(30.0, -80.0, 10.0, Latitudes::Geographic).unwrap();
        let beyond_fiji = [(-170.0, -20.0), (170.0, -20.0), (180.0, 5.0), (-180.0, 5.0)];
        let antarctica = [(-150.0, -85.0), (120.0, -71.0), (-60.0, -62.0), (30.0, -50.0)];
        for (chunk, places) in [(over_the_date_line, beyond_fiji), (around_a_pole, antarctica)] {
            for (longitude, latitude) in places {
                let [x, y] = chunk.forward(longitude, latitude).unwrap();
                let [back, north] = chunk.inverse([x, y]);
                let turn = (back - longitude + 180.0).rem_euclid(360.0) - 180.0;
                assert!(turn.abs() < 1e-11 && (north - latitude).abs() < 1e-11, "{longitude}: {back} {north}");
                // 360 degrees farther east is the same position.
                let [same_x, same_y] = chunk.forward(longitude.rem_euclid(360.0), latitude).unwrap();
                assert!((same_x - x).abs() < 1e-6 && (same_y - y).abs() < 1e-6);
            }
        }
        // Neighbours across the date line are neighbours in the model: two degrees of longitude at 20 degrees south.
        let chunk = Sphere::chunk(180.0, -20.0, 0.0, Latitudes::Geocentric).unwrap();
        let [west, east] = [179.0, -179.0].map(|longitude| chunk.forward(longitude, -20.0).unwrap());
        let apart = (east[0] - west[0]) / EARTH_RADIUS;
        assert!((apart.to_degrees() - 2.0 * 20f64.to_radians().cos()).abs() < 1e-3 && (east[1] - west[1]).abs() < 1e-6);
    }

    #[test]
    fn axes_are_continuous_across_the_date_line() {
        let chunk = Sphere::chunk(180.0, -20.0, 0.0, Latitudes::Geographic).unwrap();
        let [west, east] = [179.999_999, -179.999_999].map(|longitude| chunk.forward(longitude, -25.0).unwrap());
        for (a, b) in chunk.axes_at(west).into_iter().flatten().zip(chunk.axes_at(east).into_iter().flatten()) {
            assert!((a - b).abs() < 1e-7, "{a} {b}");
        }
    }

    #[test]
    fn a_pole_keeps_its_given_longitude() {
        for (centre, latitude) in [((30.0, -80.0), -90.0), ((0.0, 90.0), 90.0), ((-120.0, 60.0), 90.0)] {
            let chunk = Sphere::chunk(centre.0, centre.1, 15.0, Latitudes::Geographic).unwrap();
            for longitude in [0.0, -75.0, 140.0, 180.0] {
                let place = chunk.forward(longitude, latitude).unwrap();
                let [back, north] = chunk.inverse(place);
                let turn = (back - longitude + 180.0).rem_euclid(360.0) - 180.0;
                assert!(turn.abs() < 1e-4 && (north - latitude).abs() < 2e-6, "{longitude}: {back} {north}");
                // East and north are those of the meridian, at the shifted pole and farther along the meridian.
                let [at_pole, nearby] = [place, chunk.forward(longitude, latitude - 1e-3 * latitude.signum()).unwrap()];
                let [at_pole, nearby] = [at_pole, nearby].map(|place| chunk.axes_at(place));
                for (a, b) in at_pole.into_iter().flatten().zip(nearby.into_iter().flatten()) {
                    assert!((a - b).abs() < 2e-5, "{longitude}: {a} {b}");
                }
            }
            // A point of a slice may be the pole itself.
            let pole = [0.0, 0.0, latitude.signum()];
            let [x, y, _] = chunk.from_space(chunk.geocentric_to_local(pole).map(|along| EARTH_RADIUS * along));
            assert_eq!(chunk.inverse([x, y])[0], 0.0, "{centre:?}");
        }
    }

    #[test]
    fn positions_on_the_other_side_are_refused() {
        let error = bolivia(Latitudes::Geocentric).forward(112.0, 14.0).unwrap_err().to_string();
        assert!(error.starts_with("distance from the centre of the chunk = 179."), "{error}");
        assert!(error.contains("it must be below 85 degrees"), "{error}");
        assert!(bolivia(Latitudes::Geocentric).forward(0.0, 91.0).is_err());
    }
}
