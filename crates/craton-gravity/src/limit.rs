//! The tensor on faces, edges and corners of prisms, where that of a single prism jumps or has no limit: what the sum of all has.
//!
//! A face that two prisms share is no boundary of what they make together, so single prisms cannot say what the tensor is there. It is approached
//! from above instead, on both sides along x and y: [`Limits`] has the places around each such point, and makes the limit of what the sum is there.

use std::collections::HashMap;

use craton_device::Workers;
use rayon::prelude::*;

use crate::{Field, GRAVITATIONAL_CONSTANT, Gravity, Points, Prisms};

/// Part of a side within which a point lies on it: places are rounded.
const SLACK: f64 = 1e-9;
/// Distance from which the limit is taken, in the shortest side of the prisms around; and once more twice as far.
const DISTANCE: f64 = 1e-5;
/// Directions that are looked at: up, on all four sides.
const SIDES: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
/// Places around a point.
const PLACES: usize = 2 * SIDES.len();
/// Change from one distance to the next beyond which there is no limit, in G times the largest density around: a logarithm changes by 0.7.
const DIVERGED: f64 = 1e-3;
/// Prisms that a thread takes at a time.
const CHUNK: usize = 1 << 14;

/// Points on faces, edges and corners of prisms, and the places around them.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Their numbers, rising.
    numbers: Vec<usize>,
    /// Change of the tensor beyond which it has no limit there [1/s²].
    diverged: Vec<f64>,
    /// For each point [`PLACES`] places.
    places: Points,
}

/// A point on a prism: the shortest side and the largest density of those that it lies on.
#[derive(Clone, Copy)]
struct Touch {
    side: f64,
    density: f64,
}

impl Limits {
    /// Finds the points that lie on faces, edges or corners of prisms of any density.
    ///
    /// Verified by `limit::a_body_in_cells_has_the_tensor_of_the_whole_one_on_its_inner_faces`.
    pub fn new(prisms: &Prisms, points: &Points, workers: &Workers) -> Self {
        let buckets = Buckets::new(points);
        let chunks: Vec<usize> = (0..prisms.len()).step_by(CHUNK).collect();
        let found: Vec<Vec<(usize, Touch)>> = workers.run(|| {
            let of_chunk = |&first: &usize| {
                let mut found = Vec::new();
                (first..(first + CHUNK).min(prisms.len()))
                    .for_each(|prism| buckets.touching(prisms, prism, points, &mut found));
                found
            };
            chunks.par_iter().map(of_chunk).collect()
        });
        let mut touches: HashMap<usize, Touch> = HashMap::new();
        for (point, touch) in found.into_iter().flatten() {
            let known = touches.entry(point).or_insert(touch);
            *known = Touch { side: known.side.min(touch.side), density: known.density.max(touch.density) };
        }
        let mut numbers: Vec<usize> = touches.keys().copied().collect();
        numbers.sort_unstable();
        let diverged =
            numbers.iter().map(|number| DIVERGED * GRAVITATIONAL_CONSTANT * touches[number].density).collect();
        let places = numbers.iter().flat_map(|&number| around(points.get(number), DISTANCE * touches[&number].side));
        Self { diverged, places: Points::new(places).expect("places beside points are places"), numbers }
    }

    /// Number of the points.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The points of a range, counted from its beginning.
    pub fn within(&self, range: &std::ops::Range<usize>) -> Self {
        let first = self.numbers.partition_point(|&number| number < range.start);
        let end = self.numbers.partition_point(|&number| number < range.end);
        Self {
            numbers: self.numbers[first..end].iter().map(|number| number - range.start).collect(),
            diverged: self.diverged[first..end].to_vec(),
            places: self.places.part(first * PLACES..end * PLACES),
        }
    }

    /// Where gravity is asked for, so that the limits can be taken.
    pub fn places(&self) -> &Points {
        &self.places
    }

    /// Puts the limits in the place of the tensor at these points; NaN where there is none.
    ///
    /// # Arguments
    /// * `gravity` – at all points, `around` – the same fields at [`places`](Self::places)
    pub fn put(&self, gravity: &mut Gravity, around: &Gravity) {
        for field in &Field::ALL[4..] {
            let Some(values) = around.get(*field) else { continue };
            for (place, (&number, diverged)) in self.numbers.iter().zip(&self.diverged).enumerate() {
                let [near, far] = [0, 1].map(|ring| {
                    let own = &values[place * PLACES + ring * SIDES.len()..][..SIDES.len()];
                    own.iter().sum::<f64>() / SIDES.len() as f64
                });
                // What is linear in the distance is taken away.
                let limit = if (far - near).abs() > *diverged { f64::NAN } else { 2.0 * near - far };
                gravity.set(*field, number, limit);
            }
        }
    }
}

