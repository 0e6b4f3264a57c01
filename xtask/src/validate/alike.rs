//! Two ways to say the same thing must give the same seismograms.

use super::simulation::{Outcome, Simulation, Simulations};
use super::{Case, Finding, Tier};
use anyhow::Result;
use craton_acquisition::Quantity;
use craton_numerics::misfit::relative_l2;

/// Two simulations that should not differ.
pub struct Alike {
    /// Name of the case.
    pub name: &'static str,
    /// What is looked at.
    pub simulation: Simulation,
    /// What it is compared with.
    pub like: Simulation,
    /// Largest relative L2 that passes, at the worst receiver.
    pub limit: f64,
    /// Why they may differ, and so much.
    pub why: &'static str,
}

impl Alike {
    /// The case: velocity at all receivers over the whole record, the worst of them counts.
    pub fn case(self) -> Case {
        Case {
            name: self.name.to_owned(),
            method: self.simulation.method(),
            tier: Tier::A,
            limit: self.limit,
            run: Box::new(move |simulations| self.run(simulations)),
        }
    }

    fn run(&self, simulations: &Simulations) -> Result<Finding> {
        let (found, expected) = (simulations.outcome(&self.simulation)?, simulations.outcome(&self.like)?);
        let mut misfits = Vec::new();
        for receiver in &expected.setup.receivers {
            let code = receiver.code();
            let test = samples(&found, &code)?;
            let reference = samples(&expected, &code)?;
            misfits.push((code, relative_l2(&test, &reference)?));
        }
        let each: Vec<String> = misfits.iter().map(|(code, misfit)| format!("{code} {misfit:.3e}")).collect();
        let worst = misfits.iter().map(|&(_, misfit)| misfit).fold(0.0, f64::max);
        let sizes = format!("{}, {} steps against {}, {}", found.size, found.steps, expected.size, expected.steps);
        Ok(Finding { rel_l2: worst, notes: vec![self.why.to_owned(), sizes, each.join(", ")] })
    }
}

/// The velocity at a receiver, component by component.
fn samples<'a>(outcome: &'a Outcome, code: &str) -> Result<Vec<&'a [f64]>> {
    Ok(outcome.seismogram(code, Quantity::Velocity)?.into_iter().map(|trace| &*trace.samples).collect())
}
