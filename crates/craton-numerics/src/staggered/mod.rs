//! First derivatives on staggered grids: coefficients, dispersion and stability.
//!
//! The derivative of a field at a point midway between two grid points is
//!
//! ```text
//! h f'(x) ≈ Σ_{n=1..L} c_n [f(x + (n - 1/2) h) - f(x - (n - 1/2) h)]
//! ```
//!
//! with the half-length L, that is 2 L taps and order 2 L for Taylor's coefficients. A plane wave exp(i k x) is differentiated as if its wavenumber were k_eff,
//! k_eff h = 2 Σ c_n sin((n - 1/2) k h). With exact time integration, the wave travels at k_eff / k times its phase velocity and dk_eff / dk times its group
//! velocity. In several dimensions the error is largest for waves along a grid axis.
//!
//! # Source
//! Holberg (1987), Geophysical Prospecting 35, 629-655; Taylor's coefficients as in Fornberg (1988), Mathematics of Computation 51, 699-706.

mod holberg;

use std::f64::consts::{PI, TAU};

use crate::error::{NumericsError, within};

pub use holberg::{MAX_GROUP_ERROR, MIN_GROUP_ERROR};

/// Largest half-length: sixteen taps. Beyond it a wider stencil gains less than a finer grid.
pub const MAX_HALF_LENGTH: usize = 8;

/// Number of intervals of [0, π] in the search for the first wavenumber at which the group velocity exceeds its error bound.
const INTERVALS: usize = 2048;

/// Position of the points of a quantity on a staggered grid, along one axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GridPoints {
    /// At positions i h.
    Whole,
    /// At positions (i + 1/2) h.
    Half,
}

impl GridPoints {
    /// Position of point 0 in grid spacings: 0 or 1/2.
    pub fn offset(self) -> f64 {
        match self {
            Self::Whole => 0.0,
            Self::Half => 0.5,
        }
    }
}

/// Coefficients of a first derivative on a staggered grid, with their dispersion and stability.
#[derive(Debug, Clone, PartialEq)]
pub struct StaggeredStencil {
    coefficients: Vec<f64>,
}

impl StaggeredStencil {
    /// The coefficients of highest order, 2 L: exact on polynomials up to degree 2 L.
    ///
    /// c_n = (-1)^(n-1) / (2n-1) Π_{m≠n} (2m-1)² / |(2m-1)² - (2n-1)²|
    ///
    /// # Arguments
    /// * `half_length` – L, 1 to [`MAX_HALF_LENGTH`]
    /// # Errors
    /// [`NumericsError::Degree`] for a half-length out of range.
    ///
    /// Verified by `staggered::tests::taylor_has_its_closed_form` and
    /// `staggered::tests::derivative_of_a_sine_converges_at_its_order`.
    pub fn taylor(half_length: usize) -> Result<Self, NumericsError> {
        check(half_length)?;
        let odd = |n: usize| (2 * n - 1) as f64;
        let square = |n: usize| odd(n) * odd(n);
        let others = |n: usize| (1..=half_length).filter(move |&m| m != n);
        let coefficients = (1..=half_length)
            .map(|n| others(n).map(|m| square(m) / (square(m) - square(n))).product::<f64>() / odd(n))
            .collect();
        Ok(Self { coefficients })
    }

    /// The coefficients with the widest band of wavenumbers in which the relative error of the group velocity is at most `group_error`.
    ///
    /// From k = 0 on, dk_eff/dk - 1 oscillates L times between +E and -E before it finally falls below -E.
    ///
    /// # Arguments
    /// * `half_length` – L, 1 to [`MAX_HALF_LENGTH`]
    /// * `group_error` – E, [`MIN_GROUP_ERROR`] to [`MAX_GROUP_ERROR`]; 0.001 is 0.1 %
    /// # Errors
    /// A half-length or a bound out of range.
    /// # Source
    /// Holberg (1987). Verified by `staggered::tests::holberg_agrees_with_published_coefficients` and
    /// `staggered::tests::holberg_ripples_touch_the_bound`; on waves by `group_velocity::the_group_velocity_error_agrees_with_its_prediction` of `craton-fd`.
    pub fn holberg(half_length: usize, group_error: f64) -> Result<Self, NumericsError> {
        check(half_length)?;
        within("the relative error of the group velocity", group_error, MIN_GROUP_ERROR, MAX_GROUP_ERROR)?;
        Ok(Self { coefficients: holberg::solve(half_length, group_error) })
    }

