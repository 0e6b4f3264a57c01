//! What a run asks of finite differences.

use craton_device::Workers;
use craton_sim::{Failure, Solver, StateArray};

use crate::operator::FdOperator;
use crate::sweep::Precision;

impl<T: Precision> Solver<T> for FdOperator<T> {
    fn dt(&self) -> f64 {
        self.dt
    }

    fn workers(&self) -> &Workers {
        &self.workers
    }

    fn take_samples(&mut self) -> Result<Vec<T>, Failure> {
        Ok(self.samples.take())
    }

    fn state(&self) -> Vec<StateArray> {
        self.canonical.arrays()
    }

    fn save(&mut self, array: usize, sink: &mut dyn FnMut(&[T])) -> Result<(), Failure> {
        sink(&self.canonical.save(&mut self.blocks, array));
        Ok(())
    }

    fn restore(&mut self, array: usize, source: &mut dyn FnMut(&mut [T])) -> Result<(), Failure> {
        self.canonical.restore(&mut self.blocks, array, source);
        Ok(())
    }

    fn restore_step(&mut self, step: u64) -> Result<(), Failure> {
        self.step = step;
        Ok(())
    }

    fn serve(&mut self) -> Result<(), Failure> {
        Ok(())
    }
}
