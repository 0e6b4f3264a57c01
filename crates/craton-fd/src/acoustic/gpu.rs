//! Shots of one model in motion on a GPU, side by side: the arrays of the CPU as they stand, and the same arithmetic of a point.

use std::ops::Range;
use std::sync::Arc;

use craton_device::gpu::{Gpu, GpuError};
use craton_sim::{Failure, Instability};

use super::arrays::Arrays;
use super::cut::{Cut, Tiling};
use super::heard::Heard;
use super::medium::AcousticMedium;
use super::rows::Rows;
use super::setup::{AcousticOptions, Setup};
use super::taps::{Drive, Listener};
use super::tiles::Tiles;
use crate::error::GpuSetupError;

/// Some shots of one model on a GPU, in single precision: velocities at half steps, pressure at whole ones.
pub struct AcousticGpu {
    arrays: Arrays,
    way: Way,
    heard: Heard,
    step: u64,
    first_sample: u64,
}

/// How shots move.
enum Way {
    Rows(Rows),
    Tiles(Tiles),
}

/// How shots are to move; the bits are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShotWay {
    /// The faster way.
    Fastest,
    /// In blocks of rows, which pass through memory.
    Rows,
    /// In tiles that stay on the chip, where there are tiles: see [`AcousticGpu::tiles`].
    Tiles,
}

impl ShotWay {
    /// Whether so many shots on a grid of so many cells move in tiles if they can.
    fn tries_tiles(self, cells: [usize; 3], shots: usize) -> bool {
        match self {
            Self::Fastest => shots * cells.iter().product::<usize>() >= LEAST_IN_TILES,
            Self::Rows => false,
            Self::Tiles => true,
        }
    }
}

/// Points of all shots from which on they move faster in tiles: a step of tiles takes some 9 us, however small they are (`docs/performance.md`).
const LEAST_IN_TILES: usize = 700_000;

impl AcousticGpu {
    /// At rest, without sources and channels.
    ///
    /// # Arguments
    /// * `dt` – time step [s], at most [`AcousticMedium::stable_step`]
    /// * `shots` – that move side by side, at least one
    /// # Errors
    /// What [`super::AcousticOperator::new`] refuses; more points than kernels can count, too little memory.
    pub fn new(
        gpu: &Gpu,
        medium: Arc<AcousticMedium<f32>>,
        options: AcousticOptions,
        dt: f64,
        shots: usize,
    ) -> Result<Self, GpuSetupError> {
        Self::moving(ShotWay::Fastest, gpu, medium, options, dt, shots)
    }

