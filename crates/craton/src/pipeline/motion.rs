//! The running solver of either method.

use std::ops::{Deref, DerefMut};

use craton_sim::{Failure, Operator, Solver};

use super::session::Scalar;

/// A solver, with access to method-specific parts.
pub enum Motion<T: Scalar> {
    /// Spectral elements.
    Sem(Box<dyn craton_sem::Solver<T>>),
    /// Finite differences.
    Fd(Box<dyn craton_fd::Solver<T>>),
}

impl<T: Scalar> Motion<T> {
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

impl<T: Scalar> Deref for Motion<T> {
    type Target = dyn Solver<T>;

    fn deref(&self) -> &(dyn Solver<T> + 'static) {
        match self {
            Self::Sem(elements) => &**elements,
            Self::Fd(grid) => &**grid,
        }
    }
}

impl<T: Scalar> DerefMut for Motion<T> {
    fn deref_mut(&mut self) -> &mut (dyn Solver<T> + 'static) {
        match self {
            Self::Sem(elements) => &mut **elements,
            Self::Fd(grid) => &mut **grid,
        }
    }
}

impl<T: Scalar> Operator for Motion<T> {
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
