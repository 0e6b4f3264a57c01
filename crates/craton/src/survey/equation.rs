//! The choice of the wave equation of a survey.

use craton_fd::acoustic::{AcousticField, AcousticMedium, CentralStencil, WaveEquation};
use craton_numerics::NumericsError;

use super::config::{Equation, Fd, Quantity};
use super::setup::Setup;
use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::setup::findings::Checked;

/// The equation of a survey, and why it was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EquationChoice {
    asked: Equation,
    /// Why the scalar wave equation does not apply, if it does not.
    obstacle: Option<&'static str>,
}

impl EquationChoice {
    /// Chooses the equation of a survey on its fluid.
    pub fn new(setup: &Setup, medium: &AcousticMedium<f32>) -> Self {
        let obstacles = [
            (setup.is_plane, "the survey is two-dimensional"),
            (setup.fluid.attenuation().is_some(), "the model has attenuation"),
            (!medium.has_constant_density(), "the density varies"),
            (setup.source != AcousticField::Pressure, "the source is a force"),
            (setup.heard.iter().any(|&quantity| quantity != Quantity::Pressure), "receivers record velocity"),
        ];
        let obstacle = obstacles.into_iter().find_map(|(is_there, name)| is_there.then_some(name));
        Self { asked: setup.fd.equation, obstacle }
    }

    /// Whether it is the scalar wave equation.
    pub fn is_scalar(&self) -> bool {
        self.asked != Equation::FirstOrder && self.obstacle.is_none()
    }

    /// The equation with the coefficients of its stencil.
    ///
    /// # Errors
    /// An order or error bound without a stencil, which a checked survey excludes.
    pub fn discretised(&self, fd: &Fd) -> Result<WaveEquation, NumericsError> {
        let half_length = fd.order / 2;
        Ok(match (self.is_scalar(), fd.holberg) {
            (false, _) => WaveEquation::FirstOrder,
            (true, None) => WaveEquation::Scalar(CentralStencil::taylor(half_length)?),
            (true, Some(error)) => WaveEquation::Scalar(CentralStencil::holberg(half_length, error)?),
        })
    }

    /// Rejects the scalar wave equation where it was requested but does not apply.
    ///
    /// # Errors
    /// Why it does not apply.
    pub fn check(&self) -> Checked<()> {
        let (Equation::Scalar, Some(obstacle)) = (self.asked, self.obstacle) else { return Ok(()) };
        let path = KeyPath::default().key("method").key("fd").key("equation");
        let problem =
            Problem::new(path, format!("the scalar wave equation does not apply: {obstacle}")).value("scalar");
        let allowed = "three dimensions, constant density, no attenuation, monopoles, and receivers of pressure";
        Err(problem.allowed(allowed).hint("use `first_order` or `auto`").into())
    }

    /// Its name and the reason of the choice, for reports.
    pub fn in_words(&self) -> String {
        match (self.is_scalar(), self.asked, self.obstacle) {
            (true, Equation::Scalar, _) => "scalar wave equation, as requested".to_owned(),
            (true, ..) => {
                "scalar wave equation, since the density is constant and only pressure is recorded".to_owned()
            }
            (_, Equation::FirstOrder, _) => "first order in pressure and particle velocity, as requested".to_owned(),
            (.., obstacle) => {
                format!(
                    "first order in pressure and particle velocity, since {}",
                    obstacle.unwrap_or("it was requested")
                )
            }
        }
    }

    /// Its name in records.
    pub fn name(&self) -> &'static str {
        if self.is_scalar() { "scalar" } else { "first_order" }
    }
}
