//! Phases in a chunk of the Earth against ray-theoretical travel times.
//!
//! A phase whose ray touches no caustic, and is reflected or converted before its critical angle, has the form of the moment rate and arrives
//! at the time of TauP; so does SH reflected at the core. The case therefore searches around that time for the time function of the source,
//! low-passed as the
//! trace is.

use super::simulation::{Outcome, Simulation, Simulations};
use super::{Case, Finding, Tier};
use anyhow::{Context, Result, bail, ensure};
use craton_acquisition::Quantity::Displacement;
use craton_numerics::filter::{Band, Butterworth};
use craton_testkit::references;

/// Arrivals by TauP: phase, distance \[degrees\], time \[s\] and more.
const TABLE: &str = "travel_times/prem_mantle.txt";
/// Largest error relative to the shortest period.
const LIMIT: f64 = 0.05;
/// Corner of the low-pass relative to the resolved frequency, and its order in each direction.
const LOW_PASS: (f64, usize) = (0.8, 4);
/// Half-length of the window around an arrival, in shortest periods.
const HALF_WINDOW: f64 = 1.0;
/// Minimum fraction of the energy of the window in the expected pulse.
const LIKE: f64 = 0.8;

/// Components of a seismogram: transverse is north, because stations are east of the event.
const ACROSS: usize = 1;
const UP: usize = 2;

/// A phase that is isolated in time.
struct Shown {
    phase: &'static str,
    /// The component on which it is measured.
    component: usize,
    distances: &'static [u32],
    /// Changes of the scenario.
    changes: &'static [&'static str],
}

/// Without S waves, so that sP does not follow pP.
const EXPLOSION: [&str; 2] = ["source[0].moment_tensor={ xx = 1.0e20, yy = 1.0e20, zz = 1.0e20 }", "duration=640.0"];

/// ScS is a fifteenth of S, so that reflections from the sides interfere with it. A chunk of its own, as large as the other, is centred on source and
/// stations. So the mirror images in all four sides are 56 degrees away and more, and the first S from there, 991 s after the source, comes when ScS
/// is over; surface waves follow S. P from there, before ScS, meets a side halfway, at the bottom of its ray: head on, where next to nothing is
/// reflected or converted, and it hardly moves the transverse component. Nearer sides, such as those of the other chunk 12 degrees west of the source,
/// send SS and surface waves into ScS.
const AROUND_SCS: [&str; 4] = [
    "duration=985.0",
    "domain.chunk.centre.longitude=-15.0",
    "domain.chunk.widths=[58.0, 58.0]",
    "receivers.stations=[{ code = 'XX.D08', longitude = -12.0, latitude = 0.0, depth = 0.0 }, \
     { code = 'XX.D12', longitude = -8.0, latitude = 0.0, depth = 0.0 }]",
];

const SHOWN: [Shown; 5] = [
    Shown { phase: "P", component: UP, distances: &[38, 40, 42, 44], changes: &EXPLOSION },
    Shown { phase: "pP", component: UP, distances: &[42, 44], changes: &EXPLOSION },
    Shown { phase: "sP", component: UP, distances: &[38, 40], changes: &[] },
    Shown { phase: "S", component: ACROSS, distances: &[40, 42, 44], changes: &[] },
    Shown { phase: "ScS", component: ACROSS, distances: &[8, 12], changes: &AROUND_SCS },
];

/// A case for each phase.
pub fn travel_times() -> Vec<Case> {
    let case = |shown: Shown| {
        let simulation = Simulation::of("travel_times").with(shown.changes);
        let (name, method) = (format!("travel-times-{}", shown.phase), simulation.method());
        let run = Box::new(move |simulations: &Simulations| worst(&*simulations.outcome(&simulation)?, &shown));
        Case { name, method, tier: Tier::B, limit: LIMIT, run }
    };
    SHOWN.into_iter().map(case).collect()
}

/// The worst error of a phase relative to the shortest period.
fn worst(outcome: &Outcome, shown: &Shown) -> Result<Finding> {
    let period = 1.0 / outcome.resolved_frequency;
    let mut notes = vec![format!("shortest period {period:.2} s; {}, {} steps", outcome.size, outcome.steps)];
    let mut worst: f64 = 0.0;
    for &distance in shown.distances {
        let time = first_arrival(shown.phase, distance)?;
        let Found { late, like } = find(outcome, shown.component, distance, time)?;
        notes.push(format!("{distance} degrees, {time:.2} s: {late:+.2} s, {:.0} % like the pulse", 100.0 * like));
        ensure!(like > LIKE, "what arrives at {distance} degrees is not the pulse: {:.0} % like it", 100.0 * like);
        worst = worst.max(late.abs() / period);
    }
    Ok(Finding { rel_l2: worst, notes })
}

/// The time of the first arrival of a phase by TauP \[s\].
fn first_arrival(phase: &str, distance: u32) -> Result<f64> {
    let path = references::folder().join(TABLE);
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let rows =
        text.lines().filter(|line| !line.starts_with('#')).map(|line| line.split_whitespace().collect::<Vec<_>>());
    let mut own = rows.filter(|row| row[0] == phase && row[1] == distance.to_string());
    let row = own.next().with_context(|| format!("{TABLE} has no {phase} at {distance} degrees"))?;
    Ok(row[2].parse()?)
}