/// The places around a point: above it, at a distance and at twice as much.
fn around([x, y, z]: [f64; 3], distance: f64) -> impl Iterator<Item = [f64; 3]> {
    [1.0, 2.0].into_iter().flat_map(move |far| {
        let step = far * distance;
        SIDES.into_iter().map(move |[east, north]| [x + east * step, y + north * step, z + step])
    })
}

/// Points by where they stand on the map.
struct Buckets {
    low: [f64; 2],
    size: [f64; 2],
    count: [usize; 2],
    heights: [f64; 2],
    /// First place of each bucket in `order`, and the end.
    first: Vec<usize>,
    order: Vec<usize>,
}

impl Buckets {
    fn new(points: &Points) -> Self {
        let ends = |axis: usize| {
            let places = (0..points.len()).map(|point| points.get(point)[axis]);
            places.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], place| [low.min(place), high.max(place)])
        };
        let across = ((points.len() as f64).sqrt() as usize).clamp(1, 4096);
        let [x, y] = [ends(0), ends(1)];
        let size = [x, y].map(|[low, high]| ((high - low) / across as f64).max(f64::MIN_POSITIVE));
        let mut buckets = Self {
            low: [x[0], y[0]],
            size,
            count: [across; 2],
            heights: ends(2),
            first: vec![0; across * across + 1],
            order: vec![0; points.len()],
        };
        let of = |point: usize| {
            let [x, y, _] = points.get(point);
            buckets.along(1, y) * across + buckets.along(0, x)
        };
        let own: Vec<usize> = (0..points.len()).map(of).collect();
        own.iter().for_each(|&bucket| buckets.first[bucket + 1] += 1);
        (0..across * across).for_each(|bucket| buckets.first[bucket + 1] += buckets.first[bucket]);
        let mut next = buckets.first.clone();
        for (point, bucket) in own.into_iter().enumerate() {
            buckets.order[next[bucket]] = point;
            next[bucket] += 1;
        }
        buckets
    }

    /// The bucket of a place along an axis.
    fn along(&self, axis: usize, place: f64) -> usize {
        (((place - self.low[axis]) / self.size[axis]) as usize).min(self.count[axis] - 1)
    }

    /// The points that a prism touches.
    fn touching(&self, prisms: &Prisms, prism: usize, points: &Points, found: &mut Vec<(usize, Touch)>) {
        let bounds = prisms.bounds(prism);
        let slack = bounds.map(|[low, high]| SLACK * (high - low) + 4.0 * f64::EPSILON * low.abs().max(high.abs()));
        let [bottom, top] = bounds[2];
        if self.order.is_empty() || top + slack[2] < self.heights[0] || bottom - slack[2] > self.heights[1] {
            return;
        }
        let range = |axis: usize| {
            let [low, high] = bounds[axis];
            self.along(axis, low - slack[axis])..=self.along(axis, high + slack[axis])
        };
        for row in range(1) {
            let (start, end) = (row * self.count[0] + *range(0).start(), row * self.count[0] + *range(0).end());
            for &point in &self.order[self.first[start]..self.first[end + 1]] {
                if is_on(&bounds, &slack, &points.get(point)) {
                    let side = bounds.iter().map(|[low, high]| high - low).fold(f64::INFINITY, f64::min);
                    found.push((point, Touch { side, density: prisms.density()[prism].abs() }));
                }
            }
        }
    }
}

/// Whether a point lies on the surface of a box.
fn is_on(bounds: &[[f64; 2]; 3], slack: &[f64; 3], point: &[f64; 3]) -> bool {
    let offsets = |axis: usize| [point[axis] - bounds[axis][0], bounds[axis][1] - point[axis]];
    let is_within = (0..3).all(|axis| offsets(axis).iter().all(|&offset| offset >= -slack[axis]));
    is_within && (0..3).any(|axis| offsets(axis).iter().any(|&offset| offset <= slack[axis]))
}
