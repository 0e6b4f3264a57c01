//! Amplitude spectra of uniform traces.

use craton_fft::RealPlanner;

use crate::error::{NumericsError, at_least, finite, positive};

/// The amplitude spectrum of a real trace at non-negative frequencies.
#[derive(Debug, Clone, PartialEq)]
pub struct AmplitudeSpectrum {
    /// k / (N dt) [Hz], k = 0..=N/2 for a trace of N samples.
    pub frequencies: Vec<f64>,
    /// dt |Σ_n x_n e^{-2πi k n / N}|: the Fourier integral of the trace, in its unit times second.
    pub amplitudes: Vec<f64>,
}

impl AmplitudeSpectrum {
    /// The spectrum of `samples` at the interval `dt` [s]; no taper is applied.
    ///
    /// # Errors
    /// An empty trace, a sample that is not finite, a `dt` that is not positive.
    /// Verified by `spectrum::tests::a_gaussian_has_its_analytic_spectrum`.
    pub fn new(samples: &[f64], dt: f64) -> Result<Self, NumericsError> {
        positive("the sampling interval", dt)?;
        at_least("the trace", samples.len(), 1)?;
        finite("the trace", samples)?;
        let plan = RealPlanner::new().forward(samples.len());
        let mut spectrum = plan.make_output_vec();
        plan.process(&mut samples.to_vec(), &mut spectrum).expect("the buffers have the plan's lengths");
        let duration = samples.len() as f64 * dt;
        Ok(Self {
            frequencies: (0..spectrum.len()).map(|k| k as f64 / duration).collect(),
            amplitudes: spectrum.iter().map(|value| dt * value.norm()).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    #[test]
    fn a_gaussian_has_its_analytic_spectrum() {
        let (dt, sigma) = (0.01, 0.1);
        let trace: Vec<f64> = (0..401)
            .map(|n| 3.0 / (sigma * TAU.sqrt()) * (-0.5 * ((f64::from(n) * dt - 2.0) / sigma).powi(2)).exp())
            .collect();
        let spectrum = AmplitudeSpectrum::new(&trace, dt).unwrap();
        assert_eq!(spectrum.frequencies.len(), 201);
        for (frequency, amplitude) in spectrum.frequencies.iter().zip(&spectrum.amplitudes) {
            let exact = 3.0 * (-0.5 * (TAU * frequency * sigma).powi(2)).exp();
            assert!((amplitude - exact).abs() < 1e-12, "{frequency} Hz: {amplitude}");
        }
    }

    #[test]
    fn a_sine_stands_at_its_frequency_with_half_its_amplitude_times_duration() {
        let trace: Vec<f64> = (0..200).map(|n| 2.0 * (TAU * 5.0 * f64::from(n) * 0.01).sin()).collect();
        let spectrum = AmplitudeSpectrum::new(&trace, 0.01).unwrap();
        let peak = (0..101).max_by(|&a, &b| spectrum.amplitudes[a].total_cmp(&spectrum.amplitudes[b])).unwrap();
        assert!((spectrum.frequencies[peak] - 5.0).abs() < 1e-12);
        assert!((spectrum.amplitudes[peak] - 2.0).abs() < 1e-12);
    }

    #[test]
    fn bad_traces_are_refused() {
        assert!(AmplitudeSpectrum::new(&[], 1.0).is_err());
        assert!(AmplitudeSpectrum::new(&[f64::INFINITY], 1.0).is_err());
        assert!(AmplitudeSpectrum::new(&[1.0], -1.0).is_err());
    }
}
