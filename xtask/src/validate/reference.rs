//! Simulations against the reference seismograms of `validation/references`.

use super::simulation::{Outcome, Simulation, Simulations};
use super::window::Reflection;
use super::{Case, Finding, Tier};
use anyhow::{Context, Result, ensure};
use craton_acquisition::Quantity;
use craton_numerics::filter::{Band, Butterworth};
use craton_numerics::misfit::relative_l2;
use craton_testkit::references::ReferenceTraces;

/// Corner of the low-pass relative to the resolved frequency.
const CORNER: f64 = 0.8;
/// Order of the low-pass in each direction.
const ORDER: usize = 4;
/// Tolerance of equal times, given the digits of a text file [s].
const SAME_TIME: f64 = 1e-6;

/// Traces x, y, z, or one.
type Components = Vec<Vec<f64>>;

/// A simulation against a table of reference seismograms.
#[derive(Clone)]
pub struct Reference {
    /// Beginning of the names of its cases.
    pub name: &'static str,
    /// The simulation; its station codes are `XX.R` and the number of the receiver.
    pub simulation: Simulation,
    /// Folder of the table.
    pub set: &'static str,
    /// Beginning of the table's name; `_u.txt`, `_v.txt`, or for pressure `.txt` follows.
    pub table: String,
    /// Largest relative L2 that passes.
    pub limit: f64,
    /// Whether both traces are low-passed, because the source radiates higher frequencies than the mesh resolves.
    pub low_pass: bool,
    /// Whether the whole record is compared: the absorbing layers of a grid reflect little.
    pub whole: bool,
}

impl Reference {
    /// A case for every quantity and receiver.
    pub fn cases(&self, tier: Tier, quantities: &[Quantity], receivers: &[usize]) -> Vec<Case> {
        let pairs = quantities.iter().flat_map(|&quantity| receivers.iter().map(move |&number| (quantity, number)));
        pairs.map(|(quantity, number)| self.case(tier, quantity, number)).collect()
    }

    fn case(&self, tier: Tier, quantity: Quantity, receiver: usize) -> Case {
        let (word, ending) = match quantity {
            Quantity::Displacement => ("displacement", "_u"),
            Quantity::Velocity => ("velocity", "_v"),
            Quantity::Pressure => ("pressure", ""),
            other => unreachable!("there is no reference of {other:?}"),
        };
        let own = self.clone();
        let table = format!("{}{ending}.txt", self.table);
        Case {
            name: format!("{}-{word}-r{receiver}", self.name),
            method: self.simulation.method(),
            tier,
            limit: self.limit,
            run: Box::new(move |simulations| own.run(simulations, quantity, &table, receiver)),
        }
    }

    fn run(&self, simulations: &Simulations, quantity: Quantity, table: &str, receiver: usize) -> Result<Finding> {
        let outcome = simulations.outcome(&self.simulation)?;
        let reference = ReferenceTraces::read(self.set, table)?;
        let code = format!("XX.R{receiver}");
        let found = outcome.seismogram(&code, quantity)?;
        let expected = reference.receivers.iter().find(|one| one.number == receiver).context("no such receiver")?;
        let times = &reference.times[..found[0].samples.len().min(reference.times.len())];
        let spacing = times.iter().enumerate().map(|(index, t)| found[0].start + found[0].dt * index as f64 - t);
        ensure!(spacing.into_iter().all(|gap| gap.abs() < SAME_TIME), "{code} is not on the samples of {table}");

        let found: Components = found.iter().map(|trace| trace.samples[..times.len()].to_vec()).collect();
        let expected: Components = expected.components.iter().map(|trace| trace[..times.len()].to_vec()).collect();
        let station = outcome.setup.receivers.iter().find(|station| station.code() == code).context("no station")?;
        let reflection = Reflection::first(&outcome.setup, station.position()).context("no absorbing side")?;
        let before = times.iter().take_while(|&&time| time <= reflection.time).count();
        let window = if self.whole { times.len() } else { before };
        self.finding(&outcome, [&found, &expected], times, window, &reflection)
    }

    fn finding(
        &self,
        outcome: &Outcome,
        [found, expected]: [&Components; 2],
        times: &[f64],
        window: usize,
        reflection: &Reflection,
    ) -> Result<Finding> {
        let whole = times.len();
        let plain = misfit(found, expected, window)?;
        let mut notes = vec![format!(
            "window 0 to {:.2} s, reflections ({}) may arrive from {:.2} s on; {:.1} % of the energy of 0 to {:.2} s; {}, {} steps",
            times[window - 1],
            reflection.side,
            reflection.time,
            100.0 * energy(expected, window) / energy(expected, whole),
            times[whole - 1],
            outcome.size,
            outcome.steps,
        )];
        if !self.low_pass {
            notes.push(format!(
                "with reflections, 0 to {:.2} s: {:.3e}",
                times[whole - 1],
                misfit(found, expected, whole)?
            ));
            return Ok(Finding { rel_l2: plain, notes });
        }
        let corner = CORNER * outcome.resolved_frequency;
        let filter = Butterworth::new(Band::LowPass { corner }, ORDER, times[1] - times[0])?;
        let filtered = |traces: &Components| -> Result<Components> {
            Ok(traces.iter().map(|trace| filter.zero_phase(trace)).collect::<Result<_, _>>()?)
        };
        let (found_low, expected_low) = (filtered(found)?, filtered(expected)?);
        let after = misfit(&found_low, &expected_low, whole)?;
        notes.push(format!("with reflections, 0 to {:.2} s: {after:.3e}", times[whole - 1]));
        notes.push(format!(
            "low-passed at {corner:.2} Hz; unfiltered {plain:.3e}, with reflections {:.3e}",
            misfit(found, expected, whole)?
        ));
        Ok(Finding { rel_l2: misfit(&found_low, &expected_low, window)?, notes })
    }
}

/// Relative L2 of the first samples, all components together.
fn misfit(found: &Components, expected: &Components, samples: usize) -> Result<f64> {
    let [found, expected] =
        [found, expected].map(|traces| traces.iter().map(|trace| &trace[..samples]).collect::<Vec<_>>());
    Ok(relative_l2(&found, &expected)?)
}

/// Sum of squares of the first samples.
fn energy(traces: &Components, samples: usize) -> f64 {
    traces.iter().flat_map(|trace| &trace[..samples]).map(|x| x * x).sum()
}
