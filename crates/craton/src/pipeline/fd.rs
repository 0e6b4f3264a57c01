//! Finite differences: the grid, its material, and how they come to the devices.

use std::sync::Arc;

use craton_device::{Isa, Workers};
use craton_fd::{FdOperator, GpuOperator, Medium, Options, PointSource, Probe, field_values, stable_step};
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::StaggeredStencil;
use craton_run::Bytes;

use super::device::{Device, FILLED};
use super::motion::Motion;
use super::prepare::{
    Case, Extent, Limit, PROGRAM, Preflight, Prepared, Resting, Staging, disk, memory_of_steps, time_axis,
};
use super::session::Scalar;
use crate::config::Fd;
use crate::dispersion::TimeDispersion;
use crate::error::Error;
use crate::gridding::GridPlan;
use crate::placing::{TimeAxis, histories, probe_kinds};
use crate::setup::Setup;
use crate::snapshots::Writing;

/// Arrays of the whole grid: nine fields and three of material.
const ARRAYS: f64 = 12.0;
/// Further numbers of a cell here while it is set up: its material once more, and what its stencils are.
const SETTING_UP: f64 = 5.0;
/// Further numbers of a cell on a GPU: what its stencils are.
const ON_DEVICE: f64 = 1.0;
/// Numbers that an absorbing layer remembers of a cell.
const OF_LAYERS: f64 = 6.0;
/// Half the number of weights along an axis for a source or receiver between the points (Hicks 2002).
const RADIUS: usize = 4;

/// A grid at rest.
struct Cells<T: Scalar> {
    plan: GridPlan,
    medium: Medium<T>,
    stencil: StaggeredStencil,
    interpolation: WindowedSinc,
    parts: [usize; 3],
    sources: Vec<PointSource>,
    probes: Vec<Probe>,
}

/// Puts the Earth on a grid.
///
/// # Errors
/// Too little memory; layers that do not fit; a time step that is not stable.
pub fn prepare<T: Scalar>(
    case: &Case,
    fd: &Fd,
    staging: &mut Staging,
    workers: &Workers,
) -> Result<Prepared<T>, Error> {
    let Case { setup, device, room, .. } = *case;
    let plan = GridPlan::new(setup, fd);
    let memory = PROGRAM as f64 + numbers(&plan, fd, SETTING_UP) * size_of::<T>() as f64;
    let medium = staging.time("grid", || {
        refuse_many(case)?;
        device_memory::<T>(device, setup, fd, &plan)?;
        room.require(Bytes(memory as u64))?;
        plan.medium::<T>(setup)
    })?;
    staging.time("stencils", || at_rest(case, fd, plan, medium, memory as u64, workers))
}

/// Refuses what finite differences cannot be shared among yet.
fn refuse_many(case: &Case) -> Result<(), Error> {
    let refused = |on, help| Err(Error::CannotComputeOn { method: "fd", on, help });
    match case.device {
        _ if case.ranks.count() > 1 => refused(
            "several ranks",
            "run one process: its threads share the cores, and --devices N cuts the grid into parts",
        ),
        Device::Gpus { gpus, at_most: false } if gpus.len() > 1 => {
            refused("several GPUs", "take one of them: --device cuda:0, or --devices 1")
        }
        _ => Ok(()),
    }
}

/// Settles stencils and time step, and says what the run will be.
fn at_rest<T: Scalar>(
    case: &Case,
    fd: &Fd,
    plan: GridPlan,
    medium: Medium<T>,
    memory: u64,
    workers: &Workers,
) -> Result<Prepared<T>, Error> {
    let Case { setup, device, room, dt, .. } = *case;
    let state = (9.0 * plan.cells() + OF_LAYERS * plan.layer_cells()) * size_of::<T>() as f64;
    let half_length = fd.order / 2;
    let stencil = match fd.holberg {
        None => StaggeredStencil::taylor(half_length)?,
        Some(error) => StaggeredStencil::holberg(half_length, error)?,
    };
    let limit =
        Limit { dt: stable_step(&medium, &plan.boundaries, &stencil)?, cause: "the fastest wave in a cell".to_owned() };
    let (axis, time_step) = time_axis(setup, dt, limit)?;
    let memory = Bytes(memory.saturating_add(memory_of_steps::<T>(setup, &axis)));
    room.require(memory)?;
    let resolution = plan.resolution(setup, fd);
    let parts = match device {
        Device::Cpu { parts, .. } => process_grid(plan.grid.cells, *parts),
        Device::Gpus { .. } => [1; 3],
    };
    let preflight = Preflight {
        extent: Extent::Grid { cells: plan.grid.cells, spacing: plan.grid.spacing },
        resolution,
        time_step,
        time_dispersion: TimeDispersion::new(setup, &axis)?,
        device: device.name(workers, parts.iter().product()),
        device_memory: device_memory::<T>(device, setup, fd, &plan)?,
        memory,
        disk: Bytes(disk::<T>(setup, &axis, state)),
        snapshots: Writing::default(),
        threads: workers.threads(),
        warnings: plan.warnings(setup, fd),
    };
    let interpolation = WindowedSinc::new(RADIUS, resolution.points_per_wavelength.clamp(2.5, 20.0))?;
    let (sources, probes) = Default::default();
    let resting = Box::new(Cells { plan, medium, stencil, interpolation, parts, sources, probes });
    Ok(Prepared { resting, axis, preflight })
}

