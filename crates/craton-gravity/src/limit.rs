//! The tensor on faces, edges and corners of prisms, where that of a single prism jumps or has no limit: what the sum of all has.
//!
//! A face that two prisms share is no boundary of what they make together, so single prisms cannot say what the tensor is there. Those that a point lies on are few, and
//! the others are smooth at it. So the few are looked at beside the point, from above and on both sides along x and y; what they have there in the limit, less what they
//! count at the point itself, is what every sum over all prisms lacks, however it is made.

mod search;

use std::ops::Range;

use craton_device::{Isa, Kernel, Lanes, Scalar, Workers};
use rayon::prelude::*;

use crate::fields::Needs;
use crate::pair::Body;
use crate::{Fields, GRAVITATIONAL_CONSTANT, GoOn, Gravity, Points, Prisms};
use search::{Search, Surface};

/// Distance from which the limit is taken, in that of the nearest other plane of the prisms that touch; and once more twice and four times as far.
const DISTANCE: f64 = 1e-5;
const RINGS: [f64; 3] = [1.0, 2.0, 4.0];
/// Directions that are looked at: up, on all four sides.
const SIDES: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
/// Places around a point, and with the point itself and more of it whole lanes of every instruction set.
const PLACES: usize = RINGS.len() * SIDES.len();
const LANES: usize = 16;
/// Change by a logarithm from one distance to the next beyond which there is no limit, in G times the largest density that touches: that of an edge is 0.7.
const DIVERGED: f64 = 1e-3;
/// The same in parts of the values themselves, for round-off.
const ROUNDED: f64 = 1e-8;
/// Prisms that a thread looks at, and points whose limits it takes, at a time.
const CHUNK: usize = 1 << 14;
const POINTS: usize = 1 << 10;

/// What the tensor of a point lacks, component by component in the order of [`Fields::TENSOR`] [1/s²].
type Change = [f64; 6];

/// The tensor at points on faces, edges and corners of prisms, as what sums over all prisms lack there.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Numbers of the points, rising.
    numbers: Vec<usize>,
    changes: Vec<Change>,
}

impl Limits {
    /// Finds the points that lie on faces, edges or corners of prisms of any density, and takes the limits there.
    ///
    /// A point lies on a face that it is no farther from than 1e-9 of the prism's side across, and the round-off of its place.
    /// A component has no limit where it changes like a logarithm of the distance, by more than a thousandth of G times the largest density that touches with twice the
    /// distance.
    /// Verified by `limit::a_body_in_cells_has_the_tensor_of_the_whole_one_on_its_inner_faces`.
    ///
    /// # Arguments
    /// * `isa` – the instruction set; another one may change the last bits
    /// # Panics
    /// If this processor lacks `isa`.
    pub fn new(prisms: &Prisms, points: &Points, workers: &Workers, isa: Isa) -> Self {
        Self::new_while(prisms, points, workers, isa, &|| true).expect("nothing asks it to stop")
    }

    /// As [`Limits::new`], as long as it may go on; `None` if it may not.
    ///
    /// # Arguments
    /// * `go_on` – asked by every thread many times a second
    pub fn new_while(prisms: &Prisms, points: &Points, workers: &Workers, isa: Isa, go_on: GoOn) -> Option<Self> {
        workers.run(|| {
            let touches = touches(prisms, points, go_on)?;
            let of_points: Vec<&[Touch]> = touches.chunk_by(|a, b| a.point == b.point).collect();
            let change = |touches: &&[Touch]| {
                let point = points.get(touches[0].point);
                let places = places(distance(prisms, touches, &point));
                limit(f64::dispatch(isa, Around { prisms, touches, point, places: &places }), density(prisms, touches))
            };
            let changes = of_points.par_chunks(POINTS).map(|some| go_on().then(|| some.iter().map(change).collect()));
            let changes: Option<Vec<Vec<Change>>> = changes.collect();
            Some(Self {
                numbers: of_points.iter().map(|touches| touches[0].point).collect(),
                changes: changes?.concat(),
            })
        })
    }

    /// The same where the points stand in another order.
    ///
    /// # Arguments
    /// * `order` – for each place in it the number of its point, as [`Points::select`] takes them
    /// # Panics
    /// If it is no order of all points.
    pub fn select(&self, order: &[usize]) -> Self {
        let own = order.iter().enumerate().filter_map(|(place, &number)| Some((place, self.place_of(number)?)));
        let (numbers, known): (Vec<usize>, Vec<usize>) = own.unzip();
        assert_eq!(known.len(), self.len(), "an order has every point once");
        Self { numbers, changes: known.into_iter().map(|known| self.changes[known]).collect() }
    }

    /// Number of the points.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// The numbers of the points, rising.
    pub fn points(&self) -> &[usize] {
        &self.numbers
    }

    /// The points of a range, counted from its beginning.
    pub fn within(&self, range: &Range<usize>) -> Self {
        let first = self.numbers.partition_point(|&number| number < range.start);
        let end = self.numbers.partition_point(|&number| number < range.end);
        let numbers = self.numbers[first..end].iter().map(|number| number - range.start).collect();
        Self { numbers, changes: self.changes[first..end].to_vec() }
    }

    /// Makes the limits of the tensor at these points; NaN where there is none.
    ///
    /// # Arguments
    /// * `gravity` – of all prisms at all points, summed in double precision in any way: of [fields that leave out edges](Fields::leaving_out_edges), or edges stay NaN
    /// # Panics
    /// If `gravity` has fewer points than these are numbers of.
    pub fn put(&self, gravity: &mut Gravity) {
        for (component, field) in Fields::TENSOR.iter().enumerate() {
            let Some(values) = gravity.get_mut(field) else { continue };
            self.numbers.iter().zip(&self.changes).for_each(|(&number, change)| values[number] += change[component]);
        }
    }

