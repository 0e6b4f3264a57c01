//! Preparation that all methods share: time axis, description of a run, and memory checks.

use std::sync::Arc;
use std::time::Instant;

use craton_acquisition::Quantity;
use craton_comm::Ranks;
use craton_device::Workers;
use craton_model::Medium;
use craton_numerics::dispersion::{SlipForward, guard_steps};
use craton_run::{Bytes, Cancel, Room, RunRecord, Seconds, Stages};
use craton_sim::Solver;

use super::running_solver::{Scalar, Started};
use super::session::DT;
use super::time_levels::TimeLevels;
use super::{fd, sem};
use crate::comm::together;
use crate::config::Method;
use crate::device::{Device, DeviceMemory};
use crate::dispersion::TimeDispersion;
use crate::error::Error;
use crate::meshing::Resolution;
use crate::options::GraphPartitioner;
use crate::placing::channels;
use crate::setup::{Fault, ONSET_THRESHOLD, Setup};
use crate::snapshots::Writing;
use crate::time_axis::TimeAxis;

/// A discretised scenario.
pub struct DiscreteEarth {
    /// The discretised Earth model.
    pub earth: Box<dyn Discretised>,
    /// The time axis.
    pub axis: TimeAxis,
    /// Description of the run.
    pub preflight: Preflight,
}

/// The discretised Earth model before its sources and receivers are located.
pub trait Discretised: Send {
    /// Locates sources and receivers.
    ///
    /// # Errors
    /// A position that cannot be located.
    fn place(self: Box<Self>, setup: &Setup, axis: &TimeAxis) -> Result<(Box<dyn Placed>, PlacementReport), Error>;
}

/// The discretised Earth model with its sources and receivers, before the time loop.
pub trait Placed: Send {
    /// Transfers the model to the devices of this process.
    ///
    /// # Errors
    /// Insufficient memory there, or kernels that are not supported.
    fn start(
        self: Box<Self>,
        device: &Device,
        axis: &TimeAxis,
        workers: Arc<Workers>,
    ) -> Result<Box<dyn Started>, Error>;
}

/// Placement of the sources and receivers in the discretised model.
pub struct PlacementReport {
    /// The medium at each receiver.
    pub media: Vec<Medium>,
    /// Warnings about the positions of sources and receivers.
    pub warnings: Vec<String>,
}

/// Input of the preparation.
#[derive(Clone, Copy)]
pub struct Case<'a> {
    pub setup: &'a Setup,
    pub device: &'a Device,
    /// The processes of the run.
    pub ranks: &'a Arc<dyn Ranks>,
    /// Number of processes that share the memory of this machine.
    pub ranks_here: usize,
    /// The partitioner of METIS, if the program has one.
    pub partitioner: Option<GraphPartitioner>,
    /// The available memory at the start of the command.
    pub room: &'a Room,
    /// The time step [s] of a resumed run.
    pub dt: Option<f64>,
    /// Whether the scenario is only described. Samples are then sufficient.
    pub is_preview: bool,
}

/// The timer of the stages, which all ranks leave together.
pub struct Staging<'a> {
    pub stages: &'a mut Stages,
    pub cancel: &'a Cancel,
    pub ranks: &'a dyn Ranks,
}

impl Staging<'_> {
    /// Executes and times a stage.
    ///
    /// # Errors
    /// The error of the first rank that failed; [`Error::Stopped`] if interrupted.
    pub fn time<R>(&mut self, stage: &'static str, work: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
        let made = self.stages.time(stage, work);
        let stopped = self.cancel.is_cancelled().then_some(Error::Stopped { stage });
        together(self.ranks, stopped.map_or(made, Err))
    }
}

/// Discretises a scenario by its method and determines the time step, after a memory check.
///
/// # Errors
/// Insufficient memory, a model that cannot be discretised, or an unstable time step.
pub fn prepare<T: Scalar>(case: &Case, staging: &mut Staging, workers: &Workers) -> Result<DiscreteEarth, Error> {
    match &case.setup.method {
        Method::Sem(_) => sem::prepare::<T>(case, staging, workers),
        Method::Fd(fd) => fd::prepare::<T>(case, fd, staging, workers),
    }
}

/// Description of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Preflight {
    /// The discretisation.
    pub extent: Extent,
    /// The worst sampling of waves.
    pub resolution: Resolution,
    /// Where the memory variables of attenuation are; `None` if the model is elastic.
    pub memory_variables: Option<String>,
    /// The levels of local time steps, if there are any.
    pub levels: Option<TimeLevels>,
    /// The time step.
    pub time_step: TimeStep,
    /// Residual of the time-dispersion correction, if it is on.
    pub time_dispersion: Option<TimeDispersion>,
    /// The device: `NVIDIA H200, cuda:0`, or `CPU, 16 threads, avx512`.
    pub device: String,
    /// GPU memory.
    pub device_memory: Option<DeviceMemory>,
    /// Required memory.
    pub memory: Bytes,
    /// Upper bound of the disk space for the results.
    pub disk: Bytes,
    /// The snapshots, and their time.
    pub snapshots: Writing,
    /// Number of threads.
    pub threads: usize,
    /// What is estimated from samples, in a preview.
    pub estimated: Vec<String>,
    /// Warnings about the discretisation.
    pub warnings: Vec<String>,
}

