//! Where gravity is computed.

use std::ops::Range;

use crate::GravityError;
use crate::tile::{GROUP, TILE};

/// Points from which both halves of a part are ordered side by side.
const MANY: usize = 1 << 14;

/// Points, coordinate by coordinate [m].
#[derive(Debug, Clone, PartialEq, Default)]
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
        let mut all = Self::default();
        for (point, place) in points.into_iter().enumerate() {
            for (axis, value) in ["x", "y", "z"].into_iter().zip(place) {
                if !GravityError::is_sound(value) {
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

    /// The points that `numbers` names, in its order.
    ///
    /// # Panics
    /// If a number is not that of a point.
    pub fn select(&self, numbers: &[usize]) -> Self {
        let pick = |coordinate: &[f64]| numbers.iter().map(|&number| coordinate[number]).collect();
        Self { x: pick(&self.x), y: pick(&self.y), z: pick(&self.z) }
    }

    /// An order of all points in which those that follow one another stand close together, by all threads of the team: [`crate::Tree`] takes runs of [`crate::TILE`] points as one.
    ///
    /// The box around the points is cut across its longest side, with whole runs on the lower side and half of them, until each part is a run;
    /// runs are ordered likewise within.
    /// # Returns
    /// For each place in the new order the number of its point, as [`Points::select`] takes them.
    /// Verified by `tree::points_in_runs_are_all_points_and_stand_close`.
    pub fn runs(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        self.bring_together(&mut order);
        order
    }

    /// Orders some points as [`runs`](Self::runs) does.
    fn bring_together(&self, numbers: &mut [usize]) {
        if numbers.len() <= GROUP {
            return;
        }
        let along = self.longest(numbers);
        let whole = if numbers.len() > TILE { TILE } else { GROUP };
        let half = numbers.len().div_ceil(whole) / 2 * whole;
        numbers.select_nth_unstable_by(half, |&a, &b| along[a].total_cmp(&along[b]).then(a.cmp(&b)));
        let is_large = numbers.len() > MANY;
        let (low, high) = numbers.split_at_mut(half);
        if is_large {
            rayon::join(|| self.bring_together(low), || self.bring_together(high));
        } else {
            self.bring_together(low);
            self.bring_together(high);
        }
    }

    /// The coordinate in which these points lie farthest apart.
    fn longest(&self, numbers: &[usize]) -> &[f64] {
        let length = |coordinate: &[f64]| {
            let values = numbers.iter().map(|&number| coordinate[number]);
            let [low, high] =
                values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| [low.min(x), high.max(x)]);
            high - low
        };
        let longer = |a, b| if length(b) > length(a) { b } else { a };
        longer(longer(self.x.as_slice(), &self.y), &self.z)
    }
}
