//! The grids of the shots of a survey.
//!
//! | module | content |
//! |---|---|
//! | `acoustic` | the fluid on the cells of the box |
//! | `elastic` | the solid on the cells of the box |
//! | `warnings` | warnings about the grid |

pub mod acoustic;
pub mod elastic;
mod warnings;

use std::ops::Range;

use craton_acquisition::survey::{Array, Extent, Shot};
use craton_device::Workers;
use craton_fd::Grid;
use craton_fd::acoustic::{AcousticField, InterpolationNeed};
use craton_run::Room;

use super::setup::Setup;
use super::time_axis::TimeAxis;
use crate::error::{Error, Problem};
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::Checked;
use acoustic::AcousticGrid;
use elastic::ElasticGrid;

/// Tolerance of a position on a grid point, in cells.
const ON_POINT: f64 = 1e-6;
/// Largest number of steps of a shot, limited by the transforms of its traces.
const MOST_STEPS: f64 = 1e8;
/// Smallest number of cells of a shot along an axis.
const FEWEST_CELLS: usize = 4;

/// The grid of a survey, and of each shot.
pub struct Grids {
    /// The cells of the box, without absorbing layers.
    grid: Grid,
    /// Thickness of the absorbing layers along each axis, low and high side.
    around: [[usize; 2]; 3],
    /// The waves, and their medium on the cells.
    physics: Physics,
    /// Time axis.
    pub axis: TimeAxis,
    /// Time step relative to the largest stable step.
    pub courant: f64,
    /// Points per shortest wavelength at the highest frequency.
    pub points_per_wavelength: f64,
    /// Highest resolved frequency [Hz].
    pub max_frequency: f64,
    aperture: Option<f64>,
    is_plane: bool,
    interpolation: InterpolationNeed,
    /// Largest number of positions of a receiver.
    positions_per_receiver: usize,
}

/// The waves of a survey, and their medium.
pub enum Physics {
    /// Pressure in a fluid.
    Acoustic(Box<AcousticGrid>),
    /// Velocity and stress in solids and fluids.
    Elastic(Box<ElasticGrid>),
}

/// A discretised model.
struct Discretised {
    /// The cells of the box, without absorbing layers.
    grid: Grid,
    around: [[usize; 2]; 3],
    physics: Physics,
    /// Largest stable time step [s].
    stable: f64,
    points_per_wavelength: f64,
    /// What the interpolation of a position needs at most.
    interpolation: InterpolationNeed,
}

/// The cells of the box in which a shot is computed, at all depths.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Window {
    /// Cell range along each axis.
    pub cells: [Range<usize>; 3],
}

impl Grids {
    /// The grid of a survey.
    ///
    /// # Arguments
    /// * `room` – the available memory; a model in a wrong unit would require excessive memory
    /// # Errors
    /// Insufficient memory; a time step that is unstable or too short; impossible stencils or layers.
    pub fn new(setup: &Setup, workers: &Workers, room: &Room) -> Result<Self, Error> {
        let Discretised { grid, around, physics, stable, points_per_wavelength, interpolation } = match &setup.solid {
            Some(solid) => elastic::discretised(setup, solid, workers, room)?,
            None => acoustic::discretised(setup, workers, room)?,
        };
        let fd = &setup.fd;
        let dt = fd.time_step.unwrap_or(fd.courant * stable);
        if dt > stable {
            let cause = format!("the fastest wave on cells of {} m", Number(grid.spacing[0].min(grid.spacing[2])));
            return Err(Error::TimeStep { dt, stable, cause, method: "fd" });
        }
        let end = setup.times.zero + setup.duration;
        let steps = end / dt;
        if steps > MOST_STEPS {
            return Err(Error::TooManySteps { start: 0.0, end, dt, steps, most: MOST_STEPS });
        }
        Ok(Self {
            grid,
            around,
            physics,
            axis: TimeAxis::new(setup.duration, setup.output.sample_interval, dt, setup.times),
            courant: dt / stable,
            points_per_wavelength,
            max_frequency: fd.max_frequency,
            aperture: fd.aperture,
            is_plane: setup.is_plane,
            interpolation,
            positions_per_receiver: positions_per_receiver(setup),
        })
    }

    /// The cells of the box, without layers.
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The waves, and their medium.
    pub fn physics(&self) -> &Physics {
        &self.physics
    }

    /// The fluid of an acoustic survey.
    ///
    /// # Panics
    /// If the survey is elastic.
    pub fn acoustic(&self) -> &AcousticGrid {
        match &self.physics {
            Physics::Acoustic(grid) => grid,
            Physics::Elastic(_) => unreachable!("engines of acoustic shots belong to acoustic surveys"),
        }
    }

    /// The equation and the reason of its choice, for reports.
    pub fn equation_in_words(&self) -> String {
        match &self.physics {
            Physics::Acoustic(grid) => grid.equation.in_words(),
            Physics::Elastic(_) => "elastic, velocity and stress, as requested".to_owned(),
        }
    }

