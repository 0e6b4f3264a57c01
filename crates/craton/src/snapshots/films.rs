//! Frames in the folder of the results.

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
    /// Films that begin, or go on where an interrupted run has left them.
    ///
    /// # Arguments
    /// * `series` – name of each, and what it shows
    /// # Errors
    /// A list of frames that cannot be read, a folder that cannot be made.
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

    /// Writes a frame, then the list with it: whenever the process dies, the list names whole frames alone. Frames at this time and later, of a run that was
    /// resumed from before them, are forgotten.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn write(&mut self, frame: &Frame) -> Result<(), Error> {
        let (film, time) = (&mut self.films[frame.number], frame.time);
        let slack = 0.25 * frame.dt;
        film.frames.retain(|known| known.time < time - slack);
        let file = Film::file(&film.name, film.frames.len() + 1, frame.fields.extension());
        let path = self.folder.file(Path::new(FOLDER).join(&file))?;
        frame.fields.write(&path, time)?;
        film.frames.push(TimeStep { time, file });
        film.write_list(&self.folder)
    }

    /// Draws the frames of the series that want it, each series on one scale of colours.
    ///
    /// # Arguments
    /// * `png` – whether a series is to be drawn, by its number; `sheet` – the paper for its pictures, if there is any
    /// # Returns
    /// A line for the user about every series.
    /// # Errors
    /// A frame that cannot be read back, a picture that cannot be written; [`Error::Stopped`] when `cancel` is raised meanwhile.
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
                let chunk = setup.frame.chunk().map(|_| setup);
                draw(film, &sheet, &setup.title, chunk, workers, &self.folder, cancel)?;
            }
            let pictures = if png(number) { ", and as pictures" } else { "" };
            Ok(format!("{} ({}{pictures})", film.list().display(), counted(film.frames.len(), "frame")))
        };
        self.films.iter().enumerate().filter(|(_, film)| !film.frames.is_empty()).map(line).collect()
    }
}
