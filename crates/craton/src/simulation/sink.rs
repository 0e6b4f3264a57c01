//! Receivers of the progress and the results of a simulation.

use craton_run::RunStatus;
use craton_sim::{StateArray, StateFile};

use super::Simulation;
use crate::error::Error;
use crate::setup::Setup;
use crate::snapshots::Frame;
use crate::traces::Trace;

pub use craton_run::{Times, WorkPlan as Work};

/// Follows the progress of a computation. All methods do nothing by default.
pub trait Watch: Send {
    /// The computation starts or resumes.
    fn begin(&mut self, _work: &Work) {}

    /// Reports the number of completed pieces of work; called several times a second.
    fn progress(&mut self, _done: u64) {}

    /// Reports a message for the user, such as a warning or the devices.
    fn message(&mut self, _text: &str) {}
}

/// Ignores progress and messages.
impl Watch for () {}

/// Receives the results of a simulation. All methods do nothing by default.
pub trait Sink: Watch {
    /// The simulation is about to start or resume.
    ///
    /// # Errors
    /// An error of the sink, which ends the run.
    fn start(&mut self, _simulation: &Simulation) -> Result<(), Error> {
        Ok(())
    }

    /// Receives a frame of a series in `output.snapshots`.
    ///
    /// # Errors
    /// An error of the sink, which ends the run.
    fn snapshot(&mut self, _frame: &Frame) -> Result<(), Error> {
        Ok(())
    }

    /// Whether the sink receives a checkpoint every `output.checkpoint_interval`. It always does after an interruption.
    fn wants_checkpoints(&self) -> bool {
        true
    }

    /// Receives the state for a checkpoint.
    ///
    /// # Errors
    /// An error of the sink, which ends the run.
    fn checkpoint(&mut self, _state: &mut dyn State) -> Result<(), Error> {
        Ok(())
    }

    /// Receives all seismograms after the last step.
    ///
    /// # Errors
    /// An error of the sink, which ends the run.
    fn traces(&mut self, _setup: &Setup, _traces: &[Trace]) -> Result<(), Error> {
        Ok(())
    }

    /// The sink has received all results.
    ///
    /// # Errors
    /// An error of the sink, which ends the run.
    fn finish(&mut self, _simulation: &Simulation) -> Result<(), Error> {
        Ok(())
    }

    /// The run has ended with this outcome.
    ///
    /// # Errors
    /// An error of the sink.
    fn ended(&mut self, _simulation: &Simulation, _outcome: Result<RunStatus, &Error>) -> Result<(), Error> {
        Ok(())
    }
}

/// Discards all results.
impl Sink for () {}

/// The state of a simulation at a step, readable array by array.
pub trait State {
    /// Number of completed steps.
    fn step(&self) -> u64;

    /// Hash of the scenario and its data.
    fn scenario(&self) -> u64;

    /// The arrays.
    fn arrays(&self) -> Vec<StateArray>;

    /// Whether the values have double precision.
    fn is_double(&self) -> bool;

    /// Passes the values of an array to `to`, block by block.
    ///
    /// # Errors
    /// A failing device.
    fn read(&mut self, array: usize, to: &mut dyn FnMut(Values<'_>)) -> Result<(), Error>;

    /// Writes the arrays of the solver, which are the first ones, to a file; all ranks that can open it write in parallel.
    ///
    /// Returns the hash (xxh3) of each block of these arrays.
    ///
    /// # Errors
    /// A file that cannot be written, a failing device, or a lost rank.
    fn save_to(&mut self, file: &StateFile) -> Result<Vec<Vec<u64>>, Error>;
}

/// Values in single or double precision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Values<'a> {
    /// 32 bits.
    Single(&'a [f32]),
    /// 64 bits.
    Double(&'a [f64]),
}

/// A sink, and another observer of the progress.
pub struct Both<'a>(pub &'a mut dyn Sink, pub &'a mut dyn Watch);

impl Watch for Both<'_> {
    fn begin(&mut self, work: &Work) {
        self.0.begin(work);
        self.1.begin(work);
    }

    fn progress(&mut self, done: u64) {
        self.0.progress(done);
        self.1.progress(done);
    }

    fn message(&mut self, text: &str) {
        self.0.message(text);
        self.1.message(text);
    }
}

impl Sink for Both<'_> {
    fn start(&mut self, simulation: &Simulation) -> Result<(), Error> {
        self.0.start(simulation)
    }

    fn snapshot(&mut self, frame: &Frame) -> Result<(), Error> {
        self.0.snapshot(frame)
    }

    fn wants_checkpoints(&self) -> bool {
        self.0.wants_checkpoints()
    }

    fn checkpoint(&mut self, state: &mut dyn State) -> Result<(), Error> {
        self.0.checkpoint(state)
    }

    fn traces(&mut self, setup: &Setup, traces: &[Trace]) -> Result<(), Error> {
        self.0.traces(setup, traces)
    }

    fn finish(&mut self, simulation: &Simulation) -> Result<(), Error> {
        self.0.finish(simulation)
    }

    fn ended(&mut self, simulation: &Simulation, outcome: Result<RunStatus, &Error>) -> Result<(), Error> {
        self.0.ended(simulation, outcome)
    }
}
