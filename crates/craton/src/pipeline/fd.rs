//! Finite differences: the grid, its material, and its transfer to the devices.

use std::sync::Arc;

use craton_acquisition::{Mechanism, Quantity};
use craton_device::gpu::Gpu;
use craton_device::{Isa, Workers};
use craton_fd::{
    GpuSetupError, Grid, Mechanisms, Medium, MemoryPoints, Options, PointSource, Probe, ProbeQuantity, Problem,
    SolverPrecision, field_values, largest_part, process_grid, stable_step,
};
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::StaggeredStencil;
use craton_run::Bytes;
use craton_sim::{PartExchange, SourceMechanism};

use super::fd_preview;
use super::prepare::{
    Case, DiscreteEarth, Discretised, Extent, Limit, PROGRAM, Placed, PlacementReport, Preflight, Staging, disk,
    memory_of_steps, time_axis,
};
use super::running_solver::{RunningSolver, Scalar, Started};
use crate::config::{Fd, Method, Precision};
use crate::device::{Device, Need};
use crate::dispersion::TimeDispersion;
use crate::error::Error;
use crate::gridding::memory::{ARRAYS, LOSSES, MIXED, MIXED_ON_DEVICE, OF_LAYERS, ON_DEVICE, SET, SETTING_UP};
use crate::gridding::{CellKinds, GridPlan, MovedOnGrid, medium_on_grid, stencil};
use crate::placing::{fault_points, fibre_points, histories, probe_kinds, slip_forward, slip_history};
use crate::setup::Setup;
use crate::snapshots::Needs;
use crate::time_axis::TimeAxis;

/// Smallest efficient number of cells per GPU: below it, messages take longer than computation.
const WORTH_A_GPU: usize = 3_000_000;

/// A discretised grid before the time loop.
struct Cells<T: Scalar> {
    plan: GridPlan,
    medium: Medium<T>,
    stencil: StaggeredStencil,
    interpolation: WindowedSinc,
    cut: Division,
}

/// A discretised grid with its sources and receivers.
struct PlacedCells<T: Scalar> {
    cells: Cells<T>,
    sources: Vec<PointSource>,
    probes: Vec<Probe>,
}

/// Checks whether a GPU has the kernels of a method before anything is built; spectral elements have those of all
/// degrees.
///
/// # Errors
/// Kernels that are not part of the program and cannot be compiled on this machine.
pub fn require_kernels(setup: &Setup, gpu: &Gpu) -> Result<(), GpuSetupError> {
    let Method::Fd(fd) = &setup.method else { return Ok(()) };
    let relaxes = setup.model.attenuation().is_some();
    match fd.precision {
        Precision::Single => craton_fd::require_kernels::<f32>(gpu, fd.order / 2, relaxes),
        Precision::Double => craton_fd::require_kernels::<f64>(gpu, fd.order / 2, relaxes),
    }
}

