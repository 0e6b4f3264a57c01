//! A simulation in single or double precision: steps, samples, and events of the time loop.

use std::time::{Duration, Instant};

use craton_model::Medium;
use craton_run::Cancel;
use craton_sim::{Action, FileBlock, Operator as _, Outcome, Schedule, StateArray, StateFile};

use super::memory::Checkpoint;
use super::sink::{Sink, State, Values};
use crate::error::Error;
use crate::pipeline::{RunningSolver, Scalar, traces};
use crate::setup::Setup;
use crate::snapshots::{Sheet, Snapshots};
use crate::time_axis::TimeAxis;
use crate::traces::Trace;

/// Name of the samples in a checkpoint.
const SAMPLES: &str = "samples";

/// Scenario and time axis of a time loop.
#[derive(Clone, Copy)]
pub struct Course<'a> {
    /// The scenario.
    pub setup: &'a Setup,
    /// The time axis.
    pub axis: &'a TimeAxis,
    /// Cancellation of the simulation.
    pub cancel: &'a Cancel,
}

/// A saved state.
pub enum Saved<'a> {
    /// In a file.
    File(&'a craton_run::Checkpoint),
    /// In memory.
    Memory(&'a Checkpoint),
}

/// A simulation in either precision.
pub trait Marching: Send {
    /// Number of completed steps.
    fn step(&self) -> u64;

    /// Advances by a number of steps and stores their samples; fewer steps after a cancellation.
    ///
    /// # Errors
    /// A field that is no longer finite, or a failing device.
    fn advance(&mut self, steps: u64, cancel: &Cancel) -> Result<(), Error>;

    /// Advances to the end or until a cancellation, which is followed by a checkpoint.
    ///
    /// # Errors
    /// As [`advance`](Self::advance), or an error of the sink.
    fn march(&mut self, course: Course, sink: &mut dyn Sink) -> Result<Outcome, Error>;

    /// The seismograms of all steps.
    ///
    /// # Arguments
    /// * `media` – the medium at each receiver, which converts strain to pressure
    /// # Errors
    /// A sample that is not finite.
    fn traces(&self, setup: &Setup, axis: &TimeAxis, media: &[Medium]) -> Result<Vec<Trace>, Error>;

    /// Passes the state to a sink.
    ///
    /// # Errors
    /// A failing device, or an error of the sink.
    fn save(&mut self, sink: &mut dyn Sink) -> Result<(), Error>;

    /// Restores a state.
    ///
    /// # Errors
    /// A state of another simulation, or a failing device.
    fn restore(&mut self, saved: &Saved) -> Result<(), Error>;

    /// For each series of snapshots: its name, its quantities, and whether it has pictures.
    fn series(&self) -> Vec<(String, Vec<crate::config::Shown>, bool)>;

    /// The sheet for the pictures of a series; `None` without pictures.
    fn sheet(&self, series: usize, setup: &Setup) -> Option<Sheet>;

    /// The threads on the host.
    fn workers(&self) -> &craton_device::Workers;

    /// Ends the requests to the other ranks.
    ///
    /// # Errors
    /// A lost rank.
    fn end(&mut self) -> Result<(), Error>;
}

/// A simulation with a given floating-point type.
pub struct Run<T: Scalar> {
    /// Hash of the scenario and its data.
    scenario: u64,
    solver: RunningSolver<T>,
    /// Samples of the solver, `[step][channel]`.
    samples: Vec<T>,
    snapshots: Snapshots<T>,
}

impl<T: Scalar> Run<T> {
    /// Creates a simulation at step 0.
    ///
    /// # Errors
    /// A slice that does not intersect the Earth, or insufficient device memory.
    pub fn new(mut solver: RunningSolver<T>, setup: &Setup, axis: &TimeAxis, scenario: u64) -> Result<Self, Error> {
        let snapshots = Snapshots::new(setup, axis, &mut solver)?;
        Ok(Self { scenario, solver, samples: Vec::new(), snapshots })
    }
}

impl<T: Scalar> Run<T> {
    /// Refuses a checkpoint of another simulation before it changes anything.
    fn require_own(&self, checkpoint: &Checkpoint) -> Result<(), Error> {
        if checkpoint.scenario() != self.scenario {
            return Err(Error::OtherCheckpoint { difference: "its scenario or data differ".to_owned() });
        }
        let mut arrays = self.solver.state().into_iter();
        arrays.try_for_each(|array| stored::<T>(checkpoint, &array.name, Some(array.shape.iter().product())).map(drop))
    }
}

impl<T: Scalar> Marching for Run<T> {
    fn step(&self) -> u64 {
        self.solver.step()
    }

    fn advance(&mut self, steps: u64, cancel: &Cancel) -> Result<(), Error> {
        let end = self.solver.step() + steps;
        let mut schedule = Schedule::new(end);
        while self.solver.step() < end && !cancel.is_cancelled() {
            let event = schedule.next(self.solver.step(), self.solver.longest_advance());
            self.solver.advance(event - self.solver.step())?;
            self.solver.check()?;
            self.samples.extend(self.solver.take_samples()?);
        }
        Ok(())
    }

    fn march(&mut self, course: Course, sink: &mut dyn Sink) -> Result<Outcome, Error> {
        let Self { scenario, solver, samples, snapshots } = self;
        let rhythms = snapshots.series().iter().enumerate();
        let mut schedule = rhythms.fold(Schedule::new(course.axis.total()), |schedule, (number, series)| {
            schedule.every(series.rhythm.steps, series.rhythm.first, Action::Snapshot(number))
        });
        let interval = course.setup.output.checkpoint_interval;
        let interval = (interval > 0.0 && sink.wants_checkpoints())
            .then(|| Duration::try_from_secs_f64(interval).unwrap_or(Duration::MAX));
        let (scenario, last_checkpoint) = (*scenario, Instant::now());
        let mut recorder = Recorder { scenario, course, sink, samples, snapshots, interval, last_checkpoint };
        craton_sim::run(solver, &mut schedule, &mut recorder)
    }

    fn traces(&self, setup: &Setup, axis: &TimeAxis, media: &[Medium]) -> Result<Vec<Trace>, Error> {
        traces(setup, (axis, media), &self.samples)
    }

    fn save(&mut self, sink: &mut dyn Sink) -> Result<(), Error> {
        sink.checkpoint(&mut RunState { scenario: self.scenario, solver: &mut self.solver, samples: &self.samples })
    }

    fn restore(&mut self, saved: &Saved) -> Result<(), Error> {
        if let Saved::Memory(checkpoint) = saved {
            self.require_own(checkpoint)?;
        }
        let step = match saved {
            Saved::File(checkpoint) => {
                let file = file_of::<T>(checkpoint, &self.solver.state())?;
                self.solver.restore_from(&file)?;
                self.samples = checkpoint.read(SAMPLES)?;
                checkpoint.step()
            }
            Saved::Memory(checkpoint) => {
                for (number, array) in self.solver.state().into_iter().enumerate() {
                    let mut left = stored::<T>(checkpoint, &array.name, Some(array.shape.iter().product()))?;
                    self.solver.restore(number, &mut |values| {
                        let (now, rest) = left.split_at(values.len());
                        values.copy_from_slice(now);
                        left = rest;
                    })?;
                }
                self.samples = stored::<T>(checkpoint, SAMPLES, None)?.to_vec();
                checkpoint.step()
            }
        };
        Ok(self.solver.restore_step(step)?)
    }

    fn series(&self) -> Vec<(String, Vec<crate::config::Shown>, bool)> {
        self.snapshots.series().iter().map(|series| (series.name.clone(), series.shown.clone(), series.png)).collect()
    }

    fn sheet(&self, series: usize, setup: &Setup) -> Option<Sheet> {
        self.snapshots.series()[series].scene.sheet(setup, &self.solver)
    }

    fn workers(&self) -> &craton_device::Workers {
        self.solver.workers()
    }

    fn end(&mut self) -> Result<(), Error> {
        Ok(self.solver.end()?)
    }
}

/// Where the arrays of the solver are in a checkpoint.
fn file_of<T: Scalar>(checkpoint: &craton_run::Checkpoint, arrays: &[StateArray]) -> Result<StateFile, Error> {
    let of_array = |array: &StateArray| {
        let blocks = checkpoint.blocks::<T>(&array.name, &array.blocks)?.iter();
        Ok(blocks.map(|&craton_run::Block { position, hash, .. }| FileBlock { position, hash }).collect())
    };
    let blocks = arrays.iter().map(of_array).collect::<Result<_, Error>>()?;
    Ok(StateFile { path: checkpoint.path().to_owned(), blocks })
}

/// An array of a state in memory, after a check of its precision and size.
fn stored<'a, T: Scalar>(checkpoint: &'a Checkpoint, name: &str, count: Option<usize>) -> Result<&'a [T], Error> {
    let numbers = checkpoint.array(name).and_then(|values| T::of(&values));
    let fits = |numbers: &&[T]| count.is_none_or(|count| numbers.len() == count);
    numbers.filter(fits).ok_or_else(|| Error::OtherCheckpoint {
        difference: format!("its array `{name}` has another size or precision"),
    })
}

