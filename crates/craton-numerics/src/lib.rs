//! Tables and transforms in double precision: quadrature, interpolation, filters, time dispersion.

#![forbid(unsafe_code)]

pub mod gll;
pub mod lagrange;

mod error;

pub use error::NumericsError;
