//! One command at work: its scenario, its clock, and the folder it writes to.

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
use crate::options::{CheckOptions, Computing, MeshOptions, ResumeOptions, RunOptions};
use crate::setup::Setup;
use crate::simulation::{Prepared, ResultsFolder, SCENARIO_FILE, SCENARIO_FOLDER};
use crate::written::Scenario;

/// The record's figure of the time step.
pub const DT: &str = "dt_s";

/// A command at work.
pub struct Session {
    pub setup: Setup,
    pub device: Device,
    pub stages: Stages,
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
    pub scenario: Scenario,
    directory: PathBuf,
    overwrite: bool,
}

impl Session {
    /// For a new run.
    pub fn new(file: &Path, options: &RunOptions, ranks: &Arc<dyn Ranks>) -> Result<Self, Error> {
        let scenario = Scenario::read(file, &options.overrides)?;
        let mut session = Self::of(scenario, &options.computing(), ranks)?;
        session.overwrite = options.overwrite;
        Ok(session)
    }

    /// For a look ahead.
    pub fn for_check(file: &Path, options: &CheckOptions) -> Result<Self, Error> {
        Self::of(Scenario::read(file, &options.overrides)?, &options.computing(), &alone())
    }

    /// For the mesh alone.
    pub fn for_mesh(file: &Path, options: &MeshOptions) -> Result<Self, Error> {
        let cpu = DeviceNames::One("cpu".to_owned());
        let computing = Computing { device: Some(cpu), devices: Some(1), ..Computing::default() };
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
        let mut session = Self::of(scenario, &options.computing(), ranks)?;
        session.refuse_changed_files(&record, directory)?;
        session.directory = directory.to_owned();
        session.resumed = Some(time_step(&record, directory)?);
        Ok(session)
    }

    /// For a scenario.
    pub fn of(scenario: Scenario, computing: &Computing, ranks: &Arc<dyn Ranks>) -> Result<Self, Error> {
        let mut stages = Stages::new();
        let mut setup = stages.time("scenario", || Setup::new(&scenario))?;
        let place = LocalRank::new(&**ranks)?;
        apply(computing, &mut setup, place)?;
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
            cancel: computing.cancel.clone().unwrap_or_default(),
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
    pub fn discretised(&mut self, workers: &Workers) -> Result<DiscreteEarth, Error> {
        // Not before all ranks have found their devices.
        self.device.meet(self.setup.gpu_messages, &*self.ranks)?;
        let Self { setup, device, stages, ranks, ranks_here, room, resumed, cancel, .. } = self;
        let case = Case { setup, device, ranks, ranks_here: *ranks_here, room, dt: *resumed };
        let mut staging = Staging { stages, cancel, ranks: &**ranks };
        let discretised = match setup.method.precision() {
            Precision::Single => prepare::<f32>(&case, &mut staging, workers),
            Precision::Double => prepare::<f64>(&case, &mut staging, workers),
        };
        discretised.map_err(|error| self.with_line(error))
    }

    /// Name of the type of the fields.
    pub fn precision(&self) -> &'static str {
        match self.setup.method.precision() {
            Precision::Single => <f32 as craton_device::Scalar>::NAME,
            Precision::Double => <f64 as craton_device::Scalar>::NAME,
        }
    }

    /// The folder of the results, of a run to be made in this one or to go on there.
    ///
    /// # Errors
    /// A folder that holds something that would be lost, or cannot be written; too little disk.
    pub fn results(prepared: &Prepared) -> Result<ResultsFolder, Error> {
        let Self { directory, overwrite, resumed, .. } = &prepared.session;
        match resumed {
            Some(_) => ResultsFolder::resume(prepared, directory),
            None => ResultsFolder::create(prepared, directory, *overwrite),
        }
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
}

/// Applies what a command says about what computes. Ranks that may use the same cores share them.
fn apply(computing: &Computing, setup: &mut Setup, place: LocalRank) -> Result<(), Error> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let share = (place.on_same_cores > 1).then(|| (cores / place.on_same_cores).max(1));
    computing.apply_to(&mut setup.device, &mut setup.devices, &mut setup.threads)?;
    setup.threads = setup.threads.or(share);
    Ok(())
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
