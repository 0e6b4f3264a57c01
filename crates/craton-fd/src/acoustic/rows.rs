//! Propagation of shots on a GPU in blocks of rows: a launch for each half of a step, and receivers on a concurrent queue.

use craton_device::args;
use craton_device::gpu::{Arg, Gpu, GpuError, Kernel, Launch};

use super::arrays::{Arrays, DeviceRelaxation, planes};
use super::cut::{Blocks, Cut};
use super::gradient::DeviceIncrements;
use super::recording::Recording;
use super::setup::Setup;
use super::shots::Taps;
use crate::gpu::images::{self, ShotShape};

/// Shots in blocks of rows.
pub struct Rows {
    blocks: Blocks,
    /// Threads and shared memory per block.
    threads: u32,
    kept: u32,
    /// Updates of both halves of the step.
    moves: [Kernel; 2],
    listen: Kernel,
    count: Kernel,
    /// The queue on which receivers sample concurrently with the updates.
    beside: Gpu,
    recording: Recording,
}

/// Threads per channel, as in `kernels/acoustic.cu`.
const THREADS_PER_CHANNEL: u32 = 32;

impl Rows {
    /// Creates the propagation of concurrent shots, in 2D or 3D.
    ///
    /// # Errors
    /// A device that fails.
    pub fn new(gpu: &Gpu, setup: &Setup<f32>, shots: usize) -> Result<Self, GpuError> {
        let (axes, half_length, planes) = (setup.axes.len(), setup.options.stencil.half_length(), planes(setup));
        let shape = ShotShape::of(axes, half_length);
        let module = images::acoustic(gpu, half_length, axes, shape, setup.relaxation.is_some())?;
        let beside = gpu.another_queue()?;
        let at_once = (shape.blocks * gpu.info().multiprocessors) as usize;
        Ok(Self {
            blocks: Blocks::new(&setup.layout, shape, planes, at_once.div_ceil(shots)),
            threads: 32 * shape.rows,
            kept: shape.kept_bytes(axes, half_length),
            moves: [module.kernel("move_velocities")?, module.kernel("move_pressure")?],
            listen: module.kernel("listen")?.on(&beside),
            count: module.kernel("count_steps")?,
            beside,
            recording: Recording::default(),
        })
    }

    /// Distribution of a shot over blocks.
    pub fn cut(&self) -> Cut {
        Cut::Rows(self.blocks)
    }

    /// Planes per thread block.
    pub fn deep(&self) -> u32 {
        self.blocks.deep as u32
    }

    /// Discards the recordings, which belong to the previous shots or increments.
    pub fn place(&mut self) {
        self.recording.discard();
    }

    /// Queues some steps.
    ///
    /// # Arguments
    /// * `increments` – where those of the fields are stored, as long as the recordings last
    pub fn advance(&mut self, of: &Arrays, increments: Option<&DeviceIncrements>, steps: u64) -> Result<(), GpuError> {
        let mut recording = std::mem::take(&mut self.recording);
        let queued = recording.replay(&of.gpu, steps, |count| self.launch_steps(of, increments, count));
        self.recording = recording;
        queued
    }

    fn launch_steps(&self, of: &Arrays, increments: Option<&DeviceIncrements>, count: u32) -> Result<(), GpuError> {
        let (gpu, beside) = (&of.gpu, &self.beside);
        beside.wait_for(gpu)?;
        for step in 0..count {
            for half in [0, 1] {
                self.launch_half(of, increments, (half, step))?;
                // The next update waits for the receivers that sample what it changes; the fields just updated are sampled concurrently.
                gpu.wait_for(beside)?;
                beside.wait_for(gpu)?;
                self.launch_listen(of, half, step)?;
            }
        }
        gpu.wait_for(beside)?;
        self.count.launch(Launch::new(1, 1), args![&of.counter, count])
    }

    fn launch_half(
        &self,
        of: &Arrays,
        increments: Option<&DeviceIncrements>,
        (half, step): (usize, u32),
    ) -> Result<(), GpuError> {
        let DeviceRelaxation { loss, factors, memory, sets } = &of.relaxation;
        match increments {
            Some(DeviceIncrements { values, segment, every, fields, kernels, .. }) => {
                self.launch_kernel(of, (&kernels[half], step), args![values, segment, *every, *fields])
            }
            None => self.launch_kernel(of, (&self.moves[half], step), args![loss, factors, memory, *sets]),
        }
    }

    /// Launches a kernel of half a step, with its last arguments.
    fn launch_kernel(&self, of: &Arrays, (kernel, step): (&Kernel, u32), more: &[Arg]) -> Result<(), GpuError> {
        let Taps { starts, taps } = &of.shots.sources;
        kernel.launch(
            self.shape(of.shots.count),
            &[
                args![
                    of.grid,
                    self.deep(),
                    of.coefficients(),
                    &of.factors,
                    of.slabs,
                    &of.profiles,
                    &of.memory,
                    of.memories,
                    starts,
                    taps,
                    &of.shots.amplitudes,
                    of.shots.steps,
                    &of.counter,
                    step,
                    &of.fields
                ],
                more,
            ]
            .concat(),
        )
    }

    /// Shape of a launch for some shots.
    pub fn shape(&self, shots: usize) -> Launch {
        Launch::new([self.blocks.launched(), 1, shots as u32], self.threads).shared(self.kept)
    }

    fn launch_listen(&self, of: &Arrays, half: usize, step: u32) -> Result<(), GpuError> {
        let (channels, ring) = (&of.shots.channels[half], &of.shots.ring);
        if channels.is_empty() {
            return Ok(());
        }
        self.listen.launch(
            Launch::new(channels.len() as u32, THREADS_PER_CHANNEL)
                .shared(THREADS_PER_CHANNEL * size_of::<f32>() as u32),
            args![
                channels,
                &of.shots.listeners[half],
                &of.shots.weights,
                of.grid,
                &of.fields,
                &of.counter,
                step,
                ring.rows() as u32,
                ring.channels() as u32,
                ring.buffer()
            ],
        )
    }
}