    /// The name of the equation in records.
    pub fn equation_name(&self) -> &'static str {
        match &self.physics {
            Physics::Acoustic(grid) => grid.equation.name(),
            Physics::Elastic(_) => "elastic",
        }
    }

    /// Thickness of the layers along each axis, low and high side.
    pub fn around(&self) -> [[usize; 2]; 3] {
        self.around
    }

    /// The cells in which a shot is computed.
    pub fn window(&self, shot: &Shot) -> Window {
        let grid = self.grid();
        let whole = grid.cells.map(|cells| 0..cells);
        let Some(aperture) = self.aperture else { return Window { cells: whole } };
        let Extent { low, high } = shot.aperture([aperture, aperture, 0.0]);
        let along = |axis: usize| {
            let place = |at: f64| (at - grid.origin[axis]) / grid.spacing[axis];
            let most = grid.cells[axis];
            let first = (place(low[axis]).floor().max(0.0) as usize).min(most.saturating_sub(FEWEST_CELLS));
            let end = (place(high[axis]).ceil().max(0.0) as usize).clamp((first + FEWEST_CELLS).min(most), most);
            first..end
        };
        let y = if self.is_plane { 0..1 } else { along(1) };
        Window { cells: [along(0), y, whole[2].clone()] }
    }

    /// Edge lengths of a cell [m]; 0 along y in two dimensions.
    pub fn edges(&self) -> [f64; 3] {
        extents(self.grid(), self.is_plane)
    }

    /// What the interpolation of a channel needs at most.
    pub fn interpolation(&self) -> InterpolationNeed {
        let InterpolationNeed { points, bytes } = self.interpolation;
        let count = self.positions_per_receiver;
        InterpolationNeed { points: count * points, bytes: count * bytes }
    }

    /// Whether the model is two-dimensional.
    pub fn is_plane(&self) -> bool {
        self.is_plane
    }

    /// Memory of the model per cell [bytes].
    pub fn model_bytes_per_cell(&self) -> f64 {
        match &self.physics {
            Physics::Acoustic(grid) => grid.medium.bytes() as f64 / self.grid.n_cells() as f64,
            Physics::Elastic(grid) => grid.bytes_per_cell(),
        }
    }

    /// Sets of memory variables of attenuation: variables per point.
    pub fn memory_sets(&self) -> usize {
        match &self.physics {
            Physics::Acoustic(grid) => grid.memory_sets(),
            Physics::Elastic(grid) => grid.memory_sets(),
        }
    }

    /// Number of points of a shot, including layers.
    pub fn points(&self, window: &Window) -> usize {
        (0..3).map(|axis| window.cells[axis].len() + self.around[axis][0] + self.around[axis][1]).product()
    }

    /// The horizontal and vertical axes of the model: two or three.
    fn axes(&self) -> impl Iterator<Item = usize> {
        (0..3).filter(|&axis| !(axis == 1 && self.is_plane))
    }

    /// Whether a position is a grid point of a field: pressure is at cell centres, velocity on faces.
    fn is_point(&self, field: AcousticField, place: [f64; 3]) -> bool {
        let Grid { origin, spacing, .. } = self.grid();
        self.axes().all(|axis| {
            let first = if field == AcousticField::Velocity(axis) { 0.0 } else { 0.5 };
            let along = (place[axis] - origin[axis]) / spacing[axis] - first;
            (along - along.round()).abs() < ON_POINT
        })
    }

    /// The longest edge of a cell [m].
    fn coarsest(&self) -> f64 {
        extents(self.grid(), self.is_plane).into_iter().fold(0.0, f64::max)
    }

    /// Rejects shots with too few cells for the absorbing layers, and the scalar wave equation where it does not apply.
    ///
    /// # Errors
    /// The axis that is too short, with the smallest allowed number; why the equation does not apply.
    pub fn check(&self) -> Checked<()> {
        if let Physics::Acoustic(grid) = &self.physics {
            grid.equation.check()?;
        }
        let short = (0..3).find(|&axis| !(axis == 1 && self.is_plane) && self.grid().cells[axis] < FEWEST_CELLS);
        let Some(axis) = short else { return Ok(()) };
        let name = ["x", "y", "depth"][axis];
        let message = format!("is {} cells of {} m", self.grid().cells[axis], Number(self.grid().spacing[axis]));
        let problem = Problem::new(KeyPath::default().key("domain").key(name), message);
        Err(problem.allowed(format!("at least {FEWEST_CELLS} cells")).hint("check the unit: metres").into())
    }
}

/// Largest number of positions of a receiver: the elements of its array.
fn positions_per_receiver(setup: &Setup) -> usize {
    let spreads = setup.survey.shots().iter().flat_map(|shot| shot.spread.receivers());
    spreads.map(|receiver| receiver.array.points().count()).max().unwrap_or(1)
}

/// All positions of sources and receivers.
fn positions(setup: &Setup) -> impl Iterator<Item = [f64; 3]> + '_ {
    let of_array = |array: &Array| array.points().map(|point| point.position).collect::<Vec<_>>();
    setup.survey.shots().iter().flat_map(move |shot| {
        let receivers = shot.spread.receivers().flat_map(move |receiver| of_array(&receiver.array));
        of_array(&shot.source).into_iter().chain(receivers)
    })
}

/// Edge lengths of a cell [m]; 0 along y in two dimensions.
fn extents(grid: &Grid, is_plane: bool) -> [f64; 3] {
    let [x, y, z] = grid.spacing;
    [x, if is_plane { 0.0 } else { y }, z]
}
