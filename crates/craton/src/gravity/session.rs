//! The session of a command on a gravity problem, in its results folder.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use craton_comm::Ranks;
use craton_device::Workers;
use craton_gravity::Fields;
use craton_run::journal::{ClaimRequest, ClaimResult, Done, Journal};
use craton_run::preflight::require_disk;
use craton_run::{
    Bytes, Cancel, OutputDirectory, Progress, ProgressMode, RunError, RunRecord, RunStatus, Stages, WorkPlan,
};

use super::columns::{columns, fields_of};
use super::of_scenario::set_up;
use super::report::GravityReport;
use super::setup::Setup;
use super::sums::Sums;
use super::values::{NAME as VALUES, Values};
use super::{GravityFile, PROBLEM_FILE, changes, disk, finished, report, results};
use crate::comm::together;
use crate::device::{LocalRank, kind_name};
use crate::error::{Error, GravityFailure};
use crate::look_ahead::LookAhead;
use crate::options::{CheckOptions, RunOptions};
use crate::provenance;
use crate::sharing::{Settled, alone, forget, settled, share};

/// Interval at which a process checks for pieces that others hold.
const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// Interval of progress messages within a long piece.
const MESSAGE_INTERVAL: Duration = Duration::from_secs(5);

/// The session of a command.
pub struct Session {
    pub setup: Setup,
    pub stages: Stages,
    pub fields: Fields,
    pub workers: Workers,
    pub file: GravityFile,
    place: LocalRank,
    progress: ProgressMode,
    cancel: Cancel,
    ranks: Arc<dyn Ranks>,
    overwrite: bool,
}

/// The task of a session.
struct Job<'a> {
    sums: &'a Sums<'a>,
    values: &'a Values,
    journal: &'a Journal,
    folder: &'a OutputDirectory,
    /// Hash of the problem.
    identity: u64,
}

impl Session {
    /// A session that computes.
    ///
    /// # Errors
    /// Any problem of the problem file.
    pub fn new(file: &Path, options: &RunOptions, ranks: &Arc<dyn Ranks>) -> Result<Self, Error> {
        let mut session = Self::of(file, options, ranks)?;
        session.overwrite = options.overwrite;
        session.cancel = options.cancel.clone().unwrap_or_default();
        session.progress = options.progress.filter(|_| ranks.is_root()).unwrap_or(ProgressMode::Silent);
        Ok(session)
    }

    /// A session for a preview.
    ///
    /// # Errors
    /// As [`Session::new`].
    pub fn for_check(file: &Path, options: &CheckOptions) -> Result<Self, Error> {
        let CheckOptions { overrides, device, devices, threads, .. } = options.clone();
        let options = RunOptions { overrides, device, devices, threads, ..RunOptions::default() };
        let alone: Arc<dyn Ranks> = Arc::new(craton_comm::Solo);
        Self::of(file, &options, &alone)
    }

    fn of(file: &Path, options: &RunOptions, ranks: &Arc<dyn Ranks>) -> Result<Self, Error> {
        let mut stages = Stages::new();
        let (file, mut setup) = stages.time("bodies", || set_up(file, &options.overrides))?;
        options.computing().apply_to(&mut setup.device, &mut setup.devices, &mut setup.threads)?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let place = LocalRank::new(&**ranks)?;
        let own = (cores / place.on_same_cores).max(1);
        Ok(Self {
            fields: fields_of(&setup.quantities),
            workers: Workers::new(Some(setup.threads.unwrap_or(own)))?,
            setup,
            stages,
            place,
            file,
            progress: ProgressMode::Silent,
            cancel: Cancel::new(),
            ranks: Arc::clone(ranks),
            overwrite: false,
        })
    }

    /// Describes the computation.
    ///
    /// # Errors
    /// Insufficient memory, or an algorithm that is not applicable.
    pub fn look_ahead(&self) -> Result<LookAhead, Error> {
        let begun = Instant::now();
        let sums = Sums::new(&self.setup, self.fields, &self.workers, self.place, &self.cancel)?;
        sums.prepare(&self.cancel).expect("a preview is never interrupted");
        report::look_ahead(self, &sums, self.stages.total_seconds() + begun.elapsed().as_secs_f64())
    }

