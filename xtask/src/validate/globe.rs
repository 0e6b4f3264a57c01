//! Chunks of the spherical Earth: the earthquake of Bolivia, 1994, its waves and its permanent displacement; a GPU against CPU cores.

use super::simulation::{Outcome, Simulation, Simulations};
use super::window::Reflection;
use super::{Case, Finding, Tier};
use anyhow::{Context, Result, ensure};
use craton::traces::Trace;
use craton_acquisition::Quantity::{self, Displacement};
use craton_numerics::filter::{Band, Butterworth};
use craton_numerics::misfit::relative_l2;
use craton_numerics::resample::{CubicSpline, SplineEnd};
use craton_testkit::references::ReferenceTraces;

/// The station 5 degrees south of the event.
const STATION: &str = "XX.S05";
/// Time after which only long surface waves remain [s].
const AT_REST: std::ops::Range<f64> = 500.0..1700.0;
/// Corner of the low-pass relative to the resolved frequency, and its order in each direction.
const LOW_PASS: (f64, usize) = (0.8, 4);

/// Seismograms east, north and up.
pub type Components = Vec<Vec<f64>>;

/// Waves and static offset, with increasingly fine elements.
pub fn bolivia() -> Vec<Case> {
    let resolved = [("60s", "0.0167", Tier::B), ("30s", "0.0333", Tier::C), ("15s", "0.0667", Tier::C)];
    let both = resolved.into_iter().flat_map(|resolved| [(resolved, false), (resolved, true)]);
    let cases = both.flat_map(|((period, frequency, tier), anelastic)| {
        let simulation = Simulation::of_example("bolivia", &format!("max_frequency = {frequency}"));
        let enabled = format!("attenuation.enabled={anelastic}");
        let simulation = simulation.with(&["duration=1800", &enabled]);
        let (word, table) = if anelastic { ("anelastic-", ANELASTIC) } else { ("", ELASTIC) };
        let of = |what: &str, limit: f64, find: fn(&Outcome, &str) -> Result<Finding>| {
            let simulation = simulation.clone();
            let (name, method) = (format!("bolivia-{word}{what}-{period}"), simulation.method());
            let run = Box::new(move |simulations: &Simulations| find(&*simulations.outcome(&simulation)?, table));
            Case { name, method, tier, limit, run }
        };
        [of("waves", 0.015, waves), of("static", if anelastic { 0.02 } else { 0.015 }, static_offset)]
    });
    cases.collect()
}

/// Reference seismograms without and with attenuation.
const ELASTIC: &str = "S05_u.txt";
const ANELASTIC: &str = "S05_anelastic_u.txt";

/// A GPU against the CPU cores of its host over a whole run, across the north pole.
pub fn pole() -> Case {
    let simulation = Simulation::of("pole");
    let method = simulation.method();
    let run = Box::new(move |simulations: &Simulations| {
        ensure!(!simulations.are_on_cores(), "it compares a GPU with cores; give --device cuda");
        let on_cores = Simulations::on_cores().outcome(&simulation)?;
        gpu_against_cores(&*simulations.outcome(&simulation)?, &on_cores)
    });
    Case { name: "pole-gpu-against-cores".to_owned(), method, tier: Tier::C, limit: 1e-5, run }
}

/// The worst relative L2 of a component over the whole record.
fn gpu_against_cores(on_gpu: &Outcome, on_cores: &Outcome) -> Result<Finding> {
    let mut notes = vec![format!("whole record; {}, {} and {} steps", on_gpu.size, on_gpu.steps, on_cores.steps)];
    let mut worst: f64 = 0.0;
    for station in &on_cores.setup.receivers {
        let code = station.code();
        let [found, expected] = [on_gpu, on_cores].map(|outcome| outcome.seismogram(&code, Displacement));
        for (found, expected) in found?.into_iter().zip(expected?) {
            let misfit = relative_l2(&[&found.samples], &[&expected.samples])?;
            notes.push(format!("{} {misfit:.3e}", found.name));
            worst = worst.max(misfit);
        }
    }
    Ok(Finding { rel_l2: worst, notes })
}

/// Seismograms of Craton and of the reference 5 degrees south of the event.
fn both(outcome: &Outcome, table: &str) -> Result<(Vec<f64>, [Components; 2])> {
    both_at(outcome, (STATION, Displacement), ("bolivia", table, 0))
}