    /// c_1 to c_L [–], the innermost pair of taps first; length [`Self::half_length`].
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients
    }

    /// Number L of taps on either side.
    pub fn half_length(&self) -> usize {
        self.coefficients.len()
    }

    /// Σ |c_n| [–], half of the largest possible k_eff h.
    pub fn absolute_sum(&self) -> f64 {
        self.coefficients.iter().map(|c| c.abs()).sum()
    }

    /// Numerical wavenumber k_eff h [rad] of the stencil at k h: 2 Σ c_n sin((n - 1/2) k h).
    ///
    /// # Arguments
    /// * `kh` – wavenumber times grid spacing k h [rad], 0 to π
    ///
    /// Verified by `staggered::tests::numerical_wavenumber_is_that_of_the_applied_stencil`.
    pub fn numerical_wavenumber(&self, kh: f64) -> f64 {
        2.0 * arms(&self.coefficients).map(|(arm, c)| c * (arm * kh).sin()).sum::<f64>()
    }

    /// Relative error of the phase velocity k_eff / k - 1 [–] at k h = `kh` [rad]; at 0 its limit, that of the group velocity.
    ///
    /// Verified by `staggered::tests::velocity_errors_agree_with_the_numerical_wavenumber`.
    pub fn phase_velocity_error(&self, kh: f64) -> f64 {
        if kh == 0.0 { self.group_velocity_error(0.0) } else { self.numerical_wavenumber(kh) / kh - 1.0 }
    }

    /// Relative error of the group velocity dk_eff/dk - 1 [–] at k h = `kh` [rad].
    ///
    /// Verified by `staggered::tests::velocity_errors_agree_with_the_numerical_wavenumber`.
    pub fn group_velocity_error(&self, kh: f64) -> f64 {
        group_velocity(&self.coefficients, kh) - 1.0
    }

    /// The largest k h [rad] up to which the group velocity stays within a relative error of `bound`; 0 if it exceeds the bound from k = 0 on.
    ///
    /// # Arguments
    /// * `bound` – allowed |dk_eff/dk - 1|, [`MIN_GROUP_ERROR`] to 1
    /// # Errors
    /// [`NumericsError::OutOfRange`] for a bound out of range.
    ///
    /// Verified by `staggered::tests::points_per_wavelength_agree_with_known_values`.
    pub fn largest_wavenumber(&self, bound: f64) -> Result<f64, NumericsError> {
        within("the bound of the group velocity's error", bound, MIN_GROUP_ERROR, 1.0)?;
        // Ripples that touch the bound may exceed it by round-off.
        let allowed = bound * (1.0 + 1e-9) + 1e-14;
        let inside = |kh: f64| self.group_velocity_error(kh).abs() <= allowed;
        if !inside(0.0) {
            return Ok(0.0);
        }
        let at = |i: usize| PI * i as f64 / INTERVALS as f64;
        let Some(first_outside) = (1..=INTERVALS).find(|&i| !inside(at(i))) else { return Ok(PI) };
        let (mut low, mut high) = (at(first_outside - 1), at(first_outside));
        for _ in 0..50 {
            let middle = 0.5 * (low + high);
            if inside(middle) { low = middle } else { high = middle }
        }
        Ok(low)
    }

    /// Grid points per wavelength, 2 π / (k h), that keep the group velocity within a relative error of `bound`.
    ///
    /// The grid spacing follows as h <= v_min / (points f_max). Infinite if no grid is fine enough, because the error of Holberg's coefficients does not vanish
    /// at long wavelengths.
    ///
    /// # Arguments
    /// * `bound` – allowed |dk_eff/dk - 1|, [`MIN_GROUP_ERROR`] to 1
    /// # Errors
    /// [`NumericsError::OutOfRange`] for a bound out of range.
    ///
    /// Verified by `staggered::tests::points_per_wavelength_agree_with_known_values`.
    pub fn points_per_wavelength(&self, bound: f64) -> Result<f64, NumericsError> {
        Ok(TAU / self.largest_wavenumber(bound)?)
    }

    /// Largest stable v_max dt / h [–] of the leapfrog: 1 / (Σ|c_n| √D).
    ///
    /// # Arguments
    /// * `dimensions` – D, 1 to 3, with one grid spacing h for all
    /// # Errors
    /// [`NumericsError::Degree`] for dimensions out of range.
    /// # Source
    /// von Neumann's condition (dt/2) ω <= 1 with ω = v_max k_eff √D. Verified by
    /// `staggered::tests::leapfrog_is_stable_up_to_the_factor_and_no_further`.
    pub fn stable_step_factor(&self, dimensions: usize) -> Result<f64, NumericsError> {
        if !(1..=3).contains(&dimensions) {
            return Err(NumericsError::Degree { what: "the number of dimensions", value: dimensions, min: 1, max: 3 });
        }
        Ok(1.0 / (self.absolute_sum() * (dimensions as f64).sqrt()))
    }
}

fn check(half_length: usize) -> Result<(), NumericsError> {
    if (1..=MAX_HALF_LENGTH).contains(&half_length) {
        return Ok(());
    }
    let what = "the half-length of the stencil";
    Err(NumericsError::Degree { what, value: half_length, min: 1, max: MAX_HALF_LENGTH })
}

/// Distances of the taps n - 1/2 in grid spacings, each with its coefficient.
fn arms(coefficients: &[f64]) -> impl Iterator<Item = (f64, f64)> {
    coefficients.iter().enumerate().map(|(i, &c)| (i as f64 + 0.5, c))
}

/// dk_eff/dk = Σ (2n - 1) c_n cos((n - 1/2) k h).
fn group_velocity(coefficients: &[f64], kh: f64) -> f64 {
    2.0 * arms(coefficients).map(|(arm, c)| arm * c * (arm * kh).cos()).sum::<f64>()
}

#[cfg(test)]
mod tests;
