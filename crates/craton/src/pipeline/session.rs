//! One command at work: its scenario, its clock, and the folder it writes to.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use craton_comm::{Ranks, Solo};
use craton_device::Workers;
use craton_run::preflight::require_disk;
use craton_run::{
    Cancel, CheckpointStore, OutputDirectory, ProgressMode, Room, RunError, RunRecord, RunStatus, Stages,
};
use xxhash_rust::xxh3::Xxh3;

use super::fd;
use super::prepare::{Case, Preflight, Prepared, Staging, prepare};
use super::report::RunReport;
use crate::config::DeviceNames;
use crate::device::{Device, LocalRank};
use crate::error::Error;
use crate::options::{CheckOptions, MeshOptions, ResumeOptions, RunOptions, cancel};
use crate::provenance;
use crate::setup::Setup;
use crate::written::Scenario;

/// A floating-point type that a run can be made in, and its state be saved in.
pub trait Scalar: craton_sem::Precision + craton_fd::Precision + craton_run::Scalar {}
impl Scalar for f32 {}
impl Scalar for f64 {}

/// Name under which the scenario is kept in the results folder.
pub const SCENARIO_FILE: &str = "scenario.toml";
/// The record's figure that tells where the scenario's relative paths begin.
const SCENARIO_FOLDER: &str = "scenario_folder";
/// The record's figure of the time step.
pub const DT: &str = "dt_s";

/// A command at work.
pub struct Session {
    pub setup: Setup,
    pub device: Device,
    pub stages: Stages,
    pub progress: ProgressMode,
    pub cancel: Cancel,
    /// The processes of the run.
    pub ranks: Arc<dyn Ranks>,
    /// How many of them run on this machine.
    pub ranks_here: usize,
    /// The memory that the command found.
    pub room: Room,
    pub scenario_hash: u64,
    /// The time step [s] of the run that goes on, if one does.
    pub resumed: Option<f64>,
    scenario: Scenario,
    directory: PathBuf,
    overwrite: bool,
}

impl Session {
    /// For a new run.
    pub fn new(file: &Path, options: &RunOptions, ranks: &Arc<dyn Ranks>) -> Result<Self, Error> {
        let scenario = Scenario::read(file, &options.overrides)?;
        let mut session = Self::of(scenario, &Computing::of_run(options), ranks)?;
        session.overwrite = options.overwrite;
        session.progress = progress(options.quiet || !ranks.is_root());
        session.cancel = cancel(options.cancel.as_ref())?;
        Ok(session)
    }

    /// For a look ahead.
    pub fn for_check(file: &Path, options: &CheckOptions) -> Result<Self, Error> {
        let computing =
            Computing { device: options.device.as_ref(), devices: options.devices, threads: options.threads };
        Self::of(Scenario::read(file, &options.overrides)?, &computing, &alone())
    }

    /// For the mesh alone.
    pub fn for_mesh(file: &Path, options: &MeshOptions) -> Result<Self, Error> {
        let cpu = DeviceNames::One("cpu".to_owned());
        let computing = Computing { device: Some(&cpu), devices: Some(1), threads: None };
        Self::of(Scenario::read(file, &options.overrides)?, &computing, &alone())
    }

    /// For the run in a folder that was interrupted.
    pub fn resumed(directory: &Path, options: &ResumeOptions, ranks: &Arc<dyn Ranks>) -> Result<Self, Error> {
        OutputDirectory::check_resume(directory)?;
        let record = RunRecord::read(directory)?;
        let file = directory.join(SCENARIO_FILE);
        let text = std::fs::read_to_string(&file).map_err(|source| Error::Read {
            file: file.clone(),
            source,
            hint: "the folder of an interrupted run holds its scenario".to_owned(),
        })?;
        let folder = record.figures.get(SCENARIO_FOLDER).and_then(|folder| folder.as_str()).unwrap_or_default();
        let scenario = Scenario::parse(&file.display().to_string(), &text, folder.into(), &[])?;
        let computing =
            Computing { device: options.device.as_ref(), devices: options.devices, threads: options.threads };
        let mut session = Self::of(scenario, &computing, ranks)?;
        session.refuse_changed_files(&record, directory)?;
        session.directory = directory.to_owned();
        session.resumed = Some(time_step(&record, directory)?);
        session.progress = progress(options.quiet || !ranks.is_root());
        session.cancel = cancel(options.cancel.as_ref())?;
        Ok(session)
    }