/// The discretisation.
#[derive(Debug, Clone, PartialEq)]
pub enum Extent {
    /// A mesh of spectral elements.
    Mesh {
        /// Number of elements, including absorbing layers.
        elements: usize,
        /// Number of those in absorbing layers.
        in_layers: usize,
        /// Number of distinct nodes.
        nodes: usize,
        /// Smallest scaled Jacobian of an element, 1 for a box.
        least_scaled_jacobian: f64,
    },
    /// A regular grid.
    Grid {
        /// Number of cells along x, y and z, including absorbing layers.
        cells: [usize; 3],
        /// Cell size [m].
        spacing: [f64; 3],
    },
}

impl Extent {
    /// The unit of the rate of a run, and its number.
    pub fn units(&self) -> (&'static str, usize) {
        match self {
            Self::Mesh { elements, .. } => ("elements", *elements),
            Self::Grid { cells, .. } => ("cells", cells.iter().product()),
        }
    }

    fn note(&self, record: &mut RunRecord) {
        match self {
            Self::Mesh { elements, nodes, .. } => {
                record.figure("elements", *elements);
                record.figure("nodes", *nodes);
            }
            Self::Grid { cells, spacing } => {
                record.figure("cells", cells.iter().product::<usize>());
                record.figure("grid", cells.to_vec());
                record.figure("grid_spacing_m", spacing.to_vec());
            }
        }
    }
}

/// The time step and its limit.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeStep {
    /// The step [s].
    pub dt: f64,
    /// Number of steps.
    pub steps: u64,
    /// The largest stable step.
    pub limit: Limit,
}

/// The largest stable time step.
#[derive(Debug, Clone, PartialEq)]
pub struct Limit {
    /// The step [s].
    pub dt: f64,
    /// What limits it: an element and its position.
    pub cause: String,
}

impl Preflight {
    /// Warnings about the discretisation and the time step.
    pub fn warnings(&self) -> impl Iterator<Item = String> {
        let of_time = self.time_dispersion.as_ref().and_then(TimeDispersion::warning);
        self.warnings.iter().cloned().chain(of_time)
    }

    /// Writes the parameters to the record of a run.
    pub fn note(&self, record: &mut RunRecord) {
        self.extent.note(record);
        record.figure("points_per_wavelength", self.resolution.points_per_wavelength);
        record.figure("resolved_frequency_hz", self.resolution.resolved_frequency);
        record.figure(DT, self.time_step.dt);
        record.figure("stable_dt_s", self.time_step.limit.dt);
        record.figure("steps", self.time_step.steps);
        self.levels.iter().for_each(|levels| levels.note(record));
        if let Some(left) = &self.time_dispersion {
            record.figure("time_dispersion_residual", left.residual);
        }
        record.figure("device", &*self.device);
        if let Some(memory) = self.device_memory {
            record.figure("device_memory_bytes", memory.needed.0);
        }
        record.figure("memory_bytes", self.memory.0);
        record.figure("threads", self.threads);
    }
}

/// Memory of the program itself and of the largest standard picture [bytes].
pub const PROGRAM: u64 = 48_000_000;

/// Largest number of steps of a run: at a microsecond each they would take eleven days.
const MOST_STEPS: f64 = 1e12;

/// Steps after the traces that fourth-order derivatives of the fields need.
const AFTER_TRACES: u64 = 2;

/// The time step: the largest stable one, the requested one, or that of the resumed run.
///
/// # Arguments
/// * `fourth_order` – whether the scheme is of fourth order
pub fn time_axis(
    setup: &Setup,
    resumed: Option<f64>,
    limit: Limit,
    fourth_order: bool,
) -> Result<(TimeAxis, TimeStep), Error> {
    let method = &setup.method;
    let dt = resumed.or(method.time_step()).unwrap_or(method.courant() * limit.dt);
    // The step of a resumed run was checked at its start; other vector instructions may round the limit differently.
    if resumed.is_none() && dt > limit.dt {
        return Err(Error::TimeStep { method: method.name(), dt, stable: limit.dt, cause: limit.cause });
    }
    let steps = ((setup.end - setup.start) / dt).ceil();
    // A step that is NaN gives no number of steps.
    if !(0.0..=MOST_STEPS).contains(&steps) {
        return Err(Error::TooManySteps { start: setup.start, end: setup.end, dt, steps, most: MOST_STEPS });
    }
    let corrected = method.corrects_time_dispersion() && !fourth_order;
    let lead = if corrected || fourth_order { lead(setup, dt, steps as u64) } else { 0 };
    let steps = lead + steps as u64 + 1;
    let guard = match corrected {
        true => guard_steps(steps as usize) as u64,
        false => u64::from(fourth_order) * AFTER_TRACES,
    };
    let start = setup.start - lead as f64 * dt;
    let axis = TimeAxis { start, lead, end: setup.end, dt, steps, guard, corrected, fourth_order };
    Ok((axis, TimeStep { dt, steps: axis.total(), limit }))
}

