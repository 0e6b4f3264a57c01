//! The tensor on faces, edges and corners of prisms, where that of a single prism jumps or has no limit: what the sum of all has.
//!
//! A face that two prisms share is no boundary of what they make together, so single prisms cannot say what the tensor is there. It is approached
//! from above instead, on both sides along x and y: [`Limits`] has the places around each such point, and makes the limit of what the sum is there.

mod search;

use std::collections::HashMap;
use std::ops::Range;

use craton_device::Workers;
use rayon::prelude::*;

use crate::{Field, GRAVITATIONAL_CONSTANT, GoOn, Gravity, Points, Prisms};
use search::{Search, Surface};

/// Distance from which the limit is taken, in the shortest side of the prisms around; and once more twice and four times as far.
const DISTANCE: f64 = 1e-5;
const RINGS: [f64; 3] = [1.0, 2.0, 4.0];
/// Directions that are looked at: up, on all four sides.
const SIDES: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
/// Places around a point.
const PLACES: usize = RINGS.len() * SIDES.len();
/// Change by a logarithm from one distance to the next beyond which there is no limit, in G times the largest density around: that of an edge is 0.7.
const DIVERGED: f64 = 1e-3;
/// The same in parts of the values themselves, for round-off where densities around are small beside others.
const ROUNDED: f64 = 1e-8;
/// What errors of the means of three rings can do to it.
const OFF: f64 = 6.0;
/// Prisms that a thread takes at a time.
const CHUNK: usize = 1 << 14;

/// Points on faces, edges and corners of prisms, and the places around them.
#[derive(Debug, Clone, Default)]
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
        Self::new_while(prisms, points, workers, &|| true).expect("nothing asks it to stop")
    }

    /// As [`Limits::new`], as long as it may go on; `None` if it may not.
    ///
    /// # Arguments
    /// * `go_on` – asked by every thread many times a second
    pub fn new_while(prisms: &Prisms, points: &Points, workers: &Workers, go_on: GoOn) -> Option<Self> {
        let found: Option<Vec<Vec<(usize, Touch)>>> = workers.run(|| {
            let search = Search::new(points, &Surface::new(prisms.extent(0..prisms.len())));
            if search.is_empty() {
                return Some(Vec::new());
            }
            let of_chunk = |first| go_on().then(|| touches(prisms, first..(first + CHUNK).min(prisms.len()), &search));
            (0..prisms.len()).into_par_iter().step_by(CHUNK).map(of_chunk).collect()
        });
        let mut touches: HashMap<usize, Touch> = HashMap::new();
        for (point, touch) in found?.into_iter().flatten() {
            let known = touches.entry(point).or_insert(touch);
            *known = Touch { side: known.side.min(touch.side), density: known.density.max(touch.density) };
        }
        let mut numbers: Vec<usize> = touches.keys().copied().collect();
        numbers.sort_unstable();
        let diverged =
            numbers.iter().map(|number| DIVERGED * GRAVITATIONAL_CONSTANT * touches[number].density).collect();
        let places = numbers.iter().flat_map(|&number| around(points.get(number), DISTANCE * touches[&number].side));
        Some(Self { diverged, places: Points::new(places).expect("places beside points are places"), numbers })
    }

    /// The same where the points stand in another order.
    ///
    /// # Arguments
    /// * `order` – for each place in it the number of its point, as [`Points::select`] takes them
    /// # Panics
    /// If it is no order of all points.
    pub fn select(&self, order: &[usize]) -> Self {
        if self.is_empty() {
            return self.clone();
        }
        let mut own: Vec<[usize; 2]> = Vec::with_capacity(self.len());
        own.extend(order.iter().enumerate().filter_map(|(place, number)| {
            let known = self.numbers.binary_search(number).ok()?;
            Some([place, known])
        }));
        assert_eq!(own.len(), self.len(), "an order has every point once");
        let places: Vec<usize> = own.iter().flat_map(|&[_, known]| known * PLACES..(known + 1) * PLACES).collect();
        Self {
            numbers: own.iter().map(|&[place, _]| place).collect(),
            diverged: own.iter().map(|&[_, known]| self.diverged[known]).collect(),
            places: self.places.select(&places),
        }
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
    pub fn within(&self, range: &Range<usize>) -> Self {
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
    /// * `off` – how far their tensors may be off [1/s²], as those of a tree are
    pub fn put(&self, gravity: &mut Gravity, around: &Gravity, off: f64) {
        for field in &Field::ALL[4..] {
            let Some(values) = around.get(*field) else { continue };
            for (place, (&number, diverged)) in self.numbers.iter().zip(&self.diverged).enumerate() {
                let own = &values[place * PLACES..][..PLACES];
                let [mut near, mut far, mut farther] = [0.0; RINGS.len()];
                for (ring, mean) in own.chunks(SIDES.len()).zip([&mut near, &mut far, &mut farther]) {
                    *mean = ring.iter().sum::<f64>() / SIDES.len() as f64;
                }
                // With twice the distance a logarithm changes by the same again, and what is linear in the distance, as of strong prisms nearby, by twice as much.
                let logarithm = 2.0 * (far - near) - (farther - far);
                let rounded = ROUNDED * own.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
                let least = diverged.max(rounded).max(OFF * off);
                let limit = if logarithm.abs() > least { f64::NAN } else { 2.0 * near - far };
                gravity.set(*field, number, limit);
            }
        }
    }
}

/// The points that prisms touch, as often as they do.
fn touches(prisms: &Prisms, run: Range<usize>, search: &Search) -> Vec<(usize, Touch)> {
    let mut found = Vec::new();
    for prism in run {
        let bounds = prisms.bounds(prism);
        search.on(&Surface::new(bounds), &mut |point| {
            let side = bounds.iter().map(|[low, high]| high - low).fold(f64::INFINITY, f64::min);
            found.push((point, Touch { side, density: prisms.density()[prism].abs() }));
        });
    }
    found
}

/// The places around a point: above it, ring by ring.
fn around([x, y, z]: [f64; 3], distance: f64) -> impl Iterator<Item = [f64; 3]> {
    RINGS.into_iter().flat_map(move |far| {
        let step = far * distance;
        SIDES.into_iter().map(move |[east, north]| [x + east * step, y + north * step, z + step])
    })
}
