//! Quadrature on [-1, 1]: Gauss-Lobatto-Legendre points of the elements, Gauss-Legendre points for checks.

use crate::error::NumericsError;

/// Largest polynomial degree of an element.
pub const MAX_DEGREE: usize = 10;
/// Largest number of Gauss-Legendre points.
pub const MAX_GAUSS_POINTS: usize = 64;

/// Newton iterations. Convergence from the Chebyshev points is quadratic: five steps reach round-off, the others are a safety margin.
const NEWTON_STEPS: usize = 12;

/// Gauss-Lobatto-Legendre rule of `degree + 1` points, both ends included; exact for polynomials up to degree `2 * degree - 1`.
#[derive(Debug, Clone, PartialEq)]
pub struct Gll {
    /// Polynomial degree N of the basis on these points.
    pub degree: usize,
    /// Points on [-1, 1], ascending, exactly symmetric; length N + 1.
    pub points: Vec<f64>,
    /// Weights, positive, of sum 2; length N + 1.
    pub weights: Vec<f64>,
}

impl Gll {
    /// The rule of a given degree, to round-off.
    ///
    /// The points are the zeros of (1 - x²) P'_N(x), the weights 2 / (N (N + 1) P_N(x)²).
    ///
    /// # Errors
    /// [`NumericsError::Degree`] unless 1 <= degree <= [`MAX_DEGREE`].
    ///
    /// # Source
    /// Abramowitz and Stegun (1964), 25.4.32.
    pub fn new(degree: usize) -> Result<Self, NumericsError> {
        check("the polynomial degree", degree, MAX_DEGREE)?;
        let n = degree as f64;
        let zero_near = |guess: f64| {
            (0..NEWTON_STEPS).fold(guess, |x, _| {
                let (p, p_below) = legendre(degree, x);
                x - (x * p - p_below) / ((n + 1.0) * p)
            })
        };
        let points = symmetric(degree + 1, |i| match i {
            0 => -1.0,
            _ => zero_near(-(std::f64::consts::PI * i as f64 / n).cos()),
        });
        let weights = points.iter().map(|&x| 2.0 / (n * (n + 1.0) * legendre(degree, x).0.powi(2))).collect();
        Ok(Self { degree, points, weights })
    }
}

/// Gauss-Legendre rule: interior points only; exact for polynomials up to degree `2 * points.len() - 1`.
#[derive(Debug, Clone, PartialEq)]
pub struct Gauss {
    /// Points inside (-1, 1), ascending, exactly symmetric.
    pub points: Vec<f64>,
    /// Weights, positive, of sum 2.
    pub weights: Vec<f64>,
}

/// The Gauss-Legendre rule of `count` points, to round-off.
///
/// The points are the zeros of P_n, the weights 2 / ((1 - x²) P'_n(x)²).
///
/// # Errors
/// [`NumericsError::Degree`] unless 1 <= count <= [`MAX_GAUSS_POINTS`].
///
/// # Source
/// Abramowitz and Stegun (1964), 25.4.29.
pub fn gauss(count: usize) -> Result<Gauss, NumericsError> {
    check("the number of Gauss points", count, MAX_GAUSS_POINTS)?;
    let n = count as f64;
    let slope = |x: f64| {
        let (p, p_below) = legendre(count, x);
        (p, n * (x * p - p_below) / (x * x - 1.0))
    };
    let points = symmetric(count, |i| {
        let guess = -(std::f64::consts::PI * (i as f64 + 0.75) / (n + 0.5)).cos();
        (0..NEWTON_STEPS).fold(guess, |x, _| {
            let (p, dp) = slope(x);
            x - p / dp
        })
    });
    let weights = points.iter().map(|&x| 2.0 / ((1.0 - x * x) * slope(x).1.powi(2))).collect();
    Ok(Gauss { points, weights })
}

fn check(what: &'static str, value: usize, max: usize) -> Result<(), NumericsError> {
    if (1..=max).contains(&value) { Ok(()) } else { Err(NumericsError::Degree { what, value, min: 1, max }) }
}

/// Ascending points: the left half is computed and mirrored, so that the points are exactly symmetric.
fn symmetric(count: usize, left: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut points = vec![0.0; count];
    for i in 0..count / 2 {
        points[i] = left(i);
        points[count - 1 - i] = -points[i];
    }
    points
}

/// Legendre polynomials (P_n(x), P_{n-1}(x)), n >= 1, by Bonnet's recursion.
fn legendre(n: usize, x: f64) -> (f64, f64) {
    (2..=n).fold((x, 1.0), |(p, p_below), k| {
        let k = k as f64;
        (((2.0 * k - 1.0) * x * p - (k - 1.0) * p_below) / k, p)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Largest error of a rule over all monomials up to `degree`.
    fn monomial_error(points: &[f64], weights: &[f64], degree: usize) -> f64 {
        (0..=degree)
            .map(|power| {
                let sum: f64 = points.iter().zip(weights).map(|(x, w)| w * x.powi(power as i32)).sum();
                let exact = if power % 2 == 0 { 2.0 / (power as f64 + 1.0) } else { 0.0 };
                (sum - exact).abs()
            })
            .fold(0.0, f64::max)
    }

    #[test]
    fn gll_has_the_closed_form_points_and_weights() {
        let four = Gll::new(4).unwrap();
        let inner = (3.0_f64 / 7.0).sqrt();
        assert_eq!(four.points, [-1.0, -inner, 0.0, inner, 1.0]);
        for (weight, exact) in four.weights.iter().zip([0.1, 49.0 / 90.0, 32.0 / 45.0, 49.0 / 90.0, 0.1]) {
            assert!((weight - exact).abs() < 2e-16, "{weight} {exact}");
        }
        assert_eq!(Gll::new(1).unwrap().points, [-1.0, 1.0]);
        assert_eq!(Gll::new(2).unwrap().points, [-1.0, 0.0, 1.0]);
    }

    #[test]
    fn gll_integrates_every_polynomial_it_must_and_no_more() {
        for degree in 1..=MAX_DEGREE {
            let gll = Gll::new(degree).unwrap();
            assert!(monomial_error(&gll.points, &gll.weights, 2 * degree - 1) < 1e-15, "degree {degree}");
            assert!(monomial_error(&gll.points, &gll.weights, 2 * degree) > 1e-7, "degree {degree}");
            assert!(gll.points.is_sorted_by(|a, b| a < b));
        }
    }

    #[test]
    fn gauss_integrates_every_polynomial_it_must() {
        for count in 1..=MAX_GAUSS_POINTS {
            let rule = gauss(count).unwrap();
            assert!(monomial_error(&rule.points, &rule.weights, 2 * count - 1) < 4e-15, "{count} points");
            assert!(rule.points.is_sorted_by(|a, b| a < b));
        }
        assert!((gauss(2).unwrap().points[1] - 1.0 / 3.0_f64.sqrt()).abs() < 2e-16);
    }

    #[test]
    fn degrees_out_of_range_are_refused_with_the_range() {
        for degree in [0, 11] {
            let message = Gll::new(degree).unwrap_err().to_string();
            assert!(message.contains(&degree.to_string()) && message.contains("between 1 and 10"), "{message}");
        }
        assert!(gauss(0).is_err() && gauss(65).is_err());
    }
}
