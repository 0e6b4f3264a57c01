//! One series of a run: a frame now and then.

use std::path::Path;

use craton_formats::vtk::{TimeStep, read_pvd};
use craton_model::EarthModel;
use craton_run::OutputDirectory;

use super::film::{FOLDER, Film};
use super::pictures::Sheet;
use super::rhythm::Rhythm;
use super::shown::Shown;
use crate::config::Snapshot;
use crate::error::Error;
use crate::pipeline::{RunningSolver, Scalar};
use crate::setup::Setup;

/// The Earth at a step.
#[derive(Clone, Copy)]
pub struct Earth<'a, T: Scalar> {
    /// Its motion.
    pub motion: &'a RunningSolver<T>,
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
    fn sheet(&self, setup: &Setup, motion: &RunningSolver<T>) -> Option<Sheet>;
}

/// Frames of one part of the Earth.
pub struct Series<T: Scalar> {
    /// The frames so far.
    pub film: Film,
    /// What it shows of the Earth.
    pub scene: Box<dyn Scene<T>>,
    /// The steps at which a frame is written.
    pub rhythm: Rhythm,
    /// Whether its frames are drawn at the end.
    pub png: bool,
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
        let mut film = Film { name, shown: Shown::all(wanted), frames: Vec::new() };
        let list = folder.file(film.list())?;
        if list.exists() {
            film.frames = read_pvd(&list)?;
        }
        Ok(Self { film, scene, rhythm, png: wanted.png })
    }

    /// Writes a frame, then the list with it: whenever the process dies, the list names whole frames alone.
    ///
    /// # Arguments
    /// * `time` – that of the frame [s]; frames at this time and later, of a run that was resumed from before them, are forgotten
    /// # Errors
    /// A file that cannot be written, a device that fails.
    pub fn write(&mut self, time: f64, earth: Earth<T>, folder: &OutputDirectory) -> Result<(), Error> {
        let slack = 0.25 * earth.motion.dt();
        let film = &mut self.film;
        film.frames.retain(|frame| frame.time < time - slack);
        let file = Film::file(&film.name, film.frames.len() + 1, self.scene.extension());
        let path = folder.file(Path::new(FOLDER).join(&file))?;
        self.scene.write(&path, time, earth, &film.shown)?;
        film.frames.push(TimeStep { time, file });
        film.write_list(folder)
    }
}
