//! From a checked survey to the cells of its shots.

use std::ops::Range;
use std::sync::Arc;

use craton_acquisition::survey::{Array, Extent, Shot};
use craton_device::{Isa, Workers};
use craton_fd::acoustic::{AcousticField, AcousticMedium, AcousticOptions};
use craton_fd::{AbsorbingLayer, Boundaries, Grid, Side};
use craton_numerics::sinc::WindowedSinc;
use craton_run::{Bytes, Room};

use super::config::Quantity;
use super::setup::Setup;
use super::time_axis::TimeAxis;
use crate::error::{Error, Problem};
use crate::gridding::{DOMINANT, PROFILE, points_per_wavelength, stencil};
use crate::key_path::KeyPath;
use crate::number::{Number, counted};
use crate::setup::findings::Checked;

/// Half the number of weights along an axis for a source or a receiver between the points, and the shape of their window: with the four weights of
/// scenarios an error of 1e-3 is left, with these 2e-5, where source and receiver are farther apart than this half.
const RADIUS: usize = 8;
const WINDOW: f64 = 4.0;
/// Cells between source and receiver within which motion, and what forces send, is not reliable: at ten of them it is off by 1.6 %.
const FAR_ENOUGH: usize = 12;
/// Cells from the source to where the error of the pressure of a monopole is known.
const KNOWN_FROM: f64 = 0.5;
/// How far from a point of the grid a place is on it, in cells.
const ON_POINT: f64 = 1e-6;
/// Memory of a cell of a fluid: bulk modulus and density [bytes].
const BYTES_PER_CELL: f64 = 8.0;
/// Steps of a shot at most: the transforms of its traces are as long.
const MOST_STEPS: f64 = 1e8;
/// Cells of a shot at least along an axis: fewer are no place for a wave.
const FEWEST_CELLS: usize = 4;

/// The cells of a survey, and of each of its shots.
pub struct Grids {
    /// The fluid on the cells of the box, without layers.
    medium: AcousticMedium<f32>,
    /// Cells of layers along each axis, below and above.
    around: [[usize; 2]; 3],
    /// How a shot is computed.
    pub options: AcousticOptions,
    /// When.
    pub axis: TimeAxis,
    /// The time step over the largest stable one.
    pub courant: f64,
    /// Points per wavelength of the slowest wave at the highest frequency.
    pub points_per_wavelength: f64,
    /// Highest frequency that is to be resolved [Hz].
    pub max_frequency: f64,
    aperture: Option<f64>,
    is_plane: bool,
}

/// Cells of the box that a shot is computed on: at all depths.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Window {
    /// Along each axis.
    pub cells: [Range<usize>; 3],
}

impl Grids {
    /// The cells of a survey.
    ///
    /// # Arguments
    /// * `room` – the memory that there is: a model in another unit asks for all there ever was
    /// # Errors
    /// Too little memory; a time step that is not stable, or too short; stencils and layers that cannot be.
    pub fn new(setup: &Setup, workers: &Workers, room: &Room) -> Result<Self, Error> {
        let fd = &setup.fd;
        let stencil = stencil(fd.order, fd.holberg)?;
        let [slowest, fastest] = workers.run(|| setup.fluid.speeds(&setup.domain));
        let grid = box_of(setup, slowest);
        // The box, and its copy with layers.
        let cells = grid.cells.iter().map(|&n| n as f64).product::<f64>();
        room.require_of_each(Bytes((2.0 * BYTES_PER_CELL * cells) as u64))?;
        let medium = workers.run(|| {
            let material = |cell| setup.fluid.of_cell(grid.centre(cell), extents(&grid, setup.is_plane));
            AcousticMedium::new(grid, material)
        })?;
        let stable = workers.run(|| medium.stable_step_of_parts(&stencil));
        let dt = fd.time_step.unwrap_or(fd.courant * stable);
        if dt > stable {
            let cause = format!("the fastest wave on cells of {} m", Number(grid.spacing[0].min(grid.spacing[2])));
            return Err(Error::TimeStep { dt, stable, cause, method: "fd" });
        }
        let steps = setup.duration / dt;
        if steps > MOST_STEPS {
            return Err(Error::TooManySteps { start: 0.0, end: setup.duration, dt, steps, most: MOST_STEPS });
        }
        let (boundaries, around) = sides(setup, fastest);
        let coarsest = extents(&grid, setup.is_plane).into_iter().fold(0.0, f64::max);
        Ok(Self {
            medium,
            around,
            options: AcousticOptions {
                stencil,
                boundaries,
                interpolation: WindowedSinc::new(RADIUS, WINDOW)?,
                isa: Isa::detect(),
            },
            axis: TimeAxis::new(setup.duration, setup.output.sample_interval, dt),
            courant: dt / stable,
            points_per_wavelength: slowest / fd.max_frequency / coarsest,
            max_frequency: fd.max_frequency,
            aperture: fd.aperture,
            is_plane: setup.is_plane,
        })
    }

