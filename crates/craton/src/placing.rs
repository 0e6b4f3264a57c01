//! Sources and receivers on a mesh: conversion of positions to points inside elements.
//!
//! The mesh only approximates curved surfaces. Depths are therefore measured from the top of the mesh, and a position stays on its side of an
//! interface ([`Ground`]). A position on an interface belongs to the region below it.

mod ground;
mod in_elements;
mod moved;

use craton_acquisition::{Describes, Quantity, Receiver, Source};
use craton_numerics::NumericsError;
use craton_numerics::dispersion::{Forward, SlipForward, Stagger};
use craton_sim::History;

use crate::error::Error;
use crate::setup::{Fault, FaultPoint, Setup};
use crate::time_axis::TimeAxis;
pub use in_elements::{PointsInElements, elements_with_points};
pub use moved::{Moved, ROUND_OFF};

/// The position in the water just above a receiver at a position [m] on the sea bottom, if pressure is recorded: that of the water. Motion is that of the
/// rock below.
fn pressure_side(setup: &Setup, [x, y, z]: [f64; 3]) -> Option<[f64; 3]> {
    let model = &setup.model;
    let is_fluid = |z: f64| model.medium(model.region_at([x, y, z]), [x, y, z]).is_fluid();
    let is_bottom =
        z + ROUND_OFF < model.surface().elevation(x, y) && is_fluid(z + ROUND_OFF) && !is_fluid(z - ROUND_OFF);
    (is_bottom && setup.quantities.contains(&Quantity::Pressure)).then_some([x, y, z + 3.0 * ROUND_OFF])
}

/// The points of all faults, each with its fault.
pub fn fault_points(setup: &Setup) -> impl Iterator<Item = (&Fault, &FaultPoint)> {
    setup.faults.iter().flat_map(|fault| fault.points.iter().map(move |point| (fault, point)))
}

/// The transform of slip rates for a run.
///
/// # Errors
/// A time step that is not positive.
pub fn slip_forward(setup: &Setup, axis: &TimeAxis) -> Result<SlipForward, Error> {
    Ok(SlipForward::new(axis.dt, setup.method.max_frequency(), axis.corrected)?)
}

/// The slip of a point of a fault [cm] in each step.
///
/// # Errors
/// A slip rate that is not finite.
pub fn slip_history(slip: &SlipForward, fault: &Fault, point: &FaultPoint, axis: &TimeAxis) -> Result<History, Error> {
    let (first, mut values) = slip.integral(&fault.rate(point, axis.start))?;
    if axis.fourth_order {
        values = with_curvature(&values);
    }
    let before = usize::try_from(-first).unwrap_or(0).min(values.len() - 1);
    values.drain(..before);
    values.truncate((axis.total() as i64 - first - before as i64).max(1) as usize);
    Ok(History::new((first + before as i64).max(0) as usize, values))
}

/// The amplitude of each source at each step.
///
/// # Errors
/// A time function that is not finite.
pub fn histories(setup: &Setup, axis: &TimeAxis) -> Result<Vec<Vec<f64>>, Error> {
    let forward = Forward::new(axis.total() as usize, axis.dt)?;
    Ok(setup.sources.iter().map(|source| history(source, axis, &forward)).collect::<Result<_, _>>()?)
}

/// The amplitude of a source at each step, with the correction of time dispersion if requested.
fn history(source: &Source, axis: &TimeAxis, forward: &Forward) -> Result<Vec<f64>, NumericsError> {
    let time = |after_start: f64| axis.start + after_start;
    let at = |step: u64| source.history(time(step as f64 * axis.dt));
    if axis.fourth_order {
        // One more value before and after.
        let values: Vec<f64> =
            std::iter::once(source.history(time(-axis.dt))).chain((0..=axis.total()).map(at)).collect();
        return Ok(with_curvature(&values)[1..=axis.total() as usize].to_vec());
    }
    if !axis.corrected {
        return Ok((0..axis.total()).map(at).collect());
    }
    if has_rate_alone(source) {
        forward.integral(|t| source.rate_history(time(t)))
    } else {
        forward.samples(|t| source.history(time(t)), Stagger::Whole)
    }
}

/// Adds dt²/12 of the second derivative to a function of time, as a scheme of fourth order needs its source. The first and the last value stay.
fn with_curvature(values: &[f64]) -> Vec<f64> {
    let inner = values.windows(3).map(|near| (near[0] + 10.0 * near[1] + near[2]) / 12.0);
    values
        .first()
        .copied()
        .into_iter()
        .chain(inner)
        .chain(values.last().copied().filter(|_| values.len() > 1))
        .collect()
}

/// Whether the transform applies to the rate of a source: a source that does not return to zero has no spectrum, but
/// its rate has.
pub fn has_rate_alone(source: &Source) -> bool {
    source.describes() == Describes::Rate || source.time_function().final_value() != 0.0
}

/// The points of all fibres, in order.
pub fn fibre_points(setup: &Setup) -> impl Iterator<Item = &Receiver> {
    setup.fibres.iter().flat_map(|fibre| &fibre.points)
}

/// Numbers sampled in each step: those of each receiver, then three of each point of a fibre.
pub fn channels(setup: &Setup) -> usize {
    let of_receiver: usize = probe_kinds(&setup.quantities).iter().map(|&gradient| if gradient { 9 } else { 3 }).sum();
    of_receiver * setup.receivers.len() + 3 * fibre_points(setup).count()
}

/// The probes of each receiver: `false` for motion, `true` for its gradient.
pub fn probe_kinds(quantities: &[Quantity]) -> Vec<bool> {
    let motion = quantities.iter().any(|quantity| !quantity.is_of_gradient()).then_some(false);
    let gradient = quantities.iter().any(|quantity| quantity.is_of_gradient()).then_some(true);
    motion.into_iter().chain(gradient).collect()
}

#[cfg(test)]
mod tests;
