//! When waves arrive: travel-time curves over the record section of a chunk of the Earth.

use craton_model::geodesy::EARTH_RADIUS;
use craton_model::{Interface, Phase, TravelTimes};
use craton_view::Curve;

use crate::config::BoundaryKind;
use crate::setup::Setup;

/// The phases that are drawn.
const PHASES: [Phase; 8] = [Phase::P, Phase::S, Phase::pP, Phase::sP, Phase::sS, Phase::PP, Phase::PcP, Phase::ScS];
/// A bottom at this depth or below stands for the core [m].
const CORE: f64 = 2.88e6;
/// Distance of the points of a curve [degrees].
const STEP: f64 = 0.25;

/// Curves of offset [m] and time [s] for the one event of a chunk whose layers are even; none where there is no such.
///
/// # Arguments
/// * `farthest` – offset to which they are drawn [m]
pub fn curves(setup: &Setup, farthest: f64) -> Vec<Curve> {
    let is_even = setup.model.regions().iter().all(|region| matches!(region.top, Interface::Flat(_)));
    let (Some(_), Some([_, _, z]), true) = (setup.frame.chunk(), setup.event.position, is_even) else {
        return Vec::new();
    };
    let reflects = setup.boundaries[4] != BoundaryKind::Absorbing && -setup.z[0] >= CORE;
    let phases = PHASES.into_iter().filter(move |phase| reflects || !matches!(phase, Phase::PcP | Phase::ScS));
    let Ok(times) = TravelTimes::new(&setup.model, -z, -setup.z[0]) else { return Vec::new() };
    let zero = setup.event.time.unwrap_or(0.0);
    let range = [0.0, (farthest / EARTH_RADIUS).to_degrees()];
    let of_phase = |phase: Phase| {
        let lines = times.curves(phase, range, STEP);
        lines.into_iter().map(move |line| {
            let point = |[degrees, time]: [f64; 2]| [degrees.to_radians() * EARTH_RADIUS, zero + time];
            Curve { label: phase.to_string(), points: line.into_iter().map(point).collect() }
        })
    };
    phases.flat_map(of_phase).collect()
}
