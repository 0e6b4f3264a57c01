//! Convergence of the staircase approximation of topography to a mesh that follows it.

use super::alike::{misfit, velocity};
use super::simulation::{Simulation, Simulations};
use super::{Case, Finding, Tier};
use anyhow::{Result, ensure};

/// Lowest accepted order of convergence; staircases have order 1, with scatter.
const POWER: f64 = 0.7;

/// A scenario by finite differences with decreasing cell sizes, against spectral elements.
///
/// Staircases of different cell sizes have their edges at different places, so the error changes by chance from one size to the next: in the
/// valley, from 5.2 to 26.9 % at station V0009 between 53.3 and 45.7 m. Therefore only the coarsest and the finest grid are compared, and traces are not extrapolated to zero cell size.
pub struct Stairs {
    /// Name of the case.
    pub name: &'static str,
    /// Simulations by finite differences, coarsest first.
    pub by_fd: [Simulation; 3],
    /// Their cell sizes [m].
    pub spacing: [f64; 3],
    /// Simulation by spectral elements.
    pub like: Simulation,
    /// Cost of all simulations.
    pub tier: Tier,
    /// Largest allowed relative L2 of the finest grid, all receivers together.
    pub limit: f64,
}

impl Stairs {
    /// The case: velocity at all receivers together over the whole record; the misfit must decrease with at least the order [`POWER`].
    pub fn case(self) -> Case {
        Case {
            name: self.name.to_owned(),
            method: self.by_fd[0].method(),
            tier: self.tier,
            limit: self.limit,
            run: Box::new(move |simulations| self.run(simulations)),
        }
    }

    fn run(&self, simulations: &Simulations) -> Result<Finding> {
        let expected = traces(simulations, &self.like)?;
        let mut errors = Vec::new();
        for simulation in &self.by_fd {
            errors.push(misfit(&traces(simulations, simulation)?, &expected)?);
        }
        let each: Vec<String> =
            self.spacing.iter().zip(&errors).map(|(edge, error)| format!("{edge:.1} m {error:.3e}")).collect();
        let each = each.join(", ");
        let power = (errors[0] / errors[2]).ln() / (self.spacing[0] / self.spacing[2]).ln();
        ensure!(power >= POWER, "order of convergence {power:.2} is below {POWER}; errors with cells of {each}");
        let notes =
            vec![format!("cells of {each}; from the first to the last the error falls with the power {power:.2}")];
        Ok(Finding { rel_l2: errors[2], notes })
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
