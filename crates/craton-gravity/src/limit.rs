//! Limits of the tensor on faces, edges and corners of prisms, where that of a single prism is discontinuous or diverges.
//!
//! A face shared by two prisms is not a boundary of the body they form, so the tensor there cannot be computed prism by prism. Few prisms touch a given point,
//! and the field of all others is smooth there. The touching prisms are therefore evaluated at positions around the point: above it and on both sides along x
//! and y. The limit of these values minus the values at the point itself is a correction that any sum over all prisms needs, however it is computed.

mod search;

use std::ops::Range;

use craton_device::{Isa, Kernel, Lanes, Scalar, Workers};
use rayon::prelude::*;

use crate::fields::Needs;
use crate::pair::Body;
use crate::{Fields, GRAVITATIONAL_CONSTANT, GoOn, Gravity, Magnetic, MagneticField, Points, Poisson, Prisms};
use search::{Search, Surface};

/// Distance from which the limit is extrapolated, relative to the distance of the nearest other face plane of the touching prisms. [`RINGS`] are multiples of
/// it.
const DISTANCE: f64 = 1e-5;
const RINGS: [f64; 3] = [1.0, 2.0, 4.0];
/// Horizontal directions of the evaluation positions; all of them lie above the point.
const SIDES: [[f64; 2]; 4] = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
/// Evaluation positions around a point; padded with the point itself to `LANES`, a multiple of every vector width.
const PLACES: usize = RINGS.len() * SIDES.len();
const LANES: usize = 16;
/// Logarithmic change from one ring to the next above which the component is taken to diverge, in units of G times the largest touching density; an edge gives
/// 0.7.
const DIVERGED: f64 = 1e-3;
/// The same threshold relative to the values themselves, to allow for round-off.
const ROUNDED: f64 = 1e-8;
/// Prisms searched, and points whose limits are computed, per parallel task.
const CHUNK: usize = 1 << 14;
const POINTS: usize = 1 << 10;

/// Correction of the tensor at a point, in the order of [`Fields::TENSOR`] [1/s²].
type Change = [f64; 6];

/// Corrections that turn sums over prisms into the limit of the tensor at points on faces, edges and corners.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Indices of the points, ascending.
    numbers: Vec<usize>,
    changes: Vec<Change>,
}

impl Limits {
    /// Finds the points that lie on faces, edges or corners of prisms of any density, and computes the limits there.
    ///
    /// A point lies on a face if its distance to the face is at most 1e-9 of the side of the prism normal to it, but at most 1e-6 of the shortest side, plus the
    /// round-off of the coordinate of the face. A component diverges if it changes logarithmically with distance, by more than a thousandth of G times the largest touching density when the distance
    /// doubles. Verified by `limit::a_body_split_into_cells_has_the_tensor_of_the_whole_on_inner_faces` and
    /// `limit::a_far_face_does_not_widen_the_tolerance_of_a_near_one`.
    ///
    /// # Arguments
    /// * `isa` – instruction set; results of different ones may differ by round-off
    /// # Panics
    /// If this processor lacks `isa`.
    pub fn new(prisms: &Prisms, points: &Points, workers: &Workers, isa: Isa) -> Self {
        Self::new_while(prisms, points, workers, isa, &|| true).expect("never cancelled")
    }

    /// Like [`Limits::new`], but can be cancelled: returns `None` if `go_on` returns `false`.
    ///
    /// # Arguments
    /// * `go_on` – cancellation callback; every thread calls it many times a second
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

    /// The limits for the same points in another order.
    ///
    /// # Arguments
    /// * `order` – for each position the index of its point, as in [`Points::select`]
    /// # Panics
    /// If `order` is not a permutation of all points.
    pub fn select(&self, order: &[usize]) -> Self {
        let own = order.iter().enumerate().filter_map(|(place, &number)| Some((place, self.place_of(number)?)));
        let (numbers, known): (Vec<usize>, Vec<usize>) = own.unzip();
        assert_eq!(known.len(), self.len(), "an order has every point once");
        Self { numbers, changes: known.into_iter().map(|known| self.changes[known]).collect() }
    }

    /// Number of points that lie on prisms.
    pub fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Whether no point lies on a prism.
    pub fn is_empty(&self) -> bool {
        self.numbers.is_empty()
    }

    /// Indices of the points, ascending.
    pub fn points(&self) -> &[usize] {
        &self.numbers
    }