/// Steps before the onset of a sharp source in which its transformed time function is not negligible: the response of the frequency window.
const BEFORE_ONSET: f64 = 24.0;

/// Number of steps by which the simulation begins before its traces, at most `most`: enough for the whole pulse of every source, and for what the
/// correction of time dispersion adds before the onset.
fn lead(setup: &Setup, dt: f64, most: u64) -> u64 {
    let onsets = setup.sources.iter().map(|source| source.onset(ONSET_THRESHOLD));
    let of_sources = (onsets.fold(f64::INFINITY, f64::min), BEFORE_ONSET);
    let onsets = setup.faults.iter().map(|fault| fault.ends()[0]);
    let ringing = SlipForward::new(dt, setup.method.max_frequency(), true).map_or(0, |slip| slip.ringing());
    let of_faults = (onsets.fold(f64::INFINITY, f64::min), ringing as f64);
    let steps = [of_sources, of_faults].map(|(onset, before)| (before - (onset - setup.start) / dt).ceil().max(0.0));
    (steps[0].max(steps[1]) as u64).min(most)
}

/// Memory proportional to the number of steps [bytes]: samples and their copies, source time functions, seismograms,
/// and the tables of the transforms.
pub fn memory_of_steps<T: Scalar>(setup: &Setup, axis: &TimeAxis) -> u64 {
    let scalar = size_of::<T>() as f64;
    let total = axis.total() as f64;
    let histories = setup.sources.len() as f64 * total * (8.0 + scalar) + memory_of_faults(setup, axis, scalar);
    // The transform of a source takes 32 values per step, with phases and the buffers of the fast Fourier transform;
    // the check of its residual takes 8 more, in transit and filtered.
    let transforms = if axis.corrected { total * 48.0 * 48.0 } else { 0.0 };
    (2.0 * samples::<T>(setup, axis) + histories + 8.0 * trace_samples(setup, axis) + transforms) as u64
}

/// Histories and nodal forces of the points of faults [bytes], here and in the solver.
fn memory_of_faults(setup: &Setup, axis: &TimeAxis, scalar: f64) -> f64 {
    let Ok(slip) = SlipForward::new(axis.dt, setup.method.max_frequency(), axis.corrected) else { return 0.0 };
    let points: usize = setup.faults.iter().map(|fault| fault.points.len()).sum();
    let seconds = |fault: &Fault| fault.points.iter().map(|point| point.end() - point.onset()).sum::<f64>();
    let steps = setup.faults.iter().map(seconds).sum::<f64>() / axis.dt + (2 * slip.ringing() * points) as f64;
    let nodes = match &setup.method {
        Method::Sem(sem) => (sem.degree as f64 + 1.0).powi(3) * (3.0 * scalar + 4.0),
        Method::Fd(_) => 6.0 * 8.0 * 32.0,
    };
    steps * (8.0 + scalar) + points as f64 * nodes
}

/// Size of the other results [bytes]: seismograms, two checkpoints and one being written.
///
/// # Arguments
/// * `state` – size of the fields in a checkpoint [bytes]
pub fn disk<T: Scalar>(setup: &Setup, axis: &TimeAxis, state: f64) -> u64 {
    let seismograms = 40.0 * trace_samples(setup, axis) * setup.output.seismograms.len() as f64;
    (3.0 * (state + samples::<T>(setup, axis)) + seismograms) as u64
}

/// Size of the samples at the receivers during the whole run [bytes].
fn samples<T: Scalar>(setup: &Setup, axis: &TimeAxis) -> f64 {
    (channels(setup) * size_of::<T>()) as f64 * axis.total() as f64
}

/// Samples of all seismograms.
fn trace_samples(setup: &Setup, axis: &TimeAxis) -> f64 {
    let of_all = |names| setup.quantities.iter().map(move |quantity: &Quantity| quantity.components(names).len());
    let components: usize = setup.directions.names.iter().flat_map(|&names| of_all(names)).sum();
    let interval = setup.output.sample_interval.unwrap_or(axis.dt);
    let of_fibres: usize = setup.fibres.iter().map(|own| own.fibre.channels.len() * own.quantities.len()).sum();
    (setup.receivers.len() * components + of_fibres) as f64 * ((setup.end - setup.start) / interval + 1.0)
}

/// Expected time of a run [s], measured with a few steps.
///
/// # Errors
/// A failing device.
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
