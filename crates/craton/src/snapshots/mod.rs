//! The moving Earth as time series for ParaView, and as pictures.
//!
//! | file | what it does |
//! |---|---|
//! | this one | all series of a run |
//! | `view` | the series that are asked for |
//! | `rhythm` | the steps at which a frame is written |
//! | `film` | frames, and the list that ParaView plays |
//! | `series` | one of them: a frame now and then |
//! | `elements`, `sub_cells`, `sampler` | what series show of spectral elements |
//! | `cells` | what they show of a grid of cells |
//! | `plane`, `point_grid` | slices on a regular grid of points |
//! | `shown` | what is shown |
//! | `needs` | memory and disk |
//! | `writing` | time |
//! | `pictures` | frames as PNG, on one scale of colours |
//!
//! All that a frame shows belongs to one time, that of velocity: half a step before a whole one. This is the time in its file and in the
//! list. The removal of time dispersion, which needs the whole run, is for seismograms alone: frames show the scheme's own field.

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
use crate::pipeline::{RunningSolver, Scalar};
use crate::setup::Setup;
use crate::time_axis::TimeAxis;
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

/// All series of a run: the surface, the slices in their order, the volume.
pub struct Snapshots<T: Scalar> {
    folder: Arc<OutputDirectory>,
    model: EarthModel,
    series: Vec<Series<T>>,
}

impl<T: Scalar> Snapshots<T> {
    /// Finds the points and cells of every series; series that are there already, of a run that is resumed, will be gone on with.
    ///
    /// # Errors
    /// A slice without a point in the Earth, a folder that cannot be written, a device without the memory.
    pub fn new(
        setup: &Setup,
        axis: &TimeAxis,
        motion: &mut RunningSolver<T>,
        folder: &Arc<OutputDirectory>,
    ) -> Result<Self, Error> {
        let views = View::all(&setup.output.snapshots);
        let scenes = match motion {
            RunningSolver::Sem(elements) => elements::scenes(&**elements, &setup.frame, &views)?,
            RunningSolver::Fd(cells) => cells::scenes(&mut **cells, setup, &views)?,
        };
        let mut series = Vec::new();
        for (view, scene) in views.iter().zip(scenes) {
            let rhythm = Rhythm::new(view.wanted.every, axis);
            series.push(Series::new(unused(&view.name(), &series), scene, view.wanted, rhythm, folder)?);
        }
        Ok(Self { folder: Arc::clone(folder), model: setup.model.clone(), series })
    }

    /// Whether there is a series at all.
    pub fn is_empty(&self) -> bool {
        self.series.is_empty()
    }

    /// The steps at which each series takes a frame.
    pub fn rhythms(&self) -> impl Iterator<Item = Rhythm> {
        self.series.iter().map(|series| series.rhythm)
    }

    /// Writes a frame of a series; none after the end of the simulation, where only the correction of seismograms goes on.
    ///
    /// # Arguments
    /// * `number` – of the series, in the order of [`Snapshots::rhythms`]
    /// * `time` – that of the whole step [s]
    /// # Errors
    /// A file that cannot be written, a device that fails.
    pub fn write(&mut self, number: usize, motion: &RunningSolver<T>, time: f64) -> Result<(), Error> {
        if motion.step() > self.series[number].rhythm.last {
            return Ok(());
        }
        let time = time - 0.5 * motion.dt();
        self.series[number].write(time, Earth { motion, model: &self.model }, &self.folder)
    }

    /// Draws the frames of the series that want it, each series on one scale of colours.
    ///
    /// # Returns
    /// A line for the user about every series.
    /// # Errors
    /// A frame that cannot be read back, a picture that cannot be written; [`Error::Stopped`] when `cancel` is raised meanwhile.
    pub fn finish(&self, setup: &Setup, motion: &RunningSolver<T>, cancel: &Cancel) -> Result<Vec<String>, Error> {
        let line = |Series { film, scene, png, .. }: &Series<T>| {
            if let Some(sheet) = png.then(|| scene.sheet(setup, motion)).flatten() {
                let chunk = setup.frame.chunk().map(|_| setup);
                draw(film, &sheet, &setup.title, chunk, motion.workers(), &self.folder, cancel)?;
            }
            let pictures = if *png { ", and as pictures" } else { "" };
            Ok(format!("{} ({}{pictures})", film.list().display(), counted(film.frames.len(), "frame")))
        };
        self.series.iter().filter(|series| !series.film.frames.is_empty()).map(line).collect()
    }
}

/// A name that no series has: two slices may lie in one plane.
fn unused<T: Scalar>(name: &str, series: &[Series<T>]) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    let is_free = |name: &String| series.iter().all(|series| series.film.name != *name);
    names.find(is_free).expect("there are more numbers than series")
}

#[cfg(test)]
mod tests;
