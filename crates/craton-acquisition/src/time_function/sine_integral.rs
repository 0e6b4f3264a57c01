//! The sine integral.

use craton_fft::Complex64;
use std::f64::consts::FRAC_PI_2;

/// Limit between the power series (below) and the continued fraction (above).
const FAR: f64 = 4.0;
/// Number of terms with which either converges to round-off on its side of [`FAR`].
const TERMS: u32 = 80;

/// Si(x) = ∫ sin(u) / u du from 0 to x.
///
/// # Source
/// Abramowitz and Stegun, 5.2.14; 5.1.22 for E1(i x), whose imaginary part is Si(x) - π/2. Verified by
/// `tabulated_values_are_reproduced`.
pub(super) fn sine_integral(x: f64) -> f64 {
    let size = x.abs();
    let value = if size < FAR { series(size) } else { FRAC_PI_2 + exponential_integral(size).im };
    value.copysign(x)
}

/// Σ (-1)^k x^(2k+1) / ((2k+1) (2k+1)!).
fn series(x: f64) -> f64 {
    let mut power = x;
    let mut sum = x;
    for k in 1..TERMS / 2 {
        let n = f64::from(2 * k + 1);
        power *= -x * x / (n * (n - 1.0));
        sum += power / n;
    }
    sum
}

/// E1(i x) = exp(-i x) / (i x + 1 - 1 / (i x + 3 - 4 / (i x + 5 - ...))), evaluated from the innermost term.
fn exponential_integral(x: f64) -> Complex64 {
    let z = Complex64::new(0.0, x);
    let mut fraction = z + f64::from(2 * TERMS + 1);
    for k in (1..=TERMS).rev() {
        let k = f64::from(k);
        fraction = z + (2.0 * k - 1.0) - k * k / fraction;
    }
    Complex64::from_polar(1.0, -x) / fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabulated_values_are_reproduced() {
        let known = [
            (0.0, 0.0),
            (0.5, 0.493_107_418_043_066_7),
            (1.0, 0.946_083_070_367_183),
            (2.0, 1.605_412_976_802_694_8),
            (10.0, 1.658_347_594_218_874),
            (100.0, 1.562_225_466_889_056_3),
        ];
        for (x, value) in known {
            // Round-off of a few operations.
            assert!((sine_integral(x) - value).abs() < 4e-15, "{x}: {}", sine_integral(x));
            assert_eq!(sine_integral(-x), -sine_integral(x));
        }
    }

    #[test]
    fn series_and_continued_fraction_agree() {
        for x in [FAR - 0.5, FAR, FAR + 1.0] {
            let difference = series(x) - FRAC_PI_2 - exponential_integral(x).im;
            // Terms of the series reach 10 there, so that cancellation costs a digit.
            assert!(difference.abs() < 1e-14, "{x}: {difference}");
        }
    }
}
