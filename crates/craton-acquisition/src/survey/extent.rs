//! Boxes that hold positions.

use super::WeightedPoint;

/// A box along the axes, its sides included \[m\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// Least x, y, z.
    pub low: [f64; 3],
    /// Largest x, y, z.
    pub high: [f64; 3],
}

impl Extent {
    /// The least box around points; without one, a box from infinity to minus infinity.
    pub(super) fn around(points: impl Iterator<Item = WeightedPoint>) -> Self {
        let nothing = Self { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };
        points.fold(nothing, |Self { low, high }, WeightedPoint { position, .. }| Self {
            low: std::array::from_fn(|axis| low[axis].min(position[axis])),
            high: std::array::from_fn(|axis| high[axis].max(position[axis])),
        })
    }

    /// The box with a margin on both sides, along x, y and z \[m\].
    #[must_use]
    pub fn grown(self, margin: [f64; 3]) -> Self {
        Self {
            low: std::array::from_fn(|axis| self.low[axis] - margin[axis]),
            high: std::array::from_fn(|axis| self.high[axis] + margin[axis]),
        }
    }

    /// Whether a position \[m\] lies inside or on a side.
    #[must_use]
    pub fn contains(&self, position: [f64; 3]) -> bool {
        (0..3).all(|axis| self.low[axis] <= position[axis] && position[axis] <= self.high[axis])
    }
}
