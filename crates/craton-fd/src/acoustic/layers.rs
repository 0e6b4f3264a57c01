//! Absorbing layers of a shot: factors and memory of one derivative on each side.

use std::ops::Range;

use craton_device::{AlignedVec, Scalar};
use craton_fd_kernels::Profile;
use craton_numerics::staggered::GridPoints;

use super::layout::Layout;
use crate::boundary::AbsorbingLayer;
use crate::error::FdError;
use crate::grid::Grid;
use crate::layers::{points, profile};
use crate::layout::GROUP;

/// The layer of one side.
pub struct Layer<T: Scalar> {
    axis: usize,
    /// Index range normal to the side: whole groups along x.
    pub range: Range<usize>,
    /// Factors at the faces (velocities) and at the centres (pressure).
    profiles: [Profile<T>; 2],
    /// Values of a row, and rows of a plane across z.
    pub width: usize,
    rows: usize,
    /// Memory variables of the derivative of pressure and of that of velocity along the axis.
    pub memory: [AlignedVec<T>; 2],
}

impl<T: Scalar> Layer<T> {
    /// Creates the layer of a side, at rest.
    ///
    /// # Errors
    /// Parameters out of range.
    pub fn new(grid: &Grid, side: usize, layer: &AbsorbingLayer, layout: &Layout, dt: f64) -> Result<Self, FdError> {
        let axis = side / 2;
        let mut range = points(grid, side, layer.cells);
        if axis == 0 {
            range = range.start / GROUP * GROUP..range.end.next_multiple_of(GROUP);
        }
        let at = |points| profile(grid, side, layer, dt, range.clone(), points);
        let profiles = [at(GridPoints::Whole)?, at(GridPoints::Half)?];
        let [nx, ny, nz] = [layout.groups * GROUP, layout.cells[1], layout.cells[2]];
        let (width, rows, planes) = match axis {
            0 => (range.len(), ny, nz),
            1 => (nx, range.len(), nz),
            _ => (nx, ny, range.len()),
        };
        let memory = || AlignedVec::zeroed(width * rows * planes);
        Ok(Self { axis, range, profiles, width, rows, memory: [memory(), memory()] })
    }

    /// Values of a row, and rows of a plane across z.
    pub fn shape(&self) -> [usize; 2] {
        [self.width, self.rows]
    }

    /// Decay, gain and inverse stretch at faces, then at centres, along its axis.
    pub fn factors(&self) -> impl Iterator<Item = &[T]> {
        self.profiles.iter().flat_map(|at| [&at.decay[..], &at.gain[..], &at.inverse_stretch[..]])
    }

    /// Whether plane k is in the layer.
    pub fn holds(&self, k: usize) -> bool {
        self.axis != 2 || self.range.contains(&k)
    }

    /// Memory variables in plane k, row after row, and decay, gain and inverse stretch along its axis.
    ///
    /// # Arguments
    /// * `half` – 0 for the velocity update, 1 for the pressure update
    pub fn plane_and_factors(&mut self, half: usize, k: usize) -> (&mut [T], [&[T]; 3]) {
        let plane = if self.axis == 2 { k - self.range.start } else { k };
        let len = self.width * self.rows;
        let Profile { decay, gain, inverse_stretch } = &self.profiles[half];
        (&mut self.memory[half][plane * len..][..len], [decay, gain, inverse_stretch])
    }

    /// Resets the memory variables to zero.
    pub fn rest(&mut self) {
        self.memory.iter_mut().for_each(|memory| memory.fill(T::default()));
    }

    /// Bytes held in memory.
    pub fn bytes(&self) -> usize {
        self.memory.iter().map(AlignedVec::bytes).sum()
    }
}