/// Handles the events of the time loop.
struct Recorder<'a, T: Scalar> {
    /// Hash of the scenario and its data.
    scenario: u64,
    course: Course<'a>,
    sink: &'a mut dyn Sink,
    samples: &'a mut Vec<T>,
    snapshots: &'a Snapshots<T>,
    interval: Option<Duration>,
    last_checkpoint: Instant,
}

impl<T: Scalar> Recorder<'_, T> {
    fn save(&mut self, solver: &mut RunningSolver<T>) -> Result<(), Error> {
        self.sink.checkpoint(&mut RunState { scenario: self.scenario, solver, samples: self.samples })?;
        self.last_checkpoint = Instant::now();
        Ok(())
    }
}

impl<T: Scalar> craton_sim::Recorder<RunningSolver<T>> for Recorder<'_, T> {
    type Error = Error;

    fn collect(&mut self, solver: &mut RunningSolver<T>) -> Result<(), Error> {
        self.samples.extend(solver.take_samples()?);
        Ok(())
    }

    fn act(&mut self, solver: &mut RunningSolver<T>, action: Action) -> Result<(), Error> {
        let Course { setup, axis, .. } = self.course;
        match action {
            Action::Snapshot(number) => {
                let time = axis.start + solver.step() as f64 * axis.dt;
                if let Some(frame) = self.snapshots.frame(number, (setup, solver), time)? {
                    self.sink.snapshot(&frame)?;
                }
            }
            Action::Checkpoint => self.save(solver)?,
            Action::Report => {
                self.sink.progress(solver.step());
                if self.interval.is_some_and(|interval| self.last_checkpoint.elapsed() >= interval) {
                    self.save(solver)?;
                }
            }
        }
        Ok(())
    }

    fn cancelled(&self) -> bool {
        self.course.cancel.is_cancelled()
    }
}

