//! Who receives what a simulation makes.

use craton_run::RunStatus;

use super::Simulation;
use crate::error::Error;
use crate::setup::Setup;
use crate::snapshots::Frame;
use crate::traces::Trace;

pub use craton_run::{Plan as Work, Times};

/// Follows long work. All methods do nothing by default.
pub trait Watch: Send {
    /// Work begins, or goes on.
    fn begin(&mut self, _work: &Work) {}

    /// So many pieces of the work are done; called some times a second.
    fn progress(&mut self, _done: u64) {}

    /// Something that a user should know: a warning, what computes.
    fn message(&mut self, _text: &str) {}
}

/// Nobody follows.
impl Watch for () {}

/// Receives what a simulation makes. All methods do nothing by default.
pub trait Sink: Watch {
    /// The simulation is about to begin, or to go on.
    ///
    /// # Errors
    /// Whatever the sink cannot do; it ends the run.
    fn start(&mut self, _simulation: &Simulation) -> Result<(), Error> {
        Ok(())
    }

    /// A frame of a series of snapshots, of those in `output.snapshots`.
    ///
    /// # Errors
    /// Whatever the sink cannot do; it ends the run.
    fn snapshot(&mut self, _frame: &Frame) -> Result<(), Error> {
        Ok(())
    }

    /// The state, to go on from later: every `output.checkpoint_interval`, and when a run is interrupted.
    ///
    /// # Errors
    /// Whatever the sink cannot do; it ends the run.
    fn checkpoint(&mut self, _state: &mut dyn State) -> Result<(), Error> {
        Ok(())
    }

    /// All seismograms, when the last step is done.
    ///
    /// # Errors
    /// Whatever the sink cannot do; it ends the run.
    fn traces(&mut self, _setup: &Setup, _traces: &[Trace]) -> Result<(), Error> {
        Ok(())
    }

    /// All has been handed over.
    ///
    /// # Errors
    /// Whatever the sink cannot do; it ends the run.
    fn finish(&mut self, _simulation: &Simulation) -> Result<(), Error> {
        Ok(())
    }

    /// How the run ended.
    ///
    /// # Errors
    /// Whatever the sink cannot do.
    fn ended(&mut self, _simulation: &Simulation, _outcome: Result<RunStatus, &Error>) -> Result<(), Error> {
        Ok(())
    }
}

/// Nothing is kept.
impl Sink for () {}

/// The state of a simulation at a step, which is read array by array.
pub trait State {
    /// Steps done.
    fn step(&self) -> u64;

    /// Name and shape (slowest axis first) of each array.
    fn arrays(&self) -> Vec<(String, Vec<usize>)>;

    /// Whether the numbers are of double precision.
    fn is_double(&self) -> bool;

    /// Hands over the numbers of an array, some at a time.
    ///
    /// # Errors
    /// A device that fails.
    fn read(&mut self, array: usize, to: &mut dyn FnMut(Values<'_>)) -> Result<(), Error>;
}

/// Numbers of either precision.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Values<'a> {
    /// 32 bits.
    Single(&'a [f32]),
    /// 64 bits.
    Double(&'a [f64]),
}

/// A sink, and somebody who follows the work besides.
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
