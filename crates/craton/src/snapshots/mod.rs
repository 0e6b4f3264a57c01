//! The moving Earth as time series for ParaView, and as pictures.
//!
//! | file | what it does |
//! |---|---|
//! | this one | all series of a run |
//! | `view` | the series that are asked for |
//! | `rhythm` | the steps at which a frame is written |
//! | `film` | frames, and the list that ParaView plays |
//! | `series` | one of them: a frame now and then |
//! | `frame` | values and where they are, at one time |
//! | `films` | frames in the folder of the results |
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
mod films;
mod frame;
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

use crate::error::Error;
use crate::pipeline::{RunningSolver, Scalar};
use crate::setup::Setup;
use crate::time_axis::TimeAxis;
use series::{Earth, Series};
use view::View;

pub use film::{FOLDER, Film};
pub use films::Films;
pub use frame::{Fields, Frame, Places};
pub use needs::{Needs, PICTURE, frame_of_points};
pub use pictures::{Marks, Pixels, Sheet, draw};
pub use plane::Plane;
pub use point_grid::PointGrid;
pub use rhythm::Rhythm;
pub use shown::{Sampled, Shown};
pub use writing::Writing;

/// All series of a run: the surface, the slices in their order, the volume.
pub struct Snapshots<T: Scalar> {
    series: Vec<Series<T>>,
}

impl<T: Scalar> Snapshots<T> {
    /// Finds the points and cells of every series.
    ///
    /// # Errors
    /// A slice without a point in the Earth, a device without the memory.
    pub fn new(setup: &Setup, axis: &TimeAxis, motion: &mut RunningSolver<T>) -> Result<Self, Error> {
        let views = View::all(&setup.output.snapshots);
        let scenes = match motion {
            RunningSolver::Sem(elements) => elements::scenes(&**elements, &setup.frame, &views)?,
            RunningSolver::Fd(cells) => cells::scenes(&mut **cells, setup, &views)?,
        };
        let mut series: Vec<Series<T>> = Vec::new();
        for (view, scene) in views.iter().zip(scenes) {
            let (name, shown) = (unused(&view.name(), &series), Shown::all(view.wanted));
            let rhythm = Rhythm::new(view.wanted.every, axis);
            series.push(Series { name, shown, scene, rhythm, png: view.wanted.png });
        }
        Ok(Self { series })
    }

    /// The series, in the order of their numbers.
    pub fn series(&self) -> &[Series<T>] {
        &self.series
    }

    /// A frame of a series; none after the end of the simulation, where only the correction of seismograms goes on.
    ///
    /// # Arguments
    /// * `number` – of the series
    /// * `time` – that of the whole step [s]
    /// # Errors
    /// A device that fails.
    pub fn frame(
        &self,
        number: usize,
        (setup, motion): (&Setup, &RunningSolver<T>),
        time: f64,
    ) -> Result<Option<Frame<'_>>, Error> {
        let series = &self.series[number];
        if motion.step() > series.rhythm.last {
            return Ok(None);
        }
        let (step, dt) = (motion.step(), motion.dt());
        let fields = series.scene.sample(Earth { motion, model: &setup.model }, &series.shown)?;
        Ok(Some(Frame { series: &series.name, number, step, time: time - 0.5 * dt, dt, fields }))
    }
}

/// A name that no series has: two slices may lie in one plane.
fn unused<T: Scalar>(name: &str, series: &[Series<T>]) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    let is_free = |name: &String| series.iter().all(|series| series.name != *name);
    names.find(is_free).expect("there are more numbers than series")
}

#[cfg(test)]
mod tests;
