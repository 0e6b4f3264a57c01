//! Level grids of points.

use crate::{GravityError, Points};

/// A regular horizontal grid of points at one height; x fastest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelGrid {
    /// x and y of the first point, the smallest ones [m].
    pub first: [f64; 2],
    /// Spacing along x and y [m].
    pub spacing: [f64; 2],
    /// Number of points along x and y.
    pub count: [usize; 2],
    /// Height of the points [m].
    pub z: f64,
}

impl LevelGrid {
    /// Number of points.
    pub fn len(&self) -> usize {
        self.count[0] * self.count[1]
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Coordinate of point `index` along an axis (0 for x, 1 for y) [m].
    pub fn place(&self, axis: usize, index: usize) -> f64 {
        self.first[axis] + index as f64 * self.spacing[axis]
    }

    /// The points as a list.
    ///
    /// # Errors
    /// [`GravityError::PointNotFinite`] for the first point whose coordinates are not finite.
    pub fn points(&self) -> Result<Points, GravityError> {
        let [nx, _] = self.count;
        Points::new((0..self.len()).map(|n| [self.place(0, n % nx), self.place(1, n / nx), self.z]))
    }

    /// Whether the grid is not empty and its points are finite and distinct.
    pub(super) fn is_sound(&self) -> bool {
        let is_axis_sound = |axis: usize| {
            let count = self.count[axis];
            let last = self.place(axis, count.max(1) - 1);
            count > 0 && self.first[axis].is_finite() && last.is_finite() && (count == 1 || self.spacing[axis] > 0.0)
        };
        self.z.is_finite() && is_axis_sound(0) && is_axis_sound(1)
    }
}
