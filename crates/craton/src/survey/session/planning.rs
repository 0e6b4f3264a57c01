//! The plan of a survey: cells, steps, positions of all shots, and files.

use craton_device::Workers;
use craton_run::Bytes;

use super::Session;
use crate::error::Error;
use crate::provenance;
use crate::survey::SurveyFile;
use crate::survey::config::{Compute, Config};
use crate::survey::frames::Frames;
use crate::survey::gathers::Gathers;
use crate::survey::grid::{Grids, Window};
use crate::survey::report;
use crate::survey::setup::Setup;
use crate::survey::time_axis::Clock;

/// The plan of the computation.
pub struct SurveyPlan {
    /// The grid.
    pub grids: Grids,
    /// Source time functions per step, and the conversion of recordings to traces.
    pub clock: Clock,
    /// The shots by number, as in the file and the journal.
    pub order: Vec<usize>,
    /// The window with the most points.
    pub largest: Window,
    /// Largest number of channels of a shot, over all quantities.
    pub channels: usize,
    /// Number of points of all shots.
    pub points: f64,
    /// The gather files.
    pub gathers: Gathers,
    /// The snapshots.
    pub frames: Frames,
    /// Host memory.
    pub memory: Bytes,
    /// Hash of everything that affects gathers and snapshots.
    pub identity: u64,
}

/// The plan of the files.
pub struct FilePlan {
    /// The grid.
    pub grids: Grids,
    /// The shots by number, as in the file and the journal.
    pub order: Vec<usize>,
    /// The gather files.
    pub gathers: Gathers,
    /// The snapshots.
    pub frames: Frames,
}

impl Session {
    /// Plans the files of the results.
    ///
    /// # Errors
    /// An impossible computation or output, or insufficient memory for the model.
    pub fn files(&mut self) -> Result<FilePlan, Error> {
        let Self { setup, stages, devices, room, file, .. } = self;
        let workers = Workers::new(Some(devices.threads()))?;
        let grids = stages.time("model", || Grids::new(setup, &workers, room))?;
        grids.check().map_err(|problem| file.refuse(vec![*problem]))?;
        let shots = setup.survey.shots();
        let mut order: Vec<usize> = (0..shots.len()).collect();
        order.sort_by_key(|&shot| shots[shot].number);
        let lines = |quantity| report::header_lines(setup, &grids, quantity);
        let gathers = Gathers::new(setup, &grids.axis, &order, lines, &setup.output.directory)?;
        let frames = Frames::new(setup, &grids, &order);
        Ok(FilePlan { grids, order, gathers, frames })
    }

    /// Hash of everything that affects gathers and snapshots.
    pub fn identity(&self) -> u64 {
        identity(&self.file, &self.setup)
    }

    /// Plans cells, steps and positions of all shots.
    ///
    /// # Errors
    /// An impossible computation or output, or insufficient memory.
    pub fn plan(&mut self) -> Result<SurveyPlan, Error> {
        let FilePlan { grids, order, gathers, frames } = self.files()?;
        let Self { setup, devices, room, file, .. } = self;
        let shots = setup.survey.shots();
        let windows = shots.iter().map(|shot| grids.window(shot));
        let largest = windows.max_by_key(|window| grids.points(window)).expect("a survey has a shot");
        let points = shots.iter().map(|shot| grids.points(&grids.window(shot)) as f64).sum();
        let channels = setup.heard.len() * shots.iter().map(|shot| shot.spread.len()).max().unwrap_or(0);
        setup.warnings.extend(devices.fit(&grids, &largest, channels, room.of_each()));
        let memory = devices.bytes(&grids, &largest, channels);
        room.require_of_each(memory)?;
        let clock = Clock::new(&grids.axis, &setup.sent, setup.amplitude)?;
        setup.warnings.extend(grids.warnings(setup));
        setup.warnings.extend(frames.warnings());
        let identity = identity(file, setup);
        Ok(SurveyPlan { grids, clock, order, largest, channels, points, gathers, frames, memory, identity })
    }
}

/// Hash of everything that affects gathers and snapshots: the survey without devices and pictures, the contents of its
/// files, and the version.
pub fn identity(file: &SurveyFile, setup: &Setup) -> u64 {
    let mut config: Config = file.config.clone();
    let reproducible = config.compute.reproducible;
    config.compute = Compute { reproducible, ..Default::default() };
    config.output.pictures = None;
    config.output.gather = Default::default();
    config.output.directory = Default::default();
    provenance::identity(&config, &setup.files)
}
