//! Tesseroids and stations in geodetic coordinates: latitude and height of a reference ellipsoid.

use super::{Stations, Tesseroid, Tesseroids};
use crate::{Ellipsoid, GravityError, Points};

/// Lowest height above the ellipsoid [m]: well above the centres of curvature of the meridian.
const LOWEST: f64 = -6e6;

impl Tesseroid {
    /// The tesseroid that represents a cell between geodetic parallels and heights above an ellipsoid.
    ///
    /// Parallels are converted to geocentric latitudes at the mean height of the cell, and heights to radii at its mean latitude. The density is scaled so that
    /// the mass is that of the cell. What remains is the inclination of the cell, up to 0.19 degrees: its faces are along the sphere instead of along the
    /// ellipsoid. The error of the sum of many cells decreases with the square of their size. Verified by
    /// `geodetic::a_homogeneous_ellipsoidal_shell_has_its_closed_form`.
    ///
    /// # Arguments
    /// * `cell` – with geodetic latitudes as `south` and `north`, and heights above the ellipsoid as `bottom` and `top`
    /// # Errors
    /// [`GravityError::OfTesseroid`] for a height below -6000 km, and as [`Tesseroids::new`], with the number 0.
    pub fn geodetic(cell: &Self, ellipsoid: &Ellipsoid) -> Result<Self, GravityError> {
        for (what, value) in [("bottom", cell.bottom), ("top", cell.top)] {
            if !(LOWEST..=1e12).contains(&value) {
                return Err(GravityError::OfTesseroid { tesseroid: 0, what, value, least: LOWEST, most: 1e12 });
            }
        }
        Self { bottom: 0.0, top: 1.0, ..*cell }.check(0)?;
        let [height, latitude] = [0.5 * (cell.bottom + cell.top), 0.5 * (cell.south + cell.north)];
        // The poles are those of both coordinates, without round-off.
        let parallel = |latitude: f64| match latitude.abs() == 90.0 {
            true => latitude,
            false => ellipsoid.geocentric(latitude, height).latitude,
        };
        let radius = |height: f64| ellipsoid.geocentric(latitude, height).radius;
        let [south, north] = [parallel(cell.south), parallel(cell.north)];
        let made = Self { south, north, bottom: radius(cell.bottom), top: radius(cell.top), ..*cell };
        made.check(0)?;
        let unit = Self { density: 1.0, gradient: 0.0, ..made };
        let width = (cell.east - cell.west).to_radians();
        let volume = width * ellipsoid.volume([cell.south, cell.north], [cell.bottom, cell.top]);
        let factor = volume / unit.mass();
        Ok(Self { density: factor * cell.density, gradient: factor * cell.gradient, ..made })
    }
}

impl Tesseroids {
    /// The tesseroids that represent cells in geodetic coordinates; see [`Tesseroid::geodetic`].
    ///
    /// # Errors
    /// As [`Tesseroid::geodetic`], with the number of the first invalid cell.
    pub fn geodetic(cells: impl IntoIterator<Item = Tesseroid>, ellipsoid: &Ellipsoid) -> Result<Self, GravityError> {
        let all = cells.into_iter().enumerate().map(|(number, cell)| {
            Tesseroid::geodetic(&cell, ellipsoid).map_err(|error| error.of_tesseroid_number(number))
        });
        Ok(Self { all: all.collect::<Result<_, _>>()? })
    }
}

impl Stations {
    /// Collects stations in geodetic coordinates. Their local axes are east, north and up along the normal of the ellipsoid. Positions are exact.
    ///
    /// # Arguments
    /// * `stations` – longitude [°], geodetic latitude [°], height above the ellipsoid [m]
    /// # Errors
    /// [`GravityError::OfStation`] with the number of the first station outside the range of a coordinate. Verified by
    /// `geodetic::stations_are_at_their_cartesian_coordinates`.
    pub fn geodetic(stations: impl IntoIterator<Item = [f64; 3]>, ellipsoid: &Ellipsoid) -> Result<Self, GravityError> {
        let (mut places, mut angles) = (Vec::new(), Vec::new());
        for (station, given) in stations.into_iter().enumerate() {
            let limits = [("longitude", -720.0, 720.0), ("latitude", -90.0, 90.0), ("height", LOWEST, 1e12)];
            Self::check(station, given, limits)?;
            let [across, along] = ellipsoid.meridional(given[1], given[2]);
            let longitude = given[0].to_radians();
            let (sin, cos) = longitude.sin_cos();
            places.push([across * cos, across * sin, along]);
            angles.push([longitude, given[1].to_radians()]);
        }
        Ok(Self { points: Points::new(places)?, angles })
    }
}
