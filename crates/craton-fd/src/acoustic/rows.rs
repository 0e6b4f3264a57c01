//! Propagation of shots on a GPU in blocks of rows: a launch for each half of a step, and receivers on a concurrent queue.

use craton_device::args;
use craton_device::gpu::{Gpu, GpuError, Graph, Kernel, Launch};

use super::arrays::{Arrays, DeviceRelaxation, planes};
use super::cut::{Blocks, Cut};
use super::setup::Setup;
use super::shots::Taps;
use crate::gpu::images::{self, ShotShape};

/// Number of steps of the longer recording: small shots would stall between recordings of one step.
const SEVERAL: u64 = 32;

/// Shots in blocks of rows.
pub struct Rows {
    blocks: Blocks,
    /// Threads and shared memory per block.
    threads: u32,
    kept: u32,
    velocities: Kernel,
    pressure: Kernel,
    listen: Kernel,
    count: Kernel,
    /// The queue on which receivers sample concurrently with the updates.
    beside: Gpu,
    /// Recordings of one step and of several.
    graphs: Option<[Graph; 2]>,
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
            velocities: module.kernel("move_velocities")?,
            pressure: module.kernel("move_pressure")?,
            listen: module.kernel("listen")?.on(&beside),
            count: module.kernel("count_steps")?,
            beside,
            graphs: None,
        })
    }

    /// Distribution of a shot over blocks.
    pub fn cut(&self) -> Cut {
        Cut::Rows(self.blocks)
    }

    /// Discards the recordings, which belong to the previous shots.
    pub fn place(&mut self) {
        self.graphs = None;
    }

    /// Queues some steps.
    pub fn advance(&mut self, of: &Arrays, steps: u64) -> Result<(), GpuError> {
        if self.graphs.is_none() {
            let record = |count: u64| of.gpu.record(|| self.launch_steps(of, count as u32));
            self.graphs = Some([record(1)?, record(SEVERAL)?]);
        }
        let [one, several] = self.graphs.as_ref().expect("recorded above");
        (0..steps / SEVERAL).try_for_each(|_| several.replay())?;
        (0..steps % SEVERAL).try_for_each(|_| one.replay())
    }

    fn launch_steps(&self, of: &Arrays, count: u32) -> Result<(), GpuError> {
        let (gpu, beside) = (&of.gpu, &self.beside);
        beside.wait_for(gpu)?;
        for step in 0..count {
            for half in [0, 1] {
                self.launch_half(of, half, step)?;
                // The next update waits for the receivers that sample what it changes; the fields just updated are sampled concurrently.
                gpu.wait_for(beside)?;
                beside.wait_for(gpu)?;
                self.launch_listen(of, half, step)?;
            }
        }
        gpu.wait_for(beside)?;
        self.count.launch(Launch::new(1, 1), args![&of.counter, count])
    }

    fn launch_half(&self, of: &Arrays, half: usize, step: u32) -> Result<(), GpuError> {
        let kernel = if half == 0 { &self.velocities } else { &self.pressure };
        let Taps { starts, taps } = &of.shots.sources;
        let DeviceRelaxation { loss, factors, memory, sets } = &of.relaxation;
        let blocks = [self.blocks.launched(), 1, of.shots.count as u32];
        kernel.launch(
            Launch::new(blocks, self.threads).shared(self.kept),
            args![
                of.grid,
                self.blocks.deep as u32,
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
                &of.fields,
                loss,
                factors,
                memory,
                *sets
            ],
        )
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
