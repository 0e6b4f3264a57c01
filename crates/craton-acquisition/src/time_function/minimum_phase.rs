//! Wavelets of minimum phase.

use craton_fft::Complex64;
use craton_fft::RealPlanner;

use super::Sampled;
use crate::AcquisitionError;

/// Added to the amplitude spectrum, root of the sum of squares, as a fraction of its peak: it has a logarithm everywhere.
const WHITE: f64 = 1e-7;
/// What may stand after the end of the wavelet, as a fraction of its peak.
const REMAINDER: f64 = 1e-10;
/// The longest transform, for spectra that pass through zero: no length would be enough for them.
const LONGEST: usize = 1 << 22;

/// The minimum-phase wavelet with the amplitude spectrum of a sampled one: of all these it is the one whose energy comes first.
///
/// It has as many samples, and its first one is positive. The logarithm of the spectrum is transformed to the cepstrum, whose part at negative
/// times is folded onto positive ones. White noise of 1e-7 of the spectrum's peak keeps the logarithm finite. The sum of the squares is still
/// that of as many samples, so what stands after them tells whether the transform was long enough; it grows until 1e-10 of the peak is left
/// there. Where a spectrum passes through zero, as that of a zero-phase wavelet cut to a few cycles, some 1e-5 is left in the end, and cut off.
///
/// # Errors
/// Fewer than two samples, a sample that is not a number, nothing but zeros.
/// # Source
/// Kolmogorov (1939); Claerbout, Fundamentals of geophysical data processing (1976), section 3-4. Verified by
/// `a_minimum_phase_wavelet_has_the_spectrum_it_was_made_of`.
pub fn minimum_phase(samples: &[f64]) -> Result<Vec<f64>, AcquisitionError> {
    Sampled::check(samples)?;
    let peak = largest(samples);
    let scaled: Vec<f64> = samples.iter().map(|sample| sample / peak).collect();
    let mut length = (8 * samples.len()).next_power_of_two();
    loop {
        let mut wavelet = factor(&scaled, length);
        let (inside, after) = wavelet.split_at(samples.len());
        if largest(after) <= REMAINDER * largest(inside) || length >= LONGEST {
            wavelet.truncate(samples.len());
            wavelet.iter_mut().for_each(|sample| *sample *= peak);
            return Ok(wavelet);
        }
        length *= 4;
    }
}

/// The factorisation by transforms of a length, a power of two; all of its samples.
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
