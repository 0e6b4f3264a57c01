//! Shots of one model in motion on a GPU, side by side: the arrays of the CPU as they stand, and the same arithmetic of a point.

use std::sync::Arc;

use craton_device::gpu::{Buffer, Gpu, GpuError, Graph, Kernel, Launch, Module};
use craton_device::{AlignedVec, args};
use craton_sim::{Failure, Instability};

use super::cut::{Cut, Tiling};
use super::layers::Layer;
use super::layout::Layout;
use super::medium::AcousticMedium;
use super::setup::{AcousticOptions, PRESSURE, Setup};
use super::shots::{Shots, Taps};
use super::taps::{Drive, Listener};
use super::tiles::Tiles;
use crate::error::GpuSetupError;
use crate::gpu::images::{self, ShotShape};
use crate::gpu::{DeviceGrid, countable};
use crate::layout::GROUP;

/// Steps of the longer recording: shots of few points would wait between recordings of one.
const SEVERAL: u64 = 32;

/// Some shots of one model on a GPU, in single precision: velocities at half steps, pressure at whole ones.
pub struct AcousticGpu {
    pub(super) gpu: Gpu,
    /// What a block moves.
    cut: Cut,
    /// The queue on which receivers listen while fields move.
    beside: Gpu,
    pub(super) setup: Setup<f32>,
    kernels: Kernels,
    /// The way through tiles, where they fit on the chip.
    tiles: Option<Tiles>,
    pub(super) grid: DeviceGrid,
    /// Of each shot velocities along its axes and pressure, `[shot][field][place]`.
    pub(super) fields: Buffer<f32>,
    pub(super) factors: Buffer<f32>,
    /// What layers are: see `kernels/layers.cuh`.
    pub(super) slabs: [u32; 36],
    pub(super) profiles: Buffer<f32>,
    /// Of each shot, for both halves of the step.
    pub(super) memory: Buffer<f32>,
    pub(super) memories: u32,
    pub(super) shots: Shots,
    /// Steps done, as the device counts them.
    pub(super) counter: Buffer<u32>,
    graphs: Option<[Graph; 2]>,
    step: u64,
    first_sample: u64,
}

struct Kernels {
    velocities: Kernel,
    pressure: Kernel,
    listen: Kernel,
    count: Kernel,
}

impl Kernels {
    fn new(module: &Module, beside: &Gpu) -> Result<Self, GpuError> {
        Ok(Self {
            velocities: module.kernel("move_velocities")?,
            pressure: module.kernel("move_pressure")?,
            listen: module.kernel("listen")?.on(beside),
            count: module.kernel("count_steps")?,
        })
    }
}

impl AcousticGpu {
    /// At rest, without sources and channels.
    ///
    /// # Arguments
    /// * `dt` – time step [s], at most [`AcousticMedium::stable_step`]
    /// * `shots` – that move side by side, at least one
    /// # Errors
    /// What [`super::AcousticOperator::new`] refuses; more points than kernels can count, too little memory.
    pub fn new(
        gpu: &Gpu,
        medium: Arc<AcousticMedium<f32>>,
        options: AcousticOptions,
        dt: f64,
        shots: usize,
    ) -> Result<Self, GpuSetupError> {
        let mut setup = Setup::new(medium, options, dt)?;
        let (layout, axes) = (&setup.layout, setup.axes);
        let length = countable(layout.len() * (axes.len() + 1))? / (axes.len() as u32 + 1);
        let mut factors = Vec::with_capacity(layout.len() * (axes.len() + 1));
        axes.iter().chain([&PRESSURE]).for_each(|&field| factors.extend_from_slice(&setup.factors[field]));
        let half_length = setup.options.stencil.half_length();
        let shape = ShotShape::of(axes.len());
        let module = images::acoustic(gpu, half_length, axes.len(), shape)?;
        let [sx, sy, sz] = layout.stride;
        let [nx, ny, nz] = layout.cells;
        let planes = nz + usize::from(setup.is_free());
        let grid = [sx, sy, sz, layout.row(0, 0), nx, ny, planes, nx, ny, nz, length as usize, layout.groups];
        let rows = Cut::Rows { shape, blocks: blocks(layout, shape, planes) };
        let asked = super::tiles::asked().filter(|_| axes.len() == 2);
        let tiling = asked.and_then(|shape| Some((shape, Tiling::of(gpu.info(), shape, layout, half_length, planes)?)));
        let cut = tiling.map_or(rows, |(_, tiling)| Cut::Tiles(tiling));
        let tiles = tiling.map(|(shape, tiling)| Tiles::new(gpu, shape, tiling, half_length, shots)).transpose()?;
        let (slabs, profiles, memories) = slabs(&setup.layers)?;
        let memories_of_all = countable(memories as usize * shots)? as usize;
        let fields = gpu.zeroed(layout.len() * (axes.len() + 1) * shots)?;
        // They stand on the device now.
        setup.layers = [const { None }; 6];
        setup.factors = std::array::from_fn(|_| AlignedVec::zeroed(0));
        let beside = gpu.another_queue()?;
        let mut operator = Self {
            kernels: Kernels::new(&module, &beside)?,
            grid: grid.map(|number| number as u32),
            fields,
            factors: gpu.upload(&factors)?,
            slabs,
            profiles: gpu.upload(&profiles)?,
            memory: gpu.zeroed(2 * memories_of_all)?,
            memories,
            shots: Shots::none(gpu, shots)?,
            counter: gpu.zeroed(1)?,
            graphs: None,
            gpu: gpu.clone(),
            cut,
            tiles,
            beside,
            step: 0,
            first_sample: 0,
            setup,
        };
        operator.place(&vec![(Vec::new(), Vec::new()); shots])?;
        Ok(operator)
    }

