//! The Earth on a mesh, the time axis, and whether it all fits.

use std::time::Instant;

use craton_device::{Isa, Workers};
use craton_mesh::{HexMesh, QualityReport};
use craton_numerics::dispersion::guard_steps;
use craton_run::preflight::require_memory;
use craton_run::{Bytes, RunRecord, Seconds};
use craton_sem::{Boundaries, Boundary, Discretisation, Options, Solver};

use super::device::Device;
use super::session::{DT, Scalar};
use crate::config::BoundaryKind;
use crate::error::Error;
use crate::meshing::Resolution;
use crate::placing::{TimeAxis, probe_kinds};
use crate::setup::Setup;
use crate::snapshots::Needs;

/// A scenario ready for its operator.
pub struct Prepared<T: Scalar> {
    pub discretisation: Discretisation<T>,
    pub axis: TimeAxis,
    pub preflight: Preflight,
}

/// What is to be prepared, and for what.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    pub setup: &'a Setup,
    pub device: &'a Device,
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
    /// The time step.
    pub time_step: TimeStep,
    /// What computes: `NVIDIA H200, cuda:0`, or `CPU, 16 threads, avx512`.
    pub device: String,
    /// Memory of the GPU that the run needs.
    pub device_memory: Option<Bytes>,
    /// Memory that the run needs.
    pub memory: Bytes,
    /// Disk that its results need at most.
    pub disk: Bytes,
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
        let Case { setup, device, dt } = *case;
        let snapshots = Needs::new(setup, &mesh);
        let device_memory = device.mesh_memory::<T>(setup, &mesh)?;
        // What goes to a GPU is laid out here before.
        let on_the_way = device_memory.map_or(0, |memory| memory.0);
        let memory = Bytes(memory::<T>(setup, &mesh).saturating_add(snapshots.memory()).saturating_add(on_the_way));
        require_memory(memory)?;
        let resolution = Resolution::new(&mesh, quality, setup);
        let isa = Isa::detect();
        let options = Options {
            degree: setup.method.degree,
            boundaries: boundaries(setup),
            isa,
            patching: device.patching::<T>(setup.method.degree),
        };
        let discretisation = Discretisation::<T>::new(mesh, &setup.model, &options, workers)?;
        let (axis, time_step) = time_axis(setup, dt, &discretisation)?;
        let memory = Bytes(memory.0.saturating_add(memory_of_steps::<T>(setup, &axis)));
        require_memory(memory)?;
        let nodes = discretisation.n_nodes();
        let preflight = Preflight {
            elements: discretisation.mesh().n_elements(),
            nodes,
            resolution,
            time_step,
            memory,
            disk: Bytes(disk::<T>(setup, &axis, nodes).saturating_add(snapshots.disk(&axis))),
            device: device.name(workers),
            device_memory,
            threads: workers.threads(),
        };
        Ok(Self { discretisation, axis, preflight })
    }
}

impl Preflight {
    /// Leaves the figures in the record of a run.
    pub fn note(&self, record: &mut RunRecord) {
        record.figure("elements", self.elements);
        record.figure("nodes", self.nodes);
        record.figure("points_per_wavelength", self.resolution.points_per_wavelength);
        record.figure("resolved_frequency_hz", self.resolution.resolved_frequency);
        record.figure(DT, self.time_step.dt);
        record.figure("stable_dt_s", self.time_step.stable);
        record.figure("steps", self.time_step.steps);
        record.figure("device", &*self.device);
        if let Some(memory) = self.device_memory {
            record.figure("device_memory_bytes", memory.0);
        }
        record.figure("memory_bytes", self.memory.0);
        record.figure("threads", self.threads);
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

/// Steps of a run at most: at a microsecond each they would take eleven days.
const MOST_STEPS: f64 = 1e12;

/// The steps of a run: the largest stable ones, or those asked for, or those of the run that goes on.
fn time_axis<T: Scalar>(
    setup: &Setup,
    resumed: Option<f64>,
    on: &Discretisation<T>,
) -> Result<(TimeAxis, TimeStep), Error> {
    let stable = on.stable();
    let dt = resumed.or(setup.method.time_step).unwrap_or(setup.method.courant * stable.dt);
    // A run that goes on was checked when it began; patches cut for another device may move the last digits of the bound.
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

/// Bytes a run needs at its peak: the state, the elements, and what their set-up holds for a while.
fn memory<T: Scalar>(setup: &Setup, mesh: &HexMesh) -> u64 {
    let scalar = size_of::<T>() as u64;
    let points = (setup.method.degree as u64 + 1).pow(3);
    let parameters = if setup.model.is_anisotropic() { 21 } else { 2 };
    let varies = (0..setup.model.regions().len()).any(|region| !setup.model.is_constant(region));
    let control = mesh.geometry.per_element() as u64;
    let material = scalar * parameters * if varies { points } else { 1 };
    let nodes = (setup.method.degree as u64).pow(3) + 2 * (setup.method.degree as u64).pow(2);
    let state = nodes * (9 * scalar + 8);
    let kept = 2 * points + 3 * scalar * control + material + state + 24 * control;
    let for_a_while = points * (4 + scalar) + nodes * 16;
    mesh.n_elements() as u64 * (kept + for_a_while)
}

/// Refuses, before there is a mesh, what cannot fit even if every element were as large as the fastest region asks for.
///
/// # Errors
/// Too little memory.
pub fn require_least_memory<T: Scalar>(setup: &Setup) -> Result<(), Error> {
    let method = &setup.method;
    let regions = 0..setup.model.regions().len();
    let speed = regions.map(|region| setup.model.slowest(region, setup.z[0], setup.z[1])).fold(0.0, f64::max);
    let size = method.degree as f64 * speed / (method.max_frequency * method.points_per_wavelength);
    let across = method.element_size.unwrap_or(size);
    let [x, y, z] = [setup.x, setup.y, setup.z].map(|[from, to]| to - from);
    // Elements are a little larger than asked for where a whole number of them has to fit.
    let elements = 0.5 * (x / across) * (y / across) * (z / size);
    let bytes = elements * (method.degree as f64).powi(3) * 9.0 * size_of::<T>() as f64;
    Ok(require_memory(Bytes(bytes as u64))?)
}

/// Bytes that grow with the steps: samples and those on their way, source histories, seismograms, and the tables of the transforms.
fn memory_of_steps<T: Scalar>(setup: &Setup, axis: &TimeAxis) -> u64 {
    let scalar = size_of::<T>() as f64;
    let total = axis.total() as f64;
    let histories = setup.sources.len() as f64 * total * (8.0 + scalar);
    // The transform of a source hears 32 values a step, each with its phase and its place in a fast Fourier transform.
    let transforms = if axis.corrected { total * 32.0 * 48.0 } else { 0.0 };
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
