//! The acoustic solver on the CPU cores of this process.

use std::ops::Range;
use std::sync::Arc;

use craton_device::{AlignedVec, Workers};
use craton_sim::Instability;

use super::blocks::{self, Blocks};
use super::gradient::{Increments, Scattering};
use super::layers::Layer;
use super::march::{Half, Turn, turns};
use super::medium::AcousticMedium;
use super::setup::{AcousticOptions, PRESSURE, Setup};
use super::sheet::{Common, Sheet};
use super::taps::{ByPlane, Drive, Listener, amplitudes, drives};
use crate::error::FdError;
use crate::layout::GROUP;
use craton_fd_kernels::AcousticPrecision;

/// Share of the cache of a core for the planes of the steps in flight [bytes].
const NEAR: usize = 5 << 18;
/// Maximum number of steps in flight.
const MOST_IN_FLIGHT: usize = 8;

/// The acoustic solver for one shot: velocities at half steps, pressure at whole steps.
pub struct AcousticOperator<T: AcousticPrecision> {
    setup: Setup<T>,
    /// Velocities along x, y, z, and pressure; none along y in 2D.
    fields: [AlignedVec<T>; 4],
    /// Memory variables of the relaxation, `[row][set]`; rows as those of the fields.
    memory: AlignedVec<T>,
    shot: Shot<T>,
    /// Where the increments of the fields are kept for a gradient.
    pub(super) increments: Option<Increments<T>>,
    /// Scattering sources of the linearised loop.
    pub(super) scattering: Option<Scattering<T>>,
    in_flight: usize,
    workers: Arc<Workers>,
    step: u64,
}

/// Fields and memory variables after a step; those of sources and receivers are not included.
pub struct Checkpoint<T: AcousticPrecision> {
    fields: Vec<AlignedVec<T>>,
    layers: Vec<AlignedVec<T>>,
    step: u64,
}

/// Sources and channels of a shot.
struct Shot<T> {
    /// Amplitude of each source in each step, `[source][step]`.
    amplitudes: Vec<Vec<T>>,
    sources: ByPlane<T>,
    listeners: blocks::ByPlane<T>,
    channels: usize,
    /// Samples since they were last taken, `[step][channel]`.
    samples: Vec<T>,
}

impl<T: AcousticPrecision> Shot<T> {
    /// Adds the sources that act on a field in a plane to its values in a step.
    ///
    /// # Arguments
    /// * `place` – index of a value from the array index of its point
    fn push(&self, (field, plane): (usize, usize), step: usize, values: &mut [T], place: impl Fn(usize) -> usize) {
        for tap in self.sources.of(field, plane) {
            let amplitudes = &self.amplitudes[tap.owner as usize];
            let value = &mut values[place(tap.at as usize)];
            *value = *value + tap.weight * amplitudes[step.min(amplitudes.len() - 1)];
        }
    }
}

impl<T: AcousticPrecision> AcousticOperator<T> {
    /// Creates the solver of the system of first order at rest, without sources and channels.
    ///
    /// # Arguments
    /// * `dt` – time step [s], at most [`AcousticMedium::stable_step`]
    /// # Errors
    /// Unsupported sides, layers that do not fit or whose parameters are out of range, an unstable time step.
    pub fn new(
        medium: Arc<AcousticMedium<T>>,
        options: AcousticOptions,
        dt: f64,
        workers: Arc<Workers>,
    ) -> Result<Self, FdError> {
        let setup = Setup::new(medium, options.first_order(), dt)?;
        Ok(Self {
            fields: [0, 1, 2, 3].map(|field| setup.array(field)),
            memory: AlignedVec::zeroed(setup.memory_sets() * setup.layout.len()),
            shot: Shot {
                amplitudes: Vec::new(),
                sources: ByPlane::new(PRESSURE + 1 + setup.memory_sets(), setup.planes(), Vec::new()),
                listeners: blocks::ByPlane::new(Blocks::default()),
                channels: 0,
                samples: Vec::new(),
            },
            increments: None,
            scattering: None,
            in_flight: in_flight(&setup, 0),
            setup,
            workers,
            step: 0,
        })
    }

