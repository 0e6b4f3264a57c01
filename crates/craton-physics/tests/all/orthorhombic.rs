//! Averages of solids in cells with interfaces.

use craton_physics::{Orthorhombic, mixed_slopes, normal_stress_rates};

/// λ and μ [GPa].
const SOFT: [f64; 2] = [20.8, 10.4];
const STIFF: [f64; 2] = [32.4, 32.4];

fn solid([lambda, mu]: [f64; 2]) -> Orthorhombic {
    Orthorhombic::isotropic(lambda, mu)
}

fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12 * expected.abs().max(1.0), "{found} instead of {expected}");
}

#[test]
fn a_stack_of_layers_is_that_of_backus() {
    let (part, rest) = (0.3, 0.7);
    let found = Orthorhombic::laminate(2, &[(3.0, solid(SOFT)), (7.0, solid(STIFF))]);
    let mean = |of: fn([f64; 2]) -> f64| part * of(SOFT) + rest * of(STIFF);
    // The five coefficients A, C, F, L, N of Backus (1962), equation 13.
    let c = 1.0 / mean(|[l, m]| 1.0 / (l + 2.0 * m));
    let f = c * mean(|[l, m]| l / (l + 2.0 * m));
    let a = mean(|[l, m]| 4.0 * m * (l + m) / (l + 2.0 * m)) + f * f / c;
    let n = mean(|[_, m]| m);
    near(found.normal[2][2], c);
    near(found.normal[0][2], f);
    near(found.normal[2][1], f);
    near(found.normal[0][0], a);
    near(found.normal[1][1], a);
    near(found.normal[0][1], a - 2.0 * n);
    near(found.shear[0], 1.0 / mean(|[_, m]| 1.0 / m));
    near(found.shear[2], n);
}

#[test]
fn layers_of_one_solid_are_that_solid() {
    for axis in 0..3 {
        let one = solid(STIFF);
        let found = Orthorhombic::laminate(axis, &[(0.2, one), (1.3, one)]);
        for (own, expected) in found.normal.as_flattened().iter().zip(one.normal.as_flattened()) {
            near(*own, *expected);
        }
        found.shear.iter().for_each(|&own| near(own, STIFF[1]));
    }
}

#[test]
fn mixed_slopes_give_the_stress_of_the_orthorhombic_average() {
    let layers = Orthorhombic::laminate(2, &[(0.4, solid(SOFT)), (0.6, solid(STIFF))]);
    let average = Orthorhombic::laminate(0, &[(0.5, layers), (0.5, solid(SOFT))]);
    let (slopes, [lambda, mu]) = ([0.7, -1.3, 2.1], [24.0, 18.0]);
    let found = normal_stress_rates(lambda, 1.0 / mu, mixed_slopes(average.mixing(lambda, mu), slopes));
    for (own, row) in found.into_iter().zip(average.normal) {
        near(own, row.iter().zip(slopes).map(|(c, slope)| c * slope).sum());
    }
}
