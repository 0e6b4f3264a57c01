//! Halos across periodic axes.

use craton_device::args;
use craton_device::gpu::{GpuError, Kernel, Launch};

use super::arrays::DeviceBlock;
use crate::exchange::Halo;
use crate::layout::Layout;
use crate::sweep::Precision;

/// Threads per block.
const THREADS: u32 = 256;

/// Kernel that fills the halos from the opposite sides.
pub struct DeviceHalos {
    kernel: Kernel,
    /// Periodic axes, and number of values of three fields in both halos.
    axes: Vec<(usize, usize)>,
    halo: u32,
}

impl DeviceHalos {
    /// Creates the halos of a block.
    ///
    /// # Arguments
    /// * `closed` – axes that are periodic within the block
    pub fn new(kernel: Kernel, layout: &Layout, closed: &[usize]) -> Self {
        let values = |axis: usize| {
            let mut points = layout.extent();
            points[axis] = 2 * layout.halo;
            3 * points.iter().product::<usize>()
        };
        let axes = closed.iter().map(|&axis| (axis, values(axis)));
        Self { kernel, axes: axes.collect(), halo: layout.halo as u32 }
    }

    /// Queues the copies of the fields that the next half of the step reads.
    pub fn launch<T: Precision>(&self, block: &DeviceBlock<T>, which: Halo) -> Result<(), GpuError> {
        let half = usize::from(which == Halo::Stresses);
        for &(axis, values) in &self.axes {
            let [a, b, c] = which.fields(axis).map(|field| (field.index() - 3 * half) as u32);
            self.kernel.launch(
                Launch::covering(values, THREADS),
                args![block.grid, axis as u32, self.halo, [a, b, c, 0], &block.fields[half]],
            )?;
        }
        Ok(())
    }
}
