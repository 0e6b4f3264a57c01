//! Travel times of seismic phases by ray theory in a spherical Earth.
//!
//! In an Earth that depends on the radius r only, the ray parameter p = r sin i / v is constant along a ray (i is the angle from the
//! vertical, v the speed). Time and distance are sums over thin shells, in each of which they have a closed form, and a ray turns where r /
//! v equals p. So distance is a function of p, defined piece by piece between the values of r / v at the boundaries of shells, and the rays
//! that arrive at a given distance are its roots.
//!
//! | file | what it does |
//! |---|---|
//! | `phase` | phase names and their legs |
//! | `shell` | time and angle of a ray in one shell |
//! | `stack` | a model as shells |
//! | `ray` | the shells that a ray of given p crosses |
//! | `line` | distance as a function of p, its caustics and its roots |
//! | `curve` | travel-time curves for plotting |

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

/// A ray that arrives at the surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arrival {
    /// Travel time from the source \[s\].
    pub time: f64,
    /// Ray parameter, the slope dT/dΔ of the travel-time curve \[s/degree\]. On the major arc, time increases towards smaller epicentral
    /// distances.
    pub ray_parameter: f64,
    /// Takeoff angle at the source from the downward vertical \[degrees\]: 0 is down, 90 horizontal, 180 up.
    pub takeoff: f64,
    /// Incidence angle at the surface from the vertical \[degrees\].
    pub incidence: f64,
    /// Largest depth of the ray below z = 0 \[m\]: its turning or reflection point, or the source.
    pub turning_depth: f64,
}

/// Travel times from a source to receivers at the surface, by epicentral distance.
///
/// Distances are angles at the centre of the Earth \[degrees\], 0 to 180. Each phase is computed at first use and cached.
///
/// # Method
/// Shells are at most 5 km thick, and end at all boundaries of the model and at the source. In each, the speed is v = a rᵇ through the
/// speeds at its ends, so that time and angle of a ray have closed forms. Between two neighbouring values of r / v at shell boundaries, all
/// rays take the same course and there is at most one root; extremes of distance (caustics) are searched for and divide this interval
/// further. A wave that enters a layer of lower speed is refracted and leaves a shadow zone. A wave that meets a jump to a speed at which
/// it cannot propagate (p > r / v) is totally reflected, which counts as turning there. There are no waves along boundaries (no Pn, no
/// Pdiff), and no other reflections at internal boundaries.
///
/// An anisotropic medium is replaced by its Voigt isotropic average, so S waves in PREM arrive between those of both polarisations. The
/// Earth is a sphere of radius [`EARTH_RADIUS`] below z = 0, without ellipticity or attenuation.
///
/// # Source
/// Aki & Richards (2002), Quantitative seismology, section 9.3; Buland & Chapman (1983), The computation of seismic travel times,
/// Bulletin of the Seismological Society of America 73, 1271-1302.
/// Verified by `times_agree_with_taup`, `a_homogeneous_sphere_has_straight_rays`, `a_sphere_with_circular_rays_agrees_with_the_closed_form`.
#[derive(Debug, Clone)]
pub struct TravelTimes {
    stack: Stack,
    lines: [OnceLock<Vec<Line>>; Phase::ALL.len()],
}

impl TravelTimes {
    /// Prepares travel times for a source depth.
    ///
    /// # Arguments
    /// * `model` – a model without lateral variations, whose surface is the top of its first layer. The Earth is always the whole sphere,
    ///   whether or not the model is mapped to a chunk of it.
    /// * `source_depth` – depth of the source below z = 0 \[m\]
    /// * `bottom_depth` – depth below z = 0 \[m\] where rays end: [`EARTH_RADIUS`] for the whole Earth, or that of the bottom of a chunk. PcP and
    ///   similar phases are reflected at the fluid core (deeper than 1000 km) if the model has one above this depth, otherwise at this depth, except at the centre of
    ///   the Earth.
    /// # Errors
    /// A layer with lateral variations, layers out of order, a bottom that is not between the surface and the centre, a source that is not
    /// between the surface and the bottom, or that is in the core.
    pub fn new(model: &EarthModel, source_depth: f64, bottom_depth: f64) -> Result<Self, ModelError> {
        let stack = Stack::new(model, source_depth, bottom_depth)?;
        Ok(Self { stack, lines: std::array::from_fn(|_| OnceLock::new()) })
    }

    fn lines(&self, phase: Phase) -> &[Line] {
        self.lines[phase as usize].get_or_init(|| line::lines(&self.stack, phase.paths()))
    }

    /// All arrivals of a phase at a distance \[degrees\], including those along the major arc, in order of time; empty where the phase does
    /// not arrive.
    pub fn arrivals(&self, phase: Phase, distance: f64) -> Vec<Arrival> {
        let short = distance.to_radians();
        let mut angles = vec![short, TAU - short, TAU + short];
        angles.dedup();
        let mut arrivals = Vec::new();
        for line in self.lines(phase) {
            for angle in &angles {
                let mut last = None;
                for piece in line {
                    let Some((p, time)) = piece.ray_to(&self.stack, *angle) else { continue };
                    // The end of a piece is the start of the next one.
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

    /// Travel-time curves of a phase for plotting: lines of points \[degrees, s\] at multiples of `step` from the first distance, and at
    /// cusps and ends. Lines end at shadow zones, where rays end, and at both ends of the range.
    ///
    /// # Arguments
    /// * `range` – first and last distance \[degrees\]
    /// * `step` – spacing of points \[degrees\], above 0
    pub fn curves(&self, phase: Phase, range: [f64; 2], step: f64) -> Vec<Vec<[f64; 2]>> {
        let windows = Window::all(range.map(f64::to_radians), step.to_radians());
        let of_line = |line| windows.iter().flat_map(|window| curve::curves(&self.stack, line, window)).collect();
        self.lines(phase).iter().flat_map(|line| -> Vec<_> { of_line(line) }).collect()
    }

    /// Converts a ray of given parameter \[s/rad\] and time \[s\] to an arrival.
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
