//! Waves in a chunk of the Earth against the travel times of rays.
//!
//! A phase whose ray touches no caustic, and is reflected or converted before its critical angle, has the form of the moment rate and arrives
//! when TauP says; SH has it at the core, too. So what is looked for around that time is the time function of the source, low-passed as the
//! trace is.

use super::simulation::{Outcome, Simulation, Simulations};
use super::{Case, Finding, Tier};
use anyhow::{Context, Result, ensure};
use craton_acquisition::Quantity::Displacement;
use craton_numerics::filter::{Band, Butterworth};
use craton_numerics::misfit::time_shift;
use craton_testkit::references;

/// Arrivals by TauP: phase, distance \[degrees\], time \[s\] and more.
const TABLE: &str = "travel_times/prem_mantle.txt";
/// Largest error as a part of the shortest period.
const LIMIT: f64 = 0.05;
/// Corner of the low-pass as a part of the resolved frequency, and its order each way.
const LOW_PASS: (f64, usize) = (0.8, 4);
/// Half the length of what is looked at around an arrival, in shortest periods.
const HALF_WINDOW: f64 = 1.0;
/// What is looked at has at least this part of its energy in the pulse that is looked for.
const LIKE: f64 = 0.8;

/// Components of a seismogram: across is to the north, as stations stand east of the event.
const ACROSS: usize = 1;
const UP: usize = 2;

/// A phase where nothing else is near in time.
struct Shown {
    phase: &'static str,
    /// By which component it is shown.
    component: usize,
    distances: &'static [u32],
    /// Changes of the scenario.
    changes: &'static [&'static str],
}

/// Without S waves, so that sP does not follow pP.
const EXPLOSION: [&str; 2] = ["source[0].moment_tensor={ xx = 1.0e20, yy = 1.0e20, zz = 1.0e20 }", "duration=640.0"];

const SHOWN: [Shown; 5] = [
    Shown { phase: "P", component: UP, distances: &[38, 40, 42, 44], changes: &EXPLOSION },
    Shown { phase: "pP", component: UP, distances: &[42, 44], changes: &EXPLOSION },
    Shown { phase: "sP", component: UP, distances: &[38, 40], changes: &[] },
    Shown { phase: "S", component: ACROSS, distances: &[40, 42, 44], changes: &[] },
    Shown { phase: "ScS", component: ACROSS, distances: &[8, 12], changes: &[] },
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

/// The worst error of a phase as a part of the shortest period.
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
    /// How much later than expected it comes \[s\].
    late: f64,
    /// The part of the energy that a pulse of the best size has.
    like: f64,
}

/// Looks for the pulse of the source in the trace of a station, near the time that a ray takes.
fn find(outcome: &Outcome, component: usize, distance: u32, time: f64) -> Result<Found> {
    let trace = outcome.seismogram(&format!("XX.D{distance:02}"), Displacement)?[component];
    let corner = LOW_PASS.0 * outcome.resolved_frequency;
    let filter = Butterworth::new(Band::LowPass { corner }, LOW_PASS.1, trace.dt)?;
    let source = outcome.setup.sources.first().context("no source")?.time_function();
    let at = |sample: usize| trace.start + sample as f64 * trace.dt;
    let expected: Vec<f64> = (0..trace.samples.len()).map(|sample| source.value(at(sample) - time)).collect();
    let [found, expected] = [&trace.samples, &expected].map(|samples| filter.zero_phase(samples));
    let half = HALF_WINDOW / outcome.resolved_frequency;
    let cut = |samples: &[f64], centre: f64| -> Vec<f64> {
        let near = |sample: &usize| (at(*sample) - centre).abs() <= half;
        (0..samples.len()).filter(near).map(|sample| samples[sample]).collect()
    };
    let centre = time + source.event_time();
    let (found, expected) = (cut(&found?, centre), cut(&expected?, centre));
    let product: f64 = found.iter().zip(&expected).map(|(a, b)| a * b).sum();
    // What is reflected or leaves the source another way may move the other way.
    let expected: Vec<f64> = expected.iter().map(|value| value * product.signum()).collect();
    let late = time_shift(&[&found], &[&expected], trace.dt)?;
    Ok(Found { late, like: likeness(&found, &expected, late / trace.dt) })
}

/// The part of the energy of samples that others have, moved later by so many samples, at their best size.
fn likeness(found: &[f64], expected: &[f64], late: f64) -> f64 {
    let moved = |sample: usize| {
        let place = (sample as f64 - late).clamp(0.0, (expected.len() - 1) as f64);
        let below = (place as usize).min(expected.len() - 2);
        expected[below] + (place - below as f64) * (expected[below + 1] - expected[below])
    };
    let [mut product, mut ours, mut theirs] = [0.0; 3];
    for (sample, value) in found.iter().enumerate() {
        product += value * moved(sample);
        ours += value * value;
        theirs += moved(sample).powi(2);
    }
    product * product / (ours * theirs)
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn a_pulse_is_like_itself_wherever_it_stands_and_another_is_not() {
        let pulse = |centre: f64| (0..100).map(|k| (-0.02 * (f64::from(k) - centre).powi(2)).exp()).collect::<Vec<_>>();
        let late = |found: &[f64]| time_shift(&[found], &[&pulse(50.0)], 1.0).unwrap();
        assert!((late(&pulse(52.3)) - 2.3).abs() < 0.02);
        assert!(likeness(&pulse(52.3), &pulse(50.0), 2.3) > 0.999);
        assert!(likeness(&pulse(52.3), &pulse(50.0), -8.0) < 0.1);
    }
}
