//! Averages of material and stress rates on a staggered grid.

use craton_physics::{edge_modulus, face_buoyancy, normal_stress_rates, shear_stress_rate, stress_isotropic};

#[test]
fn harmonic_mean_of_moduli_vanishes_next_to_a_fluid() {
    let mean = edge_modulus([1.0, 0.5, 0.25, 0.125_f64]);
    assert!((mean - 4.0 / 1.875).abs() < 1e-15);
    assert_eq!(edge_modulus([0.2, 0.2, 0.2, 0.2_f64]), 5.0);
    assert_eq!(edge_modulus([1.0, 0.5, f64::INFINITY, 0.125]), 0.0);
    assert_eq!(edge_modulus([1.0_f32, f32::INFINITY, f32::INFINITY, f32::INFINITY]), 0.0);
}

#[test]
fn buoyancy_is_that_of_the_mean_density() {
    assert_eq!(face_buoyancy([2000.0, 3000.0_f64]), 1.0 / 2500.0);
    assert_eq!(face_buoyancy([2000.0, f64::INFINITY]), 0.0);
    assert_eq!(face_buoyancy([2000.0_f32, 1e-20]), 1.0 / 1000.0);
}

#[test]
fn staggered_rates_are_those_of_the_isotropic_law() {
    let (lambda, mu) = (3e10, 2e10);
    let grad = [[1.0, 0.3, -0.2], [0.7, -2.0, 0.1], [0.4, -0.6, 0.5]];
    let stress = stress_isotropic(lambda, mu, grad);
    let normal = normal_stress_rates(lambda, 1.0 / mu, [grad[0][0], grad[1][1], grad[2][2]]);
    for (rate, expected) in normal.into_iter().zip([stress.xx, stress.yy, stress.zz]) {
        assert!((rate / expected - 1.0_f64).abs() < 1e-14, "{rate} {expected}");
    }
    assert_eq!(shear_stress_rate(mu, [grad[1][2], grad[2][1]]), stress.yz);
    // A fluid: pressure only.
    assert_eq!(normal_stress_rates(lambda, f64::INFINITY, [1.0, -2.0, 0.5]), [-0.5 * lambda; 3]);
}
