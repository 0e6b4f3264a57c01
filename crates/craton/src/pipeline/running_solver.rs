//! The discretised Earth in motion, by whatever method.

use std::ops::{Deref, DerefMut};

use craton_sim::{Failure, Operator, Solver};

use super::session::Scalar;

/// A solver, and what is asked of its method alone.
pub enum RunningSolver<T: Scalar> {
    /// Spectral elements.
    Sem(Box<dyn craton_sem::Solver<T>>),
    /// Finite differences.
    Fd(Box<dyn craton_fd::Solver<T>>),
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
