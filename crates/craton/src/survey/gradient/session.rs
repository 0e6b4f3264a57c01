//! The command `craton survey --gradient`, in its own results folder.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;

use craton_acquisition::survey::Shot;
use craton_comm::Solo;
use craton_device::Workers;
use craton_run::journal::{Journal, Status};
use craton_run::preflight::require_disk;
use craton_run::{Bytes, OutputDirectory, Progress, Room, RunRecord, RunStatus, Stages, WorkPlan};

use super::engine::Target;
use super::files::{self, ShotGradients};
use super::observed::{ExpectedGathers, refuse};
use super::observed_file::ObservedFile;
use super::report::{self, GradientReport};
use super::{Comparison, GradientOptions, MisfitAndGradient, ModelGradient, SurveyGradient, check, every};
use crate::error::{Error, SurveyError};
use crate::inputs::hash_of;
use crate::options::RunOptions;
use crate::provenance;
use crate::sharing::{Settled, alone, forget, settled, share};
use crate::survey::SurveyFile;
use crate::survey::ending::leave;
use crate::survey::frames::Frames;
use crate::survey::grid::Grids;
use crate::survey::report::FailedShot;
use crate::survey::session::identity_of;
use crate::survey::setup::Setup;
use crate::survey::shot_devices::{Computer, ShotDevices};
use crate::survey::shots::Shots;
use crate::survey::time_axis::Clock;
use crate::survey::workers::{Ended, Job, Worker, work};

/// Name of the copy of the survey in the results folder.
const SURVEY_FILE: &str = "survey.toml";

/// Computes the gradient of the misfit between a survey and observed gathers, or continues: into the folder of the survey with `_gradient` appended.
///
/// Several processes may share the shots, as those of a survey.
///
/// # Arguments
/// * `observed` – file of the observed gathers, or results folder with one
/// # Errors
/// Any problem of the survey, its files or the observed gathers; a full disk.
pub fn survey_gradient(
    file: &Path,
    observed: &Path,
    options: &GradientOptions,
    run: &RunOptions,
) -> Result<GradientReport, Error> {
    let mut session = Session::new(SurveyFile::read(file, &run.overrides)?, observed, *options, run)?;
    session.run(run)
}

struct Session {
    file: SurveyFile,
    setup: Setup,
    options: GradientOptions,
    devices: ShotDevices,
    grids: Grids,
    clock: Clock,
    observed: ObservedFile,
    /// The shots by number.
    order: Vec<usize>,
    directory: PathBuf,
    identity: u64,
    stages: Stages,
}

impl Session {
    fn new(file: SurveyFile, observed: &Path, options: GradientOptions, run: &RunOptions) -> Result<Self, Error> {
        let mut stages = Stages::new();
        let mut setup = stages.time("survey", || Setup::new(&file))?;
        run.computing().apply_to(&mut setup.device, &mut setup.devices, &mut setup.threads)?;
        check(&setup, &options)?;
        let mut devices = ShotDevices::find(&setup, &Solo)?;
        devices.without_additional_cores();
        let workers = Workers::new(Some(devices.threads()))?;
        let room = Room::look(devices.threads(), devices.processes());
        let grids = stages.time("model", || Grids::new(&setup, &workers, &room))?;
        grids.check().map_err(|problem| file.refuse(vec![*problem]))?;
        setup.warnings.extend(grids.warnings(&setup));
        let clock = Clock::new(&grids.axis, &setup.sent, setup.amplitude)?;
        let observed =
            stages.time("observed gathers", || ObservedFile::open(observed, &ExpectedGathers::new(&setup, &grids)))?;
        let hash = hash_of(observed.path()).map_err(|error| refuse(observed.path().display(), error.to_string()))?;
        setup.files.insert("observed gathers".to_owned(), format!("{hash:016x}"));
        let kind = format!("gradient {} {} {}", options.misfit.name(), options.density, options.exact);
        setup.files.insert("options".to_owned(), kind);
        let identity = identity_of(&file, &setup);
        setup.files.remove("options");
        let mut order: Vec<usize> = (0..setup.survey.shots().len()).collect();
        order.sort_by_key(|&shot| setup.survey.shots()[shot].number);
        let directory = beside(&setup.output.directory);
        Ok(Self { file, setup, options, devices, grids, clock, observed, order, directory, identity, stages })
    }

    /// The shots by number.
    fn pieces(&self) -> Vec<&Shot> {
        self.order.iter().map(|&shot| &self.setup.survey.shots()[shot]).collect()
    }

