//! Simulations for calling programs: input from arrays or files, results in arrays or in a sink.
//!
//! | file | content |
//! |---|---|
//! | this one | [`Simulation`] |
//! | `prepared` | [`Prepared`]: a discretised scenario before its transfer to the devices |
//! | `sink` | [`Watch`] and [`Sink`]: receivers of progress and results |
//! | `memory` | [`Memory`], a sink that stores everything in memory |
//! | `results_folder` | [`ResultsFolder`], a sink that writes files |
//! | `marching` | steps, samples and events, in single or double precision |
//!
//! Waves of an explosion in a model from arrays, at two receivers:
//!
//! ```
//! use craton::config::VolumeAxis::Depth;
//! use craton::{Given, Inputs, Memory, Scenario, Simulation};
//!
//! let layers = |upper: f64, lower: f64| Given::table([("depth", vec![0.0, 400.0, 400.0, 800.0]),
//!     ("vp", vec![upper, upper, lower, lower]), ("vs", vec![upper / 2.0, upper / 2.0, lower / 2.0, lower / 2.0]), ("rho", vec![2000.0; 4])]);
//! let pulse: Vec<f64> = (0..81).map(|step| f64::from(step) / 80.0).map(|t| (4.0 * t * (1.0 - t)).powi(3)).collect();
//! let inputs = Inputs::new()
//!     .with("layers", layers(1500.0, 2500.0))
//!     .with("pulse", Given::samples(0.0, 0.0025, pulse))
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
mod prepared;
mod results_folder;
mod sink;

use std::time::Instant;

use craton_model::Medium;
use craton_run::{Cancel, RunStatus, Stages};
use craton_sim::Outcome;

use crate::error::Error;
use crate::options::Computing;
use crate::pipeline::{Preflight, Session};
use crate::setup::Setup;
use crate::time_axis::TimeAxis;
use crate::traces::Trace;
use crate::written::Scenario;
pub use display::Display;
use marching::Course;
pub(crate) use marching::{Marching, Run, Saved};
pub use memory::{Checkpoint, Memory, Snapshot};
#[cfg(test)]
pub(crate) use prepared::Discrete;
pub use prepared::Prepared;
pub use results_folder::ResultsFolder;
pub(crate) use results_folder::{Output, SCENARIO_FILE, SCENARIO_FOLDER};
pub use sink::{Both, Sink, State, Times, Values, Watch, Work};

/// A running simulation.
pub struct Simulation {
    session: Session,
    axis: TimeAxis,
    preflight: Preflight,
    media: Vec<Medium>,
    marching: Box<dyn Marching>,
    /// Number of steps of the time loop in this process.
    marched: u64,
}

impl Simulation {
    /// Creates a simulation at step 0 on the devices of the scenario.
    ///
    /// # Errors
    /// As [`Prepared::new`] and [`Prepared::start`].
    pub fn new(scenario: Scenario) -> Result<Self, Error> {
        Self::with(scenario, &Computing::default())
    }

    /// As [`new`](Self::new), with other devices or a cancellation flag.
    ///
    /// # Errors
    /// As [`Prepared::new`] and [`Prepared::start`].
    pub fn with(scenario: Scenario, computing: &Computing) -> Result<Self, Error> {
        Ok(Prepared::new(scenario, computing)?.start()?.expect("a single process is the first rank"))
    }

    /// The checked scenario.
    pub fn setup(&self) -> &Setup {
        &self.session.setup
    }

    /// Description of the run.
    pub fn preflight(&self) -> &Preflight {
        &self.preflight
    }

    /// Warnings for the user.
    pub fn warnings(&self) -> &[String] {
        &self.session.setup.warnings
    }

    /// The cancellation flag.
    pub fn cancel(&self) -> &Cancel {
        &self.session.cancel
    }

    /// Number of completed steps.
    pub fn step(&self) -> u64 {
        self.marching.step()
    }

    /// Total number of steps: those of the traces, and extra steps that keep the traces accurate when time dispersion is
    /// removed.
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

    /// Advances by a number of steps, at most to the end; fewer after a cancellation.
    ///
    /// # Returns
    /// Number of completed steps.
    /// # Errors
    /// A field that is no longer finite, or a failing device.
    pub fn advance(&mut self, steps: u64) -> Result<u64, Error> {
        let steps = steps.min(self.steps() - self.step());
        let advanced = self.marching.advance(steps, &self.session.cancel);
        advanced.map_err(|error| error.with_place(&self.session.setup.frame))?;
        Ok(self.step())
    }

