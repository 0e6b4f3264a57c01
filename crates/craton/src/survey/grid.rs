//! The grids of the shots of a survey.

use std::ops::Range;
use std::sync::Arc;

use craton_acquisition::survey::{Array, Extent, Shot};
use craton_device::{Isa, Workers};
use craton_fd::acoustic::{
    AcousticField, AcousticMedium, AcousticOptions, FluidGradient, FluidMechanisms, GridGradient, InterpolationNeed,
};
use craton_fd::{AbsorbingLayer, Boundaries, Grid, Side};
use craton_numerics::sinc::WindowedSinc;
use craton_run::{Bytes, Room};

use super::config::Quantity;
use super::equation::EquationChoice;
use super::relaxation;
use super::setup::Setup;
use super::time_axis::TimeAxis;
use crate::error::{Error, Problem};
use crate::gridding::{DOMINANT, PROFILE, points_per_wavelength, stencil};
use crate::key_path::KeyPath;
use crate::number::{Number, counted};
use crate::setup::findings::Checked;

/// Half width and shape of the interpolation window for sources and receivers between grid points. Its error is 2e-5
/// for distances beyond the half width, compared to 1e-3 of the four weights of scenarios.
const RADIUS: usize = 8;
const WINDOW: f64 = 4.0;
/// Distance in cells between source and receiver below which velocities, and the fields of forces, are inaccurate: at
/// ten cells the error is 1.6 %.
const FAR_ENOUGH: usize = 12;
/// Distance in cells from the source beyond which the error of the pressure of a monopole is known.
const KNOWN_FROM: f64 = 0.5;
/// Tolerance of a position on a grid point, in cells.
const ON_POINT: f64 = 1e-6;
/// Memory per cell of a fluid [bytes]: bulk modulus and density, and buoyancies of faces if the fluid varies in cells.
const BYTES_PER_CELL: f64 = 8.0;
const BYTES_OF_FACES: f64 = 12.0;
/// Additional memory per cell with attenuation [bytes].
const BYTES_OF_LOSSES: f64 = 4.0;
/// Largest number of steps of a shot, limited by the transforms of its traces.
const MOST_STEPS: f64 = 1e8;
/// Smallest number of cells of a shot along an axis.
const FEWEST_CELLS: usize = 4;

