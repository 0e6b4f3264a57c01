//! The acoustic solver on a GPU: concurrent shots of one model, with the array layout and the arithmetic of the CPU.

use std::ops::Range;
use std::sync::Arc;

use craton_device::gpu::{Buffer, Gpu, GpuError};
use craton_sim::{Failure, Instability};

use super::arrays::Arrays;
use super::cut::{Cut, Tiling};
use super::equation::WaveEquation;
use super::gradient::DeviceIncrements;
use super::medium::AcousticMedium;
use super::rows::Rows;
use super::samples::PendingSamples;
use super::scalar::ScalarRows;
use super::setup::{AcousticOptions, Setup};
use super::taps::{Drive, Listener};
use super::tiles::Tiles;
use crate::error::GpuSetupError;

/// Concurrent shots of one model on a GPU, in single precision: velocities at half steps, pressure at whole steps.
pub struct AcousticGpu {
    arrays: Arrays,
    way: Way,
    /// Where increments of the fields are stored for a gradient; only in blocks of rows.
    increments: Option<DeviceIncrements>,
    samples: PendingSamples,
    step: u64,
    first_sample: u64,
}

/// Fields and memory variables of all shots after a step.
pub struct DeviceCheckpoint {
    fields: Buffer<f32>,
    memory: Buffer<f32>,
    step: u64,
}

/// Method of propagation.
enum Way {
    Rows(Rows),
    Tiles(Tiles),
    Scalar(Box<ScalarRows>),
}

/// Choice of the method of propagation of the system of first order; results are bit-identical.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShotWay {
    /// The faster method.
    Fastest,
    /// Blocks of rows, streamed through memory.
    Rows,
    /// Tiles that stay on the chip, if possible: see [`AcousticGpu::tiles`].
    Tiles,
}

impl ShotWay {
    /// Whether to use tiles, if possible, for a number of shots on a grid.
    fn tries_tiles(self, cells: [usize; 3], shots: usize) -> bool {
        match self {
            Self::Fastest => shots * cells.iter().product::<usize>() >= LEAST_IN_TILES,
            Self::Rows => false,
            Self::Tiles => true,
        }
    }
}

/// Minimum total number of points for which tiles are faster: a step of tiles takes at least some 9 us (`docs/performance.md`).
const LEAST_IN_TILES: usize = 700_000;

impl AcousticGpu {
    /// Creates the solver at rest, without sources and channels.
    ///
    /// # Arguments
    /// * `dt` – time step [s], at most [`AcousticMedium::stable_step_of`]
    /// * `shots` – number of concurrent shots, at least one
    ///
    /// # Errors
    /// Those of [`super::AcousticOperator::new`]; too many points for 32-bit indices, too little memory.
    pub fn new(
        gpu: &Gpu,
        medium: Arc<AcousticMedium<f32>>,
        options: AcousticOptions,
        dt: f64,
        shots: usize,
    ) -> Result<Self, GpuSetupError> {
        Self::moving(ShotWay::Fastest, gpu, medium, options, dt, shots)
    }