    /// Host memory of the sums, after a check that it is available.
    pub fn room(&self, sums: &Sums) -> Result<Bytes, Error> {
        let needed = Bytes(sums.bytes());
        self.setup.room.require(needed)?;
        Ok(needed)
    }

    /// Upper bound of the size of the results.
    pub fn disk(&self, values: &Values) -> Bytes {
        disk::bytes(&self.setup, values, &self.file.kept())
    }

    /// Computes the remaining pieces; the first rank writes the results and has a report.
    ///
    /// # Errors
    /// A folder with other contents, or a full disk.
    pub fn run(mut self) -> Result<Option<GravityReport>, Error> {
        let mut stages = std::mem::take(&mut self.stages);
        let ready = || Sums::new(&self.setup, self.fields, &self.workers, self.place, &self.cancel);
        let sums = together(&*self.ranks, stages.time("way", ready))?;
        self.room(&sums)?;
        sums.room_on_gpus()?;
        let values = Values::new(&self.setup.output.directory, self.fields, sums.pieces());
        let identity = changes::identity(&self.file, &self.setup);
        let folder = self.open_folder(identity, &values)?;
        let missing = match self.ranks.is_root() {
            true => finished::write_missing(&self.setup, &folder, identity, &mut stages, &self.cancel),
            false => Ok(Vec::new()),
        };
        let format_warnings = together(&*self.ranks, missing)?;
        if let Some(record) = finished::record(&self.setup, folder.path(), identity) {
            let report = self.report(RunStatus::Complete, stages, &folder, &record);
            let warnings = report.warnings.into_iter().chain(sums.without_single()).chain(sums.on_faces());
            let report =
                GravityReport { was_complete: true, warnings: warnings.chain(format_warnings).collect(), ..report };
            return Ok(self.ranks.is_root().then_some(report));
        }
        let journal = self.open_journal(&folder, identity, &sums, &values)?;
        let job = Job { sums: &sums, values: &values, journal: &journal, folder: &folder, identity };
        let (mut record, mut warnings) = self.begin(&job, &mut stages)?;
        warnings.extend(folder.warnings());
        let outcome = self.carry_out(&job, &mut record, &mut stages, &mut warnings);
        if !self.ranks.is_root() {
            return outcome.map(|_| None);
        }
        if let Err(_) | Ok(RunStatus::Interrupted) = &outcome {
            let status = if outcome.is_ok() { RunStatus::Interrupted } else { RunStatus::Failed };
            record.finish(status, &stages, outcome.as_ref().err().map(ToString::to_string));
            let _alone = alone(&folder);
            if !self.is_complete(&folder) {
                // A missing record is the lesser problem.
                let _ = record.write_even_if_full(folder.path());
            }
        }
        let summary = journal.summary()?;
        warnings.splice(0..0, self.warnings(&sums));
        let report = self.report(outcome?, stages, &folder, &record);
        let pieces = [summary.done as usize, summary.pieces as usize];
        Ok(Some(GravityReport { pieces, way: sums.description(), computes: sums.computes(), warnings, ..report }))
    }

    /// Warnings about the problem and the summation algorithm.
    fn warnings(&self, sums: &Sums) -> impl Iterator<Item = String> {
        self.setup.warnings.iter().cloned().chain(sums.without_single()).chain(sums.on_faces())
    }

    /// The report about results, from their record.
    fn report(&self, status: RunStatus, stages: Stages, folder: &OutputDirectory, record: &RunRecord) -> GravityReport {
        let figure =
            |name: &str| record.figures.get(name).and_then(|value| value.as_str()).unwrap_or_default().to_owned();
        GravityReport {
            status,
            stages,
            way: figure("sums"),
            computes: figure("device"),
            pieces: [0; 2],
            directory: folder.path().to_owned(),
            files: results::existing_files(&self.setup, folder.path()),
            was_complete: false,
            notes: self.setup.notes.clone(),
            warnings: self.setup.warnings.clone(),
        }
    }

