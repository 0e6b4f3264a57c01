//! Boxes given by longitudes and latitudes.

use craton_model::ModelError;
use craton_model::geodesy::{self, LocalFrame};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Azimuthal, GeographicPoint, Projection, Utm};

/// A box on the map, either by its limits `longitude` and `latitude` or by its `centre` and `widths`. Craton puts x = 0, y = 0 at its centre.
/// `craton check` prints the box.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct GeographicBox {
    /// Western and eastern limits [degrees]; with `latitude`. The box contains the whole range.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = -180.0, max = 360.0)), extend("examples" = [[10.5, 11.5]]))]
    pub longitude: Option<[f64; 2]>,
    /// Southern and northern limits [degrees].
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = -90.0, max = 90.0)), extend("examples" = [[45.7, 46.3]]))]
    pub latitude: Option<[f64; 2]>,
    /// Centre of the box; with `widths`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub centre: Option<GeographicPoint>,
    /// Widths along x and y [m]; without `azimuth`, to the east and to the north.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(inner(range(min = 1.0, max = 5e6)), extend("examples" = [[60e3, 40e3]]))]
    pub widths: Option<[f64; 2]>,
    /// Azimuth of the y axis at the centre, clockwise from north [degrees]; with `centre`. It requires the azimuthal projection.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = -360.0, max = 360.0), example = 30.0)]
    pub azimuth: Option<f64>,
    /// The projection; by default UTM in the zone of the centre, and azimuthal with `azimuth` and in polar regions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub projection: Option<MapOfBox>,
}

/// The projection of a box on the map.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MapOfBox {
    /// The UTM zone of the centre.
    Utm,
    /// Azimuthal equidistant around the centre.
    Azimuthal,
}

/// A box on a map.
pub struct Projected {
    /// Western and eastern limits [m].
    pub x: [f64; 2],
    /// Southern and northern limits [m].
    pub y: [f64; 2],
    /// Its projection, with the origin at the centre of the box.
    pub projection: Projection,
}

/// Latitudes without a UTM zone are outside these [degrees].
const UTM: [f64; 2] = [-80.0, 84.0];

/// Points along each side at which the limits of a range of degrees are projected.
const ALONG: usize = 64;

impl GeographicBox {
    /// Whether it has either limits or a centre and widths, in ascending order; an azimuth only with a centre and not with UTM.
    pub fn is_complete(&self) -> bool {
        let is_turned = self.azimuth.is_some();
        if is_turned && (self.centre.is_none() || self.projection == Some(MapOfBox::Utm)) {
            return false;
        }
        match (self.longitude, self.latitude, self.centre, self.widths) {
            (Some([west, east]), Some([south, north]), None, None) => west < east && south < north,
            (None, None, Some(_), Some(_)) => true,
            _ => false,
        }
    }

    /// The box in its projection.
    ///
    /// # Errors
    /// A place that the projection cannot represent.
    /// # Panics
    /// If the box is not complete.
    pub fn projected(&self) -> Result<Projected, ModelError> {
        let middle = |[low, high]: [f64; 2]| 0.5 * (low + high);
        let ranges = self.longitude.zip(self.latitude);
        let centre = match ranges {
            Some((longitude, latitude)) => GeographicPoint { longitude: middle(longitude), latitude: middle(latitude) },
            None => self.centre.expect("a complete box"),
        };
        let is_polar = !(UTM[0]..=UTM[1]).contains(&centre.latitude);
        let default = if self.azimuth.is_some() || is_polar { MapOfBox::Azimuthal } else { MapOfBox::Utm };
        let (frame, projection) = match self.projection.unwrap_or(default) {
            MapOfBox::Utm => {
                let (zone, south) = (geodesy::Utm::zone_of(centre.longitude), centre.latitude < 0.0);
                let frame = LocalFrame::centred(geodesy::Utm::new(zone, south)?, centre.longitude, centre.latitude)?;
                (frame, Projection::Utm(Utm { zone, south, origin: Some(centre) }))
            }
            MapOfBox::Azimuthal => {
                let azimuth = self.azimuth.unwrap_or(0.0);
                let map = geodesy::Azimuthal::new(centre.longitude, centre.latitude, azimuth)?;
                let frame = LocalFrame::new(geodesy::Projection::Azimuthal(map), [0.0; 2])?;
                (frame, Projection::Azimuthal(Azimuthal { origin: centre, azimuth }))
            }
        };
        let mut ends = [[f64::INFINITY, f64::NEG_INFINITY]; 2];
        match ranges {
            Some(([west, east], [south, north])) => {
                for step in 0..=ALONG {
                    let share = step as f64 / ALONG as f64;
                    let along = [west + share * (east - west), south + share * (north - south)];
                    let places = [[along[0], south], [along[0], north], [west, along[1]], [east, along[1]]];
                    for [longitude, latitude] in places {
                        let place = frame.to_model(longitude, latitude)?;
                        for (end, at) in ends.iter_mut().zip(place) {
                            *end = [end[0].min(at), end[1].max(at)];
                        }
                    }
                }
            }
            None => ends = self.widths.expect("a complete box").map(|width| [-0.5 * width, 0.5 * width]),
        }
        // Whole metres outwards, so that the limits are readable.
        let [x, y] = ends.map(|[low, high]| [low.floor(), high.ceil()]);
        Ok(Projected { x, y, projection })
    }
}
