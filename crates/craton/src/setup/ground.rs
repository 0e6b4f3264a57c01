//! Positions inside the box and below its surface.

use craton_acquisition::specfem::MapFrame;
use craton_model::Interface;
use craton_model::geodesy::LocalFrame;

use super::findings::{Checked, bad_model};
use crate::config::Domain;
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::{Number, bracketed};
use crate::validate::SURFACE_SLACK;

/// Extent of a box [m] in which all receivers of a file within 360 m of the origin would be a strange thing to have.
const LARGE_FOR_DEGREES: f64 = 2000.0;

/// The box, its surface and the way to it from the map.
pub struct Ground<'a> {
    /// The box.
    pub domain: &'a Domain,
    /// From the map to model coordinates.
    pub frame: LocalFrame,
    /// The surface of the Earth.
    pub surface: Interface,
}

/// A position that is known to be inside the box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// x east, y north, z up [m].
    pub position: [f64; 3],
    /// Whether it is on the surface.
    pub on_surface: bool,
}

/// A position as it is written: in metres, or in degrees with a depth below the surface.
#[derive(Debug, Clone, Copy)]
pub struct Written {
    /// `position`.
    pub position: Option<[f64; 3]>,
    /// `longitude` and `latitude`.
    pub degrees: Option<[f64; 2]>,
    /// `depth`.
    pub depth: Option<f64>,
}

impl Ground<'_> {
    /// The position [m] of a place as it is written, wherever that is.
    ///
    /// # Errors
    /// A place outside of the projection, or no place at all.
    pub fn position(&self, written: Written, path: &KeyPath) -> Checked<[f64; 3]> {
        match (written.position, written.degrees) {
            (Some(position), _) => Ok(position),
            (None, Some([longitude, latitude])) => {
                let place = self.frame.to_model(longitude, latitude);
                let [x, y] = place.map_err(|error| bad_model(&error, path))?;
                Ok([x, y, self.surface.elevation(x, y) - written.depth.unwrap_or(0.0)])
            }
            (None, None) => Err(Problem::new(path, "has no position").into()),
        }
    }

    /// The same position if it is inside the box; one that is on the surface but for rounding is put on it.
    ///
    /// # Errors
    /// A position outside of the box or above the surface.
    pub fn inside(&self, position: [f64; 3]) -> Result<Standing, Outside> {
        let [x, y, z] = position;
        let [bottom, top] = self.domain.z;
        let surface = self.surface.elevation(x, y);
        let on_surface = (z - surface).abs() <= SURFACE_SLACK * (top - bottom);
        let above_surface = z > surface && !on_surface;
        let sides = [("x", x, self.domain.x), ("y", y, self.domain.y)];
        let crossed = sides.into_iter().filter(|(_, at, [from, to])| !(from..=to).contains(&at));
        let mut allowed: Vec<String> =
            crossed.map(|(axis, _, [from, to])| format!("{axis} from {} to {} m", Number(from), Number(to))).collect();
        let beside = !allowed.is_empty();
        if above_surface || z < bottom {
            allowed.push(format!("z from {} to {} m, the surface there", Number(bottom), Number(surface)));
        }
        match (allowed.is_empty(), on_surface) {
            (true, true) => Ok(self.on_surface([x, y])),
            (true, false) => Ok(Standing { position, on_surface: false }),
            (false, _) => Err(Outside {
                position,
                allowed: allowed.join(", "),
                above_surface: above_surface && !beside,
                maybe_degrees: beside && !self.frame.is_geographic() && could_be_degrees(&position),
            }),
        }
    }

    /// What to tell about the places of a file that look like degrees where there is no projection to make metres of them.
    pub fn taken_as_metres(&self, positions: &[[f64; 3]], key: &KeyPath) -> Option<String> {
        let extent = self.domain.x[1] - self.domain.x[0];
        let in_doubt =
            !self.frame.is_geographic() && extent > LARGE_FOR_DEGREES && positions.iter().all(could_be_degrees);
        let [x, y, _] = positions.iter().find(|[x, y, _]| x.fract() != 0.0 && y.fract() != 0.0).filter(|_| in_doubt)?;
        Some(format!(
            "{key}: x = {x}, y = {y} is taken as metres; if these are longitude and latitude, give domain.projection"
        ))
    }

    /// The point of the surface at x, y [m].
    pub fn on_surface(&self, [x, y]: [f64; 2]) -> Standing {
        Standing { position: [x, y, self.surface.elevation(x, y)], on_surface: true }
    }
}

fn could_be_degrees([x, y, _]: &[f64; 3]) -> bool {
    x.abs() <= 360.0 && y.abs() <= 90.0
}

/// A position outside of the box.
#[derive(Debug, Clone, PartialEq)]
pub struct Outside {
    /// Whether it is above the surface, and nothing else is wrong.
    pub above_surface: bool,
    position: [f64; 3],
    allowed: String,
    maybe_degrees: bool,
}

impl Outside {
    /// The problem, with the position and the ranges it leaves.
    ///
    /// # Arguments
    /// * `what` – whose position it is: "source 1", "receiver XX.S10"
    /// * `path` – where it is written
    pub fn problem(&self, what: &str, path: &KeyPath) -> Problem {
        // Positions that come from degrees or along a line have more digits than anybody wants to read.
        let position = self.position.map(|metres| (metres * 1e6).round() / 1e6);
        let (message, hint) = match (self.above_surface, self.maybe_degrees) {
            (true, _) => ("is above the surface", "lower it; z is up, so depths are negative"),
            (false, true) => ("is outside the domain", "if these are longitude and latitude, give domain.projection"),
            (false, false) => {
                ("is outside the domain", "move it, or enlarge [domain]; z is up, so depths are negative")
            }
        };
        let problem = Problem::new(path, format!("{what} {message}"));
        problem.value(bracketed(&position)).allowed(&self.allowed).hint(hint)
    }
}

impl MapFrame for Ground<'_> {
    fn to_model(&self, longitude_or_x: f64, latitude_or_y: f64) -> Result<[f64; 2], String> {
        self.frame.to_model(longitude_or_x, latitude_or_y).map_err(|error| error.to_string())
    }

    fn surface(&self, x: f64, y: f64) -> f64 {
        self.surface.elevation(x, y)
    }
}
