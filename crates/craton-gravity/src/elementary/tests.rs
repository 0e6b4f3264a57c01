use craton_device::{Isa, Kernel, Scalar};

use super::*;

/// Difference of two numbers in units in the last place of the second.
fn ulps(value: f64, exact: f64) -> f64 {
    let ulp = f64::from_bits(exact.abs().to_bits() + 1) - exact.abs();
    ((value - exact) / ulp).abs()
}

/// Pseudorandom numbers between 0 and 1.
fn draws(count: usize) -> impl Iterator<Item = f64> {
    let mut state = 7_u64;
    std::iter::repeat_with(move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    })
    .take(count)
}

/// Logarithms of (p, q, a, b).
struct Logarithms<'a>(&'a [[f64; 4]]);

impl Kernel<f64> for Logarithms<'_> {
    type Output = Vec<f64>;
    const DOUBLE: Isa = Isa::Avx512;

    #[inline(always)]
    fn run<V: Lanes<Scalar = f64>>(self) -> Vec<f64> {
        let of = |&[p, q, a, b]: &[f64; 4]| {
            let mut values = [0.0; 16];
            ln_ratio((V::splat(p), V::splat(q)), (V::splat(a), V::splat(b))).store(&mut values, 0);
            values[V::COUNT - 1]
        };
        self.0.iter().map(of).collect()
    }
}

#[test]
fn logarithm_is_exact_to_three_ulps() {
    let near = draws(20_000).map(|x| x * 0.1715).chain((3..300).map(|k| 0.5_f64.powi(k)));
    // Near 1 the ratio a/b is exact and p/q is rounded; far from 1 p/q is exact.
    let near = near.map(|a| ([1.0 + a, 1.0 - a, a, 1.0], 2.0 * a.atanh()));
    let far = draws(20_000).zip(draws(40_000).skip(20_000)).map(|(x, y)| {
        let p = (1.4143 + x) * 2.0_f64.powi((y * 1800.0) as i32 / 2);
        ([p, 1.0, p - 1.0, p + 1.0], p.ln())
    });
    let cases: Vec<([f64; 4], f64)> = near.chain(far).collect();
    let arguments: Vec<[f64; 4]> = cases.iter().map(|case| case.0).collect();
    for isa in Isa::available() {
        for (value, (argument, exact)) in f64::dispatch(isa, Logarithms(&arguments)).into_iter().zip(&cases) {
            assert!(ulps(value, *exact) <= 3.0, "{}: {argument:?} gives {value:e}, not {exact:e}", isa.name());
        }
    }
}

#[test]
fn arctangent_is_exact_to_three_ulps() {
    let mut worst = 0.0_f64;
    for (x, y) in draws(200_000).zip(draws(400_000).skip(200_000)) {
        for (x, y) in [(x, y), (-x, y), (x, 1e-3 * y), (-1e-9 * x, y), (x, 1e-200 * y), (-x, 1e-12 * y)] {
            worst = worst.max(ulps(angle(y, x), y.atan2(x)));
        }
    }
    assert!(worst <= 3.0, "{worst} ulps");
    assert_eq!([angle(0.0, 0.0), angle(0.0, 1.0), angle(-1.0, 1.0)], [0.0, 0.0, FRAC_PI_4]);
    assert_eq!([angle(1.0, 0.0), angle(0.0, -1.0)], [FRAC_PI_2, PI]);
}

#[test]
fn sine_and_cosine_are_exact_to_round_off() {
    let quarters = (-8..=8).map(|n| f64::from(n) * FRAC_PI_2);
    for angle in draws(200_000).map(|t| 8.0 * PI * (t - 0.5)).chain(quarters) {
        let ((sine, cosine), exact) = (sin_cos(angle), angle.sin_cos());
        assert!((sine - exact.0).abs() <= 2.3e-16 && (cosine - exact.1).abs() <= 2.3e-16, "{angle}: {sine} {cosine}");
    }
    assert_eq!(sin_cos(0.0), (0.0, 1.0));
}
