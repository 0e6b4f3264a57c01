//! Where gravity is computed.

use std::ops::Range;

use crate::GravityError;

/// Points, coordinate by coordinate [m].
#[derive(Debug, Clone, PartialEq)]
pub struct Points {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
}

impl Points {
    /// Points (x, y, z) [m].
    ///
    /// # Errors
    /// [`GravityError::PointNotFinite`] with the number of the first one that has no place.
    pub fn new(points: impl IntoIterator<Item = [f64; 3]>) -> Result<Self, GravityError> {
        let mut all = Self { x: Vec::new(), y: Vec::new(), z: Vec::new() };
        for (point, place) in points.into_iter().enumerate() {
            for (axis, value) in ["x", "y", "z"].into_iter().zip(place) {
                if !value.is_finite() {
                    return Err(GravityError::PointNotFinite { point, axis, value });
                }
            }
            all.x.push(place[0]);
            all.y.push(place[1]);
            all.z.push(place[2]);
        }
        Ok(all)
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.x.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// Some of the points.
    ///
    /// # Panics
    /// If there are not so many.
    pub fn part(&self, range: Range<usize>) -> Self {
        let [x, y, z] = [&self.x, &self.y, &self.z].map(|places| places[range.clone()].to_vec());
        Self { x, y, z }
    }

    /// Coordinates along an axis [m].
    pub(crate) fn along(&self, axis: usize) -> &[f64] {
        [&self.x, &self.y, &self.z][axis]
    }

    /// Point `index` as (x, y, z) [m].
    pub fn get(&self, index: usize) -> [f64; 3] {
        [self.x[index], self.y[index], self.z[index]]
    }
}
