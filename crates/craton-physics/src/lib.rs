//! Laws at one point, generic over the scalar, and the printer that turns them into CUDA.

#![forbid(unsafe_code)]

mod boundary;
mod laws;
mod metric;
mod real;
mod tensor;

pub use boundary::paraxial_damping;
pub use laws::{Anisotropic, Isotropic, Law, stress_anisotropic, stress_isotropic};
pub use metric::{metric, physical_gradient, reference_flux};
pub use real::Real;
pub use tensor::Sym3;