    /// The seismograms of the complete simulation.
    ///
    /// # Errors
    /// [`Error::NotAtEnd`] before the last step, or a sample that is not finite.
    pub fn traces(&self) -> Result<Vec<Trace>, Error> {
        let (step, steps) = (self.step(), self.steps());
        if step < steps {
            return Err(Error::NotAtEnd { step, steps });
        }
        self.marching.traces(&self.session.setup, &self.axis, &self.media)
    }

    /// Saves the state, so that a simulation can continue from it later.
    ///
    /// # Errors
    /// A failing device.
    pub fn checkpoint(&mut self) -> Result<Checkpoint, Error> {
        let mut memory = Memory::new();
        self.marching.save(&mut memory)?;
        Ok(memory.checkpoint.expect("a state was saved"))
    }

    /// Restores a state of the same scenario and data. Results that a sink has already received are not revoked.
    ///
    /// # Errors
    /// [`Error::OtherCheckpoint`] if the state is of another simulation, which leaves this one unchanged; a failing device.
    pub fn restore(&mut self, checkpoint: &Checkpoint) -> Result<(), Error> {
        self.marching.restore(&Saved::Memory(checkpoint))
    }

    /// Advances to the end or until a cancellation, and passes all results to a sink.
    ///
    /// # Errors
    /// As [`advance`](Self::advance), or an error of the sink.
    pub fn run(&mut self, sink: &mut dyn Sink) -> Result<RunStatus, Error> {
        let mut outcome = self.carry_out(sink);
        if outcome.is_ok() && self.session.ranks.count() > 1 {
            // After an error, the other ranks are stopped wherever they wait, so this must come after it.
            outcome = self.marching.end().and(outcome);
        }
        let recorded = sink.ended(self, outcome.as_ref().copied());
        let status = outcome?;
        recorded.map(|()| status)
    }

    fn carry_out(&mut self, sink: &mut dyn Sink) -> Result<RunStatus, Error> {
        let (unit, count) = self.preflight.extent.units();
        let times = Times { start: self.axis.start, dt: self.axis.dt, end: self.session.setup.end };
        self.timed("model picture", |simulation| sink.start(simulation))?;
        sink.begin(&Work {
            piece: "step",
            first: self.step(),
            total: self.steps(),
            // Steps beyond the end serve only the correction of time dispersion.
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
        let outcome = outcome.map_err(|error| error.with_place(&self.session.setup.frame))?;
        self.marched = self.step() - first;
        if outcome == Outcome::Interrupted {
            return Ok(RunStatus::Interrupted);
        }
        let handed = self.hand_over(sink);
        if handed.is_err() {
            // Saves the completed steps after a full disk or an interruption during the pictures: a resumed run writes
            // the results.
            self.marching.save(sink)?;
        }
        if matches!(handed, Err(Error::Stopped { .. })) {
            Ok(RunStatus::Interrupted)
        } else {
            handed.map(|()| RunStatus::Complete)
        }
    }

    /// Passes the results of the complete simulation to the sink.
    fn hand_over(&mut self, sink: &mut dyn Sink) -> Result<(), Error> {
        self.timed("seismograms", |simulation| sink.traces(&simulation.session.setup, &simulation.traces()?))?;
        if self.session.setup.output.snapshots.is_empty() {
            return sink.finish(self);
        }
        self.timed("pictures of snapshots", |simulation| sink.finish(simulation))
    }

    /// Executes and times a stage.
    fn timed<R>(&mut self, stage: &str, work: impl FnOnce(&Self) -> R) -> R {
        let begun = Instant::now();
        let done = work(self);
        self.session.stages.add(stage, begun.elapsed().as_secs_f64());
        done
    }

    /// Elapsed times of the stages.
    pub fn stages(&self) -> &Stages {
        &self.session.stages
    }

    /// Number of steps of the time loop in this process.
    pub(crate) fn marched(&self) -> u64 {
        self.marched
    }

    pub(crate) fn marching(&self) -> &dyn Marching {
        &*self.marching
    }

    /// Restores the state from a checkpoint in a file.
    ///
    /// # Errors
    /// A checkpoint of another scenario, or an unreadable file.
    pub(crate) fn restore_file(&mut self, checkpoint: &craton_run::Checkpoint) -> Result<(), Error> {
        self.marching.restore(&Saved::File(checkpoint))
    }
}

#[cfg(test)]
mod tests;
