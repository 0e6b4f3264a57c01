//! Equivalent scenarios must give the same seismograms.

use super::simulation::{Outcome, Simulation, Simulations};
use super::window::Reflection;
use super::{Case, Finding, Tier};
use anyhow::Result;
use craton_acquisition::Quantity;
use craton_numerics::filter::{Band, Butterworth};
use craton_numerics::misfit::relative_l2;

/// Order of a low-pass in each direction.
const ORDER: usize = 4;

/// Two simulations that should not differ.
pub struct Alike {
    /// Name of the case.
    pub name: &'static str,
    /// The simulation.
    pub simulation: Simulation,
    /// The simulation that it is compared with.
    pub like: Simulation,
    /// Cost class of both.
    pub tier: Tier,
    /// The part of the records that is compared.
    pub part: Part,
    /// Largest allowed relative L2 at the worst receiver.
    pub limit: f64,
    /// Reason for the allowed difference.
    pub why: &'static str,
}

/// A part of records.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Part {
    /// All samples.
    Whole,
    /// Until the first reflection from a side of what it is compared with can arrive.
    BeforeReflections,
    /// The same below a frequency [Hz].
    Below(f64),
}

impl Alike {
    /// The case: velocity at all receivers, the worst of them counts.
    pub fn case(self) -> Case {
        Case {
            name: self.name.to_owned(),
            method: self.simulation.method(),
            tier: self.tier,
            limit: self.limit,
            run: Box::new(move |simulations| self.run(simulations)),
        }
    }

    fn run(&self, simulations: &Simulations) -> Result<Finding> {
        let (found, expected) = (simulations.outcome(&self.simulation)?, simulations.outcome(&self.like)?);
        let mut misfits = Vec::new();
        for receiver in &expected.setup.receivers {
            let code = receiver.code();
            let reflection = Reflection::first(&expected.setup, receiver.position());
            let end =
                reflection.filter(|_| self.part != Part::Whole).map_or(f64::INFINITY, |reflection| reflection.time);
            let [test, reference] = [&found, &expected].map(|outcome| self.part.of(outcome, &code, end));
            misfits.push((code, misfit(&test?, &reference?)?));
        }
        let each: Vec<String> = misfits.iter().map(|(code, misfit)| format!("{code} {misfit:.3e}")).collect();
        let worst = misfits.iter().map(|&(_, misfit)| misfit).fold(0.0, f64::max);
        let sizes = format!("{}, {} steps against {}, {}", found.size, found.steps, expected.size, expected.steps);
        Ok(Finding { rel_l2: worst, notes: vec![self.why.to_owned(), sizes, each.join(", ")] })
    }
}

impl Part {
    /// The velocity at a receiver until `end` [s], component by component.
    fn of(self, outcome: &Outcome, code: &str, end: f64) -> Result<Vec<Vec<f64>>> {
        let traces = outcome.seismogram(code, Quantity::Velocity)?;
        let (start, dt) = (traces[0].start, traces[0].dt);
        let mut samples = velocity(outcome, code)?;
        if let Self::Below(corner) = self {
            let filter = Butterworth::new(Band::LowPass { corner }, ORDER, dt)?;
            samples = samples.iter().map(|trace| filter.zero_phase(trace)).collect::<Result<_, _>>()?;
        }
        samples.iter_mut().for_each(|trace| trace.truncate((((end - start) / dt) as usize).saturating_add(1)));
        Ok(samples)
    }
}

/// The velocity at a receiver, component by component.
pub fn velocity(outcome: &Outcome, code: &str) -> Result<Vec<Vec<f64>>> {
    let traces = outcome.seismogram(code, Quantity::Velocity)?;
    Ok(traces.iter().map(|trace| trace.samples.clone()).collect())
}

/// Relative L2 of the samples that both have, all components together.
pub fn misfit(test: &[Vec<f64>], reference: &[Vec<f64>]) -> Result<f64> {
    let common = test[0].len().min(reference[0].len());
    let [test, reference] =
        [test, reference].map(|traces| traces.iter().map(|trace| &trace[..common]).collect::<Vec<_>>());
    Ok(relative_l2(&test, &reference)?)
}
