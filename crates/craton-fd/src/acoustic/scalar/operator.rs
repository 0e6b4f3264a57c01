//! The solver of the scalar wave equation for a shot on the CPU cores of this process.

use std::ops::Range;
use std::sync::Arc;

use craton_device::{AlignedVec, Workers};
use craton_fd_kernels::AcousticPrecision;
use craton_sim::Instability;

use super::parts::ScalarParts;
use super::planes::{Planes, Step};
use crate::acoustic::blocks::{self, Blocks};
use crate::acoustic::equation::WaveEquation;
use crate::acoustic::medium::AcousticMedium;
use crate::acoustic::setup::{AcousticOptions, PRESSURE, Setup};
use crate::acoustic::taps::{Drive, Listener, PointWeight};
use crate::error::FdError;
use crate::layout::GROUP;

/// The solver of the scalar wave equation for one shot.
pub struct ScalarOperator<T: AcousticPrecision> {
    setup: Setup<T>,
    parts: ScalarParts<T>,
    half_length: usize,
    /// Pressure at even and at odd steps.
    pressure: [AlignedVec<T>; 2],
    /// ψ of each side at even and at odd steps, and χ; empty without a layer.
    memory: [[AlignedVec<T>; 3]; 6],
    /// Amplitude of each source in each step, and its weighted points.
    amplitudes: Vec<Vec<T>>,
    sources: Vec<PointWeight<T>>,
    listeners: blocks::ByPlane<T>,
    channels: usize,
    /// Samples since they were last taken, `[step][channel]`.
    samples: Vec<T>,
    workers: Arc<Workers>,
    step: u64,
}

impl<T: AcousticPrecision> ScalarOperator<T> {
    /// Creates the solver at rest, without sources and channels.
    ///
    /// # Arguments
    /// * `options` – with [`WaveEquation::Scalar`]
    /// * `dt` – time step [s], at most [`AcousticMedium::stable_step_of`]
    /// # Errors
    /// A medium that the equation does not describe, unsupported sides, layers that do not fit or whose parameters are out of range, an unstable time step.
    /// # Panics
    /// With options for another equation.
    pub fn new(
        medium: Arc<AcousticMedium<T>>,
        options: AcousticOptions,
        dt: f64,
        workers: Arc<Workers>,
    ) -> Result<Self, FdError> {
        let WaveEquation::Scalar(stencil) = options.equation.clone() else { panic!("options of another equation") };
        let setup = Setup::new(medium, options, dt)?;
        let parts = ScalarParts::new(&setup, &stencil, GROUP)?;
        let memory = parts.layers.each_ref().map(|layer| {
            let [faces, centres] = layer.as_ref().map_or([0; 2], |layer| [layer.face_len(), layer.len()]);
            [faces, faces, centres].map(AlignedVec::zeroed)
        });
        let pressure = [(); 2].map(|()| AlignedVec::zeroed(setup.layout.len()));
        Ok(Self {
            half_length: stencil.half_length(),
            pressure,
            memory,
            amplitudes: Vec::new(),
            sources: Vec::new(),
            listeners: blocks::ByPlane::new(Blocks::default()),
            channels: 0,
            samples: Vec::new(),
            setup,
            parts,
            workers,
            step: 0,
        })
    }

    /// Sets a new shot and resets all fields to rest.
    ///
    /// # Errors
    /// A position outside the grid, a source or receiver of velocity.
    pub fn place(&mut self, drives: &[Drive], listeners: &[Listener]) -> Result<(), FdError> {
        self.setup.check_listeners(listeners)?;
        self.sources = self.setup.sources(drives)?.into_iter().map(|(.., tap)| tap).collect();
        self.amplitudes = drives.iter().map(|source| self.setup.amplitudes(source)).collect();
        self.listeners = blocks::ByPlane::new(self.workers.run(|| self.setup.blocks(listeners))?);
        (self.channels, self.samples, self.step) = (listeners.len(), Vec::new(), 0);
        self.pressure.iter_mut().chain(self.memory.iter_mut().flatten()).for_each(|array| array.fill(T::default()));
        Ok(())
    }

    /// Number of completed steps.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Advances by some steps.
    pub fn advance(&mut self, steps: u64) {
        let workers = Arc::clone(&self.workers);
        workers.run(|| (0..steps).for_each(|_| self.advance_step()));
    }

    /// Takes the samples since the last call, `[step][channel]`, after each step.
    pub fn take_samples(&mut self) -> Vec<T> {
        std::mem::take(&mut self.samples)
    }

    /// Checks that the pressure is finite.
    ///
    /// # Errors
    /// The step and the position of a value that is not finite.
    pub fn check(&self) -> Result<(), Instability> {
        let cells = self.setup.grid.cells;
        let Some(number) = self.pressure_in(&cells.map(|count| 0..count)).position(|p| !p.is_finite()) else {
            return Ok(());
        };
        let position = self.setup.grid.centre(self.setup.grid.cell_of_number(number));
        Err(Instability { step: self.step, position, courant: self.setup.courant })
    }

    /// Pressure at the centres of some of the cells [Pa], x fastest.
    pub fn pressure_in<'a>(&'a self, cells: &[Range<usize>; 3]) -> impl Iterator<Item = T> + use<'a, T> {
        let now = &self.pressure[(self.step % 2) as usize];
        self.setup.layout.rows(cells).flat_map(move |row| now[row].iter().copied())
    }

    /// Bytes held in memory.
    pub fn bytes(&self) -> usize {
        let arrays = self.pressure.iter().chain([&self.parts.factor]).chain(self.memory.iter().flatten());
        arrays.map(AlignedVec::bytes).sum()
    }

    fn advance_step(&mut self) {
        let (odd, now_step) = (self.step % 2 == 1, self.step as usize);
        let threads = rayon::current_num_threads();
        let [even_pressure, odd_pressure] = &mut self.pressure;
        let (now, next) = if odd { (odd_pressure, even_pressure) } else { (even_pressure, odd_pressure) };
        let mut before: [&[T]; 6] = [&[]; 6];
        let mut memory: [[&mut [T]; 2]; 6] = Default::default();
        for (side, [even, uneven, chi]) in self.memory.iter_mut().enumerate() {
            let (old, new) = if odd { (uneven, even) } else { (even, uneven) };
            (before[side], memory[side]) = (old, [&mut new[..], &mut chi[..]]);
        }
        let step = Step {
            layout: &self.setup.layout,
            parts: &self.parts,
            now,
            before,
            half_length: self.half_length,
            isa: self.setup.options.isa,
            fewest: Step::<T>::fewest_planes(&self.setup.layout, self.half_length, threads),
        };
        Planes::new(&step, next, memory).advance(&step);
        for tap in &self.sources {
            let amplitudes = &self.amplitudes[tap.owner as usize];
            let value = &mut next[tap.at as usize];
            *value = *value + tap.weight * amplitudes[now_step.min(amplitudes.len() - 1)];
        }
        let (layout, planes) = (&self.setup.layout, self.setup.grid.cells[2]);
        for plane in planes.saturating_sub(self.half_length)..planes {
            self.setup.mirror((PRESSURE, plane), next);
        }
        let first = self.samples.len();
        self.samples.resize(first + self.channels, T::default());
        for plane in (0..planes).filter(|_| self.channels > 0) {
            self.listeners.record((PRESSURE, plane), layout, next, &mut self.samples[first..]);
        }
        self.step += 1;
    }
}
