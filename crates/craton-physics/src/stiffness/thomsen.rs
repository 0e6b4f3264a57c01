//! Transverse isotropy in terms of Thomsen's parameters.

use super::Stiffness;
use crate::error::PhysicsError;

/// A transversely isotropic solid, described relative to its axis of symmetry.
///
/// # Source
/// Thomsen (1986), Weak elastic anisotropy, equations 8a, 8b and 17; exact here, not only for weak
/// anisotropy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thomsen {
    /// Speed of the P wave along the axis [m/s].
    pub vp: f64,
    /// Speed of the S waves along the axis [m/s].
    pub vs: f64,
    /// ε: half the relative difference between c11 and c33, approximately the relative excess of the P speed normal to the axis [–].
    pub epsilon: f64,
    /// δ: controls the P speed near the axis [–].
    pub delta: f64,
    /// γ: half the relative difference between c66 and c44, approximately the relative excess of the SH speed normal to the axis [–].
    pub gamma: f64,
    /// Density [kg/m³].
    pub rho: f64,
}

impl Stiffness {
    /// A solid whose axis of symmetry is vertical (VTI).
    ///
    /// # Errors
    /// [`OutOfRange`](PhysicsError::OutOfRange) for a parameter that is impossible by itself, or [`StiffnessNotPositive`](PhysicsError::StiffnessNotPositive)
    /// if the combination of parameters is impossible.
    pub fn vti(solid: Thomsen) -> Result<Self, PhysicsError> {
        check_ranges(&solid)?;
        let c33 = solid.rho * solid.vp * solid.vp;
        let c44 = solid.rho * solid.vs * solid.vs;
        let c11 = c33 * (1.0 + 2.0 * solid.epsilon);
        let c66 = c44 * (1.0 + 2.0 * solid.gamma);
        let c12 = c11 - 2.0 * c66;
        let difference = c33 - c44;
        let c13 = (difference * (difference + 2.0 * c33 * solid.delta)).sqrt() - c44;
        Self::from_matrix(&[
            [c11, c12, c13, 0.0, 0.0, 0.0],
            [c12, c11, c13, 0.0, 0.0, 0.0],
            [c13, c13, c33, 0.0, 0.0, 0.0],
            [0.0, 0.0, 0.0, c44, 0.0, 0.0],
            [0.0, 0.0, 0.0, 0.0, c44, 0.0],
            [0.0, 0.0, 0.0, 0.0, 0.0, c66],
        ])
    }

    /// A solid whose axis of symmetry is horizontal (HTI), such as one with parallel vertical cracks.
    ///
    /// The parameters refer to the axis of symmetry, not to the vertical.
    ///
    /// # Arguments
    /// * `azimuth` – direction of the axis, clockwise from north (y towards x) [rad]
    /// # Errors
    /// As [`vti`](Self::vti), and an angle that is not finite.
    pub fn hti(solid: Thomsen, azimuth: f64) -> Result<Self, PhysicsError> {
        Self::tti(solid, std::f64::consts::FRAC_PI_2, azimuth)
    }

    /// A solid whose axis of symmetry is tilted (TTI).
    ///
    /// The axis points along (sin tilt sin azimuth, sin tilt cos azimuth, cos tilt).
    ///
    /// # Arguments
    /// * `tilt` – angle of the axis from the vertical [rad]
    /// * `azimuth` – direction of its horizontal projection, clockwise from north (y towards x) [rad]
    /// # Errors
    /// As [`vti`](Self::vti), and an angle that is not finite.
    pub fn tti(solid: Thomsen, tilt: f64, azimuth: f64) -> Result<Self, PhysicsError> {
        for (name, value) in [("tilt", tilt), ("azimuth", azimuth)] {
            require(name, value, value.is_finite(), "finite", "give an angle in radians")?;
        }
        Ok(Self::vti(solid)?.turned(&tilt_then_azimuth(tilt, azimuth)))
    }
}

/// The rotation that takes the vertical to the axis of symmetry.
fn tilt_then_azimuth(tilt: f64, azimuth: f64) -> [[f64; 3]; 3] {
    let (st, ct) = tilt.sin_cos();
    let (sa, ca) = azimuth.sin_cos();
    [[ca, sa * ct, sa * st], [-sa, ca * ct, ca * st], [0.0, -st, ct]]
}

/// Returns an error that names a physically impossible parameter.
fn check_ranges(solid: &Thomsen) -> Result<(), PhysicsError> {
    let Thomsen { vp, vs, epsilon, delta, gamma, rho } = *solid;
    require("rho", rho, positive(rho), "> 0 kg/m3", "give the density")?;
    require("vs", vs, positive(vs), "> 0 m/s", "a fluid is isotropic: give vp and rho only")?;
    let fast_enough = vp.is_finite() && vp > vs;
    require("vp", vp, fast_enough, &format!("> vs = {vs} m/s"), "exchange vp and vs?")?;
    let above = "> -0.5 and finite";
    let fraction = "give a fraction, not per cent";
    require("epsilon", epsilon, epsilon.is_finite() && epsilon > -0.5, above, fraction)?;
    require("gamma", gamma, gamma.is_finite() && gamma > -0.5, above, fraction)?;
    let least = -0.5 * (1.0 - (vs / vp).powi(2));
    let allowed = format!(">= {least} = -(1 - vs^2/vp^2)/2");
    require("delta", delta, delta.is_finite() && delta >= least, &allowed, "raise delta or vp/vs")
}

/// Whether a value is a finite number above zero.
fn positive(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

/// An error about one parameter unless `holds`.
fn require(name: &'static str, value: f64, holds: bool, allowed: &str, hint: &'static str) -> Result<(), PhysicsError> {
    if holds {
        return Ok(());
    }
    Err(PhysicsError::OutOfRange { name, value, allowed: allowed.to_owned(), hint })
}