    /// New shots: all is at rest again.
    ///
    /// # Arguments
    /// * `shots` – of each its sources and its channels; as many as there is room for, or fewer
    /// # Errors
    /// A position outside the grid; more channels than kernels can count, too little memory.
    ///
    /// # Panics
    /// If there are more shots than room.
    pub fn place(&mut self, shots: &[(Vec<Drive>, Vec<Listener>)]) -> Result<(), GpuSetupError> {
        assert!(shots.len() <= self.shots.count, "{} shots, room for {}", shots.len(), self.shots.count);
        let count = self.shots.count;
        self.graphs = None;
        self.shots = Shots::new(&self.gpu, &self.setup, count, shots, &self.cut)?;
        if let Some(tiles) = &mut self.tiles {
            tiles.place(&self.shots)?;
        }
        self.fields.clear()?;
        self.memory.clear()?;
        self.counter.clear()?;
        (self.step, self.first_sample) = (0, 0);
        Ok(())
    }

    /// Steps done.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Steps whose samples there is room for, until they are taken.
    pub fn longest_advance(&self) -> u64 {
        (self.shots.ring.rows() as u64).saturating_sub(self.step - self.first_sample)
    }

    /// Queues some steps.
    ///
    /// # Errors
    /// A device that fails.
    ///
    /// # Panics
    /// If channels are heard and there is no room for so many samples: see [`Self::longest_advance`].
    pub fn advance(&mut self, steps: u64) -> Result<(), Failure> {
        let is_heard = self.shots.ring.channels() > 0;
        assert!(!is_heard || steps <= self.longest_advance(), "{steps} steps, room for {}", self.longest_advance());
        let failed = self.failure();
        if let Some(tiles) = &self.tiles {
            tiles.advance(self, steps).map_err(&failed)?;
            self.step += steps;
            return Ok(());
        }
        self.record().map_err(&failed)?;
        let [one, several] = self.graphs.as_ref().expect("they have just been recorded");
        let all = (0..steps / SEVERAL).try_for_each(|_| several.replay());
        all.and_then(|()| (0..steps % SEVERAL).try_for_each(|_| one.replay())).map_err(&failed)?;
        self.step += steps;
        Ok(())
    }

    /// Of each shot the samples since the last call, `[step][channel]`: pressure after each step, velocity half a step before.
    ///
    /// # Errors
    /// A device that fails.
    pub fn take_samples(&mut self) -> Result<Vec<Vec<f32>>, Failure> {
        let first = std::mem::replace(&mut self.first_sample, self.step);
        let samples = self.shots.ring.read(first, self.step).map_err(self.failure())?;
        let width = self.shots.ring.channels();
        let of_shot = |&[start, end]: &[usize; 2]| {
            let rows = samples.chunks_exact(width.max(1));
            let mut own = Vec::with_capacity(rows.len() * (end - start));
            rows.for_each(|row| own.extend_from_slice(&row[start..end]));
            own
        };
        Ok(self.shots.rows.iter().map(of_shot).collect())
    }

    /// Pressure of a shot at the centre of each cell [Pa], x fastest.
    ///
    /// # Errors
    /// A device that fails.
    pub fn pressure(&self, shot: usize) -> Result<Vec<f32>, Failure> {
        let (layout, fields) = (&self.setup.layout, self.setup.axes.len() + 1);
        let first = (shot * fields + fields - 1) * layout.len();
        let all = self.fields.download_range(first..first + layout.len()).map_err(self.failure())?;
        let [nx, ny, nz] = layout.cells;
        let rows = (0..nz).flat_map(|k| (0..ny).map(move |j| [j, k]));
        Ok(rows.flat_map(|[j, k]| all[layout.row(j, k)..][..nx].iter().copied()).collect())
    }

