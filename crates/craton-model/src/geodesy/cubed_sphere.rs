//! The cubed sphere: a face of a cube, blown up to a piece of the sphere.
//!
//! Model coordinates of a chunk of the Earth are x and y, angles from its centre times the radius, and z, the height above the sphere. Lines of
//! equal x and of equal y are great circles, equally far apart at the centre lines (the equiangular gnomonic projection of Ronchi, Iacono &
//! Paolucci 1996, J. Comput. Phys. 124). *Space* is where waves travel: X, Y, Z from the centre of the Earth \[m\], Z through the centre of the chunk,
//! Y towards its rotated north.

use std::f64::consts::FRAC_PI_2;

use super::ellipsoid::FLATTENING;
use crate::ModelError;
use crate::check::{finite, require};

/// Radius of the sphere that stands for the Earth \[m\].
pub const EARTH_RADIUS: f64 = 6_371_000.0;

/// Farthest from the centre of a chunk that a place has model coordinates \[degrees\].
const FARTHEST: f64 = 85.0;

/// Distance from a pole \[degrees\] at which a place there stands on its meridian: 11 cm, so that east and north are known.
const BESIDE_A_POLE: f64 = 1e-6;
/// Distance from the Earth's axis, as a part of the radius, below which no longitude is known; it is 0 then.
const ON_THE_AXIS: f64 = 1e-10;

/// What latitudes on the map are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Latitudes {
    /// Angles of the vertical of the WGS84 ellipsoid, as maps and catalogues have them; the sphere has the geocentric latitude that belongs to each.
    Geographic,
    /// Angles at the centre of the Earth.
    Geocentric,
}

/// A piece of the sphere around a centre.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CubedSphere {
    /// Axes of space in those of the Earth, which point to longitudes 0 and 90 degrees on the equator and to the north pole.
    axes: [[f64; 3]; 3],
    latitudes: Latitudes,
}

impl CubedSphere {
    /// The piece of the sphere around a place.
    ///
    /// # Arguments
    /// * `longitude`, `latitude` – of its centre \[degrees\]
    /// * `rotation` – of its y axis from north over east \[degrees\]
    /// * `latitudes` – what latitudes are, here and in all that follows
    /// # Errors
    /// A latitude beyond the poles, a number that is not finite.
    pub fn new(longitude: f64, latitude: f64, rotation: f64, latitudes: Latitudes) -> Result<Self, ModelError> {
        check_place(longitude, latitude)?;
        let turn = finite("rotation", rotation, "degrees")?.to_radians();
        let [east, north, up] = local_axes(longitude, geocentric(latitude, latitudes));
        let turned = |a: f64, b: f64| std::array::from_fn(|i| a * east[i] + b * north[i]);
        Ok(Self { axes: [turned(turn.cos(), -turn.sin()), turned(turn.sin(), turn.cos()), up], latitudes })
    }

    /// The same piece for a map whose latitudes are something else.
    pub fn with_latitudes(self, latitudes: Latitudes) -> Self {
        Self { latitudes, ..self }
    }

    /// Model x, y \[m\] of a longitude and latitude \[degrees\]. A pole is on every meridian; it is put 11 cm down the given one, by which east and north are
    /// told there. Verified by `a_pole_has_the_longitude_that_was_given`.
    ///
    /// # Errors
    /// A place 85 degrees or more from the centre, a latitude beyond the poles.
    pub fn forward(&self, longitude: f64, latitude: f64) -> Result<[f64; 2], ModelError> {
        check_place(longitude, latitude)?;
        let nearest = 90.0 - BESIDE_A_POLE;
        let latitude = latitude.clamp(-nearest, nearest);
        let direction = self.turned(local_axes(longitude, geocentric(latitude, self.latitudes))[2]);
        let distance = direction[0].hypot(direction[1]).atan2(direction[2]).to_degrees();
        let hint = format!("it belongs to longitude {longitude}, latitude {latitude}; move the centre of the chunk");
        require(
            distance < FARTHEST,
            "distance from the centre of the chunk",
            (1e6 * distance).round() / 1e6,
            format!("below {FARTHEST} degrees"),
            &hint,
        )?;
        let [x, y, _] = self.from_space(direction);
        Ok([x, y])
    }

    /// Longitude from -180 to 180 and latitude \[degrees\] of model x, y \[m\]; the longitude of a pole itself is 0.
    pub fn inverse(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let direction = direction([x, y]);
        let [a, b, c]: [f64; 3] = std::array::from_fn(|i| (0..3).map(|j| direction[j] * self.axes[j][i]).sum());
        let from_axis = a.hypot(b);
        let longitude = if from_axis < ON_THE_AXIS { 0.0 } else { b.atan2(a) };
        let latitude = c.atan2(from_axis);
        [longitude.to_degrees(), on_the_map(latitude, self.latitudes).to_degrees()]
    }

