//! The earthquake of Bolivia, 1994, in a chunk of the spherical Earth: its waves and what it moved for good.

use super::simulation::{Outcome, Simulation, Simulations};
use super::{Case, Finding, Tier};
use anyhow::{Context, Result};
use craton_acquisition::Quantity::Displacement;
use craton_numerics::filter::{Band, Butterworth};
use craton_numerics::misfit::relative_l2;
use craton_testkit::references::ReferenceTraces;

/// The station 5 degrees south of the event.
const STATION: &str = "XX.S05";
/// Waves from the sides of the chunk come later than this [s]: P takes 480 s to the nearest side, 40 degrees from the station, and 450 s back.
const WINDOW: f64 = 900.0;
/// When the Earth is at rest again but for long surface waves [s].
const AT_REST: std::ops::Range<f64> = 500.0..1700.0;
/// Corner of the low-pass as a part of the resolved frequency, and its order each way.
const LOW_PASS: (f64, usize) = (0.8, 4);

/// Seismograms east, north and up.
type Components = Vec<Vec<f64>>;

/// Waves and static offset, by elements ever finer.
pub fn bolivia() -> Vec<Case> {
    let resolved = [("60s", "0.0167", Tier::B), ("30s", "0.0333", Tier::C), ("15s", "0.0667", Tier::C)];
    let cases = resolved.into_iter().flat_map(|(period, frequency, tier)| {
        let simulation = Simulation::of_example("bolivia", &format!("max_frequency = {frequency}"));
        let simulation = simulation.with(&["duration=1800"]);
        let of = |what: &str, limit: f64, find: fn(&Outcome) -> Result<Finding>| {
            let simulation = simulation.clone();
            let (name, method) = (format!("bolivia-{what}-{period}"), simulation.method());
            let run = Box::new(move |simulations: &Simulations| find(&*simulations.outcome(&simulation)?));
            Case { name, method, tier, limit, run }
        };
        [of("waves", 0.06, waves), of("static", 0.05, static_offset)]
    });
    cases.collect()
}

/// Ours and the reference's, at the times of the latter.
fn both(outcome: &Outcome) -> Result<(Vec<f64>, [Components; 2])> {
    let reference = ReferenceTraces::read("bolivia", "S05_u.txt")?;
    let found = outcome.seismogram(STATION, Displacement)?;
    // Ours begin before the centroid time, by whole samples.
    let skipped = ((reference.times[0] - found[0].start) / found[0].dt).round() as usize;
    let count = reference.times.len().min(found[0].samples.len() - skipped);
    let found = found.iter().map(|trace| trace.samples[skipped..skipped + count].to_vec()).collect();
    let expected = &reference.receivers.first().context("no receiver")?.components;
    let expected = expected.iter().map(|trace| trace[..count].to_vec()).collect();
    Ok((reference.times[..count].to_vec(), [found, expected]))
}

/// Relative L2 of all components up to the first waves from the sides, of what the mesh resolves.
fn waves(outcome: &Outcome) -> Result<Finding> {
    let (times, [found, expected]) = both(outcome)?;
    let corner = LOW_PASS.0 * outcome.resolved_frequency;
    let filter = Butterworth::new(Band::LowPass { corner }, LOW_PASS.1, times[1] - times[0])?;
    let filtered = |traces: &Components| -> Result<Components> {
        Ok(traces.iter().map(|trace| filter.zero_phase_held(trace)).collect::<Result<_, _>>()?)
    };
    let low = [filtered(&found)?, filtered(&expected)?];
    let window = times.iter().take_while(|&&time| time <= WINDOW).count();
    let notes = vec![format!(
        "0 to {WINDOW} s, low-passed at {corner:.4} Hz; unfiltered {:.3e}; 0 to {} s, with waves from the sides, {:.3e}; {}, {} steps",
        misfit([&found, &expected], window)?,
        times[times.len() - 1],
        misfit([&low[0], &low[1]], times.len())?,
        outcome.size,
        outcome.steps,
    )];
    Ok(Finding { rel_l2: misfit([&low[0], &low[1]], window)?, notes })
}

/// Relative L2 of the first samples, all components together.
fn misfit(both: [&Components; 2], samples: usize) -> Result<f64> {
    let [found, expected] = both.map(|traces| traces.iter().map(|trace| &trace[..samples]).collect::<Vec<_>>());
    Ok(relative_l2(&found, &expected)?)
}

/// The worse of the relative errors of the static offset to the north and upwards.
fn static_offset(outcome: &Outcome) -> Result<Finding> {
    let (times, sides) = both(outcome)?;
    let [found, expected] = sides.map(|traces| {
        let mean = |trace: &[f64]| {
            let at_rest: Vec<f64> =
                times.iter().zip(trace).filter(|(time, _)| AT_REST.contains(*time)).map(|(_, value)| *value).collect();
            1e3 * at_rest.iter().sum::<f64>() / at_rest.len() as f64
        };
        [mean(&traces[1]), mean(&traces[2])]
    });
    let error = |component: usize| (found[component] / expected[component] - 1.0).abs();
    let notes = vec![format!(
        "north {:.3} mm of {:.3}, up {:.3} mm of {:.3}, means of {} to {} s",
        found[0], expected[0], found[1], expected[1], AT_REST.start, AT_REST.end
    )];
    Ok(Finding { rel_l2: error(0).max(error(1)), notes })
}