    /// What the tensor of a point lacks, if it lies on a prism.
    pub(crate) fn of(&self, point: usize) -> Option<&Change> {
        self.place_of(point).map(|place| &self.changes[place])
    }

    fn place_of(&self, point: usize) -> Option<usize> {
        self.numbers.binary_search(&point).ok()
    }
}

/// A point that lies on a prism.
#[derive(Clone, Copy)]
struct Touch {
    point: usize,
    prism: usize,
}

/// All of them, point by point and in the order of the prisms.
fn touches(prisms: &Prisms, points: &Points, go_on: GoOn) -> Option<Vec<Touch>> {
    let search = Search::new(points, &Surface::new(prisms.extent(0..prisms.len())));
    if search.is_empty() {
        return Some(Vec::new());
    }
    let of_chunk = |first: usize| {
        let mut found = Vec::new();
        for prism in first..(first + CHUNK).min(prisms.len()) {
            search.on(&Surface::new(prisms.bounds(prism)), &mut |point| found.push(Touch { point, prism }));
        }
        go_on().then_some(found)
    };
    let found: Option<Vec<Vec<Touch>>> = (0..prisms.len()).into_par_iter().step_by(CHUNK).map(of_chunk).collect();
    let mut found = found?.concat();
    found.par_sort_unstable_by_key(|touch| (touch.point, touch.prism));
    Some(found)
}

/// From how far the limit is taken [m]: no plane of a face lies so near that the point is not on.
fn distance(prisms: &Prisms, touches: &[Touch], point: &[f64; 3]) -> f64 {
    let offsets = touches.iter().flat_map(|touch| Surface::new(prisms.bounds(touch.prism)).seen_from(point));
    let beside = offsets.flatten().map(f64::abs).filter(|&offset| offset > 0.0);
    DISTANCE * beside.fold(f64::INFINITY, f64::min)
}

/// The largest density that touches [kg/m³].
fn density(prisms: &Prisms, touches: &[Touch]) -> f64 {
    touches.iter().map(|touch| prisms.density()[touch.prism].abs()).fold(0.0, f64::max)
}

/// The places around a point above it, ring by ring, and the point itself until all lanes are full: coordinate by coordinate, counted from the point, lest round-off of
/// its place spoil the symmetry of theirs.
fn places(distance: f64) -> [[f64; LANES]; 3] {
    let mut places = [[0.0; LANES]; 3];
    let around = RINGS.into_iter().flat_map(|far| SIDES.map(|[east, north]| [east * far, north * far, far]));
    for (lane, step) in around.enumerate() {
        for axis in 0..3 {
            places[axis][lane] = distance * step[axis];
        }
    }
    places
}

/// The kernel: the tensor of prisms that touch a point, at places around it and at the point. Round-off leaves points a little beside faces that they are on: seen from
/// the places they are on them, seen from the point itself they are where every other sum has them.
struct Around<'a> {
    prisms: &'a Prisms,
    touches: &'a [Touch],
    point: [f64; 3],
    places: &'a [[f64; LANES]; 3],
}

impl Kernel<f64> for Around<'_> {
    type Output = [[f64; LANES]; 6];
    const DOUBLE: Isa = Isa::Avx512;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) -> [[f64; LANES]; 6] {
        let needs = Needs::of(Fields::TENSOR.leaving_out_edges());
        let [x, y, z] = self.places;
        let [mut sums, mut at] = [[[0.0; LANES]; 6]; 2];
        for touch in self.touches {
            let bounds = self.prisms.bounds(touch.prism);
            let at_point = [0, 1, 2].map(|axis| bounds[axis].map(|bound| bound - self.point[axis]));
            let around = Surface::new(bounds).seen_from(&self.point);
            let scale = V::splat(GRAVITATIONAL_CONSTANT * self.prisms.density()[touch.prism]);
            for (offsets, sums) in [(around, &mut sums), (at_point, &mut at)] {
                let body = Body::<V>::new(&offsets);
                for lane in (0..LANES).step_by(V::COUNT) {
                    let values = body.at(&[V::load(x, lane), V::load(y, lane), V::load(z, lane)], needs);
                    for (sums, field) in sums.iter_mut().zip(Fields::TENSOR.iter()) {
                        values[field as usize].mul_add(scale, V::load(sums, lane)).store(sums, lane);
                    }
                }
            }
        }
        sums.iter_mut().zip(at).for_each(|(sums, at)| sums[PLACES..].copy_from_slice(&at[PLACES..]));
        sums
    }
}

/// What the tensor lacks at a point, from what it is at the [places] around it and at the point.
fn limit(tensor: [[f64; LANES]; 6], density: f64) -> Change {
    tensor.map(|values| {
        let (around, at) = (&values[..PLACES], values[PLACES]);
        let [mut near, mut far, mut farther] = [0.0; RINGS.len()];
        for (ring, mean) in around.chunks(SIDES.len()).zip([&mut near, &mut far, &mut farther]) {
            *mean = ring.iter().sum::<f64>() / SIDES.len() as f64;
        }
        // With twice the distance a logarithm changes by the same again, and what is linear in the distance by twice as much.
        let logarithm = 2.0 * (far - near) - (farther - far);
        let rounded = ROUNDED * around.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let diverged = DIVERGED * GRAVITATIONAL_CONSTANT * density;
        if logarithm.abs() > diverged.max(rounded) { f64::NAN } else { 2.0 * near - far - at }
    })
}
