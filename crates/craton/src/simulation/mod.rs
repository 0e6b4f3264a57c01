//! A scenario in motion, for programs: from arrays to arrays, or to whatever a sink makes of them.
//!
//! | file | what it holds |
//! |---|---|
//! | this one | [`Prepared`] and [`Simulation`] |
//! | `sink` | [`Watch`] and [`Sink`]: who receives what a simulation makes |
//! | `memory` | [`Memory`], a sink that keeps everything |
//! | `results_folder` | [`ResultsFolder`], a sink that writes files |
//! | `marching` | steps, samples, events, in single or double precision |
//!
//! The waves of an explosion in a model of arrays, recorded by a receiver:
//!
//! ```
//! use craton::config::VolumeAxis::Depth;
//! use craton::{Given, Inputs, Memory, Scenario, Simulation};
//!
//! let layers = |upper: f64, lower: f64| Given::table([("depth", vec![0.0, 400.0, 400.0, 800.0]),
//!     ("vp", vec![upper, upper, lower, lower]), ("vs", vec![upper / 2.0, upper / 2.0, lower / 2.0, lower / 2.0]), ("rho", vec![2000.0; 4])]);
//! let pulse = (0..81).map(|step| f64::from(step) / 80.0).map(|t| (4.0 * t * (1.0 - t)).powi(3)).collect();
//! let inputs = Inputs::new()
//!     .with("layers", layers(1500.0, 2500.0))
//!     .with("pulse", Given::Samples { start: 0.0, interval: 0.0025, values: pulse })
//!     .with("array", Given::Receivers(vec![("XX.A".into(), [300.0, 0.0, 0.0]), ("XX.B".into(), [0.0, 300.0, -50.0])]));
//! let scenario = Scenario::from_toml(r#"
//!     duration = 0.3
//!     domain = { x = [-500.0, 500.0], y = [-500.0, 500.0], z = [-800.0, 0.0] }
//!     model.depth_table.file = "layers"
//!     source = [{ position = [0.0, 0.0, -300.0], moment_tensor = { xx = 1e12, yy = 1e12, zz = 1e12 }, time_function.file = "pulse" }]
//!     receivers.stations_file = "array"
//!     method.fd = { max_frequency = 6.0, points_per_wavelength = 5.0 }
//!     output = { directory = "unused", sample_interval = 0.01 }
//! "#, ".", inputs)?;
//! let mut memory = Memory::new();
//! Simulation::new(scenario)?.run(&mut memory)?;
//! assert_eq!(memory.samples("XX.A", "X").map(<[f64]>::len), Some(31));
//! # Ok::<(), craton::Error>(())
//! ```

mod display;
mod marching;
mod memory;
mod results_folder;
mod sink;

use std::sync::Arc;
use std::time::Instant;

use craton_comm::Ranks;
use craton_device::Workers;
use craton_model::Medium;
use craton_run::{Cancel, RunStatus, Stages};
use craton_sim::Outcome;

use crate::comm::together;
use crate::error::Error;
use crate::options::Computing;
use crate::pipeline::{DiscreteEarth, Placed, PlacementReport, Preflight, Session, Started, alone};
use crate::setup::Setup;
use crate::time_axis::TimeAxis;
use crate::traces::Trace;
use crate::written::Scenario;
pub use display::Display;
use marching::Course;
pub(crate) use marching::{Marching, Run, Saved};
pub use memory::{Checkpoint, Memory, Snapshot};
pub use results_folder::ResultsFolder;
pub(crate) use results_folder::{Output, SCENARIO_FILE, SCENARIO_FOLDER};
pub use sink::{Both, Sink, State, Times, Values, Watch, Work};

/// A scenario discretised by its method, on all ranks.
pub(crate) struct Discrete {
    session: Session,
    workers: Arc<Workers>,
    /// The Earth.
    pub earth: DiscreteEarth,
}

impl Discrete {
    /// Discretises a scenario; all ranks together.
    ///
    /// # Errors
    /// Insufficient memory, a model that cannot be discretised, or an unstable time step.
    pub fn new(mut session: Session) -> Result<Self, Error> {
        let workers = Arc::new(Workers::new(session.setup.threads)?);
        let earth = session.discretised(&workers)?;
        session.setup.warnings.extend(earth.preflight.warnings());
        Ok(Self { session, workers, earth })
    }

    /// Locates sources and receivers; a collective operation.
    ///
    /// # Errors
    /// A position that cannot be located.
    pub fn place(self) -> Result<Prepared, Error> {
        let Self { mut session, workers, earth: DiscreteEarth { earth, axis, preflight } } = self;
        let begun = Instant::now();
        let placed = earth.place(&session.setup, &axis);
        session.stages.add("sources and receivers", begun.elapsed().as_secs_f64());
        let (placed, PlacementReport { media, warnings }) = together(&*session.ranks, placed)?;
        session.setup.warnings.extend(warnings);
        Ok(Prepared { session, workers, placed, axis, preflight, media })
    }
}

