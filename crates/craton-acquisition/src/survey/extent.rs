//! Axis-aligned boxes.

use super::WeightedPoint;

/// Tolerance at the sides, relative to the larger magnitude of the two coordinates: multiples of an interval may exceed a side by
/// round-off.
const ROUNDING: f64 = 1e-12;

/// An axis-aligned box, closed \[m\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Extent {
    /// Smallest x, y, z.
    pub low: [f64; 3],
    /// Largest x, y, z.
    pub high: [f64; 3],
}

impl Extent {
    /// The bounding box of points; without points, a box from infinity to minus infinity.
    pub(super) fn around(points: impl Iterator<Item = WeightedPoint>) -> Self {
        let nothing = Self { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };
        points.fold(nothing, |Self { low, high }, WeightedPoint { position, .. }| Self {
            low: std::array::from_fn(|axis| low[axis].min(position[axis])),
            high: std::array::from_fn(|axis| high[axis].max(position[axis])),
        })
    }

    /// Enlarges the box by a margin on both sides along x, y and z \[m\].
    #[must_use]
    pub fn grown(self, margin: [f64; 3]) -> Self {
        Self {
            low: std::array::from_fn(|axis| self.low[axis] - margin[axis]),
            high: std::array::from_fn(|axis| self.high[axis] + margin[axis]),
        }
    }

    /// Whether a position \[m\] lies inside or on a side, within round-off along x and y.
    #[must_use]
    pub fn contains(&self, position: [f64; 3]) -> bool {
        (0..3).all(|axis| self.contains_along(axis, position[axis]))
    }

    /// Whether one coordinate lies within the box.
    pub(super) fn contains_along(&self, axis: usize, at: f64) -> bool {
        let (low, high) = (self.low[axis], self.high[axis]);
        let slack = if axis < 2 { ROUNDING * low.abs().max(high.abs()) } else { 0.0 };
        (low - slack..=high + slack).contains(&at)
    }
}
