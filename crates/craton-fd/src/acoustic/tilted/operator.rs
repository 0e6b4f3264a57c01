//! The solver of a shot in a medium with a tilted axis.

use std::ops::Range;
use std::sync::Arc;

use craton_device::{AlignedVec, Workers};
use craton_fd_kernels::AcousticPrecision;
use craton_sim::Instability;

use super::memory::PlaneMemory;
use super::sweeps::Stencils;
use crate::acoustic::blocks::{self, Blocks};
use crate::acoustic::medium::AcousticMedium;
use crate::acoustic::setup::{AcousticOptions, PRESSURE, Setup};
use crate::acoustic::taps::{ByPlane, Drive, Listener, amplitudes, drives};
use crate::acoustic::transverse::{LATERAL, axes};
use crate::boundary::Side;
use crate::error::FdError;

/// Depth in an absorbing layer, as a part of its thickness, from which on the medium is isotropic.
const ISOTROPIC_FROM: f64 = 0.5;

/// The solver for one shot: velocities at half steps, pressures at whole steps.
pub struct TiltedOperator<T: AcousticPrecision> {
    pub(super) setup: Setup<T>,
    pub(super) stencils: Stencils<T>,
    /// Unit vector of the axis, with the layout of the fields.
    pub(super) axis: [AlignedVec<T>; 3],
    /// None along y in 2D.
    pub(super) velocities: [AlignedVec<T>; 3],
    /// The normal stresses along and across the axis.
    pub(super) pressures: [AlignedVec<T>; 2],
    /// Minus the stresses, Voigt order; those of y are empty in 2D.
    pub(super) stresses: [AlignedVec<T>; 6],
    /// Forces, or components of the velocity, at the centres.
    pub(super) centred: [AlignedVec<T>; 3],
    /// Memory variables of both halves of the step, plane by plane.
    pub(super) memory: [Vec<PlaneMemory<T>>; 2],
    /// Amplitude of each source in each step, and weighted points of the fields.
    amplitudes: Vec<Vec<T>>,
    sources: ByPlane<T>,
    listeners: blocks::ByPlane<T>,
    channels: usize,
    /// Samples since they were last taken, `[step][channel]`.
    samples: Vec<T>,
    workers: Arc<Workers>,
    step: u64,
}

impl<T: AcousticPrecision> TiltedOperator<T> {
    /// Creates the solver at rest, without sources and channels.
    ///
    /// # Arguments
    /// * `medium` – a medium with a tilted axis
    /// * `dt` – time step [s], at most [`AcousticMedium::stable_step`]
    /// # Errors
    /// Those of [`AcousticOperator::new`](crate::acoustic::AcousticOperator::new).
    pub fn new(
        medium: Arc<AcousticMedium<T>>,
        options: AcousticOptions,
        dt: f64,
        workers: Arc<Workers>,
    ) -> Result<Self, FdError> {
        let mut setup = Setup::new(medium, options.first_order(), dt)?;
        make_isotropic_in_layers(&mut setup);
        let memory = [0, 1].map(|_| (0..setup.planes()).map(|k| PlaneMemory::new(&setup, k.min(setup.grid.cells[2]))));
        let array = |is_there: bool| AlignedVec::zeroed(if is_there { setup.layout.len() } else { 0 });
        let has_y = setup.axes.contains(&1);
        Ok(Self {
            stencils: Stencils::new(&setup),
            axis: axes(&setup.medium, &setup.layout),
            velocities: [true, has_y, true].map(array),
            pressures: [true; 2].map(array),
            stresses: [true, has_y, true, has_y, true, has_y].map(array),
            centred: [true, has_y, true].map(array),
            memory: memory.map(Iterator::collect),
            amplitudes: Vec::new(),
            sources: ByPlane::new(setup.driven_fields(), setup.planes(), Vec::new()),
            listeners: blocks::ByPlane::new(Blocks::default()),
            channels: 0,
            samples: Vec::new(),
            setup,
            workers,
            step: 0,
        })
    }

