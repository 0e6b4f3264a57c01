//! Checks of source and receiver positions.

use super::exactly_one;
use crate::config::{Domain, Projection};
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::{Number, bracketed};

/// Distance above the top, relative to the height of the box, that counts as round-off: Craton later moves such a
/// position to the surface.
pub const SURFACE_TOLERANCE: f64 = 1e-6;

/// A position as written, in metres or in degrees.
pub struct Place {
    /// `position`.
    pub position: Option<[f64; 3]>,
    /// `longitude`.
    pub longitude: Option<f64>,
    /// `latitude`.
    pub latitude: Option<f64>,
    /// `depth`.
    pub depth: Option<f64>,
}

impl Place {
    /// Problems of a position.
    ///
    /// # Arguments
    /// * `what` – its owner in messages, such as "source 1" or "receiver XX.S10"
    /// * `path` – the table of the position
    pub fn check(&self, what: &str, domain: &Domain, any_z: bool, path: &KeyPath) -> Vec<Problem> {
        let degrees = self.longitude.or(self.latitude).or(self.depth).is_some();
        let both = [("position", self.position.is_some()), ("longitude", degrees)];
        if let Some(problem) = exactly_one(path, &both) {
            let hint = "give position = [x, y, z] in metres, or longitude and latitude in degrees and depth in metres";
            return vec![problem.hint(hint)];
        }
        match self.position {
            Some(position) => outside(what, position, domain, any_z, &path.key("position")).into_iter().collect(),
            None => self.in_degrees(domain, path),
        }
    }

    fn in_degrees(&self, domain: &Domain, path: &KeyPath) -> Vec<Problem> {
        let coordinates = [("longitude", self.longitude), ("latitude", self.latitude)];
        let missing = coordinates.iter().filter(|(_, value)| value.is_none());
        let mut problems: Vec<Problem> =
            missing.map(|(key, _)| Problem::new(path.key(key), "is missing").hint("give both, in degrees")).collect();
        if domain.projection == Projection::None && !domain.is_on_sphere() {
            let problem = Problem::new(path.key("longitude"), "a position in degrees requires a projection");
            problems.push(problem.hint(
                "add projection.utm = { zone = .., origin = .. } to [domain], or give domain.chunk or domain.globe",
            ));
        }
        problems
    }
}

/// The problem of a point outside the domain.
///
/// # Arguments
/// * `any_z` – whether z is ignored, as for receivers that are moved to the surface
pub fn outside(what: &str, position: [f64; 3], domain: &Domain, any_z: bool, path: &KeyPath) -> Option<Problem> {
    let [bottom, top] = domain.z();
    let axes = [("x", domain.x(), 0.0), ("y", domain.y(), 0.0), ("z", domain.z(), SURFACE_TOLERANCE * (top - bottom))];
    let checked = if any_z { 2 } else { 3 };
    let beyond = |(axis, [from, to], tolerance): (&str, [f64; 2], f64), at: f64| {
        (at < from || at > to + tolerance).then(|| format!("{axis} from {} to {} m", Number(from), Number(to)))
    };
    let crossed: Vec<String> =
        axes.into_iter().zip(position).take(checked).filter_map(|(axis, at)| beyond(axis, at)).collect();
    (!crossed.is_empty()).then(|| {
        Problem::new(path, format!("{what} is outside the domain"))
            .value(bracketed(&position))
            .allowed(crossed.join(", "))
            .hint("move it, or enlarge [domain]; z is up, so depths are negative")
    })
}
