//! The session of a command: its scenario, timer and results folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use craton_comm::{Ranks, Solo};
use craton_device::Workers;
use craton_run::{Cancel, OutputDirectory, Room, RunError, RunRecord, Stages};
use xxhash_rust::xxh3::Xxh3;

use super::fd;
use super::prepare::{Case, DiscreteEarth, Staging, prepare};
use crate::config::{DeviceNames, Precision};
use crate::device::{Device, LocalRank};
use crate::error::Error;
use crate::options::{CheckOptions, Computing, GraphPartitioner, MeshOptions, ResumeOptions, RunOptions};
use crate::setup::Setup;
use crate::simulation::{Prepared, ResultsFolder, SCENARIO_FILE, SCENARIO_FOLDER};
use crate::written::Scenario;

/// Key in the record of the time step.
pub const DT: &str = "dt_s";

/// The session of a command.
pub struct Session {
    pub setup: Setup,
    pub device: Device,
    pub stages: Stages,
    pub cancel: Cancel,
    /// The partitioner of METIS, if the program has one.
    pub partitioner: Option<GraphPartitioner>,
    /// The processes of the run.
    pub ranks: Arc<dyn Ranks>,
    /// Number of processes on this machine.
    pub ranks_here: usize,
    /// The available memory at the start of the command.
    pub room: Room,
    pub scenario_hash: u64,
    /// The time step [s] of the resumed run, if there is one.
    pub resumed: Option<f64>,
    /// Whether the scenario is only described.
    is_preview: bool,
    pub scenario: Scenario,
    directory: PathBuf,
    overwrite: bool,
}

impl Session {
    /// A session for a new run.
    pub fn new(file: &Path, options: &RunOptions, ranks: &Arc<dyn Ranks>) -> Result<Self, Error> {
        let scenario = Scenario::read(file, &options.overrides)?;
        let mut session = Self::of(scenario, &options.computing(), ranks)?;
        session.overwrite = options.overwrite;
        Ok(session)
    }

    /// A session for a preview.
    pub fn for_check(file: &Path, options: &CheckOptions) -> Result<Self, Error> {
        Ok(Self::of(Scenario::read(file, &options.overrides)?, &options.computing(), &alone())?.for_preview())
    }

    /// The session, which only describes its scenario.
    pub fn for_preview(self) -> Self {
        Self { is_preview: true, ..self }
    }

    /// A session for mesh output.
    pub fn for_mesh(file: &Path, options: &MeshOptions) -> Result<Self, Error> {
        let cpu = DeviceNames::One("cpu".to_owned());
        let computing = Computing { device: Some(cpu), devices: Some(1), ..Computing::default() };
        Self::of(Scenario::read(file, &options.overrides)?, &computing, &alone())
    }

    /// A session that resumes the run in a folder.
    pub fn resumed(directory: &Path, options: &ResumeOptions, ranks: &Arc<dyn Ranks>) -> Result<Self, Error> {
        OutputDirectory::check_resume(directory)?;
        let record = RunRecord::read(directory)?;
        let file = directory.join(SCENARIO_FILE);
        let text = std::fs::read_to_string(&file).map_err(|source| Error::Read {
            file: file.clone(),
            source,
            hint: "give the results folder of an interrupted run, which contains its scenario".to_owned(),
        })?;
        let folder = record.figures.get(SCENARIO_FOLDER).and_then(|folder| folder.as_str()).unwrap_or_default();
        let scenario = Scenario::parse(&file.display().to_string(), &text, folder.into(), &[])?;
        Self::of(scenario, &options.computing(), ranks)?.resuming(directory)
    }

    /// The session, which resumes the run in a folder.
    ///
    /// # Errors
    /// A folder without an unfinished run, or an input that has changed since.
    pub fn resuming(mut self, directory: &Path) -> Result<Self, Error> {
        OutputDirectory::check_resume(directory)?;
        let record = RunRecord::read(directory)?;
        self.refuse_changed_files(&record, directory)?;
        directory.clone_into(&mut self.directory);
        self.resumed = Some(time_step(&record, directory)?);
        Ok(self)
    }