    fn run(&mut self, run: &RunOptions) -> Result<GradientReport, Error> {
        let like = ModelGradient::zeros(&self.setup, &self.options);
        let parts = ShotGradients::new(&self.directory, self.order.len(), &like);
        let folder = share(&self.directory, run.overwrite, self.identity, &Solo, || {
            let needed = if parts.is_begun() { 0 } else { parts.bytes() };
            Ok(require_disk(&self.directory, Bytes(needed), Bytes(0))?)
        })?;
        let journal = Journal::open(&folder.journal(), self.identity, self.order.len() as u32)?;
        if let Some(report) = self.finished(&parts, &folder) {
            return Ok(report);
        }
        if run.retry_failed {
            let states = journal.states()?;
            forget(&journal, (0..states.len()).filter(|&piece| states[piece].status == Status::Failed))?;
        }
        let mut record = self.begin(&parts, &folder, &journal)?;
        let status = self.compute(&parts, &folder, &journal, run)?;
        let failed = self.failed(&journal)?;
        let mut report = self.report(status, journal.summary()?.done as usize, &folder);
        report.failed = failed;
        if let Some(finished) = self.finished(&parts, &folder) {
            // Another process has completed the gradient in the meantime.
            return Ok(finished);
        }
        if report.is_whole() {
            let (misfit, files) = self.complete(&parts, &folder, &journal)?;
            record.figure("misfit", misfit);
            record.figure("files", files.clone());
            (report.misfit, report.files) = (Some((self.options.misfit, misfit)), files);
        }
        record.figure("misfit_kind", self.options.misfit.name());
        record.figure("shots_failed", report.failed.len());
        record.finish(status, &self.stages, None);
        leave(&record, &folder);
        if report.misfit.is_some() {
            parts.remove()?;
        }
        report.stages = std::mem::take(&mut self.stages);
        Ok(report)
    }

    fn report(&self, status: RunStatus, done: usize, folder: &OutputDirectory) -> GradientReport {
        GradientReport {
            status,
            stages: Stages::new(),
            shots: [self.order.len(), done],
            failed: Vec::new(),
            misfit: None,
            lines: self.lines(),
            directory: folder.path().to_owned(),
            files: Vec::new(),
        }
    }

    /// The report of a gradient that is complete already.
    fn finished(&self, parts: &ShotGradients, folder: &OutputDirectory) -> Option<GradientReport> {
        let record = RunRecord::read(folder.path()).ok().filter(|record| record.status == RunStatus::Complete)?;
        let misfit = record.figures.get("misfit")?.as_f64().filter(|_| !parts.is_begun())?;
        let files = record.figures.get("files")?.as_array()?.iter();
        let files: Vec<String> = files.filter_map(|file| file.as_str().map(str::to_owned)).collect();
        if files.iter().any(|file| !folder.path().join(file).is_file()) {
            return None;
        }
        let report = self.report(RunStatus::Complete, self.order.len(), folder);
        Some(GradientReport { misfit: Some((self.options.misfit, misfit)), files, ..report })
    }

    /// Prepares the file of the shots, and writes a record of a running computation.
    fn begin(&self, parts: &ShotGradients, folder: &OutputDirectory, journal: &Journal) -> Result<RunRecord, Error> {
        let _alone = alone(folder)?;
        if !parts.is_begun() {
            // The shots of a lost file must be recomputed.
            forget(journal, 0..self.order.len())?;
            folder.file(ShotGradients::NAME)?;
            parts.begin()?;
        }
        let mut record = RunRecord::start(&self.setup.title, provenance::program(), "f32", self.identity);
        record.files = self.setup.files.clone();
        record.figure("warnings", self.setup.warnings.clone());
        record.figure("device", self.devices.name());
        record.figure("shots", self.order.len());
        record.figure("dt_s", self.grids.axis.dt);
        record.figure("steps", self.grids.axis.steps);
        folder.file(SURVEY_FILE)?;
        record.keep_scenario(folder.path(), SURVEY_FILE, &self.file.kept())?;
        record.write(folder.path())?;
        Ok(record)
    }

    /// Computes the remaining shots.
    fn compute(
        &mut self,
        parts: &ShotGradients,
        folder: &OutputDirectory,
        journal: &Journal,
        run: &RunOptions,
    ) -> Result<RunStatus, Error> {
        let cancel = run.cancel.clone().unwrap_or_default();
        let mut stages = std::mem::take(&mut self.stages);
        let frames = Frames::new(&self.setup, &self.grids, &[]);
        let shots = Shots {
            grids: &self.grids,
            clock: &self.clock,
            source: self.setup.source,
            quantities: &self.setup.heard,
            frames: &frames,
            folder: None,
            cancel: &cancel,
            halt: AtomicBool::new(false),
        };
        let target =
            Target::new((&self.setup, &self.grids, &self.clock), Comparison::Gathers(&self.observed), self.options)?;
        let pieces = self.pieces();
        let job: Job<MisfitAndGradient> =
            Job { shots: &shots, pieces: &pieces, output: parts, one_kind: self.setup.reproducible };
        let progress = Mutex::new(self.progress(journal.summary()?.done, run));
        let status = stages.time("shots", || {
            let mut workers = self.workers(&shots, &target, folder)?;
            until_settled(journal, || work(&job, &mut workers, &progress))
        });
        let done = journal.summary()?.done;
        progress.into_inner().expect("no thread panics").finish(u64::from(done));
        self.stages = stages;
        status
    }

