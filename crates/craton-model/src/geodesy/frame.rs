//! From the map to model coordinates and back.

use std::fmt;

use super::{CubedSphere, Latitudes, Utm};
use crate::check::finite;
use crate::{ElevationGrid, ModelError};

/// Longitudes this far from the central meridian \[degrees\] lie outside the zone and its neighbours' overlap.
const COMFORTABLE_OFFSET: f64 = 6.0;

/// How places on the map become metres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Projection {
    /// Places are x and y in metres already.
    None,
    /// Places are longitudes and latitudes in degrees.
    Utm(Utm),
    /// Places are longitudes and latitudes in degrees, on a piece of the sphere.
    CubedSphere(CubedSphere),
}

/// A projection and the place on it that model coordinates count from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LocalFrame {
    projection: Projection,
    origin: [f64; 2],
}

/// A longitude far from the zone it is projected in, where distances are stretched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OutsideZone {
    /// The longitude \[degrees\].
    pub longitude: f64,
    /// The zone it is projected in.
    pub zone: Utm,
}

impl fmt::Display for OutsideZone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "longitude {} lies {:.1} degrees from {}, the central meridian of UTM zone {}, where distances are stretched; \
             zone {} would fit better",
            (self.longitude * 1e4).round() / 1e4,
            self.zone.offset(self.longitude).abs(),
            self.zone.central_meridian(),
            self.zone.zone(),
            Utm::zone_of(self.longitude),
        )
    }
}

impl LocalFrame {
    /// A frame.
    ///
    /// # Arguments
    /// * `projection` – how places become metres
    /// * `origin` – projected x, y of the model's origin \[m\], so that model coordinates stay small
    /// # Errors
    /// An origin that is not a number.
    pub fn new(projection: Projection, origin: [f64; 2]) -> Result<Self, ModelError> {
        finite("x of the origin", origin[0], "m")?;
        finite("y of the origin", origin[1], "m")?;
        Ok(Self { projection, origin })
    }

    /// A UTM frame whose origin is a longitude and latitude \[degrees\].
    ///
    /// # Errors
    /// As [`Utm::forward`].
    pub fn centred(zone: Utm, longitude: f64, latitude: f64) -> Result<Self, ModelError> {
        let origin = zone.forward(longitude, latitude)?;
        Self::new(Projection::Utm(zone), origin)
    }

    /// The frame of a piece of the sphere, whose centre is the origin.
    pub fn on_sphere(chunk: CubedSphere) -> Self {
        Self { projection: Projection::CubedSphere(chunk), origin: [0.0; 2] }
    }

    /// The same frame for a map whose latitudes are something else; on a piece of the sphere alone it differs.
    pub fn with_latitudes(self, latitudes: Latitudes) -> Self {
        match self.projection {
            Projection::CubedSphere(chunk) => Self::on_sphere(chunk.with_latitudes(latitudes)),
            Projection::None | Projection::Utm(_) => self,
        }
    }

    /// The piece of the sphere that model coordinates are bent to; `None` where they are straight.
    pub fn chunk(&self) -> Option<&CubedSphere> {
        match &self.projection {
            Projection::CubedSphere(chunk) => Some(chunk),
            _ => None,
        }
    }

    /// A position in model coordinates \[m\], in the coordinates of the mesh: the same, or bent to the sphere.
    pub fn to_space(&self, position: [f64; 3]) -> [f64; 3] {
        self.chunk().map_or(position, |chunk| chunk.to_space(position))
    }

    /// A position in the coordinates of the mesh, in model coordinates \[m\].
    pub fn from_space(&self, position: [f64; 3]) -> [f64; 3] {
        self.chunk().map_or(position, |chunk| chunk.from_space(position))
    }

    /// The height \[m\], z in model coordinates, of a position in the coordinates of the mesh.
    pub fn height(&self, position: [f64; 3]) -> f64 {
        self.chunk().map_or(position[2], |chunk| chunk.height(position))
    }

    /// Unit vectors to the east, to the north and up at model x, y \[m\], along the axes of the mesh.
    pub fn axes_at(&self, place: [f64; 2]) -> [[f64; 3]; 3] {
        const STRAIGHT: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        self.chunk().map_or(STRAIGHT, |chunk| chunk.axes_at(place))
    }

    /// Its projection.
    pub fn projection(&self) -> Projection {
        self.projection
    }

    /// Projected x, y of the model's origin \[m\].
    pub fn origin(&self) -> [f64; 2] {
        self.origin
    }

    /// Whether places are longitudes and latitudes.
    pub fn is_geographic(&self) -> bool {
        self.projection != Projection::None
    }

    /// Model x, y \[m\] of a longitude and latitude \[degrees\], or of a map x and y \[m\] where there is no
    /// projection.
    ///
    /// # Errors
    /// As [`Utm::forward`]; a coordinate that is not a number.
    pub fn to_model(&self, longitude_or_x: f64, latitude_or_y: f64) -> Result<[f64; 2], ModelError> {
        let [x, y] = match self.projection {
            Projection::None => [finite("x", longitude_or_x, "m")?, finite("y", latitude_or_y, "m")?],
            Projection::Utm(zone) => zone.forward(longitude_or_x, latitude_or_y)?,
            Projection::CubedSphere(chunk) => chunk.forward(longitude_or_x, latitude_or_y)?,
        };
        Ok([x - self.origin[0], y - self.origin[1]])
    }

