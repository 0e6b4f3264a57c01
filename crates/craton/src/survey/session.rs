//! The session of a command on a survey, in its results folder.

mod planning;

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use craton_comm::Ranks;
use craton_device::Workers;
use craton_run::journal::Journal;
use craton_run::preflight::require_disk;
use craton_run::{
    Bytes, Cancel, OutputDirectory, Progress, ProgressMode, Room, RunRecord, RunStatus, Stages, WorkPlan,
};

use super::SurveyFile;
use super::completion::{Completion, CompletionContext, complete, failed_shots, reopen_unlisted, retry_failed};
use super::ending::{Ending, WorkerSummary, leave};
use super::report::SurveyReport;
use super::setup::Setup;
use super::shot_devices::ShotDevices;
use super::shots::Shots;
use super::workers::{Job, work};
use super::{pictures, report};
use crate::checksums;
use crate::error::{Error, SurveyError};
use crate::look_ahead::LookAhead;
use crate::options::{CheckOptions, RunOptions};
use crate::provenance;
use crate::sharing::{alone, forget, share};

pub use planning::{FilePlan, SurveyPlan, identity as identity_of};

/// Name of the copy of the survey in the results folder.
const SURVEY_FILE: &str = "survey.toml";

/// The session of a command.
pub struct Session {
    pub setup: Setup,
    pub devices: ShotDevices,
    pub stages: Stages,
    file: SurveyFile,
    room: Room,
    progress: ProgressMode,
    pub cancel: Cancel,
    ranks: Arc<dyn Ranks>,
    overwrite: bool,
    retry_failed: bool,
}

impl Session {
    /// A session that computes.
    ///
    /// # Errors
    /// Any problem of the survey, or a missing device.
    pub fn new(file: SurveyFile, options: &RunOptions, ranks: &Arc<dyn Ranks>) -> Result<Self, Error> {
        let mut session = Self::of(file, options, ranks)?;
        session.overwrite = options.overwrite;
        session.retry_failed = options.retry_failed;
        session.cancel = options.cancel.clone().unwrap_or_default();
        session.progress = options.progress.filter(|_| ranks.is_root()).unwrap_or(ProgressMode::Silent);
        Ok(session)
    }

    /// A session for a preview.
    ///
    /// # Errors
    /// As [`Session::new`].
    pub fn for_check(file: SurveyFile, options: &CheckOptions) -> Result<Self, Error> {
        let CheckOptions { overrides, device, devices, threads, .. } = options.clone();
        let options = RunOptions { overrides, device, devices, threads, ..RunOptions::default() };
        let alone: Arc<dyn Ranks> = Arc::new(craton_comm::Solo);
        Self::of(file, &options, &alone)
    }

    fn of(file: SurveyFile, options: &RunOptions, ranks: &Arc<dyn Ranks>) -> Result<Self, Error> {
        let mut stages = Stages::new();
        let mut setup = stages.time("survey", || Setup::new(&file))?;
        options.computing().apply_to(&mut setup.device, &mut setup.devices, &mut setup.threads)?;
        let devices = ShotDevices::find(&setup, &**ranks)?;
        Ok(Self {
            room: Room::look(devices.threads(), devices.processes()),
            setup,
            devices,
            stages,
            file,
            progress: ProgressMode::Silent,
            cancel: Cancel::new(),
            ranks: Arc::clone(ranks),
            overwrite: false,
            retry_failed: false,
        })
    }

    /// Describes the survey.
    pub fn look_ahead(&self, plan: &SurveyPlan) -> LookAhead {
        report::look_ahead(self, plan)
    }

