//! A shot in motion on the cores of this process.

use std::sync::Arc;

use craton_device::{AlignedVec, Isa, Workers};
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::{MAX_HALF_LENGTH, StaggeredStencil};
use craton_sim::Instability;

use super::layers::Layer;
use super::layout::Layout;
use super::march::{Half, Turn, turns};
use super::medium::AcousticMedium;
use super::row::AcousticPrecision;
use super::sheet::{Common, Sheet};
use super::taps::{ByPlane, Drive, Listener, Monitor, Weights, drives, listeners};
use crate::boundary::{Boundaries, Side};
use crate::error::FdError;
use crate::grid::Grid;
use crate::layout::GROUP;

/// What the planes of the steps in flight may take of a core's cache [bytes].
const NEAR: usize = 5 << 18;
/// Steps in flight at most.
const MOST_IN_FLIGHT: usize = 8;
/// The number of the pressure among the fields.
const PRESSURE: usize = 3;

/// How a shot is computed.
#[derive(Debug, Clone)]
pub struct AcousticOptions {
    /// Coefficients of the derivatives.
    pub stencil: StaggeredStencil,
    /// The sides: absorbing layers, or [`Side::Free`] at the top. Those across y mean nothing in a plane.
    pub boundaries: Boundaries,
    /// Weights of sources and receivers between the points.
    pub interpolation: WindowedSinc,
    /// Instruction set.
    pub isa: Isa,
}

/// A fluid in motion: velocities at half steps, pressure at whole ones.
pub struct AcousticOperator<T: AcousticPrecision> {
    grid: Grid,
    axes: &'static [usize],
    layout: Layout,
    medium: Arc<AcousticMedium<T>>,
    options: AcousticOptions,
    /// Of the derivatives over the spacing along each axis [1/m].
    coefficients: [[T; MAX_HALF_LENGTH]; 3],
    /// Velocities along x, y, z, and pressure; none along y in a plane.
    fields: [AlignedVec<T>; 4],
    /// -dt/ρ at the velocities, -dt κ; zero beyond the grid.
    factors: [AlignedVec<T>; 4],
    layers: [Option<Layer<T>>; 6],
    shot: Shot<T>,
    in_flight: usize,
    workers: Arc<Workers>,
    dt: f64,
    courant: f64,
    step: u64,
}

/// What makes one shot differ from another.
struct Shot<T> {
    /// What each source adds in each step, `[source][step]`.
    amplitudes: Vec<Vec<T>>,
    sources: ByPlane<T>,
    listeners: ByPlane<T>,
    channels: usize,
    /// `[step][channel]`, since they were last taken.
    samples: Vec<T>,
}

impl<T: AcousticPrecision> AcousticOperator<T> {
    /// At rest, without sources and channels.
    ///
    /// # Arguments
    /// * `dt` – time step [s], at most [`AcousticMedium::stable_step`]
    /// # Errors
    /// Sides that are not served, layers that do not fit or whose design is out of range, a time step beyond the stable one.
    pub fn new(
        medium: Arc<AcousticMedium<T>>,
        options: AcousticOptions,
        dt: f64,
        workers: Arc<Workers>,
    ) -> Result<Self, FdError> {
        let (grid, axes) = (*medium.grid(), medium.axes());
        let stable = medium.stable_step(&options.stencil);
        if !(dt > 0.0 && dt <= stable) {
            return Err(FdError::TimeStep { dt, stable });
        }
        let half_length = options.stencil.half_length();
        let layout = Layout::new(grid.cells, half_length);
        let layers = layers(&grid, axes, &options.boundaries, &layout, dt)?;
        let array = |field: usize| {
            let is_there = field == PRESSURE || axes.contains(&field);
            AlignedVec::zeroed(if is_there { layout.len() } else { 0 })
        };
        let mut operator = Self {
            coefficients: grid.spacing.map(|h| {
                let c = options.stencil.coefficients();
                std::array::from_fn(|m| T::from_f64(c.get(m).map_or(0.0, |c| c / h)))
            }),
            fields: [0, 1, 2, 3].map(array),
            factors: [0, 1, 2, 3].map(array),
            shot: Shot {
                amplitudes: Vec::new(),
                sources: ByPlane::new(grid.cells[2] + 1, Vec::new()),
                listeners: ByPlane::new(grid.cells[2] + 1, Vec::new()),
                channels: 0,
                samples: Vec::new(),
            },
            in_flight: in_flight(&layout, axes, half_length, size_of::<T>()),
            courant: dt / stable,
            step: 0,
            grid,
            axes,
            layout,
            medium,
            options,
            layers,
            workers,
            dt,
        };
        operator.fill_factors();
        Ok(operator)
    }

