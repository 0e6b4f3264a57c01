//! Snapshots of the wavefield as time series for ParaView, and as pictures.
//!
//! | file | task |
//! |---|---|
//! | this one | all series of a run |
//! | `view` | the requested series |
//! | `rhythm` | the steps with a frame |
//! | `film` | files of a series, and the list for ParaView |
//! | `series` | one series |
//! | `frame` | positions and values of a series at one time |
//! | `films` | frames of all series in the results folder |
//! | `elements`, `sub_cells`, `sampler` | snapshots of spectral elements |
//! | `cells` | snapshots of a finite-difference grid |
//! | `cut` | the planes of slices |
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
mod cut;
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
mod seen;
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

pub use cut::{Cut, GreatCircle};
pub use film::{FOLDER, Film};
pub use films::Films;
pub use frame::{Fields, Frame, Places};
pub use needs::{Needs, PICTURE, frame_of_points};
pub use pictures::{Marks, Pixels, Sheet, draw};
pub use plane::Plane;
pub use point_grid::PointGrid;
pub use rhythm::Rhythm;
pub use seen::seen;
pub use shown::{Sampled, Shown};
pub use writing::Writing;

/// All series of a run: the surface, the slices in order, the volume.
pub struct Snapshots<T: Scalar> {
    series: Vec<Series<T>>,
}

impl<T: Scalar> Snapshots<T> {
    /// Finds the points and cells of every series.
    ///
    /// # Errors
    /// A slice that does not intersect the Earth, or insufficient device memory.
    pub fn new(setup: &Setup, axis: &TimeAxis, solver: &mut RunningSolver<T>) -> Result<Self, Error> {
        let views = View::all(setup);
        let scenes = match solver {
            RunningSolver::Sem(elements) => elements::scenes(&**elements, setup, &views)?,
            RunningSolver::Fd(cells) => cells::scenes(&mut **cells, setup, &views)?,
        };
        let mut series: Vec<Series<T>> = Vec::new();
        for (view, scene) in views.iter().zip(scenes) {
            let (name, shown) = (unused(&view.name(), &series), Shown::all(view.snapshot));
            let rhythm = Rhythm::new(view.snapshot.every, axis);
            series.push(Series { name, shown, scene, rhythm, png: view.snapshot.png });
        }
        Ok(Self { series })
    }

    /// All series; the index of a series is its number.
    pub fn series(&self) -> &[Series<T>] {
        &self.series
    }

    /// Samples a frame of a series; `None` after the end of the simulation, where steps serve only the correction of
    /// seismograms.
    ///
    /// # Arguments
    /// * `number` – index of the series in [`Snapshots::series`]
    /// * `time` – time of the whole step [s]
    /// # Errors
    /// A failing device.
    pub fn frame(
        &self,
        number: usize,
        (setup, solver): (&Setup, &RunningSolver<T>),
        time: f64,
    ) -> Result<Option<Frame<'_>>, Error> {
        let series = &self.series[number];
        if solver.step() > series.rhythm.last {
            return Ok(None);
        }
        let (step, dt) = (solver.step(), solver.dt());
        let fields = series.scene.sample(Earth { solver, model: &setup.model }, &series.shown)?;
        Ok(Some(Frame { series: &series.name, number, step, time: time - 0.5 * dt, dt, fields }))
    }
}

/// A unique name of a series: two slices may be in one plane.
fn unused<T: Scalar>(name: &str, series: &[Series<T>]) -> String {
    let numbered = (2..).map(|number| format!("{name}_{number}"));
    let mut names = std::iter::once(name.to_owned()).chain(numbered);
    let is_free = |name: &String| series.iter().all(|series| series.name != *name);
    names.find(is_free).expect("there are more numbers than series")
}

#[cfg(test)]
mod tests;
