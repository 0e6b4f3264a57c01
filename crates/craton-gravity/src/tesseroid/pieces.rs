//! One tesseroid at points near it.

use craton_device::Lanes;

use super::{Tesseroid, cartesian, gauss};
use crate::elementary::sin_cos;
use crate::fields::Needs;
use crate::forward::Sums;
use crate::pair::Body;
use crate::point_mass::point_mass;
use crate::{Fields, GRAVITATIONAL_CONSTANT};

/// Distances in sizes from which two and four Gauss points along each axis are used. The relative errors of the attraction are 1e-6, those of the tensor 1e-5.
const DISTANCE_OF_TWO: f64 = 8.0;
const DISTANCE_OF_FOUR: f64 = 2.5;
/// Size of a piece that counts as a prism, in radii: 0.3 m on Earth. Between neighbouring prisms, curvature leaves gaps of up to this part of their size.
const FLAT: f64 = 5e-8;
/// Shift of a point relative to such a prism, in sizes of the prism, so that it lies above their tops and far from the gaps: 0.06 mm on Earth. On the surface this changes the tensor by less than 1e-4 of 4πGρ.
const SHIFT: [f64; 3] = [1.42e-4, 1.06e-4, 2e-4];
/// Largest number of times that a tesseroid is cut along each axis, and size of the stack of pieces.
const DEEPEST: usize = 30;
const STACK: usize = 7 * DEEPEST + 8;
/// Largest number of Gauss points of a piece; a multiple of the vector width.
const NODES: usize = 64;

/// Bounds of longitude and latitude [rad] and radius [m].
type Bounds = [[f64; 2]; 3];

/// Sizes along the meridian, the parallel and the radius, at the top [m].
pub fn sizes([lon, lat, radius]: &Bounds) -> [f64; 3] {
    let largest = if lat[0] <= 0.0 && lat[1] >= 0.0 { 0.0 } else { lat[0].abs().min(lat[1].abs()) };
    [radius[1] * sin_cos(largest).1 * (lon[1] - lon[0]), radius[1] * (lat[1] - lat[0]), radius[1] - radius[0]]
}

/// Coordinates [m] and masses [kg] of Gauss points.
struct Nodes {
    place: [[f64; NODES]; 3],
    mass: [f64; NODES],
    count: usize,
}

impl Nodes {
    #[inline(always)]
    fn new(tesseroid: &Tesseroid, bounds: &Bounds, along: usize) -> Self {
        let mut nodes = Self { place: [[0.0; NODES]; 3], mass: [0.0; NODES], count: 0 };
        gauss(bounds, [along; 3], |place, volume, radius| {
            (0..3).for_each(|axis| nodes.place[axis][nodes.count] = place[axis]);
            nodes.mass[nodes.count] = volume * tesseroid.at(radius);
            nodes.count += 1;
        });
        // Without mass, anywhere but at a point.
        for at in nodes.count..NODES {
            (0..3).for_each(|axis| nodes.place[axis][at] = nodes.place[axis][0]);
        }
        nodes
    }
}

/// A tesseroid, prepared for the points of a tile.
pub struct Cell<'a> {
    tesseroid: &'a Tesseroid,
    bounds: Bounds,
    middle: [f64; 3],
    /// Square of the distance from which two Gauss points along each axis suffice [m²].
    far2: f64,
    nodes: Nodes,
}

impl<'a> Cell<'a> {
    /// Prepares a tesseroid.
    #[inline(always)]
    pub fn new(tesseroid: &'a Tesseroid) -> Self {
        let bounds = tesseroid.bounds();
        let size = sizes(&bounds).into_iter().fold(0.0, f64::max);
        let middle = cartesian(bounds.map(|[low, high]| 0.5 * (low + high)));
        let far2 = (DISTANCE_OF_TWO * size).powi(2);
        Self { tesseroid, bounds, middle, far2, nodes: Nodes::new(tesseroid, &bounds, 2) }
    }

    /// Adds the fields at the points `lane..lane + COUNT` of a tile [SI units], in Cartesian components.
    #[inline(always)]
    pub fn add<V: Lanes<Scalar = f64>>(&self, points: &[V; 3], lane: usize, sums: &mut Sums) {
        let s = V::splat;
        let offset = [s(self.middle[0]) - points[0], s(self.middle[1]) - points[1], s(self.middle[2]) - points[2]];
        let distance2 = offset[0].mul_add(offset[0], offset[1].mul_add(offset[1], offset[2] * offset[2]));
        let near = V::less(distance2, s(self.far2));
        if near.count_ones() as usize != V::COUNT {
            let mut total = [V::constant(0.0); 10];
            for node in 0..self.nodes.count {
                let x = s(self.nodes.place[0][node]) - points[0];
                let y = s(self.nodes.place[1][node]) - points[1];
                let z = s(self.nodes.place[2][node]) - points[2];
                let fields = point_mass(x, y, z);
                let mass = s(self.nodes.mass[node]);
                for field in 0..fields.len() {
                    total[field] = mass.mul_add(fields[field], total[field]);
                }
            }
            for field in 0..total.len() {
                // A node that coincides with a near point has no finite field.
                let term = V::select_less(distance2, s(self.far2), V::constant(0.0), total[field]);
                let sum = V::load(&sums[field], lane);
                term.mul_add(s(GRAVITATIONAL_CONSTANT), sum).store(&mut sums[field], lane);
            }
        }
        if near != 0 {
            let mut places = [[0.0; 16]; 3];
            (0..3).for_each(|axis| points[axis].store(&mut places[axis], 0));
            for number in 0..V::COUNT {
                if near >> number & 1 == 1 {
                    let point = [places[0][number], places[1][number], places[2][number]];
                    let fields = self.near::<V>(&point);
                    for field in 0..fields.len() {
                        sums[field][lane + number] += GRAVITATIONAL_CONSTANT * fields[field];
                    }
                }
            }
        }
    }