    /// The limits for a range of the points, with indices relative to its start.
    pub fn within(&self, range: &Range<usize>) -> Self {
        let first = self.numbers.partition_point(|&number| number < range.start);
        let end = self.numbers.partition_point(|&number| number < range.end);
        let numbers = self.numbers[first..end].iter().map(|number| number - range.start).collect();
        Self { numbers, changes: self.changes[first..end].to_vec() }
    }

    /// Applies the corrections, so that the tensor at these points is its limit, or NaN where it diverges.
    ///
    /// # Arguments
    /// * `gravity` – sums over all prisms at all points, in double precision, computed by any method with [`Fields::leaving_out_edges`]; otherwise edges stay
    ///   NaN
    /// # Panics
    /// If `gravity` has too few points.
    pub fn put(&self, gravity: &mut Gravity) {
        for (component, field) in Fields::TENSOR.iter().enumerate() {
            let Some(values) = gravity.get_mut(field) else { continue };
            self.numbers.iter().zip(&self.changes).for_each(|(&number, change)| values[number] += change[component]);
        }
    }

    /// Applies the corrections to B of prisms that are magnetised along one direction, so that B at these points is its limit, or NaN where it diverges.
    ///
    /// # Arguments
    /// * `direction` – unit vector (east, north, up). The densities of the prisms of these limits are their magnetisations along it [A/m]
    /// * `magnetic` – sums over all prisms at all points, in double precision, computed with [`MagneticFields::WithGradientLeavingOutEdges`](crate::MagneticFields); the gradient is
    ///   left as it is
    /// # Panics
    /// If `magnetic` has too few points.
    pub fn put_magnetic(&self, direction: [f64; 3], magnetic: &mut Magnetic) {
        if self.is_empty() {
            return;
        }
        let of_component = |component: usize| self.changes.iter().map(|change| change[component]).collect();
        let changes = Gravity::new(Fields::TENSOR, (0..6).map(of_component).collect());
        let changes = Poisson::new(direction).field(&changes);
        for field in MagneticField::FLUX_DENSITY {
            let changes = changes.get(field).expect("the flux density");
            let values = magnetic.get_mut(field);
            self.numbers.iter().zip(changes).for_each(|(&number, change)| values[number] += change);
        }
    }

    /// Correction of the tensor at a point, if the point lies on a prism.
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

/// All pairs of a point and a prism that it touches, ordered by point, then by prism.
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

/// Distance from which the limit is extrapolated [m], small compared to the distance of every face plane that the point does not lie on.
fn distance(prisms: &Prisms, touches: &[Touch], point: &[f64; 3]) -> f64 {
    let offsets = touches.iter().flat_map(|touch| Surface::new(prisms.bounds(touch.prism)).seen_from(point));
    let nonzero = offsets.flatten().map(f64::abs).filter(|&offset| offset > 0.0);
    DISTANCE * nonzero.fold(f64::INFINITY, f64::min)
}

/// The largest touching density [kg/m³].
fn density(prisms: &Prisms, touches: &[Touch]) -> f64 {
    touches.iter().map(|touch| prisms.density()[touch.prism].abs()).fold(0.0, f64::max)
}

/// Evaluation positions above and around a point, ring by ring, padded with the point itself, as one array per coordinate. They are offsets from the point, so
/// that round-off of its coordinates does not break their symmetry.
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

/// Kernel that sums the tensor of the prisms touching a point, at positions around it and at the point itself. Because of round-off a point may lie slightly
/// off a face that it touches. The surrounding positions use offsets with the point snapped to the face; the point itself uses unmodified offsets, as every
/// other sum does.
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

/// Correction of the tensor at a point, from its values at the [places] around it and at the point.
fn limit(tensor: [[f64; LANES]; 6], density: f64) -> Change {
    tensor.map(|values| {
        let (around, at) = (&values[..PLACES], values[PLACES]);
        let [mut near, mut far, mut farther] = [0.0; RINGS.len()];
        for (ring, mean) in around.chunks(SIDES.len()).zip([&mut near, &mut far, &mut farther]) {
            *mean = ring.iter().sum::<f64>() / SIDES.len() as f64;
        }
        // When the distance doubles, a logarithmic term changes by the same amount again and a linear term by twice as much.
        let logarithm = 2.0 * (far - near) - (farther - far);
        let rounded = ROUNDED * around.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        let diverged = DIVERGED * GRAVITATIONAL_CONSTANT * density;
        if logarithm.abs() > diverged.max(rounded) { f64::NAN } else { 2.0 * near - far - at }
    })
}
