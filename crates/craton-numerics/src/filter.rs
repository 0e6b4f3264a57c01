//! Butterworth filters as cascades of second-order sections.
//!
//! The analogue prototype is carried over by the bilinear transform with its corners prewarped, so that the digital filter has its -3 dB points exactly at the
//! requested corners.
//!
//! # Source
//! Oppenheim and Schafer (2010), Discrete-Time Signal Processing, sections 7.2 and 6.3; the zero-phase ends follow Gustafsson (1996), IEEE Transactions on
//! Signal Processing 44, 988-992, as in `scipy.signal.sosfiltfilt`.

use std::f64::consts::{PI, TAU};

use craton_fft::Complex64;

use crate::error::{NumericsError, at_least, finite, positive};

/// Largest order; beyond it, the narrow bands used in seismology suffer from round-off.
pub const MAX_ORDER: usize = 16;

/// Pass band of a filter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Band {
    /// Frequencies below the corner [Hz].
    LowPass {
        /// Corner frequency [Hz].
        corner: f64,
    },
    /// Frequencies above the corner [Hz].
    HighPass {
        /// Corner frequency [Hz].
        corner: f64,
    },
    /// Frequencies between two corners [Hz].
    BandPass {
        /// Lower corner frequency [Hz].
        low: f64,
        /// Upper corner frequency [Hz].
        high: f64,
    },
}

/// A digital Butterworth filter for one sampling interval.
#[derive(Debug, Clone, PartialEq)]
pub struct Butterworth {
    sections: Vec<Section>,
    dt: f64,
}

/// H(z) = (b0 + b1/z + b2/z²) / (1 + a1/z + a2/z²).
#[derive(Debug, Clone, Copy, PartialEq)]
struct Section {
    b: [f64; 3],
    a: [f64; 2],
}

impl Butterworth {
    /// Designs the filter.
    ///
    /// # Arguments
    /// * `band` – pass band
    /// * `order` – order of the prototype, 1 to [`MAX_ORDER`]; a band-pass has this order on either side
    /// * `dt` – sampling interval [s]
    /// # Errors
    /// An order out of range, a corner that is not between 0 and the Nyquist frequency 1 / (2 dt), corners not in ascending order.
    pub fn new(band: Band, order: usize, dt: f64) -> Result<Self, NumericsError> {
        positive("the sampling interval", dt)?;
        if !(1..=MAX_ORDER).contains(&order) {
            return Err(NumericsError::Degree { what: "the filter order", value: order, min: 1, max: MAX_ORDER });
        }
        let warped = |corner: f64| {
            let nyquist = 0.5 / dt;
            if corner > 0.0 && corner < nyquist {
                Ok((PI * corner * dt).tan())
            } else {
                Err(NumericsError::Corner { corner, nyquist })
            }
        };
        let sections = match band {
            Band::LowPass { corner } => low_pass(order, warped(corner)?),
            Band::HighPass { corner } => high_pass(order, warped(corner)?),
            Band::BandPass { low, high } => {
                let (below, above) = (warped(low)?, warped(high)?);
                if low >= high {
                    return Err(NumericsError::Band { low, high });
                }
                band_pass(order, below, above)
            }
        };
        Ok(Self { sections, dt })
    }

    /// Filters a trace causally, from rest: no output precedes its input, and phases are delayed.
    ///
    /// # Errors
    /// A sample that is not finite.
    pub fn causal(&self, samples: &[f64]) -> Result<Vec<f64>, NumericsError> {
        finite("the trace", samples)?;
        let mut output = samples.to_vec();
        for section in &self.sections {
            section.run(&mut output, [0.0; 2]);
        }
        Ok(output)
    }

    /// Filters a trace forward and backward: no phase shift, the amplitude response is squared (-6 dB at the corners).
    ///
    /// The trace is continued at both ends by its point reflection, and the filter starts from the steady state of the first value, so that a static offset at
    /// the end causes no transient.
    ///
    /// # Errors
    /// A sample that is not finite, a trace not longer than three times the filter.
    pub fn zero_phase(&self, samples: &[f64]) -> Result<Vec<f64>, NumericsError> {
        let edge = self.edge();
        at_least("the trace to be filtered without phase shift", samples.len(), edge + 1)?;
        finite("the trace", samples)?;
        let last = samples.len() - 1;
        let before = (1..=edge).rev().map(|n| 2.0 * samples[0] - samples[n]);
        let after = (1..=edge).map(|n| 2.0 * samples[last] - samples[last - n]);
        let mut output: Vec<f64> = before.chain(samples.iter().copied()).chain(after).collect();
        for _ in 0..2 {
            self.run_settled(&mut output);
            output.reverse();
        }
        Ok(output[edge..=edge + last].to_vec())
    }

