//! Relaxation of the moduli on a grid: its mechanisms, and which of them a point has.

use craton_fd::{Mechanism, Mechanisms, MemoryPoints};
use craton_model::{Attenuation, EarthModel, Losses};

use crate::config::{Fd, GridMemory};

/// Smallest quality factor at which points have one mechanism each by default.
const COARSE: f64 = 30.0;
/// Concentration of strain at points that have relaxed more than others, of the bulk and the shear modulus \[–\]: the second-order term of the effective
/// modulus of the pattern. It depends little on the number of mechanisms and on the direction of strain.
const CONCENTRATION: [f64; 2] = [0.57, 0.5];

/// Which mechanisms a point has; `None` if the model is elastic.
pub fn memory_points(model: &EarthModel, fd: &Fd) -> Option<MemoryPoints> {
    model.attenuation()?;
    let losses = greatest(model);
    let is_coarse = match fd.memory {
        Some(memory) => memory == GridMemory::Coarse,
        None => losses.bulk.max(losses.shear) * COARSE <= 1.0,
    };
    Some(if is_coarse { MemoryPoints::One } else { MemoryPoints::All })
}

/// The sets of memory variables of a point, with one per stress component.
pub fn sets(model: &EarthModel, fd: &Fd) -> usize {
    let attenuation = model.attenuation();
    memory_points(model, fd).zip(attenuation).map_or(0, |(points, own)| points.sets(own.mechanisms()))
}

/// The mechanisms of a grid; `None` if the model is elastic.
pub fn mechanisms(model: &EarthModel, fd: &Fd) -> Option<Mechanisms> {
    let (attenuation, points) = (model.attenuation()?, memory_points(model, fd)?);
    let Losses { bulk, shear } = greatest(model);
    let shares = points.shares(attenuation.mechanisms());
    let of_modulus =
        |modulus: usize| attenuation.polynomials([bulk, shear][modulus], shares.as_deref(), CONCENTRATION[modulus]);
    let [bulk, shear] = [0, 1].map(of_modulus);
    let rates = attenuation.relaxation().rates();
    let all = rates.iter().zip(bulk.into_iter().zip(shear));
    let mechanisms = all.map(|(&rate, (bulk, shear))| Mechanism { rate, polynomials: [bulk, shear] }).collect();
    Some(Mechanisms { mechanisms, points })
}

/// Upper bound of the losses of a model.
fn greatest(model: &EarthModel) -> Losses {
    let relaxing = (0..model.regions().len()).filter(|&region| model.relaxes(region));
    relaxing.map(|region| model.greatest_losses(region)).fold(Losses::NONE, Losses::max)
}

/// Unrelaxed moduli over those at the reference frequency, bulk and shear \[–\].
pub fn stiffening(attenuation: &Attenuation, losses: Losses) -> [f64; 2] {
    attenuation.coefficients(losses).unrelaxed
}
