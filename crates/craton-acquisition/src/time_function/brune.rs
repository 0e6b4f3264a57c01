//! Brune's pulse, and a variant with a smooth start.

use std::f64::consts::TAU;

use craton_fft::Complex64;

use super::{Shape, solve_falling};

/// ω² τ exp(-ωτ), τ = t - start >= 0, ω = 2π corner frequency.
///
/// # Source
/// Brune (1970); the amplitude spectrum is 1 / (1 + (f/fc)²).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Brune {
    corner_frequency: f64,
    start: f64,
}

impl Brune {
    pub(super) fn new(corner_frequency: f64, start: f64) -> Self {
        Self { corner_frequency, start }
    }

    /// Corner frequency fc \[Hz\].
    pub fn corner_frequency(&self) -> f64 {
        self.corner_frequency
    }

    /// Start time \[s\].
    pub fn start(&self) -> f64 {
        self.start
    }

    /// Time of the peak \[s\].
    pub(super) fn peak_time(&self) -> f64 {
        self.start + self.omega().recip()
    }

    fn omega(&self) -> f64 {
        TAU * self.corner_frequency
    }

    /// ωτ, zero before the start.
    fn scaled_time(&self, t: f64) -> f64 {
        (self.omega() * (t - self.start)).max(0.0)
    }
}

impl Shape for Brune {
    fn value(&self, t: f64) -> f64 {
        let x = self.scaled_time(t);
        self.omega() * x * (-x).exp()
    }

    fn integral(&self, t: f64) -> f64 {
        let x = self.scaled_time(t);
        // 1 - (1 + x) exp(-x), without the cancellation near the start.
        -(-x).exp_m1() - x * (-x).exp()
    }

    fn derivative(&self, t: f64) -> f64 {
        if t < self.start {
            return 0.0;
        }
        let x = self.scaled_time(t);
        self.omega().powi(2) * (1.0 - x) * (-x).exp()
    }

    fn onset(&self, level: f64) -> f64 {
        // Invert the rise to the peak x exp(1-x) = 1 at x = 1, as a falling function of the distance before the peak.
        let before_peak = solve_falling(level, 0.0, 1.0, |back| {
            let x = 1.0 - back;
            x * (1.0 - x).exp()
        });
        self.start + (1.0 - before_peak) / self.omega()
    }

    fn amplitude_spectrum(&self, frequency: f64) -> f64 {
        1.0 / (1.0 + (frequency / self.corner_frequency).powi(2))
    }

    fn upper_frequency(&self, level: f64) -> f64 {
        self.corner_frequency * (1.0 / level - 1.0).sqrt()
    }
}

/// Brune's pulse, blended with a smoother one for x = ωτ < 2.31: the integral is 1 - exp(-x) (1 + x + p(x)), p(x) = ½ x² (1 - x/2.31)³.
///
/// # Source
/// Petersson and Sjögreen, SW4 user's guide, time function "BruneSmoothed". Verified by `derivative_is_the_slope`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SmoothedBrune {
    brune: Brune,
}

/// End of the blended part in scaled time x.
const BLEND: f64 = 2.31;

/// Position of the peak of the smoothed pulse in scaled time, and its height in units of ω.
const SMOOTHED_PEAK_TIME: f64 = 1.091_366;
const SMOOTHED_PEAK: f64 = 0.414_263_965;

impl SmoothedBrune {
    pub(super) fn new(corner_frequency: f64, start: f64) -> Self {
        Self { brune: Brune::new(corner_frequency, start) }
    }

    /// Corner frequency fc \[Hz\].
    pub fn corner_frequency(&self) -> f64 {
        self.brune.corner_frequency
    }

    /// Start time \[s\].
    pub fn start(&self) -> f64 {
        self.brune.start
    }

    /// Time of the peak \[s\].
    pub(super) fn peak_time(&self) -> f64 {
        self.brune.start + SMOOTHED_PEAK_TIME / self.brune.omega()
    }

    /// p and its first two derivatives at x.
    fn blend(x: f64) -> [f64; 3] {
        if x >= BLEND {
            return [0.0; 3];
        }
        let q = 1.0 - x / BLEND;
        [
            0.5 * x * x * q.powi(3),
            x * q.powi(3) - 1.5 * x * x * q.powi(2) / BLEND,
            q.powi(3) - 6.0 * x * q.powi(2) / BLEND + 3.0 * x * x * q / (BLEND * BLEND),
        ]
    }
}

impl Shape for SmoothedBrune {
    fn value(&self, t: f64) -> f64 {
        let x = self.brune.scaled_time(t);
        let [p, slope, _] = Self::blend(x);
        self.brune.omega() * (-x).exp() * (x + p - slope)
    }

    fn integral(&self, t: f64) -> f64 {
        let x = self.brune.scaled_time(t);
        self.brune.integral(t) - (-x).exp() * Self::blend(x)[0]
    }

    fn derivative(&self, t: f64) -> f64 {
        if t < self.brune.start {
            return 0.0;
        }
        let x = self.brune.scaled_time(t);
        let [p, slope, curvature] = Self::blend(x);
        self.brune.omega().powi(2) * (-x).exp() * (1.0 - x - p + 2.0 * slope - curvature)
    }

    fn onset(&self, level: f64) -> f64 {
        let relative = |x: f64| {
            let [p, slope, _] = Self::blend(x);
            (x + p - slope) * (-x).exp() / SMOOTHED_PEAK
        };
        let before_peak = solve_falling(level, 0.0, SMOOTHED_PEAK_TIME, |back| relative(SMOOTHED_PEAK_TIME - back));
        self.brune.start + (SMOOTHED_PEAK_TIME - before_peak) / self.brune.omega()
    }

    fn amplitude_spectrum(&self, frequency: f64) -> f64 {
        // S = 1/s² - i r ∫ p exp(-s x) dx with s = 1 + i r. The integral of a polynomial times an exponential is the sum of the derivatives
        // of the polynomial at both ends, each divided by a power of s. p has a double root at 0 and a triple root at the end of the
        // blended part.
        let r = frequency / self.brune.corner_frequency;
        let inverse = Complex64::new(1.0, r).inv();
        let decay = Complex64::from_polar((-BLEND).exp(), -BLEND * r);
        let at_start = [1.0, -9.0 / BLEND, 36.0 / BLEND.powi(2), -60.0 / BLEND.powi(3)];
        let at_end = [0.0, -3.0 / BLEND, -24.0 / BLEND.powi(2), -60.0 / BLEND.powi(3)];
        let mut power = inverse * inverse;
        let mut spectrum = power;
        for (start, end) in at_start.into_iter().zip(at_end) {
            power *= inverse;
            spectrum -= Complex64::new(0.0, r) * power * (start - decay * end);
        }
        spectrum.norm()
    }

    fn upper_frequency(&self, level: f64) -> f64 {
        let fc = self.brune.corner_frequency;
        fc * solve_falling(level, 0.0, 1e6, |r| self.amplitude_spectrum(fc * r))
    }
}
