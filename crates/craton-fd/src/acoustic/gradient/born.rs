//! The linearised loop: the first-order change of the samples of a shot with its medium.

use std::sync::Arc;

use craton_device::{Scalar, Workers};

use super::adjoint::monopoles;
use super::increments::{Increments, in_plane, points};
use crate::acoustic::layout::Layout;
use crate::acoustic::medium::AcousticMedium;
use crate::acoustic::operator::AcousticOperator;
use crate::acoustic::setup::{AcousticOptions, PRESSURE};
use crate::acoustic::taps::{Drive, Listener, Placed};
use crate::error::FdError;
use craton_fd_kernels::AcousticPrecision;

/// Steps of the background field between those of the scattered one.
const TOGETHER: u64 = 32;

/// A relative change of the parameters at the points of a grid, in the order of [`GridGradient`](super::GridGradient).
#[derive(Debug, Clone, PartialEq)]
pub struct Perturbation {
    /// δ ln κ of each cell.
    pub kappa: Vec<f64>,
    /// δ ln b of the faces along each axis; empty if they do not change.
    pub buoyancy: [Vec<f64>; 3],
    /// δρ [kg/m³] of each cell, which changes the amplitudes of monopoles; empty if it does not.
    pub density: Vec<f64>,
}

/// Scattering sources: the increments of the background field times the relative change of the parameter.
pub struct Scattering<T> {
    relative: Arc<[Vec<f64>; 4]>,
    increments: Increments<T>,
}

impl<T: Scalar> Scattering<T> {
    /// Adds the sources of a step to a field in a plane.
    pub fn push(&self, (field, plane): (usize, usize), step: u64, layout: &Layout, values: &mut [T]) {
        let Some(increments) = self.increments.plane((field, plane), step) else { return };
        let len = in_plane(layout);
        let terms = self.relative[field][plane * len..].iter().zip(increments);
        let rows = (0..layout.cells[1]).map(|j| layout.row(j, plane));
        let places = rows.flat_map(|first| first..first + layout.cells[0]);
        for (at, (&relative, &increment)) in places.zip(terms) {
            values[at] = values[at] + T::from_f64(relative) * increment;
        }
    }
}

/// The linearised loop of a shot (Born modelling).
///
/// With p and v of the background and relative changes of κ and b, the scattered fields obey the same scheme with the sources δln κ (p after - p before)
/// and δln b (v after - v before) in each step. Weights of interpolation next to jumps of density are those of the background.
///
/// Verified by `gradients::born_is_the_derivative_of_the_samples`.
pub struct Born<T: AcousticPrecision> {
    background: AcousticOperator<T>,
    scattered: AcousticOperator<T>,
}

impl<T: AcousticPrecision> Born<T> {
    /// Creates both operators at rest, without a shot.
    ///
    /// # Errors
    /// As [`AcousticOperator::new`]; a fluid with attenuation.
    pub fn new(
        medium: Arc<AcousticMedium<T>>,
        options: AcousticOptions,
        dt: f64,
        workers: Arc<Workers>,
    ) -> Result<Self, FdError> {
        if medium.mechanisms().is_some() {
            return Err(FdError::LossyGradient);
        }
        let operator = || AcousticOperator::new(Arc::clone(&medium), options.clone(), dt, Arc::clone(&workers));
        Ok(Self { background: operator()?, scattered: operator()? })
    }

    /// The samples of the scattered field, `[step][channel]`.
    ///
    /// # Errors
    /// A position outside the grid.
    pub fn samples(
        &mut self,
        sources: &[Drive],
        channels: &[Listener],
        change: &Perturbation,
        steps: u64,
    ) -> Result<Vec<T>, FdError> {
        let changed = self.changed(sources, change)?;
        self.background.place(sources, &[])?;
        self.scattered.place(&changed, channels)?;
        let layout = self.background.setup().layout.clone();
        let [x, y, z] = change.buoyancy.clone();
        let mut pressure = change.kappa.clone();
        pressure.resize(points(&layout), 0.0);
        let relative = Arc::new([x, y, z, pressure]);
        let fields = (0..=PRESSURE).filter(|&field| !relative[field].is_empty()).collect();
        let mut increments = Increments::new(layout, fields, 1);
        let mut done = 0;
        while done < steps {
            let together = TOGETHER.min(steps - done);
            increments.begin(done..done + together);
            self.background.increments = Some(increments);
            self.background.advance(together);
            increments = self.background.increments.take().expect("it was given");
            self.scattered.scattering = Some(Scattering { relative: Arc::clone(&relative), increments });
            self.scattered.advance(together);
            increments = self.scattered.scattering.take().expect("it was given").increments;
            done += together;
        }
        Ok(self.scattered.take_samples())
    }

    /// The change of the monopoles with the density at their positions.
    fn changed(&self, sources: &[Drive], change: &Perturbation) -> Result<Vec<Drive>, FdError> {
        if change.density.is_empty() {
            return Ok(Vec::new());
        }
        let (weights, grid) = (self.background.setup().weights(), self.background.setup().grid);
        let changed = |source: Drive| {
            let Placed { position, weight } = source.places[0];
            let cells = weights.density_weights(position)?;
            let delta: f64 = cells.into_iter().map(|(cell, own)| own * change.density[grid.number(cell)]).sum();
            let weight = -weight * delta / weights.density_at(position)?;
            Ok(Drive { places: vec![Placed { position, weight }], ..source })
        };
        monopoles(sources).into_iter().map(changed).collect()
    }
}
