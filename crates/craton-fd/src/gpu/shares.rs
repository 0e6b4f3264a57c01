//! What a part on a device has of a selection: its points, and their displacements if they are asked for.

use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};

use super::arrays::{DeviceBlock, LEAD};
use super::messages::{DeviceFace, THREADS};
use crate::layout::Layout;
use crate::selection::Vector;
use crate::sweep::Precision;
use crate::window::Brick;

/// What brings bricks together, and what sums them.
pub struct ShareKernels {
    pub pack: Kernel,
    pub add_step: Kernel,
}

/// A brick on the device.
struct DeviceBrick<T: Precision> {
    face: Buffer<DeviceFace>,
    /// Values of three components.
    values: usize,
    /// Displacements, `[component][k][j][i]`.
    sums: Option<Buffer<T>>,
}

/// Bricks of a block.
pub struct DeviceShare<T: Precision> {
    bricks: Vec<DeviceBrick<T>>,
    /// Where the velocities of one of them are brought together.
    together: Buffer<T>,
}

impl<T: Precision> DeviceShare<T> {
    /// At rest.
    ///
    /// # Errors
    /// Too little memory on the device.
    pub fn new(gpu: &Gpu, layout: &Layout, bricks: &[Brick], is_summed: bool) -> Result<Self, GpuError> {
        let on_device = |brick: &Brick| {
            let first = LEAD + layout.at(brick.first.map(|i| i as i64));
            let [x, y, _] = brick.size;
            let face: DeviceFace = [first, x, y, brick.len(), 0, 1, 2, 0].map(|number| number as u32);
            let values = 3 * brick.len();
            let sums = if is_summed { Some(gpu.zeroed(values)?) } else { None };
            Ok(DeviceBrick { face: gpu.upload(&[face])?, values, sums })
        };
        let bricks = bricks.iter().map(on_device).collect::<Result<Vec<_>, GpuError>>()?;
        let most = bricks.iter().map(|brick| brick.values).max().unwrap_or(0);
        Ok(Self { together: gpu.zeroed(most)?, bricks })
    }

    /// Queues the sums of what a step has moved.
    pub fn launch(&self, kernels: &ShareKernels, block: &DeviceBlock<T>) -> Result<(), GpuError> {
        for DeviceBrick { face, values, sums } in &self.bricks {
            let Some(sums) = sums else { continue };
            kernels.add_step.launch(
                Launch::covering(*values, THREADS),
                args![block.grid, face, 1_u32, *values as u32, &block.fields[0], block.dt, sums],
            )?;
        }
        Ok(())
    }

    /// A field, `[brick][component][k][j][i]`.
    ///
    /// # Errors
    /// A device that has failed.
    ///
    /// # Panics
    /// If displacement is read that nobody asked for.
    pub fn read(&self, kernels: &ShareKernels, block: &DeviceBlock<T>, vector: Vector) -> Result<Vec<T>, GpuError> {
        let mut all = Vec::with_capacity(self.bricks.iter().map(|brick| brick.values).sum());
        for DeviceBrick { face, values, sums } in &self.bricks {
            match vector {
                Vector::Displacement => {
                    all.extend(sums.as_ref().expect("displacement is read where it is summed").download()?);
                }
                Vector::Velocity => {
                    kernels.pack.launch(
                        Launch::covering(*values, THREADS),
                        args![block.grid, face, 1_u32, *values as u32, &block.fields[0], &self.together],
                    )?;
                    all.extend(self.together.download_range(0..*values)?);
                }
            }
        }
        Ok(all)
    }

    /// Takes displacements back that were read.
    ///
    /// # Errors
    /// A device that has failed.
    pub fn replace(&mut self, mut values: &[T]) -> Result<(), GpuError> {
        for brick in &mut self.bricks {
            let (own, rest) = values.split_at(brick.values);
            values = rest;
            brick.sums.as_mut().expect("displacement is restored where it is summed").write(0..own.len(), own)?;
        }
        Ok(())
    }
}
