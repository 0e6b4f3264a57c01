//! What happens at the events of the time loop: progress, snapshots, checkpoints; and the samples they leave.

use std::time::{Duration, Instant};

use craton_run::{Cancel, CheckpointStore, Plan, Progress, SectionForm, Times};
use craton_sim::{Action, Operator as _, Schedule, Solver};

use super::prepare::Preflight;
use super::running_solver::RunningSolver;
use super::session::{Output, Scalar, Session};
use crate::error::Error;
use crate::snapshots::Snapshots;
use crate::time_axis::TimeAxis;

/// Progress, snapshots, checkpoints and samples of one run.
pub struct Recorder<T: Scalar> {
    axis: TimeAxis,
    progress: Progress,
    cancel: Cancel,
    store: CheckpointStore,
    checkpoint_interval: Option<Duration>,
    last_checkpoint: Instant,
    snapshots: Snapshots<T>,
    /// `[step][channel]`, as the operator samples.
    samples: Vec<T>,
}

impl<T: Scalar> Recorder<T> {
    /// For a run that begins at step 0, or goes on after [`Recorder::restore`].
    pub fn new(
        session: &Session,
        axis: &TimeAxis,
        preflight: &Preflight,
        motion: &mut RunningSolver<T>,
        output: &Output,
    ) -> Result<Self, Error> {
        let interval = session.setup.output.checkpoint_interval;
        let store = CheckpointStore::open(&output.folder.checkpoints(), session.scenario_hash)?;
        let (unit, count) = preflight.extent.units();
        let plan = Plan {
            piece: "step",
            first: store.latest()?.map_or(0, |(checkpoint, _)| checkpoint.step()),
            total: axis.total(),
            // The steps beyond the end are for the correction of seismograms alone.
            times: Some(Times { start: axis.start, dt: axis.dt, end: session.setup.end }),
            units: (unit, count as f64),
        };
        let mut progress = Progress::new(plan, session.progress);
        progress.message(&format!("computing on {}", output.device));
        session.setup.warnings.iter().for_each(|warning| progress.message(&format!("warning: {warning}")));
        Ok(Self {
            axis: *axis,
            progress,
            cancel: session.cancel.clone(),
            store,
            checkpoint_interval: (interval > 0.0)
                .then(|| Duration::try_from_secs_f64(interval).unwrap_or(Duration::MAX)),
            last_checkpoint: Instant::now(),
            snapshots: Snapshots::new(&session.setup, axis, motion, &output.folder)?,
            samples: Vec::new(),
        })
    }

    /// The events of the run.
    pub fn schedule(&self) -> Schedule {
        let snapshots = self.snapshots.rhythms().enumerate();
        snapshots.fold(Schedule::new(self.axis.total()), |schedule, (number, rhythm)| {
            schedule.every(rhythm.steps, Action::Snapshot(number))
        })
    }

    /// Samples of the whole run, `[step][channel]`.
    pub fn samples(&self) -> &[T] {
        &self.samples
    }

    /// The snapshots of the run.
    pub fn snapshots(&self) -> &Snapshots<T> {
        &self.snapshots
    }

    /// Takes the operator to the newest whole checkpoint, if there is one.
    ///
    /// # Errors
    /// A checkpoint of another scenario, or none that is whole.
    pub fn restore(&mut self, operator: &mut dyn Solver<T>) -> Result<(), Error> {
        let Some((checkpoint, skipped)) = self.store.latest()? else { return Ok(()) };
        for damaged in skipped {
            self.progress.message(&format!("passed over {}: {}", damaged.path.display(), damaged.reason));
        }
        for (number, array) in operator.state().into_iter().enumerate() {
            let mut section = checkpoint.section(array.name, array.shape.iter().product())?;
            operator.restore(number, &mut |values| section.read(values))?;
            section.finish()?;
        }
        operator.restore_step(checkpoint.step())?;
        self.samples = checkpoint.read(SAMPLES)?;
        self.progress.message(&format!("going on after step {}", checkpoint.step()));
        Ok(())
    }

    fn save(&mut self, operator: &mut dyn Solver<T>) -> Result<(), Error> {
        let state = operator.state();
        let arrays = state.iter().map(|array| SectionForm::new::<T>(array.name, &array.shape));
        let samples = SectionForm::new::<T>(SAMPLES, &[self.samples.len()]);
        let sections: Vec<SectionForm> = arrays.chain([samples]).collect();
        self.store.write_in_pieces::<Error>(operator.step(), &sections, |number, writer| {
            if number < state.len() {
                operator.save(number, &mut |values| writer.write(values))?;
            } else {
                writer.write(&self.samples);
            }
            Ok(())
        })?;
        self.last_checkpoint = Instant::now();
        Ok(())
    }
}

/// Name of the samples in a checkpoint.
const SAMPLES: &str = "samples";

impl<T: Scalar> craton_sim::Recorder<RunningSolver<T>> for Recorder<T> {
    type Error = Error;

    fn collect(&mut self, operator: &mut RunningSolver<T>) -> Result<(), Error> {
        self.samples.extend(operator.take_samples()?);
        Ok(())
    }

    fn act(&mut self, operator: &mut RunningSolver<T>, action: Action) -> Result<(), Error> {
        let time = self.axis.start + operator.step() as f64 * self.axis.dt;
        match action {
            Action::Snapshot(number) => self.snapshots.write(number, operator, time)?,
            Action::Checkpoint => self.save(&mut **operator)?,
            Action::Report => {
                self.progress.update(operator.step());
                let is_due =
                    self.checkpoint_interval.is_some_and(|interval| self.last_checkpoint.elapsed() >= interval);
                if is_due {
                    self.save(&mut **operator)?;
                }
            }
        }
        Ok(())
    }

    fn cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}
