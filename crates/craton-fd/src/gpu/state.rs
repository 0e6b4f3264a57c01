//! The state on its way to a checkpoint and back: arrays pass through the block of the host, one at a time, and the order is that of the CPU.

use std::slice;

use craton_device::gpu::GpuError;
use craton_device::{AlignedVec, Workers};
use craton_sim::{Failure, Solver, StateArray};

use super::arrays::LEAD;
use super::operator::GpuOperator;
use crate::field::Field;
use crate::saved::LAYERS;
use crate::sweep::Precision;

impl<T: Precision> GpuOperator<T> {
    /// A field on the whole grid, x fastest, as [`crate::FdOperator::field`] gives it.
    ///
    /// # Errors
    /// A device that has failed.
    pub fn field(&mut self, field: Field) -> Result<Vec<T>, Failure> {
        self.saved(field.index())
    }

    fn saved(&mut self, array: usize) -> Result<Vec<T>, Failure> {
        self.load(array).map_err(self.failure())?;
        let values = self.canonical.save(slice::from_mut(&mut self.block), array);
        self.unload();
        Ok(values)
    }

    /// Numbers of the fields that an array of the state is taken from.
    fn fields_of(&self, array: usize) -> std::ops::Range<usize> {
        match array {
            field if field < LAYERS => field..field + 1,
            LAYERS => 0..0,
            _ if self.walls.is_empty() => 0..0,
            _ => 0..3,
        }
    }

    /// Brings what an array of the state is taken from to the host.
    fn load(&mut self, array: usize) -> Result<(), GpuError> {
        let len = self.block.layout.len();
        for field in self.fields_of(array) {
            let (half, first) = place(field, len);
            let values = self.device.fields[half].download_range(first..first + len)?;
            self.block.fields[field] = AlignedVec::from_slice(&values);
        }
        if array == LAYERS {
            for (memory, own) in self.device.layers.memory.iter().zip(&mut self.block.memory) {
                let mut first = 0;
                for (slab, own) in self.block.slabs.iter().zip(own) {
                    *own = AlignedVec::from_slice(&memory.download_range(first..first + slab.memory_len())?);
                    first += slab.memory_len();
                }
            }
        }
        if array > LAYERS {
            self.walls.iter().zip(&mut self.block.walls).try_for_each(|(device, wall)| device.load(wall))?;
        }
        Ok(())
    }

    /// The way back.
    fn store(&mut self, array: usize) -> Result<(), GpuError> {
        let len = self.block.layout.len();
        for field in self.fields_of(array) {
            let (half, first) = place(field, len);
            self.device.fields[half].write(first..first + len, &self.block.fields[field])?;
        }
        if array == LAYERS {
            for (memory, own) in self.device.layers.memory.iter_mut().zip(&self.block.memory) {
                let mut first = 0;
                for own in own {
                    memory.write(first..first + own.len(), own)?;
                    first += own.len();
                }
            }
        }
        if array > LAYERS {
            self.walls.iter_mut().zip(&self.block.walls).try_for_each(|(device, wall)| device.store(wall))?;
        }
        Ok(())
    }

    fn unload(&mut self) {
        let memory = self.block.memory.iter_mut().flatten();
        self.block.fields.iter_mut().chain(memory).for_each(|array| *array = AlignedVec::zeroed(0));
    }
}

/// Half of the step that changes a field, and where it begins among the fields of that half.
fn place(field: usize, len: usize) -> (usize, usize) {
    if field < 3 { (0, LEAD + field * len) } else { (1, LEAD + (field - 3) * len) }
}

impl<T: Precision> Solver<T> for GpuOperator<T> {
    fn dt(&self) -> f64 {
        self.dt
    }

    fn workers(&self) -> &Workers {
        &self.workers
    }

    fn take_samples(&mut self) -> Result<Vec<T>, Failure> {
        let first = std::mem::replace(&mut self.first_sample, self.step);
        self.probes.ring.read(first, self.step).map_err(self.failure())
    }

    fn state(&self) -> Vec<StateArray> {
        self.canonical.arrays()
    }

    fn save(&mut self, array: usize, sink: &mut dyn FnMut(&[T])) -> Result<(), Failure> {
        sink(&self.saved(array)?);
        Ok(())
    }

    fn restore(&mut self, array: usize, source: &mut dyn FnMut(&mut [T])) -> Result<(), Failure> {
        // What lies beyond the sides is no part of the array and stays as it is.
        self.load(array).map_err(self.failure())?;
        self.canonical.restore(slice::from_mut(&mut self.block), array, source);
        let stored = self.store(array);
        self.unload();
        stored.map_err(self.failure())
    }

    fn restore_step(&mut self, step: u64) -> Result<(), Failure> {
        self.counter.write(0..1, &[step as u32]).map_err(self.failure())?;
        (self.step, self.first_sample) = (step, step);
        Ok(())
    }

    fn serve(&mut self) -> Result<(), Failure> {
        Ok(())
    }
}
