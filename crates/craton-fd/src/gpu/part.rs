//! A part of the grid on a GPU, in motion.

use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};
use craton_device::{AlignedVec, args};
use craton_sim::{Endpoint, Failure, Link};

use super::arrays::DeviceBlock;
use super::halos::DeviceHalos;
use super::images;
use super::messages::DeviceMessages;
use super::probes::{DeviceProbes, half_of};
use super::selections::{DeviceSelection, SelectionKernels};
use super::sources::DeviceSources;
use super::step::Graphs;
use super::sweep::{DeviceSweep, Queues, Region};
use super::walls::DeviceWall;
use crate::block::Block;
use crate::error::GpuSetupError;
use crate::exchange::Halo;
use crate::setup::Setup;
use crate::sweep::Precision;
use craton_fd_kernels::Classes;

/// Threads per block of the search for values that are not finite.
const THREADS: u32 = 256;

/// A part that is advanced on a GPU.
pub struct GpuPart<T: Precision> {
    pub(super) gpu: Gpu,
    /// The host block, whose arrays are empty except during transfers to and from checkpoints.
    pub(super) block: Block<T>,
    pub(super) device: DeviceBlock<T>,
    pub(super) queues: Queues,
    sweeps: [DeviceSweep<T>; 2],
    forces: DeviceSources,
    moments: DeviceSources,
    halos: DeviceHalos,
    pub(super) messages: DeviceMessages<T>,
    pub(super) walls: Vec<DeviceWall<T>>,
    /// Probes of velocities and of stresses.
    pub(super) probes: [DeviceProbes<T>; 2],
    /// For each sampled value, which of them samples it.
    pub(super) halves: Vec<usize>,
    pub(super) share_kernels: SelectionKernels,
    /// Its points of each selection.
    pub(super) selections: Vec<DeviceSelection<T>>,
    count_step: Kernel,
    find_broken: Kernel,
    broken: Buffer<u64>,
    /// Number of completed steps, counted on the device.
    pub(super) counter: Buffer<u32>,
    pub(super) graphs: Option<Graphs>,
    pub(super) step: u64,
    /// First step whose samples have not been taken.
    pub(super) first_sample: u64,
}

impl<T: Precision> GpuPart<T> {
    /// Copies a part to a device.
    ///
    /// # Arguments
    /// * `dt` – time step [s]
    pub(super) fn new(gpu: &Gpu, mut setup: Setup<T>, dt: f64) -> Result<Self, GpuSetupError> {
        let device = DeviceBlock::new(gpu, &setup.block, dt)?;
        let queues = Queues { inner: gpu.clone(), beside: gpu.another_queue()?, outer: gpu.urgent_queue()? };
        let relaxes = setup.block.relaxation.is_some();
        let step = |relaxes| images::step::<T>(gpu, setup.block.layout.halo, relaxes);
        let modules = [step(false)?, step(relaxes)?];
        let taps = images::taps::<T>(gpu)?;
        let sweep = |half| DeviceSweep::new(&queues, &modules[half], half, &setup, &device);
        let sweeps = [sweep(0)?, sweep(1)?];
        let Setup { block, messages, closed, sources, values, .. } = &mut setup;
        let add_sources = |half| DeviceSources::new(gpu, taps.kernel("add_sources")?, half, sources);
        let wall = |wall| DeviceWall::new(gpu, taps.kernel("fill_wall")?, &block.layout, wall);
        let walls = block.walls.iter().map(wall).collect::<Result<_, GpuError>>()?;
        release(block);
        Ok(Self {
            device,
            sweeps,
            forces: add_sources(0)?,
            moments: add_sources(1)?,
            halos: DeviceHalos::new(taps.kernel("fill_halos")?, &block.layout, closed),
            messages: DeviceMessages::new(gpu, &queues.outer, &taps, &block.layout, messages)?,
            walls,
            probes: [
                DeviceProbes::new(gpu, taps.kernel("sample")?.on(&queues.beside), 0, values)?,
                DeviceProbes::new(gpu, taps.kernel("sample")?, 1, values)?,
            ],
            halves: values.iter().map(half_of).collect(),
            share_kernels: SelectionKernels { pack: taps.kernel("pack_faces")?, add_step: taps.kernel("add_step")? },
            selections: Vec::new(),
            count_step: taps.kernel("count_step")?,
            find_broken: taps.kernel("find_broken")?,
            broken: gpu.zeroed(1)?,
            counter: gpu.zeroed(1)?,
            graphs: None,
            gpu: gpu.clone(),
            step: 0,
            first_sample: 0,
            queues,
            block: setup.block,
        })
    }

