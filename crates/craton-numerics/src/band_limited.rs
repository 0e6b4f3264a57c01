//! Band-limited resampling of uniform samples to another interval.
//!
//! The samples represent a band-limited signal, a sum of sinc functions. A Kaiser window makes the sum finite, and a cutoff below the lower of the two Nyquist
//! frequencies prevents aliasing. The kernel is symmetric, so phases are preserved.
//!
//! # Source
//! Oppenheim and Schafer (2010), Discrete-Time Signal Processing, sections 4.6 and 7.6; the window's shape and length by Kaiser (1974).

use std::f64::consts::PI;

use craton_fft::{Complex64, RealPlanner};

use crate::bessel::bessel_i0;
use crate::error::{NumericsError, at_least, finite, positive, within};
use crate::nufft::fast_even_length;

/// Pass band as a fraction of the lower Nyquist frequency. Below it amplitudes are preserved to 1e-5; above the Nyquist frequency they are below 1e-5.
pub const PASSED: f64 = 0.8;
/// Largest upsampling factor.
pub const FINEST: f64 = 1000.0;

/// Shape of the Kaiser window for 100 dB: 0.1102 (100 - 8.7).
const SHAPE: f64 = 10.061;
/// Half length of the kernel in samples of the coarser interval: (100 - 8) / (2 · 2.285 π (1 - PASSED)), and a little more.
const HALF_LENGTH: f64 = 33.0;
/// Tolerance of equal positions, in samples.
const EQUAL: f64 = 1e-12;

/// Number of samples that remain when every `factor`th of `count` samples is kept.
///
/// # Errors
/// Fewer than three samples, a factor below 2 or one that leaves a single sample.
pub fn decimated_count(count: usize, factor: usize) -> Result<usize, NumericsError> {
    at_least("the trace to be decimated", count, 3)?;
    let most = count - 1;
    if !(2..=most).contains(&factor) {
        return Err(NumericsError::Degree { what: "the decimation factor", value: factor, min: 2, max: most });
    }
    Ok(most / factor + 1)
}

/// Keeps every `factor`th sample after a zero-phase anti-alias filter.
///
/// Frequencies up to [`PASSED`] of the new Nyquist frequency keep their amplitude to 1e-5, those beyond the new Nyquist frequency are below 1e-5. The trace is
/// extended by its constant first and last values, and a constant is preserved to round-off.
///
/// # Errors
/// As [`decimated_count`]; a sample that is not finite.
/// Verified by `processing::decimation_has_the_stated_pass_and_stop_bands` and `processing::resampling_keeps_a_static_offset`.
pub fn decimated(samples: &[f64], factor: usize) -> Result<Vec<f64>, NumericsError> {
    let count = decimated_count(samples.len(), factor)?;
    finite("the trace", samples)?;
    Ok(at_ratio(samples, factor as f64, count))
}

/// Number of samples at another interval [s] within the duration of `count` samples.
///
/// # Arguments
/// * `count` – number of samples, at least two
/// * `dt`, `interval` – old and new interval [s]
/// # Errors
/// Fewer than two samples, an old interval that is not positive, a new one below dt / [`FINEST`] or longer than the trace.
pub fn resampled_count(count: usize, dt: f64, interval: f64) -> Result<usize, NumericsError> {
    positive("the sampling interval", dt)?;
    at_least("the trace to be resampled", count, 2)?;
    within("the new sampling interval", interval, dt / FINEST, (count - 1) as f64 * dt)?;
    // Intervals are often decimal fractions: differences of a billionth of a sample are round-off.
    Ok(((count - 1) as f64 * dt / interval + 1e-9).floor() as usize + 1)
}

/// Resamples a trace to another interval, starting at its first sample.
///
/// Frequencies up to [`PASSED`] of the lower of both Nyquist frequencies keep amplitude and phase to 1e-5, those beyond it are below 1e-5. The ends are treated
/// as in [`decimated`]. Resampling to the same interval returns the trace unchanged.
///
/// # Errors
/// As [`resampled_count`]; a sample that is not finite.
/// Verified by `processing::sinusoids_are_resampled_to_one_in_a_hundred_thousand` and `processing::resampling_keeps_a_static_offset`.
pub fn resampled(samples: &[f64], dt: f64, interval: f64) -> Result<Vec<f64>, NumericsError> {
    let count = resampled_count(samples.len(), dt, interval)?;
    finite("the trace", samples)?;
    let ratio = interval / dt;
    if (ratio - 1.0).abs() <= EQUAL {
        return Ok(samples.to_vec());
    }
    Ok(at_ratio(samples, ratio, count))
}

