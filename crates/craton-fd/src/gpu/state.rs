//! Transfer of the state to and from checkpoints: arrays pass through the block of the host, one at a time, in the order of the CPU.

use craton_device::AlignedVec;
use craton_device::gpu::GpuError;
use craton_fd_kernels::Field;

use super::arrays::LEAD;
use super::part::GpuPart;
use crate::saved::Saved;
use crate::sweep::Precision;

impl<T: Precision> GpuPart<T> {
    /// The fields that an array of the state depends on.
    fn fields_of(&self, array: Saved) -> Vec<Field> {
        match array {
            Saved::Field(field) => vec![field],
            Saved::Paraxial if !self.walls.is_empty() => [0, 1, 2].map(Field::Velocity).to_vec(),
            _ => Vec::new(),
        }
    }

    /// Copies the data of an array of the state to the host.
    pub(super) fn download(&mut self, array: Saved) -> Result<(), GpuError> {
        let len = self.block.layout.len();
        for field in self.fields_of(array) {
            let (half, first) = place(field, len);
            let values = self.device.fields[half].download_range(first..first + len)?;
            self.block.fields[field.index()] = AlignedVec::from_slice(&values);
        }
        match (array, &self.device.relaxation) {
            (Saved::Layers, _) => {
                for (memory, own) in self.device.layers.memory.iter().zip(&mut self.block.memory) {
                    let mut first = 0;
                    for (slab, own) in self.block.slabs.iter().zip(own) {
                        *own = AlignedVec::from_slice(&memory.download_range(first..first + slab.memory_len())?);
                        first += slab.memory_len();
                    }
                }
            }
            (Saved::Memory(number), Some(relaxation)) => {
                let first = LEAD + number * len;
                let values = relaxation.memory.download_range(first..first + len)?;
                self.block.relaxation_memory[number] = AlignedVec::from_slice(&values);
            }
            (Saved::Paraxial, _) => {
                self.walls.iter().zip(&mut self.block.walls).try_for_each(|(device, wall)| device.load(wall))?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Copies the data of an array of the state to the device.
    pub(super) fn upload(&mut self, array: Saved) -> Result<(), GpuError> {
        let len = self.block.layout.len();
        for field in self.fields_of(array) {
            let (half, first) = place(field, len);
            self.device.fields[half].write(first..first + len, &self.block.fields[field.index()])?;
        }
        match (array, &mut self.device.relaxation) {
            (Saved::Layers, _) => {
                for (memory, own) in self.device.layers.memory.iter_mut().zip(&self.block.memory) {
                    let mut first = 0;
                    for own in own {
                        memory.write(first..first + own.len(), own)?;
                        first += own.len();
                    }
                }
            }
            (Saved::Memory(number), Some(relaxation)) => {
                let first = LEAD + number * len;
                relaxation.memory.write(first..first + len, &self.block.relaxation_memory[number])?;
            }
            (Saved::Paraxial, _) => {
                self.walls.iter_mut().zip(&self.block.walls).try_for_each(|(device, wall)| device.store(wall))?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Frees the host copy.
    pub(super) fn release_state(&mut self) {
        let memory = self.block.memory.iter_mut().flatten();
        let arrays = self.block.fields.iter_mut().chain(memory).chain(&mut self.block.relaxation_memory);
        arrays.for_each(|array| *array = AlignedVec::zeroed(0));
    }
}

/// Half of the step that changes a field, and the offset of the field in the array of that half.
fn place(field: Field, len: usize) -> (usize, usize) {
    match field.index() {
        velocity if velocity < 3 => (0, LEAD + velocity * len),
        stress => (1, LEAD + (stress - 3) * len),
    }
}