    fn of(scenario: Scenario, computing: &Computing, ranks: &Arc<dyn Ranks>) -> Result<Self, Error> {
        let mut stages = Stages::new();
        let mut setup = stages.time("scenario", || Setup::new(&scenario))?;
        let place = LocalRank::new(&**ranks)?;
        computing.apply_to(&mut setup, place)?;
        let device = Device::find(&setup.device, setup.devices, place)?;
        let device =
            device.with_kernels(&setup.device, setup.devices, |gpu| fd::require_kernels(&setup.method, gpu))?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            // What a GPU's driver takes is not the run's.
            room: Room::look(setup.threads.unwrap_or(cores), place.ranks),
            directory: setup.output.directory.clone(),
            scenario_hash: hash(&scenario, &setup),
            device,
            ranks: Arc::clone(ranks),
            ranks_here: place.ranks,
            setup,
            stages,
            progress: ProgressMode::Silent,
            cancel: Cancel::new(),
            scenario,
            overwrite: false,
            resumed: None,
        })
    }

    /// Refuses to go on where a file that the scenario names is no longer what it was.
    fn refuse_changed_files(&self, record: &RunRecord, directory: &Path) -> Result<(), Error> {
        let present = |file: &str| self.setup.files.get(file);
        let mut known = record.files.iter();
        match known.find(|(file, hash)| present(file).is_some_and(|present| present != *hash)) {
            None => Ok(()),
            Some((file, _)) => Err(Error::ChangedFile { file: file.into(), directory: directory.to_owned() }),
        }
    }

    /// What all ranks have to agree on.
    pub fn facts(&self) -> [(&'static str, String); 5] {
        let kind = match &self.device {
            Device::Cpu { .. } => "the CPU",
            Device::Gpus { .. } => "GPUs",
        };
        [
            ("version", env!("CARGO_PKG_VERSION").to_owned()),
            ("build", option_env!("CRATON_COMMIT").unwrap_or_default().to_owned()),
            ("scenario", format!("{:016x}", self.scenario_hash)),
            ("kind of device", kind.to_owned()),
            ("devices of a rank", self.device.parts(usize::MAX, 1).to_string()),
        ]
    }

    /// Says whether the folder of the results may be taken for a new run; touches nothing.
    ///
    /// # Errors
    /// A folder that holds something that would be lost.
    pub fn check_folder(&self) -> Result<(), Error> {
        let kept = self.directory.join(SCENARIO_FILE);
        if self.scenario.file.as_ref().is_some_and(|file| is_same(file, &kept)) {
            return Err(Error::OwnFolder { file: kept, directory: self.directory.clone() });
        }
        Ok(OutputDirectory::check(&self.directory, self.overwrite)?)
    }

    /// The scenario, discretised by its method; all ranks together.
    ///
    /// # Errors
    /// As [`prepare`].
    pub fn prepared<T: Scalar>(&mut self, workers: &Workers) -> Result<Prepared<T>, Error> {
        // Not before all ranks have found their devices.
        self.device.meet(self.setup.gpu_messages, &*self.ranks)?;
        let Self { setup, device, stages, ranks, ranks_here, room, resumed, cancel, .. } = self;
        let case = Case { setup, device, ranks, ranks_here: *ranks_here, room, dt: *resumed };
        let prepared = prepare(&case, &mut Staging { stages, cancel, ranks: &**ranks }, workers);
        prepared.map_err(|error| self.with_line(error))
    }

    /// The same error; one of a key with the line where that is written.
    pub fn with_line(&self, error: Error) -> Error {
        match error {
            Error::OfKey(problem) => self.scenario.refuse(vec![*problem]),
            Error::Together(own) => Error::Together(Box::new(self.with_line(*own))),
            other => other,
        }
    }

    /// Folder of the results.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Takes the folder and leaves a record that the run is at work, after a last look at memory and disk: the first rank for all.
    pub fn open_output<T: Scalar>(&self, preflight: &Preflight) -> Result<Option<Output>, Error> {
        if !self.ranks.is_root() {
            return Ok(None);
        }
        // Before an earlier run is removed.
        require_disk(&self.directory, preflight.disk)?;
        let folder = match self.resumed.is_some() {
            true => OutputDirectory::resume(&self.directory)?,
            false => OutputDirectory::create(&self.directory, self.overwrite)?,
        };
        let precision = <T as craton_device::Scalar>::NAME;
        let mut record = RunRecord::start(&self.setup.title, provenance::program(), precision, self.scenario_hash);
        // A scenario named without a folder stands in the present one.
        let origin = Path::new(".").join(&self.scenario.folder);
        let origin = std::path::absolute(&origin).unwrap_or(origin);
        record.files = self.setup.files.clone();
        record.figure(SCENARIO_FOLDER, origin.display().to_string());
        record.figure("warnings", self.setup.warnings.clone());
        folder.file(SCENARIO_FILE)?;
        record.keep_scenario(folder.path(), SCENARIO_FILE, &self.scenario.kept())?;
        preflight.note(&mut record);
        record.write(folder.path())?;
        Ok(Some(Output { folder: Arc::new(folder), record, device: preflight.device.clone(), files: Vec::new() }))
    }
}

