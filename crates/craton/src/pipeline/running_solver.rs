//! The running solver of either method.

use std::ops::{Deref, DerefMut};

use craton_run::Seconds;
use craton_sim::{Failure, Operator, Solver};

use super::prepare::measured_seconds;
use crate::error::Error;
use crate::setup::Setup;
use crate::simulation::{Marching, Run, Values};
use crate::time_axis::TimeAxis;

/// A floating-point type of a run and its checkpoints.
pub trait Scalar: craton_sem::SolverPrecision + craton_fd::SolverPrecision + craton_run::Scalar {
    /// Values of this type as values of either type.
    fn values(numbers: &[Self]) -> Values<'_>;

    /// The values, if they have this type.
    fn of<'a>(values: &Values<'a>) -> Option<&'a [Self]>;
}

impl Scalar for f32 {
    fn values(numbers: &[Self]) -> Values<'_> {
        Values::Single(numbers)
    }

    fn of<'a>(values: &Values<'a>) -> Option<&'a [Self]> {
        if let Values::Single(numbers) = values { Some(numbers) } else { None }
    }
}

impl Scalar for f64 {
    fn values(numbers: &[Self]) -> Values<'_> {
        Values::Double(numbers)
    }

    fn of<'a>(values: &Values<'a>) -> Option<&'a [Self]> {
        if let Values::Double(numbers) = values { Some(numbers) } else { None }
    }
}

/// A solver, with access to method-specific parts.
pub enum RunningSolver<T: Scalar> {
    /// Spectral elements.
    Sem(Box<dyn craton_sem::Solver<T>>),
    /// Finite differences.
    Fd(Box<dyn craton_fd::Solver<T>>),
}

/// A solver on its devices, in either precision.
pub trait Started: Send {
    /// Serves the requests of the first rank until its last one; for all other ranks.
    ///
    /// # Errors
    /// A failing device, or a lost rank.
    fn serve(self: Box<Self>) -> Result<(), Error>;

    /// Finds the points and cells of the snapshots, and starts the run; for the first rank.
    ///
    /// # Arguments
    /// * `scenario` – hash of the scenario and its data, which identifies checkpoints
    /// # Errors
    /// A slice that does not intersect the Earth, or insufficient device memory.
    fn begin(self: Box<Self>, setup: &Setup, axis: &TimeAxis, scenario: u64) -> Result<Box<dyn Marching>, Error>;

    /// Expected time of a run, measured with a few of its steps.
    ///
    /// # Errors
    /// A failing device.
    fn seconds(&mut self, axis: &TimeAxis) -> Result<Seconds, Error>;
}

impl<T: Scalar> Started for RunningSolver<T> {
    fn serve(mut self: Box<Self>) -> Result<(), Error> {
        Ok((**self).serve()?)
    }

    fn begin(self: Box<Self>, setup: &Setup, axis: &TimeAxis, scenario: u64) -> Result<Box<dyn Marching>, Error> {
        Ok(Box::new(Run::new(*self, setup, axis, scenario)?))
    }

    fn seconds(&mut self, axis: &TimeAxis) -> Result<Seconds, Error> {
        measured_seconds(&mut **self, axis)
    }
}

impl<T: Scalar> RunningSolver<T> {
    /// The spectral-element solver, for parts that were built for elements.
    ///
    /// # Panics
    /// If the method is another one.
    pub fn elements(&self) -> &dyn craton_sem::Solver<T> {
        let Self::Sem(elements) = self else { unreachable!("the solver uses spectral elements") };
        &**elements
    }

    /// The finite-difference solver, for parts that were built for cells.
    ///
    /// # Panics
    /// If the method is another one.
    pub fn cells(&self) -> &dyn craton_fd::Solver<T> {
        let Self::Fd(cells) = self else { unreachable!("the solver uses finite differences") };
        &**cells
    }
}

impl<T: Scalar> Deref for RunningSolver<T> {
    type Target = dyn Solver<T>;

    fn deref(&self) -> &(dyn Solver<T> + 'static) {
        match self {
            Self::Sem(elements) => &**elements,
            Self::Fd(grid) => &**grid,
        }
    }
}

impl<T: Scalar> DerefMut for RunningSolver<T> {
    fn deref_mut(&mut self) -> &mut (dyn Solver<T> + 'static) {
        match self {
            Self::Sem(elements) => &mut **elements,
            Self::Fd(grid) => &mut **grid,
        }
    }
}

impl<T: Scalar> Operator for RunningSolver<T> {
    type Error = Failure;

    fn step(&self) -> u64 {
        (**self).step()
    }

    fn advance(&mut self, steps: u64) -> Result<(), Failure> {
        (**self).advance(steps)
    }

    fn longest_advance(&self) -> u64 {
        (**self).longest_advance()
    }

    fn check(&mut self) -> Result<(), Failure> {
        (**self).check()
    }
}
