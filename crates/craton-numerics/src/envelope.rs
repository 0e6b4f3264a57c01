//! Envelopes of traces, and the misfit of envelopes.
//!
//! The envelope of s is |s + i H s|, with the Hilbert transform H. It is independent of the phase.

use std::sync::Arc;

use craton_fft::{Complex64, ComplexToReal, RealPlanner, RealToComplex};

use crate::nufft::fast_even_length;

/// Smoothing of envelopes in [`Envelopes::misfit`], as a fraction of the largest envelope of the observed trace.
const SMOOTHING: f64 = 1e-6;

/// Envelopes of traces of equal length.
///
/// Zeros after the trace extend it to at least twice its length, so that its end does not affect its beginning.
pub struct Envelopes {
    count: usize,
    forward: Arc<dyn RealToComplex<f64>>,
    inverse: Arc<dyn ComplexToReal<f64>>,
}

impl Envelopes {
    /// Plans the envelopes of traces with this number of samples.
    pub fn new(count: usize) -> Self {
        let (mut planner, length) = (RealPlanner::new(), fast_even_length((2 * count).max(2)));
        Self { count, forward: planner.forward(length), inverse: planner.inverse(length) }
    }

    /// The Hilbert transform of a trace, a shift of all phases by -90°: the transform of a cosine is a sine. Its transpose is its negative.
    ///
    /// # Panics
    /// If the trace has another length than planned.
    pub fn hilbert(&self, trace: &[f64]) -> Vec<f64> {
        assert_eq!(trace.len(), self.count, "the traces have the planned length");
        let mut samples = trace.to_vec();
        samples.resize(self.forward.len(), 0.0);
        let mut spectrum = self.forward.make_output_vec();
        self.forward.process(&mut samples, &mut spectrum).expect("the buffers have the plan's lengths");
        let last = spectrum.len() - 1;
        let scale = 1.0 / self.forward.len() as f64;
        spectrum.iter_mut().for_each(|bin| *bin *= Complex64::new(0.0, -scale));
        (spectrum[0], spectrum[last]) = (Complex64::ZERO, Complex64::ZERO);
        self.inverse.process(&mut spectrum, &mut samples).expect("the spectrum is real at both ends");
        samples.truncate(self.count);
        samples
    }

    /// The envelope of a trace.
    ///
    /// # Panics
    /// If the trace has another length than planned.
    pub fn of(&self, trace: &[f64]) -> Vec<f64> {
        trace.iter().zip(self.hilbert(trace)).map(|(s, h)| s.hypot(h)).collect()
    }

