//! The Earth on a mesh, the time axis, and whether it all fits.

use std::sync::Arc;
use std::time::Instant;

use craton_comm::Ranks;
use craton_device::{Isa, Workers};
use craton_mesh::{HexMesh, QualityReport};
use craton_numerics::dispersion::guard_steps;
use craton_run::{Bytes, Room, RunRecord, Seconds};
use craton_sem::{Boundaries, Boundary, Discretisation, Parts, Plan, Solver, StableStep, Team};

use super::device::Device;
use super::session::{DT, Scalar};
use crate::config::{BoundaryKind, Partition};
use crate::dispersion::TimeDispersion;
use crate::error::Error;
use crate::meshing::{self, Resolution, fewest_elements};
use crate::placing::{TimeAxis, probe_kinds};
use crate::setup::Setup;
use crate::snapshots::{Needs, Writing};
use crate::surface_fit::SurfaceMisfit;

/// A scenario ready for its operator.
pub struct Prepared<T: Scalar> {
    /// The parts of this process, at least one.
    pub parts: Vec<Discretisation<T>>,
    /// All parts of the run.
    pub team: Team,
    pub axis: TimeAxis,
    pub preflight: Preflight,
}

/// What is to be prepared, and for what.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    pub setup: &'a Setup,
    pub device: &'a Device,
    /// The processes of the run.
    pub ranks: &'a Arc<dyn Ranks>,
    /// How many of them share the memory of this machine.
    pub ranks_here: usize,
    /// The memory that the command found.
    pub room: &'a Room,
    /// The time step [s] of a run that goes on.
    pub dt: Option<f64>,
}

/// What a run will be.
#[derive(Debug, Clone, PartialEq)]
pub struct Preflight {
    /// Number of elements.
    pub elements: usize,
    /// Number of distinct nodes.
    pub nodes: usize,
    /// How finely waves are sampled where it is worst.
    pub resolution: Resolution,
    /// Where the mesh misses each surface that a grid gives most.
    pub surfaces: Vec<SurfaceMisfit>,
    /// The time step.
    pub time_step: TimeStep,
    /// What the removal of time dispersion leaves, where it is on.
    pub time_dispersion: Option<TimeDispersion>,
    /// What computes: `NVIDIA H200, cuda:0`, or `CPU, 16 threads, avx512`.
    pub device: String,
    /// Memory of the GPU that the run needs.
    pub device_memory: Option<Bytes>,
    /// Memory that the run needs.
    pub memory: Bytes,
    /// Disk that its results need at most.
    pub disk: Bytes,
    /// What its snapshots are, and how long they take.
    pub snapshots: Writing,
    /// Threads.
    pub threads: usize,
}

/// The time step and what sets it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TimeStep {
    /// The step [s].
    pub dt: f64,
    /// Number of steps.
    pub steps: u64,
    /// The largest stable step [s].
    pub stable: f64,
    /// The element that sets it.
    pub element: u32,
    /// Its centre [m].
    pub centre: [f64; 3],
}

impl<T: Scalar> Prepared<T> {
    /// Discretises a scenario on its mesh, after a look at the memory, and settles the time step.
    ///
    /// # Errors
    /// Too little memory, a mesh that cannot be numbered, a time step that is not stable.
    pub fn new(case: &Case, mesh: HexMesh, quality: &QualityReport, workers: &Workers) -> Result<Self, Error> {
        let Case { setup, device, ranks, ranks_here, room, dt } = *case;
        let snapshots = Needs::new(setup, &mesh);
        let elements = mesh.n_elements();
        let own_elements = elements.div_ceil(ranks.count());
        let device_memory = device.mesh_memory::<T>(setup, own_elements)?;
        // What goes to a GPU is laid out here before.
        let on_the_way = device_memory.map_or(0, |memory| memory.0 * ranks_here as u64);
        let pictures = PROGRAM + snapshots.memory() + snapshots.drawing(workers.threads());
        let memory = elements as u64 * case.memory_of_element::<T>() + pictures + on_the_way;
        room.require(Bytes(memory))?;
        let resolution = Resolution::new(&mesh, quality, setup);
        let surfaces = SurfaceMisfit::of_all(setup, &mesh);
        let degree = setup.method.degree;
        let plan = Arc::new(Plan::new(mesh, degree, boundaries(setup), device.patching::<T>(degree))?);
        let here = device.parts(own_elements);
        let team = Team::new(cut(&plan, here * ranks.count(), setup.partition)?, Arc::clone(ranks));
        let parts = Discretisation::<T>::of_parts(&plan, &team, &setup.model, Isa::detect(), workers)?;
        let (axis, time_step) = time_axis(setup, dt, parts[0].stable())?;
        let memory = Bytes(memory.saturating_add(memory_of_steps::<T>(setup, &axis)));
        room.require(memory)?;
        let nodes = plan.n_nodes();
        let preflight = Preflight {
            elements,
            nodes,
            resolution,
            surfaces,
            time_step,
            time_dispersion: TimeDispersion::new(setup, &axis)?,
            memory,
            disk: Bytes(disk::<T>(setup, &axis, nodes).saturating_add(snapshots.disk(&axis))),
            snapshots: snapshots.writing(&axis, workers.threads()),
            device: match ranks.count() {
                1 => device.name(workers, here),
                ranks => format!("{}, on each of {ranks} ranks", device.name(workers, here)),
            },
            device_memory,
            threads: workers.threads(),
        };
        Ok(Self { parts, team, axis, preflight })
    }
}