    /// The cells of the box, without layers.
    pub fn grid(&self) -> &Grid {
        self.medium.grid()
    }

    /// Cells of the layers along each axis, below and above.
    pub fn around(&self) -> [[usize; 2]; 3] {
        self.around
    }

    /// The cells that a shot is computed on.
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

    /// The fluid of a shot, its layers around it.
    pub fn medium_of(&self, window: &Window) -> Arc<AcousticMedium<f32>> {
        Arc::new(self.medium.part(window.cells.clone(), self.around))
    }

    /// Points that a channel is made of, at most.
    pub fn taps(&self) -> usize {
        (2 * RADIUS).pow(if self.is_plane { 2 } else { 3 })
    }

    /// Points of a shot, layers included.
    pub fn points(&self, window: &Window) -> usize {
        (0..3).map(|axis| window.cells[axis].len() + self.around[axis][0] + self.around[axis][1]).product()
    }

    /// What is sampled too coarsely for what was asked.
    pub fn warnings(&self, setup: &Setup) -> Vec<String> {
        self.dispersed(setup).into_iter().chain(self.too_near(setup)).collect()
    }

    /// Says that there are too few points per wavelength.
    fn dispersed(&self, setup: &Setup) -> Option<String> {
        let needed = setup.fd.points_per_wavelength.unwrap_or_else(|| points_per_wavelength(setup.fd.order));
        let told = || {
            format!(
                "cells of {} m hold {:.2} points per wavelength at {} Hz, and order {} needs {needed}: waves will be dispersed from {:.3} Hz on",
                Number(self.coarsest()),
                self.points_per_wavelength,
                Number(setup.fd.max_frequency),
                setup.fd.order,
                setup.fd.max_frequency * self.points_per_wavelength / needed
            )
        };
        (self.points_per_wavelength < 0.999 * needed).then(told)
    }

    /// Counts traces whose receiver is so near to its source that what comes from there directly is off: one of both stands between points. Of
    /// arrays that are the points that lie nearest to each other.
    fn too_near(&self, setup: &Setup) -> Option<String> {
        let spacing = self.grid().spacing;
        let cells = |[source, receiver]: [[f64; 3]; 2]| {
            let along = self.axes().map(|axis| (receiver[axis] - source[axis]) / spacing[axis]);
            along.map(|cells| cells * cells).sum::<f64>().sqrt()
        };
        let is_pressure = setup.source == AcousticField::Pressure && setup.heard == [Quantity::Pressure];
        let radius = if is_pressure { RADIUS } else { FAR_ENOUGH };
        let between_points = |[source, receiver]: [[f64; 3]; 2]| {
            let hears_points = || setup.heard.iter().all(|quantity| self.is_point(quantity.field(), receiver));
            !(self.is_point(setup.source, source) && hears_points())
        };
        let shortest = |source: &Array, receiver: &Array| {
            let to_all = |source: [f64; 3]| receiver.points().map(move |receiver| [source, receiver.position]);
            let pairs = source.points().flat_map(|source| to_all(source.position));
            pairs.filter(|&pair| between_points(pair)).map(cells).fold(f64::INFINITY, f64::min)
        };
        let traces_of = |shot: &Shot| {
            let of_shot = shot.spread.receivers().map(|receiver| shortest(&shot.source, &receiver.array));
            of_shot.collect::<Vec<_>>()
        };
        let near = setup.survey.shots().iter().flat_map(traces_of).filter(|&cells| cells < radius as f64);
        let (count, nearest) =
            near.fold((0_usize, f64::INFINITY), |(count, nearest), cells| (count + 1, nearest.min(cells)));
        let told = || {
            let off = match (is_pressure && nearest >= KNOWN_FROM, self.is_plane) {
                (true, true) => "off, by up to 6 %",
                (true, false) => "off, by up to 30 %",
                _ => "not reliable",
            };
            format!(
                "{} with the receiver nearer to the source than {radius} cells of {} m: what comes from there directly is {off}",
                counted(count, "trace"),
                Number(self.coarsest())
            )
        };
        (count > 0).then(told)
    }

