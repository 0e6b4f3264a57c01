//! Exact removal of the leapfrog's time dispersion.
//!
//! A scheme (u\[n+1\] - 2 u\[n\] + u\[n-1\]) / dt² = f\[n\] - K u\[n\] responds at the angular frequency θ exactly as the continuous
//! equation ∂²u/∂t² = f - K u does at
//!
//! Ω(θ) = (2/dt) sin(θ dt/2).
//!
//! Let F(ω) be the spectrum of the true source and U(ω) that of the true response. If the scheme is driven by samples whose spectrum is F(Ω(θ)) ([`Forward`]),
//! its traces have the spectrum U(Ω(θ)), and evaluating it at ω = Ω(θ) ([`Inverse`]) removes the time-discretisation error completely, for any stable time
//! step. Half-step velocities (u\[n+1\] - u\[n\]) / dt have the spectrum iΩ(θ) U(Ω(θ)), that of the true velocity; so the sums and differences of the scheme
//! are exact integrals and derivatives under the transform.
//!
//! Time zero is step 0 of the scheme everywhere in this module; before it, everything is at rest.
//!
//! # The end of a record
//! Waves of the scheme arrive early, so a record that ends at time t contains everything up to t. However, waves just beyond the end affect the record slightly
//! before it, through the tail of an Airy function whose width grows as the cube root of the number of steps. If waves are still arriving at the end of a
//! record, run [`guard_steps`] more steps; a record that ends at rest, or with a static offset, needs none.
//!
//! # Source
//! Koene, Robertsson, Broggini and Andersson (2018), Geophysical Journal International 213, 169-187: the transforms, here by
//! non-uniform fast Fourier transforms.

mod forward;
mod inverse;
mod residual;
mod slip;

pub use forward::Forward;
pub use inverse::{Derive, Inverse, UniformTimes};
pub use residual::Residual;
pub use slip::{SampledRate, SlipForward};

use std::f64::consts::FRAC_PI_2;

/// Times of the samples of a trace relative to the steps of the scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stagger {
    /// At times n dt: displacement, acceleration, force.
    Whole,
    /// At times (n + 1/2) dt: velocity.
    Half,
}

/// The frequency Ω = (2/dt) sin(ω dt/2) that the scheme treats as if it were `omega`.
///
/// # Arguments
/// * `omega` – angular frequency of a sampled signal [rad/s], |omega| <= π/dt
/// * `dt` – time step [s]
pub fn continuous_frequency(omega: f64, dt: f64) -> f64 {
    2.0 / dt * (0.5 * omega * dt).sin()
}

/// The frequency (2/dt) asin(ω dt/2) of the scheme that corresponds to `omega` of the continuous equation.
///
/// # Arguments
/// * `omega` – angular frequency of the continuous equation [rad/s]
/// * `dt` – time step [s]
/// # Returns
/// The inverse of [`continuous_frequency`]; NaN for |omega| > 2/dt, where the scheme is unstable.
pub fn scheme_frequency(omega: f64, dt: f64) -> f64 {
    2.0 / dt * (0.5 * omega * dt).asin()
}

/// Additional steps to run beyond a record of `n_steps` that ends while waves are still arriving, so that the whole record is accurate.
///
/// Without them, about as many steps at the end of the record contain an error that grows towards the end. Verified by
/// `dispersion::guard_steps_keep_the_end_of_a_busy_record_clean`.
pub fn guard_steps(n_steps: usize) -> usize {
    airy_width(n_steps, 4.0)
}

/// Frequencies of the scheme from zero to its Nyquist, on a periodic axis of `period` steps.
struct PhaseGrid {
    period: usize,
    /// φ_k = θ_k dt/2 = π k / period, k = 0..=period/2, from 0 to π/2.
    phases: Vec<f64>,
}

impl PhaseGrid {
    /// `period` is even.
    fn new(period: usize) -> Self {
        let phases = (0..=period / 2).map(|k| std::f64::consts::PI * k as f64 / period as f64).collect();
        Self { period, phases }
    }

    /// Ω(θ_k) [rad per `interval`], `interval` in steps.
    fn angles(&self, interval: f64) -> Vec<f64> {
        self.phases.iter().map(|phase| 2.0 * interval * phase.sin()).collect()
    }

    /// One up to half of the scheme's Nyquist (ω dt = √2), then smoothly to zero at 0.8 of it: higher frequencies are not resolved by any mesh, and their
    /// dispersion would smear a kink of the source over many steps.
    fn window(&self) -> impl Iterator<Item = f64> {
        self.phases.iter().map(|phase| smooth_step((0.8 - phase / FRAC_PI_2) / 0.3))
    }
}

/// Steps over which the tail of the Airy function decays after `n_steps`: to 1e-6 for a `scale` of 4, to round-off for 6.
fn airy_width(n_steps: usize, scale: f64) -> usize {
    // The frequency window itself rings for some steps.
    let ringing = 24;
    (scale * (n_steps as f64).cbrt()).ceil() as usize + ringing
}

/// Zero for x <= 0, one for x >= 1, with all derivatives continuous.
fn smooth_step(x: f64) -> f64 {
    if x <= 0.0 {
        0.0
    } else if x >= 1.0 {
        1.0
    } else {
        let (rise, fall) = ((-1.0 / x).exp(), (-1.0 / (1.0 - x)).exp());
        rise / (rise + fall)
    }
}
