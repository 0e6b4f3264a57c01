//! Lagrange interpolation on given points, in the barycentric form, which is stable for any degree used here.
//!
//! Every function takes distinct `points`; coinciding ones give NaN. On points that are symmetric about zero, as Gauss-Lobatto-Legendre points are, all results
//! are exactly symmetric as well.
//!
//! # Source
//! Berrut and Trefethen (2004), SIAM Review 46, 501-517, equations 4.2, 9.4 and 9.5.

/// Derivatives of the basis at its own points: D\[i n + j\] = l_j'(x_i), n = `points.len()`.
///
/// The diagonal is minus the sum of its row's other entries, so the derivative of a constant vanishes up to round-off; on symmetric points D\[n-1-i\]\[n-1-j\]
/// = -D\[i\]\[j\] exactly.
///
/// # Returns
/// Row-major matrix, length n².
/// Verified by `lagrange::tests::derivative_matrix_is_exact_on_polynomials`.
pub fn derivative_matrix(points: &[f64]) -> Vec<f64> {
    let n = points.len();
    let weights = barycentric_weights(points);
    let mut matrix = vec![0.0; n * n];
    for i in 0..n {
        let row = &mut matrix[i * n..][..n];
        for j in (0..n).filter(|&j| j != i) {
            row[j] = weights[j] / weights[i] / (points[i] - points[j]);
        }
        row[i] = -from_both_ends(n, 0.0, |j| row[j], |a, b| a + b);
    }
    matrix
}

/// Values of all basis functions at `x`: exactly a unit vector when `x` is one of the points.
///
/// # Arguments
/// * `points` – distinct points, length n
/// * `x` – where to evaluate; outside the range of the points the polynomials are extrapolated
/// # Returns
/// l_j(x), length n, of sum one.
pub fn basis(points: &[f64], x: f64) -> Vec<f64> {
    if let Some(node) = points.iter().position(|&point| point == x) {
        return (0..points.len()).map(|j| if j == node { 1.0 } else { 0.0 }).collect();
    }
    let terms: Vec<f64> = barycentric_weights(points).iter().zip(points).map(|(w, point)| w / (x - point)).collect();
    let sum = from_both_ends(terms.len(), 0.0, |j| terms[j], |a, b| a + b);
    terms.iter().map(|term| term / sum).collect()
}

/// Derivatives of all basis functions at `x`: exactly a row of [`derivative_matrix`] when `x` is one of the points.
///
/// The derivative of a basis polynomial is a polynomial on the same points, so it is interpolated from its values there, which stays
/// stable however close `x` comes to a point.
///
/// # Arguments
/// * `points` – distinct points, length n
/// * `x` – where to evaluate
/// # Returns
/// l_j'(x), length n, whose sum is zero up to round-off.
pub fn basis_derivative(points: &[f64], x: f64) -> Vec<f64> {
    let n = points.len();
    let matrix = derivative_matrix(points);
    let values = basis(points, x);
    (0..n).map(|j| from_both_ends(n, 0.0, |i| values[i] * matrix[i * n + j], |a, b| a + b)).collect()
}

/// 1 / Π_{k != j} (x_j - x_k).
fn barycentric_weights(points: &[f64]) -> Vec<f64> {
    let difference = |j: usize, k: usize| if j == k { 1.0 } else { points[j] - points[k] };
    (0..points.len()).map(|j| 1.0 / from_both_ends(points.len(), 1.0, |k| difference(j, k), |a, b| a * b)).collect()
}

/// Sum or product taken in pairs from both ends, so that reversing the terms gives a bit-identical result.
fn from_both_ends(count: usize, neutral: f64, term: impl Fn(usize) -> f64, join: impl Fn(f64, f64) -> f64) -> f64 {
    let pairs = (0..count / 2).fold(neutral, |total, k| join(total, join(term(k), term(count - 1 - k))));
    if count % 2 == 1 { join(pairs, term(count / 2)) } else { pairs }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gll::{Gll, MAX_DEGREE};
    use proptest::prelude::*;

    fn dot(a: &[f64], b: &[f64]) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn derivative_matrix_is_exact_on_polynomials() {
        for degree in 1..=MAX_DEGREE {
            let points = Gll::new(degree).unwrap().points;
            let n = points.len();
            let matrix = derivative_matrix(&points);
            for power in 0..=degree as i32 {
                let values: Vec<f64> = points.iter().map(|x| x.powi(power)).collect();
                for (row, &x) in matrix.chunks(n).zip(&points) {
                    let exact = if power == 0 { 0.0 } else { f64::from(power) * x.powi(power - 1) };
                    assert!((dot(row, &values) - exact).abs() < 1e-13, "degree {degree}, power {power}");
                }
            }
        }
    }

    #[test]
    fn derivative_matrix_has_the_known_corner_and_is_antisymmetric_under_reversal() {
        for degree in 1..=MAX_DEGREE {
            let points = Gll::new(degree).unwrap().points;
            let n = points.len();
            let matrix = derivative_matrix(&points);
            let corner = (degree * (degree + 1)) as f64 / 4.0;
            assert!((matrix[0] + corner).abs() < 1e-13 * corner, "degree {degree}: {}", matrix[0]);
            for k in 0..n * n {
                assert_eq!(matrix[k], -matrix[n * n - 1 - k]);
            }
        }
    }

    #[test]
    fn basis_at_a_point_is_a_unit_vector_and_its_derivative_a_row_of_the_matrix() {
        let points = Gll::new(7).unwrap().points;
        let matrix = derivative_matrix(&points);
        for (i, &x) in points.iter().enumerate() {
            let values = basis(&points, x);
            assert!(values.iter().enumerate().all(|(j, &value)| value == if i == j { 1.0 } else { 0.0 }));
            assert_eq!(basis_derivative(&points, x), matrix[i * 8..][..8]);
        }
    }

    #[test]
    fn basis_stays_accurate_next_to_a_point() {
        let points = Gll::new(10).unwrap().points;
        let values: Vec<f64> = points.iter().map(|x| x.powi(9)).collect();
        for offset in [1e-15, 1e-12, 1e-8, 1e-4] {
            let x = points[3] + offset;
            assert!((dot(&basis(&points, x), &values) - x.powi(9)).abs() < 1e-14);
            assert!((dot(&basis_derivative(&points, x), &values) - 9.0 * x.powi(8)).abs() < 1e-12);
        }
    }

    proptest! {
        #[test]
        fn basis_reproduces_polynomials_anywhere(degree in 1..=MAX_DEGREE, x in -1.0..1.0_f64) {
            let points = Gll::new(degree).unwrap().points;
            let power = degree as i32;
            let values: Vec<f64> = points.iter().map(|p| p.powi(power)).collect();
            prop_assert!((dot(&basis(&points, x), &values) - x.powi(power)).abs() < 1e-14);
            let slope = f64::from(power) * x.powi(power - 1);
            prop_assert!((dot(&basis_derivative(&points, x), &values) - slope).abs() < 1e-12);
            prop_assert!((basis(&points, x).iter().sum::<f64>() - 1.0).abs() < 1e-14);
        }
    }
}
