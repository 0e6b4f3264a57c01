//! Errors of this crate.

use thiserror::Error;

/// Invalid parameters of a law.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PhysicsError {
    /// A parameter lies outside its range.
    #[error("{name} = {value} is out of range: {allowed}; {hint}")]
    OutOfRange {
        /// The parameter.
        name: &'static str,
        /// Its value.
        value: f64,
        /// The range it must lie in.
        allowed: String,
        /// What to do.
        hint: &'static str,
    },

    /// A coefficient is infinite or not a number.
    #[error(
        "stiffness coefficient c{row}{column} = {value} Pa is not a finite number; \
         check the 21 coefficients"
    )]
    StiffnessNotFinite {
        /// Row, from 1 to 6.
        row: usize,
        /// Column, from 1 to 6.
        column: usize,
        /// The coefficient [Pa].
        value: f64,
    },

    /// The two halves of a 6 × 6 matrix differ.
    #[error(
        "stiffness matrix is not symmetric: c{row}{column} = {above} Pa but c{column}{row} = {below} Pa; \
         they must be equal, in Voigt order xx, yy, zz, yz, xz, xy"
    )]
    StiffnessNotSymmetric {
        /// Row, from 1 to 6.
        row: usize,
        /// Column, from 1 to 6.
        column: usize,
        /// The coefficient above the diagonal [Pa].
        above: f64,
        /// The coefficient below it [Pa].
        below: f64,
    },

    /// The stiffness is not positive definite: some deformation would release energy.
    #[error(
        "stiffness is not positive definite: its smallest modulus is {smallest} Pa (largest {largest} Pa), \
         but must be above zero; check signs, units (Pa) and the Voigt order xx, yy, zz, yz, xz, xy"
    )]
    StiffnessNotPositive {
        /// The smallest eigenvalue in Kelvin's notation [Pa].
        smallest: f64,
        /// The largest one [Pa].
        largest: f64,
    },

    /// A matrix is not orthogonal.
    #[error(
        "matrix is not a rotation: its product with its transpose differs from the identity by {deviation}, \
         but at most {allowed} is allowed; give orthonormal rows"
    )]
    NotARotation {
        /// The Frobenius norm of the difference.
        deviation: f64,
        /// The largest one allowed.
        allowed: f64,
    },
}
