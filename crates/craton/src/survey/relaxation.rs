//! Relaxation of the fluid of a survey: its mechanisms, and which of them a point has.

use craton_fd::MemoryPoints;
use craton_fd::acoustic::{AcousticMedium, FluidMechanism, FluidMechanisms};
use craton_model::{Attenuation, Concentration, Pattern, PointMechanism};

use super::config::FluidMemory;
use super::setup::Setup;
use super::setup::fluid::Fluid;
use crate::gridding::{COARSE, MOST_RELAXED};

/// Smallest number of points per wavelength with which points may have one mechanism each, for at most three mechanisms and
/// for four, whose pattern scatters waves of four points much more.
const RESOLVED: [f64; 2] = [3.0, 5.0];
/// Largest number of mechanisms of which points may have one.
const MOST: usize = 4;

/// The medium with the losses of its fluid.
///
/// # Arguments
/// * `spacing` – edge lengths of a cell \[m\]
/// * `varies` – whether the fluid varies inside cells
/// * `per_wavelength` – points per shortest wavelength
pub fn with_losses(
    medium: AcousticMedium<f32>,
    setup: &Setup,
    (spacing, varies): ([f64; 3], bool),
    per_wavelength: f64,
) -> AcousticMedium<f32> {
    let fluid = &setup.fluid;
    let Some(attenuation) = fluid.attenuation() else { return medium };
    let (mechanisms, grid) = (mechanisms(fluid, attenuation, setup.fd.memory, per_wavelength), *medium.grid());
    medium.with_losses(mechanisms, |cell| match varies {
        true => fluid.effective_loss(grid.centre(cell), spacing),
        false => fluid.loss(grid.centre(cell)),
    })
}

/// The mechanisms.
///
/// Points have one each if the survey requests it, or by default if the quality factors are large enough, and if in
/// addition the grid resolves waves and no point relaxes too much.
fn mechanisms(
    fluid: &Fluid,
    attenuation: &Attenuation,
    memory: Option<FluidMemory>,
    per_wavelength: f64,
) -> FluidMechanisms {
    let (count, greatest) = (attenuation.mechanisms(), fluid.greatest_loss());
    let is_wanted = memory.map_or(greatest * COARSE <= 1.0, |memory| memory == FluidMemory::Coarse);
    let is_resolved = per_wavelength >= RESOLVED[usize::from(count == MOST)];
    let coarse = (is_wanted && count <= MOST && is_resolved)
        .then(|| with_memory(attenuation, greatest, MemoryPoints::One))
        .filter(|own| greatest_part(own, greatest) <= MOST_RELAXED);
    coarse.unwrap_or_else(|| with_memory(attenuation, greatest, MemoryPoints::All))
}

fn with_memory(attenuation: &Attenuation, greatest: f64, points: MemoryPoints) -> FluidMechanisms {
    let shares = FluidMechanisms::shares(points, attenuation.mechanisms());
    let pattern = shares.as_ref().map(|shares| Pattern { shares, concentration: Concentration::Fluid });
    let all = attenuation.at_points(greatest, pattern.as_ref());
    let mechanism = |PointMechanism { rate, polynomial }| FluidMechanism { rate, polynomial };
    FluidMechanisms { mechanisms: all.into_iter().map(mechanism).collect(), points }
}

/// Largest part of the modulus that a mechanism relaxes \[–\].
fn greatest_part(mechanisms: &FluidMechanisms, greatest: f64) -> f64 {
    let parts = mechanisms.mechanisms.iter().map(|own| craton_physics::relaxing_part(greatest, own.polynomial));
    parts.fold(0.0, f64::max)
}
