//! Increments of the fields of a shot, stored on a GPU.

use std::ops::Range;

use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel};

use crate::acoustic::layout::Layout;
use crate::layout::GROUP;

/// As [`Increments`](super::Increments), in the memory of a GPU: `kernels/increments.cuh`.
pub struct DeviceIncrements {
    /// `[stored step][field][plane][row][x]`, rows of whole groups.
    pub values: Buffer<f32>,
    /// First step and end of the stored segment.
    pub segment: Buffer<u32>,
    /// Steps per stored step.
    pub every: u32,
    /// Number of stored fields, the last ones of the shot: the pressure, or all.
    pub fields: u32,
    /// Updates of both halves of the step, which store.
    pub kernels: [Kernel; 2],
    points: usize,
}

impl DeviceIncrements {
    /// Creates an empty store.
    ///
    /// # Errors
    /// A device that fails.
    pub fn new(gpu: &Gpu, layout: &Layout, kernels: [Kernel; 2]) -> Result<Self, GpuError> {
        let points = device_points(layout);
        Ok(Self { values: gpu.zeroed(0)?, segment: gpu.zeroed(2)?, every: 1, fields: 1, kernels, points })
    }

    /// Prepares for some steps; earlier ones are forgotten.
    ///
    /// # Errors
    /// Too little memory.
    pub fn begin(&mut self, steps: Range<u64>) -> Result<(), GpuError> {
        let every = u64::from(self.every);
        let stored = (steps.end / every - steps.start / every) as usize;
        let len = stored * self.fields as usize * self.points;
        if self.values.len() < len {
            let gpu = self.values.gpu().clone();
            // Both at a time may not fit.
            self.values = gpu.zeroed(0)?;
            self.values = gpu.zeroed(len)?;
        }
        self.segment.write(0..2, &[steps.start as u32, steps.end as u32])
    }
}

/// Number of values of a field without halos, in rows of whole groups: cells, and the faces above the uppermost ones.
pub fn device_points(layout: &Layout) -> usize {
    layout.groups * GROUP * layout.cells[1] * (layout.cells[2] + 1)
}