    /// Filters a trace like [`Self::causal`], but starting from the steady state of the first value, so that no initial transient occurs.
    ///
    /// # Errors
    /// A sample that is not finite.
    /// Verified by `processing::sinusoids_have_the_butterworth_amplitude_and_phase`.
    pub fn causal_settled(&self, samples: &[f64]) -> Result<Vec<f64>, NumericsError> {
        finite("the trace", samples)?;
        let mut output = samples.to_vec();
        self.run_settled(&mut output);
        Ok(output)
    }

    /// Filters a trace forward and backward like [`Self::zero_phase`], but extends it by its constant first and last values. Suited to step responses, which
    /// begin at rest and end at a static offset.
    ///
    /// The last value is held for the length of the impulse response, at most 2²⁰ samples.
    ///
    /// # Errors
    /// A sample that is not finite.
    /// Verified by `processing::a_low_pass_keeps_the_static_offset_of_a_ramp` and
    /// `processing::sinusoids_have_the_butterworth_amplitude_and_phase`.
    pub fn zero_phase_held(&self, samples: &[f64]) -> Result<Vec<f64>, NumericsError> {
        finite("the trace", samples)?;
        let Some(&last) = samples.last() else { return Ok(Vec::new()) };
        let mut output = samples.to_vec();
        output.resize(samples.len() + self.memory(), last);
        for _ in 0..2 {
            self.run_settled(&mut output);
            output.reverse();
        }
        output.truncate(samples.len());
        Ok(output)
    }

    /// Samples until the impulse response has decayed to 1e-13, at most 2²⁰.
    fn memory(&self) -> usize {
        const MOST: f64 = (1 << 20) as f64;
        let slowest = self.sections.iter().map(|section| section.slowest_pole()).fold(0.0, f64::max);
        let samples = (1e-13_f64.ln() / slowest.ln()).abs();
        if samples < MOST { samples.ceil() as usize } else { MOST as usize }
    }

    /// Amplitude response of the causal filter at a frequency [Hz].
    pub fn amplitude(&self, frequency: f64) -> f64 {
        let z = Complex64::cis(TAU * frequency * self.dt);
        self.sections.iter().map(|section| section.response(z).norm()).product()
    }

    /// Runs all sections from the steady state of the first sample.
    fn run_settled(&self, samples: &mut [f64]) {
        let mut level = samples[0];
        for section in &self.sections {
            let gain = section.response(Complex64::ONE).re;
            let state = [
                section.b[1] + section.b[2] - (section.a[0] + section.a[1]) * gain,
                section.b[2] - section.a[1] * gain,
            ];
            section.run(samples, state.map(|value| value * level));
            level *= gain;
        }
    }

    /// Samples of reflection at either end: three times the length of the filter written as a single rational function.
    fn edge(&self) -> usize {
        let first_order = self.sections.iter().filter(|section| section.b[2] == 0.0 && section.a[1] == 0.0).count();
        3 * (2 * self.sections.len() + 1 - first_order)
    }
}

impl Section {
    /// A section from its poles and zeros, scaled to unit amplitude at `reference` on the unit circle.
    ///
    /// `poles` are analogue, prewarped, and conjugate or both real; `zeros` are in the z plane.
    fn new(poles: [Complex64; 2], zeros: [f64; 2], reference: Complex64) -> Self {
        let [p, q] = poles.map(|s| (1.0 + s) / (1.0 - s));
        let b = [1.0, -(zeros[0] + zeros[1]), zeros[0] * zeros[1]];
        Self { b, a: [-(p + q).re, (p * q).re] }.scaled(reference)
    }

