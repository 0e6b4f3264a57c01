//! Gain of gathers, and statistics of their amplitudes.

use crate::error::Result;
use crate::ticks::brief;
use crate::trace::check_positive;

/// Gain applied to the amplitudes of a gather before drawing, within the time window.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum Gain {
    /// No gain.
    #[default]
    None,
    /// Multiplies by (t / 1 s)^p, p above 0; zero before t = 0.
    TimePower(f64),
    /// Automatic gain control: divides each sample by the RMS of its trace in a window \[s\] around it. The RMS is bounded below by 10⁻⁵ of its largest value
    /// in the trace, which limits the amplification of noise.
    Agc(f64),
    /// Divides each trace by its peak.
    PerTrace,
}

impl Gain {
    /// Checks that a power or window is positive.
    ///
    /// # Errors
    /// `Error::NotPositive`
    pub(crate) fn check(self) -> Result<()> {
        match self {
            Self::TimePower(power) => check_positive("the power of time", power),
            Self::Agc(window) => check_positive("the window of the automatic gain control", window),
            Self::None | Self::PerTrace => Ok(()),
        }
    }

    /// Description of the gain, for the note of a picture.
    pub(crate) fn note(self) -> Option<String> {
        match self {
            Self::None => None,
            Self::TimePower(power) => Some(format!("Amplitudes × (t / 1 s)^{}", brief(power))),
            Self::Agc(window) => Some(format!("Automatic gain control over {} s", brief(window))),
            Self::PerTrace => Some("Each trace over its own peak".into()),
        }
    }

    /// Name and unit of the amplitudes after the gain.
    pub(crate) fn measure<'a>(self, quantity: &str, unit: &'a str) -> (String, &'a str) {
        match self {
            Self::None | Self::TimePower(_) => (quantity.to_owned(), unit),
            Self::Agc(_) => (format!("{quantity} / RMS"), ""),
            Self::PerTrace => (format!("{quantity} / peak"), ""),
        }
    }
}

/// A gain for traces of one length.
pub(crate) enum Amplifier {
    /// A factor for every sample.
    Weights(Vec<f64>),
    /// Half length of the window in samples.
    Agc {
        half: usize,
    },
    Peak,
    Nothing,
}

impl Amplifier {
    /// # Arguments
    /// * `t0`, `dt`, `count` – time of the first sample, time between samples \[s\], number of samples
    pub(crate) fn new(gain: Gain, t0: f64, dt: f64, count: usize) -> Self {
        match gain {
            Gain::None => Self::Nothing,
            Gain::TimePower(power) => {
                Self::Weights((0..count).map(|index| (t0 + index as f64 * dt).max(0.0).powf(power)).collect())
            }
            Gain::Agc(window) => Self::Agc { half: ((0.5 * window / dt).round() as usize).min(count) },
            Gain::PerTrace => Self::Peak,
        }
    }

    pub(crate) fn apply(&self, samples: &mut [f64]) {
        match self {
            Self::Nothing => {}
            Self::Weights(weights) => samples.iter_mut().zip(weights).for_each(|(sample, weight)| *sample *= weight),
            Self::Agc { half } => control(samples, *half),
            Self::Peak => {
                let peak = samples.iter().fold(0.0, |peak, sample| f64::max(peak, sample.abs()));
                if peak > 0.0 {
                    samples.iter_mut().for_each(|sample| *sample /= peak);
                }
            }
        }
    }
}

/// Divides every sample by the RMS of those around it.
fn control(samples: &mut [f64], half: usize) {
    const FLOOR: f64 = 1e-5;
    let last = samples.len().saturating_sub(1);
    let count = |index: usize| ((index + half).min(last) - index.saturating_sub(half) + 1) as f64;
    let energy = energies(samples, half);
    let rms: Vec<f64> = energy.iter().enumerate().map(|(index, energy)| (energy / count(index)).sqrt()).collect();
    let floor = FLOOR * rms.iter().fold(0.0, |largest, &rms| f64::max(largest, rms));
    if floor > 0.0 {
        samples.iter_mut().zip(rms).for_each(|(sample, rms)| *sample /= rms.max(floor));
    }
}

/// Sums of the squares of `half` samples before each one, itself and `half` after it; beyond the ends there are none.
///
/// Uses forward and backward cumulative sums of blocks of the window length, so that each window is the sum of two parts (van Herk). A running sum with
/// subtraction would lose the digits of weak samples after strong ones.
fn energies(samples: &[f64], half: usize) -> Vec<f64> {
    let length = 2 * half + 1;
    let mut squares = vec![0.0; samples.len() + 2 * half];
    for (square, sample) in squares[half..].iter_mut().zip(samples) {
        *square = sample * sample;
    }
    let mut backwards = squares.clone();
    for (forward, backward) in squares.chunks_mut(length).zip(backwards.chunks_mut(length)) {
        for index in 1..forward.len() {
            forward[index] += forward[index - 1];
        }
        for index in (1..backward.len()).rev() {
            backward[index - 1] += backward[index];
        }
    }
    let sum = |start: usize| {
        let end = squares[start + length - 1];
        if start.is_multiple_of(length) { end } else { backwards[start] + end }
    };
    (0..samples.len()).map(sum).collect()
}

