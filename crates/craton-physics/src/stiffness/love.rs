//! Transverse isotropy in terms of Love's moduli.

use super::{RELATIVE_ZERO, Stiffness};
use crate::error::PhysicsError;

/// Love's moduli of a transversely isotropic solid with a vertical axis of symmetry.
///
/// # Source
/// Love (1927), A Treatise on the Mathematical Theory of Elasticity, section 110; applied to the Earth: Takeuchi & Saito (1972), Seismic surface waves;
/// Dziewonski & Anderson (1981), Preliminary reference Earth model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Love {
    /// A = ρ v_PH², of the P wave normal to the axis [Pa].
    pub a: f64,
    /// C = ρ v_PV², of the P wave along the axis [Pa].
    pub c: f64,
    /// F = η (A - 2 L), which governs waves at oblique angles [Pa].
    pub f: f64,
    /// L = ρ v_SV², of the S waves along the axis, and of the SV wave normal to it [Pa].
    pub l: f64,
    /// N = ρ v_SH², of the SH wave normal to the axis [Pa].
    pub n: f64,
}

impl Love {
    /// The moduli from the speeds of vertical (v) and horizontal (h) propagation.
    ///
    /// # Arguments
    /// * `vp`, `vs` – speeds of P and S waves [m/s]: `[vpv, vph]`, `[vsv, vsh]`
    /// * `eta` – F / (A - 2 L) [–], 1 in an isotropic solid
    /// * `rho` – density [kg/m³]
    pub fn from_speeds([vpv, vph]: [f64; 2], [vsv, vsh]: [f64; 2], eta: f64, rho: f64) -> Self {
        let (a, l) = (rho * vph * vph, rho * vsv * vsv);
        Self { a, c: rho * vpv * vpv, f: eta * (a - 2.0 * l), l, n: rho * vsh * vsh }
    }

    /// The moduli of an isotropic solid.
    ///
    /// # Arguments
    /// * `lambda`, `mu` – Lamé parameters [Pa]
    pub fn isotropic(lambda: f64, mu: f64) -> Self {
        let axial = lambda + 2.0 * mu;
        Self { a: axial, c: axial, f: lambda, l: mu, n: mu }
    }

    /// Bulk and shear modulus of Voigt's average [Pa], as those of [`Stiffness::isotropic_average`].
    pub fn mean_moduli(&self) -> (f64, f64) {
        let Self { a, c, f, l, n } = *self;
        let bulk = (4.0 * (a - n) + c + 4.0 * f) / 9.0;
        let shear = (a + c - 2.0 * f + 6.0 * l + 5.0 * n) / 15.0;
        (bulk, shear)
    }

    /// λ, μ, α/2, β/4, γ [Pa]: the parameters of [`stress_transversely_isotropic`](crate::stress_transversely_isotropic).
    pub fn parameters(&self) -> [f64; 5] {
        let Self { a, c, f, l, n } = *self;
        [a - 2.0 * n, n, 0.5 * (f - a + 2.0 * n), 0.25 * (a + c - 2.0 * f - 4.0 * l), l - n]
    }

    /// Checks that the moduli are finite and that every deformation stores energy.
    ///
    /// The six moduli of [`Stiffness::moduli`] are here 2 L and 2 N, both twice, and the two eigenvalues of
    /// [[2 (A - N), √2 F], [√2 F, C]].
    ///
    /// # Errors
    /// As [`Stiffness::check`]. Verified by `love_is_checked_as_its_21_coefficients`.
    pub fn check(&self) -> Result<(), PhysicsError> {
        for (row, column, value) in [(1, 1, self.a), (3, 3, self.c), (1, 3, self.f), (4, 4, self.l), (6, 6, self.n)] {
            if !value.is_finite() {
                return Err(PhysicsError::StiffnessNotFinite { row, column, value });
            }
        }
        let across = 2.0 * (self.a - self.n);
        let middle = 0.5 * (across + self.c);
        let radius = (0.5 * (across - self.c)).hypot(std::f64::consts::SQRT_2 * self.f);
        let moduli = [2.0 * self.l, 2.0 * self.n, middle - radius, middle + radius];
        let smallest = moduli.into_iter().fold(f64::INFINITY, f64::min);
        let largest = moduli.into_iter().fold(f64::NEG_INFINITY, f64::max);
        if smallest > RELATIVE_ZERO * largest {
            return Ok(());
        }
        Err(PhysicsError::StiffnessNotPositive { smallest, largest })
    }

    /// The slowest phase speed over all directions and polarisations [m/s], in closed form.
    ///
    /// # Arguments
    /// * `rho` – density [kg/m³]
    /// # Domain
    /// Moduli that pass [`check`](Self::check). Verified by `extreme_speeds_of_love_match_a_scan`.
    pub fn slowest(&self, rho: f64) -> f64 {
        let inner = self.turning_points().map(|s| self.inclined(s)[0]);
        (inner.into_iter().fold(self.l.min(self.n), f64::min) / rho).sqrt()
    }