/// A scenario discretised, its sources and receivers in their places: ready for the devices.
pub struct Prepared {
    pub(crate) session: Session,
    workers: Arc<Workers>,
    placed: Box<dyn Placed>,
    axis: TimeAxis,
    preflight: Preflight,
    media: Vec<Medium>,
}

impl Prepared {
    /// Checks a scenario, reads what it names, and discretises it.
    ///
    /// # Errors
    /// Anything wrong with the scenario or its data; too little memory; a device that is not there.
    pub fn new(scenario: Scenario, computing: &Computing) -> Result<Self, Error> {
        Self::of(Session::of(scenario, computing, &alone())?)
    }

    /// The same for a session; all ranks together.
    pub(crate) fn of(session: Session) -> Result<Self, Error> {
        Discrete::new(session)?.place()
    }

    /// The checked scenario.
    pub fn setup(&self) -> &Setup {
        &self.session.setup
    }

    /// What the run will be.
    pub fn preflight(&self) -> &Preflight {
        &self.preflight
    }

    /// The ranks that take part.
    pub(crate) fn ranks(&self) -> &Arc<dyn Ranks> {
        &self.session.ranks
    }

    /// Takes it to the devices; all ranks together.
    fn on_devices(mut self) -> Result<(OnDevices, Box<dyn Started>), Error> {
        let begun = Instant::now();
        let started = self.placed.start(&self.session.device, &self.axis, self.workers);
        self.session.stages.add("operator", begun.elapsed().as_secs_f64());
        let started = together(&*self.session.ranks, started)?;
        Ok((
            OnDevices { session: self.session, axis: self.axis, preflight: self.preflight, media: self.media },
            started,
        ))
    }

    /// Takes the simulation to the devices. All ranks call it; those but the first serve it until it has ended, and have no simulation.
    ///
    /// # Errors
    /// Insufficient device memory, kernels that are not supported, or a slice that does not intersect the Earth.
    pub fn start(self) -> Result<Option<Simulation>, Error> {
        let (OnDevices { session, axis, preflight, media }, started) = self.on_devices()?;
        if !session.ranks.is_root() {
            started.serve()?;
            return Ok(None);
        }
        let marching = started.begin(&session.setup, &axis)?;
        Ok(Some(Simulation { session, axis, preflight, media, marching, marched: 0 }))
    }

    /// Seconds that the run would take, from a few of its steps; it is over then.
    pub(crate) fn measured(self) -> Result<(Session, Preflight, craton_run::Seconds), Error> {
        let (OnDevices { session, axis, preflight, .. }, mut started) = self.on_devices()?;
        let seconds = started.seconds(&axis).map_err(|error| error.at_its_place(&session.setup.frame))?;
        Ok((session, preflight, seconds))
    }
}

/// What is left of [`Prepared`] on the devices.
struct OnDevices {
    session: Session,
    axis: TimeAxis,
    preflight: Preflight,
    media: Vec<Medium>,
}

/// A scenario in motion.
pub struct Simulation {
    session: Session,
    axis: TimeAxis,
    preflight: Preflight,
    media: Vec<Medium>,
    marching: Box<dyn Marching>,
    /// Steps that the time loop has made.
    marched: u64,
}

impl Simulation {
    /// A simulation at step 0, on the devices that the scenario names.
    ///
    /// # Errors
    /// As [`Prepared::new`] and [`Prepared::start`].
    pub fn new(scenario: Scenario) -> Result<Self, Error> {
        Self::with(scenario, &Computing::default())
    }

    /// The same with another choice of what computes, or a flag that stops it.
    ///
    /// # Errors
    /// As [`Prepared::new`] and [`Prepared::start`].
    pub fn with(scenario: Scenario, computing: &Computing) -> Result<Self, Error> {
        Ok(Prepared::new(scenario, computing)?.start()?.expect("a process by itself is the first rank"))
    }

    /// The checked scenario.
    pub fn setup(&self) -> &Setup {
        &self.session.setup
    }

    /// What the run is.
    pub fn preflight(&self) -> &Preflight {
        &self.preflight
    }

    /// Warnings for the user.
    pub fn warnings(&self) -> &[String] {
        &self.session.setup.warnings
    }

    /// The flag that stops it.
    pub fn cancel(&self) -> &Cancel {
        &self.session.cancel
    }

    /// Steps done.
    pub fn step(&self) -> u64 {
        self.marching.step()
    }

    /// Steps of the whole simulation: those that the traces cover, and some that keep their ends clean when time dispersion is removed.
    pub fn steps(&self) -> u64 {
        self.axis.total()
    }

    /// Time step [s].
    pub fn time_step(&self) -> f64 {
        self.axis.dt
    }

    /// Simulated time [s].
    pub fn time(&self) -> f64 {
        self.axis.start + self.step() as f64 * self.axis.dt
    }

    /// Sample interval of the traces [s].
    pub fn sample_interval(&self) -> f64 {
        self.session.setup.output.sample_interval.unwrap_or(self.axis.dt)
    }

    /// Codes of the receivers, in the order of their traces.
    pub fn receivers(&self) -> impl Iterator<Item = String> {
        self.session.setup.receivers.iter().map(craton_acquisition::Receiver::code)
    }

