//! The points of a selection in a part on a device, and the running sums of their displacement.

use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel};

use super::arrays::DeviceBlock;
use super::faces::{Face, Faces};
use crate::layout::Layout;
use crate::selection::Vector;
use crate::sweep::Precision;
use crate::window::Brick;

/// Kernels that pack bricks and sum their displacement.
pub struct SelectionKernels {
    pub pack: Kernel,
    pub add_step: Kernel,
}

/// A brick on the device.
struct DeviceBrick<T: Precision> {
    points: Faces,
    /// Displacements, `[component][k][j][i]`.
    sums: Option<Buffer<T>>,
}

/// The points of a selection in a part on a device.
pub struct DeviceSelection<T: Precision> {
    bricks: Vec<DeviceBrick<T>>,
    /// Staging buffer for the velocities of one brick.
    together: Buffer<T>,
}

impl<T: Precision> DeviceSelection<T> {
    /// Selects bricks, with zero displacement.
    ///
    /// # Errors
    /// Too little memory on the device.
    pub fn new(gpu: &Gpu, layout: &Layout, bricks: &[Brick], is_summed: bool) -> Result<Self, GpuError> {
        let on_device = |brick: &Brick| {
            let face = Face { first: brick.first.map(|i| i as i64), size: brick.size, fields: [0, 1, 2] };
            let points = Faces::new(gpu, layout, &[face])?;
            let sums = if is_summed { Some(gpu.zeroed(points.values)?) } else { None };
            Ok(DeviceBrick { points, sums })
        };
        let bricks = bricks.iter().map(on_device).collect::<Result<Vec<_>, GpuError>>()?;
        let most = bricks.iter().map(|brick| brick.points.values).max().unwrap_or(0);
        Ok(Self { together: gpu.zeroed(most)?, bricks })
    }

    /// Queues the addition of velocity times the time step to the displacements.
    pub fn launch(&self, kernels: &SelectionKernels, block: &DeviceBlock<T>) -> Result<(), GpuError> {
        for DeviceBrick { points, sums } in &self.bricks {
            let Some(sums) = sums else { continue };
            kernels.add_step.launch(
                points.launch(),
                args![block.grid, &points.faces, points.count, points.threads, &block.fields[0], sums, block.dt],
            )?;
        }
        Ok(())
    }

    /// Reads a field, `[brick][component][k][j][i]`.
    ///
    /// # Errors
    /// A device that has failed.
    ///
    /// # Panics
    /// If the selection does not include displacement.
    pub fn read(&self, kernels: &SelectionKernels, block: &DeviceBlock<T>, vector: Vector) -> Result<Vec<T>, GpuError> {
        let mut all = Vec::with_capacity(self.bricks.iter().map(|brick| brick.points.values).sum());
        for DeviceBrick { points, sums } in &self.bricks {
            match vector {
                Vector::Displacement => {
                    all.extend(sums.as_ref().expect("the selection includes displacement").download()?);
                }
                Vector::Velocity => {
                    kernels.pack.launch(
                        points.launch(),
                        args![
                            block.grid,
                            &points.faces,
                            points.count,
                            points.threads,
                            &block.fields[0],
                            &self.together
                        ],
                    )?;
                    all.extend(self.together.download_range(0..points.values)?);
                }
            }
        }
        Ok(all)
    }

    /// Restores displacements from a checkpoint.
    ///
    /// # Errors
    /// A device that has failed.
    pub fn replace(&mut self, mut values: &[T]) -> Result<(), GpuError> {
        for brick in &mut self.bricks {
            let (own, rest) = values.split_at(brick.points.values);
            values = rest;
            brick.sums.as_mut().expect("the selection includes displacement").write(0..own.len(), own)?;
        }
        Ok(())
    }
}
