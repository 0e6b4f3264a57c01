//! The gradient of a shot on a GPU.
//!
//! The forward run and the adjoint run are in blocks of rows (`rows.rs`). Values of 4 bytes per point and step, from and to memory, without those of layers; a
//! stencil reads each value once:
//!
//! | | plane | space |
//! |---|---|---|
//! | forward step | 12 (48 B) | 16 (64 B) |
//! | adjoint step | 12 (48 B) | 16 (64 B) |
//! | storing the increment of a field | 1 (4 B) | 1 (4 B) |
//! | correlating it | 1, and 2 of 8 B (20 B) | 1, and 2 of 8 B (20 B) |
//!
//! In a layer the adjoint reads and writes its memory, as a forward step, and what the layer adds to the field; near a layer it differentiates this, too. So the
//! exact gradient with respect to the speed transfers (48 + 4 + 48 + 20) / 48 = 2.5 times what a forward shot does in a plane, and 2.4 times in space;
//! with increments every few steps it is little more than twice. A checkpoint repeats the forward steps before it.
//!
//! Memory per point, without layers: 6 values for fields and factors of the forward run, 3 for the adjoint and one sum of 8 B in a plane (44 B), and 8, 4 and one in space
//! (56 B); two or three further sums with density. A stored step takes 4 B per point and field.

use std::ops::Range;
use std::sync::Arc;

use craton_device::Workers;
use craton_device::gpu::Gpu;
use craton_sim::Failure;

use super::adjoint::GridGradient;
use super::device_increments::{DeviceIncrements, device_points};
use super::gpu_adjoint::AdjointGpu;
use super::{ShotGradient, stored_fields};
use crate::acoustic::arrays::Arrays;
use crate::acoustic::gpu::{AcousticGpu, DeviceCheckpoint, ShotWay};
use crate::acoustic::medium::AcousticMedium;
use crate::acoustic::rows::Rows;
use crate::acoustic::setup::{AcousticOptions, PRESSURE};
use crate::acoustic::taps::{Drive, Listener};
use crate::error::{FdError, GpuSetupError};
use crate::gpu::images::{self, ShotShape};

/// The forward run and the adjoint run of a shot on a GPU, in single precision.
///
/// Verified by `gradients_gpu::gradients_on_a_gpu_agree_with_those_on_a_cpu`.
pub struct GradientGpu {
    forward: AcousticGpu,
    adjoint: AdjointGpu,
    /// The stored increments, unless the forward run has them.
    increments: Option<DeviceIncrements>,
    /// Buffers for checkpoints; the first ones are kept, the others are reused.
    checkpoints: Vec<DeviceCheckpoint>,
    kept: usize,
    /// Samples that the device has no room for.
    samples: Vec<f32>,
    has_channels: bool,
    workers: Arc<Workers>,
}

impl GradientGpu {
    /// Creates both runs at rest, without a shot.
    ///
    /// # Arguments
    /// * `workers` – threads that make the weights of sources and receivers
    /// # Errors
    /// As [`AcousticGpu::new`]; a fluid with attenuation.
    pub fn new(
        gpu: &Gpu,
        medium: Arc<AcousticMedium<f32>>,
        options: AcousticOptions,
        dt: f64,
        workers: Arc<Workers>,
    ) -> Result<Self, GpuSetupError> {
        if medium.mechanisms().is_some() {
            return Err(FdError::LossyGradient.into());
        }
        let forward = AcousticGpu::moving(ShotWay::Rows, gpu, medium, options.first_order(), dt, 1)?;
        let arrays = forward.parts().0;
        let (axes, half_length) = (arrays.setup.axes.len(), arrays.setup.options.stencil.half_length());
        let module = images::acoustic_gradient(gpu, half_length, axes, ShotShape::of(axes, half_length))?;
        let kernels = [module.kernel("store_velocities")?, module.kernel("store_pressure")?];
        Ok(Self {
            increments: Some(DeviceIncrements::new(gpu, &arrays.setup.layout, kernels)?),
            adjoint: AdjointGpu::new(arrays, &module)?,
            forward,
            checkpoints: Vec::new(),
            kept: 0,
            samples: Vec::new(),
            has_channels: false,
            workers,
        })
    }

    /// Memory of a stored step and of a checkpoint [bytes].
    pub fn sizes(&self, with_density: bool) -> [u64; 2] {
        let setup = &self.forward.parts().0.setup;
        let values = stored_fields(setup.axes, with_density).len() * device_points(&setup.layout);
        [(values * size_of::<f32>()) as u64, self.forward.checkpoint_bytes() as u64]
    }

    /// Device memory of a shot without stored steps and checkpoints, sources and receivers [bytes].
    ///
    /// # Arguments
    /// * `with_density` – whether buoyancies are parameters
    pub fn bytes(&self, with_density: bool) -> u64 {
        let Arrays { setup, fields, factors, profiles, memory, .. } = self.forward.parts().0;
        let sums = stored_fields(setup.axes, with_density).len() * device_points(&setup.layout) * size_of::<f64>();
        // The adjoint has fields, too, and twice the memory variables.
        (2 * fields.bytes() + factors.bytes() + profiles.bytes() + 3 * memory.bytes() + sums) as u64
    }

