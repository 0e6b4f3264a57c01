//! The discretised Earth in motion, by whatever method.

use std::ops::{Deref, DerefMut};

use craton_run::Seconds;
use craton_sim::{Failure, Operator, Solver};

use super::prepare::measured_seconds;
use crate::error::Error;
use crate::setup::Setup;
use crate::simulation::{Marching, Run, Values};
use crate::time_axis::TimeAxis;

/// A floating-point type that a run can be made in, and its state be saved in.
pub trait Scalar: craton_sem::Precision + craton_fd::Precision + craton_run::Scalar {
    /// Numbers of this type among those of either.
    fn values(numbers: &[Self]) -> Values<'_>;

    /// The numbers, if they are of this type.
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

/// A solver, and what is asked of its method alone.
pub enum RunningSolver<T: Scalar> {
    /// Spectral elements.
    Sem(Box<dyn craton_sem::Solver<T>>),
    /// Finite differences.
    Fd(Box<dyn craton_fd::Solver<T>>),
}

/// A solver on its devices, of whatever precision.
pub trait Started: Send {
    /// Does what the first rank asks for, until it has no more questions; for all ranks but the first.
    ///
    /// # Errors
    /// A device that fails, a rank that is lost.
    fn serve(self: Box<Self>) -> Result<(), Error>;

    /// Finds what the snapshots of a scenario show; for the first rank.
    ///
    /// # Errors
    /// A slice without a point in the Earth, a device without the memory.
    fn begin(self: Box<Self>, setup: &Setup, axis: &TimeAxis) -> Result<Box<dyn Marching>, Error>;

    /// Seconds that a run will take, from a few of its steps.
    ///
    /// # Errors
    /// A device that fails.
    fn seconds(&mut self, axis: &TimeAxis) -> Result<Seconds, Error>;
}

impl<T: Scalar> Started for RunningSolver<T> {
    fn serve(mut self: Box<Self>) -> Result<(), Error> {
        Ok((**self).serve()?)
    }

    fn begin(self: Box<Self>, setup: &Setup, axis: &TimeAxis) -> Result<Box<dyn Marching>, Error> {
        Ok(Box::new(Run::new(*self, setup, axis)?))
    }

    fn seconds(&mut self, axis: &TimeAxis) -> Result<Seconds, Error> {
        measured_seconds(&mut **self, axis)
    }
}

impl<T: Scalar> RunningSolver<T> {
    /// As spectral elements, by what was made of them.
    ///
    /// # Panics
    /// If it is another method.
    pub fn elements(&self) -> &dyn craton_sem::Solver<T> {
        let Self::Sem(elements) = self else { unreachable!("what was made of elements is asked of elements") };
        &**elements
    }

    /// As a grid of cells, by what was made of it.
    ///
    /// # Panics
    /// If it is another method.
    pub fn cells(&self) -> &dyn craton_fd::Solver<T> {
        let Self::Fd(cells) = self else { unreachable!("what was made of cells is asked of cells") };
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
