//! Minimum-phase wavelets.

use craton_fft::Complex64;
use craton_fft::RealPlanner;

use super::Sampled;
use crate::AcquisitionError;

/// White noise added to the amplitude spectrum, as a fraction of its peak, so that its logarithm is finite.
const WHITE: f64 = 1e-7;
/// Largest amplitude allowed after the end of the wavelet, as a fraction of its peak.
const TAIL_TOLERANCE: f64 = 1e-10;
/// Longest transform. Spectra with zeros never reach the tolerance, whatever the length.
const LONGEST_TRANSFORM: usize = 1 << 22;

/// Returns the minimum-phase wavelet that has the amplitude spectrum of the given wavelet: its energy arrives as early as possible.
///
/// The result has the same number of samples, and its first one is positive. The logarithm of the spectrum is transformed to the cepstrum,
/// whose part at negative times is folded onto positive times. White noise of 1e-7 of the spectrum's peak keeps the logarithm finite. The
/// length of the transform grows until the samples after the end of the wavelet are below 1e-10 of the peak. If the spectrum has zeros, as
/// for a zero-phase wavelet truncated to a few cycles, a tail of about 1e-5 remains and is cut off.
///
/// # Errors
/// Fewer than two samples, a sample that is not finite, only zeros.
/// # Source
/// Kolmogorov (1939); Claerbout, Fundamentals of geophysical data processing (1976), section 3-4. Verified by
/// `a_minimum_phase_wavelet_keeps_the_amplitude_spectrum`.
pub fn minimum_phase(samples: &[f64]) -> Result<Vec<f64>, AcquisitionError> {
    Sampled::check(samples)?;
    let peak = largest(samples);
    let scaled: Vec<f64> = samples.iter().map(|sample| sample / peak).collect();
    let mut length = (8 * samples.len()).next_power_of_two();
    loop {
        let mut wavelet = factor(&scaled, length);
        let (inside, after) = wavelet.split_at(samples.len());
        if largest(after) <= TAIL_TOLERANCE * largest(inside) || length >= LONGEST_TRANSFORM {
            wavelet.truncate(samples.len());
            wavelet.iter_mut().for_each(|sample| *sample *= peak);
            return Ok(wavelet);
        }
        length *= 4;
    }
}

/// Spectral factorisation by transforms of a given length, a power of two; returns all samples.
fn factor(samples: &[f64], length: usize) -> Vec<f64> {
    let mut planner = RealPlanner::new();
    let (forward, inverse) = (planner.forward(length), planner.inverse(length));
    let mut signal = vec![0.0; length];
    signal[..samples.len()].copy_from_slice(samples);
    let mut spectrum = forward.make_output_vec();
    forward.process(&mut signal, &mut spectrum).expect("both buffers were made for this length");
    let strongest = spectrum.iter().map(Complex64::norm_sqr).fold(0.0, f64::max);
    let white = WHITE * WHITE * strongest;
    for bin in &mut spectrum {
        *bin = Complex64::new(0.5 * (bin.norm_sqr() + white).ln(), 0.0);
    }
    inverse.process(&mut spectrum, &mut signal).expect("both buffers were made for this length, both ends are real");
    let half = length / 2;
    for (index, value) in signal.iter_mut().enumerate() {
        let share = if index == 0 || index == half { 1.0 } else { 2.0 };
        *value *= if index <= half { share / length as f64 } else { 0.0 };
    }
    forward.process(&mut signal, &mut spectrum).expect("both buffers were made for this length");
    for bin in &mut spectrum {
        *bin = bin.exp();
    }
    for end in [0, half] {
        spectrum[end].im = 0.0;
    }
    inverse.process(&mut spectrum, &mut signal).expect("both buffers were made for this length, both ends are real");
    signal.iter_mut().for_each(|value| *value /= length as f64);
    signal
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |largest, value| value.abs().max(largest))
}
