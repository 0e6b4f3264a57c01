//! The reference cube [-1, 1]^3: its corners, edges and faces, and shape functions on a grid of points.

use crate::mesh::Geometry;

/// Corners at the ends of the 12 edges, lower end first: four along xi, four along eta, four along zeta.
///
/// The position of corner c is given by bit 0 of c along xi, bit 1 along eta, bit 2 along zeta.
pub const EDGE_CORNERS: [[usize; 2]; 12] =
    [[0, 1], [2, 3], [4, 5], [6, 7], [0, 2], [1, 3], [4, 6], [5, 7], [0, 4], [1, 5], [2, 6], [3, 7]];

/// Axes of the 6 faces: the normal one, then the two along the face in ascending order.
pub const FACE_AXES: [[usize; 3]; 6] = [[0, 1, 2], [0, 1, 2], [1, 0, 2], [1, 0, 2], [2, 0, 1], [2, 0, 1]];

/// Corners of the 6 faces (xi = -1, +1, eta = -1, +1, zeta = -1, +1), lexicographic in the face's own two axes.
pub const FACE_CORNERS: [[usize; 4]; 6] =
    [[0, 2, 4, 6], [1, 3, 5, 7], [0, 1, 4, 5], [2, 3, 6, 7], [0, 1, 2, 3], [4, 5, 6, 7]];

/// Point of the cube on face `face` (0 to 5) at the coordinates `along` of the face's own two axes.
pub fn face_point(face: u8, along: [f64; 2]) -> [f64; 3] {
    let [normal, first, second] = FACE_AXES[face as usize];
    let mut xi = [0.0; 3];
    xi[normal] = if face.is_multiple_of(2) { -1.0 } else { 1.0 };
    xi[first] = along[0];
    xi[second] = along[1];
    xi
}

/// One-dimensional shape functions of the geometry at `xi`, and their derivatives; unused entries are zero.
pub(crate) fn shape(geometry: Geometry, xi: f64) -> ([f64; 3], [f64; 3]) {
    match geometry {
        Geometry::Linear8 => ([0.5 * (1.0 - xi), 0.5 * (1.0 + xi), 0.0], [-0.5, 0.5, 0.0]),
        Geometry::Quadratic27 => {
            ([0.5 * xi * (xi - 1.0), (1.0 - xi) * (1.0 + xi), 0.5 * xi * (xi + 1.0)], [xi - 0.5, -2.0 * xi, xi + 0.5])
        }
    }
}

/// The map from the reference cube to an element, tabulated on a tensor grid of points.
///
/// Built once for a rule (GLL points, say) and applied to many elements by sum factorisation.
#[derive(Debug, Clone)]
pub struct ElementMap {
    controls: usize,
    points: usize,
    value: Vec<f64>,
    slope: Vec<f64>,
    scratch: [Vec<[f64; 3]>; 2],
    columns: [Vec<[f64; 3]>; 3],
}

impl ElementMap {
    /// Tabulates the shape functions of `geometry` at `points` in [-1, 1] along every axis.
    pub fn new(geometry: Geometry, points: &[f64]) -> Self {
        let controls = geometry.per_axis();
        let mut value = Vec::with_capacity(points.len() * controls);
        let mut slope = Vec::with_capacity(points.len() * controls);
        for &xi in points {
            let (shapes, slopes) = shape(geometry, xi);
            value.extend_from_slice(&shapes[..controls]);
            slope.extend_from_slice(&slopes[..controls]);
        }
        Self { controls, points: points.len(), value, slope, scratch: Default::default(), columns: Default::default() }
    }

    /// Positions [m] of the grid points of the element with these control nodes, lexicographic.
    pub fn positions(&mut self, control: &[[f64; 3]], out: &mut Vec<[f64; 3]>) {
        let (controls, points) = (self.controls, self.points);
        let tables = [&self.value[..], &self.value, &self.value];
        contract(tables, [controls, points], control, &mut self.scratch, out);
    }

    /// Jacobian matrices [m] at the grid points, lexicographic: row i, column j is dx_i / dxi_j.
    pub fn jacobians(&mut self, control: &[[f64; 3]], out: &mut Vec<[[f64; 3]; 3]>) {
        if let Some(jacobian) = constant_jacobian(control) {
            out.clear();
            out.resize(self.points.pow(3), jacobian);
            return;
        }
        let shape = [self.controls, self.points];
        for axis in 0..3 {
            let mut tables = [&self.value[..]; 3];
            tables[axis] = &self.slope;
            contract(tables, shape, control, &mut self.scratch, &mut self.columns[axis]);
        }
        let [dxi, deta, dzeta] = &self.columns;
        out.clear();
        out.extend(
            dxi.iter()
                .zip(deta)
                .zip(dzeta)
                .map(|((a, b), c)| [[a[0], b[0], c[0]], [a[1], b[1], c[1]], [a[2], b[2], c[2]]]),
        );
    }
}

/// The Jacobian matrix of an element with 8 control nodes that is a parallelepiped within the round-off of its coordinates.
fn constant_jacobian(control: &[[f64; 3]]) -> Option<[[f64; 3]; 3]> {
    let corners: &[[f64; 3]; 8] = control.try_into().ok()?;
    let [origin, x, y, _, z, ..] = *corners;
    let edges = [x, y, z].map(|end| [0, 1, 2].map(|c| end[c] - origin[c]));
    let largest = corners.as_flattened().iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let is_at = |(corner, place): (usize, &[f64; 3])| {
        let along = |axis: usize| if corner >> axis & 1 == 1 { edges[axis] } else { [0.0; 3] };
        let [x, y, z] = [0, 1, 2].map(along);
        (0..3).all(|c| (place[c] - origin[c] - x[c] - y[c] - z[c]).abs() <= 4.0 * f64::EPSILON * largest)
    };
    let is_parallelepiped = corners.iter().enumerate().all(is_at);
    is_parallelepiped.then(|| [0, 1, 2].map(|c| edges.map(|edge| 0.5 * edge[c])))
}

/// Applies one table [point][control] per axis to the control nodes, axis by axis.
fn contract(
    tables: [&[f64]; 3],
    [controls, points]: [usize; 2],
    control: &[[f64; 3]],
    scratch: &mut [Vec<[f64; 3]>; 2],
    out: &mut Vec<[f64; 3]>,
) {
    let [first, second] = scratch;
    // A compile-time length lets the compiler unroll the innermost loop.
    let contract_fastest = match controls {
        2 => contract_fastest::<2>,
        _ => contract_fastest::<3>,
    };
    // Each pass contracts the fastest axis and makes it the slowest: after three passes the original order is restored.
    contract_fastest(tables[0], points, control, first);
    contract_fastest(tables[1], points, first, second);
    contract_fastest(tables[2], points, second, out);
}

/// Applies a table [point][control] of `N` control nodes to the fastest axis of `input`.
fn contract_fastest<const N: usize>(table: &[f64], points: usize, input: &[[f64; 3]], out: &mut Vec<[f64; 3]>) {
    let (input, _) = input.as_chunks::<N>();
    let (table, _) = table.as_chunks::<N>();
    out.clear();
    out.reserve(input.len() * points);
    for weights in table {
        let sum = |points: &[[f64; 3]; N]| -> [f64; 3] {
            std::array::from_fn(|axis| {
                weights.iter().zip(points).fold(0.0, |sum, (weight, point)| sum + weight * point[axis])
            })
        };
        out.extend(input.iter().map(sum));
    }
}