    /// A position in model coordinates, in space \[m\]. Verified by `positions_return_from_space`.
    pub fn to_space(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        direction([x, y]).map(|along| (EARTH_RADIUS + z) * along)
    }

    /// A position in space, in model coordinates \[m\].
    pub fn from_space(&self, position: [f64; 3]) -> [f64; 3] {
        let [x, y, z] = position;
        let angle = |across: f64| EARTH_RADIUS * across.atan2(z);
        [angle(x), angle(y), self.height(position)]
    }

    /// The height above the sphere of a position in space \[m\]: all that [`Self::from_space`] does, without the angles, which take most of its time.
    pub fn height(&self, [x, y, z]: [f64; 3]) -> f64 {
        (x * x + y * y + z * z).sqrt() - EARTH_RADIUS
    }

    /// Unit vectors to the east, to the north and up at model x, y \[m\], in space. Verified by `axes_point_to_where_longitudes_and_latitudes_grow`.
    pub fn axes_at(&self, place: [f64; 2]) -> [[f64; 3]; 3] {
        let [longitude, latitude] = self.inverse(place);
        local_axes(longitude, geocentric(latitude, self.latitudes)).map(|axis| self.turned(axis))
    }

    /// The factor by which lengths along x and y, at the centre lines, grow at a height \[m\]; elsewhere they are shorter.
    pub fn spread(&self, z: f64) -> f64 {
        (EARTH_RADIUS + z) / EARTH_RADIUS
    }

    /// A vector along the axes of the Earth, in space.
    fn turned(&self, vector: [f64; 3]) -> [f64; 3] {
        self.axes.map(|axis| (0..3).map(|i| axis[i] * vector[i]).sum())
    }
}

/// Unit vector in space through model x, y \[m\].
fn direction([x, y]: [f64; 2]) -> [f64; 3] {
    let [a, b] = [x, y].map(|arc| (arc / EARTH_RADIUS).tan());
    let length = (1.0 + a * a + b * b).sqrt();
    [a / length, b / length, 1.0 / length]
}

/// East, north and up at a longitude \[degrees\] and geocentric latitude \[radians\], along the axes of the Earth.
fn local_axes(longitude: f64, latitude: f64) -> [[f64; 3]; 3] {
    let (sin_lon, cos_lon) = longitude.to_radians().sin_cos();
    let (sin_lat, cos_lat) = latitude.sin_cos();
    [
        [-sin_lon, cos_lon, 0.0],
        [-sin_lat * cos_lon, -sin_lat * sin_lon, cos_lat],
        [cos_lat * cos_lon, cos_lat * sin_lon, sin_lat],
    ]
}

/// Geocentric latitude \[radians\] of one on the map \[degrees\].
fn geocentric(latitude: f64, latitudes: Latitudes) -> f64 {
    let latitude = latitude.to_radians();
    match latitudes {
        Latitudes::Geocentric => latitude,
        Latitudes::Geographic if latitude.abs() >= FRAC_PI_2 => latitude,
        Latitudes::Geographic => ((1.0 - FLATTENING).powi(2) * latitude.tan()).atan(),
    }
}

