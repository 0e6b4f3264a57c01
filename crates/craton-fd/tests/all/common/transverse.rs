//! P waves of a monopole in a homogeneous, transversely isotropic medium without shear modulus along its vertical axis, and reflections from it.

use std::f64::consts::{PI, TAU};

use craton_fd::acoustic::TransverseModuli;
use craton_fft::Complex64;
use craton_numerics::dispersion::UniformTimes;

use super::shots::ricker;

/// Period of the transform [s], and the decay that suppresses its repetitions [1/s].
const PERIOD: f64 = 1.5;
const DECAY: f64 = 6.0;
/// Highest frequency [Hz].
const HIGHEST: f64 = 80.0;
/// Number of horizontal wavenumbers.
const WAVENUMBERS: usize = 3000;

/// A homogeneous half-space.
#[derive(Clone, Copy)]
pub struct HalfSpace {
    pub vp: f64,
    pub rho: f64,
    pub moduli: TransverseModuli,
}

impl HalfSpace {
    /// Difference l - s².
    fn excess(&self) -> f64 {
        self.moduli.lateral - self.moduli.coupling.powi(2)
    }

    /// Vertical wavenumber q of a horizontal one: q² = w (w - l k²) / (w - (l - s²) k²), w = (ω / vp)².
    fn vertical(&self, omega: Complex64, k: f64) -> Complex64 {
        let w = (omega / self.vp) * (omega / self.vp);
        let root = (w * (w - self.moduli.lateral * k * k) / (w - self.excess() * k * k)).sqrt();
        if root.im < 0.0 { -root } else { root }
    }
}

/// The pressure along the axis at an offset and a height from the source [m], from the integral over horizontal wavenumbers k of i exp(i q |z|) / (2 q),
/// up to the pole of q², beyond which the second wave begins.
pub fn p_wave(medium: HalfSpace, [offset, height]: [f64; 2], is_plane: bool, times: UniformTimes) -> Vec<f64> {
    let kernel = |omega: Complex64, k: f64| {
        let q = medium.vertical(omega, k);
        Complex64::i() * (Complex64::i() * q * height.abs()).exp() / (2.0 * q)
    };
    let end = |omega: Complex64| omega.norm() / medium.vp / medium.excess().sqrt();
    of_wavenumbers(kernel, end, (offset, is_plane), times)
}

/// The pressure in a fluid that a half-space below it reflects in 2D: i R exp(i q |z|) / (2 q) with R from the continuity of the normal stress and of the
/// flow across the interface.
///
/// # Arguments
/// * `height` – sum of the heights of source and receiver above the interface [m]
pub fn reflection([fluid, below]: [HalfSpace; 2], [offset, height]: [f64; 2], times: UniformTimes) -> Vec<f64> {
    let kernel = |omega: Complex64, k: f64| {
        let [q, other] = [fluid, below].map(|medium| medium.vertical(omega, k));
        let [flow, transmitted] = [q / fluid.rho, other / below.rho];
        let coefficient = (flow - transmitted) / (flow + transmitted);
        Complex64::i() * coefficient * (Complex64::i() * q * height).exp() / (2.0 * q)
    };
    of_wavenumbers(kernel, |omega| 3.0 * omega.norm() / fluid.vp + 0.1, (offset, true), times)
}

/// The pressure whose kernel is integrated over horizontal wavenumbers and frequencies.
fn of_wavenumbers(
    kernel: impl Fn(Complex64, f64) -> Complex64,
    end: impl Fn(Complex64) -> f64,
    (offset, is_plane): (f64, bool),
    times: UniformTimes,
) -> Vec<f64> {
    let count = (HIGHEST * PERIOD) as usize;
    let response = |number: usize| {
        let omega = Complex64::new(TAU * number as f64 / PERIOD, DECAY);
        let step = end(omega) / WAVENUMBERS as f64;
        let integrand = |n: usize| {
            let k = (n as f64 + 0.5) * step;
            kernel(omega, k) * if is_plane { (k * offset).cos() / PI } else { k * bessel(k * offset) / TAU }
        };
        (0..WAVENUMBERS).map(integrand).sum::<Complex64>() * step * spectrum(omega)
    };
    let responses: Vec<Complex64> = (0..count).map(response).collect();
    let sample = |n: usize| {
        let t = times.start + n as f64 * times.interval;
        let term = |(number, own): (usize, &Complex64)| {
            let part = if number == 0 { 0.5 } else { 1.0 };
            part * (own * Complex64::from_polar(1.0, -TAU * number as f64 / PERIOD * t)).re
        };
        (DECAY * t).exp() * 2.0 / PERIOD * responses.iter().enumerate().map(term).sum::<f64>()
    };
    (0..times.count).map(sample).collect()
}

/// ∫ s(t) exp(i ω t) dt of the source.
fn spectrum(omega: Complex64) -> Complex64 {
    const INTERVAL: f64 = 5e-4;
    let sample = |n: usize| {
        let t = n as f64 * INTERVAL;
        ricker(t) * (Complex64::i() * omega * t).exp()
    };
    (0..600).map(sample).sum::<Complex64>() * INTERVAL
}

/// J0(x), from the mean of cos(x sin θ).
fn bessel(x: f64) -> f64 {
    let count = 20 + 2 * x as usize;
    (0..count).map(|n| (x * (PI * (n as f64 + 0.5) / count as f64).sin()).cos()).sum::<f64>() / count as f64
}
