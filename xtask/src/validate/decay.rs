//! Long-term stability: in absorbing layers the wavefield decays, between free sides it never grows.

use super::alike::velocity;
use super::simulation::{Simulation, Simulations};
use super::{Case, Finding, Tier};
use anyhow::Result;

/// Number of parts of equal length into which the record is divided.
const PARTS: usize = 10;

/// A long simulation.
pub struct Decay {
    /// Name of the case.
    pub name: String,
    /// The simulation.
    pub simulation: Simulation,
    /// Cost.
    pub tier: Tier,
    /// Largest ratio of particle velocities at the worst receiver, see [`Compared`].
    pub limit: f64,
    /// What is compared.
    pub compared: Compared,
}

/// Largest particle velocities that are compared.
#[derive(Clone, Copy)]
pub enum Compared {
    /// That of the last tenth of the record with that of the whole record.
    LastTenth,
    /// That of the second half of the record with that of the first half.
    Halves,
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
        let (mut worst, mut ratio) = ([0.0; PARTS], 0.0);
        for receiver in &outcome.setup.receivers {
            let peaks = peaks(&velocity(&outcome, &receiver.code())?);
            let largest = peaks.into_iter().fold(0.0, larger);
            let of_halves =
                [&peaks[..PARTS / 2], &peaks[PARTS / 2..]].map(|half| half.iter().copied().fold(0.0, larger));
            ratio = larger(ratio, of_halves[1] / of_halves[0]);
            worst.iter_mut().zip(peaks).for_each(|(worst, peak)| *worst = larger(*worst, peak / largest));
        }
        let each: Vec<String> = worst.iter().map(|peak| format!("{peak:.1e}")).collect();
        let notes = vec![
            format!("{}, {} steps", outcome.size, outcome.steps),
            format!("largest speeds of each tenth of the record, as parts of the largest of all: {}", each.join(", ")),
        ];
        let rel_l2 = match self.compared {
            Compared::LastTenth => worst[PARTS - 1],
            Compared::Halves => ratio,
        };
        Ok(Finding { rel_l2, notes })
    }
}

/// The larger of two values; NaN if one of them is.
fn larger(largest: f64, value: f64) -> f64 {
    if largest > value || largest.is_nan() { largest } else { value }
}

/// The largest particle velocity in each part of a record of some components; NaN if a part contains NaN.
fn peaks(components: &[Vec<f64>]) -> [f64; PARTS] {
    let speed = |sample: usize| components.iter().map(|trace| trace[sample].powi(2)).sum::<f64>().sqrt();
    let length = components[0].len().div_ceil(PARTS);
    std::array::from_fn(|part| {
        let samples = part * length..((part + 1) * length).min(components[0].len());
        samples.map(speed).fold(0.0, larger)
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
