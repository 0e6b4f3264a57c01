//! Tables and transforms in double precision, which know nothing of the Earth.
//!
//! | module | holds |
//! |---|---|
//! | [`gll`] | quadrature points and weights |
//! | [`lagrange`] | interpolation and derivatives on given points |
//! | [`dispersion`] | exact removal of the leapfrog's time dispersion |
//! | [`filter`] | Butterworth filters, causal and zero-phase |
//! | [`resample`] | splines and lines through uniform samples |
//! | [`misfit`] | relative L2, amplitude ratio, time shift |
//! | [`spectrum`] | amplitude spectra |
//! | [`integrate`] | sums and differences of samples |

#![forbid(unsafe_code)]

pub mod dispersion;
pub mod filter;
pub mod gll;
pub mod integrate;
pub mod lagrange;
pub mod misfit;
pub mod resample;
pub mod spectrum;

mod error;
mod nufft;

pub use error::NumericsError;
