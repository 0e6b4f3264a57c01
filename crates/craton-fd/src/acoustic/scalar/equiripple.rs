//! Coefficients of a second derivative with equal ripples of the group velocity, by Newton's method with continuation in the bound.
//!
//! With S(k) = Σ 4 w_m sin²(m k / 2), the group velocity is g = S' / (2 √S). Unknown are the coefficients and the wavenumbers k_1 to k_(L-1) of extrema:
//!
//! ```text
//! g(k_i) = 1 + s_i E,  g'(k_i) = 0,  k_0 = 0,  s_i = -+1 in turn, the last +1
//! ```
//!
//! Other than with staggered derivatives g is not linear in the coefficients, so that a step linearises the first equations, too. Start and continuation are the
//! same: on a narrow band the error is about a Chebyshev polynomial in sin²(k/2).
//!
//! # Source
//! Criterion of Holberg (1987), Geophysical Prospecting 35, 629-655.

use std::f64::consts::PI;

/// Largest sin²(k/2) at the end of the band where the continuation starts: small against 1, large against round-off.
const START_BAND: f64 = 0.3;
/// Largest factor from one bound to the next.
const STRIDE: f64 = 1.1;
/// Steps of Newton's method for one bound.
const NEWTON_STEPS: usize = 8;

/// Coefficients for a bound.
///
/// # Arguments
/// * `taylor` – coefficients of highest order, w_1 to w_L
pub fn solve(taylor: &[f64], bound: f64) -> Vec<f64> {
    let (first, mut extrema, mut coefficients) = start(taylor, bound);
    let strides = ((bound / first).ln().abs() / STRIDE.ln()).ceil() as i32;
    for stride in (0..strides.max(1)).rev() {
        let bound = bound * (first / bound).powf(f64::from(stride) / f64::from(strides.max(1)));
        for _ in 0..NEWTON_STEPS {
            with_bound(&mut coefficients, &extrema, bound);
            move_extrema(&mut extrema, &coefficients);
        }
        with_bound(&mut coefficients, &extrema, bound);
    }
    coefficients
}

/// dk_eff/dk at a wavenumber k h.
pub fn group_velocity(coefficients: &[f64], kh: f64) -> f64 {
    let [symbol, slope, ..] = derivatives(coefficients, kh);
    // The symbol is proportional to k² near 0.
    if kh < 1e-9 { (0.5 * derivatives(coefficients, 0.0)[2]).sqrt() } else { 0.5 * slope / symbol.sqrt() }
}

/// A bound, its extrema, the first one 0, and coefficients.
///
/// Taylor's coefficients leave g - 1 = -b y^L + ..., y = sin²(k/2), b = 4^L (2 L + 1) / ((L + 1)² C(2 L + 2, L + 1)).
fn start(taylor: &[f64], bound: f64) -> (f64, Vec<f64>, Vec<f64>) {
    let half_length = taylor.len();
    let length = half_length as f64;
    let central: f64 = (1..=half_length + 1).map(|n| (half_length + 1 + n) as f64 / n as f64).product();
    let leading = 4.0_f64.powf(length) * (2.0 * length + 1.0) / ((length + 1.0).powi(2) * central);
    let y_end = (4.0 * (0.5 * bound / leading).powf(1.0 / length)).min(START_BAND);
    let chebyshev = |i: usize| 2.0 * (y_end.sqrt() * (0.5 * PI * i as f64 / length).sin()).asin();
    let mut extrema: Vec<f64> = (0..half_length).map(chebyshev).collect();
    let (mut coefficients, mut level) = (taylor.to_vec(), 0.0);
    for _ in 0..NEWTON_STEPS {
        level = on_band(&mut coefficients, &extrema, chebyshev(half_length));
        move_extrema(&mut extrema, &coefficients);
    }
    (level, extrema, coefficients)
}

/// Newton step for the wavenumbers where g' = 0; the first, k = 0, is fixed.
fn move_extrema(extrema: &mut [f64], coefficients: &[f64]) {
    for kh in &mut extrema[1..] {
        let [s, s1, s2, s3] = derivatives(coefficients, *kh);
        let root = s.sqrt();
        let slope = 0.5 * s2 / root - 0.25 * s1 * s1 / (s * root);
        let curvature = 0.5 * s3 / root - 0.75 * s1 * s2 / (s * root) + 0.375 * s1.powi(3) / (s * s * root);
        *kh -= slope / curvature;
    }
}

/// Newton step for the coefficients with g = 1 + s_i E at the given wavenumbers.
fn with_bound(coefficients: &mut [f64], extrema: &[f64], bound: f64) {
    let count = extrema.len();
    let row = |(i, &kh): (usize, &f64)| {
        let missing = 1.0 + sign(i, count) * bound - group_velocity(coefficients, kh);
        factors(coefficients, kh).into_iter().chain([missing]).collect()
    };
    let change = solve_linear(extrema.iter().enumerate().map(row).collect());
    coefficients.iter_mut().zip(change).for_each(|(own, change)| *own += change);
}

/// The same with 1 - E at the end of the band and an unknown E, which is returned.
fn on_band(coefficients: &mut [f64], extrema: &[f64], end: f64) -> f64 {
    let count = extrema.len();
    let row = |(i, &kh): (usize, &f64)| {
        let missing = 1.0 - group_velocity(coefficients, kh);
        factors(coefficients, kh).into_iter().chain([-sign(i, count), missing]).collect()
    };
    let mut change = solve_linear(extrema.iter().chain([&end]).enumerate().map(row).collect());
    let level = change.pop().expect("one unknown follows the coefficients");
    coefficients.iter_mut().zip(change).for_each(|(own, change)| *own += change);
    level
}

/// s_i: +1 for the last of `count` extrema, alternating towards the first.
fn sign(i: usize, count: usize) -> f64 {
    if (i + count) % 2 == 1 { 1.0 } else { -1.0 }
}

/// Derivatives of g with respect to the coefficients.
fn factors(coefficients: &[f64], kh: f64) -> Vec<f64> {
    let [symbol, slope, ..] = derivatives(coefficients, kh);
    let velocity = group_velocity(coefficients, kh);
    let factor = |m: f64| match kh {
        0.0 => 0.5 * m * m / velocity,
        _ => m * (m * kh).sin() / symbol.sqrt() - slope * (0.5 * m * kh).sin().powi(2) / (symbol * symbol.sqrt()),
    };
    (1..=coefficients.len()).map(|m| factor(m as f64)).collect()
}

/// S and its first three derivatives.
fn derivatives(coefficients: &[f64], kh: f64) -> [f64; 4] {
    let mut sums = [0.0; 4];
    for (m, w) in (1..).zip(coefficients) {
        let m = f64::from(m);
        let (sine, cosine) = (m * kh).sin_cos();
        let terms = [4.0 * (0.5 * m * kh).sin().powi(2), 2.0 * m * sine, 2.0 * m * m * cosine, -2.0 * m.powi(3) * sine];
        sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += w * term);
    }
    sums
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
