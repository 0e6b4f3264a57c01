//! Second derivatives on a regular grid: coefficients, dispersion and stability.
//!
//! ```text
//! h² f''(x) ≈ Σ_{m=1..L} w_m [f(x + m h) - 2 f(x) + f(x - m h)]
//! ```
//!
//! A plane wave exp(i k x) is differentiated as if its wavenumber were k_eff, (k_eff h)² = S(k h) = Σ 4 w_m sin²(m k h / 2). With exact time integration a wave
//! along an axis travels at dk_eff/dk times its group velocity, as with staggered first derivatives ([`craton_numerics::staggered`]).

use craton_numerics::NumericsError;
use craton_numerics::staggered::{MAX_GROUP_ERROR, MAX_HALF_LENGTH, MIN_GROUP_ERROR};

use super::equiripple;

/// Coefficients of a second derivative on a regular grid.
#[derive(Debug, Clone, PartialEq)]
pub struct CentralStencil {
    coefficients: Vec<f64>,
}

impl CentralStencil {
    /// The coefficients of highest order, 2 L: w_m = 2 (-1)^(m+1) L!² / (m² (L - m)! (L + m)!).
    ///
    /// # Arguments
    /// * `half_length` – L, 1 to [`MAX_HALF_LENGTH`]
    /// # Errors
    /// A half-length out of range.
    ///
    /// Verified by `scalar::stencil::tests::taylor_is_exact_on_polynomials`.
    pub fn taylor(half_length: usize) -> Result<Self, NumericsError> {
        check(half_length)?;
        let ratio =
            |m: usize| (1..=m).map(|n| (half_length + 1 - n) as f64 / (half_length + n) as f64).product::<f64>();
        let sign = |m: usize| if m % 2 == 1 { 2.0 } else { -2.0 };
        Ok(Self { coefficients: (1..=half_length).map(|m| sign(m) * ratio(m) / (m * m) as f64).collect() })
    }

    /// The coefficients with the widest band of wavenumbers in which the relative error of the group velocity is at most `group_error`: Holberg's criterion, as
    /// for staggered derivatives.
    ///
    /// # Arguments
    /// * `half_length` – L, 1 to [`MAX_HALF_LENGTH`]
    /// * `group_error` – bound E, [`MIN_GROUP_ERROR`] to [`MAX_GROUP_ERROR`]
    /// # Errors
    /// A half-length or a bound out of range.
    ///
    /// Verified by `scalar::stencil::tests::holberg_ripples_touch_the_bound`.
    pub fn holberg(half_length: usize, group_error: f64) -> Result<Self, NumericsError> {
        if !(MIN_GROUP_ERROR..=MAX_GROUP_ERROR).contains(&group_error) {
            let (what, value) = ("the relative error of the group velocity", group_error);
            return Err(NumericsError::OutOfRange { what, value, min: MIN_GROUP_ERROR, max: MAX_GROUP_ERROR });
        }
        let taylor = Self::taylor(half_length)?;
        Ok(Self { coefficients: equiripple::solve(&taylor.coefficients, group_error) })
    }

    /// w_1 to w_L [–]; that of the centre is -2 Σ w_m.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// Number L of taps on either side.
    pub fn half_length(&self) -> usize {
        self.coefficients.len()
    }

    /// Bound of (k_eff h)² [–] over all wavenumbers: the sum of the absolute values of all coefficients.
    pub fn absolute_sum(&self) -> f64 {
        let sum = self.coefficients.iter().sum::<f64>().abs();
        2.0 * (sum + self.coefficients.iter().map(|w| w.abs()).sum::<f64>())
    }

    /// Relative error of the group velocity dk_eff/dk - 1 [–] at k h = `kh` [rad], 0 to π.
    ///
    /// Verified by `scalar::stencil::tests::holberg_ripples_touch_the_bound`.
    pub fn group_velocity_error(&self, kh: f64) -> f64 {
        equiripple::group_velocity(&self.coefficients, kh) - 1.0
    }
}

fn check(half_length: usize) -> Result<(), NumericsError> {
    if (1..=MAX_HALF_LENGTH).contains(&half_length) {
        return Ok(());
    }
    let what = "the half-length of the stencil";
    Err(NumericsError::Degree { what, value: half_length, min: 1, max: MAX_HALF_LENGTH })
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use craton_numerics::staggered::StaggeredStencil;

    use super::*;

    #[test]
    fn taylor_is_exact_on_polynomials() {
        for half_length in 1..=MAX_HALF_LENGTH {
            let stencil = CentralStencil::taylor(half_length).unwrap();
            for power in (2..=2 * half_length as i32 + 1).step_by(2) {
                let derivative: f64 =
                    (1..).zip(stencil.coefficients()).map(|(m, w)| 2.0 * w * f64::from(m).powi(power)).sum();
                let exact = if power == 2 { 2.0 } else { 0.0 };
                let scale = (half_length as f64).powi(power);
                assert!((derivative - exact).abs() < 1e-14 * scale.max(1.0), "{half_length}, {power}: {derivative}");
            }
        }
        assert!((CentralStencil::taylor(4).unwrap().coefficients()[3] + 1.0 / 560.0).abs() < 1e-16);
    }

    #[test]
    fn holberg_ripples_touch_the_bound() {
        for half_length in 1..=MAX_HALF_LENGTH {
            for bound in [1e-5, 1e-4, 1e-3, 1e-2, MAX_GROUP_ERROR] {
                let stencil = CentralStencil::holberg(half_length, bound).unwrap();
                let error = |i: usize| stencil.group_velocity_error(PI * i as f64 / 20_000.0);
                let inside = |i: &usize| error(*i).abs() <= bound * (1.0 + 1e-6) + 1e-14;
                let band: Vec<f64> = (0..=20_000).take_while(inside).map(error).collect();
                let swings: Vec<&[f64]> = band.chunk_by(|a, b| a.signum() == b.signum()).collect();
                assert_eq!(swings.len(), half_length + 1, "half-length {half_length}, E = {bound}");
                for swing in &swings[..half_length] {
                    let peak = swing.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
                    assert!((peak - bound).abs() < 1e-4 * bound + 1e-13, "{half_length}, E = {bound}: {peak}");
                }
                // The band is almost that of the staggered stencil with the same bound.
                let end = PI * (band.len() - 1) as f64 / 20_000.0;
                let staggered = StaggeredStencil::holberg(half_length, bound).unwrap();
                let expected = staggered.largest_wavenumber(bound).unwrap();
                assert!(end > 0.95 * expected, "{half_length}, E = {bound}: {end} and {expected}");
                // So is the stable step, which is not shorter.
                let squares = 4.0 * staggered.absolute_sum().powi(2);
                assert!(stencil.absolute_sum() <= squares * (1.0 + 1e-9), "half-length {half_length}, E = {bound}");
            }
        }
    }
}
