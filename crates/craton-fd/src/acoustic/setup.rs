//! The discretised problem, common to all devices and shots.

use std::sync::Arc;

use craton_device::{AlignedVec, Isa};
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::{MAX_HALF_LENGTH, StaggeredStencil};
use rayon::prelude::*;

use super::blocks::{Blocks, Recent};
use super::equation::WaveEquation;
use super::jumps::Jumps;
use super::layers::Layer;
use super::layout::Layout;
use super::medium::AcousticMedium;
use super::relaxation::PressureRelaxation;
use super::scalar;
use super::taps::{self, Drive, Listener, PointWeight, Weights};
use crate::boundary::{Boundaries, Side};
use crate::error::FdError;
use crate::grid::Grid;
use crate::layout::GROUP;
use craton_fd_kernels::AcousticPrecision;

/// Index of the pressure among the fields; velocities have the indices of their axes. The memory variables of its relaxation follow, set by set.
pub const PRESSURE: usize = 3;

/// Discretisation of a shot.
#[derive(Debug, Clone)]
pub struct AcousticOptions {
    /// The equation.
    pub equation: WaveEquation,
    /// Coefficients of the derivatives of the system of first order.
    pub stencil: StaggeredStencil,
    /// Boundary conditions: absorbing layers, or [`Side::Free`] at the top. Those across y are ignored in 2D.
    pub boundaries: Boundaries,
    /// Interpolation at sources and receivers between grid points.
    pub interpolation: WindowedSinc,
    /// Instruction set.
    pub isa: Isa,
}

impl AcousticOptions {
    /// Half-length of the stencil of the equation.
    pub fn half_length(&self) -> usize {
        match &self.equation {
            WaveEquation::FirstOrder => self.stencil.half_length(),
            WaveEquation::Scalar(stencil) => stencil.half_length(),
        }
    }

    /// The same for the system of first order.
    pub fn first_order(self) -> Self {
        Self { equation: WaveEquation::FirstOrder, ..self }
    }
}

/// A discretised problem at rest. Coefficients, factors and layers are those of the system of first order; the scalar wave equation has others
/// (`scalar/parts.rs`).
pub struct Setup<T: AcousticPrecision> {
    pub grid: Grid,
    /// Axes of wave propagation.
    pub axes: &'static [usize],
    pub layout: Layout,
    pub medium: Arc<AcousticMedium<T>>,
    pub jumps: Jumps,
    pub options: AcousticOptions,
    /// Coefficients of the derivatives over the spacing along each axis [1/m].
    pub coefficients: [[T; MAX_HALF_LENGTH]; 3],
    /// -dt/ρ at the velocities, and -dt κ; zero beyond the grid, none along y in 2D.
    pub factors: [AlignedVec<T>; 4],
    pub layers: [Option<Layer<T>>; 6],
    /// Relaxation of the pressure, if the fluid has losses.
    pub relaxation: Option<PressureRelaxation<T>>,
    pub dt: f64,
    /// Time step as a fraction of the largest stable one.
    pub courant: f64,
    receivers: Recent<T>,
}

impl<T: AcousticPrecision> Setup<T> {
    /// Checks and discretises a problem.
    ///
    /// # Errors
    /// Too many points for 32-bit indices, unsupported sides, layers that do not fit or whose parameters are out of range, an unstable time step, a medium
    /// that the equation does not describe.
    pub fn new(medium: Arc<AcousticMedium<T>>, options: AcousticOptions, dt: f64) -> Result<Self, FdError> {
        let (grid, axes) = (*medium.grid(), medium.axes());
        let is_scalar = options.equation.is_scalar();
        if is_scalar {
            scalar::require(&medium)?;
        }
        let stable = medium.stable_step_of(&options);
        if !(dt > 0.0 && dt <= stable) {
            return Err(FdError::TimeStep { dt, stable });
        }
        // On a GPU rows of the scalar wave equation begin at cache lines.
        let unit = if is_scalar { scalar::LINE } else { GROUP };
        let layout = Layout::with_rows(grid.cells, options.half_length(), unit);
        if u32::try_from(layout.len()).is_err() {
            return Err(FdError::Places { places: layout.len() });
        }
        let mut setup = Self {
            coefficients: grid.spacing.map(|h| {
                let c = options.stencil.coefficients();
                std::array::from_fn(|m| T::from_f64(c.get(m).map_or(0.0, |c| c / h)))
            }),
            factors: std::array::from_fn(|_| AlignedVec::zeroed(0)),
            layers: if is_scalar {
                checked_sides(&grid, axes, &options.boundaries)?
            } else {
                layers(&grid, axes, &options.boundaries, &layout, dt)?
            },
            relaxation: PressureRelaxation::new(&medium, &layout, dt),
            courant: dt / stable,
            jumps: Jumps::new(&medium, &options.stencil),
            grid,
            axes,
            layout,
            medium,
            options,
            dt,
            receivers: Recent::default(),
        };
        if !is_scalar {
            setup.factors = [0, 1, 2, 3].map(|field| setup.array(field));
            setup.fill_factors();
        }
        Ok(setup)
    }

    /// Zeros for a field; an empty array for the velocity along y in 2D.
    pub fn array(&self, field: usize) -> AlignedVec<T> {
        let is_there = field == PRESSURE || self.axes.contains(&field);
        AlignedVec::zeroed(if is_there { self.layout.len() } else { 0 })
    }

    /// Sets of memory variables of the relaxation.
    pub fn memory_sets(&self) -> usize {
        self.relaxation.as_ref().map_or(0, PressureRelaxation::sets)
    }

    /// Whether the top is free.
    pub fn is_free(&self) -> bool {
        self.options.boundaries.sides[5] == Side::Free
    }

