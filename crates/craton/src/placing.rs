//! Sources and receivers on a mesh: conversion of positions to points inside elements.

use craton_acquisition::{Describes, Quantity, Source};
use craton_mesh::{HexMesh, Locator};
use craton_model::geodesy::LocalFrame;
use craton_numerics::NumericsError;
use craton_numerics::dispersion::{Forward, Stagger};
use craton_sem::{PointSource, Probe};

use crate::error::Error;
use crate::format_position::format_position;
use crate::setup::Setup;
use crate::time_axis::TimeAxis;

/// Sources and receivers inside elements.
pub struct PointsInElements {
    /// The sources.
    pub sources: Vec<PointSource>,
    /// The sampled points.
    pub probes: Vec<Probe>,
}

impl PointsInElements {
    /// Locates all sources and receivers of a scenario in elements.
    ///
    /// # Errors
    /// A source or receiver that is in no element.
    pub fn new(setup: &Setup, mesh: &HexMesh, axis: &TimeAxis) -> Result<Self, Error> {
        let locator = Locator::new(mesh);
        Ok(Self { sources: sources(setup, &locator, axis)?, probes: probes(setup, &locator)? })
    }
}

/// Sources for the solver, including their time functions.
///
/// # Errors
/// A source that is in no element.
fn sources(setup: &Setup, locator: &Locator, axis: &TimeAxis) -> Result<Vec<PointSource>, Error> {
    let place = |(source, history): (&Source, Vec<f64>)| {
        let [x, y, z] = source.position();
        let place = locator.locate(setup.frame.to_space([x, y, z]));
        let place = place.ok_or_else(|| outside(source.name(), source.position(), &setup.frame))?;
        let mechanism = (&source.mechanism().along(&setup.frame.axes_at([x, y]))).into();
        Ok(PointSource { element: place.element, xi: place.xi, mechanism, history })
    };
    setup.sources.iter().zip(histories(setup, axis)?).map(place).collect()
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
    if !axis.corrected {
        return Ok((0..axis.total()).map(|step| source.history(time(step as f64 * axis.dt))).collect());
    }
    if has_rate_alone(source) {
        forward.integral(|t| source.rate_history(time(t)))
    } else {
        forward.samples(|t| source.history(time(t)), Stagger::Whole)
    }
}

/// Whether the transform applies to the rate of a source: a source that does not return to zero has no spectrum, but
/// its rate has.
pub fn has_rate_alone(source: &Source) -> bool {
    source.describes() == Describes::Rate || source.time_function().final_value() != 0.0
}

/// The quantities sampled at each receiver: motion, strain or both.
///
/// # Errors
/// A receiver that is in no element.
fn probes(setup: &Setup, locator: &Locator) -> Result<Vec<Probe>, Error> {
    let kinds = probe_kinds(&setup.quantities);
    let mut probes = Vec::with_capacity(setup.receivers.len() * kinds.len());
    for receiver in &setup.receivers {
        let [x, y, z] = setup.frame.to_space(receiver.position());
        let place = match receiver.is_on_surface() {
            true => locator.locate_on_surface(x, y),
            false => locator.locate([x, y, z]),
        };
        let place = place.ok_or_else(|| outside(&receiver.code(), receiver.position(), &setup.frame))?;
        probes.extend(kinds.iter().map(|&gradient| Probe { element: place.element, xi: place.xi, gradient }));
    }
    Ok(probes)
}

/// The probes of each receiver: `false` for motion, `true` for its gradient.
pub fn probe_kinds(quantities: &[Quantity]) -> Vec<bool> {
    let is_gradient = |quantity: &Quantity| matches!(quantity, Quantity::Strain | Quantity::Pressure);
    let motion = quantities.iter().any(|quantity| !is_gradient(quantity)).then_some(false);
    let gradient = quantities.iter().any(is_gradient).then_some(true);
    motion.into_iter().chain(gradient).collect()
}

fn outside(name: &str, position: [f64; 3], frame: &LocalFrame) -> Error {
    let [x, y, z] = position;
    let place = match frame.chunk() {
        None => format!("x = {x}, y = {y}, z = {z} m"),
        Some(_) => format_position(frame, position),
    };
    Error::NotInMesh { name: name.to_owned(), place }
}
