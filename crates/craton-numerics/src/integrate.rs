//! Integration and differentiation of uniform samples: the leapfrog's sums and differences, and cubic splines.

use crate::error::{NumericsError, finite, positive};
use crate::resample::{CubicSpline, SplineEnd};

/// Running sum y\[n\] = dt Σ_{j <= n} x\[j\]: the integral consistent with the leapfrog, half a step later than its input.
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

/// Difference y\[n\] = (x\[n\] - x\[n-1\]) / dt with x\[-1\] = 0: the derivative consistent with the leapfrog, half a step earlier than its input.
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

/// Integral of the cubic spline through the samples, at the samples; zero at the first one.
///
/// Fourth order: the relative error of a sinusoid of angular frequency ω is (ω dt)⁴ / 720, compared with (ω dt)² / 12 for the trapezoidal rule.
///
/// # Errors
/// Fewer than four samples, one that is not finite, a `dt` that is not positive.
/// Verified by `integrate::tests::sinusoids_are_integrated_and_differentiated_to_the_stated_accuracy`.
pub fn integral(samples: &[f64], dt: f64) -> Result<Vec<f64>, NumericsError> {
    Ok(CubicSpline::new(0.0, dt, samples, SplineEnd::NotAKnot)?.integral())
}

/// Derivative of the cubic spline through the samples, at the samples.
///
/// Fourth order: the relative error of a sinusoid of angular frequency ω is (ω dt)⁴ / 180, compared with (ω dt)² / 6 for central differences. At the first and
/// last few samples the order is three.
///
/// # Errors
/// Fewer than four samples, one that is not finite, a `dt` that is not positive.
/// Verified by `integrate::tests::sinusoids_are_integrated_and_differentiated_to_the_stated_accuracy` and
/// `integrate::tests::integral_and_derivative_are_inverse`.
pub fn derivative(samples: &[f64], dt: f64) -> Result<Vec<f64>, NumericsError> {
    Ok(CubicSpline::new(0.0, dt, samples, SplineEnd::NotAKnot)?.derivative())
}

fn check(samples: &[f64], dt: f64) -> Result<(), NumericsError> {
    positive("the sampling interval", dt)?;
    finite("the trace", samples)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;

    #[test]
    fn difference_undoes_the_running_sum() {
        let samples = [1.0, -2.0, 0.5, 4.0];
        assert_eq!(running_sum(&samples, 0.5).unwrap(), [0.5, -0.5, -0.25, 1.75]);
        assert_eq!(difference(&running_sum(&samples, 0.5).unwrap(), 0.5).unwrap(), samples);
    }

    #[test]
    fn sinusoids_are_integrated_and_differentiated_to_the_stated_accuracy() {
        for per_period in [20.0, 40.0, 80.0] {
            let (dt, omega) = (0.1, TAU / (0.1 * per_period));
            let wave: Vec<f64> = (0..801).map(|n| (omega * dt * f64::from(n)).sin()).collect();
            let (sum, slope) = (integral(&wave, dt).unwrap(), derivative(&wave, dt).unwrap());
            // Away from the ends. Differences over half periods cancel the integration constant.
            let half = (per_period / 2.0) as usize;
            let quarter = half / 2;
            let (there, back) = (200 / half * half, 200 / half * half + half);
            let exact = 2.0 / omega * (omega * dt * there as f64).cos();
            let error = ((sum[back] - sum[there]) / exact - 1.0).abs();
            let stated = (omega * dt).powi(4) / 720.0;
            assert!((error / stated - 1.0).abs() < 0.05, "{per_period}: {error:e}, stated {stated:e}");
            let crest = slope[there] / (omega * (omega * dt * there as f64).cos());
            let stated = (omega * dt).powi(4) / 180.0;
            assert!(((crest - 1.0).abs() / stated - 1.0).abs() < 0.1, "{per_period}: {crest}, stated {stated:e}");
            assert!(slope[there + quarter].abs() < 1e-9 * omega);
        }
    }

    #[test]
    fn integral_and_derivative_are_inverse() {
        let dt = 0.05;
        let pulse = |n: i32| (-(f64::from(n) * dt - 10.0).powi(2)).exp();
        let samples: Vec<f64> = (0..401).map(pulse).collect();
        let largest = |a: &[f64]| a.iter().zip(&samples).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        let there = integral(&samples, dt).unwrap();
        assert!((there[400] - std::f64::consts::PI.sqrt()).abs() < 1e-12, "{}", there[400]);
        let back = largest(&derivative(&there, dt).unwrap());
        assert!(back < 1e-6, "{back:e}");
        let back = largest(&integral(&derivative(&samples, dt).unwrap(), dt).unwrap());
        assert!(back < 1e-6, "{back:e}");
    }

    #[test]
    fn cubics_are_exact() {
        let t = |n: i32| f64::from(n) * 0.25 - 1.0;
        let samples: Vec<f64> = (0..9).map(|n| t(n).powi(3) - 2.0 * t(n)).collect();
        let exact = |t: f64| 0.25 * t.powi(4) - t * t;
        let (sum, slope) = (integral(&samples, 0.25).unwrap(), derivative(&samples, 0.25).unwrap());
        for n in 0..9 {
            assert!((sum[n as usize] - (exact(t(n)) - exact(-1.0))).abs() < 1e-14);
            assert!((slope[n as usize] - (3.0 * t(n).powi(2) - 2.0)).abs() < 1e-13);
        }
        assert!(integral(&[0.0; 3], 1.0).is_err() && derivative(&[0.0, f64::NAN, 0.0, 0.0], 1.0).is_err());
    }

    #[test]
    fn bad_samples_and_intervals_are_refused() {
        assert!(running_sum(&[], 1.0).unwrap().is_empty());
        assert!(matches!(running_sum(&[0.0, f64::NAN], 1.0), Err(NumericsError::NotFinite { index: 1, .. })));
        assert!(difference(&[0.0], 0.0).is_err());
    }
}
