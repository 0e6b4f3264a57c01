//! The solver for a shot on a CPU, for any equation.

use std::ops::Range;
use std::sync::Arc;

use craton_device::Workers;
use craton_fd_kernels::AcousticPrecision;
use craton_sim::Instability;

use super::medium::AcousticMedium;
use super::operator::AcousticOperator;
use super::scalar::ScalarOperator;
use super::setup::AcousticOptions;
use super::taps::{Drive, Listener};
use crate::error::FdError;

/// The solver of the equation of the options for one shot.
pub enum AcousticShot<T: AcousticPrecision> {
    /// That of the system of first order.
    FirstOrder(Box<AcousticOperator<T>>),
    /// That of the scalar wave equation.
    Scalar(Box<ScalarOperator<T>>),
}

/// Calls a method of either solver.
macro_rules! of_either {
    ($shot:expr, $operator:ident => $call:expr) => {
        match $shot {
            AcousticShot::FirstOrder($operator) => $call,
            AcousticShot::Scalar($operator) => $call,
        }
    };
}

impl<T: AcousticPrecision> AcousticShot<T> {
    /// Creates the solver at rest, without sources and channels.
    ///
    /// # Arguments
    /// * `dt` – time step [s], at most [`AcousticMedium::stable_step_of`]
    /// # Errors
    /// Those of [`AcousticOperator::new`] and [`ScalarOperator::new`].
    pub fn new(
        medium: Arc<AcousticMedium<T>>,
        options: AcousticOptions,
        dt: f64,
        workers: Arc<Workers>,
    ) -> Result<Self, FdError> {
        Ok(match options.equation.is_scalar() {
            true => Self::Scalar(Box::new(ScalarOperator::new(medium, options, dt, workers)?)),
            false => Self::FirstOrder(Box::new(AcousticOperator::new(medium, options, dt, workers)?)),
        })
    }

    /// Sets a new shot and resets all fields to rest.
    ///
    /// # Errors
    /// A position outside the grid; sources or receivers that the equation does not support.
    pub fn place(&mut self, sources: &[Drive], channels: &[Listener]) -> Result<(), FdError> {
        of_either!(self, operator => operator.place(sources, channels))
    }

    /// Number of completed steps.
    pub fn step(&self) -> u64 {
        of_either!(self, operator => operator.step())
    }

    /// Advances by some steps.
    pub fn advance(&mut self, steps: u64) {
        of_either!(self, operator => operator.advance(steps));
    }

    /// Takes the samples since the last call, `[step][channel]`: pressure after each step, velocity half a step before.
    pub fn take_samples(&mut self) -> Vec<T> {
        of_either!(self, operator => operator.take_samples())
    }

    /// Checks that the fields are finite.
    ///
    /// # Errors
    /// The step and the position of a value that is not finite.
    pub fn check(&self) -> Result<(), Instability> {
        of_either!(self, operator => operator.check())
    }

    /// Pressure at the centres of some of the cells [Pa], x fastest.
    pub fn pressure_in(&self, cells: &[Range<usize>; 3]) -> Vec<T> {
        of_either!(self, operator => operator.pressure_in(cells).collect())
    }

    /// Bytes held in memory.
    pub fn bytes(&self) -> usize {
        of_either!(self, operator => operator.bytes())
    }
}
