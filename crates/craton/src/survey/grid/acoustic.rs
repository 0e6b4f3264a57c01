//! The fluid of an acoustic survey on the cells of its box.

use std::sync::Arc;

use craton_acquisition::survey::Extent;
use craton_device::{Isa, Workers};
use craton_fd::acoustic::{AcousticMedium, AcousticOptions, FluidGradient, FluidMechanisms, GridGradient};
use craton_fd::{AbsorbingLayer, Boundaries, Grid, Side};
use craton_numerics::sinc::WindowedSinc;
use craton_run::{Bytes, Room};

use super::{Discretised, Grids, Physics, Window, extents, positions};
use crate::error::Error;
use crate::gridding::{DOMINANT, PROFILE, points_per_wavelength, stencil};
use crate::survey::equation::EquationChoice;
use crate::survey::relaxation;
use crate::survey::setup::Setup;

/// Half width and shape of the interpolation window for sources and receivers between grid points. Its error is 2e-5
/// for distances beyond the half width, compared to 1e-3 of the four weights of scenarios.
pub const RADIUS: usize = 8;
const WINDOW: f64 = 4.0;
/// Memory per cell of a fluid [bytes]: bulk modulus and density, and buoyancies of faces if the fluid varies in cells.
const BYTES_PER_CELL: f64 = 8.0;
const BYTES_OF_FACES: f64 = 12.0;
/// Additional memory per cell with attenuation [bytes].
const BYTES_OF_LOSSES: f64 = 4.0;

/// The fluid of a survey, and the numerical parameters of its shots.
pub struct AcousticGrid {
    /// The fluid on the cells of the box, without absorbing layers.
    pub medium: AcousticMedium<f32>,
    /// Numerical parameters of a shot.
    pub options: AcousticOptions,
    /// The equation, and why it was chosen.
    pub equation: EquationChoice,
}

impl AcousticGrid {
    /// Sets of memory variables of attenuation.
    pub fn memory_sets(&self) -> usize {
        self.medium.mechanisms().map_or(0, FluidMechanisms::sets)
    }
}

impl Grids {
    /// The fluid of a shot, including its layers.
    pub fn medium_of(&self, window: &Window) -> Arc<AcousticMedium<f32>> {
        Arc::new(self.acoustic().medium.part(window.cells.clone(), self.around))
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
        self.acoustic().medium.add_gradient_of_part((&window.cells, self.around), medium, gradient, into);
    }
}

/// Samples the fluid of a survey on the cells of its box.
///
/// # Errors
/// Insufficient memory; impossible stencils or layers.
pub(super) fn discretised(setup: &Setup, workers: &Workers, room: &Room) -> Result<Discretised, Error> {
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
    let points_per_wavelength = slowest / fd.max_frequency / edges.into_iter().fold(0.0, f64::max);
    let medium = workers.run(|| relaxation::with_losses(medium, setup, (edges, varies), points_per_wavelength));
    let equation = EquationChoice::new(setup, &medium);
    let (boundaries, around) = sides(setup, fastest);
    let interpolation = WindowedSinc::new(RADIUS, WINDOW)?;
    let discretised = equation.discretised(fd)?;
    let options = AcousticOptions { equation: discretised, stencil, boundaries, interpolation, isa: Isa::detect() };
    // A step that is stable for both equations, since gradients always use the system of first order.
    let stable = workers.run(|| medium.stable_step_of_parts(&options.stencil).min(medium.stable_step_of(&options)));
    let interpolation = workers.run(|| medium.interpolation_need(&options, positions(setup)));
    let physics = Physics::Acoustic(Box::new(AcousticGrid { medium, options, equation }));
    Ok(Discretised { grid, around, physics, stable, points_per_wavelength, interpolation })
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