/// Discretises the Earth model on a grid.
///
/// # Errors
/// Insufficient memory, layers that do not fit, or an unstable time step.
pub fn prepare<T: Scalar>(
    case: &Case,
    fd: &Fd,
    staging: &mut Staging,
    workers: &Workers,
) -> Result<DiscreteEarth, Error> {
    let Case { setup, device, ranks_here, room, .. } = *case;
    let plan = GridPlan::new(setup, fd);
    let snapshots = Needs::of_cells(setup, fd, &plan, size_of::<T>());
    let mut memory = (PROGRAM + snapshots.memory() + snapshots.drawing(workers.threads())) as f64;
    let cut = staging.time("grid", || {
        let cut = Division::new(case, fd, &plan)?;
        device.require_memory(setup, cut.here, &cut.need::<T>(&plan, &snapshots))?;
        let losses = if plan.mechanisms.is_some() { LOSSES } else { 0.0 };
        let of_part = cut.numbers(SETTING_UP + losses) * size_of::<T>() as f64 + cut.mixed * MIXED;
        let of_rank = cut.here as f64 * of_part + plan.cells();
        memory += ranks_here as f64 * of_rank;
        room.require(Bytes(memory as u64))?;
        Ok(cut)
    })?;
    let described = Described { case, fd, plan, cut, snapshots, memory: memory as u64 };
    if case.is_preview && described.plan.cells() > fd_preview::MOST_CELLS {
        return staging.time("samples", || fd_preview::sampled::<T>(described, workers));
    }
    let (plan, cut) = (&described.plan, &described.cut);
    let made = staging.time("grid", || workers.run(|| plan.medium::<T>(setup, fd, cut.parts, &cut.exchange)));
    let mut medium = made?;
    medium.tell(&plan.boundaries, fd.order / 2, cut.parts, &cut.exchange)?;
    staging.time("stencils", move || {
        let stencil = stencil(fd.order, fd.holberg)?;
        let stable = workers.run(|| stable_step(&medium, &described.plan.boundaries, &stencil))?;
        let limit = Limit { dt: stable, cause: "the fastest wave in a cell".to_owned() };
        let (axis, preflight) = described.preflight::<T>(limit, workers)?;
        let interpolation = described.plan.interpolation(&preflight.resolution)?;
        let Described { plan, cut, .. } = described;
        let earth = Box::new(Cells { plan, medium, stencil, interpolation, cut });
        Ok(DiscreteEarth { earth, axis, preflight })
    })
}

/// A grid with its requirements, before its material.
pub(super) struct Described<'a> {
    pub case: &'a Case<'a>,
    pub fd: &'a Fd,
    pub plan: GridPlan,
    pub cut: Division,
    snapshots: Needs,
    /// Memory without that of the samples [bytes].
    memory: u64,
}

impl Described<'_> {
    /// Describes the run.
    ///
    /// # Arguments
    /// * `limit` – largest stable time step
    pub fn preflight<T: Scalar>(&self, limit: Limit, workers: &Workers) -> Result<(TimeAxis, Preflight), Error> {
        let Self { case: Case { setup, device, ranks, room, dt, .. }, fd, plan, cut, snapshots, memory } = self;
        let fields = 9.0 + SET * plan.mechanisms.as_ref().map_or(0, Mechanisms::sets) as f64;
        let state =
            (fields * plan.cells() + OF_LAYERS * plan.layer_cells()) * size_of::<T>() as f64 + snapshots.saved() as f64;
        let (axis, time_step) = time_axis(setup, *dt, limit, false)?;
        let memory = Bytes(memory.saturating_add(memory_of_steps::<T>(setup, &axis)));
        room.require(memory)?;
        let preflight = Preflight {
            extent: Extent::Grid { cells: plan.grid.cells, spacing: plan.grid.spacing },
            resolution: plan.resolution(setup, fd),
            memory_variables: plan.memory_points().map(|points| match points {
                MemoryPoints::One => "memory variables of one mechanism at each grid point".to_owned(),
                MemoryPoints::All => "memory variables of all mechanisms at each grid point".to_owned(),
            }),
            time_step,
            levels: None,
            time_dispersion: TimeDispersion::new(setup, &axis)?,
            device: device.name_on_ranks(workers, cut.here, ranks.count()),
            device_memory: device.require_memory(setup, cut.here, &cut.need::<T>(plan, snapshots))?,
            memory,
            disk: Bytes(disk::<T>(setup, &axis, state).saturating_add(snapshots.disk(&axis))),
            snapshots: snapshots.writing(&axis, workers.threads()),
            threads: workers.threads(),
            estimated: Vec::new(),
            warnings: plan.warnings(setup, fd),
        };
        Ok((axis, preflight))
    }
}

impl<T: Scalar> Discretised for Cells<T> {
    fn place(self: Box<Self>, setup: &Setup, axis: &TimeAxis) -> Result<(Box<dyn Placed>, PlacementReport), Error> {
        let (sources, probes, report) = Placing { plan: &self.plan, kinds: &self.medium, setup, axis }.all()?;
        Ok((Box::new(PlacedCells { cells: *self, sources, probes }), report))
    }
}

