//! Ground that is a flight of stairs, the finer the better: against a mesh that follows it.

use super::alike::{misfit, velocity};
use super::simulation::{Simulation, Simulations};
use super::{Case, Finding, Tier};
use anyhow::Result;

/// A scenario by finite differences with smaller and smaller cells, against spectral elements.
pub struct Stairs {
    /// Name of the case.
    pub name: &'static str,
    /// By finite differences, the coarsest first.
    pub by_fd: [Simulation; 3],
    /// Their cells [m].
    pub spacing: [f64; 3],
    /// By spectral elements.
    pub like: Simulation,
    /// What all of them cost.
    pub tier: Tier,
    /// Power of the edge of a cell with which the error falls: that of the extrapolation.
    pub order: i32,
    /// Largest relative L2 of the extrapolated traces that passes, all receivers together.
    pub limit: f64,
}

impl Stairs {
    /// The case: velocity at all receivers together, the two finest grids extrapolated to cells of no size (Richardson).
    pub fn case(self) -> Case {
        Case {
            name: self.name.to_owned(),
            method: "fd",
            tier: self.tier,
            limit: self.limit,
            run: Box::new(move |simulations| self.run(simulations)),
        }
    }

    fn run(&self, simulations: &Simulations) -> Result<Finding> {
        let expected = traces(simulations, &self.like)?;
        let mut found = Vec::new();
        for simulation in &self.by_fd {
            found.push(traces(simulations, simulation)?);
        }
        let errors = found.iter().map(|traces| misfit(traces, &expected)).collect::<Result<Vec<f64>>>()?;
        let measured = (errors[0] / errors[2]).ln() / (self.spacing[0] / self.spacing[2]).ln();
        let limit = extrapolated(&found[1], &found[2], (self.spacing[1] / self.spacing[2]).powi(self.order));
        let each: Vec<String> =
            self.spacing.iter().zip(&errors).map(|(edge, error)| format!("{edge:.1} m {error:.3e}")).collect();
        let notes = vec![
            format!("cells of {}; the error falls with the power {measured:.2} of their edge", each.join(", ")),
            format!("the two finest extrapolated with the power {}", self.order),
        ];
        Ok(Finding { rel_l2: misfit(&limit, &expected)?, notes })
    }
}

/// The velocities at all receivers, one after the other.
fn traces(simulations: &Simulations, simulation: &Simulation) -> Result<Vec<Vec<f64>>> {
    let outcome = simulations.outcome(simulation)?;
    let mut all = Vec::new();
    for receiver in &outcome.setup.receivers {
        all.extend(velocity(&outcome, &receiver.code())?);
    }
    Ok(all)
}

/// What traces tend to whose error falls by `factor` from the coarse to the fine ones.
fn extrapolated(coarse: &[Vec<f64>], fine: &[Vec<f64>], factor: f64) -> Vec<Vec<f64>> {
    let of_trace = |(coarse, fine): (&Vec<f64>, &Vec<f64>)| {
        coarse.iter().zip(fine).map(|(coarse, fine)| fine + (fine - coarse) / (factor - 1.0)).collect()
    };
    coarse.iter().zip(fine).map(of_trace).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_falls_with_the_power_of_the_extrapolation_is_gone() {
        let of_edge = |edge: f64| vec![vec![1.0 + edge.powi(2), 2.0 - edge.powi(2)]];
        let limit = extrapolated(&of_edge(3.0), &of_edge(2.0), (3.0_f64 / 2.0).powi(2));
        assert!(misfit(&limit, &[vec![1.0, 2.0]]).unwrap() < 1e-15);
    }
}