/// The grid of a survey, and of each shot.
pub struct Grids {
    /// The fluid on the cells of the box, without absorbing layers.
    medium: AcousticMedium<f32>,
    /// Thickness of the absorbing layers along each axis, low and high side.
    around: [[usize; 2]; 3],
    /// Numerical parameters of a shot.
    pub options: AcousticOptions,
    /// The equation, and why it was chosen.
    pub equation: EquationChoice,
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
        let fd = &setup.fd;
        let stencil = stencil(fd.order, fd.holberg)?;
        let [slowest, fastest] = workers.run(|| setup.fluid.speeds(&setup.domain));
        let grid = box_of(setup, slowest);
        // The box, and its copy with layers.
        let cells = grid.cells.iter().map(|&n| n as f64).product::<f64>();
        let edges = extents(&grid, setup.is_plane);
        let varies = setup.fluid.varies_in_cells(edges);
        let of_losses = if setup.fluid.attenuation().is_some() { BYTES_OF_LOSSES } else { 0.0 };
        let per_cell = BYTES_PER_CELL + of_losses + if varies { BYTES_OF_FACES } else { 0.0 };
        room.require_of_each(Bytes((2.0 * per_cell * cells) as u64))?;
        let medium = workers.run(|| match varies {
            true => AcousticMedium::averaged(grid, |cell| setup.fluid.effective(grid.centre(cell), edges)),
            false => AcousticMedium::new(grid, |cell| setup.fluid.unrelaxed(grid.centre(cell))),
        })?;
        let coarsest = edges.into_iter().fold(0.0, f64::max);
        let per_wavelength = slowest / fd.max_frequency / coarsest;
        let medium = workers.run(|| relaxation::with_losses(medium, setup, (edges, varies), per_wavelength));
        let equation = EquationChoice::new(setup, &medium);
        let (boundaries, around) = sides(setup, fastest);
        let interpolation = WindowedSinc::new(RADIUS, WINDOW)?;
        let discretised = equation.discretised(fd)?;
        let options = AcousticOptions { equation: discretised, stencil, boundaries, interpolation, isa: Isa::detect() };
        // A step that is stable for both equations, since gradients always use the system of first order.
        let stable = workers.run(|| medium.stable_step_of_parts(&options.stencil).min(medium.stable_step_of(&options)));
        let dt = fd.time_step.unwrap_or(fd.courant * stable);
        if dt > stable {
            let cause = format!("the fastest wave on cells of {} m", Number(grid.spacing[0].min(grid.spacing[2])));
            return Err(Error::TimeStep { dt, stable, cause, method: "fd" });
        }
        let steps = setup.duration / dt;
        if steps > MOST_STEPS {
            return Err(Error::TooManySteps { start: 0.0, end: setup.duration, dt, steps, most: MOST_STEPS });
        }
        Ok(Self {
            equation,
            interpolation: workers.run(|| medium.interpolation_need(&options, positions(setup))),
            positions_per_receiver: positions_per_receiver(setup),
            medium,
            around,
            options,
            axis: TimeAxis::new(setup.duration, setup.output.sample_interval, dt),
            courant: dt / stable,
            points_per_wavelength: per_wavelength,
            max_frequency: fd.max_frequency,
            aperture: fd.aperture,
            is_plane: setup.is_plane,
        })
    }

    /// The cells of the box, without layers.
    pub fn grid(&self) -> &Grid {
        self.medium.grid()
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

    /// The fluid of a shot, including its layers.
    pub fn medium_of(&self, window: &Window) -> Arc<AcousticMedium<f32>> {
        Arc::new(self.medium.part(window.cells.clone(), self.around))
    }

    /// Adds the gradient of a shot to that of the cells of the box.
    ///
    /// # Arguments
    /// * `medium` – the fluid of the shot
    pub fn add_gradient(
        &self,
        window: &Window,
        medium: &AcousticMedium<f32>,
        gradient: &GridGradient,
        into: &mut FluidGradient,
    ) {
        self.medium.add_gradient_of_part((&window.cells, self.around), medium, gradient, into);
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

    /// Memory of the fluid per cell [bytes].
    pub fn fluid_bytes_per_cell(&self) -> f64 {
        self.medium.bytes() as f64 / self.grid().n_cells() as f64
    }

    /// Sets of memory variables of attenuation: variables per point.
    pub fn memory_sets(&self) -> usize {
        self.medium.mechanisms().map_or(0, FluidMechanisms::sets)
    }

    /// Number of points of a shot, including layers.
    pub fn points(&self, window: &Window) -> usize {
        (0..3).map(|axis| window.cells[axis].len() + self.around[axis][0] + self.around[axis][1]).product()
    }

    /// Warnings about coarse sampling and positions on interfaces.
    pub fn warnings(&self, setup: &Setup) -> Vec<String> {
        self.dispersed(setup).into_iter().chain(self.too_near(setup)).chain(self.on_interfaces(setup)).collect()
    }

    /// The warning about too few points per wavelength.
    fn dispersed(&self, setup: &Setup) -> Option<String> {
        let needed = setup.fd.points_per_wavelength.unwrap_or_else(|| points_per_wavelength(setup.fd.order));
        let warning = || {
            format!(
                "cells of {} m give {:.2} points per wavelength at {} Hz, but order {} requires {needed}. Waves above {:.3} Hz will disperse",
                Number(self.coarsest()),
                self.points_per_wavelength,
                Number(setup.fd.max_frequency),
                setup.fd.order,
                setup.fd.max_frequency * self.points_per_wavelength / needed
            )
        };
        (self.points_per_wavelength < 0.999 * needed).then(warning)
    }

    /// The warning about traces whose receiver is so near to its source that the direct wave is inaccurate because one
    /// of them is between grid points. For arrays the nearest elements count.
    fn too_near(&self, setup: &Setup) -> Option<String> {
        let spacing = self.grid().spacing;
        let cells = |[source, receiver]: [[f64; 3]; 2]| {
            let along = self.axes().map(|axis| (receiver[axis] - source[axis]) / spacing[axis]);
            along.map(|cells| cells * cells).sum::<f64>().sqrt()
        };
        let is_pressure = setup.source == AcousticField::Pressure && setup.heard == [Quantity::Pressure];
        let radius = if is_pressure { RADIUS } else { FAR_ENOUGH };
        let between_points = |[source, receiver]: [[f64; 3]; 2]| {
            let records_points = || setup.heard.iter().all(|quantity| self.is_point(quantity.field(), receiver));
            !(self.is_point(setup.source, source) && records_points())
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
        let warning = || {
            let off = match (is_pressure && nearest >= KNOWN_FROM, self.is_plane) {
                (true, true) => "in error by up to 6 %",
                (true, false) => "in error by up to 30 %",
                _ => "unreliable",
            };
            format!(
                "{} with the receiver closer to the source than {radius} cells of {} m: the direct wave is {off}",
                counted(count, "trace"),
                Number(self.coarsest())
            )
        };
        (count > 0).then(warning)
    }

    /// The note about sources and receivers on an interface, where density jumps.
    fn on_interfaces(&self, setup: &Setup) -> Option<String> {
        let is_on = |array: &Array| array.points().any(|point| self.medium.is_on_interface(point.position));
        let shots = setup.survey.shots();
        let sources = shots.iter().filter(|shot| is_on(&shot.source)).count();
        let receivers =
            shots.iter().flat_map(|shot| shot.spread.receivers()).filter(|receiver| is_on(&receiver.array)).count();
        (sources + receivers > 0).then(|| {
            format!(
                "{} and the receivers of {} lie on a jump of density and belong to the medium below it, or east or north of it",
                counted(sources, "source"),
                counted(receivers, "trace")
            )
        })
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
        self.equation.check()?;
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

/// Boundary conditions of a shot, and thickness of the layers along each axis, low and high side.
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

/// The cells of the box, with the edge length from the slowest wave or as requested, adjusted to fit a whole number of
/// times.
fn box_of(setup: &Setup, slowest: f64) -> Grid {
    let fd = &setup.fd;
    let per_wavelength = fd.points_per_wavelength.unwrap_or_else(|| points_per_wavelength(fd.order));
    let requested = fd.grid_spacing.unwrap_or(slowest / fd.max_frequency / per_wavelength);
    let Extent { low, high } = setup.domain;
    let is_flat = |axis: usize| axis == 1 && setup.is_plane;
    let cells = [0, 1, 2].map(|axis| match is_flat(axis) {
        true => 1,
        false => (((high[axis] - low[axis]) / requested - 1e-6).ceil() as usize).max(1),
    });
    let spacing = [0, 1, 2].map(|axis| if is_flat(axis) { 1.0 } else { (high[axis] - low[axis]) / cells[axis] as f64 });
    Grid { origin: [0, 1, 2].map(|axis| if is_flat(axis) { -0.5 } else { low[axis] }), spacing, cells }
}

/// Edge lengths of a cell [m]; `None` along y in two dimensions.
fn extents(grid: &Grid, is_plane: bool) -> [f64; 3] {
    let [x, y, z] = grid.spacing;
    [x, if is_plane { 0.0 } else { y }, z]
}