    /// Computes until no piece is left, and writes the results here, unless another process does.
    fn carry_out(
        &self,
        job: &Job,
        record: &mut RunRecord,
        stages: &mut Stages,
        warnings: &mut Vec<String>,
    ) -> Result<RunStatus, Error> {
        while !self.is_complete(job.folder) {
            let ended = match stages.time("sums", || self.work(job)) {
                // Another process has written the results in the meantime, and removed the intermediate file.
                Err(Error::Gravity(GravityFailure::LostValues { .. })) if self.is_complete(job.folder) => break,
                ended => ended?,
            };
            // The first rank writes the results.
            if ended == RunStatus::Interrupted || !self.ranks.is_root() {
                return Ok(ended);
            }
            match self.complete(job, record, stages) {
                Err(Error::Gravity(GravityFailure::Stopped)) => return Ok(RunStatus::Interrupted),
                written => warnings.extend(written?),
            }
        }
        Ok(RunStatus::Complete)
    }

    /// Computes pieces until none is left, alone or with other processes.
    fn work(&self, job: &Job) -> Result<RunStatus, Error> {
        let &Job { sums, values, journal, .. } = job;
        let points = values.pieces().last().map_or(0, |last| last.end) as f64;
        let pieces = WorkPlan {
            piece: "piece",
            first: u64::from(journal.summary()?.done),
            total: values.pieces().len() as u64,
            times: None,
            units: ("pairs", sums.pairs() / points * values.pieces()[0].len() as f64),
        };
        let mut progress = Progress::new(pieces, self.progress);
        progress.message(&format!("computing on {}", sums.computes()));
        let warnings = self.setup.warnings.iter().cloned().chain(sums.without_single());
        warnings.for_each(|warning| progress.message(&format!("warning: {warning}")));
        let messages = sums.on_faces().into_iter().chain(sums.hint().map(str::to_owned)).chain(sums.preparation());
        messages.for_each(|message| progress.message(&message));
        if sums.prepare(&self.cancel).is_none() {
            return Ok(RunStatus::Interrupted);
        }
        // All pieces are computed on one kind of device, so that results do not depend on their distribution.
        let request = ClaimRequest { device: sums.kind(), one_kind: true, among: 0..values.pieces().len() as u32 };
        loop {
            if self.cancel.is_cancelled() {
                return Ok(RunStatus::Interrupted);
            }
            let claims = match journal.take(1, &request)? {
                ClaimResult::Pieces(claims) => claims,
                ClaimResult::Exhausted => {
                    progress.finish(u64::from(journal.summary()?.done));
                    return Ok(RunStatus::Complete);
                }
                ClaimResult::Wait => {
                    std::thread::sleep(POLL_INTERVAL);
                    continue;
                }
                ClaimResult::OtherKind { .. } => return Err(other_kind(sums)),
            };
            for claim in claims {
                let begun = Instant::now();
                let report = report_regularly(&mut progress);
                let Some(gravity) = sums.piece(&values.pieces()[claim.piece as usize], &self.cancel, &report)? else {
                    journal.release(&[claim.piece])?;
                    return Ok(RunStatus::Interrupted);
                };
                let checksum = values.put(claim.piece as usize, &gravity)?;
                journal.finish(&[Done { piece: claim.piece, checksum, seconds: begun.elapsed().as_secs_f32() }])?;
            }
            progress.update(u64::from(journal.summary()?.done));
        }
    }