/// The location of sources and receivers on a grid.
pub(super) struct Placing<'a, K> {
    pub plan: &'a GridPlan,
    /// The kinds of its cells.
    pub kinds: &'a K,
    pub setup: &'a Setup,
    pub axis: &'a TimeAxis,
}

impl<K: CellKinds> Placing<'_, K> {
    /// Locates all sources and receivers.
    ///
    /// # Errors
    /// A position in an absorbing layer or without ground.
    pub fn all(&self) -> Result<(Vec<PointSource>, Vec<Probe>, PlacementReport), Error> {
        let Self { plan, kinds, setup, axis } = *self;
        let (mut moved, ground) = (MovedOnGrid::default(), (kinds, &setup.model));
        let mut put = |name: String, position: [f64; 3], on_surface: bool| {
            if plan.is_in_layer(position) {
                return Err(Error::InLayer { name, position });
            }
            let Some(place) = plan.place(ground, position, on_surface) else {
                return Err(Error::NoGround { name, position });
            };
            moved.add(&name, &place);
            Ok(place.position)
        };
        let (sources, mut probes) = (sources(plan, setup, axis, &mut put)?, Vec::new());
        let (kinds, mut media) = (probe_kinds(&setup.quantities), Vec::with_capacity(setup.receivers.len()));
        for receiver in &setup.receivers {
            let position = put(receiver.code(), receiver.position(), receiver.is_on_surface())?;
            // On the sea bottom, pressure is that of the water above, and motion is that of the rock below.
            let of_strain = match setup.quantities.contains(&Quantity::Pressure) {
                true => plan.pressure_place(ground, receiver.position(), position),
                false => position,
            };
            let interface = plan.solid_interface(&setup.model, of_strain);
            probes.extend(kinds.iter().map(|&gradient| match gradient {
                true => Probe { position: of_strain, quantity: ProbeQuantity::Gradient, interface },
                false => Probe { position, quantity: ProbeQuantity::Velocity, interface },
            }));
            media.push(medium_on_grid(&setup.model, &plan.grid, of_strain));
        }
        for point in fibre_points(setup) {
            let position = put(point.code(), point.position(), point.is_on_surface())?;
            probes.push(Probe { position, quantity: ProbeQuantity::Velocity, interface: None });
        }
        let warnings = moved.warnings();
        Ok((sources, probes, PlacementReport { media, warnings }))
    }
}

/// The sources of a scenario, and the points of its faults.
///
/// # Arguments
/// * `put` – position on the grid of a source with a name
fn sources(
    plan: &GridPlan,
    setup: &Setup,
    axis: &TimeAxis,
    put: &mut dyn FnMut(String, [f64; 3], bool) -> Result<[f64; 3], Error>,
) -> Result<Vec<PointSource>, Error> {
    let mut sources = Vec::new();
    for (source, history) in setup.sources.iter().zip(histories(setup, axis)?) {
        let position = put(source.name().to_owned(), source.position(), false)?;
        let mechanism = on_axes(setup, source.mechanism(), source.position());
        let interface = plan.solid_interface(&setup.model, position);
        sources.push(PointSource { position, mechanism, history: history.into(), interface });
    }
    let slip = slip_forward(setup, axis)?;
    for (fault, point) in fault_points(setup).filter(|(_, point)| point.onset() < axis.end) {
        let position = put(fault.name.clone(), point.position, false)?;
        let mechanism = on_axes(setup, &Mechanism::Moment(point.moment), point.position);
        let interface = plan.solid_interface(&setup.model, position);
        let history = slip_history(&slip, fault, point, axis)?;
        sources.push(PointSource { position, mechanism, history, interface });
    }
    Ok(sources)
}

/// A mechanism at a position [m], along the axes of the grid.
fn on_axes(setup: &Setup, mechanism: &Mechanism, [x, y, _]: [f64; 3]) -> SourceMechanism {
    (&mechanism.along(&setup.frame.axes_at([x, y]))).into()
}

