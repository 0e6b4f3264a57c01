//! Finite differences on a GPU, in motion.

use std::sync::Arc;

use craton_device::gpu::{Buffer, Gpu, GpuError, Graph, Kernel, Launch};
use craton_device::{AlignedVec, Workers, args};
use craton_sim::{Failure, Instability, Operator};

use super::arrays::{DeviceBlock, LEAD};
use super::halos::DeviceHalos;
use super::images;
use super::probes::DeviceProbes;
use super::sources::DeviceSources;
use super::sweep::DeviceSweep;
use super::walls::DeviceWall;
use crate::block::Block;
use crate::classes::Classes;
use crate::error::GpuSetupError;
use crate::exchange::Halo;
use crate::grid::Grid;
use crate::medium::Medium;
use crate::operator::Options;
use crate::probes::Probe;
use crate::saved::Canonical;
use crate::setup::Setup;
use crate::sources::PointSource;
use crate::sweep::Precision;

/// Threads of a block that looks for what is not finite.
const THREADS: u32 = 256;
/// Steps of the longer recording: small problems would wait between recordings of one.
const SEVERAL: u64 = 8;

/// A medium in motion on a GPU: velocities at half steps, stresses at whole ones.
pub struct GpuOperator<T: Precision> {
    gpu: Gpu,
    pub(super) workers: Arc<Workers>,
    pub(super) canonical: Canonical,
    /// The block of the host, whose arrays are empty but for those on their way to a checkpoint or back.
    pub(super) block: Block<T>,
    pub(super) device: DeviceBlock<T>,
    sweeps: [DeviceSweep<T>; 2],
    forces: DeviceSources,
    moments: DeviceSources,
    halos: DeviceHalos,
    pub(super) walls: Vec<DeviceWall<T>>,
    pub(super) probes: DeviceProbes<T>,
    count_step: Kernel,
    find_broken: Kernel,
    broken: Buffer<u64>,
    /// Steps done, as the device counts them.
    pub(super) counter: Buffer<u32>,
    /// One step, and [`SEVERAL`].
    graphs: Option<[Graph; 2]>,
    pub(super) step: u64,
    /// First step whose samples have not been taken.
    pub(super) first_sample: u64,
    pub(super) dt: f64,
    stable: f64,
}

impl<T: Precision> GpuOperator<T> {
    /// At rest at step 0; the arguments are those of [`crate::FdOperator::new`], of whose options parts and instruction set mean nothing here.
    ///
    /// # Errors
    /// Those of [`crate::FdOperator::new`]; a grid beyond 32-bit places, too little memory on the device, kernels that it cannot run.
    pub fn new(
        gpu: &Gpu,
        medium: &Medium<T>,
        options: &Options,
        dt: f64,
        sources: &[PointSource],
        probes: &[Probe],
        workers: Arc<Workers>,
    ) -> Result<Self, GpuSetupError> {
        let Setup { mut blocks, sources, probes, stable } =
            Setup::new(medium, options, [1; 3], dt, sources, probes, &workers)?;
        let mut block = blocks.pop().expect("one part makes one block");
        countable(LEAD + block.layout.len())?;
        let device = DeviceBlock::new(gpu, &block, dt)?;
        let beside = gpu.another_queue()?;
        let step = images::step::<T>(gpu, block.layout.halo)?;
        let taps = images::taps::<T>(gpu)?;
        let sweep = |half| DeviceSweep::new(gpu, &beside, &step, half, &block, &device);
        let sweeps = [sweep(0)?, sweep(1)?];
        let add_sources = |half| DeviceSources::new(gpu, taps.kernel("add_sources")?, half, &sources);
        let wall = |wall| DeviceWall::new(gpu, taps.kernel("fill_wall")?, &block.layout, wall);
        let walls = block.walls.iter().map(wall).collect::<Result<_, GpuError>>()?;
        let halos =
            DeviceHalos::new(taps.kernel("fill_halos")?, &block.layout, |axis| options.boundaries.is_periodic(axis));
        release(&mut block);
        Ok(Self {
            block,
            device,
            sweeps,
            forces: add_sources(0)?,
            moments: add_sources(1)?,
            halos,
            walls,
            probes: DeviceProbes::new(gpu, taps.kernel("sample")?, &probes)?,
            count_step: taps.kernel("count_step")?,
            find_broken: taps.kernel("find_broken")?,
            broken: gpu.zeroed(1)?,
            counter: gpu.zeroed(1)?,
            graphs: None,
            gpu: gpu.clone(),
            workers,
            canonical: Canonical { grid: *medium.grid(), boundaries: options.boundaries },
            step: 0,
            first_sample: 0,
            dt,
            stable,
        })
    }

