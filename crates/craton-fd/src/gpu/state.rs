//! Transfer of the state to and from checkpoints: arrays pass through the block of the host, one at a time, in the order of the CPU.

use craton_device::AlignedVec;
use craton_device::gpu::GpuError;

use super::arrays::LEAD;
use super::part::GpuPart;
use crate::saved::LAYERS;
use crate::sweep::Precision;

impl<T: Precision> GpuPart<T> {
    /// Numbers of the fields that an array of the state depends on.
    fn fields_of(&self, array: usize) -> std::ops::Range<usize> {
        match array {
            field if field < LAYERS => field..field + 1,
            LAYERS => 0..0,
            _ if self.walls.is_empty() => 0..0,
            _ => 0..3,
        }
    }

    /// Copies the data of an array of the state to the host.
    pub(super) fn download(&mut self, array: usize) -> Result<(), GpuError> {
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

    /// Copies the data of an array of the state to the device.
    pub(super) fn upload(&mut self, array: usize) -> Result<(), GpuError> {
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

    /// Frees the host copy.
    pub(super) fn release_state(&mut self) {
        let memory = self.block.memory.iter_mut().flatten();
        self.block.fields.iter_mut().chain(memory).for_each(|array| *array = AlignedVec::zeroed(0));
    }
}

/// Half of the step that changes a field, and the offset of the field in the array of that half.
fn place(field: usize, len: usize) -> (usize, usize) {
    if field < 3 { (0, LEAD + field * len) } else { (1, LEAD + (field - 3) * len) }
}
