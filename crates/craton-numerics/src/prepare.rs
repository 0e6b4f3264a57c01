//! Preparation of a trace for filtering: removal of mean and trend, tapering.

use std::f64::consts::PI;

use crate::error::{NumericsError, at_least, finite};

/// Removes the mean of a trace.
///
/// # Errors
/// An empty trace, a sample that is not finite.
pub fn demeaned(samples: &[f64]) -> Result<Vec<f64>, NumericsError> {
    at_least("the trace", samples.len(), 1)?;
    finite("the trace", samples)?;
    let mean = samples.iter().sum::<f64>() / samples.len() as f64;
    Ok(samples.iter().map(|value| value - mean).collect())
}

/// Removes the least-squares line of a trace.
///
/// # Errors
/// Fewer than two samples, or one that is not finite. Verified by `prepare::tests::detrending_removes_a_line_and_keeps_symmetric_shapes`.
pub fn detrended(samples: &[f64]) -> Result<Vec<f64>, NumericsError> {
    at_least("the trace to be detrended", samples.len(), 2)?;
    let rest = demeaned(samples)?;
    let count = samples.len() as f64;
    let middle = 0.5 * (count - 1.0);
    let moment: f64 = rest.iter().enumerate().map(|(n, value)| (n as f64 - middle) * value).sum();
    let slope = moment * 12.0 / (count * (count * count - 1.0));
    Ok(rest.iter().enumerate().map(|(n, value)| value - slope * (n as f64 - middle)).collect())
}

/// Tapers a trace to zero at both ends by half a period of a cosine.
///
/// # Arguments
/// * `fraction` – tapered fraction of the trace at each end, above 0 and up to 0.5
/// # Errors
/// A fraction out of range, an empty trace, a sample that is not finite.
/// Verified by `prepare::tests::a_taper_is_zero_at_the_ends_and_one_between`.
pub fn tapered(samples: &[f64], fraction: f64) -> Result<Vec<f64>, NumericsError> {
    check_taper(fraction)?;
    at_least("the trace to be tapered", samples.len(), 2)?;
    finite("the trace", samples)?;
    let last = samples.len() - 1;
    let length = fraction * last as f64;
    let weight = |n: usize| {
        let from_end = n.min(last - n) as f64;
        if from_end < length { 0.5 - 0.5 * (PI * from_end / length).cos() } else { 1.0 }
    };
    Ok(samples.iter().enumerate().map(|(n, value)| weight(n) * value).collect())
}

/// Checks the tapered fraction at each end.
///
/// # Errors
/// [`NumericsError::OutOfRange`] for one that is not above 0 and up to 0.5.
pub fn check_taper(fraction: f64) -> Result<(), NumericsError> {
    if fraction > 0.0 && fraction <= 0.5 {
        return Ok(());
    }
    let what = "the tapered fraction of the trace at each end";
    Err(NumericsError::OutOfRange { what, value: fraction, min: 0.0, max: 0.5 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mean_is_removed() {
        assert_eq!(demeaned(&[1.0, 2.0, 6.0]).unwrap(), [-2.0, -1.0, 3.0]);
        assert!(demeaned(&[]).is_err() && demeaned(&[f64::NAN]).is_err());
    }

    #[test]
    fn detrending_removes_a_line_and_keeps_symmetric_shapes() {
        let line: Vec<f64> = (0..1001).map(|n| 3.0 - 0.25 * f64::from(n)).collect();
        assert!(detrended(&line).unwrap().iter().all(|value| value.abs() < 1e-11));
        // Around the middle, so without a slope; the line adds one, which is all that goes away but the mean.
        let bump = |n: i32| (-0.001 * f64::from(n - 500).powi(2)).exp();
        let mean = (0..1001).map(bump).sum::<f64>() / 1001.0;
        let sum: Vec<f64> = (0..1001).map(|n| bump(n) + line[n as usize]).collect();
        for (n, value) in (0..1001).zip(detrended(&sum).unwrap()) {
            assert!((value - (bump(n) - mean)).abs() < 1e-11, "sample {n}");
        }
        assert!(detrended(&[1.0]).is_err());
    }

    #[test]
    fn a_taper_is_zero_at_the_ends_and_one_between() {
        let tapered_ones = tapered(&[2.0; 101], 0.1).unwrap();
        for (n, expected) in [(0, 0.0), (5, 1.0), (10, 2.0), (50, 2.0), (90, 2.0), (95, 1.0), (100, 0.0)] {
            assert!((tapered_ones[n] - expected).abs() < 1e-15, "sample {n}: {}", tapered_ones[n]);
        }
        for fraction in [0.0, -0.1, 0.51, f64::NAN] {
            let message = tapered(&[1.0; 9], fraction).unwrap_err().to_string();
            assert!(message.contains("must lie between 0 and 0.5"), "{message}");
        }
    }
}