    /// A new shot: all is at rest again.
    ///
    /// # Arguments
    /// * `sources` – their histories hold a value per step to be done
    /// * `channels` – what is heard
    /// # Errors
    /// A position outside the grid.
    pub fn place(&mut self, sources: &[Drive], channels: &[Listener]) -> Result<(), FdError> {
        let weights = Weights {
            grid: &self.grid,
            layout: &self.layout,
            axes: self.axes,
            sinc: &self.options.interpolation,
            is_free: self.is_free(),
        };
        let planes = self.grid.cells[2] + 1;
        self.shot = Shot {
            amplitudes: sources.iter().map(|source| amplitudes(source, self.dt)).collect(),
            sources: ByPlane::new(planes, drives(sources, &weights, &self.medium, self.dt)?),
            listeners: ByPlane::new(planes, listeners(channels, &weights)?),
            channels: channels.len(),
            samples: Vec::new(),
        };
        self.fields.iter_mut().for_each(|field| field.fill(T::default()));
        self.layers.iter_mut().flatten().for_each(Layer::rest);
        self.step = 0;
        Ok(())
    }

    /// Steps done.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Makes some steps.
    pub fn advance(&mut self, steps: u64) {
        let workers = Arc::clone(&self.workers);
        workers.run(|| {
            let mut left = steps as usize;
            while left > 0 {
                let together = left.min(self.in_flight);
                self.march(together);
                left -= together;
            }
        });
    }

    /// Samples since the last call, `[step][channel]`: pressure after each step, velocity half a step before.
    pub fn take_samples(&mut self) -> Vec<T> {
        std::mem::take(&mut self.shot.samples)
    }

    /// Whether the field is still finite.
    ///
    /// # Errors
    /// The step and a place that is not.
    pub fn check(&self) -> Result<(), Instability> {
        let [nx, ny, nz] = self.grid.cells;
        let rows = (0..nz).flat_map(|k| (0..ny).map(move |j| [j, k]));
        for [j, k] in rows {
            let row = &self.fields[PRESSURE][self.layout.row(j, k)..][..nx];
            if let Some(i) = row.iter().position(|p| !p.is_finite()) {
                let position = self.grid.centre([i, j, k]);
                return Err(Instability { step: self.step, position, courant: self.courant });
            }
        }
        Ok(())
    }

