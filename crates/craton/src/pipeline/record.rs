//! What happens at the events of the time loop: progress, snapshots, checkpoints; and the samples they leave.

use std::time::{Duration, Instant};

use craton_run::{Cancel, CheckpointStore, Plan, Progress, Section};
use craton_sem::SemOperator;
use craton_sim::{Action, Operator, Schedule};

use super::session::{Output, Scalar, Session};
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
    snapshots: Snapshots,
    /// `[step][channel]`, as the operator samples.
    samples: Vec<T>,
}

impl<T: Scalar> Recorder<T> {
    /// For a run that begins at step 0, or goes on after [`Recorder::restore`].
    pub fn new(session: &Session, axis: &TimeAxis, operator: &SemOperator<T>, output: &Output) -> Result<Self, Error> {
        let interval = session.setup.output.checkpoint_interval;
        let store = CheckpointStore::open(&output.folder.checkpoints(), session.scenario_hash)?;
        let plan = Plan {
            first_step: store.latest()?.map_or(0, |(checkpoint, _)| checkpoint.step()),
            total_steps: axis.total(),
            end_time: session.setup.end,
            elements: operator.mesh().n_elements() as u64,
        };
        Ok(Self {
            axis: *axis,
            progress: Progress::new(plan, session.progress),
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
    pub fn snapshots(&self) -> &Snapshots {
        &self.snapshots
    }

    /// Takes the operator to the newest whole checkpoint, if there is one.
    ///
    /// # Errors
    /// A checkpoint of another scenario, or none that is whole.
    pub fn restore(&mut self, operator: &mut SemOperator<T>) -> Result<(), Error> {
        let Some((checkpoint, skipped)) = self.store.latest()? else { return Ok(()) };
        for damaged in skipped {
            self.progress.message(&format!("passed over {}: {}", damaged.path.display(), damaged.reason));
        }
        for (number, nodes) in operator.state_mut().into_iter().enumerate() {
            checkpoint.read_into(&section_name(number), nodes.as_flattened_mut())?;
        }
        operator.restore_step(checkpoint.step());
        self.samples = checkpoint.read(SAMPLES)?;
        self.progress.message(&format!("going on after step {}", checkpoint.step()));
        Ok(())
    }

    fn save(&mut self, operator: &SemOperator<T>) -> Result<(), Error> {
        let state = operator.state();
        let names: Vec<String> = (0..state.len()).map(section_name).collect();
        let nodes = names.iter().zip(state);
        let mut sections: Vec<Section> =
            nodes.map(|(name, nodes)| Section::new(name, &[nodes.len(), 4], nodes.as_flattened())).collect();
        sections.push(Section::new(SAMPLES, &[self.samples.len()], &self.samples));
        self.store.write(operator.step(), &sections)?;
        self.last_checkpoint = Instant::now();
        Ok(())
    }
}

/// Name of the samples in a checkpoint.
const SAMPLES: &str = "samples";

/// Name of an array of the state in a checkpoint: displacement and velocity of each patch, then of the shared nodes.
fn section_name(number: usize) -> String {
    format!("state/{}/{}", number / 2, ["displacement", "velocity"][number % 2])
}

impl<T: Scalar> craton_sim::Recorder<SemOperator<T>> for Recorder<T> {
    type Error = Error;

    fn collect(&mut self, operator: &mut SemOperator<T>) {
        self.samples.extend(operator.take_samples());
    }

    fn act(&mut self, operator: &mut SemOperator<T>, action: Action) -> Result<(), Error> {
        let time = self.axis.start + operator.step() as f64 * self.axis.dt;
        match action {
            Action::Snapshot(number) => self.snapshots.write(number, operator, time)?,
            Action::Checkpoint => self.save(operator)?,
            Action::Report => {
                self.progress.update(operator.step(), time);
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