    /// Its grid.
    pub fn grid(&self) -> &Grid {
        &self.canonical.grid
    }

    /// Largest stable time step [s].
    pub fn stable_step(&self) -> f64 {
        self.stable
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Bytes held on the device, by all who share its handle.
    pub fn device_bytes(&self) -> usize {
        self.gpu.bytes_held()
    }

    /// Queues `steps` steps, at most as many as the ring of samples holds.
    fn queue(&mut self, steps: u64) -> Result<(), GpuError> {
        if self.graphs.is_none() {
            let several = || (0..SEVERAL).try_for_each(|_| self.launch_step());
            self.graphs = Some([self.gpu.record(|| self.launch_step())?, self.gpu.record(several)?]);
        }
        if let Some([one, several]) = &self.graphs {
            (0..steps / SEVERAL).try_for_each(|_| several.replay())?;
            (0..steps % SEVERAL).try_for_each(|_| one.replay())?;
        }
        Ok(())
    }

    /// One step.
    fn launch_step(&self) -> Result<(), GpuError> {
        let (block, counter) = (&self.device, &self.counter);
        self.moments.launch(block, counter)?;
        self.halos.launch(block, Halo::Stresses)?;
        self.sweeps[0].launch(&self.gpu, block)?;
        self.forces.launch(block, counter)?;
        self.walls.iter().try_for_each(|wall| wall.launch(block))?;
        self.halos.launch(block, Halo::Velocities)?;
        self.sweeps[1].launch(&self.gpu, block)?;
        self.probes.launch(block, counter)?;
        self.count_step.launch(Launch::new(1, 1), args![counter])
    }

    /// Number of a cell with a velocity that is not finite, if there is one: the first, x fastest.
    fn broken_cell(&mut self) -> Result<Option<u64>, GpuError> {
        self.broken.write(0..1, &[u64::MAX])?;
        let cells = self.grid().n_cells();
        self.find_broken
            .launch(Launch::covering(cells, THREADS), args![self.device.grid, &self.device.fields[0], &self.broken])?;
        let broken = self.broken.download()?[0];
        Ok((broken < cells as u64).then_some(broken))
    }

    /// A failure of the device as the time loop takes it.
    pub(super) fn failure(&self) -> impl Fn(GpuError) -> Failure + use<T> {
        let step = self.step;
        move |fault| Failure::Device { step, fault }
    }
}

/// Gives the memory back of what stands on the device.
fn release<T: Precision>(block: &mut Block<T>) {
    let empty = || AlignedVec::zeroed(0);
    block.fields = std::array::from_fn(|_| empty());
    block.memory.iter_mut().flatten().for_each(|memory| *memory = empty());
    let material = &mut block.material;
    for array in [&mut material.lambda, &mut material.inverse_mu, &mut material.rho] {
        *array = empty();
    }
    block.classes.iter_mut().for_each(Classes::release);
}

/// Refuses more places than the kernels can count.
fn countable(places: usize) -> Result<(), GpuSetupError> {
    u32::try_from(places).map(drop).map_err(|_| GpuSetupError::Large { places })
}

impl<T: Precision> Operator for GpuOperator<T> {
    type Error = Failure;

    fn step(&self) -> u64 {
        self.step
    }

    fn advance(&mut self, steps: u64) -> Result<(), Failure> {
        self.queue(steps).map_err(self.failure())?;
        self.step += steps;
        Ok(())
    }

    fn longest_advance(&self) -> u64 {
        self.probes.ring.rows() as u64
    }

    fn check(&mut self) -> Result<(), Failure> {
        let Some(number) = self.broken_cell().map_err(self.failure())? else { return Ok(()) };
        let ([nx, ny, _], number) = (self.grid().cells, number as usize);
        let position = self.grid().corner([number % nx, number / nx % ny, number / (nx * ny)]);
        Err(Instability { step: self.step, position, courant: self.dt / self.stable }.into())
    }
}
