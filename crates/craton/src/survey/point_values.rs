//! Values per point of a shot, for estimates of memory.

use super::grid::{Grids, Window};

/// Values per point of a shot.
#[derive(Debug, Clone, Copy)]
pub struct PointValues {
    /// Of the fields and the memory variables of layers, which each shot has.
    pub fields: f64,
    /// Of the factors, which concurrent shots share.
    pub factors: f64,
}

impl Grids {
    /// Values per point of the fields, factors and memory variables of layers of a shot: with copies on the host, if it computes the shot.
    pub fn values_per_point(&self, window: &Window) -> PointValues {
        if !self.options.equation.is_scalar() {
            return PointValues { fields: 6.0, factors: 4.0 };
        }
        // Three variables per point of a layer, two of them with margins.
        let in_layers = |axis: usize| {
            let layers = self.around()[axis].iter().sum::<usize>() as f64;
            layers / (window.cells[axis].len() as f64 + layers)
        };
        PointValues { fields: 2.0 + 3.5 * (0..3).map(in_layers).sum::<f64>(), factors: 1.0 }
    }
}