    /// Creates the solver with a choice of the method of propagation.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn moving(
        way: ShotWay,
        gpu: &Gpu,
        medium: Arc<AcousticMedium<f32>>,
        options: AcousticOptions,
        dt: f64,
        shots: usize,
    ) -> Result<Self, GpuSetupError> {
        let setup = Setup::new(medium, options, dt)?;
        if let WaveEquation::Scalar(stencil) = &setup.options.equation {
            let rows = ScalarRows::new(gpu, &setup, stencil, shots)?;
            return Self::by(Way::Scalar(Box::new(rows)), gpu, setup, shots);
        }
        let tiles = if way.tries_tiles(setup.grid.cells, shots) { Tiles::new(gpu, &setup, shots)? } else { None };
        let way = match tiles {
            Some(tiles) => Way::Tiles(tiles),
            None => Way::Rows(Rows::new(gpu, &setup, shots)?),
        };
        Self::by(way, gpu, setup, shots)
    }

    fn by(way: Way, gpu: &Gpu, setup: Setup<f32>, shots: usize) -> Result<Self, GpuSetupError> {
        let arrays = Arrays::new(gpu, setup, shots)?;
        let mut operator =
            Self { arrays, way, increments: None, samples: PendingSamples::default(), step: 0, first_sample: 0 };
        operator.place(&vec![(Vec::new(), Vec::new()); shots])?;
        Ok(operator)
    }

    /// Number of tiles per shot along x and z, and number of concurrent shots; `None` if shots use blocks of rows.
    pub fn tiles(&self) -> Option<([usize; 2], usize)> {
        let Way::Tiles(tiles) = &self.way else { return None };
        let Tiling { across, down, at_once, .. } = tiles.tiling();
        Some(([across, down], at_once))
    }

    /// Sets new shots and resets all fields to rest.
    ///
    /// # Arguments
    /// * `shots` – sources and channels of each shot; at most the number of concurrent shots
    ///
    /// # Errors
    /// A position outside the grid; too many channels for 32-bit indices, too little memory.
    ///
    /// # Panics
    /// If there are too many shots.
    pub fn place(&mut self, shots: &[(Vec<Drive>, Vec<Listener>)]) -> Result<(), GpuSetupError> {
        let Arrays { gpu, setup, shots: of_all, .. } = &mut self.arrays;
        assert!(shots.len() <= of_all.count, "{} shots, room for {}", shots.len(), of_all.count);
        let cut = match &self.way {
            Way::Rows(rows) => rows.cut(),
            Way::Scalar(rows) => rows.cut(),
            Way::Tiles(tiles) => Cut::Tiles(tiles.tiling()),
        };
        of_all.place(gpu, setup, shots, &cut)?;
        match &mut self.way {
            Way::Rows(rows) => rows.place(),
            Way::Scalar(rows) => rows.place()?,
            Way::Tiles(tiles) => tiles.place(of_all)?,
        }
        self.arrays.rest()?;
        self.samples = PendingSamples::default();
        (self.step, self.first_sample) = (0, 0);
        Ok(())
    }

    /// Number of completed steps.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Maximum number of steps between calls of [`Self::take_samples`].
    pub fn longest_advance(&self) -> u64 {
        (self.arrays.shots.ring.rows() as u64).saturating_sub(self.step - self.first_sample)
    }

    /// Queues some steps; samples are copied to the host concurrently with later steps.
    ///
    /// # Errors
    /// A device that fails.
    ///
    /// # Panics
    /// If there are channels and more steps than [`Self::longest_advance`].
    pub fn advance(&mut self, steps: u64) -> Result<(), Failure> {
        let is_heard = self.arrays.shots.ring.channels() > 0;
        assert!(!is_heard || steps <= self.longest_advance(), "{steps} steps, room for {}", self.longest_advance());
        let end = self.step + steps;
        while self.step < end {
            let Arrays { gpu, shots, .. } = &self.arrays;
            let next = PendingSamples::next(self.step, end, &shots.ring);
            let moved = match &mut self.way {
                Way::Rows(rows) => rows.advance(&self.arrays, self.increments.as_ref(), next.end - next.start),
                Way::Scalar(rows) => rows.advance(&self.arrays, next.end - next.start),
                Way::Tiles(tiles) => tiles.advance(&self.arrays, next.end - next.start),
            };
            let brought = moved.and_then(|()| self.samples.bring(gpu, &shots.ring, next.clone(), &shots.rows));
            brought.map_err(self.failure())?;
            self.step = next.end;
        }
        Ok(())
    }

    /// Takes the samples of each shot since the last call, `[step][channel]`: pressure after each step, velocity half a step before.
    ///
    /// # Errors
    /// A device that fails.
    pub fn take_samples(&mut self) -> Result<Vec<Vec<f32>>, Failure> {
        let samples = self.samples.take(&self.arrays.shots.rows).map_err(self.failure())?;
        self.first_sample = self.step;
        Ok(samples)
    }

    /// Pressure of a shot at the centre of each cell [Pa], x fastest.
    ///
    /// # Errors
    /// A device that fails.
    pub fn pressure(&self, shot: usize) -> Result<Vec<f32>, Failure> {
        self.pressure_in(shot, &self.arrays.setup.layout.cells.map(|count| 0..count))
    }

    /// Pressure of a shot at the centres of some of the cells [Pa], x fastest.
    ///
    /// # Errors
    /// A device that fails.
    pub fn pressure_in(&self, shot: usize, cells: &[Range<usize>; 3]) -> Result<Vec<f32>, Failure> {
        let (layout, first) = (&self.arrays.setup.layout, self.arrays.pressure_of(shot, self.step));
        let [x, y, z] = cells;
        // Whole planes are copied together, parts of planes one by one.
        let at_once = if y.len() == layout.cells[1] { z.len().max(1) } else { 1 };
        let mut found = Vec::with_capacity(cells.iter().map(Range::len).product());
        for start in z.clone().step_by(at_once) {
            let part = [x.clone(), y.clone(), start..start + at_once];
            let (Some(low), Some(high)) = (layout.rows(&part).next(), layout.rows(&part).last()) else { continue };
            let range = first + low.start..first + high.end;
            let home = self.arrays.fields.download_range(range).map_err(self.failure())?;
            layout
                .rows(&part)
                .for_each(|row| found.extend_from_slice(&home[row.start - low.start..row.end - low.start]));
        }
        Ok(found)
    }

    /// Checks that the fields of a shot are finite; shots are independent of each other.
    ///
    /// # Errors
    /// The step and the position of a value that is not finite; a device that fails.
    pub fn check(&self, shot: usize) -> Result<(), Failure> {
        let Some(number) = self.pressure(shot)?.iter().position(|p| !p.is_finite()) else { return Ok(()) };
        let [nx, ny, _] = self.arrays.setup.grid.cells;
        let position = self.arrays.setup.grid.centre([number % nx, number / nx % ny, number / (nx * ny)]);
        Err(Instability { step: self.step, position, courant: self.arrays.setup.courant }.into())
    }

    /// The arrays, and the propagation if it is in blocks of rows.
    pub(super) fn parts(&self) -> (&Arrays, Option<&Rows>) {
        let rows = if let Way::Rows(rows) = &self.way { Some(rows) } else { None };
        (&self.arrays, rows)
    }

    /// Sets where increments of the fields are stored from now on. Returns the previous store.
    pub(super) fn store(&mut self, increments: Option<DeviceIncrements>) -> Option<DeviceIncrements> {
        if let Way::Rows(rows) = &mut self.way {
            rows.place();
        }
        std::mem::replace(&mut self.increments, increments)
    }

    /// Memory of a checkpoint [bytes].
    pub(super) fn checkpoint_bytes(&self) -> usize {
        self.arrays.fields.bytes() + self.arrays.memory.bytes()
    }

    /// Copies the state of the fields to a checkpoint, or to a new one.
    ///
    /// # Errors
    /// Too little memory; a device that fails.
    pub(super) fn checkpoint(&self, reused: Option<DeviceCheckpoint>) -> Result<DeviceCheckpoint, GpuError> {
        let Arrays { gpu, fields, memory, .. } = &self.arrays;
        let mut state = match reused {
            Some(state) => state,
            None => DeviceCheckpoint { fields: gpu.zeroed(fields.len())?, memory: gpu.zeroed(memory.len())?, step: 0 },
        };
        state.fields.copy_from(gpu, 0, fields, 0..fields.len())?;
        state.memory.copy_from(gpu, 0, memory, 0..memory.len())?;
        state.step = self.step;
        Ok(state)
    }

    /// Restores a state of the same shot; the following steps are bit-identical.
    ///
    /// # Errors
    /// A device that fails.
    pub(super) fn restore(&mut self, state: &DeviceCheckpoint) -> Result<(), GpuError> {
        let Arrays { gpu, fields, memory, counter, .. } = &mut self.arrays;
        fields.copy_from(gpu, 0, &state.fields, 0..state.fields.len())?;
        memory.copy_from(gpu, 0, &state.memory, 0..state.memory.len())?;
        counter.write(0..1, &[state.step as u32])?;
        (self.step, self.first_sample) = (state.step, state.step);
        self.samples = PendingSamples::default();
        Ok(())
    }

    /// Converts a device error to a failure of the time loop.
    pub(super) fn failure(&self) -> impl Fn(GpuError) -> Failure + use<> {
        let step = self.step;
        move |fault| Failure::Device { step, fault }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_planes_use_tiles_and_small_ones_rows() {
        let [large, small] = [[1481, 1, 1101], [741, 1, 551]];
        assert!(ShotWay::Fastest.tries_tiles(large, 1) && !ShotWay::Fastest.tries_tiles(small, 1));
        assert!(ShotWay::Fastest.tries_tiles(small, 2));
        assert!(ShotWay::Tiles.tries_tiles(small, 1) && !ShotWay::Rows.tries_tiles(large, 1));
    }
}
