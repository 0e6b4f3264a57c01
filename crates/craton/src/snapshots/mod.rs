//! Snapshots of the wavefield as time series for ParaView, and as pictures.
//!
//! | file | task |
//! |---|---|
//! | this one | all series of a run |
//! | `view` | the requested series |
//! | `rhythm` | the steps with a frame |
//! | `film` | frames, and the list for ParaView |
//! | `series` | one series |
//! | `elements`, `sub_cells`, `sampler` | snapshots of spectral elements |
//! | `cells` | snapshots of a finite-difference grid |
//! | `plane`, `point_grid` | slices on a regular grid of points |
//! | `shown` | the quantities |
//! | `needs` | memory and disk space |
//! | `writing` | computing time |
//! | `pictures` | frames as PNG, with a common colour scale |
//!
//! All fields of a frame belong to one time, that of velocity, half a step before a whole step. Files and lists have
//! this time. The correction of time dispersion requires the whole run, so that it applies only to seismograms; frames
//! show the uncorrected field.

mod cells;
mod elements;
mod film;
mod needs;
mod pictures;
mod plane;
mod point_grid;
mod rhythm;
mod sampler;
mod series;
mod shown;
mod sub_cells;
mod view;
mod writing;

use std::sync::Arc;

use craton_model::EarthModel;
use craton_run::{Cancel, OutputDirectory};

use crate::error::Error;
use crate::number::counted;
use crate::pipeline::{Motion, Scalar};
use crate::placing::TimeAxis;
use crate::setup::Setup;
use series::{Earth, Series};
use view::View;

pub use film::{FOLDER, Film};
pub use needs::{Needs, PICTURE, frame_of_points};
pub use pictures::{Marks, Pixels, draw};
pub use plane::Plane;
pub use point_grid::PointGrid;
pub use rhythm::Rhythm;
pub use shown::{Sampled, Shown};
pub use writing::Writing;

/// All series of a run: the surface, the slices in order, the volume.
pub struct Snapshots<T: Scalar> {
    folder: Arc<OutputDirectory>,
    model: EarthModel,
    series: Vec<Series<T>>,
}

impl<T: Scalar> Snapshots<T> {
    /// Finds the points and cells of every series; existing series of a resumed run are continued.
    ///
    /// # Errors
    /// A slice that does not intersect the Earth, a folder without write permission, or insufficient device memory.
    pub fn new(
        setup: &Setup,
        axis: &TimeAxis,
        motion: &mut Motion<T>,
        folder: &Arc<OutputDirectory>,
    ) -> Result<Self, Error> {
        let views = View::all(&setup.output.snapshots);
        let scenes = match motion {
            Motion::Sem(elements) => elements::scenes(&**elements, &setup.frame, &views)?,
            Motion::Fd(cells) => cells::scenes(&mut **cells, setup, &views)?,
        };
        let mut series = Vec::new();
        for (view, scene) in views.iter().zip(scenes) {
            let rhythm = Rhythm::new(view.wanted.every, axis);
            series.push(Series::new(unused(&view.name(), &series), scene, view.wanted, rhythm, folder)?);
        }
        Ok(Self { folder: Arc::clone(folder), model: setup.model.clone(), series })
    }

    /// Whether there is a series.
    pub fn is_empty(&self) -> bool {
        self.series.is_empty()
    }

    /// The steps at which each series has a frame.
    pub fn rhythms(&self) -> impl Iterator<Item = Rhythm> {
        self.series.iter().map(|series| series.rhythm)
    }

    /// Writes a frame of a series; nothing after the end of the simulation, where steps serve only the correction of
    /// seismograms.
    ///
    /// # Arguments
    /// * `number` – index of the series, in the order of [`Snapshots::rhythms`]
    /// * `time` – time of the whole step [s]
    /// # Errors
    /// A file that cannot be written, or a failing device.
    pub fn write(&mut self, number: usize, motion: &Motion<T>, time: f64) -> Result<(), Error> {
        if motion.step() > self.series[number].rhythm.last {
            return Ok(());
        }
        let time = time - 0.5 * motion.dt();
        self.series[number].write(time, Earth { motion, model: &self.model }, &self.folder)
    }

    /// Draws the frames of the series with pictures, each series with a common colour scale.
    ///
    /// # Returns
    /// A line for the user about each series.
    /// # Errors
    /// An unreadable frame, a picture that cannot be written; [`Error::Stopped`] if `cancel` is raised.
    pub fn finish(&self, setup: &Setup, motion: &Motion<T>, cancel: &Cancel) -> Result<Vec<String>, Error> {
        let line = |Series { film, scene, png, .. }: &Series<T>| {
            if let Some(sheet) = png.then(|| scene.sheet(setup, motion)).flatten() {
                let chunk = setup.frame.chunk().map(|_| setup);
                draw(film, &sheet, &setup.title, chunk, motion.workers(), &self.folder, cancel)?;
            }
            let pictures = if *png { ", with pictures" } else { "" };
            Ok(format!("{} ({}{pictures})", film.list().display(), counted(film.frames.len(), "frame")))
        };
        self.series.iter().filter(|series| !series.film.frames.is_empty()).map(line).collect()
    }
}

/// A unique name of a series: two slices may be in one plane.
fn unused<T: Scalar>(name: &str, series: &[Series<T>]) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    let is_free = |name: &String| series.iter().all(|series| series.film.name != *name);
    names.find(is_free).expect("there are more numbers than series")
}

#[cfg(test)]
mod tests;
