//! The triangular time function.

use std::f64::consts::PI;

use super::{Shape, solve_falling};

/// (1 - |t-c|/h) / h within ±h.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Triangle {
    pub(super) half_duration: f64,
    pub(super) centre: f64,
}

impl Triangle {
    /// Half duration h \[s\].
    pub fn half_duration(&self) -> f64 {
        self.half_duration
    }

    /// Time of the peak c \[s\].
    pub fn centre(&self) -> f64 {
        self.centre
    }

    /// Time from the peak in half durations.
    fn deviation(&self, t: f64) -> f64 {
        (t - self.centre) / self.half_duration
    }
}

impl Shape for Triangle {
    fn value(&self, t: f64) -> f64 {
        (1.0 - self.deviation(t).abs()).max(0.0) / self.half_duration
    }

    fn integral(&self, t: f64) -> f64 {
        let x = self.deviation(t).clamp(-1.0, 1.0);
        0.5 + x - 0.5 * x * x.abs()
    }

    fn derivative(&self, t: f64) -> f64 {
        let slope = 1.0 / (self.half_duration * self.half_duration);
        match self.deviation(t) {
            x if (-1.0..0.0).contains(&x) => slope,
            x if (0.0..1.0).contains(&x) => -slope,
            _ => 0.0,
        }
    }

    fn onset(&self, level: f64) -> f64 {
        self.centre - self.half_duration * (1.0 - level)
    }

    fn amplitude_spectrum(&self, frequency: f64) -> f64 {
        sinc(PI * frequency * self.half_duration).powi(2)
    }

    fn upper_frequency(&self, level: f64) -> f64 {
        // The lobes of sinc² lie below 1/x². From where this bound crosses the level, search downward for the last lobe above it.
        const STEP: f64 = 0.02;
        let mut x = level.sqrt().recip();
        while x > STEP && sinc(x - STEP).powi(2) < level {
            x -= STEP;
        }
        let x = solve_falling(level, x - STEP, x, |x| sinc(x).powi(2));
        x / (PI * self.half_duration)
    }
}

/// sin(x) / x.
pub(super) fn sinc(x: f64) -> f64 {
    if x.abs() < 1e-8 { 1.0 } else { x.sin() / x }
}