    /// The axes along which places differ.
    fn axes(&self) -> impl Iterator<Item = usize> {
        (0..3).filter(|&axis| !(axis == 1 && self.is_plane))
    }

    /// Whether a place is a point of a field: pressures stand in the middle of cells, velocities on the faces across them.
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

    /// Refuses shots of so few cells that layers are all there is.
    ///
    /// # Errors
    /// The axis that is too short, with what would do.
    pub fn check(&self) -> Checked<()> {
        let short = (0..3).find(|&axis| !(axis == 1 && self.is_plane) && self.grid().cells[axis] < FEWEST_CELLS);
        let Some(axis) = short else { return Ok(()) };
        let name = ["x", "y", "depth"][axis];
        let message = format!("is {} cells of {} m", self.grid().cells[axis], Number(self.grid().spacing[axis]));
        let problem = Problem::new(KeyPath::default().key("domain").key(name), message);
        Err(problem
            .allowed(format!("at least {FEWEST_CELLS} cells"))
            .hint("is the unit right? a survey is in metres")
            .into())
    }
}

/// What stands at the sides of a shot, and the cells of layers along each axis, below and above.
fn sides(setup: &Setup, fastest: f64) -> (Boundaries, [[usize; 2]; 3]) {
    let cells = setup.absorbing.cells;
    let layer = Side::Layer(AbsorbingLayer {
        cells,
        vp_max: fastest,
        dominant_frequency: DOMINANT * setup.fd.max_frequency,
        reflection: setup.absorbing.reflection,
        exponent: PROFILE,
        max_stretch: 1.0,
    });
    let mut boundaries = Boundaries::all(layer);
    let mut around = [[cells; 2]; 3];
    if setup.is_free {
        boundaries.sides[5] = Side::Free;
        around[2][1] = 0;
    }
    if setup.is_plane {
        around[1] = [0; 2];
    }
    (boundaries, around)
}

/// The cells of the box: edges from the slowest wave, or those asked for, made to fit a whole number of times.
fn box_of(setup: &Setup, slowest: f64) -> Grid {
    let fd = &setup.fd;
    let per_wavelength = fd.points_per_wavelength.unwrap_or_else(|| points_per_wavelength(fd.order));
    let wanted = fd.grid_spacing.unwrap_or(slowest / fd.max_frequency / per_wavelength);
    let Extent { low, high } = setup.domain;
    let is_flat = |axis: usize| axis == 1 && setup.is_plane;
    let cells = [0, 1, 2].map(|axis| match is_flat(axis) {
        true => 1,
        false => (((high[axis] - low[axis]) / wanted - 1e-6).ceil() as usize).max(1),
    });
    let spacing = [0, 1, 2].map(|axis| if is_flat(axis) { 1.0 } else { (high[axis] - low[axis]) / cells[axis] as f64 });
    Grid { origin: [0, 1, 2].map(|axis| if is_flat(axis) { -0.5 } else { low[axis] }), spacing, cells }
}

/// Edges of a cell [m]; none along y in a plane, where nothing varies.
fn extents(grid: &Grid, is_plane: bool) -> [f64; 3] {
    let [x, y, z] = grid.spacing;
    [x, if is_plane { 0.0 } else { y }, z]
}