    /// Whether the fields are still finite.
    ///
    /// # Errors
    /// The step and a place that is not; a device that fails.
    pub fn check(&self) -> Result<(), Failure> {
        for shot in 0..self.shots.rows.len() {
            if let Some(number) = self.pressure(shot)?.iter().position(|p| !p.is_finite()) {
                let [nx, ny, _] = self.setup.grid.cells;
                let position = self.setup.grid.centre([number % nx, number / nx % ny, number / (nx * ny)]);
                return Err(Instability { step: self.step, position, courant: self.setup.courant }.into());
            }
        }
        Ok(())
    }

    fn record(&mut self) -> Result<(), GpuError> {
        if self.graphs.is_none() {
            let gpu = &self.gpu;
            let steps = |count: u64| gpu.record(|| self.launch_steps(count as u32));
            self.graphs = Some([steps(1)?, steps(SEVERAL)?]);
        }
        Ok(())
    }

    /// Queues some steps.
    fn launch_steps(&self, count: u32) -> Result<(), GpuError> {
        let (gpu, beside) = (&self.gpu, &self.beside);
        beside.wait_for(gpu)?;
        for step in 0..count {
            for half in [0, 1] {
                self.launch_half(half, step)?;
                // What comes next waits for those that listened to what it changes; what has just moved is heard meanwhile.
                gpu.wait_for(beside)?;
                beside.wait_for(gpu)?;
                self.launch_listen(half, step)?;
            }
        }
        gpu.wait_for(beside)?;
        self.kernels.count.launch(Launch::new(1, 1), args![&self.counter, count])
    }

    fn launch_half(&self, half: usize, step: u32) -> Result<(), GpuError> {
        let Cut::Rows { shape, .. } = self.cut else { unreachable!("tiles move by themselves") };
        let kernel = if half == 0 { &self.kernels.velocities } else { &self.kernels.pressure };
        let Taps { starts, taps } = &self.shots.sources;
        kernel.launch(
            Launch::new([self.cut.blocks() as u32, 1, self.shots.count as u32], 32 * shape.rows),
            args![
                self.grid,
                *self.setup.coefficients.as_flattened().as_array::<24>().expect("eight of three axes"),
                &self.factors,
                self.slabs,
                &self.profiles,
                &self.memory,
                self.memories,
                starts,
                taps,
                &self.shots.amplitudes,
                self.shots.steps,
                &self.counter,
                step,
                &self.fields
            ],
        )
    }

    fn launch_listen(&self, half: usize, step: u32) -> Result<(), GpuError> {
        let (channels, ring) = (&self.shots.channels[half], &self.shots.ring);
        if channels.is_empty() {
            return Ok(());
        }
        self.kernels.listen.launch(
            Launch::covering(channels.len(), 64),
            args![
                channels,
                channels.len() as u32,
                &self.shots.listeners[half],
                self.grid[10],
                &self.fields,
                &self.counter,
                step,
                ring.rows() as u32,
                ring.channels() as u32,
                ring.buffer()
            ],
        )
    }

    /// A failure of the device as the time loop takes it.
    fn failure(&self) -> impl Fn(GpuError) -> Failure + use<> {
        let step = self.step;
        move |fault| Failure::Device { step, fault }
    }
}

/// Blocks along x and of rows.
fn blocks(layout: &Layout, shape: ShotShape, planes: usize) -> [u32; 2] {
    let vectors = layout.groups * GROUP / shape.width;
    [vectors.div_ceil(32) as u32, ((layout.cells[1] * planes) as u32).div_ceil(shape.rows)]
}

/// The layers as the kernels read them: ranges, places and shapes; factors; values of memory for a half of the step.
fn slabs(layers: &[Option<Layer<f32>>; 6]) -> Result<([u32; 36], Vec<f32>, u32), GpuSetupError> {
    let (mut table, mut profiles, mut memories) = ([[0; 6]; 6], Vec::new(), 0);
    for (side, layer) in layers.iter().enumerate() {
        let Some(layer) = layer else { continue };
        let [width, rows] = layer.shape();
        let row = [layer.range.start, layer.range.end, memories, width, rows, profiles.len()];
        table[side] = row.map(|number| number as u32);
        memories += layer.memory[0].len();
        layer.factors().for_each(|list| profiles.extend_from_slice(list));
    }
    let table = *table.as_flattened().as_array().expect("six numbers of six sides");
    Ok((table, profiles, countable(memories)?))
}
