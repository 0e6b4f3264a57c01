//! Misfits between seismograms: absolute amplitudes, all components combined.
//!
//! Every function takes the components of a test and of a reference, each a slice of traces of equal sampling; a NaN or an infinity in
//! any of them is an error, never a misfit.

use craton_fft::RealPlanner;

use crate::error::{NumericsError, at_least, finite, positive};
use crate::nufft::fast_even_length;

/// Misfit measures of a test against a reference, for amplitude and phase.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Misfit {
    /// See [`relative_l2`].
    pub relative_l2: f64,
    /// See [`normalised_rms`].
    pub normalised_rms: f64,
    /// See [`amplitude_ratio`].
    pub amplitude_ratio: f64,
    /// See [`time_shift`] [s].
    pub time_shift: f64,
}

impl Misfit {
    /// Computes all misfit measures of a test against a reference.
    ///
    /// # Arguments
    /// * `test`, `reference` – components, each a trace
    /// * `dt` – sampling interval [s]
    /// # Errors
    /// Those of [`time_shift`].
    pub fn new(test: &[&[f64]], reference: &[&[f64]], dt: f64) -> Result<Self, NumericsError> {
        Ok(Self {
            relative_l2: relative_l2(test, reference)?,
            normalised_rms: normalised_rms(test, reference)?,
            amplitude_ratio: amplitude_ratio(test, reference)?,
            time_shift: time_shift(test, reference, dt)?,
        })
    }
}

/// Relative L2 misfit √(Σ (test - reference)² / Σ reference²) over all components and samples.
///
/// # Errors
/// Different numbers of components or samples, no samples, a sample that is not finite, or a reference that is zero everywhere.
pub fn relative_l2(test: &[&[f64]], reference: &[&[f64]]) -> Result<f64, NumericsError> {
    check(test, reference)?;
    let error = sum_of_products(test, reference, |t, r| (t - r) * (t - r));
    Ok((error / energy("the reference", reference)?).sqrt())
}

/// RMS difference divided by the peak of the reference: √(Σ (test - reference)² / N) / max |reference|, over all components and their N samples.
///
/// Compared with [`relative_l2`] it is small for a short pulse in a long trace.
///
/// # Errors
/// Those of [`relative_l2`].
///
/// Verified by `misfit::tests::normalised_rms_is_over_the_peak`.
pub fn normalised_rms(test: &[&[f64]], reference: &[&[f64]]) -> Result<f64, NumericsError> {
    check(test, reference)?;
    energy("the reference", reference)?;
    let count: usize = test.iter().map(|trace| trace.len()).sum();
    let error = sum_of_products(test, reference, |t, r| (t - r) * (t - r));
    let peak = reference.iter().copied().flatten().fold(0.0, |peak: f64, sample| peak.max(sample.abs()));
    Ok((error / count as f64).sqrt() / peak)
}

/// The factor a that minimises Σ (test - a reference)²: one when the amplitudes agree.
///
/// A time shift lowers it: align the traces first, or interpret it together with [`time_shift`].
///
/// # Errors
/// Those of [`relative_l2`].
pub fn amplitude_ratio(test: &[&[f64]], reference: &[&[f64]]) -> Result<f64, NumericsError> {
    check(test, reference)?;
    Ok(sum_of_products(test, reference, |t, r| t * r) / energy("the reference", reference)?)
}

/// Delay of the test relative to the reference, from the maximum of the cross-correlation summed over components.
///
/// A parabola through the maximum and its neighbours refines it to a small fraction of a sample for well-sampled traces.
///
/// # Arguments
/// * `test`, `reference` – components, each a trace
/// * `dt` – sampling interval [s]
/// # Returns
/// The shift [s], positive when the test is late.
/// # Errors
/// Those of [`relative_l2`]; a `dt` that is not positive; a test that is zero throughout.
pub fn time_shift(test: &[&[f64]], reference: &[&[f64]], dt: f64) -> Result<f64, NumericsError> {
    check(test, reference)?;
    positive("the sampling interval", dt)?;
    energy("the test", test)?;
    energy("the reference", reference)?;
    let count = test[0].len() as isize;
    let correlation = cross_correlation(test, reference);
    let period = correlation.len() as isize;
    let at = |lag: isize| correlation[lag.rem_euclid(period) as usize];
    let best = (1 - count..count).max_by(|&a, &b| at(a).total_cmp(&at(b))).expect("there is at least one lag");
    let curvature = at(best - 1) - 2.0 * at(best) + at(best + 1);
    let refined = if curvature < 0.0 { 0.5 * (at(best - 1) - at(best + 1)) / curvature } else { 0.0 };
    Ok((best as f64 + refined) * dt)
}

