//! Model coordinates on the sphere: of a chunk, and of the whole globe.
//!
//! Model coordinates are x and y, angles times the radius, and z, the height above the sphere or ellipsoid. *Space* has Cartesian coordinates X, Y, Z from the
//! centre of the Earth \[m\]; the mesh is in space.
//!
//! - In a chunk, x and y are angles from its centre: lines of equal x and of equal y are great circles, equally spaced along the centre lines (the
//!   equiangular gnomonic projection of Ronchi, Iacono & Paolucci 1996, J. Comput. Phys. 124). Z passes through the centre of the chunk and Y points
//!   towards its rotated north.
//! - On the globe, x is the longitude and y the geocentric latitude.

use std::f64::consts::FRAC_PI_2;

use super::ellipsoid::FLATTENING;
use super::ellipticity;
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
    /// Whether surfaces of equal z are ellipsoids.
    is_elliptical: bool,
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
        Ok(Self { axes, latitudes, coordinates: Coordinates::Gnomonic, is_elliptical: false })
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

    /// Makes surfaces of equal z ellipsoids: those of the hydrostatic figure of the Earth. Then z is the height above the
    /// ellipsoid of the surface, and a surface keeps its volume.
    pub fn elliptical(self) -> Self {
        Self { is_elliptical: true, ..self }
    }

    /// Whether surfaces of equal z are ellipsoids.
    pub fn is_elliptical(&self) -> bool {
        self.is_elliptical
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
        self.flattened(self.direction([x, y]).map(|along| (EARTH_RADIUS + z) * along))
    }

    /// Moves a position \[m\] of the spherical Earth along its radius to the position of the same z in the elliptical Earth, if this is elliptical.
    pub fn flattened(&self, position: [f64; 3]) -> [f64; 3] {
        if !self.is_elliptical {
            return position;
        }
        let radius = length(position);
        let stretch = ellipticity::stretch(radius, self.towards_pole(position, radius));
        position.map(|x| stretch * x)
    }

    /// Sine of the geocentric latitude of a position at a distance from the centre.
    fn towards_pole(&self, position: [f64; 3], radius: f64) -> f64 {
        let along: f64 = (0..3).map(|i| self.axes[i][2] * position[i]).sum();
        if radius == 0.0 { 0.0 } else { along / radius }
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

    /// Height above the sphere or ellipsoid of a position in space \[m\]. Cheaper than [`Self::from_space`], which also computes the angles.
    pub fn height(&self, position: [f64; 3]) -> f64 {
        let radius = length(position);
        if !self.is_elliptical {
            return radius - EARTH_RADIUS;
        }
        ellipticity::mean_radius(radius, self.towards_pole(position, radius)) - EARTH_RADIUS
    }

    /// Unit vectors to the east, to the north and up at model x, y \[m\], in space; up is along the radius, or perpendicular to the ellipsoid.
    /// Verified by `axes_point_to_increasing_longitude_and_latitude`, `up_is_perpendicular_to_the_ellipsoid`.
    pub fn axes_at(&self, place: [f64; 2]) -> [[f64; 3]; 3] {
        let [longitude, latitude] = self.inverse(place);
        let geocentric = geocentric(latitude, self.latitudes);
        let tilted = if self.is_elliptical { map_latitude(geocentric, Latitudes::Geographic) } else { geocentric };
        local_axes(longitude, tilted).map(|axis| self.geocentric_to_local(axis))
    }

    /// Unit vectors to the east, to the north and along the radius at model x, y \[m\], in space; the same as [`Self::axes_at`] on the sphere.
    pub fn radial_axes_at(&self, place: [f64; 2]) -> [[f64; 3]; 3] {
        let [longitude, latitude] = self.inverse(place);
        local_axes(longitude, geocentric(latitude, self.latitudes)).map(|axis| self.geocentric_to_local(axis))
    }

    /// Largest radius \[m\] of the surface at a height z \[m\].
    pub fn largest_radius(&self, z: f64) -> f64 {
        EARTH_RADIUS * self.spread(z)
    }

    /// Factor by which horizontal lengths at the centre lines of a chunk exceed model lengths at a height z \[m\]; elsewhere they are shorter.
    pub fn spread(&self, z: f64) -> f64 {
        let radius = EARTH_RADIUS + z;
        let stretch = if self.is_elliptical { ellipticity::stretch(radius, 0.0) } else { 1.0 };
        stretch * radius / EARTH_RADIUS
    }

    /// Converts a vector from geocentric axes to space.
    fn geocentric_to_local(&self, vector: [f64; 3]) -> [f64; 3] {
        self.axes.map(|axis| (0..3).map(|i| axis[i] * vector[i]).sum())
    }
}

fn length([x, y, z]: [f64; 3]) -> f64 {
    (x * x + y * y + z * z).sqrt()
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
mod tests;