/// Seismograms of Craton of a quantity at a station and of a receiver of a reference, at the times of the reference.
pub fn both_at(
    outcome: &Outcome,
    (station, quantity): (&str, Quantity),
    (set, table, receiver): (&str, &str, usize),
) -> Result<(Vec<f64>, [Components; 2])> {
    let reference = ReferenceTraces::read(set, table)?;
    let found = outcome.seismogram(station, quantity)?;
    // The reference has its samples between those of Craton; both have many samples per period.
    let last = found[0].start + (found[0].samples.len() - 1) as f64 * found[0].dt;
    let is_covered = |time: &&f64| (found[0].start..=last).contains(*time);
    let first = reference.times.iter().take_while(|time| !is_covered(time)).count();
    let times: Vec<f64> = reference.times[first..].iter().take_while(is_covered).copied().collect();
    let at_times = |trace: &Trace| -> Result<Vec<f64>> {
        let spline = CubicSpline::new(trace.start, trace.dt, &trace.samples, SplineEnd::NotAKnot)?;
        Ok(spline.values(&times)?)
    };
    let found = found.into_iter().map(at_times).collect::<Result<_>>()?;
    let expected = &reference.receivers.get(receiver).context("no receiver")?.components;
    let expected = expected.iter().map(|trace| trace[first..first + times.len()].to_vec()).collect();
    Ok((times, [found, expected]))
}

/// Relative L2 of all components up to the first wave from a side, of what the mesh resolves.
fn waves(outcome: &Outcome, table: &str) -> Result<Finding> {
    let (times, [found, expected]) = both(outcome, table)?;
    let corner = LOW_PASS.0 * outcome.resolved_frequency;
    let filter = Butterworth::new(Band::LowPass { corner }, LOW_PASS.1, times[1] - times[0])?;
    let filtered = |traces: &Components| -> Result<Components> {
        Ok(traces.iter().map(|trace| filter.zero_phase_held(trace)).collect::<Result<_, _>>()?)
    };
    let low = [filtered(&found)?, filtered(&expected)?];
    let reflection = first_from_the_sides(outcome)?;
    let window = times.iter().take_while(|&&time| time <= reflection.time).count();
    let notes = vec![format!(
        "0 to {} s, then waves from the sides ({}) may arrive; low-passed at {corner:.4} Hz; unfiltered {:.3e}; 0 to {} s, with these waves, {:.3e}; \
         {}, {} steps",
        times[window - 1],
        reflection.side,
        misfit([&found, &expected], window)?,
        times[times.len() - 1],
        misfit([&low[0], &low[1]], times.len())?,
        outcome.size,
        outcome.steps,
    )];
    Ok(Finding { rel_l2: misfit([&low[0], &low[1]], window)?, notes })
}

/// The first wave that a side of the chunk can send back to the station: P to its mirror image in the southern side, 85 degrees from the event.
fn first_from_the_sides(outcome: &Outcome) -> Result<Reflection> {
    let station = outcome.setup.receivers.iter().find(|station| station.code() == STATION).context("no station")?;
    Reflection::first(&outcome.setup, station.position()).context("no absorbing side")
}

/// Relative L2 of the first samples, all components together.
pub fn misfit(both: [&Components; 2], samples: usize) -> Result<f64> {
    let [found, expected] = both.map(|traces| traces.iter().map(|trace| &trace[..samples]).collect::<Vec<_>>());
    Ok(relative_l2(&found, &expected)?)
}

/// The worse of the relative errors of the static offset to the north and upwards.
fn static_offset(outcome: &Outcome, table: &str) -> Result<Finding> {
    let (times, sides) = both(outcome, table)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_wave_from_a_side_is_p_to_the_mirror_image_in_the_south() {
        let setup = Simulation::of_example("bolivia", "max_frequency = 0.0167").setup().unwrap();
        let station = setup.receivers.iter().find(|station| station.code() == STATION).unwrap();
        let Reflection { time, side } = Reflection::first(&setup, station.position()).unwrap();
        // P takes 688 s through 85 degrees; the moment rate of 20 s half duration begins some 27 s before its centre.
        assert!((655.0..667.0).contains(&time) && side == "y min", "{time} {side}");
    }
}