    /// The discretised problem.
    pub(super) fn setup(&self) -> &Setup<T> {
        &self.setup
    }

    /// Copies the state of the fields.
    pub fn checkpoint(&self) -> Checkpoint<T> {
        let copy = |array: &AlignedVec<T>| AlignedVec::from_slice(array);
        let layers = self.setup.layers.iter().flatten().flat_map(|layer| &layer.memory);
        Checkpoint {
            fields: self.fields.iter().chain([&self.memory]).map(copy).collect(),
            layers: layers.map(copy).collect(),
            step: self.step,
        }
    }

    /// Restores a state of the same shot; the following steps are bit-identical.
    pub fn restore(&mut self, state: &Checkpoint<T>) {
        let layers = self.setup.layers.iter_mut().flatten().flat_map(|layer| &mut layer.memory);
        let fields = self.fields.iter_mut().chain([&mut self.memory]);
        fields
            .chain(layers)
            .zip(state.fields.iter().chain(&state.layers))
            .for_each(|(own, kept)| own.copy_from_slice(kept));
        self.step = state.step;
    }

    /// Memory of a checkpoint [bytes].
    pub fn checkpoint_bytes(&self) -> usize {
        let fields = self.fields.iter().chain([&self.memory]).map(AlignedVec::bytes).sum::<usize>();
        fields + self.setup.layers.iter().flatten().map(Layer::bytes).sum::<usize>()
    }

    /// Sets a new shot and resets all fields to rest.
    ///
    /// # Arguments
    /// * `sources`, `channels` – sources, and what receivers record
    /// # Errors
    /// A position outside the grid, a velocity along y in 2D.
    pub fn place(&mut self, sources: &[Drive], channels: &[Listener]) -> Result<(), FdError> {
        let (weights, planes) = (self.setup.weights(), self.setup.planes());
        let dt = self.setup.dt;
        self.shot = Shot {
            amplitudes: sources.iter().map(|source| amplitudes(source, dt)).collect(),
            sources: ByPlane::new(PRESSURE + 1 + self.setup.memory_sets(), planes, drives(sources, &weights, dt)?),
            listeners: blocks::ByPlane::new(self.workers.run(|| self.setup.blocks(channels))?),
            channels: channels.len(),
            samples: Vec::new(),
        };
        self.setup.layers.iter_mut().flatten().for_each(Layer::rest);
        self.fields.iter_mut().chain([&mut self.memory]).for_each(|field| field.fill(T::default()));
        self.step = 0;
        Ok(())
    }

    /// Number of completed steps.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Advances by some steps.
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

    /// Takes the samples since the last call, `[step][channel]`: pressure after each step, velocity half a step before.
    pub fn take_samples(&mut self) -> Vec<T> {
        std::mem::take(&mut self.shot.samples)
    }

    /// Checks that the fields are finite.
    ///
    /// # Errors
    /// The step and the position of a value that is not finite.
    pub fn check(&self) -> Result<(), Instability> {
        let [nx, ny, nz] = self.setup.grid.cells;
        let rows = (0..nz).flat_map(|k| (0..ny).map(move |j| [j, k]));
        for [j, k] in rows {
            let row = &self.fields[PRESSURE][self.setup.layout.row(j, k)..][..nx];
            if let Some(i) = row.iter().position(|p| !p.is_finite()) {
                let position = self.setup.grid.centre([i, j, k]);
                return Err(Instability { step: self.step, position, courant: self.setup.courant });
            }
        }
        Ok(())
    }