impl Preflight {
    /// What a user should know of the mesh and the time step.
    pub fn warnings(&self, setup: &Setup) -> Vec<String> {
        let of_time = self.time_dispersion.as_ref().and_then(TimeDispersion::warning);
        let of_surfaces = self.surfaces.iter().filter_map(SurfaceMisfit::warning);
        self.resolution.warning(&setup.method).into_iter().chain(of_surfaces).chain(of_time).collect()
    }

    /// Leaves the figures in the record of a run.
    pub fn note(&self, record: &mut RunRecord) {
        record.figure("elements", self.elements);
        record.figure("nodes", self.nodes);
        record.figure("points_per_wavelength", self.resolution.points_per_wavelength);
        record.figure("resolved_frequency_hz", self.resolution.resolved_frequency);
        record.figure(DT, self.time_step.dt);
        record.figure("stable_dt_s", self.time_step.stable);
        record.figure("steps", self.time_step.steps);
        if let Some(left) = &self.time_dispersion {
            record.figure("time_dispersion_residual", left.residual);
        }
        record.figure("device", &*self.device);
        if let Some(memory) = self.device_memory {
            record.figure("device_memory_bytes", memory.0);
        }
        record.figure("memory_bytes", self.memory.0);
        record.figure("threads", self.threads);
    }
}

/// The parts of a mesh.
fn cut(plan: &Plan, count: usize, partition: Partition) -> Result<Parts, Error> {
    match partition {
        Partition::Regular => Ok(Parts::regular(plan, count)?),
        #[cfg(feature = "metis")]
        Partition::Metis => Ok(Parts::by_metis(plan, count)?),
        #[cfg(not(feature = "metis"))]
        Partition::Metis => Err(Error::WithoutMetis),
    }
}

/// What the solver does at each side; periodic sides have no faces.
fn boundaries(setup: &Setup) -> Boundaries {
    Boundaries {
        sides: setup.boundaries.map(|kind| match kind {
            BoundaryKind::Free | BoundaryKind::Periodic => Boundary::Free,
            BoundaryKind::Absorbing => Boundary::Absorbing,
            BoundaryKind::Rigid => Boundary::Rigid,
        }),
    }
}

/// Bytes of the program itself and of the largest picture that every run leaves, while it is drawn.
const PROGRAM: u64 = 48_000_000;

/// Steps of a run at most: at a microsecond each they would take eleven days.
const MOST_STEPS: f64 = 1e12;

/// The steps of a run: the largest stable ones, or those asked for, or those of the run that goes on.
fn time_axis(setup: &Setup, resumed: Option<f64>, stable: &StableStep) -> Result<(TimeAxis, TimeStep), Error> {
    let dt = resumed.or(setup.method.time_step).unwrap_or(setup.method.courant * stable.dt);
    // A run that goes on was checked when it began; the vector instructions of another processor may round the bound otherwise.
    if resumed.is_none() && dt > stable.dt {
        return Err(Error::TimeStep { dt, stable: stable.dt, element: stable.element, centre: stable.centre });
    }
    let steps = ((setup.end - setup.start) / dt).ceil();
    // A step that is not a number makes no number of steps.
    if !(0.0..=MOST_STEPS).contains(&steps) {
        return Err(Error::TooManySteps { start: setup.start, end: setup.end, dt, steps, most: MOST_STEPS });
    }
    let steps = steps as u64 + 1;
    let corrected = setup.method.time_dispersion_correction;
    let guard = if corrected { guard_steps(steps as usize) as u64 } else { 0 };
    let axis = TimeAxis { start: setup.start, end: setup.end, dt, steps, guard, corrected };
    let time_step =
        TimeStep { dt, steps: axis.total(), stable: stable.dt, element: stable.element, centre: stable.centre };
    Ok((axis, time_step))
}

/// The mesh of a scenario, after a look at the memory that its run will need.
///
/// # Errors
/// Too little memory, here or on the device; what cannot be meshed.
pub fn mesh<T: Scalar>(case: &Case) -> Result<(HexMesh, QualityReport), Error> {
    let fits =
        |elements: usize| case.device.mesh_memory::<T>(case.setup, elements.div_ceil(case.ranks.count())).map(drop);
    meshed(case.setup, case.room, [PROGRAM, case.memory_of_element::<T>()], fits)
}

/// The mesh of a scenario for its own sake, after a look at the memory that it needs while it is written.
///
/// # Errors
/// Too little memory; what cannot be meshed.
pub fn mesh_alone(setup: &Setup, room: &Room) -> Result<(HexMesh, QualityReport), Error> {
    meshed(setup, room, [PROGRAM, 132 + 16 * setup.method.control_nodes as u64], |_| Ok(()))
}