    /// Number of planes across z with fields: one more than cells, for the velocity at a free top.
    pub fn planes(&self) -> usize {
        self.grid.cells[2] + 1
    }

    /// Axes with velocities in a plane: above the uppermost cells only z, if the top is free.
    pub fn moving(&self, plane: usize) -> impl Iterator<Item = usize> + use<T> {
        let (is_top, is_free) = (plane == self.grid.cells[2], self.is_free());
        self.axes.iter().copied().filter(move |&axis| !is_top || axis == 2 && is_free)
    }

    /// Interpolation at positions between grid points.
    pub fn weights(&self) -> Weights<'_, T> {
        Weights {
            grid: &self.grid,
            layout: &self.layout,
            axes: self.axes,
            sinc: &self.options.interpolation,
            is_free: self.is_free(),
            medium: &self.medium,
            jumps: &self.jumps,
            has_flow: self.options.equation == WaveEquation::FirstOrder,
        }
    }

    /// Weighted points of channels.
    ///
    /// # Errors
    /// A position outside the grid, a velocity along y in 2D.
    pub fn blocks(&self, channels: &[Listener]) -> Result<Blocks<T>, FdError> {
        self.receivers.of(channels, &self.weights())
    }

    /// Weighted points of sources, with field and plane: increment per step for a unit amplitude.
    ///
    /// # Errors
    /// A position outside the grid, a field that the equation does not have.
    pub fn sources(&self, sources: &[Drive]) -> Result<Vec<(usize, usize, PointWeight<T>)>, FdError> {
        match self.options.equation {
            WaveEquation::FirstOrder => taps::drives(sources, &self.weights(), self.dt),
            WaveEquation::Scalar(_) => scalar::sources(sources, &self.weights(), self.dt),
        }
    }

    /// Amplitude of a source in each step; the last value is used for all later steps.
    pub fn amplitudes(&self, source: &Drive) -> Vec<T> {
        match self.options.equation {
            WaveEquation::FirstOrder => taps::amplitudes(source, self.dt),
            WaveEquation::Scalar(_) => scalar::amplitudes(source),
        }
    }

    /// Checks that the equation has the fields of receivers.
    ///
    /// # Errors
    /// A receiver of velocity for the scalar wave equation.
    pub fn check_listeners(&self, listeners: &[Listener]) -> Result<(), FdError> {
        if self.options.equation.is_scalar() { scalar::check_listeners(listeners) } else { Ok(()) }
    }

    /// Sets the images of a plane of a field beyond a free top: pressure is odd about it, the normal velocity even.
    pub fn mirror(&self, (field, plane): (usize, usize), values: &mut [T]) {
        let (planes, half_length) = (self.grid.cells[2], self.options.half_length());
        let image = match field {
            PRESSURE if self.is_free() => 2 * planes - 1 - plane,
            2 if self.is_free() => 2 * planes - plane,
            _ => return,
        };
        if image <= plane || image >= planes + half_length {
            return;
        }
        let len = self.layout.stride[2];
        let [from, to] = [plane, image].map(|plane| self.layout.at([0, 0, plane as i64]) - GROUP);
        let (low, high) = values.split_at_mut(to);
        for (to, &from) in high[..len].iter_mut().zip(&low[from..from + len]) {
            *to = if field == PRESSURE { T::default() - from } else { from };
        }
    }

    fn fill_factors(&mut self) {
        let (mut factors, [nx, ny, _]) =
            (std::mem::replace(&mut self.factors, std::array::from_fn(|_| AlignedVec::zeroed(0))), self.grid.cells);
        for (field, values) in factors.iter_mut().enumerate() {
            let planes = values.par_chunks_mut(self.layout.stride[2]).enumerate();
            planes.for_each(|(number, plane)| {
                let Some(k) = self.layout.plane(number) else { return };
                let is_there =
                    if field == PRESSURE { k < self.grid.cells[2] } else { self.moving(k).any(|axis| axis == field) };
                for (j, i) in (0..ny).flat_map(|j| (0..nx).map(move |i| (j, i))).filter(|_| is_there) {
                    let modulus = match field {
                        PRESSURE => self.medium.kappa([i, j, k]),
                        axis => self.medium.buoyancy([i, j, k], axis),
                    };
                    plane[self.layout.row(j, k) + i - number * self.layout.stride[2]] = T::from_f64(-self.dt * modulus);
                }
            });
        }
        self.factors = factors;
    }
}

/// Checks that the layers of the sides fit. Returns no layers.
fn checked_sides<T: AcousticPrecision>(
    grid: &Grid,
    axes: &[usize],
    boundaries: &Boundaries,
) -> Result<[Option<Layer<T>>; 6], FdError> {
    let mut across = *boundaries;
    for axis in (0..3).filter(|axis| !axes.contains(axis)) {
        across.sides[2 * axis..2 * axis + 2].fill(Side::Free);
    }
    across.check(grid)?;
    Ok([const { None }; 6])
}

/// The layers of the sides.
fn layers<T: AcousticPrecision>(
    grid: &Grid,
    axes: &[usize],
    boundaries: &Boundaries,
    layout: &Layout,
    dt: f64,
) -> Result<[Option<Layer<T>>; 6], FdError> {
    let mut layers = checked_sides(grid, axes, boundaries)?;
    for side in (0..6).filter(|side| axes.contains(&(side / 2))) {
        layers[side] = match &boundaries.sides[side] {
            Side::Free if side == 5 => None,
            Side::Layer(layer) if layer.cells == 0 => None,
            Side::Layer(layer) => Some(Layer::new(grid, side, layer, layout, dt)?),
            _ => return Err(FdError::Unserved { side }),
        };
    }
    Ok(layers)
}
