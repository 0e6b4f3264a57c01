//! Points of a level grid.

use crate::{GravityError, Points};

/// Points at equal spacings along x and y, at one height; x fastest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelGrid {
    /// The point of least x and y [m].
    pub first: [f64; 2],
    /// From a point to the next one along x and y [m].
    pub spacing: [f64; 2],
    /// Points along x and y.
    pub count: [usize; 2],
    /// Their height [m].
    pub z: f64,
}

impl LevelGrid {
    /// Number of points.
    pub fn len(&self) -> usize {
        self.count[0] * self.count[1]
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where point `index` of an axis stands, 0 for x [m]: the first one and so many spacings.
    pub fn place(&self, axis: usize, index: usize) -> f64 {
        self.first[axis] + index as f64 * self.spacing[axis]
    }

    /// The points one by one.
    ///
    /// # Errors
    /// [`GravityError::PointNotFinite`] for the first one that has no place.
    pub fn points(&self) -> Result<Points, GravityError> {
        let [nx, _] = self.count;
        Points::new((0..self.len()).map(|n| [self.place(0, n % nx), self.place(1, n / nx), self.z]))
    }

    /// Whether there are points, and each has a place of its own.
    pub(super) fn is_sound(&self) -> bool {
        let is_axis_sound = |axis: usize| {
            let count = self.count[axis];
            let last = self.place(axis, count.max(1) - 1);
            count > 0 && self.first[axis].is_finite() && last.is_finite() && (count == 1 || self.spacing[axis] > 0.0)
        };
        self.z.is_finite() && is_axis_sound(0) && is_axis_sound(1)
    }
}