    /// Computes the remaining shots; the first rank completes the file and has a report.
    ///
    /// # Errors
    /// A folder with other contents, a full disk, or a lost device.
    pub fn run(mut self, plan: &SurveyPlan) -> Result<Option<SurveyReport>, Error> {
        let folder = self.open_folder(plan)?;
        let journal = || Ok::<_, Error>(Journal::open(&folder.journal(), plan.identity, plan.order.len() as u32)?);
        let overseer = journal()?;
        let reopened = self.begin_files(plan, &folder, &overseer)?;
        self.setup.warnings.extend(folder.warnings().into_iter().chain(reopened));
        let progress = Mutex::new(self.progress(plan, overseer.summary()?.done));
        if self.retry_failed {
            let context = CompletionContext { cancel: &self.cancel, progress: &progress };
            retry_failed(plan, &folder, &overseer, &context, &*self.ranks)?;
        }
        let mut record = self.begin_record(plan, &folder)?;
        let shots = shots(&self.setup, plan, &folder, &self.cancel);
        let pieces: Vec<_> = plan.order.iter().map(|&shot| &self.setup.survey.shots()[shot]).collect();
        let job = Job { shots: &shots, pieces: &pieces, output: &plan.gathers, one_kind: self.setup.reproducible };
        let (mut workers_summary, mut stages) = (WorkerSummary::default(), std::mem::take(&mut self.stages));
        let workers = || self.devices.workers(&shots, &plan.largest, plan.channels, journal);
        let outcome = loop {
            if self.cancel.is_cancelled() {
                break Ok(Ending::Interrupted);
            }
            if plan.gathers.is_complete() {
                break Ok(Ending::WasComplete);
            }
            let ended = stages.time("shots", || work(&job, &mut workers()?, &progress));
            let after = ended.and_then(|ended| {
                workers_summary.add(ended);
                self.after(plan, &folder, &overseer, &workers_summary, &progress, &mut stages)
            });
            match after {
                Ok(None) => {}
                Ok(Some(ending)) => break Ok(ending),
                // Another process has completed the file in the meantime.
                Err(Error::Survey(SurveyError::LostOutput { .. })) if plan.gathers.is_complete() => {
                    break Ok(Ending::WasComplete);
                }
                Err(error) => break Err(error),
            }
        };
        self.stages = stages;
        progress.into_inner().expect("no thread panics").finish(u64::from(overseer.summary()?.done));
        if !self.ranks.is_root() {
            return outcome.map(|_| None);
        }
        let ending = outcome.inspect_err(|error| {
            record.finish(RunStatus::Failed, &self.stages, Some(error.to_string()));
            leave(&record, &folder);
        })?;
        self.report(plan, &folder, &overseer, record, ending, workers_summary).map(Some)
    }

    /// The next action when no worker of this process computes: the end, or `None` if there is more to compute.
    fn after(
        &self,
        plan: &SurveyPlan,
        folder: &OutputDirectory,
        journal: &Journal,
        workers_summary: &WorkerSummary,
        progress: &Mutex<Progress>,
        stages: &mut Stages,
    ) -> Result<Option<Ending>, Error> {
        if workers_summary.stopped {
            return Ok(Some(Ending::Interrupted));
        }
        if !self.ranks.is_root() {
            // The first rank completes the file.
            return Ok(Some(Ending::WasComplete));
        }
        let workers = Workers::new(Some(self.devices.threads()))?;
        let context = CompletionContext { cancel: &self.cancel, progress };
        match stages.time("gathers", || complete(plan, folder, journal, &context, &workers))? {
            Completion::Stopped => Ok(Some(Ending::Interrupted)),
            Completion::Done { now } => Ok(Some(if now { Ending::Completed } else { Ending::WasComplete })),
            // Shots with wrong checksums are recomputed, here or by other processes.
            Completion::Damaged => Ok(None),
            Completion::Left if workers_summary.lost.is_empty() => Ok(None),
            Completion::Left => Err(SurveyError::ShotsLeft { reason: workers_summary.lost[0].1.clone() }.into()),
        }
    }

    fn progress(&self, plan: &SurveyPlan, done: u32) -> Progress {
        let shots = plan.order.len() as f64;
        let pieces = WorkPlan {
            piece: "shot",
            first: u64::from(done),
            total: plan.order.len() as u64,
            times: None,
            units: ("points", plan.points / shots * plan.grids.axis.steps as f64),
        };
        let mut progress = Progress::new(pieces, self.progress);
        progress.message(&format!("computing on {}", self.devices.name()));
        self.setup.warnings.iter().for_each(|warning| progress.message(&format!("warning: {warning}")));
        progress
    }

    /// Opens the folder, if there is enough space for the results.
    fn open_folder(&self, plan: &SurveyPlan) -> Result<OutputDirectory, Error> {
        let path = &self.setup.output.directory;
        share(path, self.overwrite, plan.identity, &*self.ranks, || {
            if self.overwrite || !(plan.gathers.is_begun() || plan.gathers.is_complete()) {
                // Overwriting removes the earlier results.
                let removed = if self.overwrite { OutputDirectory::bytes(path)? } else { 0 };
                require_disk(path, Bytes(plan.gathers.bytes() + plan.frames.bytes()), Bytes(removed))?;
            }
            Ok(())
        })
    }

