//! One series: a frame now and then, and the list that ParaView plays.

use std::path::{Path, PathBuf};

use craton_formats::vtk::{TimeStep, read_pvd, write_pvd};
use craton_model::EarthModel;
use craton_run::OutputDirectory;

use super::pictures::Sheet;
use super::rhythm::Rhythm;
use super::shown::Shown;
use crate::config::Snapshot;
use crate::error::Error;
use crate::pipeline::{Motion, Scalar};
use crate::setup::Setup;

/// Folder of all series, in that of the results.
pub const FOLDER: &str = "snapshots";

/// The Earth at a step.
#[derive(Clone, Copy)]
pub struct Earth<'a, T: Scalar> {
    /// Its motion.
    pub motion: &'a Motion<T>,
    /// What it is made of.
    pub model: &'a EarthModel,
}

/// What a series shows of the Earth: where its values stand, and how they are written and drawn.
pub trait Scene<T: Scalar>: Send + Sync {
    /// Ending of its files.
    fn extension(&self) -> &'static str;

    /// Writes a frame.
    ///
    /// # Errors
    /// A file that cannot be written, a device that fails.
    fn write(&self, path: &Path, time: f64, earth: Earth<T>, shown: &[Shown]) -> Result<(), Error>;

    /// The paper for its pictures; none where there are no pictures of it.
    fn sheet(&self, setup: &Setup, motion: &Motion<T>) -> Option<Sheet>;
}

/// Frames of one part of the Earth.
pub struct Series<T: Scalar> {
    /// Its name: that of its folder and of its list.
    pub name: String,
    /// What it shows of the Earth.
    pub scene: Box<dyn Scene<T>>,
    /// The steps at which a frame is written.
    pub rhythm: Rhythm,
    /// What is shown.
    pub shown: Vec<Shown>,
    /// Whether its frames are drawn at the end.
    pub png: bool,
    /// The frames so far; files relative to [`FOLDER`].
    pub frames: Vec<TimeStep>,
    /// The list.
    list: PathBuf,
}

impl<T: Scalar> Series<T> {
    /// A series that begins, or goes on where an interrupted run has left it.
    ///
    /// # Errors
    /// A list of frames that cannot be read, a folder that cannot be made.
    pub fn new(
        name: String,
        scene: Box<dyn Scene<T>>,
        wanted: &Snapshot,
        rhythm: Rhythm,
        folder: &OutputDirectory,
    ) -> Result<Self, Error> {
        let list = folder.file(Path::new(FOLDER).join(format!("{name}.pvd")))?;
        let frames = if list.exists() { read_pvd(&list)? } else { Vec::new() };
        Ok(Self { name, scene, rhythm, shown: Shown::all(wanted), png: wanted.png, frames, list })
    }

    /// Writes a frame, then the list with it: whenever the process dies, the list names whole frames alone.
    ///
    /// # Arguments
    /// * `time` – that of the frame [s]; frames at this time and later, of a run that was resumed from before them, are forgotten
    /// # Errors
    /// A file that cannot be written, a device that fails.
    pub fn write(&mut self, time: f64, earth: Earth<T>, folder: &OutputDirectory) -> Result<(), Error> {
        let slack = 0.25 * earth.motion.dt();
        self.frames.retain(|frame| frame.time < time - slack);
        let number = self.frames.len() + 1;
        let file = Path::new(&self.name).join(format!("frame_{number:06}.{}", self.scene.extension()));
        let path = folder.file(Path::new(FOLDER).join(&file))?;
        self.scene.write(&path, time, earth, &self.shown)?;
        self.frames.push(TimeStep { time, file });
        Ok(write_pvd(&self.list, &self.frames)?)
    }
}