    fn rows(&self) -> (&Arrays, &Rows) {
        let (arrays, rows) = self.forward.parts();
        (arrays, rows.expect("the forward run is in blocks of rows"))
    }
}

impl ShotGradient for GradientGpu {
    type Value = f32;
    type Problem = GpuSetupError;
    type Failure = Failure;

    fn place(
        &mut self,
        (sources, channels): (&[Drive], &[Listener]),
        with_density: bool,
        every: u64,
    ) -> Result<(), GpuSetupError> {
        self.end_storing();
        self.adjoint.discard();
        self.kept = 0;
        self.samples.clear();
        self.has_channels = !channels.is_empty();
        let fields = stored_fields(self.forward.parts().0.setup.axes, with_density).len();
        let increments = self.increments.as_mut().expect("the forward run stores none");
        (increments.fields, increments.every) = (fields as u32, every as u32);
        let shot = [(sources.to_vec(), channels.to_vec())];
        let Self { forward, workers, .. } = self;
        workers.run(|| forward.place(&shot))
    }

    fn keep_checkpoint(&mut self) -> Result<(), GpuSetupError> {
        let reused = if self.kept < self.checkpoints.len() { Some(self.checkpoints.remove(self.kept)) } else { None };
        let state = self.forward.checkpoint(reused)?;
        self.checkpoints.insert(self.kept, state);
        self.kept += 1;
        Ok(())
    }

    fn restore_checkpoint(&mut self) -> Result<(), GpuSetupError> {
        self.kept -= 1;
        Ok(self.forward.restore(&self.checkpoints[self.kept])?)
    }

    fn begin_storing(&mut self, steps: Range<u64>) -> Result<(), GpuSetupError> {
        self.adjoint.discard();
        let increments = self.increments.as_mut().expect("the forward run stores none");
        increments.begin(steps)?;
        self.forward.store(self.increments.take());
        Ok(())
    }

    fn end_storing(&mut self) {
        if let Some(increments) = self.forward.store(None) {
            self.increments = Some(increments);
        }
    }

    fn advance(&mut self, steps: u64) -> Result<(), Failure> {
        let mut left = steps;
        while left > 0 {
            let room = if self.has_channels { self.forward.longest_advance() } else { left };
            if room == 0 {
                self.samples.extend(self.forward.take_samples()?.swap_remove(0));
                continue;
            }
            self.forward.advance(left.min(room))?;
            left -= left.min(room);
        }
        self.forward.parts().0.gpu.synchronize().map_err(self.forward.failure())
    }

    fn check(&self) -> Result<(), Failure> {
        self.forward.check(0)
    }

    fn take_samples(&mut self) -> Result<Vec<f32>, Failure> {
        let mut samples = std::mem::take(&mut self.samples);
        samples.extend(self.forward.take_samples()?.swap_remove(0));
        Ok(samples)
    }

    fn place_adjoint(&mut self, shot: (&[Drive], &[Listener]), residual: Vec<f32>) -> Result<(), GpuSetupError> {
        let Self { forward, adjoint, increments, workers, .. } = self;
        let fields = increments.as_ref().expect("the forward run stores none").fields;
        let (arrays, rows) = forward.parts();
        let rows = rows.expect("the forward run is in blocks of rows");
        workers.run(|| adjoint.place((arrays, rows), shot, (fields, &residual)))
    }

    fn retreat(&mut self, steps: u64) -> Result<(), Failure> {
        let Self { forward, adjoint, increments, .. } = self;
        let (arrays, rows) = forward.parts();
        let rows = rows.expect("the forward run is in blocks of rows");
        let increments = increments.as_ref().expect("the forward run stores none");
        let queued = adjoint.retreat((arrays, rows), increments, steps);
        queued.and_then(|()| arrays.gpu.synchronize()).map_err(forward.failure())
    }

    fn gradient(&mut self, sources: &[Drive]) -> Result<GridGradient, GpuSetupError> {
        let arrays = self.rows().0;
        let (setup, length) = (&arrays.setup, arrays.length());
        let (sums, of_monopoles) = self.adjoint.sums(arrays)?;
        let (mut correlation, mut factors) = ([const { Vec::new() }; 4], [const { Vec::new() }; 4]);
        let fields: Vec<usize> = setup.axes.iter().copied().chain([PRESSURE]).collect();
        // The stored fields are the last ones.
        let first = fields.len() - sums.len();
        for ((number, &field), sums) in fields.iter().enumerate().skip(first).zip(sums) {
            correlation[field] = sums;
            factors[field] = arrays.factors.download_range(number * length..(number + 1) * length)?;
        }
        let factors = factors.each_ref().map(|own: &Vec<f32>| &own[..]);
        Ok(GridGradient::new(setup, correlation, factors, (sources, &of_monopoles))?)
    }
}
