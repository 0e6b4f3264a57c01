//! The equations that a shot may solve.

use super::scalar::CentralStencil;

/// The equation that a shot solves.
#[derive(Debug, Clone, PartialEq)]
pub enum WaveEquation {
    /// The system of first order for pressure and particle velocity.
    FirstOrder,
    /// The scalar wave equation of second order for the pressure, with the coefficients of its second derivatives. It requires constant density without
    /// attenuation, three dimensions, and sources and receivers of pressure.
    Scalar(CentralStencil),
}

impl WaveEquation {
    /// Whether it is the scalar wave equation.
    pub fn is_scalar(&self) -> bool {
        matches!(self, Self::Scalar(_))
    }
}
