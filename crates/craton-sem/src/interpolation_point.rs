//! Interpolation at points inside elements, for sources and receivers.

use craton_mesh::{ElementMap, HexMesh};
use craton_numerics::lagrange;

/// Values and derivatives of the basis at a point of an element.
#[derive(Debug, Clone)]
pub struct InterpolationPoint {
    /// Basis functions along xi, eta, zeta.
    basis: [Vec<f64>; 3],
    /// Derivatives of `basis`.
    slope: [Vec<f64>; 3],
    /// `inverse[a][j]` = d xi_a / d x_j [1/m].
    inverse: [[f64; 3]; 3],
}

impl InterpolationPoint {
    /// Evaluates the basis at the point `xi` of the reference cube of `element`. The basis is that of `points` along each axis.
    pub fn new(mesh: &HexMesh, points: &[f64], element: u32, xi: [f64; 3]) -> Self {
        Self {
            basis: xi.map(|x| lagrange::basis(points, x)),
            slope: xi.map(|x| lagrange::basis_derivative(points, x)),
            inverse: inverse(mesh.jacobian(element, xi)),
        }
    }

    /// Value of the basis function of each point of the element.
    pub fn values(&self) -> Vec<f64> {
        self.product([&self.basis[0], &self.basis[1], &self.basis[2]])
    }

    /// Gradient of the basis function of each point of the element [1/m].
    pub fn gradients(&self) -> Vec<[f64; 3]> {
        let [x, y, z] = &self.basis;
        let [dx, dy, dz] = &self.slope;
        let reference = [self.product([dx, y, z]), self.product([x, dy, z]), self.product([x, y, dz])];
        let physical = |point: usize, j: usize| (0..3).map(|a| self.inverse[a][j] * reference[a][point]).sum();
        (0..reference[0].len()).map(|point| [0, 1, 2].map(|j| physical(point, j))).collect()
    }

    /// Interpolates a field, given at the points of the element.
    pub fn value_of(&self, field: &[[f64; 3]]) -> [f64; 3] {
        let nodes = field.iter().zip(self.values());
        nodes.fold([0.0; 3], |sum, (value, phi)| std::array::from_fn(|c| sum[c] + phi * value[c]))
    }

    /// Gradient of a field, given at the points of the element: `[i][j]` is the derivative of component i along x_j.
    pub fn gradient_of(&self, field: &[[f64; 3]]) -> [[f64; 3]; 3] {
        let nodes = field.iter().zip(self.gradients());
        nodes.fold([[0.0; 3]; 3], |sum, (value, slope)| {
            std::array::from_fn(|i| std::array::from_fn(|j| sum[i][j] + value[i] * slope[j]))
        })
    }

    fn product(&self, [x, y, z]: [&[f64]; 3]) -> Vec<f64> {
        let mut all = Vec::with_capacity(x.len() * y.len() * z.len());
        for c in z {
            for b in y {
                all.extend(x.iter().map(|a| a * b * c));
            }
        }
        all
    }
}

/// Gradients of a scalar field at the points of an element, from its values there, in lexicographic order.
///
/// # Arguments
/// * `points` – Gauss-Lobatto-Legendre points along an axis
pub fn gradients_at_points(mesh: &HexMesh, points: &[f64], element: u32, values: &[f64]) -> Vec<[f64; 3]> {
    let n = points.len();
    let derivative = lagrange::derivative_matrix(points);
    let (mut jacobians, mut buffer) = (Vec::new(), [[0.0; 3]; 27]);
    ElementMap::new(mesh.geometry, points).jacobians(mesh.points_of(element, &mut buffer), &mut jacobians);
    let gradient = |(point, jacobian): (usize, &[[f64; 3]; 3])| {
        let indices = [point % n, point / n % n, point / (n * n)];
        let along = [0, 1, 2].map(|axis| {
            let stride = n.pow(axis as u32);
            let first = point - indices[axis] * stride;
            (0..n).map(|m| derivative[indices[axis] * n + m] * values[first + m * stride]).sum::<f64>()
        });
        // `jacobian[axis][i]` = d x_i / d xi_axis.
        let inverse = inverse(std::array::from_fn(|i| std::array::from_fn(|axis| jacobian[axis][i])));
        [0, 1, 2].map(|j| (0..3).map(|axis| inverse[axis][j] * along[axis]).sum())
    };
    jacobians.iter().enumerate().map(gradient).collect()
}

/// Inverse of a matrix.
fn inverse(m: [[f64; 3]; 3]) -> [[f64; 3]; 3] {
    let cofactor = |i: usize, j: usize| {
        let (a, b, c, d) = ((i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3);
        m[a][c] * m[b][d] - m[a][d] * m[b][c]
    };
    let det: f64 = (0..3).map(|j| m[0][j] * cofactor(0, j)).sum();
    std::array::from_fn(|i| std::array::from_fn(|j| cofactor(j, i) / det))
}