/// The state of a solver, and its samples.
struct RunState<'a, T: Scalar> {
    scenario: u64,
    solver: &'a mut RunningSolver<T>,
    samples: &'a [T],
}

impl<T: Scalar> State for RunState<'_, T> {
    fn step(&self) -> u64 {
        self.solver.step()
    }

    fn scenario(&self) -> u64 {
        self.scenario
    }

    fn arrays(&self) -> Vec<StateArray> {
        let count = vec![self.samples.len()];
        let samples = StateArray { name: SAMPLES.into(), shape: count.clone(), blocks: count };
        self.solver.state().into_iter().chain([samples]).collect()
    }

    fn save_to(&mut self, file: &StateFile) -> Result<Vec<Vec<u64>>, Error> {
        let StateFile { path, blocks } = file;
        let blocks = blocks[..self.solver.state().len()].to_vec();
        Ok(self.solver.save_to(&StateFile { path: path.clone(), blocks })?)
    }

    fn is_double(&self) -> bool {
        size_of::<T>() == size_of::<f64>()
    }

    fn read(&mut self, array: usize, to: &mut dyn FnMut(Values<'_>)) -> Result<(), Error> {
        if array < self.solver.state().len() {
            self.solver.save(array, &mut |values| to(T::values(values)))?;
        } else {
            to(T::values(self.samples));
        }
        Ok(())
    }
}
