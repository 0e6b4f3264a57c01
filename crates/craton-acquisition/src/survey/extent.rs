//! Boxes that hold positions.

use super::WeightedPoint;

/// Part of the larger coordinate of two sides by which multiples of an interval may lead beyond one.
const ROUNDING: f64 = 1e-12;

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

    /// Whether a position \[m\] lies inside or on a side; along x and y also where rounding alone leads beyond one.
    #[must_use]
    pub fn contains(&self, position: [f64; 3]) -> bool {
        (0..3).all(|axis| self.contains_along(axis, position[axis]))
    }

    /// The same of one coordinate.
    pub(super) fn contains_along(&self, axis: usize, at: f64) -> bool {
        let (low, high) = (self.low[axis], self.high[axis]);
        let slack = if axis < 2 { ROUNDING * low.abs().max(high.abs()) } else { 0.0 };
        (low - slack..=high + slack).contains(&at)
    }
}