    /// The same, moving as is wanted.
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
        let tiles = if way.tries_tiles(setup.grid.cells, shots) { Tiles::new(gpu, &setup, shots)? } else { None };
        let way = match tiles {
            Some(tiles) => Way::Tiles(tiles),
            None => Way::Rows(Rows::new(gpu, &setup, shots)?),
        };
        Self::by(way, gpu, setup, shots)
    }

    fn by(way: Way, gpu: &Gpu, setup: Setup<f32>, shots: usize) -> Result<Self, GpuSetupError> {
        let arrays = Arrays::new(gpu, setup, shots)?;
        let mut operator = Self { arrays, way, heard: Heard::default(), step: 0, first_sample: 0 };
        operator.place(&vec![(Vec::new(), Vec::new()); shots])?;
        Ok(operator)
    }

    /// Tiles of a shot along x and z, and shots whose tiles move at once; none where shots move in blocks of rows.
    pub fn tiles(&self) -> Option<([usize; 2], usize)> {
        let Way::Tiles(tiles) = &self.way else { return None };
        let Tiling { across, down, at_once, .. } = tiles.tiling();
        Some(([across, down], at_once))
    }

    /// New shots: all is at rest again.
    ///
    /// # Arguments
    /// * `shots` – of each its sources and its channels; as many as there is room for, or fewer
    /// # Errors
    /// A position outside the grid; more channels than kernels can count, too little memory.
    ///
    /// # Panics
    /// If there are more shots than room.
    pub fn place(&mut self, shots: &[(Vec<Drive>, Vec<Listener>)]) -> Result<(), GpuSetupError> {
        let Arrays { gpu, setup, shots: of_all, .. } = &mut self.arrays;
        assert!(shots.len() <= of_all.count, "{} shots, room for {}", shots.len(), of_all.count);
        let cut = match &self.way {
            Way::Rows(rows) => rows.cut(),
            Way::Tiles(tiles) => Cut::Tiles(tiles.tiling()),
        };
        of_all.place(gpu, setup, shots, &cut)?;
        match &mut self.way {
            Way::Rows(rows) => rows.place(),
            Way::Tiles(tiles) => tiles.place(of_all)?,
        }
        self.arrays.rest()?;
        self.heard = Heard::default();
        (self.step, self.first_sample) = (0, 0);
        Ok(())
    }

    /// Steps done.
    pub fn step(&self) -> u64 {
        self.step
    }

    /// Steps whose samples there is room for, until they are taken.
    pub fn longest_advance(&self) -> u64 {
        (self.arrays.shots.ring.rows() as u64).saturating_sub(self.step - self.first_sample)
    }

    /// Queues some steps; what they hear is brought home while others are made.
    ///
    /// # Errors
    /// A device that fails.
    ///
    /// # Panics
    /// If channels are heard and there is no room for so many samples: see [`Self::longest_advance`].
    pub fn advance(&mut self, steps: u64) -> Result<(), Failure> {
        let is_heard = self.arrays.shots.ring.channels() > 0;
        assert!(!is_heard || steps <= self.longest_advance(), "{steps} steps, room for {}", self.longest_advance());
        let end = self.step + steps;
        while self.step < end {
            let Arrays { gpu, shots, .. } = &self.arrays;
            let next = Heard::next(self.step, end, &shots.ring);
            let moved = match &mut self.way {
                Way::Rows(rows) => rows.advance(&self.arrays, next.end - next.start),
                Way::Tiles(tiles) => tiles.advance(&self.arrays, next.end - next.start),
            };
            let brought = moved.and_then(|()| self.heard.bring(gpu, &shots.ring, next.clone(), &shots.rows));
            brought.map_err(self.failure())?;
            self.step = next.end;
        }
        Ok(())
    }

    /// Of each shot the samples since the last call, `[step][channel]`: pressure after each step, velocity half a step before.
    ///
    /// # Errors
    /// A device that fails.
    pub fn take_samples(&mut self) -> Result<Vec<Vec<f32>>, Failure> {
        let samples = self.heard.take(&self.arrays.shots.rows).map_err(self.failure())?;
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

    /// The same in some of the cells.
    ///
    /// # Errors
    /// A device that fails.
    pub fn pressure_in(&self, shot: usize, cells: &[Range<usize>; 3]) -> Result<Vec<f32>, Failure> {
        let (layout, fields) = (&self.arrays.setup.layout, self.arrays.setup.axes.len() + 1);
        let first = (shot * fields + fields - 1) * layout.len();
        let [x, y, z] = cells;
        // Whole planes come home at once, parts of planes one by one.
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

    /// Whether the field of a shot is still finite; what one of them does, the others do not feel.
    ///
    /// # Errors
    /// The step and a place that is not; a device that fails.
    pub fn check(&self, shot: usize) -> Result<(), Failure> {
        let Some(number) = self.pressure(shot)?.iter().position(|p| !p.is_finite()) else { return Ok(()) };
        let [nx, ny, _] = self.arrays.setup.grid.cells;
        let position = self.arrays.setup.grid.centre([number % nx, number / nx % ny, number / (nx * ny)]);
        Err(Instability { step: self.step, position, courant: self.arrays.setup.courant }.into())
    }

    /// A failure of the device as the time loop takes it.
    fn failure(&self) -> impl Fn(GpuError) -> Failure + use<> {
        let step = self.step;
        move |fault| Failure::Device { step, fault }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_planes_move_in_tiles_and_small_ones_in_rows() {
        let [large, small] = [[1481, 1, 1101], [741, 1, 551]];
        assert!(ShotWay::Fastest.tries_tiles(large, 1) && !ShotWay::Fastest.tries_tiles(small, 1));
        assert!(ShotWay::Fastest.tries_tiles(small, 2));
        assert!(ShotWay::Tiles.tries_tiles(small, 1) && !ShotWay::Rows.tries_tiles(large, 1));
    }
}
