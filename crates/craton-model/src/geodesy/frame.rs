//! Conversion between map and model coordinates.

use std::fmt;

use super::{Azimuthal, EARTH_RADIUS, Latitudes, Sphere, Utm};
use crate::check::{finite, readable};
use crate::{ElevationGrid, ModelError};

/// Largest distance from the central meridian \[degrees\] without a warning: beyond it lies neither the zone nor its overlap with the
/// neighbours.
const WARNING_OFFSET: f64 = 6.0;

/// A grid in degrees is averaged where the new points are farther apart than its own by this factor.
const FINER: f64 = 1.5;

/// The projection from map coordinates to metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Projection {
    /// Map coordinates are x and y in metres.
    None,
    /// Map coordinates are longitudes and latitudes in degrees, projected by UTM.
    Utm(Utm),
    /// Map coordinates are longitudes and latitudes in degrees, projected by distance and direction from a centre.
    Azimuthal(Azimuthal),
    /// Map coordinates are longitudes and latitudes in degrees, on a chunk of the sphere or on the globe.
    Sphere(Sphere),
}

/// A projection and the origin of model coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalFrame {
    projection: Projection,
    origin: [f64; 2],
}

/// A warning: a longitude far from its UTM zone, where the projection distorts distances.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutsideZone {
    /// The longitude \[degrees\].
    pub longitude: f64,
    /// The zone used.
    pub zone: Utm,
}

impl fmt::Display for OutsideZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "longitude {} is {:.1} degrees from {}, the central meridian of UTM zone {}, where distances are distorted; \
             use zone {}",
            (self.longitude * 1e4).round() / 1e4,
            self.zone.offset(self.longitude).abs(),
            self.zone.central_meridian(),
            self.zone.zone(),
            Utm::zone_of(self.longitude),
        )
    }
}

impl LocalFrame {
    /// Creates a frame.
    ///
    /// # Arguments
    /// * `projection` – projection from map coordinates to metres
    /// * `origin` – projected x, y of the origin of the model \[m\], which keeps model coordinates small
    /// # Errors
    /// An origin that is not finite.
    pub fn new(projection: Projection, origin: [f64; 2]) -> Result<Self, ModelError> {
        finite("x of the origin", origin[0], "m")?;
        finite("y of the origin", origin[1], "m")?;
        Ok(Self { projection, origin })
    }

    /// Creates a UTM frame with its origin at a longitude and latitude \[degrees\].
    ///
    /// # Errors
    /// As [`Utm::forward`].
    pub fn centred(zone: Utm, longitude: f64, latitude: f64) -> Result<Self, ModelError> {
        let origin = zone.forward(longitude, latitude)?;
        Self::new(Projection::Utm(zone), origin)
    }

    /// Creates the frame of a chunk of the sphere, with its origin at the centre of the chunk, or of the globe.
    pub fn on_sphere(chunk: Sphere) -> Self {
        Self { projection: Projection::Sphere(chunk), origin: [0.0; 2] }
    }

    /// Returns the same frame for latitudes of another meaning; this only affects frames on the sphere.
    pub fn with_latitudes(self, latitudes: Latitudes) -> Self {
        match self.projection {
            Projection::Sphere(chunk) => Self::on_sphere(chunk.with_latitudes(latitudes)),
            Projection::None | Projection::Utm(_) | Projection::Azimuthal(_) => self,
        }
    }

    /// The chunk of the sphere, or the globe, that the model is mapped to; `None` for a Cartesian model.
    pub fn sphere(&self) -> Option<&Sphere> {
        match &self.projection {
            Projection::Sphere(chunk) => Some(chunk),
            _ => None,
        }
    }

    /// Whether the model is the whole globe.
    pub fn is_globe(&self) -> bool {
        self.sphere().is_some_and(Sphere::is_globe)
    }

    /// Converts a position from model coordinates to mesh coordinates \[m\]; they differ only on the sphere.
    pub fn to_space(&self, position: [f64; 3]) -> [f64; 3] {
        self.sphere().map_or(position, |chunk| chunk.to_space(position))
    }

