//! Tensor-product meshes of cells.

use rayon::prelude::*;

use crate::{GravityError, Prism, Prisms};

/// A tensor-product mesh: cells between planes normal to the axes, each with a density.
#[derive(Debug, Clone, PartialEq)]
pub struct TensorMesh {
    planes: [Vec<f64>; 3],
    density: Vec<f64>,
}

impl TensorMesh {
    /// Builds a mesh.
    ///
    /// # Arguments
    /// * `planes` – coordinates of the planes along x, y and z [m], ascending, at least two each
    /// * `density` – of each cell [kg/m³], x fastest, then y, then z upwards
    /// # Errors
    /// [`GravityError::Planes`] for planes that are not in ascending order, [`GravityError::Count`] unless there is one density per cell,
    /// [`GravityError::CellNotFinite`] for a density that is not finite.
    pub fn new(planes: [Vec<f64>; 3], density: Vec<f64>) -> Result<Self, GravityError> {
        for (axis, planes) in ["x", "y", "z"].into_iter().zip(&planes) {
            let is_good = |pair: &[f64]| pair[0] < pair[1] && (pair[1] - pair[0]).is_finite();
            let bad = planes.windows(2).position(|pair| !is_good(pair));
            if let Some(plane) = bad.or((planes.len() < 2).then_some(0)) {
                return Err(GravityError::Planes { axis, plane, count: planes.len() });
            }
        }
        let mesh = Self { planes, density };
        let [nx, ny, nz] = mesh.cells();
        GravityError::check_count("densities", mesh.density.len(), "cells", nx * ny * nz)?;
        match mesh.density.iter().position(|value| !value.is_finite()) {
            Some(cell) => Err(GravityError::CellNotFinite { cell: mesh.cell(cell), value: mesh.density[cell] }),
            None => Ok(mesh),
        }
    }

    /// Number of cells along x, y and z.
    pub fn cells(&self) -> [usize; 3] {
        self.planes.each_ref().map(|planes| planes.len() - 1)
    }

    /// Coordinates of the planes along x, y and z [m].
    pub fn planes(&self) -> &[Vec<f64>; 3] {
        &self.planes
    }

    /// Densities [kg/m³], x fastest, then y, then z upwards.
    pub fn density(&self) -> &[f64] {
        &self.density
    }

    /// Whether a position (x, y, z) [m] lies inside a cell of nonzero density, strictly below its top.
    pub fn holds(&self, place: [f64; 3]) -> bool {
        let along = |axis: usize| {
            let below = self.planes[axis].partition_point(|&plane| plane <= place[axis]);
            (0 < below && below < self.planes[axis].len()).then(|| below - 1)
        };
        let [nx, ny, _] = self.cells();
        matches!([along(0), along(1), along(2)], [Some(i), Some(j), Some(k)] if self.density[i + nx * (j + ny * k)] != 0.0)
    }

    /// The cells of nonzero density as prisms, in the order of the densities.
    pub fn prisms(&self) -> impl Iterator<Item = Prism> {
        let full = self.density.iter().enumerate().filter(|&(_, &density)| density != 0.0);
        full.map(|(index, &density)| {
            let [i, j, k] = self.cell(index);
            let [x, y, z] = &self.planes;
            Prism { west: x[i], east: x[i + 1], south: y[j], north: y[j + 1], bottom: z[k], top: z[k + 1], density }
        })
    }

    /// The same prisms as columns: west, east, south, north, bottom, top [m], density [kg/m³]; computed in parallel.
    pub fn columns(&self) -> [Vec<f64>; 7] {
        let full = (0..self.density.len()).into_par_iter().filter(|&index| self.density[index] != 0.0);
        let full: Vec<usize> = full.collect();
        let bounds = |axis: usize, side: usize| {
            full.par_iter().map(|&index| self.planes[axis][self.cell(index)[axis] + side]).collect()
        };
        let density = full.par_iter().map(|&index| self.density[index]).collect();
        [bounds(0, 0), bounds(0, 1), bounds(1, 0), bounds(1, 1), bounds(2, 0), bounds(2, 1), density]
    }

    /// Indices of cell `index` along x, y and z.
    fn cell(&self, index: usize) -> [usize; 3] {
        let [nx, ny, _] = self.cells();
        [index % nx, index / nx % ny, index / (nx * ny)]
    }
}

/// The cells of nonzero density, in the order of the densities. For one prism per cell, as inversions need, build a mesh whose densities are all 1 and call
/// [`set_density`](Prisms::set_density) afterwards.
impl TryFrom<&TensorMesh> for Prisms {
    type Error = GravityError;

    fn try_from(mesh: &TensorMesh) -> Result<Self, GravityError> {
        Self::new(mesh.prisms())
    }
}
