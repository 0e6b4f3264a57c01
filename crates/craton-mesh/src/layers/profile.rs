//! The cross-section of a layer: a row of quadrilaterals between two sheets, plain or doubling.

use std::collections::HashMap;
use std::ops::Range;

use crate::mesh::Geometry;

/// The inside of a doubling brick, two coarse edges wide and one layer high, symmetric about its middle.
///
/// Positions are (along in coarse edges, height from 0 to 1). They make the largest eigenvalue of its elastic elements
/// small: the highest frequency of the cross-section is 13 % (`STRAIGHT`) and 28 % (`CURVED`) lower than with all inner
/// points at half height and half edges, for elements of degree 4 in a layer as high as a coarse edge.
struct Brick {
    /// Inner corners: left, middle, right
    corners: [[f64; 2]; 3],
    /// Offsets of the midpoints of edges from the straight line, by the corners of the edge
    bends: &'static [([usize; 2], [f64; 2])],
}

/// The brick for 8 control nodes: its scaled Jacobian is 0.68 when a layer is as high as a coarse edge.
const STRAIGHT: Brick = Brick { corners: [[0.555, 0.525], [1.0, 0.425], [1.445, 0.525]], bends: &[] };

/// The brick for 27 control nodes: its scaled Jacobian is 0.64 when a layer is as high as a coarse edge.
const CURVED: Brick = Brick {
    corners: [[0.515, 0.479], [1.0, 0.432], [1.485, 0.479]],
    bends: &[
        ([5, 8], [-0.037, -0.010]),
        ([7, 10], [0.037, -0.010]),
        ([8, 9], [0.0125, -0.0375]),
        ([9, 10], [-0.0125, -0.0375]),
        ([1, 8], [-0.004, 0.0225]),
        ([3, 10], [0.004, 0.0225]),
        ([2, 9], [0.0, 0.033]),
        ([6, 9], [0.0, -0.013]),
    ],
};

/// Square of the highest frequency of a brick's cross-section, in units where a rectangle has 1/width^2 + 1/height^2.
///
/// Fitted, within 4 % for heights of 0.5 to 1.5 coarse edges, to the largest eigenvalues of its elastic elements of
/// degree 4. Verified by `brick_stiffness_fits_the_eigenvalues_of_its_elements`.
///
/// # Arguments
/// * `fine` – length of its fine edges [m]
/// * `height` – height of the layer [m]
pub(crate) fn brick_stiffness(geometry: Geometry, fine: f64, height: f64) -> f64 {
    let (along, up) = (fine.powi(-2), (0.5 * height).powi(-2));
    match geometry {
        Geometry::Linear8 => f64::max(2.95 * along, 0.7 * along + 2.62 * up),
        Geometry::Quadratic27 => f64::max(2.1 * along, 2.2 * up),
    }
}

/// Quadrilaterals of the brick: corners (left bottom, right bottom, left top, right top) numbered 0 to 4 along the
/// fine top, 5 to 7 along the coarse bottom, 8 to 10 inside.
const BRICK_QUADS: [[usize; 4]; 6] =
    [[5, 8, 0, 1], [8, 9, 1, 2], [9, 10, 2, 3], [10, 7, 3, 4], [5, 6, 8, 9], [6, 7, 9, 10]];

/// Location of a control node of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// On the sheet above, at this position along the profile
    Top(u32),
    /// On the sheet below
    Bottom(u32),
    /// Between the sheets, numbered from 0
    Inside(u32),
}

/// Control nodes and quadrilaterals of the cross-section of a layer.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Profile {
    /// Location of every node
    pub(crate) places: Vec<Place>,
    /// Fraction along the box and height in the layer, both from 0 to 1, of the nodes between the sheets
    pub(crate) inside: Vec<[f64; 2]>,
    /// Nodes of every quadrilateral, lexicographic, along then up
    pub(crate) quads: Vec<Vec<u32>>,
}

