//! A sink that writes the results folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use craton_run::preflight::require_disk;
use craton_run::{Bytes, CheckpointStore, OutputDirectory, RunError, RunRecord, RunStatus, SectionForm, Stages};
use craton_sim::{FileBlock, StateArray, StateFile};

use super::sink::{Sink, State, Values, Watch};
use super::{Prepared, Simulation};
use crate::checksums;
use crate::error::Error;
use crate::pipeline::{RunReport, chunk_map, pictures, write_seismograms};
use crate::provenance;
use crate::setup::Setup;
use crate::snapshots::{Films, Frame};
use crate::traces::Trace;

/// Name of the copy of the scenario in the results folder.
pub(crate) const SCENARIO_FILE: &str = "scenario.toml";
/// Key in the record: the folder to which relative paths refer.
pub(crate) const SCENARIO_FOLDER: &str = "scenario_folder";

/// Writes the results folder: record, checkpoints, frames, seismograms and pictures.
pub struct ResultsFolder {
    output: Output,
    store: CheckpointStore,
    films: Option<Films>,
    report: Option<RunReport>,
}

/// The results folder of a run, and the files written to it.
pub(crate) struct Output {
    pub folder: Arc<OutputDirectory>,
    pub record: RunRecord,
    /// Results for the user.
    pub files: Vec<String>,
}

impl ResultsFolder {
    /// Opens a folder for a new run and writes its record, after a final check of the disk space.
    ///
    /// # Arguments
    /// * `overwrite` – whether existing results may be replaced
    /// # Errors
    /// A folder with contents that would be lost or without write permission, or insufficient disk space.
    pub fn create(prepared: &Prepared, directory: impl Into<PathBuf>, overwrite: bool) -> Result<Self, Error> {
        let directory = directory.into();
        // Before an earlier run is removed.
        let removed = if overwrite { OutputDirectory::bytes(&directory)? } else { 0 };
        require_disk(&directory, prepared.preflight.disk, Bytes(removed))?;
        Self::of(prepared, OutputDirectory::create(&directory, overwrite)?)
    }

    /// Opens the folder of a resumed run, see [`Prepared::resumed`] and [`Self::restore`].
    ///
    /// # Errors
    /// A folder without an unfinished run, or insufficient disk space.
    pub fn resume(prepared: &Prepared, directory: &Path) -> Result<Self, Error> {
        require_disk(directory, prepared.preflight.disk, Bytes(OutputDirectory::bytes(directory)?))?;
        Self::of(prepared, OutputDirectory::resume(directory)?)
    }

    fn of(prepared: &Prepared, folder: OutputDirectory) -> Result<Self, Error> {
        let Prepared { session, preflight, .. } = prepared;
        let (setup, scenario) = (&session.setup, &session.scenario);
        let precision = session.precision();
        let mut record = RunRecord::start(&setup.title, provenance::program(), precision, session.scenario_hash);
        // A scenario named without a folder is in the working directory.
        let origin = Path::new(".").join(&scenario.folder);
        let origin = std::path::absolute(&origin).unwrap_or(origin);
        record.files = setup.files.clone();
        record.figure(SCENARIO_FOLDER, origin.display().to_string());
        record.figure("warnings", setup.warnings.clone());
        folder.file(SCENARIO_FILE)?;
        record.keep_scenario(folder.path(), SCENARIO_FILE, &scenario.kept())?;
        preflight.note(&mut record);
        record.write(folder.path())?;
        let store = CheckpointStore::open(&folder.checkpoints(), session.scenario_hash)?;
        let output = Output { folder: Arc::new(folder), record, files: Vec::new() };
        Ok(Self { output, store, films: None, report: None })
    }