    /// Converts a position from mesh coordinates to model coordinates \[m\].
    pub fn from_space(&self, position: [f64; 3]) -> [f64; 3] {
        self.sphere().map_or(position, |chunk| chunk.from_space(position))
    }

    /// Height z in model coordinates \[m\] of a position in mesh coordinates.
    pub fn height(&self, position: [f64; 3]) -> f64 {
        self.sphere().map_or(position[2], |chunk| chunk.height(position))
    }

    /// Unit vectors to the east, to the north and up at model x, y \[m\], along the axes of the mesh; with UTM, east and north of the map grid,
    /// see [`Self::convergence`]; with an azimuthal projection, those of the ellipsoid.
    pub fn axes_at(&self, place: [f64; 2]) -> [[f64; 3]; 3] {
        const STRAIGHT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        match &self.projection {
            Projection::None | Projection::Utm(_) => STRAIGHT,
            Projection::Azimuthal(map) => map.axes_at(place),
            Projection::Sphere(chunk) => chunk.axes_at(place),
        }
    }

    /// Azimuth of the second axis of [`Self::axes_at`] at model x, y \[m\], clockwise from true north \[degrees\]: the meridian convergence of
    /// UTM; 0 on the sphere and with an azimuthal projection, where that axis is true north, and without a projection.
    pub fn convergence(&self, place: [f64; 2]) -> f64 {
        let Projection::Utm(zone) = self.projection else { return 0.0 };
        let [longitude, latitude] = self.to_map(place);
        zone.convergence(longitude, latitude)
    }

    /// Azimuth of the y axis of the mesh at model x, y \[m\], clockwise from true north \[degrees\]; from y without a projection.
    pub fn azimuth_of_y(&self, place: [f64; 2]) -> f64 {
        let [east, north, _] = self.axes_at(place);
        east[1].atan2(north[1]).to_degrees() + self.convergence(place)
    }

    /// The projection.
    pub fn projection(&self) -> Projection {
        self.projection
    }

    /// Projected x, y of the origin of the model \[m\].
    pub fn origin(&self) -> [f64; 2] {
        self.origin
    }

    /// Whether map coordinates are longitudes and latitudes.
    pub fn is_geographic(&self) -> bool {
        self.projection != Projection::None
    }

    /// Converts a longitude and latitude \[degrees\], or a map x and y \[m\] without a projection, to model x, y \[m\].
    ///
    /// # Errors
    /// As [`Utm::forward`]; a coordinate that is not finite.
    pub fn to_model(&self, longitude_or_x: f64, latitude_or_y: f64) -> Result<[f64; 2], ModelError> {
        let [x, y] = match self.projection {
            Projection::None => [finite("x", longitude_or_x, "m")?, finite("y", latitude_or_y, "m")?],
            Projection::Utm(zone) => zone.forward(longitude_or_x, latitude_or_y)?,
            Projection::Azimuthal(map) => map.forward(longitude_or_x, latitude_or_y)?,
            Projection::Sphere(chunk) => chunk.forward(longitude_or_x, latitude_or_y)?,
        };
        Ok([x - self.origin[0], y - self.origin[1]])
    }

    /// Converts model x, y \[m\] to longitude and latitude \[degrees\], or to map x and y \[m\] without a projection.
    pub fn to_map(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [x, y] = [x + self.origin[0], y + self.origin[1]];
        match self.projection {
            Projection::None => [x, y],
            Projection::Utm(zone) => zone.inverse(x, y),
            Projection::Azimuthal(map) => map.inverse([x, y]),
            Projection::Sphere(chunk) => chunk.inverse([x, y]),
        }
    }

    /// Returns a warning for a longitude more than 6 degrees from the central meridian of the zone.
    pub fn warning(&self, longitude: f64) -> Option<OutsideZone> {
        match self.projection {
            Projection::Utm(zone) if zone.offset(longitude).abs() > WARNING_OFFSET => {
                Some(OutsideZone { longitude, zone })
            }
            _ => None,
        }
    }