    /// A first-order section.
    fn first_order(pole: f64, zero: f64, reference: Complex64) -> Self {
        Self { b: [1.0, -zero, 0.0], a: [-(1.0 + pole) / (1.0 - pole), 0.0] }.scaled(reference)
    }

    fn scaled(self, reference: Complex64) -> Self {
        let amplitude = self.response(reference).norm();
        Self { b: self.b.map(|b| b / amplitude), ..self }
    }

    fn response(&self, z: Complex64) -> Complex64 {
        let inverse = z.inv();
        (self.b[0] + inverse * (self.b[1] + inverse * self.b[2])) / (1.0 + inverse * (self.a[0] + inverse * self.a[1]))
    }

    /// Modulus of the pole nearest to the unit circle.
    fn slowest_pole(&self) -> f64 {
        let [a1, a2] = self.a;
        let discriminant = a1 * a1 - 4.0 * a2;
        if discriminant < 0.0 { a2.sqrt() } else { 0.5 * (a1.abs() + discriminant.sqrt()) }
    }

    /// Filters in place, direct form II transposed.
    fn run(&self, samples: &mut [f64], mut state: [f64; 2]) {
        for sample in samples {
            let output = self.b[0] * *sample + state[0];
            state[0] = self.b[1] * *sample - self.a[0] * output + state[1];
            state[1] = self.b[2] * *sample - self.a[1] * output;
            *sample = output;
        }
    }
}

/// Poles of the prototype on the unit circle, upper half; an odd order has one more at -1.
fn prototype(order: usize) -> impl Iterator<Item = Complex64> {
    (0..order / 2).map(move |k| Complex64::cis(PI * (2 * k + order + 1) as f64 / (2 * order) as f64))
}

fn low_pass(order: usize, corner: f64) -> Vec<Section> {
    let zero = -1.0;
    let dc = Complex64::ONE;
    let pair = |p: Complex64| Section::new([corner * p, corner * p.conj()], [zero; 2], dc);
    let single = (order % 2 == 1).then(|| Section::first_order(-corner, zero, dc));
    prototype(order).map(pair).chain(single).collect()
}

fn high_pass(order: usize, corner: f64) -> Vec<Section> {
    let zero = 1.0;
    let nyquist = -Complex64::ONE;
    let pair = |p: Complex64| Section::new([corner / p, corner / p.conj()], [zero; 2], nyquist);
    let single = (order % 2 == 1).then(|| Section::first_order(-corner, zero, nyquist));
    prototype(order).map(pair).chain(single).collect()
}

