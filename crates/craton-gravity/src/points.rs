//! Observation points.

use std::ops::Range;

use crate::GravityError;
use crate::tile::{GROUP, TILE};

/// Number of points above which the two halves are ordered in parallel.
const MANY: usize = 1 << 14;

/// Observation points, stored as one array per coordinate [m].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Points {
    x: Vec<f64>,
    y: Vec<f64>,
    z: Vec<f64>,
}

impl Points {
    /// Collects points (x, y, z) [m].
    ///
    /// # Errors
    /// [`GravityError::PointNotFinite`] with the number of the first point whose coordinates are not finite.
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

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.x.is_empty()
    }

    /// A contiguous range of the points.
    ///
    /// # Panics
    /// If the range exceeds the number of points.
    pub fn part(&self, range: Range<usize>) -> Self {
        let [x, y, z] = [&self.x, &self.y, &self.z].map(|places| places[range.clone()].to_vec());
        Self { x, y, z }
    }

    /// Coordinates of all points along an axis [m].
    pub(crate) fn along(&self, axis: usize) -> &[f64] {
        [&self.x, &self.y, &self.z][axis]
    }

    /// Point `index` as (x, y, z) [m].
    pub fn get(&self, index: usize) -> [f64; 3] {
        [self.x[index], self.y[index], self.z[index]]
    }

    /// The points with the given indices, in that order.
    ///
    /// # Panics
    /// If an index is out of range.
    pub fn select(&self, numbers: &[usize]) -> Self {
        let pick = |coordinate: &[f64]| numbers.iter().map(|&number| coordinate[number]).collect();
        Self { x: pick(&self.x), y: pick(&self.y), z: pick(&self.z) }
    }

    /// A spatially coherent order of the points, computed in parallel: consecutive points are close together. [`crate::Tree`] evaluates each run of
    /// [`crate::TILE`] consecutive points as a unit.
    ///
    /// The bounding box of the points is bisected recursively across its longest side, with a whole number of runs on the lower side, until each part is a
    /// single run. The points within a run are ordered the same way.
    /// # Returns
    /// For each position in the new order the index of its point, as [`Points::select`] expects. Verified by
    /// `tree::runs_contain_all_points_and_are_compact`.
    pub fn runs(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.len()).collect();
        self.order_spatially(&mut order);
        order
    }

    /// Orders a subset of the points as described in [`runs`](Self::runs).
    fn order_spatially(&self, numbers: &mut [usize]) {
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
            rayon::join(|| self.order_spatially(low), || self.order_spatially(high));
        } else {
            self.order_spatially(low);
            self.order_spatially(high);
        }
    }

    /// The coordinate along which these points have the largest extent.
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