    /// Compares the intermediate file with the journal, and writes the results.
    ///
    /// # Returns
    /// Warnings for the user; empty if pieces must be recomputed.
    fn complete(&self, job: &Job, record: &mut RunRecord, stages: &mut Stages) -> Result<Vec<String>, Error> {
        let &Job { sums, values, journal, folder, identity } = job;
        let _alone = alone(folder)?;
        // Another process may have completed them in other formats.
        let warnings = finished::write_missing_alone(&self.setup, folder, identity, stages, &self.cancel)?;
        if self.is_complete(folder) {
            return Ok(warnings);
        }
        let Some(Settled { done, .. }) = settled(journal)?.filter(|pieces| pieces.failed.is_empty()) else {
            return Ok(Vec::new());
        };
        let checksums: Vec<u64> = done.into_iter().map(|(_, checksum)| checksum).collect();
        let (taken, damaged) = values.read(&checksums)?;
        if !damaged.is_empty() {
            forget(journal, damaged)?;
            return Ok(Vec::new());
        }
        let fields: Vec<_> = taken.into_iter().map(|field| sums.in_order(field)).collect();
        let columns =
            columns(&self.setup.quantities, self.fields, &fields, self.setup.output.units, self.setup.main_direction());
        let warnings = finished::write(&self.setup, &columns, folder, record, stages, &self.cancel)?;
        report::note(record, &self.setup, sums);
        record.figure("warnings", self.warnings(sums).chain(warnings.iter().cloned()).collect::<Vec<_>>());
        record.finish(RunStatus::Complete, stages, None);
        record.write(folder.path())?;
        values.remove();
        Ok(warnings)
    }

    /// Whether all results exist.
    fn is_complete(&self, folder: &OutputDirectory) -> bool {
        finished::is_complete(&self.setup, folder.path())
    }

    /// Opens the folder; with --overwrite the first rank removes its contents before the others open it.
    fn open_folder(&self, identity: u64, values: &Values) -> Result<OutputDirectory, Error> {
        let path = &self.setup.output.directory;
        share(path, self.overwrite, identity, &*self.ranks, || {
            if self.overwrite || !(values.is_begun() || path.join(RunRecord::FILE_NAME).exists()) {
                // Overwriting removes the earlier results.
                let removed = if self.overwrite { OutputDirectory::bytes(path)? } else { 0 };
                require_disk(path, self.disk(values), Bytes(removed))?;
            }
            Ok(())
        })
    }

    /// Joins or starts the journal.
    ///
    /// # Errors
    /// A journal of another problem, or of another division into pieces (from another kind of device).
    fn open_journal(
        &self,
        folder: &OutputDirectory,
        identity: u64,
        sums: &Sums,
        values: &Values,
    ) -> Result<Journal, Error> {
        Journal::open(&folder.journal(), identity, values.pieces().len() as u32).map_err(|error| match error {
            RunError::OtherSurvey { found, expected, .. } if found == expected => other_kind(sums),
            RunError::OtherSurvey { .. } => changes::refusal(folder.path(), &self.file, &self.setup),
            error => error.into(),
        })
    }

    /// Prepares the intermediate file, and writes a record of a running computation.
    ///
    /// # Returns
    /// The record, and warnings for the user.
    fn begin(&self, job: &Job, stages: &mut Stages) -> Result<(RunRecord, Vec<String>), Error> {
        let &Job { sums, values, journal, folder, identity } = job;
        let _alone = alone(folder)?;
        // Another process may have completed them in other formats.
        let warnings = finished::write_missing_alone(&self.setup, folder, identity, stages, &self.cancel)?;
        let is_new = !self.is_complete(folder) && !values.is_begun();
        if is_new {
            // The pieces of a lost file must be recomputed.
            forget(journal, 0..values.pieces().len())?;
            folder.file(VALUES)?;
            values.begin()?;
        }
        let mut record = RunRecord::start(&self.setup.title, provenance::program(), sums.scalar(), identity);
        record.files = self.setup.files.clone();
        record.figure("warnings", self.setup.warnings.clone());
        if self.ranks.is_root() && !self.is_complete(folder) {
            folder.file(PROBLEM_FILE)?;
            record.keep_scenario(folder.path(), PROBLEM_FILE, &self.file.kept())?;
            record.write(folder.path())?;
        }
        Ok((record, warnings))
    }
}

/// Reports the progress of a long piece from time to time.
fn report_regularly(progress: &mut Progress) -> impl Fn(f64) + Sync {
    let state = Mutex::new((progress, Instant::now()));
    move |share: f64| {
        let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.1.elapsed() >= MESSAGE_INTERVAL {
            state.1 = Instant::now();
            state.0.message(&format!("{:.0} % of the layers done", 100.0 * share));
        }
    }
}

/// The error of a computation that was started on another kind of device.
fn other_kind(sums: &Sums) -> Error {
    GravityFailure::OtherKind { device: kind_name(sums.kind()) }.into()
}
