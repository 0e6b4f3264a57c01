//! What happens at the events of the time loop: progress, snapshots, checkpoints; and the samples they leave.

use std::time::{Duration, Instant};

use craton_run::{Cancel, CheckpointStore, Plan, Progress, SectionForm};
use craton_sem::{Field, Solver};
use craton_sim::{Action, Schedule};

use super::session::{Motion, Output, Scalar, Session};
use crate::error::Error;
use crate::placing::TimeAxis;
use crate::snapshots::Snapshots;

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
    pub fn new(session: &Session, axis: &TimeAxis, operator: &dyn Solver<T>, output: &Output) -> Result<Self, Error> {
        let interval = session.setup.output.checkpoint_interval;
        let store = CheckpointStore::open(&output.folder.checkpoints(), session.scenario_hash)?;
        let plan = Plan {
            first_step: store.latest()?.map_or(0, |(checkpoint, _)| checkpoint.step()),
            total_steps: axis.total(),
            end_time: session.setup.end,
            elements: operator.mesh().n_elements() as u64,
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
            snapshots: Snapshots::new(&session.setup, axis, operator, &output.folder)?,
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
        for (name, field) in STATE {
            let mut section = checkpoint.section(name, 3 * operator.n_nodes())?;
            operator.restore(field, &mut |nodes| section.read(nodes.as_flattened_mut()))?;
            section.finish()?;
        }
        operator.restore_step(checkpoint.step())?;
        self.samples = checkpoint.read(SAMPLES)?;
        self.progress.message(&format!("going on after step {}", checkpoint.step()));
        Ok(())
    }

    fn save(&mut self, operator: &dyn Solver<T>) -> Result<(), Error> {
        let fields = STATE.map(|(name, _)| SectionForm::new::<T>(name, &[operator.n_nodes(), 3]));
        let samples = SectionForm::new::<T>(SAMPLES, &[self.samples.len()]);
        let sections: Vec<SectionForm> = fields.into_iter().chain([samples]).collect();
        self.store.write_in_pieces::<Error>(operator.step(), &sections, |number, writer| {
            match STATE.get(number) {
                Some((_, field)) => operator.save(*field, &mut |nodes| writer.write(nodes.as_flattened()))?,
                None => writer.write(&self.samples),
            }
            Ok(())
        })?;
        self.last_checkpoint = Instant::now();
        Ok(())
    }
}

/// Name of the samples in a checkpoint.
const SAMPLES: &str = "samples";

/// The fields in a checkpoint.
const STATE: [(&str, Field); 2] = [("state/displacement", Field::Displacement), ("state/velocity", Field::Velocity)];

impl<T: Scalar> craton_sim::Recorder<Motion<T>> for Recorder<T> {
    type Error = Error;

    fn collect(&mut self, operator: &mut Motion<T>) -> Result<(), Error> {
        self.samples.extend(operator.take_samples()?);
        Ok(())
    }

    fn act(&mut self, operator: &mut Motion<T>, action: Action) -> Result<(), Error> {
        let time = self.axis.start + operator.step() as f64 * self.axis.dt;
        match action {
            Action::Snapshot(number) => self.snapshots.write(number, operator, time)?,
            Action::Checkpoint => self.save(operator)?,
            Action::Report => {
                // The steps beyond the end are for the correction of seismograms alone.
                self.progress.update(operator.step(), time.min(self.axis.end));
                let is_due =
                    self.checkpoint_interval.is_some_and(|interval| self.last_checkpoint.elapsed() >= interval);
                if is_due {
                    self.save(operator)?;
                }
            }
        }
        Ok(())
    }

    fn cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
}
