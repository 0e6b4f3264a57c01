//! A single element, evaluated point by point with explicit loops.

use craton_mesh::HexMesh;
use craton_model::EarthModel;
use craton_numerics::gll::Gll;

/// An element of (degree + 1)³ points.
pub struct Element {
    /// Its points, lexicographic.
    pub points: Vec<Point>,
    /// `derivative[i][m]`: derivative of basis function m at point i of an axis.
    derivative: Vec<Vec<f64>>,
}

/// A quadrature point.
pub struct Point {
    /// Position [m].
    pub position: [f64; 3],
    /// Density [kg/m³].
    pub rho: f64,
    /// Volume of the point: quadrature weight times Jacobian [m³].
    pub volume: f64,
    /// `inverse[a][j]` = ∂ξ_a/∂x_j [1/m].
    inverse: [[f64; 3]; 3],
    /// 6 x 6 coefficients [Pa].
    stiffness: [[f64; 6]; 6],
}

impl Element {
    /// Tabulates an element of a mesh.
    pub fn new(mesh: &HexMesh, element: u32, model: &EarthModel, gll: &Gll) -> Self {
        let n = gll.points.len();
        let region = usize::from(mesh.region[element as usize]);
        let points = (0..n * n * n).map(|p| {
            let [i, j, k] = [p % n, p / n % n, p / (n * n)];
            let (position, jacobian) = map(mesh, element, [gll.points[i], gll.points[j], gll.points[k]]);
            let (inverse, det) = invert(jacobian);
            let medium = model.medium(region, position);
            let volume = gll.weights[i] * gll.weights[j] * gll.weights[k] * det;
            Point { position, rho: medium.rho(), volume, inverse, stiffness: medium.stiffness().matrix() }
        });
        let slopes = |i: usize| (0..n).map(|m| basis_slope(&gll.points, m, gll.points[i])).collect();
        Self { points: points.collect(), derivative: (0..n).map(slopes).collect() }
    }

    /// Forces -K u [N] at its points.
    pub fn forces(&self, u: &[[f64; 3]]) -> Vec<[f64; 3]> {
        let n = self.derivative.len();
        let mut forces = vec![[0.0; 3]; u.len()];
        for (p, point) in self.points.iter().enumerate() {
            let place = [p % n, p / n % n, p / (n * n)];
            let mut along = [[0.0; 3]; 3];
            for m in 0..n {
                for axis in 0..3 {
                    for c in 0..3 {
                        along[axis][c] += self.derivative[place[axis]][m] * u[neighbour(place, axis, m, n)][c];
                    }
                }
            }
            let stress = stress(&point.stiffness, gradient(&point.inverse, &along));
            for m in 0..n {
                for axis in 0..3 {
                    let slope = point.inverse[axis].map(|inverse| self.derivative[place[axis]][m] * inverse);
                    let force = &mut forces[neighbour(place, axis, m, n)];
                    for c in 0..3 {
                        force[c] -= point.volume * (0..3).map(|j| stress[c][j] * slope[j]).sum::<f64>();
                    }
                }
            }
        }
        forces
    }
}

/// Point m of the line through `place` along an axis.
fn neighbour(mut place: [usize; 3], axis: usize, m: usize, n: usize) -> usize {
    place[axis] = m;
    place[0] + n * (place[1] + n * place[2])
}

/// ∂u_i/∂x_j = Σ_a ∂u_i/∂ξ_a ∂ξ_a/∂x_j.
fn gradient(inverse: &[[f64; 3]; 3], along: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let mut gradient = [[0.0; 3]; 3];
    for (i, row) in gradient.iter_mut().enumerate() {
        for (j, value) in row.iter_mut().enumerate() {
            for axis in 0..3 {
                *value += along[axis][i] * inverse[axis][j];
            }
        }
    }
    gradient
}

/// σ = c ε, from the full matrix of coefficients.
fn stress(c: &[[f64; 6]; 6], g: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let strain = [g[0][0], g[1][1], g[2][2], g[1][2] + g[2][1], g[0][2] + g[2][0], g[0][1] + g[1][0]];
    let [xx, yy, zz, yz, xz, xy] = c.map(|row| row.iter().zip(strain).map(|(c, e)| c * e).sum());
    [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
}

/// Position and `jacobian[i][a]` = ∂x_i/∂ξ_a, summed over the control nodes.
fn map(mesh: &HexMesh, element: u32, xi: [f64; 3]) -> ([f64; 3], [[f64; 3]; 3]) {
    let n = mesh.geometry.per_axis();
    let control: Vec<f64> = (0..n).map(|a| -1.0 + 2.0 * a as f64 / (n - 1) as f64).collect();
    let mut position = [0.0; 3];
    let mut jacobian = [[0.0; 3]; 3];
    for (index, &node) in mesh.nodes_of(element).iter().enumerate() {
        let place = [index % n, index / n % n, index / (n * n)];
        let value = [0, 1, 2].map(|axis| basis(&control, place[axis], xi[axis]));
        let slope = [0, 1, 2].map(|axis| basis_slope(&control, place[axis], xi[axis]));
        let slopes = [slope[0] * value[1] * value[2], value[0] * slope[1] * value[2], value[0] * value[1] * slope[2]];
        for i in 0..3 {
            let x = mesh.control_nodes[node as usize][i];
            position[i] += value[0] * value[1] * value[2] * x;
            for axis in 0..3 {
                jacobian[i][axis] += slopes[axis] * x;
            }
        }
    }
    (position, jacobian)
}

/// Π_{q != m} (x - x_q) / (x_m - x_q).
fn basis(points: &[f64], m: usize, x: f64) -> f64 {
    let others = (0..points.len()).filter(|&q| q != m);
    others.map(|q| (x - points[q]) / (points[m] - points[q])).product()
}

/// The derivative of [`basis`] by the product rule.
fn basis_slope(points: &[f64], m: usize, x: f64) -> f64 {
    let others = |skipped: usize| (0..points.len()).filter(move |&q| q != m && q != skipped);
    (0..points.len())
        .filter(|&r| r != m)
        .map(|r| {
            let rest: f64 = others(r).map(|q| (x - points[q]) / (points[m] - points[q])).product();
            rest / (points[m] - points[r])
        })
        .sum()
}

/// Inverse and determinant of a matrix, by cofactors.
fn invert(m: [[f64; 3]; 3]) -> ([[f64; 3]; 3], f64) {
    let cofactor = |i: usize, j: usize| {
        let (a, b, c, d) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        m[a][c] * m[b][d] - m[a][d] * m[b][c]
    };
    let det: f64 = (0..3).map(|j| m[0][j] * cofactor(0, j)).sum();
    let inverse = std::array::from_fn(|i| std::array::from_fn(|j| cofactor(j, i) / det));
    (inverse, det)
}