/// Histogram of absolute amplitudes, in bins 0.4 % wide.
pub(crate) struct Amplitudes {
    counts: Vec<u64>,
    range: [f64; 2],
}

impl Amplitudes {
    /// Bits of an f64 dropped by a bin, which keeps the exponent and eight bits of the mantissa.
    const DROPPED: u32 = 44;

    pub(crate) fn new() -> Self {
        Self { counts: vec![0; 1 << (63 - Self::DROPPED)], range: [0.0; 2] }
    }

    pub(crate) fn count(&mut self, samples: &[f64]) {
        for sample in samples {
            self.counts[(sample.abs().to_bits() >> Self::DROPPED) as usize] += 1;
            self.range = [self.range[0].min(*sample), self.range[1].max(*sample)];
        }
    }

    /// Smallest and largest value, zero included.
    pub(crate) fn range(&self) -> [f64; 2] {
        self.range
    }

    /// The percentile of the nonzero absolute amplitudes, rounded up to the end of its bin; 1 if there are none.
    pub(crate) fn percentile(&self, percent: f64) -> f64 {
        // The first bin holds zeros.
        let loud = || self.counts.iter().enumerate().skip(1);
        let all: u64 = loud().map(|(_, count)| count).sum();
        let wanted = (percent / 100.0 * all as f64).ceil().max(1.0) as u64;
        let mut sum = 0;
        let class = loud().find(|(_, count)| {
            sum += *count;
            sum >= wanted
        });
        let largest = self.range[1].max(-self.range[0]);
        class.map_or(1.0, |(class, _)| f64::from_bits((class as u64 + 1) << Self::DROPPED).min(largest))
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    fn amplified(gain: Gain, samples: &[f64]) -> Vec<f64> {
        let mut samples = samples.to_vec();
        Amplifier::new(gain, 0.5, 0.25, samples.len()).apply(&mut samples);
        samples
    }

    #[test]
    fn automatic_gain_makes_a_steady_sine_flat() {
        // Three whole periods of 21 samples in the window: the RMS is that of the sine at any position.
        let sine = |index: u32| 1e-7 * (2.0 * PI * f64::from(index) / 21.0).sin();
        let samples: Vec<f64> = (0..420).map(sine).collect();
        let balanced = amplified(Gain::Agc(62.0 * 0.25), &samples);
        for index in 31..420 - 31 {
            let expected = 2f64.sqrt() * 1e7 * samples[index];
            // Only round-off of the sums.
            assert!((balanced[index] - expected).abs() < 1e-12, "{index}");
        }
    }

    #[test]
    fn automatic_gain_raises_weak_samples_behind_strong_ones_and_leaves_silence() {
        let mut samples = vec![0.0; 300];
        samples[..100].fill(1.0);
        samples[150..200].fill(-1e-4);
        let balanced = amplified(Gain::Agc(20.0 * 0.25), &samples);
        assert!((balanced[50] - 1.0).abs() < 1e-14 && (balanced[175] + 1.0).abs() < 1e-14);
        assert!(balanced[250..].iter().all(|&sample| sample == 0.0));
        assert_eq!(amplified(Gain::Agc(1e9), &[0.0; 4]), [0.0; 4]);
    }

    #[test]
    fn energies_are_those_of_the_naive_sum() {
        let samples: Vec<f64> = (0..23).map(|index| f64::from(index * 7 % 11) - 4.0).collect();
        for half in [0, 1, 4, 11, 23] {
            let naive = |index: usize| {
                let around = index.saturating_sub(half)..(index + half + 1).min(samples.len());
                samples[around].iter().map(|sample| sample * sample).sum::<f64>()
            };
            // Squares of small whole numbers: sums are exact.
            assert_eq!(energies(&samples, half), (0..23).map(naive).collect::<Vec<_>>(), "{half}");
        }
    }

    #[test]
    fn powers_of_time_and_peaks_are_exact() {
        assert_eq!(amplified(Gain::TimePower(2.0), &[4.0, 4.0, -1.0]), [1.0, 2.25, -1.0]);
        assert_eq!(amplified(Gain::PerTrace, &[1.0, -4.0, 2.0]), [0.25, -1.0, 0.5]);
        assert_eq!(amplified(Gain::PerTrace, &[0.0; 3]), [0.0; 3]);
        assert_eq!(amplified(Gain::None, &[1.0, -4.0]), [1.0, -4.0]);
    }

    #[test]
    fn percentiles_are_those_of_the_sorted_amplitudes_within_a_class() {
        let mut amplitudes = Amplitudes::new();
        let samples: Vec<f64> =
            (1..=1000).map(|index| f64::from(index) * if index % 2 == 0 { 1.0 } else { -1.0 }).collect();
        amplitudes.count(&samples);
        amplitudes.count(&[0.0; 5000]);
        for percent in [1.0, 50.0, 99.0] {
            let exact = 10.0 * percent;
            let found = amplitudes.percentile(percent);
            // A bin is 2⁻⁸ wide.
            assert!(found >= exact && found <= exact * (1.0 + 1.0 / 256.0), "{percent} {found}");
        }
        assert_eq!(amplitudes.percentile(100.0), 1000.0);
        assert_eq!(amplitudes.range(), [-999.0, 1000.0]);
        assert_eq!(Amplitudes::new().percentile(99.0), 1.0);
    }
}
