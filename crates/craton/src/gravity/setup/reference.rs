//! The reference surface of positions in longitude, latitude and height: a sphere or an ellipsoid.

use craton_gravity::{Ellipsoid, GravityError, Stations, Tesseroid};

use crate::gravity::config::{Config, ReferenceEllipsoid};
use crate::number::Number;

/// Lowest height above an ellipsoid [m].
const LOWEST: f64 = -6e6;

/// The surface at height 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reference {
    /// A sphere with this radius [m]; latitudes are geocentric.
    Sphere(f64),
    /// An ellipsoid; latitudes are geodetic, and heights along its normals.
    Ellipsoid(Ellipsoid),
}

impl ReferenceEllipsoid {
    /// The ellipsoid in the library.
    pub fn ellipsoid(self) -> Ellipsoid {
        match self {
            Self::Grs80 => Ellipsoid::GRS80,
            Self::Wgs84 => Ellipsoid::WGS84,
        }
    }
}

impl Reference {
    /// The reference surface of a problem.
    pub fn of(config: &Config) -> Self {
        match config.ellipsoid {
            Some(ellipsoid) => Self::Ellipsoid(ellipsoid.ellipsoid()),
            None => Self::Sphere(config.sphere.clone().unwrap_or_default().radius),
        }
    }

    /// Lowest allowed height [m].
    pub fn lowest(&self) -> f64 {
        match self {
            Self::Sphere(radius) => 0.0 - radius,
            Self::Ellipsoid(_) => LOWEST,
        }
    }

    /// What is wrong with a height below the lowest one.
    pub fn too_low(&self) -> &'static str {
        match self {
            Self::Sphere(_) => "below the centre of the sphere",
            Self::Ellipsoid(_) => "below the lowest geodetic height",
        }
    }

    /// Descriptions of latitudes and heights.
    pub fn names(&self) -> [String; 2] {
        match self {
            Self::Sphere(radius) => {
                let height = format!("height above a sphere with a radius of {} m", Number(*radius));
                ["geocentric latitude".to_owned(), height]
            }
            Self::Ellipsoid(Ellipsoid { name, .. }) => {
                [format!("geodetic latitude ({name})"), format!("height above the ellipsoid {name}")]
            }
        }
    }

    /// What heights refer to, as a hint.
    pub fn hint(&self) -> String {
        match self {
            Self::Sphere(radius) => format!("heights are above a sphere of radius {} m, see [sphere]", Number(*radius)),
            Self::Ellipsoid(ellipsoid) => {
                format!("heights are above the ellipsoid {}, see the key `ellipsoid`", ellipsoid.name)
            }
        }
    }

    /// The tesseroid of a cell, whose bottom and top are heights.
    ///
    /// # Errors
    /// Values outside the range of the library.
    pub fn tesseroid(&self, cell: Tesseroid) -> Result<Tesseroid, GravityError> {
        match self {
            Self::Sphere(radius) => Ok(Tesseroid { bottom: radius + cell.bottom, top: radius + cell.top, ..cell }),
            Self::Ellipsoid(ellipsoid) => Tesseroid::geodetic(&cell, ellipsoid),
        }
    }

    /// Latitudes [degrees] and heights [m] of a tesseroid; on an ellipsoid those of its parallels at height 0, approximately.
    pub fn extent(&self, tesseroid: &Tesseroid) -> [[f64; 2]; 2] {
        let Tesseroid { south, north, bottom, top, .. } = *tesseroid;
        match self {
            Self::Sphere(radius) => [[south, north], [bottom - radius, top - radius]],
            Self::Ellipsoid(ellipsoid) => {
                let squeezed = (1.0 - ellipsoid.flattening).powi(2);
                let geodetic = |latitude: f64| match latitude.abs() < 90.0 {
                    true => (latitude.to_radians().tan() / squeezed).atan().to_degrees(),
                    false => latitude,
                };
                let latitudes = [geodetic(south), geodetic(north)];
                let surface = ellipsoid.geocentric(0.5 * (latitudes[0] + latitudes[1]), 0.0).radius;
                [latitudes, [bottom - surface, top - surface]]
            }
        }
    }

    /// Stations at longitude, latitude [degrees] and height [m].
    ///
    /// # Errors
    /// A coordinate outside its range.
    pub fn stations(&self, places: impl Iterator<Item = [f64; 3]>) -> Result<Stations, GravityError> {
        match self {
            Self::Sphere(radius) => {
                Stations::new(places.map(|[longitude, latitude, height]| [longitude, latitude, radius + height]))
            }
            Self::Ellipsoid(ellipsoid) => Stations::geodetic(places, ellipsoid),
        }
    }
}
