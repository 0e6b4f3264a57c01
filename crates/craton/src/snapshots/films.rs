//! Frames of all series in the results folder.

use std::path::Path;
use std::sync::Arc;

use craton_device::Workers;
use craton_formats::vtk::{TimeStep, read_pvd};
use craton_run::{Cancel, OutputDirectory};

use super::film::{FOLDER, Film};
use super::frame::Frame;
use super::pictures::{Sheet, draw};
use super::shown::Shown;
use crate::error::Error;
use crate::number::counted;
use crate::setup::Setup;

/// The films of all series of a run.
pub struct Films {
    folder: Arc<OutputDirectory>,
    films: Vec<Film>,
}

impl Films {
    /// Creates new films, or continues those of an interrupted run.
    ///
    /// # Arguments
    /// * `series` – name and quantities of each series
    /// # Errors
    /// An unreadable list of frames, or a folder that cannot be created.
    pub fn open(folder: &Arc<OutputDirectory>, series: Vec<(String, Vec<Shown>)>) -> Result<Self, Error> {
        let film = |(name, shown)| {
            let mut film = Film { name, shown, frames: Vec::new() };
            let list = folder.file(film.list())?;
            if list.exists() {
                film.frames = read_pvd(&list)?;
            }
            Ok(film)
        };
        Ok(Self { folder: Arc::clone(folder), films: series.into_iter().map(film).collect::<Result<_, Error>>()? })
    }

    /// Writes a frame, and then the list, so that the list has only complete frames after any interruption. Replaces
    /// existing frames of a resumed run at this time and later.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&mut self, frame: &Frame) -> Result<(), Error> {
        let (film, time) = (&mut self.films[frame.number], frame.time);
        let tolerance = 0.25 * frame.dt;
        film.frames.retain(|known| known.time < time - tolerance);
        let file = Film::file(&film.name, film.frames.len() + 1, frame.fields.extension());
        let path = self.folder.file(Path::new(FOLDER).join(&file))?;
        frame.fields.write(&path, time)?;
        film.frames.push(TimeStep { time, file });
        film.write_list(&self.folder)
    }

    /// Draws the frames of the series with pictures, each series with a common colour scale.
    ///
    /// # Arguments
    /// * `png` – whether the series with this number has pictures
    /// * `sheet` – the sheet for the pictures of the series with this number; `None` without pictures
    /// # Returns
    /// A line for the user about each series.
    /// # Errors
    /// An unreadable frame, a picture that cannot be written; [`Error::Stopped`] if `cancel` is raised.
    pub fn finish(
        &self,
        setup: &Setup,
        workers: &Workers,
        cancel: &Cancel,
        png: impl Fn(usize) -> bool,
        sheet: impl Fn(usize) -> Option<Sheet>,
    ) -> Result<Vec<String>, Error> {
        let line = |(number, film): (usize, &Film)| {
            if let Some(sheet) = png(number).then(|| sheet(number)).flatten() {
                let chunk = setup.frame.sphere().map(|_| setup);
                draw(film, &sheet, &setup.title, chunk, workers, &self.folder, cancel)?;
            }
            let pictures = if png(number) { ", with pictures" } else { "" };
            Ok(format!("{} ({}{pictures})", film.list().display(), counted(film.frames.len(), "frame")))
        };
        self.films.iter().enumerate().filter(|(_, film)| !film.frames.is_empty()).map(line).collect()
    }
}
