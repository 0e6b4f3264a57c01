//! Travel-time curves on the record section of a chunk of the Earth or the whole Earth.

use craton_model::geodesy::EARTH_RADIUS;
use craton_model::{Interface, Phase, TravelTimes};
use craton_view::Curve;

use crate::config::BoundaryKind;
use crate::setup::Setup;

/// The phases of the curves.
const PHASES: [Phase; 6] = [Phase::P, Phase::S, Phase::pP, Phase::sP, Phase::sS, Phase::PP];
/// Additional phases if the core or the bottom reflects. A free bottom reflects SH waves like a fluid core; PcP, ScP and SV waves
/// have the travel times of the core, but other amplitudes.
const FROM_THE_CORE: [Phase; 4] = [Phase::PcP, Phase::ScP, Phase::ScS, Phase::sScS];
/// The phases of the curves of the whole Earth.
const OF_THE_GLOBE: [Phase; 14] = [
    Phase::P,
    Phase::S,
    Phase::pP,
    Phase::sS,
    Phase::PP,
    Phase::SS,
    Phase::PcP,
    Phase::ScS,
    Phase::ScP,
    Phase::PKP,
    Phase::PKIKP,
    Phase::PKKP,
    Phase::SKS,
    Phase::SKKS,
];
/// Depth from which on the bottom represents the core [m].
const CORE: f64 = 2.88e6;
/// Spacing of the points of a curve [degrees].
const STEP: f64 = 0.25;

/// Curves of offset [m] and time [s] for a single source in a radially layered chunk or globe; empty for other models.
///
/// # Arguments
/// * `farthest` – largest offset [m]
pub fn curves(setup: &Setup, farthest: f64) -> Vec<Curve> {
    let is_even = setup.model.regions().iter().all(|region| matches!(region.top, Interface::Flat(_)));
    let (Some(_), [source], true) = (setup.frame.sphere(), &setup.sources[..], is_even) else {
        return Vec::new();
    };
    let [_, _, z] = source.position();
    let top = |region: usize| setup.model.regions()[region].top.elevation(0.0, 0.0);
    let core = (0..setup.model.regions().len()).find(|&region| setup.model.is_fluid(region) && -top(region) >= CORE);
    let reflects = core.is_some() || (setup.boundaries[4] != BoundaryKind::Absorbing && -setup.z[0] >= CORE);
    let phases = match setup.frame.is_globe() {
        true => OF_THE_GLOBE.to_vec(),
        false => PHASES.into_iter().chain(reflects.then_some(FROM_THE_CORE).into_iter().flatten()).collect(),
    };
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
    phases.into_iter().flat_map(of_phase).collect()
}