    /// The device.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Queues the preparation of a half of the step: sources, boundary conditions, halos across axes that are periodic within the part.
    pub(super) fn launch_before(&self, half: usize) -> Result<(), GpuError> {
        if half == 0 {
            self.moments.launch(&self.device, &self.counter)?;
        } else {
            self.forces.launch(&self.device, &self.counter)?;
            self.walls.iter().try_for_each(|wall| wall.launch(&self.device))?;
        }
        self.halos.launch(&self.device, Halo::BEFORE[half])
    }

    /// Queues a half of the step for some points; the velocities are sampled concurrently with the inner stress update.
    pub(super) fn launch_half(&self, half: usize, region: Region) -> Result<(), GpuError> {
        let sweep = &self.sweeps[half];
        if half == 0 || region == Region::Outer {
            return sweep.launch(&self.device, region);
        }
        let Queues { inner, beside, .. } = &self.queues;
        beside.wait_for(inner)?;
        self.probes[0].launch(&self.device, &self.counter)?;
        sweep.launch(&self.device, region)?;
        inner.wait_for(beside)
    }

    /// Queues the end of a step: stresses are sampled, displacements are summed and the step is counted.
    pub(super) fn launch_end(&self) -> Result<(), GpuError> {
        self.probes[1].launch(&self.device, &self.counter)?;
        self.selections.iter().try_for_each(|share| share.launch(&self.share_kernels, &self.device))?;
        self.count_step.launch(Launch::new(1, 1), args![&self.counter])
    }

    /// Global index of the first cell of the block, in x-fastest order, with a velocity that is not finite.
    pub(super) fn find_broken(&mut self) -> Result<Option<[usize; 3]>, GpuError> {
        self.broken.write(0..1, &[u64::MAX])?;
        let layout = &self.block.layout;
        let ([nx, ny, _], cells) = (layout.cells, layout.cells.iter().product());
        self.find_broken
            .launch(Launch::covering(cells, THREADS), args![self.device.grid, &self.device.fields[0], &self.broken])?;
        let number = self.broken.download()?[0] as usize;
        let local = [number % nx, number / nx % ny, number / (nx * ny)];
        Ok((number < cells).then(|| [0, 1, 2].map(|axis| layout.first[axis] + local[axis])))
    }

    /// Converts a device error to a failure of the time loop.
    pub(super) fn failure(&self) -> impl Fn(GpuError) -> Failure + use<T> {
        let step = self.step;
        move |fault| Failure::Device { step, fault }
    }
}

impl<T: Precision> Endpoint<T> for GpuPart<T> {
    fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    fn queue(&self) -> &Gpu {
        &self.messages.queue
    }

    fn packs(&self) -> &Gpu {
        &self.messages.queue
    }

    fn arrivals(&self) -> &Gpu {
        &self.queues.outer
    }

    fn step(&self) -> u64 {
        self.step
    }

    fn links(&self, _round: usize) -> &[Link] {
        &self.messages.links
    }

    fn outgoing(&self, half: usize) -> &Buffer<T> {
        self.messages.sent(half)
    }

    fn incoming(&mut self, half: usize) -> &mut Buffer<T> {
        self.messages.received(half)
    }
}

/// Frees the host copies of arrays that are on the device.
fn release<T: Precision>(block: &mut Block<T>) {
    let empty = || AlignedVec::zeroed(0);
    block.fields = std::array::from_fn(|_| empty());
    block.memory.iter_mut().flatten().chain(&mut block.relaxation_memory).for_each(|memory| *memory = empty());
    if let Some(relaxation) = &mut block.relaxation {
        (relaxation.bulk, relaxation.shear) = (empty(), empty());
    }
    let material = &mut block.material;
    for array in [&mut material.lambda, &mut material.inverse_mu, &mut material.rho] {
        *array = empty();
    }
    block.classes.iter_mut().for_each(Classes::release);
}