/// What a command says about what computes, in place of the scenario.
struct Computing<'a> {
    device: Option<&'a DeviceNames>,
    devices: Option<usize>,
    threads: Option<usize>,
}

impl<'a> Computing<'a> {
    fn of_run(options: &'a RunOptions) -> Self {
        Self { device: options.device.as_ref(), devices: options.devices, threads: options.threads }
    }

    /// Ranks that may use the same cores share them.
    fn apply_to(&self, setup: &mut Setup, place: LocalRank) -> Result<(), Error> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let share = (place.on_same_cores > 1).then(|| (cores / place.on_same_cores).max(1));
        setup.threads = self.threads.or(setup.threads).or(share);
        setup.devices = self.devices.or(setup.devices);
        if let Some(names) = self.device {
            setup.device = names.choice()?;
        }
        Ok(())
    }
}

/// A process by itself.
pub fn alone() -> Arc<dyn Ranks> {
    Arc::new(Solo)
}

/// The time step [s] that a run was begun with: it has to be the same to the last digit, whatever device it goes on with.
fn time_step(record: &RunRecord, directory: &Path) -> Result<f64, Error> {
    let dt = record.figures.get(DT).and_then(|dt| dt.as_f64());
    dt.ok_or_else(|| {
        Error::Run(RunError::BadRecord {
            path: directory.join(RunRecord::FILE_NAME),
            reason: format!("the figure `{DT}` is missing"),
        })
    })
}

/// Hash of all that a scenario is: its text, and the contents of the files it names.
fn hash(scenario: &Scenario, setup: &Setup) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(scenario.to_toml().as_bytes());
    for (file, contents) in &setup.files {
        hash.update(file.as_bytes());
        hash.update(contents.as_bytes());
    }
    hash.digest()
}

/// Whether two paths lead to the same file, which exists.
fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

fn progress(quiet: bool) -> ProgressMode {
    if quiet { ProgressMode::Silent } else { ProgressMode::Auto }
}

/// The results folder of a run, and what has been written to it.
pub struct Output {
    /// Shared with the snapshots, which add to it during the run.
    pub folder: Arc<OutputDirectory>,
    pub record: RunRecord,
    /// What computes.
    pub device: String,
    /// What the user is told to look at.
    pub files: Vec<String>,
}

impl Output {
    /// Leaves a record of a run that failed; that the record itself fails is the lesser evil.
    pub fn failed(&mut self, stages: &Stages, error: &Error) {
        self.record.finish(RunStatus::Failed, stages, Some(error.to_string()));
        let _ = self.record.write_even_if_full(self.folder.path());
    }

    /// Completes the record and tells what was done.
    pub fn finished(
        mut self,
        status: RunStatus,
        stages: &Stages,
        preflight: &Preflight,
        steps: u64,
    ) -> Result<RunReport, Error> {
        let (unit, count) = preflight.extent.units();
        let rate = count as f64 * steps as f64 / stages.seconds("time loop");
        if status == RunStatus::Complete {
            self.record.figure(&format!("{unit}_per_s"), rate);
        }
        self.record.finish(status, stages, None);
        self.record.write(self.folder.path())?;
        if status == RunStatus::Complete {
            CheckpointStore::clear(&self.folder.checkpoints())?;
        }
        Ok(RunReport {
            status,
            stages: stages.clone(),
            rate,
            unit,
            directory: self.folder.path().to_owned(),
            files: self.files,
        })
    }
}