/// Each pole p of the prototype becomes the two roots of s² - p (high - low) s + low high.
fn band_pass(order: usize, low: f64, high: f64) -> Vec<Section> {
    let centre = (low * high).sqrt();
    let reference = Complex64::cis(2.0 * centre.atan());
    let roots = |p: Complex64| {
        let half = 0.5 * p * (high - low);
        let root = (half * half - low * high).sqrt();
        [half + root, half - root]
    };
    let section = |poles| Section::new(poles, [1.0, -1.0], reference);
    let pairs = prototype(order).flat_map(|p| roots(p).map(|root| section([root, root.conj()])));
    let single = (order % 2 == 1).then(|| section(roots(-Complex64::ONE)));
    pairs.chain(single).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f64 = 0.01;

    fn check(band: Band, order: usize, causal: [f64; 3], zero_phase: [f64; 3]) {
        let samples: Vec<f64> =
            (0..60).map(f64::from).map(|n| (0.3 * n).sin() + 0.5 * (1.1 * n).cos() + 0.02 * n).collect();
        let filter = Butterworth::new(band, order, DT).unwrap();
        for (output, expected) in [(filter.causal(&samples), causal), (filter.zero_phase(&samples), zero_phase)] {
            let output = output.unwrap();
            for (n, expected) in [0, 10, 59].into_iter().zip(expected) {
                assert!((output[n] - expected).abs() < 1e-12, "{band:?}, sample {n}: {} {expected}", output[n]);
            }
        }
    }

    /// Reference values of scipy 1.17.1: `butter(order, corners, type, fs=100, output="sos")` with `sosfilt` and `sosfiltfilt`.
    #[test]
    fn numbers_equal_scipys() {
        check(
            Band::LowPass { corner: 10.0 },
            4,
            [0.002412171678858114, 1.1181814661920324, 0.39384640854009345],
            [0.4973105733662598, 0.370617290697578, 0.03812610977050772],
        );
        check(
            Band::LowPass { corner: 10.0 },
            3,
            [0.009049466503757214, 1.066284242600751, 0.273714326613147],
            [0.4938216365880208, 0.3562152612566237, 0.03713247449210426],
        );
        check(
            Band::HighPass { corner: 5.0 },
            3,
            [0.3647203613195412, -0.17004637049093352, 0.20982084319881739],
            [-0.05868525201245463, 0.13581849357889292, -0.010954390787662194],
        );
        check(
            Band::HighPass { corner: 20.0 },
            2,
            [0.19566788625088427, 0.26317411441667, -0.17243204488087838],
            [1.3965605307808548e-05, 0.0009267389793116559, -0.00013108615623749764],
        );
        check(
            Band::BandPass { low: 5.0, high: 20.0 },
            3,
            [0.024766498178626594, -0.8377826873954649, 1.043593187945051],
            [-0.039008599774045166, 0.15434029199084123, -0.004967754796979362],
        );
        check(
            Band::BandPass { low: 1.0, high: 30.0 },
            1,
            [0.2815823446115271, -0.10536482559146529, -0.6158787604481504],
            [-0.006850493669219901, -0.07576712333519758, 0.8010100298931326],
        );
    }

    #[test]
    fn corners_are_at_three_decibels_and_the_pass_band_is_one() {
        let half = 0.5_f64.sqrt();
        for order in 1..=8 {
            let low = Butterworth::new(Band::LowPass { corner: 7.0 }, order, DT).unwrap();
            let high = Butterworth::new(Band::HighPass { corner: 7.0 }, order, DT).unwrap();
            let band = Butterworth::new(Band::BandPass { low: 2.0, high: 7.0 }, order, DT).unwrap();
            for (amplitude, exact) in [
                (low.amplitude(0.0), 1.0),
                (low.amplitude(7.0), half),
                (low.amplitude(50.0), 0.0),
                (high.amplitude(0.0), 0.0),
                (high.amplitude(7.0), half),
                (high.amplitude(50.0), 1.0),
                (band.amplitude(2.0), half),
                (band.amplitude(7.0), half),
                (band.amplitude(0.0), 0.0),
            ] {
                assert!((amplitude - exact).abs() < 1e-9, "order {order}: {amplitude} {exact}");
            }
        }
    }

    #[test]
    fn zero_phase_keeps_a_static_offset_and_the_time_of_a_pulse() {
        let filter = Butterworth::new(Band::LowPass { corner: 10.0 }, 4, DT).unwrap();
        for value in filter.zero_phase(&[2.5; 100]).unwrap() {
            assert!((value - 2.5).abs() < 1e-12);
        }
        let pulse: Vec<f64> = (0..201).map(|n| (-0.5 * ((f64::from(n) - 100.0) / 4.0).powi(2)).exp()).collect();
        let filtered = filter.zero_phase(&pulse).unwrap();
        for n in 0..=100 {
            assert!((filtered[n] - filtered[200 - n]).abs() < 1e-9);
        }
    }

    #[test]
    fn bad_corners_orders_and_traces_are_refused() {
        let refused = |band, order| Butterworth::new(band, order, DT).unwrap_err().to_string();
        for corner in [0.0, -1.0, 50.0, f64::NAN] {
            let message = refused(Band::LowPass { corner }, 4);
            assert!(message.contains("Nyquist frequency 50 Hz"), "{message}");
        }
        assert!(refused(Band::LowPass { corner: 1.0 }, 0).contains("filter order is 0"));
        assert!(refused(Band::HighPass { corner: 1.0 }, 17).contains("between 1 and 16"));
        assert!(refused(Band::BandPass { low: 5.0, high: 5.0 }, 2).contains("below the upper corner"));
        let filter = Butterworth::new(Band::LowPass { corner: 10.0 }, 4, DT).unwrap();
        assert!(matches!(filter.zero_phase(&[0.0; 15]), Err(NumericsError::TooShort { count: 15, min: 16, .. })));
        assert!(filter.causal(&[f64::NAN]).is_err());
    }
}
