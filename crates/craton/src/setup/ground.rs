//! Positions inside the box and below its surface.

use craton_acquisition::specfem::MapFrame;
use craton_model::Interface;
use craton_model::geodesy::{EARTH_RADIUS, LocalFrame};

use super::findings::{Checked, bad_model};
use crate::config::Domain;
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::validate::SURFACE_TOLERANCE;

/// Extent of a box [m] above which it is suspicious that all receivers of a file are within 360 m of the origin.
const LARGE_FOR_DEGREES: f64 = 2000.0;

/// Allowed longitudes in files [degrees], the same as in scenarios.
const LONGITUDES: std::ops::RangeInclusive<f64> = -180.0..=360.0;

/// Tolerance at the sides of the box, relative to its extent: conversion from degrees is inexact by about a nanometre.
const ROUNDING: f64 = 1e-12;

/// The box, its surface and the map projection.
pub struct Ground<'a> {
    /// The box.
    pub domain: &'a Domain,
    /// Conversion of map to model coordinates.
    pub frame: LocalFrame,
    /// The surface of the Earth.
    pub surface: Interface,
}

/// A position inside the box.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InsidePosition {
    /// x east, y north, z up [m].
    pub position: [f64; 3],
    /// Whether the position is on the surface.
    pub on_surface: bool,
}

/// The coordinates in which a position is given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// x, y and z [m].
    Metres,
    /// Longitude and latitude [degrees], depth [m].
    Degrees,
}

/// A position as written: in metres, or in degrees with a depth below the surface.
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
    /// The coordinates of positions in files.
    pub fn of_files(&self) -> Given {
        if self.frame.is_geographic() { Given::Degrees } else { Given::Metres }
    }

    /// Whether a longitude and latitude, or x and y, are outside the box or beyond the map; false for invalid
    /// coordinates.
    pub fn is_off_map(&self, longitude_or_x: f64, latitude_or_y: f64) -> bool {
        let is_place = LONGITUDES.contains(&longitude_or_x) && latitude_or_y.abs() <= 90.0;
        if self.frame.is_geographic() && !is_place {
            return false;
        }
        let is_outside = |[x, y]: [f64; 2]| !self.sides(self.on_sides([x, y, 0.0]), self.of_files()).is_empty();
        self.frame.to_model(longitude_or_x, latitude_or_y).map_or(true, is_outside)
    }

    /// The position [m], inside the box or not.
    ///
    /// # Errors
    /// A position outside the projection, or no position at all.
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

    /// The same position if it is inside the box. Moves positions within round-off of the surface, or in degrees of a
    /// side, onto it.
    ///
    /// # Errors
    /// A position outside the box or above the surface, in its original coordinates.
    pub fn inside(&self, position: [f64; 3], given: Given) -> Result<InsidePosition, Outside> {
        let position @ [x, y, z] = if given == Given::Degrees { self.on_sides(position) } else { position };
        let [bottom, top] = self.domain.z();
        let surface = self.surface.elevation(x, y);
        let on_surface = (z - surface).abs() <= SURFACE_TOLERANCE * (top - bottom);
        let above_surface = z > surface && !on_surface;
        let mut allowed = self.sides(position, given);
        let is_beyond_sides = !allowed.is_empty();
        if above_surface || z < bottom {
            allowed.push(match given {
                Given::Metres => {
                    format!("z from {} to {} m (the surface at this point)", Number(bottom), Number(surface))
                }
                Given::Degrees => format!(
                    "depth from 0 to {} m at this point (z from {} to {} m)",
                    micro(surface - bottom),
                    Number(bottom),
                    micro(surface)
                ),
            });
        }
        match (allowed.is_empty(), on_surface) {
            (true, true) => Ok(self.on_surface([x, y])),
            (true, false) => Ok(InsidePosition { position, on_surface: false }),
            (false, _) => Err(Outside {
                place: self.place(position, given),
                allowed: allowed.join(", "),
                above_surface: above_surface && !is_beyond_sides,
                maybe_degrees: is_beyond_sides && !self.frame.is_geographic() && could_be_degrees(&position),
                of_sphere: self.domain.is_on_sphere().then(|| self.domain.sphere_key()),
                given,
            }),
        }
    }

    /// The same position, moved onto a side if it is outside by round-off only.
    fn on_sides(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let put = |at: f64, [from, to]: [f64; 2]| {
            let inside = at.clamp(from, to);
            if (at - inside).abs() <= ROUNDING * (to - from) { inside } else { at }
        };
        [put(x, self.domain.x()), put(y, self.domain.y()), put(z, self.domain.z())]
    }

    /// The allowed range at this point for each side of the box that a position crosses.
    fn sides(&self, [x, y, _]: [f64; 3], given: Given) -> Vec<String> {
        let (across, along) = (self.domain.x(), self.domain.y());
        let sides = [("x", x, across), ("y", y, along)];
        let crossed = sides.into_iter().enumerate().filter(|(_, (_, at, [from, to]))| !(from..=to).contains(&at));
        let inside = [x.clamp(across[0], across[1]), y.clamp(along[0], along[1])];
        let allowed = |(axis, (name, _, ends)): (usize, (&str, f64, [f64; 2]))| {
            // The limits of a chunk are converted from degrees.
            let ends = if self.domain.is_on_sphere() { ends.map(|end| micro(end).0) } else { ends };
            let metres = format!("{name} from {} to {} m", Number(ends[0]), Number(ends[1]));
            let degrees = |end: f64| {
                let mut place = inside;
                place[axis] = end;
                micro(self.frame.to_map(place)[axis])
            };
            match given {
                Given::Metres => metres,
                Given::Degrees if self.domain.chunk.is_some() => {
                    let degrees = |end: f64| micro((end / EARTH_RADIUS).to_degrees());
                    format!(
                        "{} to {} degrees from the centre along {name} ({metres})",
                        degrees(ends[0]),
                        degrees(ends[1])
                    )
                }
                Given::Degrees => {
                    let name = ["longitude", "latitude"][axis];
                    format!("{name} from {} to {} at this point ({metres})", degrees(ends[0]), degrees(ends[1]))
                }
            }
        };
        crossed.map(allowed).collect()
    }

    /// A position in words, in its original coordinates and in metres.
    fn place(&self, position: [f64; 3], given: Given) -> String {
        let [x, y, z] = position.map(micro);
        let metres = format!("x = {x}, y = {y}, z = {z} m");
        match given {
            Given::Metres => metres,
            Given::Degrees => {
                let [longitude, latitude] = self.frame.to_map([position[0], position[1]]).map(micro);
                let depth = micro(self.surface.elevation(position[0], position[1]) - position[2]);
                format!("longitude {longitude}, latitude {latitude}, depth {depth} m ({metres})")
            }
        }
    }

    /// A warning about positions of a file that look like degrees without a projection.
    pub fn degrees_warning(&self, positions: &[[f64; 3]], key: &KeyPath) -> Option<String> {
        let extent = self.domain.x()[1] - self.domain.x()[0];
        let may_be_degrees =
            !self.frame.is_geographic() && extent > LARGE_FOR_DEGREES && positions.iter().all(could_be_degrees);
        let [x, y, _] =
            positions.iter().find(|[x, y, _]| x.fract() != 0.0 && y.fract() != 0.0).filter(|_| may_be_degrees)?;
        Some(format!(
            "{key}: x = {x}, y = {y} is interpreted in metres. If these are longitude and latitude, give domain.projection"
        ))
    }

    /// The point of the surface at x, y [m].
    pub fn on_surface(&self, [x, y]: [f64; 2]) -> InsidePosition {
        InsidePosition { position: [x, y, self.surface.elevation(x, y)], on_surface: true }
    }
}

