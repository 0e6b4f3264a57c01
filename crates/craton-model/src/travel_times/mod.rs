//! When the waves of an earthquake arrive: rays in a spherical Earth.
//!
//! In an Earth that depends on the radius r alone, p = r sin i / v is the same all along a ray (i its angle from the vertical, v the
//! speed): the ray parameter. Time and distance follow from it as sums over thin shells, in each of which they have a closed form,
//! and a ray turns back where r / v has fallen to p. So distance is known as a function of p, piece by piece between the values of
//! r / v at the boundaries of shells, and the rays that arrive at a distance are its roots.
//!
//! | file | what it does |
//! |---|---|
//! | `phase` | names, and the legs that they stand for |
//! | `shell` | time and angle of a ray in one shell |
//! | `stack` | a model as shells |
//! | `ray` | through which shells a ray of given p goes |
//! | `line` | distance as a function of p, its caustics and its roots |
//! | `curve` | lines to draw |

mod curve;
mod line;
mod phase;
mod ray;
mod shell;
mod stack;

pub use phase::Phase;

use std::f64::consts::TAU;
use std::sync::OnceLock;

use curve::Window;
use line::Line;
use stack::Stack;

use crate::geodesy::EARTH_RADIUS;
use crate::{EarthModel, ModelError};

/// A ray that reaches the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arrival {
    /// Time since the wave left the source \[s\].
    pub time: f64,
    /// Ray parameter, the slope dT/dΔ of the travel-time curve \[s/degree\]. On the long way around the Earth time grows toward
    /// smaller distances.
    pub ray_parameter: f64,
    /// Angle of the ray at the source from the vertical \[degrees\]: 0 is straight down, 90 level, 180 straight up.
    pub takeoff: f64,
    /// Angle of the ray at the surface from the vertical \[degrees\].
    pub incidence: f64,
    /// The greatest depth that it reaches, below z = 0 \[m\]: where it turns or is reflected, or the depth of the source.
    pub turning_depth: f64,
}

/// Travel times of a model from a source to places at its surface, by distance.
///
/// Distances are angles at the centre of the Earth \[degrees\], 0 to 180. Each phase is prepared when it is first asked for and kept.
///
/// # Method
/// Shells are at most 5 km thick, and end at all boundaries of the model and at the source. In each, v = a rᵇ through the speeds at its
/// ends, and time and angle of a ray are closed forms. Between two neighbouring values of r / v at ends of shells all rays take the same
/// course, and there is one root or none; greatest and least distances (caustics) are found by a search and divide it further. A wave
/// that meets a layer where it is slower passes and leaves a shadow; where one meets a jump to a speed with which it cannot
/// go on (p > r / v), it is totally reflected, and counts as turning there. Nothing runs along a boundary (no Pn, no Pdiff), nothing
/// is reflected at boundaries inside of the model but that.
///
/// An anisotropic medium counts as its isotropic average (Voigt): so PREM's S waves come between those of both polarisations. The
/// Earth is a sphere of radius [`EARTH_RADIUS`] below z = 0, without ellipticity or attenuation.
///
/// # Source
/// Aki & Richards (2002), Quantitative seismology, section 9.3; Buland & Chapman (1983), The computation of seismic travel times,
/// Bulletin of the Seismological Society of America 73, 1271-1302.
/// Verified by `times_are_those_of_taup`, `a_homogeneous_sphere_has_straight_rays`, `a_sphere_of_circular_rays_has_its_closed_form`.
#[derive(Debug, Clone)]
pub struct TravelTimes {
    stack: Stack,
    lines: [OnceLock<Vec<Line>>; Phase::ALL.len()],
}

impl TravelTimes {
    /// Travel times of a model from a depth.
    ///
    /// # Arguments
    /// * `model` – its layers are even, its surface is the top of the first one; whether it is bent to a piece of the sphere does
    ///   not matter, here it always is the whole sphere
    /// * `source_depth` – depth of the source below z = 0 \[m\]
    /// * `bottom_depth` – depth below z = 0 \[m\] where rays end, and reflect as PcP and its like: the core's
    ///   ([`crate::ReferenceEarth::core_depth`]), or that of the bottom of a chunk, to learn when waves come back from there;
    ///   with [`EARTH_RADIUS`] rays go through the centre, and nothing is reflected
    /// # Errors
    /// A layer whose top is a grid, layers out of order, a bottom that is not between the surface and the centre, a source that is not
    /// between the surface and the bottom.
    pub fn new(model: &EarthModel, source_depth: f64, bottom_depth: f64) -> Result<Self, ModelError> {
        let stack = Stack::new(model, source_depth, bottom_depth)?;
        Ok(Self { stack, lines: std::array::from_fn(|_| OnceLock::new()) })
    }

    fn lines(&self, phase: Phase) -> &[Line] {
        self.lines[phase as usize].get_or_init(|| line::lines(&self.stack, phase.ways()))
    }

    /// All arrivals of a phase at a distance \[degrees\], also those on the long way around the Earth, ascending in time; none where
    /// the phase does not reach.
    pub fn arrivals(&self, phase: Phase, distance: f64) -> Vec<Arrival> {
        let short = distance.to_radians();
        let mut ways = vec![short, TAU - short, TAU + short];
        ways.dedup();
        let mut arrivals = Vec::new();
        for line in self.lines(phase) {
            for way in &ways {
                let mut last = None;
                for piece in line {
                    let Some((p, time)) = piece.ray_to(&self.stack, *way) else { continue };
                    // The end of a piece is the beginning of the next one.
                    if last != Some(p) {
                        arrivals.push(self.arrival(piece, p, time));
                    }
                    last = Some(p);
                }
            }
        }
        arrivals.sort_by(|a, b| a.time.total_cmp(&b.time));
        arrivals
    }

    /// The first arrival of a phase at a distance \[degrees\].
    pub fn first(&self, phase: Phase, distance: f64) -> Option<Arrival> {
        self.arrivals(phase, distance).into_iter().next()
    }

    /// Travel-time curves of a phase to draw: lines of points \[degrees, s\], each at the multiples of a step from the first distance, and
    /// at its cusps, where it turns back, and ends. A line ends where rays end, at shadows, and at both distances.
    ///
    /// # Arguments
    /// * `range` – first and last distance \[degrees\]
    /// * `step` – between points \[degrees\], above 0
    pub fn curves(&self, phase: Phase, range: [f64; 2], step: f64) -> Vec<Vec<[f64; 2]>> {
        let windows = Window::all(range.map(f64::to_radians), step.to_radians());
        let of_line = |line| windows.iter().flat_map(|window| curve::curves(&self.stack, line, window)).collect();
        self.lines(phase).iter().flat_map(|line| -> Vec<_> { of_line(line) }).collect()
    }

    /// The ray of a parameter \[s/rad\] that takes a time \[s\].
    fn arrival(&self, piece: &line::Piece, p: f64, time: f64) -> Arrival {
        Arrival {
            time,
            ray_parameter: p.to_radians(),
            takeoff: piece.course.takeoff(&self.stack, p).to_degrees(),
            incidence: piece.course.incidence(&self.stack, p).to_degrees(),
            turning_depth: EARTH_RADIUS - piece.course.least_radius(&self.stack, p),
        }
    }
}
