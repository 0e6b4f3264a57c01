//! Vectorised logarithm and arctangent in double precision, and sine and cosine.
//!
//! The polynomials of the logarithm and the arctangent interpolate at Chebyshev points with an error of 1e-17, so that round-off dominates. Errors are given in units in the last place (ulps) of
//! the result.

use std::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4, LN_2, PI, SQRT_2};

use craton_device::Lanes;
use craton_physics::Real;

/// (atanh(s)/s - 1)/s² as a polynomial in s², for s² up to 0.0294: s = (√2 - 1)/(√2 + 1).
const ATANH: [f64; 7] = [
    0.3333333333333335,
    0.19999999999949722,
    0.14285714313001635,
    0.11111105565129939,
    0.09091444727837474,
    0.07665855309105386,
    0.07308292712444311,
];

/// (atan(t)/t - 1)/t² as a polynomial in t², for t² up to 0.1716: t = tan(π/8).
const ATAN: [f64; 11] = [
    -0.3333333333333333,
    0.19999999999995516,
    -0.14285714284665682,
    0.11111111015187018,
    -0.0909090457530649,
    0.07692183125376892,
    -0.06664510525508936,
    0.05858140904866328,
    -0.050854078345894844,
    0.03923044778479309,
    -0.019175404711104935,
];

/// ln(p/q) = 2 atanh(a/b), from both ratios: a/b is accurate where p/q is near 1, p/q where it is large.
///
/// # Arguments
/// * `large` – (p, q), positive normal numbers, p >= q
/// * `small` – (a, b) with a/b = (p - q)/(p + q)
/// # Errors
/// 3 units in the last place if all four are exact. Verified by `elementary::tests::logarithm_is_exact_to_three_ulps`.
#[inline(always)]
pub fn ln_ratio<V: Lanes<Scalar = f64>>(large: (V, V), small: (V, V)) -> V {
    let one = V::constant(1.0);
    let two = V::constant(2.0);
    let root = V::constant(SQRT_2);
    let ((mut p, p_exponent), (mut q, q_exponent)) = (large.0.split_exponent(), large.1.split_exponent());
    let mut exponent = p_exponent - q_exponent;
    // The ratio of the mantissas lies between 1/2 and 2; reduce it to 1/√2 to √2.
    let (is_large, is_small) = ((root * q, p), (root * p, q));
    exponent = exponent + V::select_less(is_large.0, is_large.1, one, V::constant(0.0));
    exponent = exponent - V::select_less(is_small.0, is_small.1, one, V::constant(0.0));
    let doubled = (two * p, two * q);
    q = V::select_less(is_large.0, is_large.1, doubled.1, q);
    p = V::select_less(is_small.0, is_small.1, doubled.0, p);
    let half = V::constant(0.5);
    let s = V::select_less(exponent, half, small.0, p - q) / V::select_less(exponent, half, small.1, p + q);
    let s2 = s * s;
    let atanh = (s * s2).mul_add(polynomial(&ATANH, s2), s);
    exponent.mul_add(V::constant(LN_2), two * atanh)
}

/// Angle of (x, |y|) from the x axis, 0 to π; 0 where both are 0.
///
/// # Errors
/// 3 units in the last place. Verified by `elementary::tests::arctangent_is_exact_to_three_ulps`.
#[inline(always)]
pub fn angle<R: Real>(y: R, x: R) -> R {
    let (y, x_size) = (y.abs(), x.abs());
    let (low, high) = (y.min(x_size), y.max(x_size));
    // Above π/8, compute the angle relative to π/4.
    let steep = (high * R::constant(SQRT_2 - 1.0), low);
    let numerator = R::select_less(steep.0, steep.1, low - high, low);
    let denominator = R::select_less(steep.0, steep.1, low + high, high);
    let t = numerator / denominator.max(R::constant(f64::MIN_POSITIVE));
    let t2 = t * t;
    let from = R::select_less(steep.0, steep.1, R::constant(FRAC_PI_4), R::constant(0.0));
    let octant = from + (t * t2).mul_add(polynomial(&ATAN, t2), t);
    let quadrant = R::select_less(x_size, y, R::constant(FRAC_PI_2) - octant, octant);
    R::select_less(x, R::constant(0.0), R::constant(PI) - quadrant, quadrant)
}

/// π/2 as a sum of two numbers, the first with so few digits that its product with a small integer is exact.
const RIGHT_ANGLE: [f64; 2] = [1.5707963267341256, 6.077100506506192e-11];
/// A number whose unit in the last place is 1.
const WHOLE: f64 = 6755399441055744.0;
/// Taylor series of (sin(r)/r - 1)/r² and of (cos(r) - 1 + r²/2)/r⁴ in r², for r up to π/4.
const SINE: [f64; 7] = [
    -1.0 / 6.0,
    1.0 / 120.0,
    -1.0 / 5040.0,
    1.0 / 362_880.0,
    -1.0 / 39_916_800.0,
    1.0 / 6_227_020_800.0,
    -1.0 / 1_307_674_368_000.0,
];
const COSINE: [f64; 7] = [
    1.0 / 24.0,
    -1.0 / 720.0,
    1.0 / 40_320.0,
    -1.0 / 3_628_800.0,
    1.0 / 479_001_600.0,
    -1.0 / 87_178_291_200.0,
    1.0 / 20_922_789_888_000.0,
];

/// Sine and cosine of an angle of a few turns [rad], bit-identical on all processors and GPUs: products and sums without fused operations.
///
/// # Errors
/// 2e-16 for angles up to 4π. Verified by `elementary::tests::sine_and_cosine_are_exact_to_round_off`.
#[inline(always)]
pub fn sin_cos(angle: f64) -> (f64, f64) {
    let shifted = angle * FRAC_2_PI + WHOLE;
    let turns = shifted - WHOLE;
    let r = (angle - turns * RIGHT_ANGLE[0]) - turns * RIGHT_ANGLE[1];
    let r2 = r * r;
    let horner = |terms: &[f64; 7]| terms[..6].iter().rev().fold(terms[6], |sum, term| sum * r2 + term);
    let sine = r + r * r2 * horner(&SINE);
    let cosine = 1.0 - (0.5 * r2 - r2 * r2 * horner(&COSINE));
    match shifted.to_bits() & 3 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

/// Horner's rule.
#[inline(always)]
fn polynomial<R: Real, const N: usize>(coefficients: &[f64; N], x: R) -> R {
    let mut sum = R::constant(coefficients[N - 1]);
    for k in (0..N - 1).rev() {
        sum = sum.mul_add(x, R::constant(coefficients[k]));
    }
    sum
}

#[cfg(test)]
mod tests;