impl Profile {
    /// A row of rectangles: those of `columns` of the `count` columns of the box.
    pub(crate) fn plain(geometry: Geometry, columns: Range<usize>, count: usize) -> Self {
        let mut draft = Draft::new(geometry);
        let top = draft.row(&columns, count, Place::Top, 1.0);
        let bottom = draft.row(&columns, count, Place::Bottom, 0.0);
        for i in 0..columns.len() {
            draft.quad([bottom[i], bottom[i + 1], top[i], top[i + 1]]);
        }
        draft.profile
    }

    /// Bricks that connect fine elements above to half as many below: those of `columns`, in steps of four, of the `count` fine columns of the box.
    pub(crate) fn doubling(geometry: Geometry, columns: Range<usize>, count: usize) -> Self {
        let mut draft = Draft::new(geometry);
        let coarse = count / 2;
        let top = draft.row(&columns, count, Place::Top, 1.0);
        let bottom = draft.row(&(columns.start / 2..columns.end / 2), coarse, Place::Bottom, 0.0);
        let Brick { corners, bends } = match geometry {
            Geometry::Linear8 => STRAIGHT,
            Geometry::Quadratic27 => CURVED,
        };
        for brick in 0..columns.len() / 4 {
            let place = |along: f64| (2.0 * (columns.start / 4 + brick) as f64 + along) / coarse as f64;
            let inner = corners.map(|[along, height]| draft.add_inside([place(along), height]));
            let corner = |index: usize| match index {
                0..5 => top[4 * brick + index],
                5..8 => bottom[2 * brick + index - 5],
                _ => inner[index - 8],
            };
            for &(ends, [along, height]) in bends {
                draft.bend(ends.map(corner), [along / coarse as f64, height]);
            }
            for quad in BRICK_QUADS {
                draft.quad(quad.map(corner));
            }
        }
        draft.profile
    }

    /// Whether the quadrilateral has an edge on the sheet that `on` selects.
    pub(crate) fn touches(&self, quad: &[u32], on: fn(Place) -> bool) -> bool {
        quad.iter().filter(|&&node| on(self.places[node as usize])).count() > 1
    }
}

/// A profile under construction.
struct Draft {
    /// Steps of a sheet between corners: 1 or 2
    stride: u32,
    profile: Profile,
    points: Vec<[f64; 2]>,
    middles: HashMap<[u32; 2], u32>,
}

impl Draft {
    fn new(geometry: Geometry) -> Self {
        Self {
            stride: geometry.per_axis() as u32 - 1,
            profile: Profile { places: Vec::new(), inside: Vec::new(), quads: Vec::new() },
            points: Vec::new(),
            middles: HashMap::new(),
        }
    }

    /// Corners of some of the `count` columns along a sheet.
    fn row(&mut self, columns: &Range<usize>, count: usize, place: fn(u32) -> Place, height: f64) -> Vec<u32> {
        let corner = |i: usize| {
            let along = (columns.start + i) as f64 / count as f64;
            self.add(place(i as u32 * self.stride), [along, height])
        };
        (0..=columns.len()).map(corner).collect()
    }

    fn add(&mut self, place: Place, point: [f64; 2]) -> u32 {
        self.profile.places.push(place);
        self.points.push(point);
        self.points.len() as u32 - 1
    }

    fn add_inside(&mut self, point: [f64; 2]) -> u32 {
        let place = Place::Inside(self.profile.inside.len() as u32);
        self.profile.inside.push(point);
        self.add(place, point)
    }

    /// Adds a quadrilateral by its corners (left bottom, right bottom, left top, right top).
    fn quad(&mut self, corners: [u32; 4]) {
        let [c00, c10, c01, c11] = corners;
        let nodes = if self.stride == 1 {
            vec![c00, c10, c01, c11]
        } else {
            let bottom = self.middle([c00, c10]);
            let left = self.middle([c00, c01]);
            let right = self.middle([c10, c11]);
            let top = self.middle([c01, c11]);
            // The centre of transfinite interpolation, which follows curved edges.
            let [edges, corners] = [self.mean(&[bottom, left, right, top]), self.mean(&corners)];
            let centre = self.add_inside([0, 1].map(|axis| 2.0 * edges[axis] - corners[axis]));
            vec![c00, bottom, c10, left, centre, right, c01, top, c11]
        };
        self.profile.quads.push(nodes);
    }