    /// The fastest phase speed over all directions and polarisations [m/s], in closed form.
    ///
    /// # Arguments
    /// * `rho` – density [kg/m³]
    /// # Domain
    /// Moduli that pass [`check`](Self::check). Verified by `extreme_speeds_of_love_match_a_scan`.
    pub fn fastest(&self, rho: f64) -> f64 {
        let inner = self.turning_points().map(|s| self.inclined(s)[1]);
        (inner.into_iter().fold(self.a.max(self.c).max(self.n), f64::max) / rho).sqrt()
    }

    /// ρ v² of the quasi-SV and quasi-P wave at an angle θ from the axis [Pa], s = sin² θ.
    ///
    /// 2 ρ v² = p + q s ∓ √R(s),  R = r₀ + r₁ s + r₂ s²
    fn inclined(&self, s: f64) -> [f64; 2] {
        let ([p, q], [r0, r1, r2]) = self.coefficients();
        let root = (r0 + s * (r1 + s * r2)).max(0.0).sqrt();
        [0.5 * (p + q * s - root), 0.5 * (p + q * s + root)]
    }

    /// Values of sin² θ between 0 and 1 at which the quasi-SV or quasi-P speed may be extreme: solutions of 2 q √R = ± R', squared. A missing solution is
    /// replaced by an end of the range.
    fn turning_points(&self) -> [f64; 2] {
        let ([_, q], [r0, r1, r2]) = self.coefficients();
        let excess = r2 - q * q;
        let (square, half, constant) = (4.0 * r2 * excess, 2.0 * r1 * excess, r1 * r1 - 4.0 * q * q * r0);
        let largest = square.abs().max(half.abs()).max(constant.abs());
        let root = (half * half - square * constant).sqrt();
        // Avoids cancellation: the root of larger magnitude first, the other one from their product.
        let sum = -(half + root.copysign(half));
        let roots =
            if square.abs() > RELATIVE_ZERO * largest { [sum / square, constant / sum] } else { [constant / sum; 2] };
        roots.map(|s| if s > 0.0 && s < 1.0 { s } else { 0.0 })
    }

    /// p, q and r₀, r₁, r₂ of [`inclined`](Self::inclined).
    fn coefficients(&self) -> ([f64; 2], [f64; 3]) {
        let Self { a, c, f, l, .. } = *self;
        // Γ₁₁ - Γ₃₃ = -(C - L) + (A + C - 2 L) s and Γ₁₃² = (F + L)² s (1 - s).
        let (along, sum, coupling) = (c - l, a + c - 2.0 * l, 4.0 * (f + l) * (f + l));
        ([c + l, a - c], [along * along, coupling - 2.0 * along * sum, sum * sum - coupling])
    }
}

impl Stiffness {
    /// A transversely isotropic solid with a vertical axis: C₁₁ = C₂₂ = A, C₃₃ = C, C₁₃ = C₂₃ = F, C₄₄ = C₅₅ = L, C₆₆ = N, C₁₂ = A - 2 N. [`Love::check`]
    /// checks the moduli.
    ///
    /// # Source
    /// Dziewonski & Anderson (1981), Preliminary reference Earth model, section 3. Verified by `speeds_along_and_normal_to_the_axis_match_loves_moduli`.
    pub fn transversely_isotropic(love: Love) -> Self {
        let Love { a, c, f, l, n } = love;
        let b = a - 2.0 * n;
        let mut coefficients = [0.0; 21];
        coefficients[..3].copy_from_slice(&[a, b, f]);
        coefficients[6..8].copy_from_slice(&[a, f]);
        coefficients[11] = c;
        coefficients[15] = l;
        coefficients[18] = l;
        coefficients[20] = n;
        Self(coefficients)
    }

    /// A transversely isotropic solid with an arbitrary axis of symmetry.
    ///
    /// # Arguments
    /// * `love` – moduli relative to the axis [Pa]
    /// * `axis` – unit vector [–]
    pub fn transversely_isotropic_about(love: Love, axis: [f64; 3]) -> Self {
        let upright = Self::transversely_isotropic(love);
        if axis == [0.0, 0.0, 1.0] { upright } else { upright.turned(&rotation_from_vertical(axis)) }
    }
}

/// A rotation that takes the vertical to a unit vector.
fn rotation_from_vertical([x, y, z]: [f64; 3]) -> [[f64; 3]; 3] {
    let across = x.hypot(y);
    let (ca, sa) = if across > 0.0 { (y / across, x / across) } else { (1.0, 0.0) };
    [[ca, sa * z, x], [-sa, ca * z, y], [0.0, -across, z]]
}
