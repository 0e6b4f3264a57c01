//! Transverse isotropy in terms of Thomsen's parameters.

use super::{Love, Stiffness};
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

impl Thomsen {
    /// Love's moduli [Pa].
    ///
    /// # Errors
    /// [`OutOfRange`](PhysicsError::OutOfRange) for a parameter that is impossible by itself, or [`StiffnessNotPositive`](PhysicsError::StiffnessNotPositive)
    /// if the combination of parameters is impossible.
    pub fn love(&self) -> Result<Love, PhysicsError> {
        check_ranges(self)?;
        let c = self.rho * self.vp * self.vp;
        let l = self.rho * self.vs * self.vs;
        let difference = c - l;
        let f = (difference * (difference + 2.0 * c * self.delta)).sqrt() - l;
        let love = Love { a: c * (1.0 + 2.0 * self.epsilon), c, f, l, n: l * (1.0 + 2.0 * self.gamma) };
        love.check()?;
        Ok(love)
    }
}

/// The unit vector of an axis: (sin tilt sin azimuth, sin tilt cos azimuth, cos tilt).
///
/// # Arguments
/// * `tilt` – angle of the axis from the vertical [rad]
/// * `azimuth` – direction of its horizontal projection, clockwise from north (y towards x) [rad]
/// # Errors
/// [`OutOfRange`](PhysicsError::OutOfRange) for an angle that is not finite.
pub fn tilted_axis(tilt: f64, azimuth: f64) -> Result<[f64; 3], PhysicsError> {
    for (name, value) in [("tilt", tilt), ("azimuth", azimuth)] {
        require(name, value, value.is_finite(), "finite", "give an angle in radians")?;
    }
    let ((st, ct), (sa, ca)) = (tilt.sin_cos(), azimuth.sin_cos());
    Ok([st * sa, st * ca, ct])
}

impl Stiffness {
    /// A solid whose axis of symmetry is vertical (VTI).
    ///
    /// # Errors
    /// [`OutOfRange`](PhysicsError::OutOfRange) for a parameter that is impossible by itself, or [`StiffnessNotPositive`](PhysicsError::StiffnessNotPositive)
    /// if the combination of parameters is impossible.
    pub fn vti(solid: Thomsen) -> Result<Self, PhysicsError> {
        Ok(Self::transversely_isotropic(solid.love()?))
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
        let axis = tilted_axis(tilt, azimuth)?;
        Ok(Self::transversely_isotropic_about(solid.love()?, axis))
    }
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