/// The mesh of a scenario that needs so much memory, and so much for each element [bytes], if its elements fit elsewhere too.
fn meshed(
    setup: &Setup,
    room: &Room,
    [memory, of_element]: [u64; 2],
    fits: impl FnOnce(usize) -> Result<(), Error>,
) -> Result<(HexMesh, QualityReport), Error> {
    let of_elements = |elements: f64| Bytes((memory as f64 + elements * of_element as f64) as u64);
    // To plan far too many elements takes long.
    room.require(of_elements(fewest_elements(setup)))?;
    meshing::mesh(setup, |elements| {
        fits(elements)?;
        Ok(room.require(of_elements(elements as f64))?)
    })
}

impl Case<'_> {
    /// Bytes of this machine for each element of the mesh, at its peak: all ranks have the plan of the whole mesh, and each its own elements.
    fn memory_of_element<T: Scalar>(&self) -> u64 {
        let setup = self.setup;
        let scalar = size_of::<T>() as u64;
        let points = (setup.method.degree as u64 + 1).pow(3);
        let parameters = if setup.model.is_anisotropic() { 21 } else { 2 };
        let varies = (0..setup.model.regions().len()).any(|region| !setup.model.is_constant(region));
        let control = setup.method.control_nodes as u64;
        let material = scalar * parameters * if varies { points } else { 1 };
        let nodes = (setup.method.degree as u64).pow(3) + 2 * (setup.method.degree as u64).pow(2);
        let state = nodes * (9 * scalar + 8);
        // Of the plan, the numbers of all nodes are there for a while; of the elements, their masses.
        let plan = 24 * control + 2 * points + 4 * points + nodes * 8;
        let own = 2 * points + 3 * scalar * control + material + state + points * scalar + nodes * 8;
        self.ranks_here as u64 * (plan + own.div_ceil(self.ranks.count() as u64))
    }
}

/// Bytes that grow with the steps: samples and those on their way, source histories, seismograms, and the tables of the transforms.
fn memory_of_steps<T: Scalar>(setup: &Setup, axis: &TimeAxis) -> u64 {
    let scalar = size_of::<T>() as f64;
    let total = axis.total() as f64;
    let histories = setup.sources.len() as f64 * total * (8.0 + scalar);
    // The transform of a source hears 32 values a step, each with its phase and its place in a fast Fourier transform; what it leaves is
    // looked at with 8 values a step more, on their way and filtered.
    let transforms = if axis.corrected { total * 48.0 * 48.0 } else { 0.0 };
    (2.0 * samples::<T>(setup, axis) + histories + 8.0 * trace_samples(setup, axis) + transforms) as u64
}

/// Bytes of the other results: seismograms, two checkpoints and one being written.
fn disk<T: Scalar>(setup: &Setup, axis: &TimeAxis, nodes: usize) -> u64 {
    let state = 8.0 * size_of::<T>() as f64 * nodes as f64;
    let seismograms = 40.0 * trace_samples(setup, axis) * setup.output.seismograms.len() as f64;
    (3.0 * (state + samples::<T>(setup, axis)) + seismograms) as u64
}

/// Bytes of what is sampled at the receivers during the whole run.
fn samples<T: Scalar>(setup: &Setup, axis: &TimeAxis) -> f64 {
    let channels: usize = probe_kinds(&setup.quantities).iter().map(|&gradient| if gradient { 9 } else { 3 }).sum();
    (setup.receivers.len() * channels * size_of::<T>()) as f64 * axis.total() as f64
}

/// Samples of all seismograms.
fn trace_samples(setup: &Setup, axis: &TimeAxis) -> f64 {
    let components: usize = setup.quantities.iter().map(|quantity| quantity.components(setup.axis_names).len()).sum();
    let interval = setup.output.sample_interval.unwrap_or(axis.dt);
    (setup.receivers.len() * components) as f64 * ((setup.end - setup.start) / interval + 1.0)
}

/// Seconds a run will take, from a few of its steps.
///
/// # Errors
/// A device that fails.
pub fn measured_seconds<T: Scalar>(operator: &mut dyn Solver<T>, axis: &TimeAxis) -> Result<Seconds, Error> {
    const LEAST: u64 = 3;
    const LONG_ENOUGH: f64 = 0.05;
    // The first step is slower, but a run of one or two steps has no other.
    operator.advance(u64::from(axis.total() > LEAST))?;
    operator.check()?;
    let mut trial = LEAST;
    loop {
        operator.take_samples()?;
        trial = trial.min(axis.total() - operator.step()).min(operator.longest_advance());
        let start = Instant::now();
        operator.advance(trial)?;
        operator.check()?;
        let seconds = start.elapsed().as_secs_f64();
        if seconds > LONG_ENOUGH || operator.step() + trial >= axis.total() {
            return Ok(Seconds(seconds / trial as f64 * axis.total() as f64));
        }
        trial *= 4;
    }
}
