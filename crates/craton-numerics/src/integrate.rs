//! Sums and differences of uniform samples.

use crate::error::{NumericsError, finite, positive};

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
    fn difference_undoes_the_running_sum() {
        let samples = [1.0, -2.0, 0.5, 4.0];
        assert_eq!(running_sum(&samples, 0.5).unwrap(), [0.5, -0.5, -0.25, 1.75]);
        assert_eq!(difference(&running_sum(&samples, 0.5).unwrap(), 0.5).unwrap(), samples);
    }

    #[test]
    fn bad_samples_and_intervals_are_refused() {
        assert!(running_sum(&[], 1.0).unwrap().is_empty());
        assert!(matches!(running_sum(&[0.0, f64::NAN], 1.0), Err(NumericsError::NotFinite { index: 1, .. })));
        assert!(difference(&[0.0], 0.0).is_err());
    }
}
