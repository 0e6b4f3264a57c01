//! One snapshot series of a run.

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
use crate::pipeline::{Motion, Scalar};
use crate::setup::Setup;

/// The Earth at a step.
#[derive(Clone, Copy)]
pub struct Earth<'a, T: Scalar> {
    /// The running solver.
    pub motion: &'a Motion<T>,
    /// The materials.
    pub model: &'a EarthModel,
}

/// The view of a series: positions of its values, file format and pictures.
pub trait Scene<T: Scalar>: Send + Sync {
    /// Extension of its files.
    fn extension(&self) -> &'static str;

    /// Writes a frame.
    ///
    /// # Errors
    /// A file that cannot be written, or a failing device.
    fn write(&self, path: &Path, time: f64, earth: Earth<T>, shown: &[Shown]) -> Result<(), Error>;

    /// The sheet for its pictures; `None` without pictures.
    fn sheet(&self, setup: &Setup, motion: &Motion<T>) -> Option<Sheet>;
}

/// A snapshot series of one part of the Earth.
pub struct Series<T: Scalar> {
    /// The frames so far.
    pub film: Film,
    /// Its view of the Earth.
    pub scene: Box<dyn Scene<T>>,
    /// The steps with a frame.
    pub rhythm: Rhythm,
    /// Whether its frames are drawn at the end.
    pub png: bool,
}

impl<T: Scalar> Series<T> {
    /// A new series, or the continuation of that of an interrupted run.
    ///
    /// # Errors
    /// An unreadable list of frames, or a folder that cannot be created.
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

    /// Writes a frame, and then the list: after any interruption, the list has only complete frames.
    ///
    /// # Arguments
    /// * `time` – time of the frame [s]; existing frames at this time and later, of a resumed run, are discarded
    /// # Errors
    /// A file that cannot be written, or a failing device.
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
