//! Convolution of uniform samples with the moment-rate function of a source, which turns a step response into the response to a source of finite duration.
//!
//! The pulse acts in the frequency domain by its exact Fourier transform below the Nyquist frequency. The result is therefore the convolution integral of the
//! band-limited signal that the samples represent, without delay and for pulses of any width.

use std::f64::consts::PI;

use craton_fft::RealPlanner;

use crate::error::{NumericsError, at_least, finite, positive, within};

/// Decay constant of the Gaussian times the half duration of the equivalent triangle, as in SPECFEM3D.
const MIMIC_TRIANGLE: f64 = 1.628;
/// Number of half durations after which a Gaussian is below round-off of its peak.
const GAUSSIAN_REACH: f64 = 4.0;
/// Padding in samples beyond a pulse, for band-limited tails and for the smooth transition from the last value to the first.
const MARGIN: usize = 256;

/// A symmetric pulse of unit area, centred at time 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Pulse {
    /// a exp(-(a t)²) / √π with a = 1.628 / half duration: the Gaussian that SPECFEM3D uses for the half duration of a CMT catalogue.
    Gaussian {
        /// Half duration [s].
        half_duration: f64,
    },
    /// (1 - |t| / half duration) / half duration, zero beyond the half duration: the triangle of the CMT catalogue itself.
    Triangle {
        /// Half duration [s]: half the total length.
        half_duration: f64,
    },
}

impl Pulse {
    /// Half duration [s].
    pub fn half_duration(self) -> f64 {
        match self {
            Self::Gaussian { half_duration } | Self::Triangle { half_duration } => half_duration,
        }
    }

    /// The Fourier transform at a frequency [Hz], which is real: exp(-(π f / a)²), or (sin(π f h) / (π f h))² with the half duration h.
    pub fn spectrum(self, frequency: f64) -> f64 {
        match self {
            Self::Gaussian { half_duration } => (-(PI * frequency * half_duration / MIMIC_TRIANGLE).powi(2)).exp(),
            Self::Triangle { half_duration } => {
                let x = PI * frequency * half_duration;
                if x == 0.0 { 1.0 } else { (x.sin() / x).powi(2) }
            }
        }
    }

    /// Checks that traces of `count` samples at the interval `dt` [s] can be convolved with the pulse.
    ///
    /// # Errors
    /// A half duration or an interval that is not positive, a half duration longer than the trace, fewer than two samples.
    pub fn check(self, count: usize, dt: f64) -> Result<(), NumericsError> {
        positive("the sampling interval", dt)?;
        at_least("the trace to be convolved", count, 2)?;
        let half_duration = positive("the half duration", self.half_duration())?;
        let duration = (count - 1) as f64 * dt;
        within("the half duration, in seconds and up to the length of the trace,", half_duration, 0.0, duration)?;
        Ok(())
    }

    /// The trace convolved with the pulse, on the same samples.
    ///
    /// The trace is extended by its constant first and last values, so that a static offset at its end is preserved. A step between two samples is not
    /// band-limited: convolved with a Gaussian it gives the error function with a relative error of (dt / half duration)² / 18.
    ///
    /// # Errors
    /// As [`Self::check`]; a sample that is not finite.
    /// # Source
    /// The Gaussian: `comp_source_time_function` of SPECFEM3D. Verified by `processing::a_gaussian_convolved_with_a_gaussian_is_wider`,
    /// `processing::steps_become_error_functions`,
    /// `processing::a_triangle_of_a_gaussian_has_its_closed_form` and `processing::convolution_keeps_a_static_offset`.
    pub fn convolve(self, samples: &[f64], dt: f64) -> Result<Vec<f64>, NumericsError> {
        self.check(samples.len(), dt)?;
        finite("the trace", samples)?;
        let first = samples[0];
        let mut circle = self.circle(samples, dt);
        let count = circle.len();
        let mut planner = RealPlanner::new();
        let (forward, inverse) = (planner.forward(count), planner.inverse(count));
        let mut spectrum = forward.make_output_vec();
        forward.process(&mut circle, &mut spectrum).expect("the buffers have the plan's lengths");
        let step = 1.0 / (count as f64 * dt);
        for (k, value) in spectrum.iter_mut().enumerate() {
            *value *= self.spectrum(k as f64 * step) / count as f64;
        }
        inverse.process(&mut spectrum, &mut circle).expect("the spectrum is that of a real trace");
        circle.truncate(samples.len());
        circle.iter_mut().for_each(|value| *value += first);
        Ok(circle)
    }

    /// The trace minus its first value, made periodic: the last value is held, then a smooth transition leads back to the first, which is held before the
    /// beginning.
    fn circle(self, samples: &[f64], dt: f64) -> Vec<f64> {
        let lasting = match self {
            Self::Gaussian { half_duration } => GAUSSIAN_REACH * half_duration,
            Self::Triangle { half_duration } => half_duration,
        };
        let reach = (lasting / dt).ceil() as usize + MARGIN;
        let count = fast_length(samples.len() + 2 * reach + MARGIN);
        let first = samples[0];
        let offset = samples[samples.len() - 1] - first;
        let back = count - samples.len() - 2 * reach;
        let part = |i: usize| 0.5 * (1.0 + (PI * (i + 1) as f64 / (back + 1) as f64).cos());
        let trace = samples.iter().map(|value| value - first);
        let held = std::iter::repeat_n(offset, reach);
        let before = std::iter::repeat_n(0.0, reach);
        trace.chain(held).chain((0..back).map(|i| offset * part(i))).chain(before).collect()
    }
}

/// The next even number without prime factors above 5.
fn fast_length(least: usize) -> usize {
    let is_fast = |number: &usize| {
        let mut rest = *number;
        for prime in [2, 3, 5] {
            while rest.is_multiple_of(prime) {
                rest /= prime;
            }
        }
        rest == 1
    };
    (least.div_ceil(2)..).map(|half| 2 * half).find(is_fast).expect("powers of two have no end")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_small_factors() {
        for (least, fast) in [(2, 2), (13, 16), (14, 16), (97, 100), (1001, 1024), (1025, 1080)] {
            assert_eq!(fast_length(least), fast);
        }
    }

    #[test]
    fn pulses_have_unit_area_and_bad_ones_are_refused() {
        for pulse in [Pulse::Gaussian { half_duration: 2.0 }, Pulse::Triangle { half_duration: 2.0 }] {
            assert_eq!(pulse.spectrum(0.0), 1.0);
            assert!(pulse.check(21, 0.1).is_ok());
            let message = pulse.check(20, 0.1).unwrap_err().to_string();
            assert!(message.contains("the half duration") && message.contains("is 2, but"), "{message}");
            assert!(pulse.convolve(&[0.0, f64::NAN, 0.0], 1.0).is_err());
        }
        for half_duration in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let message = Pulse::Gaussian { half_duration }.check(100, 1.0).unwrap_err().to_string();
            assert!(message.contains("must be finite and greater than zero"), "{message}");
        }
    }
}