    /// The midpoint of an edge, shared by both adjacent quadrilaterals.
    fn middle(&mut self, mut ends: [u32; 2]) -> u32 {
        ends.sort_unstable();
        if let Some(&middle) = self.middles.get(&ends) {
            return middle;
        }
        let point = self.mean(&ends);
        let middle = match ends.map(|end| self.profile.places[end as usize]) {
            [Place::Top(a), Place::Top(b)] => self.add(Place::Top((a + b) / 2), point),
            [Place::Bottom(a), Place::Bottom(b)] => self.add(Place::Bottom((a + b) / 2), point),
            _ => self.add_inside(point),
        };
        self.middles.insert(ends, middle);
        middle
    }

    /// Moves the midpoint of an inner edge off the straight line by `offset`.
    fn bend(&mut self, mut ends: [u32; 2], offset: [f64; 2]) {
        ends.sort_unstable();
        let straight = self.mean(&ends);
        let middle = self.add_inside([0, 1].map(|axis| straight[axis] + offset[axis]));
        self.middles.insert(ends, middle);
    }

    fn mean(&self, nodes: &[u32]) -> [f64; 2] {
        let mut mean = [0.0; 2];
        for &node in nodes {
            for (mean, x) in mean.iter_mut().zip(self.points[node as usize]) {
                *mean += x / nodes.len() as f64;
            }
        }
        mean
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::shape;

    const N: usize = 5;
    const POINTS: [f64; N] = [-1.0, -0.654_653_670_707_977_1, 0.0, 0.654_653_670_707_977_1, 1.0];
    const WEIGHTS: [f64; N] = [0.1, 49.0 / 90.0, 32.0 / 45.0, 49.0 / 90.0, 0.1];

    /// Derivative of the Lagrange polynomial of point `j` at point `i`.
    fn derivative(i: usize, j: usize) -> f64 {
        let others = |skip: &[usize]| -> Vec<usize> { (0..N).filter(|m| !skip.contains(m)).collect() };
        let below: f64 = others(&[j]).iter().map(|&m| POINTS[j] - POINTS[m]).product();
        let term = |k: usize| others(&[j, k]).iter().map(|&m| POINTS[i] - POINTS[m]).product::<f64>();
        others(&[j]).into_iter().map(term).sum::<f64>() / below
    }

    /// Gradients of the 25 basis functions and the weight at each of the 25 points of a quadrilateral.
    fn gradients(geometry: Geometry, nodes: &[[f64; 2]]) -> Vec<(Vec<[f64; 2]>, f64)> {
        let n = geometry.per_axis();
        let at = |point: usize| {
            let (a, b) = (point % N, point / N);
            let [(value_a, slope_a), (value_b, slope_b)] = [a, b].map(|i| shape(geometry, POINTS[i]));
            let mut jacobian = [[0.0; 2]; 2];
            for (node, x) in nodes.iter().enumerate() {
                let (i, j) = (node % n, node / n);
                for axis in 0..2 {
                    jacobian[axis][0] += slope_a[i] * value_b[j] * x[axis];
                    jacobian[axis][1] += value_a[i] * slope_b[j] * x[axis];
                }
            }
            let [[xa, xb], [za, zb]] = jacobian;
            let determinant = xa * zb - xb * za;
            assert!(determinant > 0.0);
            let gradient = |basis: usize| {
                let along = if basis / N == b { derivative(a, basis % N) } else { 0.0 };
                let up = if basis % N == a { derivative(b, basis / N) } else { 0.0 };
                [(zb * along - za * up) / determinant, (xa * up - xb * along) / determinant]
            };
            ((0..N * N).map(gradient).collect(), WEIGHTS[a] * WEIGHTS[b] * determinant)
        };
        (0..N * N).map(at).collect()
    }

    /// Square of the highest frequency of one elastic element, vp = 1, vs = 1 / sqrt(3), by power iteration.
    fn highest(geometry: Geometry, nodes: &[[f64; 2]]) -> f64 {
        let points = gradients(geometry, nodes);
        let mut u: Vec<[f64; 2]> = (0..N * N).map(|i| [(i as f64).sin(), (2.3 * i as f64).cos()]).collect();
        let mut square = 0.0;
        for _ in 0..600 {
            let mut force = vec![[0.0; 2]; N * N];
            for (gradient, weight) in &points {
                let mut g = [[0.0; 2]; 2];
                for (u, d) in u.iter().zip(gradient) {
                    for row in 0..2 {
                        g[row] = [g[row][0] + u[row] * d[0], g[row][1] + u[row] * d[1]];
                    }
                }
                let [trace, shear] = [(g[0][0] + g[1][1]) / 3.0, (g[0][1] + g[1][0]) / 3.0];
                let stress = [[trace + g[0][0] / 1.5, shear], [shear, trace + g[1][1] / 1.5]];
                for (force, d) in force.iter_mut().zip(gradient) {
                    for row in 0..2 {
                        force[row] += weight * (stress[row][0] * d[0] + stress[row][1] * d[1]);
                    }
                }
            }
            let (mut energy, mut mass) = (0.0, 0.0);
            for ((u, force), (_, weight)) in u.iter_mut().zip(&force).zip(&points) {
                for row in 0..2 {
                    energy += u[row] * force[row];
                    mass += u[row] * u[row] * weight;
                    u[row] = force[row] / weight;
                }
            }
            square = energy / mass;
            let scale = mass.sqrt() / (square * mass);
            u.iter_mut().flatten().for_each(|u| *u *= scale);
        }
        square
    }

    /// Highest squared frequency over the elements of a brick with coarse edges of length 1, by its height, in units
    /// where a rectangle has 1/width^2 + 1/height^2.
    fn brick(profile: &Profile, geometry: Geometry, height: f64) -> f64 {
        let square = |quad: &Vec<u32>| {
            let n = geometry.per_axis() as f64 - 1.0;
            let point = |&node: &u32| match profile.places[node as usize] {
                Place::Top(i) => [0.5 * f64::from(i) / n, height],
                Place::Bottom(i) => [f64::from(i) / n, 0.0],
                Place::Inside(i) => [2.0 * profile.inside[i as usize][0], height * profile.inside[i as usize][1]],
            };
            highest(geometry, &quad.iter().map(point).collect::<Vec<_>>())
        };
        let unit = highest(Geometry::Linear8, &[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]) / 2.0;
        profile.quads.iter().map(square).fold(0.0, f64::max) / unit
    }

    #[test]
    fn brick_stiffness_fits_the_eigenvalues_of_its_elements() {
        for geometry in [Geometry::Linear8, Geometry::Quadratic27] {
            let profile = Profile::doubling(geometry, 0..4, 4);
            for height in [0.5, 0.6, 0.75, 1.0, 1.25, 1.5] {
                let ratio = brick(&profile, geometry, height) / brick_stiffness(geometry, 0.5, height);
                assert!((ratio.sqrt() - 1.0).abs() < 0.04, "{geometry:?} {height} {ratio}");
            }
        }
    }

    #[test]
    fn bricks_have_lower_frequencies_than_points_at_half_edges() {
        let mut halves = Profile::doubling(Geometry::Linear8, 0..4, 4);
        halves.inside = vec![[0.25, 0.5], [0.5, 0.5], [0.75, 0.5]];
        let simple = brick(&halves, Geometry::Linear8, 1.0).sqrt();
        for (geometry, expected) in [(Geometry::Linear8, 0.866), (Geometry::Quadratic27, 0.716)] {
            let ratio = brick(&Profile::doubling(geometry, 0..4, 4), geometry, 1.0).sqrt() / simple;
            assert!((ratio - expected).abs() < 0.005, "{ratio}");
        }
    }
}
