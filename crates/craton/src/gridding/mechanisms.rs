//! Relaxation of the moduli on a grid: its mechanisms, and which of them a point has.

use craton_fd::{Mechanism, Mechanisms, MemoryPoints, Side};
use craton_model::{Attenuation, Concentration, EarthModel, Losses, Pattern};

use super::GridPlan;
use crate::config::{Fd, GridMemory};
use crate::setup::Setup;

/// Smallest quality factor at which points have one mechanism each by default, less the rounding of 1/Q in files.
pub const COARSE: f64 = 30.0 * (1.0 - 1e-6);
/// Smallest number of points per wavelength with which they may; the weights of sources are accurate from there on.
const RESOLVED: f64 = 5.9;
/// Largest part of a modulus that a mechanism may relax at the points that have only this one \[–\].
pub const MOST_RELAXED: f64 = 0.5;
/// Second-order term of the effective bulk and shear modulus over the variance of the modulus among points with one mechanism each \[–\]: means over
/// directions of strain of the static solution on two by two by two points, with 2, 3, 4 or 8 mechanisms. Directions differ by up to 0.1.
const CONCENTRATION: [f64; 2] = [0.57, 0.5];

/// The mechanisms of a grid; `None` if the model is elastic.
///
/// Points have one mechanism each if the scenario requests it, or by default if the quality factors are large enough, and if in addition the pattern fits
/// the grid and no point relaxes too much.
pub fn mechanisms(setup: &Setup, fd: &Fd, plan: &GridPlan) -> Option<Mechanisms> {
    let attenuation = setup.model.attenuation()?;
    let losses = greatest(&setup.model);
    let is_wanted = match fd.memory {
        Some(memory) => memory == GridMemory::Coarse,
        None => losses.bulk.max(losses.shear) * COARSE <= 1.0,
    };
    let is_resolved = plan.resolution(setup, fd).points_per_wavelength >= RESOLVED;
    let repeats =
        |axis: usize| plan.grid.cells[axis].is_multiple_of(2) || plan.boundaries.sides[2 * axis] != Side::Periodic;
    let coarse = (is_wanted && is_resolved && (0..3).all(repeats))
        .then(|| with_memory(attenuation, losses, MemoryPoints::One))
        .filter(|own| greatest_part(own, losses) <= MOST_RELAXED);
    Some(coarse.unwrap_or_else(|| with_memory(attenuation, losses, MemoryPoints::All)))
}

fn with_memory(attenuation: &Attenuation, losses: Losses, points: MemoryPoints) -> Mechanisms {
    let shares = points.shares(attenuation.mechanisms());
    let of_modulus = |greatest: f64, factor: f64| {
        let concentration = Concentration::Solid(factor);
        let pattern = shares.as_ref().map(|shares| Pattern { shares, concentration });
        attenuation.at_points(greatest, pattern.as_ref())
    };
    let [bulk, shear] = [of_modulus(losses.bulk, CONCENTRATION[0]), of_modulus(losses.shear, CONCENTRATION[1])];
    let both = bulk.into_iter().zip(shear);
    let mechanisms = both
        .map(|(bulk, shear)| Mechanism { rate: bulk.rate, polynomials: [bulk.polynomial, shear.polynomial] })
        .collect();
    Mechanisms { mechanisms, points }
}

/// Largest part of a modulus that a mechanism relaxes \[–\].
fn greatest_part(mechanisms: &Mechanisms, Losses { bulk, shear }: Losses) -> f64 {
    let of_mechanism = |own: &Mechanism| {
        let parts = [bulk, shear].into_iter().zip(own.polynomials);
        parts.map(|(loss, polynomial)| craton_physics::relaxing_part(loss, polynomial)).fold(0.0, f64::max)
    };
    mechanisms.mechanisms.iter().map(of_mechanism).fold(0.0, f64::max)
}

/// Upper bound of the losses of a model.
fn greatest(model: &EarthModel) -> Losses {
    let relaxing = (0..model.regions().len()).filter(|&region| model.relaxes(region));
    relaxing.map(|region| model.greatest_losses(region)).fold(Losses::NONE, Losses::max)
}