/// A pulse in a trace.
struct Found {
    /// Delay relative to the expected time \[s\].
    late: f64,
    /// Fraction of the energy explained by a pulse of the best amplitude, of either polarity: a reflection may change it.
    like: f64,
}

/// Searches for the pulse of the source in the trace of a station, within half a shortest period of the travel time.
fn find(outcome: &Outcome, component: usize, distance: u32, time: f64) -> Result<Found> {
    let trace = outcome.seismogram(&format!("XX.D{distance:02}"), Displacement)?[component];
    let corner = LOW_PASS.0 * outcome.resolved_frequency;
    let filter = Butterworth::new(Band::LowPass { corner }, LOW_PASS.1, trace.dt)?;
    let source = outcome.setup.sources.first().context("no source")?.time_function();
    let at = |sample: usize| trace.start + sample as f64 * trace.dt;
    let pulse: Vec<f64> = (0..trace.samples.len()).map(|sample| source.value(at(sample) - time)).collect();
    let (found, pulse) = (filter.zero_phase(&trace.samples)?, filter.zero_phase(&pulse)?);
    let period = 1.0 / outcome.resolved_frequency;
    let near = |sample: &usize| (at(*sample) - time - source.event_time()).abs() <= HALF_WINDOW * period;
    let window: Vec<usize> = (0..pulse.len()).filter(near).collect();
    let reach = (0.5 * period / trace.dt) as usize;
    let (Some(first), Some(last)) = (window.first(), window.last()) else { bail!("the trace ends before {time} s") };
    ensure!(*first > reach && last + reach < found.len() - 1, "the trace ends too near to {time} s");
    let best = best_place(&found[first - reach - 1..=last + reach + 1], &pulse[*first..=*last]);
    Ok(Found { late: (best.0 - (reach + 1) as f64) * trace.dt, like: best.1 })
}

/// The place in a trace \[samples\] where a pulse that begins there is most alike, and the part of the energy that it has there. The window goes
/// with the pulse, so that what stands beside it pulls neither way.
fn best_place(found: &[f64], pulse: &[f64]) -> (f64, f64) {
    let like = |place: usize| {
        let part = &found[place..place + pulse.len()];
        let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        sum(part, pulse).powi(2) / (sum(part, part) * sum(pulse, pulse))
    };
    let likes: Vec<f64> = (0..=found.len() - pulse.len()).map(like).collect();
    let inner = 1..likes.len() - 1;
    let best = inner.max_by(|a, b| likes[*a].total_cmp(&likes[*b])).expect("there are three places or more");
    let [before, here, after] = [best - 1, best, best + 1].map(|place| likes[place]);
    let curvature = before - 2.0 * here + after;
    let refined = if curvature < 0.0 { 0.5 * (before - after) / curvature } else { 0.0 };
    (best as f64 + refined, here)
}

#[cfg(test)]
mod tests {
    use super::super::window::Reflection;
    use super::*;
    use craton_model::Phase;

    #[test]
    fn every_phase_has_its_times_in_the_table() {
        for Shown { phase, distances, .. } in SHOWN {
            for distance in distances {
                assert!((50.0..1000.0).contains(&first_arrival(phase, *distance).unwrap()), "{phase} {distance}");
            }
        }
        assert!(first_arrival("P", 35).is_err());
    }

    #[test]
    fn no_s_from_the_sides_comes_before_scs_is_over() {
        let shown = SHOWN.into_iter().find(|shown| shown.phase == "ScS").unwrap();
        let setup = Simulation::of("travel_times").with(shown.changes).setup().unwrap();
        let source = &setup.sources[0];
        let period = 1.0 / setup.method.max_frequency();
        for distance in shown.distances {
            let station = setup.receivers.iter().find(|one| one.code() == format!("XX.D{distance:02}")).unwrap();
            let chunk = setup.frame.sphere().unwrap();
            let s = Reflection::on_sphere(&setup, chunk, Phase::S, station.position()).unwrap();
            let scs = first_arrival("ScS", *distance).unwrap() + source.event_time();
            // The window may move by half a period.
            let end = scs + (HALF_WINDOW + 0.5) * period;
            assert!(s.time > end, "{distance} degrees: S at {} s from {}, ScS until {end} s", s.time, s.side);
            assert!(end < setup.end, "{distance} degrees: the run ends before {end} s");
        }
    }

    #[test]
    fn a_pulse_is_found_where_it_stands_beside_a_larger_one() {
        let pulse = |centre: f64, sample: f64| {
            (1.0 - 0.04 * (sample - centre).powi(2)) * (-0.02 * (sample - centre).powi(2)).exp()
        };
        let found: Vec<f64> = (0..140).map(|k| pulse(72.3, f64::from(k)) - 4.0 * pulse(115.0, f64::from(k))).collect();
        let wanted: Vec<f64> = (0..41).map(|k| pulse(20.0, f64::from(k))).collect();
        let (place, like) = best_place(&found[40..105], &wanted);
        assert!((place - 12.3).abs() < 0.05 && like > 0.99, "{place} {like}");
        let turned: Vec<f64> = found.iter().map(|value| -value).collect();
        assert_eq!(best_place(&turned[40..105], &wanted), (place, like));
    }
}