    /// The fields at a near point, per unit of G.
    #[inline(always)]
    fn near<V: Lanes<Scalar = f64>>(&self, point: &[f64; 3]) -> [f64; 10] {
        let mut sums = [V::constant(0.0); 10];
        let mut flat = [0.0; 10];
        let mut stack = [(self.bounds, 0); STACK];
        let mut waiting = 1;
        while waiting > 0 {
            waiting -= 1;
            let (bounds, depth) = stack[waiting];
            let middle = cartesian(bounds.map(|[low, high]| 0.5 * (low + high)));
            let distance2: f64 = (0..3).map(|axis| (middle[axis] - point[axis]).powi(2)).sum();
            let is_far = |sizes: f64, size: f64| (sizes * size).powi(2) <= distance2;
            let sizes = sizes(&bounds);
            let size = sizes[0].max(sizes[1]).max(sizes[2]);
            if is_far(DISTANCE_OF_TWO, size) {
                add_nodes(&mut sums, &Nodes::new(self.tesseroid, &bounds, 2), point);
            } else if is_far(DISTANCE_OF_FOUR, size) {
                add_nodes(&mut sums, &Nodes::new(self.tesseroid, &bounds, 4), point);
            } else if size < FLAT * bounds[2][1] || depth == DEEPEST {
                add_prism::<V>(&mut flat, self.tesseroid, &bounds, point);
            } else {
                let is_cut = sizes.map(|size| !is_far(DISTANCE_OF_FOUR, size));
                for part in parts(&bounds, is_cut) {
                    stack[waiting] = (part, depth + 1);
                    waiting += 1;
                }
            }
        }
        for (flat, sum) in flat.iter_mut().zip(sums) {
            let mut lanes = [0.0; 16];
            sum.store(&mut lanes, 0);
            *flat += lanes[..V::COUNT].iter().sum::<f64>();
        }
        flat
    }
}

/// The halves, quarters or eighths of a piece, cut along some axes.
fn parts(bounds: &Bounds, is_cut: [bool; 3]) -> impl Iterator<Item = Bounds> {
    let bounds = *bounds;
    let count = |axis: usize| if is_cut[axis] { 2 } else { 1 };
    let part = move |axis: usize, number: usize| {
        let [low, high] = bounds[axis];
        let middle = 0.5 * (low + high);
        match (is_cut[axis], number) {
            (false, _) => [low, high],
            (true, 0) => [low, middle],
            (true, _) => [middle, high],
        }
    };
    let counts = [count(0), count(1), count(2)];
    (0..counts[0] * counts[1] * counts[2]).map(move |number| {
        let at = [number % counts[0], number / counts[0] % counts[1], number / (counts[0] * counts[1])];
        [part(0, at[0]), part(1, at[1]), part(2, at[2])]
    })
}

/// Adds the fields of Gauss points.
#[inline(always)]
fn add_nodes<V: Lanes<Scalar = f64>>(sums: &mut [V; 10], nodes: &Nodes, point: &[f64; 3]) {
    for lane in (0..nodes.count).step_by(V::COUNT) {
        let x = V::load(&nodes.place[0], lane) - V::splat(point[0]);
        let y = V::load(&nodes.place[1], lane) - V::splat(point[1]);
        let z = V::load(&nodes.place[2], lane) - V::splat(point[2]);
        let fields = point_mass(x, y, z);
        let mass = V::load(&nodes.mass, lane);
        for field in 0..fields.len() {
            sums[field] = mass.mul_add(fields[field], sums[field]);
        }
    }
}

/// Adds the field of a small piece as that of a prism.
#[inline(always)]
fn add_prism<V: Lanes<Scalar = f64>>(sums: &mut [f64; 10], tesseroid: &Tesseroid, bounds: &Bounds, point: &[f64; 3]) {
    let middle = bounds.map(|[low, high]| 0.5 * (low + high));
    let [lon, lat, radius] = *bounds;
    let sizes =
        [middle[2] * sin_cos(middle[1]).1 * (lon[1] - lon[0]), middle[2] * (lat[1] - lat[0]), radius[1] - radius[0]];
    let place = cartesian(middle);
    let axes = super::stations::axes(middle[0], middle[1]);
    let offset: [f64; 3] = std::array::from_fn(|axis| point[axis] - place[axis]);
    let local: [f64; 3] = std::array::from_fn(|row| {
        let along: f64 = (0..3).map(|axis| axes[row][axis] * offset[axis]).sum();
        along + SHIFT[row] * sizes[row]
    });
    let local = [V::splat(local[0]), V::splat(local[1]), V::splat(local[2])];
    let body = Body::<V>::new(&sizes.map(|size| [-0.5 * size, 0.5 * size]));
    let fields = body.at(&local, Needs::of(Fields::ALL.leaving_out_edges())).map(|value| {
        let mut lanes = [0.0; 16];
        value.store(&mut lanes, 0);
        lanes[0] * tesseroid.at(middle[2])
    });
    let turned = super::stations::turned(&fields, &super::stations::transposed(&axes));
    sums.iter_mut().zip(turned).for_each(|(sum, field)| *sum += field);
}