    /// Resamples a grid from map coordinates (degrees, or metres without a projection) to model coordinates. Longitudes may start at any
    /// meridian, for example 0 to 360 degrees; a grid that covers all longitudes is treated as periodic. A grid in degrees may end one spacing from a
    /// pole, and if it is finer than the new points, it is averaged over their distance. Verified by `longitudes_may_start_at_any_meridian`,
    /// `a_grid_of_the_whole_earth_covers_the_poles`.
    ///
    /// # Arguments
    /// * `map` – the grid of the map
    /// * `x`, `y` – first and last model coordinate to cover \[m\]
    /// * `spacing` – largest distance between points \[m\]; the spacing of the map keeps all of its detail
    /// # Errors
    /// A domain that the map does not cover, with a position outside the map.
    pub fn resample(
        &self,
        map: &ElevationGrid,
        x: [f64; 2],
        y: [f64; 2],
        spacing: f64,
    ) -> Result<ElevationGrid, ModelError> {
        let own = map.spacing(0).max(map.spacing(1)).to_radians() * EARTH_RADIUS;
        let averaged = (self.is_geographic() && spacing > FINER * own)
            .then(|| map.averaged((spacing / EARTH_RADIUS).to_degrees()));
        let map = averaged.as_ref().unwrap_or(map);
        let closed = if self.is_geographic() { map.extended_periodically() } else { None };
        let map = closed.as_ref().unwrap_or(map);
        let ranges = [map.x_range(), map.y_range()];
        // Shift longitudes to within 180 degrees of the middle of the grid.
        let west = 0.5 * (ranges[0][0] + ranges[0][1]) - 180.0;
        ElevationGrid::from_function(x, y, spacing, |x, y| {
            let mut place = self.to_map([x, y]);
            if self.is_geographic() {
                place[0] = west + (place[0] - west).rem_euclid(360.0);
            }
            for (axis, (value, range @ [from, to])) in place.into_iter().zip(ranges).enumerate() {
                let to_pole = axis == 1 && self.is_geographic() && value.abs() + map.spacing(1) > 90.0;
                let slack = if to_pole { 1.0 + 1e-6 } else { 1e-6 } * map.spacing(axis);
                crate::check::require(
                    (from - slack..=to + slack).contains(&value),
                    ["map coordinate longitude (or x)", "map coordinate latitude (or y)"][axis],
                    value,
                    format!("between {} and {}, the range of the grid", readable(range[0]), readable(range[1])),
                    format!(
                        "the model needs it at x = {}, y = {} m; extend the grid or shrink the domain",
                        readable(x),
                        readable(y)
                    ),
                )?;
            }
            Ok(if closed.is_some() {
                map.elevation_around_earth(place[0], place[1])
            } else {
                map.elevation(place[0], place[1])
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bolivia() -> LocalFrame {
        LocalFrame::centred(Utm::new(19, true).unwrap(), -67.25, -13.82).unwrap()
    }

    #[test]
    fn the_origin_maps_to_zero_and_positions_survive_a_round_trip() {
        let frame = bolivia();
        assert_eq!(frame.to_model(-67.25, -13.82).unwrap(), [0.0, 0.0]);
        let [x, y] = frame.to_model(-67.0, -14.0).unwrap();
        assert!((x - 26_861.0).abs() < 300.0 && (y + 20_100.0).abs() < 300.0, "{x} {y}");
        let [longitude, latitude] = frame.to_map([x, y]);
        assert!((longitude + 67.0).abs() < 1e-12 && (latitude + 14.0).abs() < 1e-12);
    }

    #[test]
    fn without_projection_positions_are_only_shifted() {
        let frame = LocalFrame::new(Projection::None, [100.0, 200.0]).unwrap();
        assert_eq!(frame.to_model(150.0, 150.0).unwrap(), [50.0, -50.0]);
        assert_eq!(frame.to_map([50.0, -50.0]), [150.0, 150.0]);
        assert!(!frame.is_geographic());
        assert!(frame.to_model(f64::NAN, 0.0).is_err());
    }

    #[test]
    fn longitudes_far_from_the_zone_cause_a_warning() {
        assert_eq!(bolivia().warning(-64.0), None);
        assert_eq!(
            bolivia().warning(-60.0).unwrap().to_string(),
            "longitude -60 is 9.0 degrees from -69, the central meridian of UTM zone 19, where distances are distorted; \
             use zone 21"
        );
    }

    #[test]
    fn longitudes_may_start_at_any_meridian() {
        // The chunks contain longitude 180 or 0, where the longitudes of the chunk jump or those of a grid start.
        for (centre, width) in [(-179.0, 2.0), (179.5, 2.0), (0.3, 2.0), (-67.0, 12.0)] {
            let chunk = Sphere::chunk(centre, 10.0, 30.0, Latitudes::Geographic).unwrap();
            let frame = LocalFrame::on_sphere(chunk);
            let height = |longitude: f64, latitude: f64| 1e3 * longitude.to_radians().sin() + 10.0 * latitude;
            let half = 110e3 * width / 2.0;
            let sides = [-half, half];
            let sampled = |west: f64, east: f64| {
                // Points are half a degree apart; the last one equals the first or is its neighbour.
                let grid = ElevationGrid::from_function([west, east], [-10.0, 30.0], 0.5, |a, b| Ok(height(a, b)));
                frame.resample(&grid.unwrap(), sides, sides, 20e3)
            };
            let around =
                [(0.0, 360.0), (0.0, 359.5), (-180.0, 180.0), (-180.0, 179.5), (-179.75, 179.75), (-30.0, 329.5)];
            // A part of the Earth, with longitudes starting at either meridian.
            let part = [centre - 15.0, centre + 345.0, centre - 375.0].map(|west| (west, west + 30.0));
            for (west, east) in around.into_iter().chain(part) {
                let grid = sampled(west, east).unwrap();
                for [x, y] in [[0.0, 0.0], [0.9 * half, -0.8 * half], [-0.9 * half, 0.3 * half]] {
                    let [longitude, latitude] = frame.to_map([x, y]);
                    let off = grid.elevation(x, y) - height(longitude, latitude);
                    assert!(off.abs() < 2e-2, "{west} to {east}, around {centre}: {off} m");
                }
            }
            let error = sampled(centre + 20.0, centre + 60.0).unwrap_err().to_string();
            assert!(error.contains("map coordinate longitude (or x)") && error.contains("extend the grid"), "{error}");
        }
    }

    #[test]
    fn a_grid_of_the_whole_earth_covers_the_poles() {
        let frame = LocalFrame::on_sphere(Sphere::globe(0.0, 90.0, 0.0, Latitudes::Geocentric).unwrap());
        let half = std::f64::consts::PI * EARTH_RADIUS;
        let (x, y) = ([-half, half], [-0.5 * half, 0.5 * half]);
        let of = |latitudes| {
            let height = |_: f64, latitude: f64| Ok(1000.0 * latitude.to_radians().sin());
            let map = ElevationGrid::from_function([-179.5, 179.5], latitudes, 1.0, height).unwrap();
            frame.resample(&map, x, y, 220e3)
        };
        let grid = of([-89.5, 89.5]).unwrap();
        assert!((grid.elevation(0.0, 0.5 * half) - 1000.0).abs() < 1.0 && grid.elevation(half, 0.0).abs() < 1.0);
        assert!(of([-89.5, 80.0]).is_err());
    }

    #[test]
    fn a_grid_in_degrees_becomes_one_in_metres() {
        let height = |longitude: f64, latitude: f64| 1000.0 + 100.0 * (longitude + 67.25) + 50.0 * (latitude + 13.82);
        let degrees =
            ElevationGrid::from_function([-68.0, -66.0], [-15.0, -13.0], 0.1, |lon, lat| Ok(height(lon, lat)));
        let degrees = degrees.unwrap();
        let metres = bolivia().resample(&degrees, [-2e4, 2e4], [-2e4, 2e4], 1000.0).unwrap();
        let [longitude, latitude] = bolivia().to_map([7300.0, -4100.0]);
        assert!((metres.elevation(7300.0, -4100.0) - height(longitude, latitude)).abs() < 1e-5);
        let error = bolivia().resample(&degrees, [-2e5, 2e4], [-2e4, 2e4], 1000.0).unwrap_err();
        assert!(error.to_string().contains("between -68 and -66"), "{error}");
    }
}