/// Σ_n test\[n + lag\] reference\[n\], summed over components, at every lag; negative lags are at the end of the period.
fn cross_correlation(test: &[&[f64]], reference: &[&[f64]]) -> Vec<f64> {
    let longest = test.iter().map(|trace| trace.len()).max().unwrap_or(0);
    let mut planner = RealPlanner::new();
    let forward = planner.forward(fast_even_length(2 * longest + 1));
    let inverse = planner.inverse(forward.len());
    let spectrum = |trace: &[f64]| {
        let mut padded = trace.to_vec();
        padded.resize(forward.len(), 0.0);
        let mut output = forward.make_output_vec();
        forward.process(&mut padded, &mut output).expect("the buffers have the plan's lengths");
        output
    };
    let mut product = inverse.make_input_vec();
    for (test, reference) in test.iter().zip(reference) {
        for ((sum, t), r) in product.iter_mut().zip(spectrum(test)).zip(spectrum(reference)) {
            *sum += t * r.conj();
        }
    }
    let mut correlation = inverse.make_output_vec();
    inverse.process(&mut product, &mut correlation).expect("products of spectra of real traces are real at both ends");
    correlation
}

fn sum_of_products(test: &[&[f64]], reference: &[&[f64]], term: impl Fn(f64, f64) -> f64) -> f64 {
    let pairs = test.iter().zip(reference).flat_map(|(test, reference)| test.iter().zip(*reference));
    pairs.map(|(&t, &r)| term(t, r)).sum()
}

fn energy(what: &'static str, traces: &[&[f64]]) -> Result<f64, NumericsError> {
    let energy = sum_of_products(traces, traces, |a, b| a * b);
    if energy > 0.0 { Ok(energy) } else { Err(NumericsError::ZeroTrace { what }) }
}

fn check(test: &[&[f64]], reference: &[&[f64]]) -> Result<(), NumericsError> {
    let equal = |what, test, reference| match test == reference {
        true => Ok(()),
        false => Err(NumericsError::LengthMismatch { what, test, reference }),
    };
    equal("number of components", test.len(), reference.len())?;
    at_least("the comparison", test.iter().map(|trace| trace.len()).sum(), 1)?;
    for (test, reference) in test.iter().zip(reference) {
        equal("number of samples", test.len(), reference.len())?;
        finite("the test", test)?;
        finite("the reference", reference)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pulse(count: usize, centre: f64) -> Vec<f64> {
        (0..count).map(|n| (-0.5 * ((n as f64 - centre) / 10.0).powi(2)).exp()).collect()
    }

    #[test]
    fn l2_sees_amplitude_over_all_components_together() {
        let (x, y) = ([3.0, 0.0], [0.0, 4.0]);
        assert_eq!(relative_l2(&[&x, &y], &[&x, &y]).unwrap(), 0.0);
        // An error of 0.5 on one component against a norm of 5 over both.
        assert!((relative_l2(&[&[3.5, 0.0], &y], &[&x, &y]).unwrap() - 0.1).abs() < 1e-15);
    }

    #[test]
    fn normalised_rms_is_over_the_peak() {
        // A difference of 0.5 at one of four samples: a mean square of 1/16, a peak of 4.
        let found = normalised_rms(&[&[3.5, 0.0], &[0.0, -4.0]], &[&[3.0, 0.0], &[0.0, -4.0]]).unwrap();
        assert!((found - 0.25 / 4.0).abs() < 1e-15, "{found}");
        assert!(normalised_rms(&[&[1.0]], &[&[0.0]]).is_err());
    }

    #[test]
    fn amplitude_ratio_is_the_factor_between_equal_shapes() {
        let trace = pulse(100, 40.0);
        let twice: Vec<f64> = trace.iter().map(|x| -2.0 * x).collect();
        assert!((amplitude_ratio(&[&twice], &[&trace]).unwrap() + 2.0).abs() < 1e-15);
    }

    #[test]
    fn a_late_test_has_a_positive_shift_to_a_hundredth_of_a_sample() {
        let reference = pulse(300, 120.0);
        for shift in [0.0, 0.3, 7.0, 12.5, -40.25] {
            let test = pulse(300, 120.0 + shift);
            let found = time_shift(&[&test, &test], &[&reference, &reference], 0.1).unwrap();
            assert!((found - 0.1 * shift).abs() < 1e-3, "{shift}: {found}");
        }
    }

    #[test]
    fn one_figure_each_in_the_summary() {
        let misfit = Misfit::new(&[&[0.0, 1.1, 0.0]], &[&[0.0, 1.0, 0.0]], 1.0).unwrap();
        assert!((misfit.relative_l2 - 0.1).abs() < 1e-15 && (misfit.amplitude_ratio - 1.1).abs() < 1e-15);
        assert!(misfit.time_shift.abs() < 1e-15);
    }

    #[test]
    fn nan_zero_and_unequal_traces_are_errors() {
        let good: &[f64] = &[1.0, 2.0];
        assert!(matches!(
            relative_l2(&[good], &[&[1.0, f64::NAN]]),
            Err(NumericsError::NotFinite { what: "the reference", index: 1, .. })
        ));
        assert!(matches!(relative_l2(&[good], &[&[0.0, 0.0]]), Err(NumericsError::ZeroTrace { .. })));
        assert!(matches!(time_shift(&[&[0.0, 0.0]], &[good], 1.0), Err(NumericsError::ZeroTrace { .. })));
        assert!(matches!(relative_l2(&[good], &[&[1.0]]), Err(NumericsError::LengthMismatch { .. })));
        assert!(matches!(relative_l2(&[good, good], &[good]), Err(NumericsError::LengthMismatch { .. })));
        assert!(relative_l2(&[], &[]).is_err() && amplitude_ratio(&[&[]], &[&[]]).is_err());
    }
}