/// A ground whose depths are heights z, with the opposite sign.
pub struct Heights<'a>(pub &'a Ground<'a>);

impl MapFrame for Heights<'_> {
    fn to_model(&self, longitude_or_x: f64, latitude_or_y: f64) -> Result<[f64; 2], String> {
        MapFrame::to_model(self.0, longitude_or_x, latitude_or_y)
    }

    fn surface(&self, _: f64, _: f64) -> f64 {
        0.0
    }
}

fn could_be_degrees([x, y, _]: &[f64; 3]) -> bool {
    x.abs() <= 360.0 && y.abs() <= 90.0
}

/// A number rounded to six decimals, because computed coordinates have more digits than a reader needs.
fn micro(number: f64) -> Number {
    // Removes the sign of zero.
    Number((number * 1e6).round() / 1e6 + 0.0)
}

/// A position outside the box.
#[derive(Debug, Clone, PartialEq)]
pub struct Outside {
    /// Whether it is above the surface and otherwise valid.
    pub above_surface: bool,
    place: String,
    allowed: String,
    maybe_degrees: bool,
    of_sphere: Option<&'static str>,
    given: Given,
}

impl Outside {
    /// The problem, with the position and the allowed ranges.
    ///
    /// # Arguments
    /// * `what` – the owner of the position, such as "source 1" or "receiver XX.S10"
    /// * `others` – other owners outside the box, appended to the message
    /// * `path` – the key of the position
    pub fn problem(&self, what: &str, others: &str, path: &KeyPath) -> Problem {
        let (message, hint) = match (self.above_surface, self.maybe_degrees, self.given) {
            (true, _, Given::Metres) => ("is above the surface", "lower it; z is up, so depths are negative"),
            (true, _, Given::Degrees) => ("is above the surface", "depths are positive down"),
            (false, true, _) => {
                ("is outside the domain", "if these are longitude and latitude, give domain.projection")
            }
            (false, false, _) if self.of_sphere == Some("chunk") => {
                ("is outside the domain", "move it, or change domain.chunk: its centre, widths or depth")
            }
            (false, false, _) if self.of_sphere.is_some() => {
                ("is outside the Earth", "depths are in metres, positive down")
            }
            (false, false, Given::Metres) => {
                ("is outside the domain", "move it, or enlarge [domain]; z is up, so depths are negative")
            }
            (false, false, Given::Degrees) => {
                ("is outside the domain", "move it, or enlarge [domain], which is in metres")
            }
        };
        let problem = Problem::new(path, format!("{what}, at {}, {message}{others}", self.place));
        problem.allowed(&self.allowed).hint(hint)
    }
}

impl MapFrame for Ground<'_> {
    fn to_model(&self, longitude_or_x: f64, latitude_or_y: f64) -> Result<[f64; 2], String> {
        if self.frame.is_geographic() && !LONGITUDES.contains(&longitude_or_x) {
            let [west, east] = [LONGITUDES.start(), LONGITUDES.end()].map(|degrees| Number(*degrees));
            let longitude = Number(longitude_or_x);
            return Err(format!(
                "longitude = {longitude} is out of range: the allowed range is {west} to {east} degrees"
            ));
        }
        self.frame.to_model(longitude_or_x, latitude_or_y).map_err(|error| error.to_string())
    }

    fn surface(&self, x: f64, y: f64) -> f64 {
        self.surface.elevation(x, y)
    }
}
