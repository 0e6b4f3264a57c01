//! Eigenvalues of small symmetric matrices.

/// Maximum number of sweeps; convergence is quadratic and usually takes five or six.
const MAX_SWEEPS: usize = 30;

/// Eigenvalues, ascending, and unit eigenvectors, one per row, of a symmetric matrix.
///
/// # Source
/// Jacobi's cyclic rotations: Golub & Van Loan (2013), Matrix Computations, section 8.5.
pub(super) fn symmetric_eigen<const N: usize>(mut matrix: [[f64; N]; N]) -> ([f64; N], [[f64; N]; N]) {
    let mut vectors = [[0.0; N]; N];
    for (i, row) in vectors.iter_mut().enumerate() {
        row[i] = 1.0;
    }
    for _ in 0..MAX_SWEEPS {
        if is_diagonal(&matrix) {
            break;
        }
        for p in 0..N {
            for q in p + 1..N {
                annihilate(&mut matrix, &mut vectors, p, q);
            }
        }
    }
    let mut order: [usize; N] = std::array::from_fn(|i| i);
    order.sort_by(|&i, &j| matrix[i][i].total_cmp(&matrix[j][j]));
    (order.map(|i| matrix[i][i]), order.map(|i| vectors[i]))
}

/// Whether the off-diagonal entries are below the round-off of the diagonal.
fn is_diagonal<const N: usize>(matrix: &[[f64; N]; N]) -> bool {
    let norm = matrix.iter().flatten().fold(0.0, |m: f64, c| m.max(c.abs()));
    let mut off_diagonal = (0..N).flat_map(|p| (p + 1..N).map(move |q| (p, q)));
    off_diagonal.all(|(p, q)| matrix[p][q].abs() <= 0.1 * f64::EPSILON * norm)
}

/// Rotates the axes `p` and `q` so that the entry (p, q) vanishes.
fn annihilate<const N: usize>(matrix: &mut [[f64; N]; N], vectors: &mut [[f64; N]; N], p: usize, q: usize) {
    if matrix[p][q] == 0.0 {
        return;
    }
    let half_cot = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
    let tan = half_cot.signum() / (half_cot.abs() + (half_cot * half_cot + 1.0).sqrt());
    let cos = 1.0 / (tan * tan + 1.0).sqrt();
    let sin = tan * cos;
    let turn = |a: f64, b: f64| (cos * a - sin * b, sin * a + cos * b);
    for row in matrix.iter_mut() {
        (row[p], row[q]) = turn(row[p], row[q]);
    }
    for k in 0..N {
        (matrix[p][k], matrix[q][k]) = turn(matrix[p][k], matrix[q][k]);
        (vectors[p][k], vectors[q][k]) = turn(vectors[p][k], vectors[q][k]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eigenvectors_rebuild_the_matrix() {
        let matrix = [[4.0, 1.0, -2.0], [1.0, 2.0, 0.5], [-2.0, 0.5, 3.0]];
        let (values, vectors) = symmetric_eigen(matrix);
        assert!(values[0] <= values[1] && values[1] <= values[2]);
        for i in 0..3 {
            for j in 0..3 {
                let rebuilt: f64 = (0..3).map(|k| values[k] * vectors[k][i] * vectors[k][j]).sum();
                assert!((rebuilt - matrix[i][j]).abs() < 1e-14, "{rebuilt} {}", matrix[i][j]);
            }
        }
    }

    #[test]
    fn a_nan_matrix_terminates() {
        let (values, _) = symmetric_eigen([[f64::NAN, 1.0], [1.0, 0.0]]);
        assert!(values.iter().any(|v| v.is_nan()));
    }
}
