//! Plans of Fourier transforms in double precision.
//!
//! The planners of `rustfft` and `realfft` are generic: every crate that calls them compiles all of their algorithms again, which takes longer than compiling
//! most crates. Therefore only this crate calls them, in functions without type parameters.

#![forbid(unsafe_code)]

use std::sync::Arc;

use realfft::RealFftPlanner;
use rustfft::FftPlanner;

pub use realfft::num_complex::Complex64;
pub use realfft::{ComplexToReal, RealToComplex};
pub use rustfft::Fft;

/// Plans transforms between real samples and their spectra; plans of one planner share their tables.
pub struct RealPlanner(RealFftPlanner<f64>);

impl RealPlanner {
    /// Creates a planner without tables.
    #[expect(clippy::new_without_default, reason = "a planner is made to be used, never as a part of something")]
    #[inline(never)]
    pub fn new() -> Self {
        Self(RealFftPlanner::new())
    }

    /// From `length` samples to their `length / 2 + 1` coefficients, not normalised.
    #[inline(never)]
    pub fn forward(&mut self, length: usize) -> Arc<dyn RealToComplex<f64>> {
        self.0.plan_fft_forward(length)
    }

    /// From `length / 2 + 1` coefficients to `length` samples, not normalised.
    #[inline(never)]
    pub fn inverse(&mut self, length: usize) -> Arc<dyn ComplexToReal<f64>> {
        self.0.plan_fft_inverse(length)
    }
}

/// Plans transforms of complex samples; plans of one planner share their tables.
pub struct ComplexPlanner(FftPlanner<f64>);

impl ComplexPlanner {
    /// Creates a planner without tables.
    #[expect(clippy::new_without_default, reason = "a planner is made to be used, never as a part of something")]
    #[inline(never)]
    pub fn new() -> Self {
        Self(FftPlanner::new())
    }

    /// Of `length` samples, with exponents of negative sign, not normalised.
    #[inline(never)]
    pub fn forward(&mut self, length: usize) -> Arc<dyn Fft<f64>> {
        self.0.plan_fft_forward(length)
    }

    /// The same with exponents of positive sign.
    #[inline(never)]
    pub fn inverse(&mut self, length: usize) -> Arc<dyn Fft<f64>> {
        self.0.plan_fft_inverse(length)
    }
}
