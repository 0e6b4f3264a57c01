//! The Ricker wavelet.

use std::f64::consts::{E, PI};

use super::{Shape, solve_falling};

/// (1 - 2aτ²) exp(-aτ²), τ = t - delay, a = (π f)².
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ricker {
    pub(super) frequency: f64,
    pub(super) delay: f64,
}

impl Ricker {
    /// Peak frequency f of the spectrum \[Hz\].
    pub fn frequency(&self) -> f64 {
        self.frequency
    }

    /// Time of the peak \[s\].
    pub fn delay(&self) -> f64 {
        self.delay
    }

    /// π f.
    fn pi_f(&self) -> f64 {
        PI * self.frequency
    }
}

impl Shape for Ricker {
    fn value(&self, t: f64) -> f64 {
        let x = (self.pi_f() * (t - self.delay)).powi(2);
        (1.0 - 2.0 * x) * (-x).exp()
    }

    fn integral(&self, t: f64) -> f64 {
        let tau = t - self.delay;
        tau * (-(self.pi_f() * tau).powi(2)).exp()
    }

    fn derivative(&self, t: f64) -> f64 {
        let tau = t - self.delay;
        let a = self.pi_f().powi(2);
        let x = a * tau * tau;
        2.0 * a * tau * (2.0 * x - 3.0) * (-x).exp()
    }

    fn onset(&self, level: f64) -> f64 {
        // The peak at x = aτ² = 0 ends at x = 1/2; on each side there is a trough of depth 2 exp(-3/2) at x = 3/2.
        let trough = 2.0 * (-1.5f64).exp();
        let x = if level < trough {
            solve_falling(level, 1.5, 750.0, |x| (2.0 * x - 1.0) * (-x).exp())
        } else {
            solve_falling(level, 0.0, 0.5, |x| (1.0 - 2.0 * x) * (-x).exp())
        };
        self.delay - x.sqrt() / self.pi_f()
    }

    fn amplitude_spectrum(&self, frequency: f64) -> f64 {
        let x = (frequency / self.frequency).powi(2);
        2.0 / (PI.sqrt() * self.frequency) * x * (-x).exp()
    }

    fn upper_frequency(&self, level: f64) -> f64 {
        let x = solve_falling(level, 1.0, 750.0, |x| E * x * (-x).exp());
        self.frequency * x.sqrt()
    }
}