impl<T: Scalar> Resting<T> for Cells<T> {
    fn place(&mut self, setup: &Setup, axis: &TimeAxis) -> Result<(), Error> {
        let on_grid = |position, on_surface| self.plan.on_grid(&self.medium, position, on_surface);
        let named = setup.sources.iter().map(|source| (source.name().to_owned(), source.position()));
        let named = named.chain(setup.receivers.iter().map(|receiver| (receiver.code(), receiver.position())));
        for (name, position) in named {
            if self.plan.is_in_layer(position) {
                return Err(Error::InLayer { name, position });
            }
        }
        let sources = setup.sources.iter().zip(histories(setup, axis)?).map(|(source, history)| PointSource {
            position: on_grid(source.position(), false),
            push: source.mechanism().into(),
            history,
        });
        let kinds = probe_kinds(&setup.quantities);
        let probes = setup.receivers.iter().flat_map(|receiver| {
            let position = on_grid(receiver.position(), receiver.is_on_surface());
            kinds.iter().map(move |&gradient| Probe { position, gradient })
        });
        (self.sources, self.probes) = (sources.collect(), probes.collect());
        Ok(())
    }

    fn start(self: Box<Self>, device: &Device, axis: &TimeAxis, workers: Arc<Workers>) -> Result<Motion<T>, Error> {
        let Self { plan, medium, stencil, interpolation, parts, sources, probes } = *self;
        let options = Options { stencil, boundaries: plan.boundaries, parts, interpolation, isa: Isa::detect() };
        let (sources, probes) = (&sources[..], &probes[..]);
        Ok(Motion::Fd(match device {
            Device::Cpu { .. } => Box::new(FdOperator::new(&medium, &options, axis.dt, sources, probes, workers)?),
            Device::Gpus { gpus, .. } => {
                Box::new(GpuOperator::new(&gpus[0], &medium, &options, axis.dt, sources, probes, workers)?)
            }
        }))
    }
}

/// Numbers that a grid takes: its arrays, so many more of each cell, and the memory of its layers.
fn numbers(plan: &GridPlan, fd: &Fd, of_cell: f64) -> f64 {
    ARRAYS * field_values(&plan.grid, fd.order / 2) + of_cell * plan.cells() + OF_LAYERS * plan.layer_cells()
}

/// Memory that the cells take of the GPU, after a look at what is free there; none on the CPU.
fn device_memory<T: Scalar>(device: &Device, setup: &Setup, fd: &Fd, plan: &GridPlan) -> Result<Option<Bytes>, Error> {
    let Device::Gpus { gpus, .. } = device else { return Ok(None) };
    let cells = plan.cells();
    let needed = numbers(plan, fd, ON_DEVICE) * size_of::<T>() as f64;
    let free = FILLED * gpus[0].memory()?.free as f64;
    let fit = (cells * free / needed) as usize;
    if needed <= free {
        return Ok(Some(Bytes(needed as u64)));
    }
    Err(Error::DeviceMemory {
        device: gpus[0].info().name.clone(),
        needed: Bytes(needed as u64),
        free: Bytes(free as u64),
        elements: cells as usize,
        unit: "cells",
        fit,
        devices: None,
        frequency: setup.method.max_frequency() * (fit as f64 / cells).cbrt(),
        method: setup.method.name(),
    })
}

/// The process grid of so many parts with the least surface between them.
fn process_grid(cells: [usize; 3], parts: usize) -> [usize; 3] {
    let divisors = |n: usize| (1..=n).filter(move |d| n.is_multiple_of(*d));
    let grids = divisors(parts).flat_map(|px| divisors(parts / px).map(move |py| [px, py, parts / px / py]));
    let surface = |grid: &[usize; 3]| {
        let cut = |axis: usize| (grid[axis] - 1) * cells[(axis + 1) % 3] * cells[(axis + 2) % 3];
        // Cuts across x cost most: their points are far apart in memory.
        (cut(0) + cut(1) + cut(2), grid[0], grid[1])
    };
    grids.min_by_key(surface).expect("one part is a grid")
}