    /// A session for a scenario.
    pub fn of(scenario: Scenario, computing: &Computing, ranks: &Arc<dyn Ranks>) -> Result<Self, Error> {
        let mut stages = Stages::new();
        let mut setup = stages.time("scenario", || Setup::new(&scenario))?;
        let place = LocalRank::new(&**ranks)?;
        apply(computing, &mut setup, place)?;
        let device = Device::find(&setup.device, setup.devices, place)?;
        let device = device.with_kernels(&setup.device, setup.devices, |gpu| fd::require_kernels(&setup, gpu))?;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Self {
            // The memory of a GPU driver is not part of the run.
            room: Room::look(setup.threads.unwrap_or(cores), place.ranks),
            directory: setup.output.directory.clone(),
            scenario_hash: hash(&scenario, &setup),
            device,
            ranks: Arc::clone(ranks),
            ranks_here: place.ranks,
            setup,
            stages,
            cancel: computing.cancel.clone().unwrap_or_default(),
            partitioner: computing.partitioner,
            scenario,
            overwrite: false,
            resumed: None,
            is_preview: false,
        })
    }

    /// Rejects a resumed run if an input file of the scenario has changed.
    fn refuse_changed_files(&self, record: &RunRecord, directory: &Path) -> Result<(), Error> {
        let present = |file: &str| self.setup.files.get(file);
        let mut known = record.files.iter();
        match known.find(|(file, hash)| present(file).is_some_and(|present| present != *hash)) {
            None => Ok(()),
            Some((file, _)) => Err(Error::ChangedFile { file: file.into(), directory: directory.to_owned() }),
        }
    }

    /// Settings that must agree on all ranks.
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

    /// Checks whether the results folder can be used for a new run; changes nothing.
    ///
    /// # Errors
    /// A folder with contents that would be lost.
    pub fn check_folder(&self) -> Result<(), Error> {
        let kept = self.directory.join(SCENARIO_FILE);
        if self.scenario.file.as_ref().is_some_and(|file| is_same(file, &kept)) {
            return Err(Error::OwnFolder { file: kept, directory: self.directory.clone() });
        }
        Ok(OutputDirectory::check(&self.directory, self.overwrite)?)
    }

    /// The scenario, discretised by its method; a collective operation.
    ///
    /// # Errors
    /// As [`prepare`].
    pub fn discretised(&mut self, workers: &Workers) -> Result<DiscreteEarth, Error> {
        // Only after all ranks have found their devices.
        self.device.negotiate(self.setup.gpu_messages, &*self.ranks)?;
        let Self { setup, device, stages, ranks, ranks_here, room, resumed, cancel, partitioner, is_preview, .. } =
            self;
        let (ranks_here, partitioner, dt, is_preview) = (*ranks_here, *partitioner, *resumed, *is_preview);
        let case = Case { setup, device, ranks, ranks_here, partitioner, room, dt, is_preview };
        let mut staging = Staging { stages, cancel, ranks: &**ranks };
        let discretised = match setup.method.precision() {
            Precision::Single => prepare::<f32>(&case, &mut staging, workers),
            Precision::Double => prepare::<f64>(&case, &mut staging, workers),
        };
        discretised.map_err(|error| self.with_line(error))
    }

    /// Name of the floating-point type of the fields.
    pub fn precision(&self) -> &'static str {
        match self.setup.method.precision() {
            Precision::Single => <f32 as craton_device::Scalar>::NAME,
            Precision::Double => <f64 as craton_device::Scalar>::NAME,
        }
    }

    /// The results folder of a new run, or of the resumed one.
    ///
    /// # Errors
    /// A folder with contents that would be lost, a folder without write permission, or insufficient disk space.
    pub fn results(prepared: &Prepared) -> Result<ResultsFolder, Error> {
        let Self { directory, overwrite, resumed, .. } = &prepared.session;
        match resumed {
            Some(_) => ResultsFolder::resume(prepared, directory),
            None => ResultsFolder::create(prepared, directory, *overwrite),
        }
    }

    /// The same error; the error of a key gets the line of that key.
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
}

/// Applies the device options of a command. Ranks with the same allowed cores share them.
fn apply(computing: &Computing, setup: &mut Setup, place: LocalRank) -> Result<(), Error> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let share = (place.on_same_cores > 1).then(|| (cores / place.on_same_cores).max(1));
    computing.apply_to(&mut setup.device, &mut setup.devices, &mut setup.threads)?;
    setup.threads = setup.threads.or(share);
    Ok(())
}

/// A single process.
pub fn alone() -> Arc<dyn Ranks> {
    Arc::new(Solo)
}

/// The time step [s] with which a run was started, which must be exactly the same on any device.
fn time_step(record: &RunRecord, directory: &Path) -> Result<f64, Error> {
    let dt = record.figures.get(DT).and_then(|dt| dt.as_f64());
    dt.ok_or_else(|| {
        Error::Run(RunError::BadRecord {
            path: directory.join(RunRecord::FILE_NAME),
            reason: format!("the entry `{DT}` is missing"),
        })
    })
}

/// Hash of a scenario: its text, and the contents of its input files.
pub fn hash(scenario: &Scenario, setup: &Setup) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(scenario.to_toml().as_bytes());
    for (file, contents) in &setup.files {
        hash.update(file.as_bytes());
        hash.update(contents.as_bytes());
    }
    hash.digest()
}

/// Whether two paths refer to the same existing file.
fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}