/// Latitude on the map \[radians\] of a geocentric one \[radians\].
fn on_the_map(latitude: f64, latitudes: Latitudes) -> f64 {
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
        "are latitude and longitude exchanged?",
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bolivia(latitudes: Latitudes) -> CubedSphere {
        CubedSphere::new(-67.25, -13.82, 20.0, latitudes).unwrap()
    }

    #[test]
    fn the_centre_is_the_origin_and_places_return() {
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
    fn positions_return_from_space() {
        let chunk = bolivia(Latitudes::Geocentric);
        for position in [[0.0, 0.0, 0.0], [4e6, -3e6, -600e3], [-5e6, -5e6, 8e3]] {
            let back = chunk.from_space(chunk.to_space(position));
            for (back, wanted) in back.into_iter().zip(position) {
                assert!((back - wanted).abs() < 1e-8, "{back} {wanted}");
            }
        }
    }

    #[test]
    fn great_circles_have_their_lengths() {
        let chunk = CubedSphere::new(10.0, 20.0, 0.0, Latitudes::Geocentric).unwrap();
        let [x, y] = chunk.forward(10.0, 35.0).unwrap();
        assert!(x.abs() < 1e-6 && (y - EARTH_RADIUS * 15f64.to_radians()).abs() < 1e-6, "{x} {y}");
        // Turned by 90 degrees, y points east: north is at -x.
        let turned = CubedSphere::new(10.0, 20.0, 90.0, Latitudes::Geocentric).unwrap();
        let [x, y] = turned.forward(10.0, 35.0).unwrap();
        assert!((x + EARTH_RADIUS * 15f64.to_radians()).abs() < 1e-6 && y.abs() < 1e-6, "{x} {y}");
    }

    #[test]
    fn axes_point_to_where_longitudes_and_latitudes_grow() {
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
    fn geographic_latitudes_lie_nearer_to_the_equator_on_the_sphere() {
        let chunk = CubedSphere::new(0.0, 0.0, 0.0, Latitudes::Geographic).unwrap();
        let [_, y] = chunk.forward(0.0, 45.0).unwrap();
        // 11.545 minutes of arc at 45 degrees.
        let minutes = (45.0 - (y / EARTH_RADIUS).to_degrees()) * 60.0;
        assert!((minutes - 11.545).abs() < 0.001, "{minutes}");
    }

    #[test]
    fn places_return_over_the_date_line_and_around_a_pole() {
        let over_the_date_line = CubedSphere::new(178.0, -18.0, 25.0, Latitudes::Geographic).unwrap();
        let around_a_pole = CubedSphere::new(30.0, -80.0, 10.0, Latitudes::Geographic).unwrap();
        let beyond_fiji = [(-170.0, -20.0), (170.0, -20.0), (180.0, 5.0), (-180.0, 5.0)];
        let antarctica = [(-150.0, -85.0), (120.0, -71.0), (-60.0, -62.0), (30.0, -50.0)];
        for (chunk, places) in [(over_the_date_line, beyond_fiji), (around_a_pole, antarctica)] {
            for (longitude, latitude) in places {
                let [x, y] = chunk.forward(longitude, latitude).unwrap();
                let [back, north] = chunk.inverse([x, y]);
                let turn = (back - longitude + 180.0).rem_euclid(360.0) - 180.0;
                assert!(turn.abs() < 1e-11 && (north - latitude).abs() < 1e-11, "{longitude}: {back} {north}");
                // A whole circle farther east is the same place.
                let [same_x, same_y] = chunk.forward(longitude.rem_euclid(360.0), latitude).unwrap();
                assert!((same_x - x).abs() < 1e-6 && (same_y - y).abs() < 1e-6);
            }
        }
        // Neighbours across the date line are neighbours in the model: two degrees of longitude at 20 degrees south.
        let chunk = CubedSphere::new(180.0, -20.0, 0.0, Latitudes::Geocentric).unwrap();
        let [west, east] = [179.0, -179.0].map(|longitude| chunk.forward(longitude, -20.0).unwrap());
        let apart = (east[0] - west[0]) / EARTH_RADIUS;
        assert!((apart.to_degrees() - 2.0 * 20f64.to_radians().cos()).abs() < 1e-3 && (east[1] - west[1]).abs() < 1e-6);
    }

    #[test]
    fn axes_do_not_turn_over_the_date_line() {
        let chunk = CubedSphere::new(180.0, -20.0, 0.0, Latitudes::Geographic).unwrap();
        let [west, east] = [179.999_999, -179.999_999].map(|longitude| chunk.forward(longitude, -25.0).unwrap());
        for (a, b) in chunk.axes_at(west).into_iter().flatten().zip(chunk.axes_at(east).into_iter().flatten()) {
            assert!((a - b).abs() < 1e-7, "{a} {b}");
        }
    }

    #[test]
    fn a_pole_has_the_longitude_that_was_given() {
        for (centre, latitude) in [((30.0, -80.0), -90.0), ((0.0, 90.0), 90.0), ((-120.0, 60.0), 90.0)] {
            let chunk = CubedSphere::new(centre.0, centre.1, 15.0, Latitudes::Geographic).unwrap();
            for longitude in [0.0, -75.0, 140.0, 180.0] {
                let place = chunk.forward(longitude, latitude).unwrap();
                let [back, north] = chunk.inverse(place);
                let turn = (back - longitude + 180.0).rem_euclid(360.0) - 180.0;
                assert!(turn.abs() < 1e-4 && (north - latitude).abs() < 2e-6, "{longitude}: {back} {north}");
                // East and north are those of the meridian, beside the pole and farther down on it.
                let [beside, down] = [place, chunk.forward(longitude, latitude - 1e-3 * latitude.signum()).unwrap()];
                let [beside, down] = [beside, down].map(|place| chunk.axes_at(place));
                for (a, b) in beside.into_iter().flatten().zip(down.into_iter().flatten()) {
                    assert!((a - b).abs() < 2e-5, "{longitude}: {a} {b}");
                }
            }
            // A point of a slice may be the pole itself.
            let pole = [0.0, 0.0, latitude.signum()];
            let [x, y, _] = chunk.from_space(chunk.turned(pole).map(|along| EARTH_RADIUS * along));
            assert_eq!(chunk.inverse([x, y])[0], 0.0, "{centre:?}");
        }
    }

    #[test]
    fn places_on_the_other_side_are_refused() {
        let error = bolivia(Latitudes::Geocentric).forward(112.0, 14.0).unwrap_err().to_string();
        assert!(error.starts_with("distance from the centre of the chunk = 179."), "{error}");
        assert!(error.contains("it must be below 85 degrees"), "{error}");
        assert!(bolivia(Latitudes::Geocentric).forward(0.0, 91.0).is_err());
    }
}
