//! Magnetic fields of uniformly magnetised prisms.
//!
//! Poisson's relation gives the flux density of a prism with magnetisation M from the gravity gradient tensor T of the same prism with density ρ:
//! B = μ₀ / (4π G ρ) (T - I tr T) M. Outside the prism the trace vanishes, and B is the field of its dipoles. Inside, -tr T = 4π G ρ adds μ₀ M, so that B
//! includes the magnetisation itself. Source: Blakely (1995), Potential Theory in Gravity and Magnetic Applications, section 5.3.
//!
//! [`magnetic_forward`] and [`magnetic_transpose`] evaluate each pair once for any direction of M, [`MagneticTree`] replaces distant groups of prisms by
//! multipoles. [`Poisson`] converts the tensor of bodies with a common direction, and therefore gives magnetic fields to every way of summation, and to
//! [`Limits`](crate::Limits) on faces. Gradients of B come from the third derivatives of the potential (`third.rs`).

mod field;
mod forward;
mod geomagnetic;
mod igrf;
mod magnetisation;
mod poisson;
mod third;
mod transpose;
mod tree;

pub use field::{Magnetic, MagneticField, MagneticFields};
pub(crate) use forward::BlockSum;
pub use forward::{magnetic_forward, magnetic_forward_while};
pub use geomagnetic::Direction;
pub use igrf::Igrf;
pub use magnetisation::Magnetisation;
pub use poisson::Poisson;
pub(crate) use third::ThirdBody;
pub use transpose::{magnetic_transpose, magnetic_transpose_while};
pub use tree::MagneticTree;

/// Magnetic constant [T m/A], CODATA 2018.
pub const MAGNETIC_CONSTANT: f64 = 1.256_637_062_12e-6;

/// μ₀/4π [T m/A].
pub(crate) const FACTOR: f64 = MAGNETIC_CONSTANT / (4.0 * std::f64::consts::PI);