    /// Longitude and latitude \[degrees\], or map x and y \[m\] where there is no projection, of model x, y \[m\].
    pub fn to_map(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [x, y] = [x + self.origin[0], y + self.origin[1]];
        match self.projection {
            Projection::None => [x, y],
            Projection::Utm(zone) => zone.inverse(x, y),
            Projection::CubedSphere(chunk) => chunk.inverse([x, y]),
        }
    }

    /// What to tell about a longitude more than 6 degrees from the central meridian of the zone.
    pub fn warning(&self, longitude: f64) -> Option<OutsideZone> {
        match self.projection {
            Projection::Utm(zone) if zone.offset(longitude).abs() > COMFORTABLE_OFFSET => {
                Some(OutsideZone { longitude, zone })
            }
            _ => None,
        }
    }

    /// A grid whose coordinates are those of the map (degrees, or metres without projection) as a grid in model
    /// coordinates. Longitudes may count from any meridian on, as from 0 to 360 degrees; a grid all around the Earth has no edge in the east and west.
    /// Verified by `longitudes_count_from_any_meridian`.
    ///
    /// # Arguments
    /// * `map` – the grid of the map
    /// * `x`, `y` – first and last model coordinate to cover \[m\]
    /// * `spacing` – largest distance of its points \[m\]; that of the map's points keeps all its detail
    /// # Errors
    /// A domain that the map does not cover, with the place that is missing.
    pub fn resample(
        &self,
        map: &ElevationGrid,
        x: [f64; 2],
        y: [f64; 2],
        spacing: f64,
    ) -> Result<ElevationGrid, ModelError> {
        let closed = if self.is_geographic() { map.closed_around_the_earth() } else { None };
        let map = closed.as_ref().unwrap_or(map);
        let ranges = [map.x_range(), map.y_range()];
        // Longitudes are counted as the grid does, up to half a turn from its middle.
        let west = 0.5 * (ranges[0][0] + ranges[0][1]) - 180.0;
        ElevationGrid::from_function(x, y, spacing, |x, y| {
            let mut place = self.to_map([x, y]);
            if self.is_geographic() {
                place[0] = west + (place[0] - west).rem_euclid(360.0);
            }
            for (axis, (value, [from, to])) in place.into_iter().zip(ranges).enumerate() {
                let slack = 1e-6 * map.spacing(axis);
                crate::check::require(
                    (from - slack..=to + slack).contains(&value),
                    ["map coordinate longitude (or x)", "map coordinate latitude (or y)"][axis],
                    value,
                    format!("between {from} and {to}, where the grid is known"),
                    format!("it is needed at x = {x}, y = {y} m of the model; extend the grid or shrink the domain"),
                )?;
            }
            Ok(map.elevation(place[0], place[1]))
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
    fn the_origin_is_the_origin_and_the_way_back_returns() {
        let frame = bolivia();
        assert_eq!(frame.to_model(-67.25, -13.82).unwrap(), [0.0, 0.0]);
        let [x, y] = frame.to_model(-67.0, -14.0).unwrap();
        assert!((x - 26_861.0).abs() < 300.0 && (y + 20_100.0).abs() < 300.0, "{x} {y}");
        let [longitude, latitude] = frame.to_map([x, y]);
        assert!((longitude + 67.0).abs() < 1e-12 && (latitude + 14.0).abs() < 1e-12);
    }

    #[test]
    fn without_projection_places_are_only_shifted() {
        let frame = LocalFrame::new(Projection::None, [100.0, 200.0]).unwrap();
        assert_eq!(frame.to_model(150.0, 150.0).unwrap(), [50.0, -50.0]);
        assert_eq!(frame.to_map([50.0, -50.0]), [150.0, 150.0]);
        assert!(!frame.is_geographic());
        assert!(frame.to_model(f64::NAN, 0.0).is_err());
    }

    #[test]
    fn longitudes_far_from_the_zone_are_told() {
        assert_eq!(bolivia().warning(-64.0), None);
        assert_eq!(
            bolivia().warning(-60.0).unwrap().to_string(),
            "longitude -60 lies 9.0 degrees from -69, the central meridian of UTM zone 19, where distances are stretched; \
             zone 21 would fit better"
        );
    }

    #[test]
    fn longitudes_count_from_any_meridian() {
        // 180 degrees and Greenwich lie within: the chunk's own longitudes jump there, or those of a grid begin.
        for (centre, width) in [(-179.0, 2.0), (179.5, 2.0), (0.3, 2.0), (-67.0, 12.0)] {
            let chunk = CubedSphere::new(centre, 10.0, 30.0, Latitudes::Geographic).unwrap();
            let frame = LocalFrame::on_sphere(chunk);
            let height = |longitude: f64, latitude: f64| 1e3 * longitude.to_radians().sin() + 10.0 * latitude;
            let half = 110e3 * width / 2.0;
            let sides = [-half, half];
            let sampled = |west: f64, east: f64| {
                // Points are half a degree apart, and the last is the first one again, or its neighbour.
                let grid = ElevationGrid::from_function([west, east], [-10.0, 30.0], 0.5, |a, b| Ok(height(a, b)));
                frame.resample(&grid.unwrap(), sides, sides, 20e3)
            };
            let around =
                [(0.0, 360.0), (0.0, 359.5), (-180.0, 180.0), (-180.0, 179.5), (-179.75, 179.75), (-30.0, 329.5)];
            // A part of the Earth, counted from either meridian.
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