    fn workers<'a>(
        &self,
        shots: &'a Shots<'a>,
        target: &'a Target<'a>,
        folder: &OutputDirectory,
    ) -> Result<Vec<Worker<'a, MisfitAndGradient>>, Error> {
        let with_journal = |computer: Computer<'a, MisfitAndGradient>| {
            let journal = Journal::open(&folder.journal(), self.identity, self.order.len() as u32)?;
            Ok(Worker { computer, journal })
        };
        self.devices.gradient_computers(shots, target)?.into_iter().map(with_journal).collect()
    }

    fn progress(&self, done: u32, run: &RunOptions) -> Progress {
        let shots = self.setup.survey.shots();
        let points = shots.iter().map(|shot| self.grids.points(&self.grids.window(shot)) as f64).sum::<f64>();
        let pieces = WorkPlan {
            piece: "shot",
            first: u64::from(done),
            total: shots.len() as u64,
            times: None,
            units: ("points", points / shots.len() as f64 * self.grids.axis.steps as f64),
        };
        let mut progress = Progress::new(pieces, run.progress.unwrap_or(craton_run::ProgressMode::Silent));
        progress.message(&format!("computing gradients on {}", self.devices.name()));
        self.setup.warnings.iter().for_each(|warning| progress.message(&format!("warning: {warning}")));
        progress
    }

    fn failed(&self, journal: &Journal) -> Result<Vec<FailedShot>, Error> {
        let states = journal.states()?;
        let failed = states.iter().zip(self.pieces()).filter(|(state, _)| state.status == Status::Failed);
        let failed = failed.map(|(state, shot)| FailedShot {
            number: shot.number,
            reason: state.failures.last().map_or_else(String::new, |failure| failure.reason.clone()),
        });
        Ok(failed.collect())
    }

    /// Description of the computation.
    fn lines(&self) -> Vec<String> {
        let of_steps = match every(&self.clock, &self.options) {
            Ok(every) if every > 1 => {
                format!("forward fields of every {every} steps (twice the Nyquist rate of the source)")
            }
            _ => "forward fields of all steps (exact gradient of the scheme)".to_owned(),
        };
        vec![of_steps]
    }

    /// Sums the gradients of all shots, and writes the results. Returns the misfit and the files.
    fn complete(
        &mut self,
        parts: &ShotGradients,
        folder: &OutputDirectory,
        journal: &Journal,
    ) -> Result<(f64, Vec<String>), Error> {
        let mut stages = std::mem::take(&mut self.stages);
        let found = stages.time("sum", || {
            let _alone = alone(folder)?;
            let Some(Settled { done, .. }) = settled(journal)? else {
                return Err(SurveyError::ShotsLeft { reason: "another process computes them".to_owned() }.into());
            };
            let numbers: Vec<u32> = self.pieces().iter().map(|shot| shot.number).collect();
            match parts.sum(&done, &numbers)? {
                Ok(found) => Ok(found),
                Err(damaged) => {
                    forget(journal, damaged)?;
                    Err(SurveyError::DamagedGradients.into())
                }
            }
        });
        let found: Result<SurveyGradient, Error> = found;
        let found = found?;
        let files = stages.time("files", || self.write(folder, &found))?;
        self.stages = stages;
        Ok((found.total.misfit, files))
    }

    fn write(&self, folder: &OutputDirectory, found: &SurveyGradient) -> Result<Vec<String>, Error> {
        let mut written = vec![files::write_misfits(folder, &found.misfits)?];
        let gradient = &found.total.gradient;
        let of = self.setup.fluid.grids_of(&self.file.config.model);
        let all = [("velocity", "vp", "1/(m/s)", &gradient.velocity), ("density", "rho", "m3/kg", &gradient.density)];
        for ((file, sampled), (name, symbol, unit, values)) in of.into_iter().zip(all) {
            if values.is_empty() {
                continue;
            }
            let name = format!("gradient_{name}");
            written.push(files::write(folder, &name, (file, sampled), values)?);
            let quantity = format!("dJ/d{symbol}");
            let shown = (sampled, &*quantity, unit);
            let picture = format!("{name}.png");
            written.push(report::draw(&self.setup, &self.pieces(), shown, values, (folder, &picture))?);
        }
        Ok(written)
    }
}

/// The folder of the gradient of a survey: that of the survey with `_gradient` appended.
fn beside(directory: &Path) -> PathBuf {
    // Without a slash at the end.
    let mut directory = directory.components().collect::<PathBuf>().into_os_string();
    directory.push("_gradient");
    directory.into()
}

/// Works until no shot is left, or the user interrupts.
fn until_settled(journal: &Journal, mut work: impl FnMut() -> Result<Ended, Error>) -> Result<RunStatus, Error> {
    loop {
        let ended = work()?;
        if ended.stopped {
            return Ok(RunStatus::Interrupted);
        }
        if settled(journal)?.is_some() {
            return Ok(RunStatus::Complete);
        }
        if let Some((_, error)) = ended.lost.into_iter().next() {
            return Err(SurveyError::ShotsLeft { reason: error.to_string() }.into());
        }
    }
}
