//! Numerical tables and transforms in double precision, independent of any Earth model.
//!
//! | module | holds |
//! |---|---|
//! | [`gll`] | quadrature points and weights |
//! | [`lagrange`] | interpolation and derivatives on given points |
//! | [`dispersion`] | exact removal of the leapfrog's time dispersion |
//! | [`filter`] | Butterworth filters, causal and zero-phase |
//! | [`resample`] | splines and lines through uniform samples |
//! | [`band_limited`] | uniform samples at another interval: decimation, resampling |
//! | [`convolve`] | convolution with the moment rate of a source |
//! | [`prepare`] | mean, trend and taper |
//! | [`misfit`] | relative L2, amplitude ratio, time shift |
//! | [`envelope`] | envelopes by the Hilbert transform, and their misfit |
//! | [`transport`] | misfit of optimal transport |
//! | [`spectrum`] | amplitude spectra |
//! | [`integrate`] | sums and differences of samples, integrals and derivatives |
//! | [`staggered`] | first derivatives on staggered grids: coefficients, dispersion, stability |
//! | [`sinc`] | windowed-sinc weights for points off a regular grid |
//! | [`cpml`] | profiles of convolutional perfectly matched layers |

#![forbid(unsafe_code)]

pub mod band_limited;
pub mod convolve;
pub mod cpml;
pub mod dispersion;
pub mod envelope;
pub mod filter;
pub mod gll;
pub mod integrate;
pub mod lagrange;
pub mod misfit;
pub mod prepare;
pub mod resample;
pub mod sinc;
pub mod spectrum;
pub mod staggered;
pub mod transport;

mod bessel;
#[cfg(test)]
mod differences;
mod error;
mod nufft;

pub use error::NumericsError;