    /// Sets a new shot and resets all fields to rest.
    ///
    /// # Errors
    /// A position outside the grid, a velocity along y in 2D.
    pub fn place(&mut self, sources: &[Drive], listeners: &[Listener]) -> Result<(), FdError> {
        let (weights, planes, dt) = (self.setup.weights(), self.setup.planes(), self.setup.dt);
        self.sources = ByPlane::new(self.setup.driven_fields(), planes, drives(sources, &weights, dt)?);
        self.amplitudes = sources.iter().map(|source| amplitudes(source, dt)).collect();
        self.listeners = blocks::ByPlane::new(self.workers.run(|| self.setup.blocks(listeners))?);
        (self.channels, self.samples, self.step) = (listeners.len(), Vec::new(), 0);
        let fields = self.velocities.iter_mut().chain(&mut self.pressures).chain(&mut self.stresses);
        fields.chain(&mut self.centred).for_each(|field| field.fill(T::default()));
        self.memory.iter_mut().flatten().for_each(PlaneMemory::rest);
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

    /// Takes the samples since the last call, `[step][channel]`: pressure after each step, velocity half a step before.
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

    /// Pressure along the axis at the centres of some of the cells [Pa], x fastest.
    pub fn pressure_in<'a>(&'a self, cells: &[Range<usize>; 3]) -> impl Iterator<Item = T> + use<'a, T> {
        self.setup.layout.rows(cells).flat_map(|row| self.pressures[0][row].iter().copied())
    }

    /// Bytes held in memory.
    pub fn bytes(&self) -> usize {
        let fields = self.velocities.iter().chain(&self.pressures).chain(&self.stresses).chain(&self.centred);
        let material = self.axis.iter().chain(&self.setup.factors).chain(self.setup.transverse.iter().flatten());
        let arrays = fields.chain(material).map(AlignedVec::bytes).sum::<usize>();
        arrays + self.memory.iter().flatten().map(PlaneMemory::bytes).sum::<usize>()
    }

    fn advance_step(&mut self) {
        let first = self.samples.len();
        self.samples.resize(first + self.channels, T::default());
        self.set_stresses();
        self.set_forces();
        self.move_velocities();
        for axis in self.setup.axes {
            self.drive_and_record(*axis, first);
        }
        self.set_components();
        self.move_pressures();
        self.drive_and_record(PRESSURE, first);
        self.drive_and_record(LATERAL, first);
        self.step += 1;
    }

    /// Adds the sources of a field, sets its images beyond a free top, and samples it.
    fn drive_and_record(&mut self, field: usize, first: usize) {
        let values = match field {
            PRESSURE => &mut self.pressures[0],
            LATERAL => &mut self.pressures[1],
            axis => &mut self.velocities[axis],
        };
        let now = self.step as usize;
        for plane in 0..self.setup.planes() {
            for tap in self.sources.of(field, plane) {
                let amplitudes = &self.amplitudes[tap.owner as usize];
                let value = &mut values[tap.at as usize];
                *value = *value + tap.weight * amplitudes[now.min(amplitudes.len() - 1)];
            }
            if field != LATERAL && self.channels > 0 {
                self.listeners.record((field, plane), &self.setup.layout, values, &mut self.samples[first..]);
            }
            self.setup.mirror((field, plane), values);
        }
    }
}

/// Lets the ratios of moduli fall to those of a fluid within the inner half of the absorbing layers. A mean of stable ratios with those of a fluid is stable.
fn make_isotropic_in_layers<T: AcousticPrecision>(setup: &mut Setup<T>) {
    let Setup { grid, layout, options, transverse, axes, .. } = setup;
    let Some(ratios) = transverse else { return };
    let part = |axis: usize, index: usize| {
        let of_side = |side: usize, depth: f64| match &options.boundaries.sides[side] {
            Side::Layer(layer) if layer.cells > 0 => depth / layer.cells as f64,
            _ => 0.0,
        };
        let of_layer = |side: usize| match &options.boundaries.sides[side] {
            Side::Layer(layer) => layer.cells as f64,
            _ => 0.0,
        };
        let low = of_side(2 * axis, of_layer(2 * axis) - index as f64 - 0.5);
        let high = of_side(2 * axis + 1, index as f64 + 0.5 - (grid.cells[axis] as f64 - of_layer(2 * axis + 1)));
        let depth = (low.max(high) / ISOTROPIC_FROM).clamp(0.0, 1.0);
        0.5 + 0.5 * (std::f64::consts::PI * depth).cos()
    };
    let parts = [0, 1, 2].map(|axis| -> Vec<f64> {
        let is_there = axes.contains(&axis);
        (0..grid.cells[axis]).map(|index| if is_there { part(axis, index) } else { 1.0 }).collect()
    });
    let [nx, ny, nz] = grid.cells;
    for (k, j) in (0..nz).flat_map(|k| (0..ny).map(move |j| (k, j))) {
        let first = layout.row(j, k);
        for (i, of_x) in parts[0].iter().enumerate().take(nx) {
            let part = T::from_f64(of_x * parts[1][j] * parts[2][k]);
            let one = T::from_f64(1.0);
            ratios.iter_mut().for_each(|ratio| ratio[first + i] = one + part * (ratio[first + i] - one));
        }
    }
}
