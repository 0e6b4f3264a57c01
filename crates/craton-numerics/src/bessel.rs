//! The Bessel function of Kaiser windows.

/// Modified Bessel function I₀ by its power series, all terms of which are positive.
///
/// Verified by `bessel::tests::bessel_function_has_its_tabulated_values`.
pub(crate) fn bessel_i0(x: f64) -> f64 {
    let quarter = 0.25 * x * x;
    let (mut term, mut sum, mut k) = (1.0, 1.0, 1.0);
    while term > 1e-17 * sum {
        term *= quarter / (k * k);
        sum += term;
        k += 1.0;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bessel_function_has_its_tabulated_values() {
        for (x, value) in [(0.0, 1.0), (1.0, 1.2660658777520084), (10.0, 2815.716628466254), (20.0, 43558282.559553534)]
        {
            assert!((bessel_i0(x) / value - 1.0).abs() < 1e-14);
        }
    }
}
