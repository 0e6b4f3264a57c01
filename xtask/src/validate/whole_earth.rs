//! The whole Earth: a deep and a shallow earthquake, elastic and anelastic, at stations up to 150 degrees away; local time steps in a thin crust.

use super::alike::{Alike, Part};
use super::globe::{Components, both_at, misfit};
use super::simulation::{Outcome, Simulation, Simulations};
use super::{Case, Finding, Tier};
use anyhow::Result;
use craton_acquisition::Quantity::{self, Displacement, Pressure};
use craton_numerics::filter::{Band, Butterworth};

/// An earthquake with its stations.
#[derive(Clone, Copy)]
struct Earthquake {
    name: &'static str,
    /// Changes of the scenario.
    changes: &'static [&'static str],
    /// Tables of the stations, whose codes end like them.
    stations: [(&'static str, &'static str); 2],
    limit: f64,
}

const BOLIVIA: Earthquake = Earthquake {
    name: "bolivia",
    changes: &["duration=3600"],
    stations: [("XX.BD060", "bolivia_D060.txt"), ("XX.BD150", "bolivia_D150.txt")],
    limit: 0.02,
};
const THRUST: Earthquake = Earthquake {
    name: "thrust",
    changes: &["duration=7200", "source=[{ cmtsolution = 'thrust.cmt' }]"],
    stations: [("XX.TD030", "thrust_D030.txt"), ("XX.TD090", "thrust_D090.txt")],
    limit: 0.04,
};

/// Waves of both earthquakes at twice the shortest period of the mesh.
pub fn whole_earth() -> Vec<Case> {
    let all = [
        (BOLIVIA, "125s", "max_frequency=0.008", Tier::B, &["duration=1800"][..]),
        (BOLIVIA, "27s", "max_frequency=0.037", Tier::C, &[]),
        (THRUST, "27s", "max_frequency=0.037", Tier::C, &[]),
    ];
    let both = all.into_iter().flat_map(|case| [(case, false), (case, true)]);
    let cases = both.filter(|((.., tier, _), anelastic)| *tier == Tier::C || !anelastic);
    let case = |((earthquake, period, frequency, tier, more), anelastic): ((Earthquake, _, &str, _, &[&str]), bool)| {
        let enabled = format!("attenuation.enabled={anelastic}");
        let frequency = format!("method.sem.{frequency}");
        let simulation = Simulation::of("globe").with(&[&enabled, &frequency]).with(earthquake.changes).with(more);
        let word = if anelastic { "anelastic-" } else { "" };
        let (name, method) = (format!("globe-{}-{word}{period}", earthquake.name), simulation.method());
        let run = Box::new(move |simulations: &Simulations| {
            waves(&*simulations.outcome(&simulation)?, &earthquake, usize::from(anelastic))
        });
        Case { name, method, tier, limit: earthquake.limit, run }
    };
    cases.map(case).collect()
}

/// A coarse globe whose thin crust dictates the time step: with local time steps against the same step everywhere.
pub fn thin_crust() -> Case {
    let simulation = Simulation::of("thin_crust");
    let like = simulation.clone().with(&["method.sem.local_time_steps=false"]);
    let why = "the same mesh, low-passed at 4 mHz, which removes the noise of single precision; what differs is the error in time";
    let name = "globe-thin-crust-local-time-steps";
    Alike { name, simulation, like, tier: Tier::B, part: Part::Below(0.004), limit: 1e-4, why }.case()
}

/// Stations of a sphere with a fluid core, and the tables of their displacement.
const IN_SPHERE: [(&str, &str); 7] = [
    ("XX.S005", "s005_u.txt"),
    ("XX.S030", "s030_u.txt"),
    ("XX.S090", "s090_u.txt"),
    ("XX.S150", "s150_u.txt"),
    ("XX.S175", "s175_u.txt"),
    ("XX.M120", "m120_u.txt"),
    ("XX.C060", "c060_u.txt"),
];

/// An explosion in the fluid core of a sphere against a sum of partial waves: the coupling on a curved boundary, waves at all distances, permanent offsets.
pub fn fluid_core() -> Case {
    let simulation = Simulation::of("fluid_sphere");
    let method = simulation.method();
    let run = Box::new(move |simulations: &Simulations| {
        let outcome = simulations.outcome(&simulation)?;
        let of = |station: &str, quantity: Quantity, table: &str| -> Result<(String, f64)> {
            let (times, [found, expected]) = both_at(&outcome, (station, quantity), ("fluid_sphere", table, 0))?;
            // Pressure in single precision has noise at frequencies far above those of the waves.
            let filter =
                Butterworth::new(Band::LowPass { corner: outcome.resolved_frequency }, 4, times[1] - times[0])?;
            let low = |traces: &Components| -> Result<Components> {
                Ok(traces.iter().map(|trace| filter.zero_phase_held(trace)).collect::<Result<_, _>>()?)
            };
            let both = if quantity == Pressure { [low(&found)?, low(&expected)?] } else { [found, expected] };
            Ok((format!("{station} {quantity:?}"), misfit([&both[0], &both[1]], times.len())?))
        };
        let displacements = IN_SPHERE.iter().map(|(station, table)| of(station, Displacement, table));
        let misfits = displacements.chain([of("XX.C060", Pressure, "c060_p.txt")]).collect::<Result<Vec<_>>>()?;
        let worst = misfits.iter().map(|(_, misfit)| *misfit).fold(0.0, f64::max);
        let each: Vec<String> = misfits.iter().map(|(what, misfit)| format!("{what} {misfit:.2e}")).collect();
        Ok(Finding {
            rel_l2: worst,
            notes: vec![format!("{}, {} steps", outcome.size, outcome.steps), each.join(", ")],
        })
    });
    Case { name: "sphere-with-a-fluid-core".to_owned(), method, tier: Tier::B, limit: 0.01, run }
}

/// The worst relative L2 of a station, all components together, over the whole record except half a period of the filter at both ends, where its result
/// depends on what is outside.
fn waves(outcome: &Outcome, earthquake: &Earthquake, receiver: usize) -> Result<Finding> {
    let corner = 0.5 * outcome.resolved_frequency;
    let mut worst: f64 = 0.0;
    let mut notes = vec![format!("low-passed at {corner:.4} Hz; {}, {} steps", outcome.size, outcome.steps)];
    for (station, table) in earthquake.stations {
        let (times, [found, expected]) = both_at(outcome, (station, Displacement), ("globe", table, receiver))?;
        let filter = Butterworth::new(Band::LowPass { corner }, 4, times[1] - times[0])?;
        let filtered = |traces: &Components| -> Result<Components> {
            Ok(traces.iter().map(|trace| filter.zero_phase_held(trace)).collect::<Result<_, _>>()?)
        };
        let ends = (0.5 / corner / (times[1] - times[0])) as usize;
        let inner = |traces: &Components| -> Result<Components> {
            Ok(filtered(traces)?.into_iter().map(|trace| trace[ends..trace.len() - ends].to_vec()).collect())
        };
        let samples = times.len() - 2 * ends;
        let off = misfit([&inner(&found)?, &inner(&expected)?], samples)?;
        notes.push(format!("{station} {off:.3e} from {} to {} s", times[ends], times[ends + samples - 1]));
        worst = worst.max(off);
    }
    Ok(Finding { rel_l2: worst, notes })
}