/// Interpolates a pulse to a whole number of times as many samples, from the first to the last one.
///
/// The pulse is zero before and after the samples. The values between them are those of its trigonometric polynomial, with all frequencies up to the Nyquist
/// frequency. The samples themselves are preserved to round-off.
///
/// # Errors
/// Fewer than two samples, a factor of 0 or above [`FINEST`]; a sample that is not finite.
/// Verified by `band_limited::tests::refined_pulses_are_exact_below_the_nyquist_frequency`.
pub fn refined(samples: &[f64], factor: usize) -> Result<Vec<f64>, NumericsError> {
    at_least("the pulse to be refined", samples.len(), 2)?;
    finite("the pulse", samples)?;
    let most = FINEST as usize;
    if !(1..=most).contains(&factor) {
        return Err(NumericsError::Degree { what: "the factor of refinement", value: factor, min: 1, max: most });
    }
    if factor == 1 {
        return Ok(samples.to_vec());
    }
    let length = fast_even_length(2 * samples.len());
    let mut planner = RealPlanner::new();
    let (forward, inverse) = (planner.forward(length), planner.inverse(factor * length));
    let mut padded = samples.to_vec();
    padded.resize(length, 0.0);
    let mut spectrum = forward.make_output_vec();
    forward.process(&mut padded, &mut spectrum).expect("the buffers have the plan's lengths");
    // Half of the amplitude at the Nyquist frequency has the negative frequency.
    spectrum[length / 2] *= 0.5;
    spectrum.resize(inverse.complex_len(), Complex64::ZERO);
    let mut fine = inverse.make_output_vec();
    inverse.process(&mut spectrum, &mut fine).expect("the spectrum is real at both ends");
    fine.truncate((samples.len() - 1) * factor + 1);
    fine.iter_mut().for_each(|value| *value /= length as f64);
    Ok(fine)
}

/// Values at 0, ratio, 2 ratio, ... samples.
fn at_ratio(samples: &[f64], ratio: f64, count: usize) -> Vec<f64> {
    let last = samples.len() - 1;
    let mut known: Option<(f64, Kernel)> = None;
    let value = |k: usize| {
        let position = k as f64 * ratio;
        let fraction = position - position.floor();
        // For an integer ratio all fractions, and so the weights, are the same.
        if known.as_ref().is_none_or(|(before, _)| (before - fraction).abs() > EQUAL) {
            known = Some((fraction, Kernel::new(fraction, ratio)));
        }
        let (_, kernel) = known.as_ref().expect("it has just been made");
        let first = position.floor() as i64 + kernel.first;
        let sample = |i: i64| samples[i.clamp(0, last as i64) as usize];
        kernel.weights.iter().zip(first..).map(|(weight, i)| weight * sample(i)).sum()
    };
    (0..count).map(value).collect()
}

/// Weights of the samples from `first` on, counted from the one before the position.
struct Kernel {
    first: i64,
    weights: Vec<f64>,
}

impl Kernel {
    /// Weights for a position `fraction` of an interval after a sample, 0 <= fraction < 1.
    fn new(fraction: f64, ratio: f64) -> Self {
        let coarser = ratio.max(1.0);
        // Twice the corner, in the middle of the transition, in cycles per sample.
        let corner = 0.5 * (1.0 + PASSED) / coarser;
        let half_length = HALF_LENGTH * coarser;
        let first = (fraction - half_length).ceil() as i64;
        let last = (fraction + half_length).floor() as i64;
        let weight = |i: i64| {
            let distance = i as f64 - fraction;
            let window = bessel_i0(SHAPE * (1.0 - (distance / half_length).powi(2)).max(0.0).sqrt());
            sinc(corner * distance) * window
        };
        let weights: Vec<f64> = (first..=last).map(weight).collect();
        let sum: f64 = weights.iter().sum();
        Self { first, weights: weights.iter().map(|weight| weight / sum).collect() }
    }
}

/// sin(π x) / (π x).
fn sinc(x: f64) -> f64 {
    if x == 0.0 { 1.0 } else { (PI * x).sin() / (PI * x) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_factors_and_intervals_are_refused() {
        for factor in [0, 1, 100] {
            let message = decimated(&[0.0; 100], factor).unwrap_err().to_string();
            assert!(message.contains(&format!("is {factor}, but must lie between 2 and 99")), "{message}");
        }
        assert!(decimated(&[0.0; 2], 2).is_err() && decimated(&[0.0, f64::NAN, 0.0], 2).is_err());
        for interval in [0.0, -1.0, 9e-6, 0.991, f64::NAN] {
            let message = resampled(&[0.0; 100], 0.01, interval).unwrap_err().to_string();
            assert!(message.contains("must lie between 0.00001 and 0.99"), "{message}");
        }
    }

    #[test]
    fn refined_pulses_are_exact_below_the_nyquist_frequency() {
        // A Gaussian of 1.5 samples has 1e-5 of its spectrum beyond the Nyquist frequency.
        let pulse = |t: f64| (-0.5 * ((t - 21.3) / 1.5).powi(2)).exp();
        let samples: Vec<f64> = (0..45).map(|n| pulse(f64::from(n))).collect();
        let fine = refined(&samples, 7).unwrap();
        assert_eq!(fine.len(), 44 * 7 + 1);
        for (n, value) in fine.iter().enumerate() {
            let expected = pulse(n as f64 / 7.0);
            assert!((value - expected).abs() < 2e-5, "{n}: {value} instead of {expected}");
        }
        for (n, value) in samples.iter().enumerate() {
            assert!((fine[7 * n] - value).abs() < 1e-14);
        }
        assert_eq!(refined(&samples, 1).unwrap(), samples);
        assert!(refined(&samples, 0).is_err() && refined(&[1.0], 2).is_err());
    }

    #[test]
    fn counts_are_those_of_the_whole_intervals_that_fit() {
        assert_eq!((decimated_count(100, 5), decimated_count(101, 5)), (Ok(20), Ok(21)));
        for (interval, count) in [(0.1, 31), (0.3, 11), (0.05, 61), (3.0, 2), (1.6, 2)] {
            assert_eq!(resampled_count(31, 0.1, interval), Ok(count), "{interval}");
            assert_eq!(resampled(&[1.5; 31], 0.1, interval).unwrap().len(), count);
        }
    }
}
