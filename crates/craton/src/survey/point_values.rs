//! Values per point of a shot, for estimates of memory.

use super::grid::elastic::ElasticGrid;
use super::grid::{Grids, Physics, Window};
use crate::gridding::memory::{ARRAYS, LOSSES, MIXED_ON_DEVICE, OF_LAYERS, ON_DEVICE, SET};

/// Values per point of a shot.
#[derive(Debug, Clone, Copy)]
pub struct PointValues {
    /// Of the fields and the memory variables of layers, which each shot has.
    pub fields: f64,
    /// Of the factors, which concurrent shots share.
    pub factors: f64,
    /// Of attenuation: of each shot, and of all.
    pub relaxing: [f64; 2],
}

impl Grids {
    /// Values per point of the fields, factors and memory variables of a shot: with copies on the host, if it computes the shot.
    pub fn values_per_point(&self, window: &Window) -> PointValues {
        let relaxing = match self.memory_sets() {
            0 => [0.0; 2],
            sets => [sets as f64, 1.0],
        };
        match self.physics() {
            Physics::Elastic(grid) => self.of_elastic(grid, window),
            Physics::Acoustic(grid) if !grid.equation.is_scalar() => {
                PointValues { fields: 6.0, factors: 4.0, relaxing }
            }
            // Three variables per point of a layer, two of them with margins.
            Physics::Acoustic(_) => PointValues { fields: 2.0 + 3.5 * self.in_layers(window), factors: 1.0, relaxing },
        }
    }

    /// Fields and material with halos, the class of the stencil, averages in cells with several solids, and the variables of layers and mechanisms.
    /// Each shot has its own.
    fn of_elastic(&self, grid: &ElasticGrid, window: &Window) -> PointValues {
        let with_halo = |axis: usize| {
            // A plane has one row per plane of cells.
            if axis == 1 && self.is_plane() {
                return 1.0;
            }
            let cells = window.cells[axis].len() + self.around()[axis].iter().sum::<usize>();
            1.0 + (2 * grid.half_length()) as f64 / cells as f64
        };
        let padding: f64 = (0..3).map(with_halo).product();
        let sets = self.memory_sets() as f64;
        let of_attenuation = if sets > 0.0 { padding * (SET * sets + LOSSES) } else { 0.0 };
        let mixed = if grid.is_mixed() { MIXED_ON_DEVICE / size_of::<f32>() as f64 } else { 0.0 };
        PointValues {
            fields: ARRAYS * padding + ON_DEVICE + mixed + OF_LAYERS * self.in_layers(window),
            factors: 0.0,
            relaxing: [of_attenuation, 0.0],
        }
    }

    /// Number of points in layers over that of all points; a point in several layers counts for each.
    fn in_layers(&self, window: &Window) -> f64 {
        let along = |axis: usize| {
            let layers = self.around()[axis].iter().sum::<usize>() as f64;
            layers / (window.cells[axis].len() as f64 + layers)
        };
        (0..3).map(along).sum()
    }
}