    /// Restores a simulation from the newest intact checkpoint, if there is one.
    ///
    /// # Errors
    /// A checkpoint of another scenario, or no intact checkpoint.
    pub fn restore(&self, simulation: &mut Simulation, watch: &mut dyn Watch) -> Result<(), Error> {
        let mut damaged = Vec::new();
        for path in self.store.paths()? {
            let opened = self.store.checkpoint(&path).map_err(Error::from);
            match opened.and_then(|checkpoint| simulation.restore_file(&checkpoint).map(|()| checkpoint.step())) {
                Ok(step) => {
                    watch.message(&format!("resuming after step {step}"));
                    return Ok(());
                }
                Err(Error::Run(error @ RunError::DamagedCheckpoint { .. })) => {
                    watch.message(&format!("skipped: {error}"));
                    damaged.push(error.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        if damaged.is_empty() { Ok(()) } else { Err(self.store.none_intact(&damaged).into()) }
    }

    /// Warnings about files that overwriting left.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.output.folder.warnings()
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        self.output.folder.path()
    }

    /// The report of the run if it has ended without an error.
    pub fn report(self) -> Option<RunReport> {
        self.report
    }

    /// Records the error of a run.
    pub(crate) fn failed(&mut self, stages: &Stages, error: &Error) {
        let Output { folder, record, .. } = &mut self.output;
        record.finish(RunStatus::Failed, stages, Some(error.to_string()));
        // A failure to write the record is the lesser problem.
        let _ = record.write_even_if_full(folder.path());
    }

    /// Completes the record and summarises the run.
    fn finished(&mut self, status: RunStatus, simulation: &Simulation) -> Result<(), Error> {
        let Output { folder, record, files } = &mut self.output;
        let stages = simulation.stages();
        let (unit, count) = simulation.preflight().extent.units();
        let rate = count as f64 * simulation.marched() as f64 / stages.seconds("time loop");
        if status == RunStatus::Complete {
            record.figure(&format!("{unit}_per_s"), rate);
            let results = OutputDirectory::results(folder.path())?;
            simulation.marching().workers().run(|| checksums::note(record, folder.path(), results))?;
        }
        record.finish(status, stages, None);
        record.write(folder.path())?;
        if status == RunStatus::Complete {
            CheckpointStore::clear(&folder.checkpoints())?;
        }
        self.report = Some(RunReport {
            status,
            stages: stages.clone(),
            rate,
            unit,
            directory: folder.path().to_owned(),
            files: std::mem::take(files),
        });
        Ok(())
    }
}

impl Watch for ResultsFolder {}

impl Sink for ResultsFolder {
    fn start(&mut self, simulation: &Simulation) -> Result<(), Error> {
        let setup = simulation.setup();
        pictures::model(setup, &mut self.output)?;
        chunk_map::draw(setup, &mut self.output)?;
        let series = simulation.marching().series().into_iter().map(|(name, shown, _)| (name, shown));
        self.films = Some(Films::open(&self.output.folder, series.collect())?);
        Ok(())
    }

    fn snapshot(&mut self, frame: &Frame) -> Result<(), Error> {
        self.films.as_mut().expect("a simulation starts before its first frame").write(frame)
    }

    fn checkpoint(&mut self, state: &mut dyn State) -> Result<(), Error> {
        let arrays = state.arrays();
        let section = |StateArray { name, shape, blocks }: &StateArray| match state.is_double() {
            true => SectionForm::new::<f64>(name, shape, blocks),
            false => SectionForm::new::<f32>(name, shape, blocks),
        };
        let sections: Vec<SectionForm> = arrays.iter().map(section).collect();
        let mut draft = self.store.draft(state.step(), &sections)?;
        let positions =
            |section| draft.blocks(section).iter().map(|block| FileBlock { position: block.position, hash: 0 });
        let blocks = (0..arrays.len()).map(|section| positions(section).collect()).collect();
        let hashes = state.save_to(&StateFile { path: draft.path().to_owned(), blocks })?;
        hashes.iter().enumerate().for_each(|(section, hashes)| draft.note(section, hashes));
        for section in hashes.len()..arrays.len() {
            let (mut blocks, mut written) = (0.., Ok(()));
            state.read(section, &mut |values| {
                let block = blocks.next().expect("an endless range");
                let now = match values {
                    Values::Single(values) => draft.write(section, block, values),
                    Values::Double(values) => draft.write(section, block, values),
                };
                written = std::mem::replace(&mut written, Ok(())).and(now);
            })?;
            written?;
        }
        draft.finish()?;
        Ok(())
    }

    fn traces(&mut self, setup: &Setup, traces: &[Trace]) -> Result<(), Error> {
        write_seismograms(setup, traces, &mut self.output)
    }

    fn finish(&mut self, simulation: &Simulation) -> Result<(), Error> {
        let Some(films) = &self.films else { return Ok(()) };
        let (setup, marching) = (simulation.setup(), simulation.marching());
        let series = marching.series();
        let sheet = |number| marching.sheet(number, setup);
        let drawn = films.finish(setup, marching.workers(), simulation.cancel(), |number| series[number].2, sheet)?;
        self.output.files.extend(drawn);
        Ok(())
    }

    fn ended(&mut self, simulation: &Simulation, outcome: Result<RunStatus, &Error>) -> Result<(), Error> {
        match outcome {
            Ok(status) => self.finished(status, simulation),
            Err(error) => {
                self.failed(simulation.stages(), error);
                Ok(())
            }
        }
    }
}