    /// Prepares the gather files.
    ///
    /// # Returns
    /// A warning about complete files that the journal does not list.
    fn begin_files(
        &self,
        plan: &SurveyPlan,
        folder: &OutputDirectory,
        journal: &Journal,
    ) -> Result<Option<String>, Error> {
        let _alone = alone(folder)?;
        let warning = match plan.gathers.is_complete() {
            true => reopen_unlisted(&self.setup, plan, journal, &self.cancel)?,
            false => None,
        };
        if !plan.gathers.is_complete() && !plan.gathers.is_begun() {
            // The shots of lost files must be recomputed.
            forget(journal, 0..plan.order.len())?;
            for name in plan.gathers.names() {
                folder.file(name)?;
            }
            plan.gathers.begin()?;
        }
        Ok(warning)
    }

    /// Writes a record of a running survey.
    fn begin_record(&self, plan: &SurveyPlan, folder: &OutputDirectory) -> Result<RunRecord, Error> {
        let mut record = RunRecord::start(&self.setup.title, provenance::program(), "f32", plan.identity);
        record.files = self.setup.files.clone();
        record.figure("warnings", self.setup.warnings.clone());
        report::note(&mut record, &self.setup, plan);
        if self.ranks.is_root() && !plan.gathers.is_complete() {
            folder.file(SURVEY_FILE)?;
            record.keep_scenario(folder.path(), SURVEY_FILE, &self.file.kept())?;
            record.write(folder.path())?;
        }
        Ok(record)
    }

    /// Summarises the survey, and draws the pictures.
    fn report(
        mut self,
        plan: &SurveyPlan,
        folder: &OutputDirectory,
        journal: &Journal,
        mut record: RunRecord,
        ending: Ending,
        workers_summary: WorkerSummary,
    ) -> Result<SurveyReport, Error> {
        let failed = failed_shots(&self.setup, plan, journal)?;
        let status = if ending == Ending::Interrupted { RunStatus::Interrupted } else { RunStatus::Complete };
        record.figure("shots_failed", failed.len());
        let summary = journal.summary()?;
        report::note_shares(&mut record, &workers_summary.shares, &summary);
        let without: Vec<u32> = failed.iter().map(|shot| shot.number).collect();
        if ending == Ending::Completed {
            checksums::note(&mut record, folder.path(), plan.frames.files(&without))?;
        }
        record.finish(status, &self.stages, None);
        if ending != Ending::WasComplete {
            leave(&record, folder);
        }
        let is_only_found = ending == Ending::WasComplete && workers_summary.shares.is_empty();
        // The process that completes the file draws the pictures, and so does a later one.
        let (files, warning) = match ending == Ending::Completed || is_only_found {
            true => self.draw(plan, &without, folder)?,
            false => (Vec::new(), None),
        };
        Ok(SurveyReport {
            status,
            stages: self.stages,
            shares: workers_summary.shares,
            lost: workers_summary.lost,
            shots: plan.order.len(),
            done: summary.done as usize,
            done_on: report::done_on(&summary),
            failed,
            was_complete: is_only_found,
            gathers: plan.gathers.path().to_owned(),
            directory: folder.path().to_owned(),
            files,
            warning,
        })
    }

    /// Draws all pictures.
    ///
    /// # Arguments
    /// * `without` – numbers of the failed shots
    /// # Returns
    /// The files, and a warning if the user has interrupted the program.
    fn draw(
        &mut self,
        plan: &SurveyPlan,
        without: &[u32],
        folder: &OutputDirectory,
    ) -> Result<(Vec<String>, Option<String>), Error> {
        let workers = Workers::new(Some(self.devices.threads()))?;
        let draw = || {
            let mut drawn = pictures::draw(&self.setup, plan, without, folder, &self.cancel)?;
            drawn.extend(plan.frames.finish(&self.setup.title, without, &workers, folder, &self.cancel)?);
            Ok::<_, Error>(drawn)
        };
        match self.stages.time("pictures", draw) {
            Ok(drawn) => Ok((drawn, None)),
            Err(error) if error.is_stop() => Ok((Vec::new(), Some(format!("cannot draw the pictures: {error}")))),
            Err(error) => Err(SurveyError::Pictures { error: Box::new(error) }.into()),
        }
    }
}

/// The input of the shots.
fn shots<'a>(setup: &'a Setup, plan: &'a SurveyPlan, folder: &'a OutputDirectory, cancel: &'a Cancel) -> Shots<'a> {
    Shots {
        grids: &plan.grids,
        clock: &plan.clock,
        source: setup.source,
        quantities: &setup.heard,
        frames: &plan.frames,
        folder: Some(folder),
        cancel,
        halt: AtomicBool::new(false),
    }
}
