//! The Gaussian pulse and its integral, the error function.

use std::f64::consts::{PI, SQRT_2, TAU};

use super::{Shape, solve_falling};

/// exp(-(t-c)²/(2σ²)) / (σ √(2π)).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gaussian {
    pub(super) sigma: f64,
    pub(super) centre: f64,
}

impl Gaussian {
    /// Standard deviation σ \[s\].
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// Time of the peak c \[s\].
    pub fn centre(&self) -> f64 {
        self.centre
    }

    /// Time from the peak in standard deviations.
    fn deviation(&self, t: f64) -> f64 {
        (t - self.centre) / self.sigma
    }
}

impl Shape for Gaussian {
    fn value(&self, t: f64) -> f64 {
        let x = self.deviation(t);
        (-0.5 * x * x).exp() / (self.sigma * TAU.sqrt())
    }

    fn integral(&self, t: f64) -> f64 {
        0.5 * libm::erfc(-self.deviation(t) / SQRT_2)
    }

    fn derivative(&self, t: f64) -> f64 {
        -self.deviation(t) / self.sigma * self.value(t)
    }

    fn onset(&self, level: f64) -> f64 {
        self.centre - self.sigma * (-2.0 * level.ln()).sqrt()
    }

    fn amplitude_spectrum(&self, frequency: f64) -> f64 {
        let x = TAU * frequency * self.sigma;
        (-0.5 * x * x).exp()
    }

    fn upper_frequency(&self, level: f64) -> f64 {
        (-2.0 * level.ln()).sqrt() / (TAU * self.sigma)
    }
}

/// ½ (1 + erf((t-c)/w)): the integral of the Gaussian with σ = w/√2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ErrorFunction {
    rate: Gaussian,
}

impl ErrorFunction {
    pub(super) fn new(width: f64, centre: f64) -> Self {
        let sigma = width / SQRT_2;
        Self { rate: Gaussian { sigma, centre } }
    }

    /// Width w \[s\].
    pub fn width(&self) -> f64 {
        self.rate.sigma * SQRT_2
    }

    /// Time c at which the function is ½ \[s\].
    pub fn centre(&self) -> f64 {
        self.rate.centre
    }
}

impl Shape for ErrorFunction {
    fn value(&self, t: f64) -> f64 {
        self.rate.integral(t)
    }

    fn integral(&self, t: f64) -> f64 {
        let x = (t - self.rate.centre) / self.width();
        self.width() * (0.5 * x * libm::erfc(-x) + (-x * x).exp() / (2.0 * PI.sqrt()))
    }

    fn derivative(&self, t: f64) -> f64 {
        self.rate.value(t)
    }

    fn onset(&self, level: f64) -> f64 {
        let before = solve_falling(level, -30.0, 30.0, |x| 0.5 * libm::erfc(x));
        self.rate.centre - self.width() * before
    }

    fn amplitude_spectrum(&self, frequency: f64) -> f64 {
        self.rate.amplitude_spectrum(frequency) / (TAU * frequency)
    }

    fn upper_frequency(&self, level: f64) -> f64 {
        self.rate.upper_frequency(level)
    }

    fn final_value(&self) -> f64 {
        1.0
    }
}
