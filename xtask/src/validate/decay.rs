//! Long-term stability of absorbing layers: the wavefield decays and never grows.

use super::alike::velocity;
use super::simulation::{Simulation, Simulations};
use super::{Case, Finding, Tier};
use anyhow::Result;

/// Number of parts of equal length into which the record is divided.
const PARTS: usize = 10;

/// A long simulation of outgoing waves.
pub struct Decay {
    /// Name of the case.
    pub name: String,
    /// The simulation.
    pub simulation: Simulation,
    /// Cost.
    pub tier: Tier,
    /// Largest particle velocity in the last tenth of the record relative to that of the whole record, at the worst receiver.
    pub limit: f64,
}

impl Decay {
    /// The case.
    pub fn case(self) -> Case {
        Case {
            name: self.name.clone(),
            method: self.simulation.method(),
            tier: self.tier,
            limit: self.limit,
            run: Box::new(move |simulations| self.run(simulations)),
        }
    }

    fn run(&self, simulations: &Simulations) -> Result<Finding> {
        let outcome = simulations.outcome(&self.simulation)?;
        let mut worst = [0.0; PARTS];
        for receiver in &outcome.setup.receivers {
            let peaks = peaks(&velocity(&outcome, &receiver.code())?);
            let largest = peaks.into_iter().fold(0.0, f64::max);
            worst.iter_mut().zip(peaks).for_each(|(worst, peak)| *worst = f64::max(*worst, peak / largest));
        }
        let each: Vec<String> = worst.iter().map(|peak| format!("{peak:.1e}")).collect();
        let notes = vec![
            format!("{}, {} steps", outcome.size, outcome.steps),
            format!("largest speeds of each tenth of the record, as parts of the largest of all: {}", each.join(", ")),
        ];
        Ok(Finding { rel_l2: worst[PARTS - 1], notes })
    }
}

/// The largest particle velocity in each part of a record of some components; NaN if a part contains NaN.
fn peaks(components: &[Vec<f64>]) -> [f64; PARTS] {
    let speed = |sample: usize| components.iter().map(|trace| trace[sample].powi(2)).sum::<f64>().sqrt();
    let length = components[0].len().div_ceil(PARTS);
    std::array::from_fn(|part| {
        let samples = part * length..((part + 1) * length).min(components[0].len());
        samples.map(speed).fold(0.0, |largest, speed| if largest > speed { largest } else { speed })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_part_of_a_record_has_its_peak() {
        let decaying: Vec<f64> = (0..40).map(|sample| f64::from(40 - sample)).collect();
        assert_eq!(peaks(&[decaying.clone(), vec![0.0; 40]]), std::array::from_fn(|part| 40.0 - 4.0 * part as f64));
        let broken = peaks(&[decaying, [&[0.0; 38][..], &[f64::NAN, 0.0]].concat()]);
        assert_eq!(broken[0], 40.0);
    }
}