    /// The misfit of the envelopes of two traces, and its derivative with respect to each sample of the first one.
    ///
    /// J = ½ Δt Σ (E(s) - E(o))², E² = s² + (H s)² + ε². The smoothing ε is 1e-6 of the largest envelope of the observed trace, so that J is differentiable
    /// where the envelope is zero. With r = Δt (E(s) - E(o)) / E(s), the derivative is r s - H (r H s).
    ///
    /// # Arguments
    /// * `computed`, `observed` – s and o
    /// * `interval` – sample interval Δt \[s\]
    /// # Panics
    /// If a trace has another length than planned.
    /// # Source
    /// Chi, Dong and Liu (2014), Journal of Applied Geophysics 109; Wu, Luo and Wu (2014), Geophysics 79, WA13-WA24. Verified by
    /// `derivatives_of_envelope_misfits_agree_with_differences`.
    pub fn misfit(&self, computed: &[f64], observed: &[f64], interval: f64) -> (f64, Vec<f64>) {
        let of_observed = self.of(observed);
        let smoothing = SMOOTHING * of_observed.iter().copied().fold(0.0, f64::max);
        let shifted = self.hilbert(computed);
        let (mut misfit, mut ratios) = (0.0, Vec::with_capacity(self.count));
        for ((s, h), o) in computed.iter().zip(&shifted).zip(of_observed) {
            let own = s.hypot(*h).hypot(smoothing);
            let difference = own - o.hypot(smoothing);
            misfit += 0.5 * interval * difference * difference;
            ratios.push(if own > 0.0 { interval * difference / own } else { 0.0 });
        }
        let weighted: Vec<f64> = ratios.iter().zip(&shifted).map(|(ratio, h)| ratio * h).collect();
        let back = self.hilbert(&weighted);
        let derivative = ratios.iter().zip(computed).zip(back).map(|((ratio, s), back)| ratio * s - back);
        (misfit, derivative.collect())
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::TAU;

    use super::*;
    use crate::differences::assert_derivative;

    fn wave(count: usize, centre: f64, period: f64, phase: f64) -> Vec<f64> {
        wider(12.0, count, centre, period, phase)
    }

    fn wider(width: f64, count: usize, centre: f64, period: f64, phase: f64) -> Vec<f64> {
        let of = |n: usize| (-((n as f64 - centre) / width).powi(2)).exp() * (n as f64 * TAU / period + phase).cos();
        (0..count).map(of).collect()
    }

    #[test]
    fn the_envelope_of_a_wave_packet_is_its_amplitude() {
        let envelopes = Envelopes::new(200);
        let found = envelopes.of(&wave(200, 100.0, 9.0, 0.7));
        for (n, envelope) in found.into_iter().enumerate() {
            let expected = (-((n as f64 - 100.0) / 12.0).powi(2)).exp();
            assert!((envelope - expected).abs() < 1e-6, "{n}: {envelope} instead of {expected}");
        }
    }

    #[test]
    fn the_transpose_of_the_hilbert_transform_is_its_negative() {
        let envelopes = Envelopes::new(77);
        let [a, b] = [wave(77, 20.0, 5.0, 0.1), wave(77, 60.0, 13.0, 1.0)];
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let [left, right] = [dot(&envelopes.hilbert(&a), &b), dot(&a, &envelopes.hilbert(&b))];
        assert!((left + right).abs() < 1e-14, "{left} {right}");
    }

    #[test]
    fn derivatives_of_envelope_misfits_agree_with_differences() {
        let envelopes = Envelopes::new(120);
        // Differences are accurate where the envelope is much larger than the change.
        let (computed, observed) = (wider(60.0, 120, 50.0, 11.0, 0.3), wider(50.0, 120, 57.0, 13.0, 1.1));
        let misfit = |trace: &[f64]| envelopes.misfit(trace, &observed, 0.004);
        assert_derivative(misfit, &computed, &[3, 44, 51, 60, 119], [1e-3, 1e-10]);
        // The envelopes of a trace and of its Hilbert transform are equal.
        assert!(misfit(&observed).0 == 0.0);
    }

    #[test]
    fn the_misfit_of_a_zero_envelope_is_differentiable() {
        let envelopes = Envelopes::new(60);
        let (zero, wave) = (vec![0.0; 60], wave(60, 30.0, 9.0, 0.0));
        let (misfit, derivative) = envelopes.misfit(&zero, &wave, 0.004);
        assert!(misfit > 0.0 && derivative == zero);
        let (misfit, derivative) = envelopes.misfit(&zero, &zero, 0.004);
        assert!(misfit == 0.0 && derivative == zero);
        // Differences that are small relative to the smoothing.
        let of = |trace: &[f64]| envelopes.misfit(trace, &wave, 0.004);
        let faint: Vec<f64> = wave.iter().map(|sample| 1e-7 * sample).collect();
        let (_, derivative) = of(&faint);
        let changed = |change: f64| {
            let mut changed = faint.clone();
            changed[31] += change;
            of(&changed).0
        };
        let expected = (changed(1e-9) - changed(-1e-9)) / 2e-9;
        assert!((derivative[31] - expected).abs() < 1e-5 * expected.abs(), "{} {expected}", derivative[31]);
    }
}