    /// Makes so many steps, at most to the end; fewer if somebody asks to stop.
    ///
    /// # Returns
    /// Steps done.
    /// # Errors
    /// A field that is no longer finite, a device that fails.
    pub fn advance(&mut self, steps: u64) -> Result<u64, Error> {
        let steps = steps.min(self.steps() - self.step());
        let advanced = self.marching.advance(steps, &self.session.cancel);
        advanced.map_err(|error| error.at_its_place(&self.session.setup.frame))?;
        Ok(self.step())
    }

    /// The seismograms, when all steps are done.
    ///
    /// # Errors
    /// [`Error::NotAtEnd`] before; a sample that is not finite.
    pub fn traces(&self) -> Result<Vec<Trace>, Error> {
        let (step, steps) = (self.step(), self.steps());
        if step < steps {
            return Err(Error::NotAtEnd { step, steps });
        }
        self.marching.traces(&self.session.setup, &self.axis, &self.media)
    }

    /// The state, to go on from later.
    ///
    /// # Errors
    /// A device that fails.
    pub fn checkpoint(&mut self) -> Result<Checkpoint, Error> {
        let mut memory = Memory::new();
        self.marching.save(&mut memory)?;
        Ok(memory.checkpoint.expect("a state was saved"))
    }

    /// Takes a state back; what of it has been handed to a sink is not.
    ///
    /// # Errors
    /// [`Error::OtherCheckpoint`] for that of another simulation, a device that fails.
    pub fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), Error> {
        self.marching.restore(&Saved::Memory(checkpoint))
    }

    /// Goes on to the end, or until somebody raises the flag, and hands everything to a sink.
    ///
    /// # Errors
    /// As [`advance`](Self::advance); what the sink cannot do.
    pub fn run(&mut self, sink: &mut dyn Sink) -> Result<RunStatus, Error> {
        let mut outcome = self.carry_out(sink);
        if outcome.is_ok() && self.session.ranks.count() > 1 {
            // After an error, other ranks are stopped wherever they wait; so this must come late.
            outcome = self.marching.end().and(outcome);
        }
        let told = sink.ended(self, outcome.as_ref().copied());
        let status = outcome?;
        told.map(|()| status)
    }

    fn carry_out(&mut self, sink: &mut dyn Sink) -> Result<RunStatus, Error> {
        let (unit, count) = self.preflight.extent.units();
        let times = Times { start: self.axis.start, dt: self.axis.dt, end: self.session.setup.end };
        self.timed("model picture", |simulation| sink.start(simulation))?;
        sink.begin(&Work {
            piece: "step",
            first: self.step(),
            total: self.steps(),
            // Steps beyond the end are only for the correction of seismograms.
            times: Some(times),
            units: (unit, count as f64),
        });
        sink.message(&format!("computing on {}", self.preflight.device));
        self.warnings().iter().for_each(|warning| sink.message(&format!("warning: {warning}")));
        let first = self.step();
        let begun = Instant::now();
        let course = Course { setup: &self.session.setup, axis: &self.axis, cancel: &self.session.cancel };
        let outcome = self.marching.march(course, sink);
        self.session.stages.add("time loop", begun.elapsed().as_secs_f64());
        let outcome = outcome.map_err(|error| error.at_its_place(&self.session.setup.frame))?;
        self.marched = self.step() - first;
        if outcome == Outcome::Interrupted {
            return Ok(RunStatus::Interrupted);
        }
        let handed = self.hand_over(sink);
        if handed.is_err() {
            // Completed steps survive a full disk or an interruption during the pictures: a resumed run writes the
            // results.
            self.marching.save(sink)?;
        }
        match handed {
            Err(Error::Stopped { .. }) => Ok(RunStatus::Interrupted),
            handed => handed.map(|()| RunStatus::Complete),
        }
    }

    /// Hands over what there is at the end.
    fn hand_over(&mut self, sink: &mut dyn Sink) -> Result<(), Error> {
        self.timed("seismograms", |simulation| sink.traces(&simulation.session.setup, &simulation.traces()?))?;
        match self.session.setup.output.snapshots.is_empty() {
            true => sink.finish(self),
            false => self.timed("pictures of snapshots", |simulation| sink.finish(simulation)),
        }
    }

    /// Executes and times a stage.
    fn timed<R>(&mut self, stage: &str, work: impl FnOnce(&Self) -> R) -> R {
        let begun = Instant::now();
        let done = work(self);
        self.session.stages.add(stage, begun.elapsed().as_secs_f64());
        done
    }

    /// Times of the stages.
    pub fn stages(&self) -> &Stages {
        &self.session.stages
    }

    /// Steps that the time loop has made here.
    pub(crate) fn marched(&self) -> u64 {
        self.marched
    }

    pub(crate) fn marching(&self) -> &dyn Marching {
        &*self.marching
    }

    /// Goes on from a checkpoint in a file.
    ///
    /// # Errors
    /// One of another scenario, a file that cannot be read.
    pub(crate) fn restore_file(&mut self, checkpoint: &craton_run::Checkpoint) -> Result<(), Error> {
        self.marching.restore(&Saved::File(checkpoint))
    }
}

#[cfg(test)]
mod tests;
