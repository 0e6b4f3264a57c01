//! Physical laws at one point, generic over the scalar type, and a printer that generates CUDA code from them.

#![forbid(unsafe_code)]

mod boundary;
pub mod cuda;
mod error;
mod expr;
mod laws;
mod metric;
mod orthorhombic;
mod real;
mod relaxation;
mod staggered;
mod stiffness;
mod tensor;
mod viscoelastic;

pub use boundary::paraxial_damping;
pub use error::PhysicsError;
pub use expr::Expr;
pub use laws::{
    Anisotropic, Isotropic, Law, TransverselyIsotropic, fluid_displacement, stress_anisotropic, stress_isotropic,
    stress_transversely_isotropic, unit_axis,
};
pub use metric::{metric, physical_gradient, reference_flux, scalar_flux};
pub use orthorhombic::Orthorhombic;
pub use real::Real;
pub use relaxation::{Fit, QualityLaw, Relaxation, eliminate};
pub use staggered::{
    acoustic_rate, edge_modulus, face_buoyancy, mixed_slopes, normal_stress_rates, relax_pressure, relax_stress,
    relaxing_normal_rates, relaxing_part, relaxing_shear_rate, shear_stress_rate,
};
pub use stiffness::{Love, PlaneWave, Stiffness, Thomsen, tilted_axis};
pub use tensor::Sym3;
pub use viscoelastic::{MEMORY, decay, relax};
