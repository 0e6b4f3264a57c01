//! Holberg's equations, solved by Newton's method with continuation in the bound.
//!
//! Unknown are the L coefficients and the L - 1 wavenumbers beyond k = 0 where g = dk_eff/dk has an extremum:
//!
//! ```text
//! g(k_i) = 1 + s_i E,  g'(k_i) = 0,  k_0 = 0,  s_i = -+1 in turn, the last +1
//! ```
//!
//! Since g' vanishes at the extrema, a step of Newton's method splits in two: the coefficients from the first equations, at given wavenumbers; then each
//! wavenumber from its own second equation. This converges quadratically from a start that is close enough. On a narrow band the error is nearly a Chebyshev
//! polynomial in sin²(k h/2), which gives the start; continuation in small steps then leads from the bound of this band to the requested one.

use std::f64::consts::PI;

use super::arms;

/// Smallest bound of the relative error of the group velocity; below it round-off matters.
pub const MIN_GROUP_ERROR: f64 = 1e-9;
/// Largest bound of the relative error of the group velocity; larger errors are of no practical use.
pub const MAX_GROUP_ERROR: f64 = 0.1;

/// Largest sin²(k h/2) at the end of the band where the continuation starts: small against 1, large against round-off.
const START_BAND: f64 = 0.3;
/// Largest factor from one bound to the next; the Lth power of the band grows with it.
const STRIDE: f64 = 1.1;
/// Steps of Newton's method for one bound.
const NEWTON_STEPS: usize = 6;

/// Coefficients for a bound in its allowed range; length `half_length`.
pub(super) fn solve(half_length: usize, bound: f64) -> Vec<f64> {
    let (first, mut extrema) = start(half_length, bound);
    let strides = ((bound / first).ln().abs() / STRIDE.ln()).ceil() as i32;
    for stride in (0..strides).rev() {
        newton(&mut extrema, bound * (first / bound).powf(f64::from(stride) / f64::from(strides)));
    }
    newton(&mut extrema, bound)
}

/// A bound and the wavenumbers k h [rad] of its extrema, the first one 0.
///
/// Taylor's coefficients leave g - 1 = -b_L y^L + ..., y = sin²(k h/2), b_L = Π_{n=1..L} (2n - 1) / (2n). On [0, y_end] the best coefficients
/// make of it about a Chebyshev polynomial of amplitude 2 b_L (y_end / 4)^L.
fn start(half_length: usize, bound: f64) -> (f64, Vec<f64>) {
    let leading: f64 = (1..=half_length).map(|n| (2 * n - 1) as f64 / (2 * n) as f64).product();
    let y_end = (4.0 * (0.5 * bound / leading).powf(1.0 / half_length as f64)).min(START_BAND);
    let chebyshev = |i: usize| 2.0 * (y_end.sqrt() * (0.5 * PI * i as f64 / half_length as f64).sin()).asin();
    let mut extrema: Vec<f64> = (0..half_length).map(chebyshev).collect();
    let (mut coefficients, mut level) = on_band(&extrema, chebyshev(half_length));
    for _ in 0..NEWTON_STEPS {
        move_extrema(&mut extrema, &coefficients);
        (coefficients, level) = on_band(&extrema, chebyshev(half_length));
    }
    (level, extrema)
}

/// Iterates the extrema to convergence for `bound` and returns the coefficients.
fn newton(extrema: &mut [f64], bound: f64) -> Vec<f64> {
    let mut coefficients = with_bound(extrema, bound);
    for _ in 0..NEWTON_STEPS {
        move_extrema(extrema, &coefficients);
        coefficients = with_bound(extrema, bound);
    }
    coefficients
}

/// Newton step for the wavenumbers where g' = 0; the first, k = 0, is fixed.
fn move_extrema(extrema: &mut [f64], coefficients: &[f64]) {
    for kh in &mut extrema[1..] {
        *kh -= slope(coefficients, *kh) / curvature(coefficients, *kh);
    }
}

/// The coefficients with g = 1 + s_i E at the given wavenumbers.
fn with_bound(extrema: &[f64], bound: f64) -> Vec<f64> {
    let count = extrema.len();
    let row = |(i, &kh)| terms(count, kh).chain([1.0 + sign(i, count) * bound]).collect();
    solve_linear(extrema.iter().enumerate().map(row).collect())
}

/// The coefficients and the bound E with g = 1 + s_i E at the given wavenumbers and 1 - E at the end of the band.
fn on_band(extrema: &[f64], end: f64) -> (Vec<f64>, f64) {
    let count = extrema.len();
    let row = |(i, &kh)| terms(count, kh).chain([-sign(i, count), 1.0]).collect();
    let mut solution = solve_linear(extrema.iter().chain([&end]).enumerate().map(row).collect());
    let level = solution.pop().expect("one unknown follows the coefficients");
    (solution, level)
}

/// s_i: +1 for the last of `count` extrema, alternating towards the first.
fn sign(i: usize, count: usize) -> f64 {
    if (i + count) % 2 == 1 { 1.0 } else { -1.0 }
}

/// Factors of the coefficients in g: (2n - 1) cos((n - 1/2) k h).
fn terms(half_length: usize, kh: f64) -> impl Iterator<Item = f64> {
    (0..half_length).map(move |i| (2 * i + 1) as f64 * ((i as f64 + 0.5) * kh).cos())
}

/// g', per radian of k h.
fn slope(coefficients: &[f64], kh: f64) -> f64 {
    -2.0 * arms(coefficients).map(|(arm, c)| arm * arm * c * (arm * kh).sin()).sum::<f64>()
}

/// g'', per radian of k h squared.
fn curvature(coefficients: &[f64], kh: f64) -> f64 {
    -2.0 * arms(coefficients).map(|(arm, c)| arm.powi(3) * c * (arm * kh).cos()).sum::<f64>()
}

/// Solution of n equations by elimination with row pivoting; each row holds n factors and the right-hand side.
fn solve_linear(mut rows: Vec<Vec<f64>>) -> Vec<f64> {
    let n = rows.len();
    for k in 0..n {
        let pivot = (k..n).max_by(|&i, &j| rows[i][k].abs().total_cmp(&rows[j][k].abs())).unwrap_or(k);
        rows.swap(k, pivot);
        let pivot_row = rows[k].clone();
        for row in &mut rows[k + 1..] {
            let factor = row[k] / pivot_row[k];
            row.iter_mut().zip(&pivot_row).for_each(|(value, above)| *value -= factor * above);
        }
    }
    let mut solution = vec![0.0; n];
    for k in (0..n).rev() {
        let known: f64 = (k + 1..n).map(|j| rows[k][j] * solution[j]).sum();
        solution[k] = (rows[k][n] - known) / rows[k][k];
    }
    solution
}