impl<T: Scalar> Placed for PlacedCells<T> {
    fn start(
        self: Box<Self>,
        device: &Device,
        axis: &TimeAxis,
        workers: Arc<Workers>,
    ) -> Result<Box<dyn Started>, Error> {
        let Self { cells, sources, probes } = *self;
        let Cells { plan, medium, stencil, interpolation, cut: Division { exchange, parts, .. } } = cells;
        let options = Options { stencil, boundaries: plan.boundaries, parts, interpolation, isa: Isa::detect() };
        let problem =
            Problem { medium: &medium, options: &options, dt: axis.dt, sources: &sources[..], probes: &probes[..] };
        Ok(Box::new(solver(&problem, &exchange, device, workers)?))
    }
}

/// The solver of a problem on the devices of this process.
pub(super) fn solver<T: Scalar>(
    problem: &Problem<T>,
    exchange: &PartExchange,
    device: &Device,
    workers: Arc<Workers>,
) -> Result<RunningSolver<T>, Error> {
    Ok(RunningSolver::Fd(match device {
        Device::Cpu { .. } => SolverPrecision::cpu_solver(problem, exchange, workers)?,
        Device::Gpus { gpus, .. } => SolverPrecision::gpu_solver(gpus, problem, exchange, workers)?,
    }))
}

/// Partition of the grid.
pub(super) struct Division {
    /// The parts of all ranks, and their numbers along each axis.
    pub exchange: PartExchange,
    pub parts: [usize; 3],
    /// Number of parts of this process.
    pub here: usize,
    /// Cells of the largest part in which the material of a volume may vary; those at interfaces are few.
    mixed: f64,
    /// Field values of the largest part, its cells, and its cells in layers (counted once per layer).
    largest: [f64; 3],
    /// Arrays of field values.
    arrays: f64,
}

impl Division {
    /// # Errors
    /// More parts than the grid supports.
    fn new(case: &Case, fd: &Fd, plan: &GridPlan) -> Result<Self, Error> {
        let (ranks, half_length) = (case.ranks.count(), fd.order / 2);
        let here = case.device.parts((plan.cells() / ranks as f64) as usize, WORTH_A_GPU);
        let parts = process_grid(&plan.grid, &plan.boundaries, half_length, here * ranks);
        let cells = largest_part(&plan.grid, &plan.boundaries, half_length, parts)?;
        let all: f64 = cells.iter().map(|&n| n as f64).product();
        let values = field_values(&Grid { cells, ..plan.grid }, half_length);
        let exchange = PartExchange::new(here * ranks, Arc::clone(case.ranks)).in_place(case.device.skips_host());
        let mixed = if plan.varies_inside_cells(case.setup) { all } else { 0.0 };
        let arrays = match &plan.mechanisms {
            None => ARRAYS,
            Some(mechanisms) => ARRAYS + LOSSES + SET * mechanisms.sets() as f64,
        };
        Ok(Self { exchange, parts, here, largest: [values, all, plan.layer_cells_in(cells, parts)], mixed, arrays })
    }

    /// Memory of the largest part in numbers: its arrays, additional numbers per cell, and memory variables of its
    /// layers.
    fn numbers(&self, of_cell: f64) -> f64 {
        let [values, cells, in_layers] = self.largest;
        self.arrays * values + of_cell * cells + OF_LAYERS * in_layers
    }

    /// GPU requirements of the parts.
    fn need<T: Scalar>(&self, plan: &GridPlan, snapshots: &Needs) -> Need {
        let bytes =
            self.numbers(ON_DEVICE) * size_of::<T>() as f64 + self.mixed * MIXED_ON_DEVICE + snapshots.device() as f64;
        let [_, cells, _] = self.largest;
        Need { unit: "cells", of_part: cells as usize, of_run: plan.cells(), most: usize::MAX, bytes }
    }
}