    /// Pressure at the centre of each cell [Pa], x fastest.
    pub fn pressure(&self) -> impl Iterator<Item = T> + '_ {
        let [nx, ny, nz] = self.grid.cells;
        let rows = (0..nz).flat_map(move |k| (0..ny).map(move |j| [j, k]));
        rows.flat_map(move |[j, k]| self.fields[PRESSURE][self.layout.row(j, k)..][..nx].iter().copied())
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let arrays = self.fields.iter().chain(&self.factors).map(AlignedVec::bytes).sum::<usize>();
        arrays + self.layers.iter().flatten().map(Layer::bytes).sum::<usize>()
    }

    fn is_free(&self) -> bool {
        self.options.boundaries.sides[5] == Side::Free
    }

    /// Axes along which there are velocities in a plane: above the uppermost cells there is one where the top is free.
    fn moving(&self, plane: usize) -> impl Iterator<Item = usize> + use<T> {
        let (is_top, is_free) = (plane == self.grid.cells[2], self.is_free());
        self.axes.iter().copied().filter(move |&axis| !is_top || axis == 2 && is_free)
    }

    fn march(&mut self, steps: usize) {
        let first = self.shot.samples.len();
        self.shot.samples.resize(first + steps * self.shot.channels, T::default());
        for Turn { step, half, plane } in turns(self.grid.cells[2], self.options.stencil.half_length(), steps) {
            let samples = first + step * self.shot.channels;
            match half {
                Half::Velocity => {
                    for axis in self.moving(plane) {
                        self.advance_plane(axis, plane, step, samples);
                    }
                }
                Half::Pressure => self.advance_plane(PRESSURE, plane, step, samples),
            }
        }
        self.step += steps as u64;
    }

    /// A field in a plane by one step: it moves, sources act, what is beyond the top follows, receivers listen.
    fn advance_plane(&mut self, field: usize, plane: usize, step: usize, samples: usize) {
        let [x, y, z, pressure] = &mut self.fields;
        let (target, sources): (_, [(&[T], usize); 3]) = match field {
            0 => (x, [(pressure, 0); 3]),
            1 => (y, [(pressure, 1); 3]),
            2 => (z, [(pressure, 2); 3]),
            _ if self.axes.len() == 2 => (pressure, [(x, 0), (z, 2), (z, 2)]),
            _ => (pressure, [(x, 0), (y, 1), (z, 2)]),
        };
        let common = Common {
            layout: &self.layout,
            sources: &sources[..if field == PRESSURE { self.axes.len() } else { 1 }],
            coefficients: &self.coefficients,
            half_length: self.options.stencil.half_length(),
            is_velocity: field != PRESSURE,
            factor: &self.factors[field],
            plane,
            isa: self.options.isa,
        };
        Sheet::new(&common, target, &mut self.layers).advance(&common);
        let now = self.step as usize + step;
        for tap in self.shot.sources.of(field, plane) {
            let amplitude = self.shot.amplitudes[tap.owner as usize].get(now).copied().unwrap_or_default();
            target[tap.at as usize] = target[tap.at as usize] + tap.weight * amplitude;
        }
        for tap in self.shot.listeners.of(field, plane) {
            let sample = &mut self.shot.samples[samples + tap.owner as usize];
            *sample = *sample + tap.weight * target[tap.at as usize];
        }
        if self.is_free() {
            self.mirror(field, plane);
        }
    }

    /// Continues a plane beyond the free top: pressure is odd about it, the velocity across it even.
    fn mirror(&mut self, field: usize, plane: usize) {
        let (planes, half_length) = (self.grid.cells[2], self.options.stencil.half_length());
        let image = match field {
            PRESSURE => 2 * planes - 1 - plane,
            2 => 2 * planes - plane,
            _ => return,
        };
        if image <= plane || image >= planes + half_length {
            return;
        }
        let len = self.layout.stride[2];
        let [from, to] = [plane, image].map(|plane| self.layout.at([0, 0, plane as i64]) - GROUP);
        let (low, high) = self.fields[field].split_at_mut(to);
        for (to, &from) in high[..len].iter_mut().zip(&low[from..from + len]) {
            *to = if field == PRESSURE { T::default() - from } else { from };
        }
    }

    fn fill_factors(&mut self) {
        let [nx, ny, nz] = self.grid.cells;
        for k in 0..=nz {
            for j in 0..ny {
                for i in 0..nx {
                    let (cell, at) = ([i, j, k], self.layout.row(j, k) + i);
                    for axis in self.moving(k) {
                        self.factors[axis][at] = T::from_f64(-self.dt * self.medium.buoyancy(cell, axis));
                    }
                    if k < nz {
                        self.factors[PRESSURE][at] = T::from_f64(-self.dt * self.medium.kappa(cell));
                    }
                }
            }
        }
    }
}

/// The layers of the sides.
fn layers<T: AcousticPrecision>(
    grid: &Grid,
    axes: &[usize],
    boundaries: &Boundaries,
    layout: &Layout,
    dt: f64,
) -> Result<[Option<Layer<T>>; 6], FdError> {
    let mut across = *boundaries;
    for axis in (0..3).filter(|axis| !axes.contains(axis)) {
        across.sides[2 * axis..2 * axis + 2].fill(Side::Free);
    }
    across.check(grid)?;
    let mut layers = [const { None }; 6];
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

/// What a source adds in each step, but for the weights of its points: a force its history, a monopole the sum of it.
fn amplitudes<T: AcousticPrecision>(source: &Drive, dt: f64) -> Vec<T> {
    let mut sum = 0.0;
    let amplitude = |&value: &f64| {
        sum += dt * value;
        T::from_f64(if source.field == Monitor::Pressure { sum } else { value })
    };
    source.history.iter().map(amplitude).collect()
}

/// Steps whose planes stay near together.
fn in_flight(layout: &Layout, axes: &[usize], half_length: usize, bytes_per_value: usize) -> usize {
    let plane = 2 * (axes.len() + 1) * layout.stride[2] * bytes_per_value;
    (NEAR / (2 * half_length * plane)).clamp(1, MOST_IN_FLIGHT)
}
