//! Sums and differences of uniform samples.

use crate::error::{NumericsError, finite, positive};

/// Running integral by the trapezoidal rule: zero at the first sample, of second order in `dt`.
///
/// # Arguments
/// * `samples` – the integrand
/// * `dt` – sampling interval [s]
/// # Returns
/// The integral up to each sample; same length.
/// # Errors
/// A `dt` that is not positive, a sample that is not finite.
pub fn cumulative_trapezoid(samples: &[f64], dt: f64) -> Result<Vec<f64>, NumericsError> {
    check(samples, dt)?;
    let mut integral = Vec::with_capacity(samples.len());
    integral.extend(samples.first().map(|_| 0.0));
    for (n, pair) in samples.windows(2).enumerate() {
        integral.push(integral[n] + 0.5 * dt * (pair[0] + pair[1]));
    }
    Ok(integral)
}

/// Running sum y\[n\] = dt Σ_{j <= n} x\[j\]: the leapfrog's own integral, half a step later than its input.
///
/// Velocities at half steps n + 1/2 become displacements at whole steps n + 1. The inverse of [`difference`].
///
/// # Errors
/// A `dt` that is not positive, a sample that is not finite.
pub fn running_sum(samples: &[f64], dt: f64) -> Result<Vec<f64>, NumericsError> {
    check(samples, dt)?;
    let mut total = 0.0;
    Ok(samples
        .iter()
        .map(|&value| {
            total += dt * value;
            total
        })
        .collect())
}

/// Difference y\[n\] = (x\[n\] - x\[n-1\]) / dt with x\[-1\] = 0: the leapfrog's own derivative, half a step earlier than its input.
///
/// Velocities at half steps n + 1/2 become accelerations at whole steps n. The inverse of [`running_sum`].
///
/// # Errors
/// A `dt` that is not positive, a sample that is not finite.
pub fn difference(samples: &[f64], dt: f64) -> Result<Vec<f64>, NumericsError> {
    check(samples, dt)?;
    let mut before = 0.0;
    Ok(samples.iter().map(|&value| (value - std::mem::replace(&mut before, value)) / dt).collect())
}

fn check(samples: &[f64], dt: f64) -> Result<(), NumericsError> {
    positive("the sampling interval", dt)?;
    finite("the trace", samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trapezoid_is_exact_on_straight_lines_and_of_second_order_otherwise() {
        let line: Vec<f64> = (0..5).map(|n| 3.0 + 2.0 * f64::from(n)).collect();
        assert_eq!(cumulative_trapezoid(&line, 1.0).unwrap(), [0.0, 4.0, 10.0, 18.0, 28.0]);
        let error = |count: u32| {
            let dt = 1.0 / f64::from(count);
            let wave: Vec<f64> = (0..=count).map(|n| (f64::from(n) * dt).cos()).collect();
            (cumulative_trapezoid(&wave, dt).unwrap().last().unwrap() - 1.0_f64.sin()).abs()
        };
        let order = (error(50) / error(100)).log2();
        assert!((order - 2.0).abs() < 0.01, "observed order {order}");
    }

    #[test]
    fn difference_undoes_the_running_sum() {
        let samples = [1.0, -2.0, 0.5, 4.0];
        assert_eq!(running_sum(&samples, 0.5).unwrap(), [0.5, -0.5, -0.25, 1.75]);
        assert_eq!(difference(&running_sum(&samples, 0.5).unwrap(), 0.5).unwrap(), samples);
    }

    #[test]
    fn bad_samples_and_intervals_are_refused() {
        assert!(cumulative_trapezoid(&[], 1.0).unwrap().is_empty());
        assert!(matches!(running_sum(&[0.0, f64::NAN], 1.0), Err(NumericsError::NotFinite { index: 1, .. })));
        assert!(difference(&[0.0], 0.0).is_err());
    }
}
