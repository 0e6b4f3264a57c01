//! What a run asks of finite differences.

use craton_device::Workers;
use craton_sim::{Failure, Solver, StateArray};

use crate::field::Field;
use crate::operator::FdOperator;
use crate::saved::LAYERS;
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
        let field = |&field: &Field| {
            let [nx, ny, nz] = self.shape(field);
            StateArray { name: field.name(), shape: vec![nz, ny, nx] }
        };
        let others = [("state/layers", LAYERS), ("state/paraxial", LAYERS + 1)];
        let others = others.map(|(name, array)| StateArray { name, shape: vec![self.array_len(array)] });
        Field::ALL.iter().map(field).chain(others).collect()
    }

    fn save(&mut self, array: usize, sink: &mut dyn FnMut(&[T])) -> Result<(), Failure> {
        sink(&self.saved_array(array));
        Ok(())
    }

    fn restore(&mut self, array: usize, source: &mut dyn FnMut(&mut [T])) -> Result<(), Failure> {
        let mut values = vec![T::default(); self.state()[array].shape.iter().product()];
        source(&mut values);
        self.restore_array(array, &values);
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