    /// Pressure at the centre of each cell [Pa], x fastest.
    pub fn pressure(&self) -> impl Iterator<Item = T> + '_ {
        self.pressure_in(&self.setup.grid.cells.map(|count| 0..count))
    }

    /// Pressure at the centres of some of the cells [Pa], x fastest.
    pub fn pressure_in<'a>(&'a self, cells: &[Range<usize>; 3]) -> impl Iterator<Item = T> + use<'a, T> {
        let rows = self.setup.layout.rows(cells);
        rows.flat_map(move |row| self.fields[PRESSURE][row].iter().copied())
    }

    /// Bytes held in memory.
    pub fn bytes(&self) -> usize {
        let losses = self.setup.relaxation.iter().map(|relaxation| &relaxation.loss);
        let arrays = self.fields.iter().chain(&self.setup.factors).chain([&self.memory]).chain(losses);
        let arrays = arrays.map(AlignedVec::bytes).sum::<usize>();
        arrays + self.setup.layers.iter().flatten().map(Layer::bytes).sum::<usize>()
    }

    fn march(&mut self, steps: usize) {
        let first = self.shot.samples.len();
        self.shot.samples.resize(first + steps * self.shot.channels, T::default());
        for Turn { step, half, plane } in
            turns(self.setup.grid.cells[2], self.setup.options.stencil.half_length(), steps)
        {
            let samples = first + step * self.shot.channels;
            match half {
                Half::Velocity => {
                    for axis in self.setup.moving(plane) {
                        self.advance_plane(axis, plane, step, samples);
                    }
                }
                Half::Pressure => self.advance_plane(PRESSURE, plane, step, samples),
            }
        }
        self.step += steps as u64;
    }

    /// Advances a field in a plane by one step: update, sources, images beyond the top, receivers.
    fn advance_plane(&mut self, field: usize, plane: usize, step: usize, samples: usize) {
        let now = self.step as usize + step;
        let [x, y, z, pressure] = &mut self.fields;
        let axes = if field == PRESSURE { self.setup.axes } else { std::slice::from_ref(&field) };
        let (target, sources) = match field {
            0 => (x, derivatives(axes, |_| pressure)),
            1 => (y, derivatives(axes, |_| pressure)),
            2 => (z, derivatives(axes, |_| pressure)),
            _ => (pressure, derivatives(axes, |axis| [&*x, &*y, &*z][axis])),
        };
        if let Some(increments) = &mut self.increments {
            increments.before((field, plane), now as u64, target);
        }
        let common = Common {
            layout: &self.setup.layout,
            sources: &sources[..axes.len()],
            coefficients: &self.setup.coefficients,
            half_length: self.setup.options.stencil.half_length(),
            is_velocity: field != PRESSURE,
            factor: &self.setup.factors[field],
            relaxation: self.setup.relaxation.as_ref().filter(|_| field == PRESSURE),
            plane,
            isa: self.setup.options.isa,
        };
        Sheet::new(&common, target, &mut self.memory, &mut self.setup.layers).advance(&common);
        let (shot, setup) = (&self.shot, &self.setup);
        shot.push((field, plane), now, target, |at| at);
        if let Some(increments) = &mut self.increments {
            increments.after((field, plane), now as u64, target);
        }
        if let Some(scattering) = &self.scattering {
            scattering.push((field, plane), now as u64, common.layout, target);
        }
        if field == PRESSURE {
            let (sets, width) = (setup.memory_sets(), setup.layout.stride[1]);
            for set in 0..sets {
                let in_memory = |at: usize| ((at - GROUP) / width * sets + set) * width + (at - GROUP) % width;
                shot.push((PRESSURE + 1 + set, plane), now, &mut self.memory, in_memory);
            }
        }
        let samples = &mut self.shot.samples[samples..][..self.shot.channels];
        self.shot.listeners.record((field, plane), common.layout, target, samples);
        self.setup.mirror((field, plane), &mut self.fields[field]);
    }
}

/// The differentiated fields and the axes of the derivatives; the last one is repeated.
pub fn derivatives<'a, T>(axes: &[usize], field: impl Fn(usize) -> &'a [T]) -> [(&'a [T], usize); 3] {
    std::array::from_fn(|number| {
        let axis = axes[number.min(axes.len() - 1)];
        (field(axis), axis)
    })
}

/// Number of steps whose planes fit into the cache together.
///
/// # Arguments
/// * `copies` – values per point in addition to fields and factors
pub fn in_flight<T: AcousticPrecision>(setup: &Setup<T>, copies: usize) -> usize {
    let (sets, fields) = (setup.memory_sets(), setup.axes.len() + 1);
    let values = copies + 2 * fields + if sets == 0 { 0 } else { sets + 1 };
    let plane = values * setup.layout.stride[2] * size_of::<T>();
    (NEAR / (2 * setup.options.stencil.half_length() * plane)).clamp(1, MOST_IN_FLIGHT)
}
