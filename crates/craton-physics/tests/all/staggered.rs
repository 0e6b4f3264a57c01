//! Averages of material and stress rates on a staggered grid.

use craton_physics::{
    decay, edge_modulus, face_buoyancy, normal_stress_rates, relax_pressure, relaxing_normal_rates, relaxing_part,
    relaxing_shear_rate, shear_stress_rate, stress_isotropic,
};

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

#[test]
fn relaxing_rates_are_those_of_the_relaxing_moduli() {
    let (lambda, mu, slopes) = (3e10, 2e10, [1.0, -2.0, 0.5_f64]);
    let (polynomials, [bulk, shear]) = ([[1.5, 2.0, -3.0], [1.2, -0.5, 4.0]], [1.0 / 80.0, 1.0 / 30.0]);
    let kappa = lambda + 2.0 / 3.0 * mu;
    let part = |loss: f64, [a, b, c]: [f64; 3]| a * loss + b * loss.powi(2) + c * loss.powi(3);
    assert!((relaxing_part(shear, polynomials[1]) / part(shear, polynomials[1]) - 1.0).abs() < 1e-14);
    let [kappa, relaxing_mu] = [kappa * part(bulk, polynomials[0]), mu * part(shear, polynomials[1])];
    let expected = normal_stress_rates(kappa - 2.0 / 3.0 * relaxing_mu, 1.0 / relaxing_mu, slopes);
    let found = relaxing_normal_rates(lambda, 1.0 / mu, [bulk, shear / mu], polynomials, slopes);
    for (found, expected) in found.into_iter().zip(expected) {
        assert!((found / expected - 1.0).abs() < 1e-13, "{found} {expected}");
    }
    // A fluid, and an edge that touches it.
    let fluid = relaxing_normal_rates(lambda, f64::INFINITY, [bulk, 0.0], polynomials, slopes);
    assert!(fluid.iter().all(|rate| (rate / (-0.5 * lambda * part(bulk, polynomials[0])) - 1.0).abs() < 1e-13));
    assert_eq!(relaxing_shear_rate(0.0, [0.0, shear / mu, 0.0, 0.0], polynomials[1], [1.0, 1.0]), 0.0);
    // Cells with the same loss; the mean compliance of cells with different ones.
    let moduli = [mu, 2.0 * mu, 0.5 * mu, mu];
    let edge = edge_modulus(moduli.map(|mu| 1.0 / mu));
    let same = relaxing_shear_rate(edge, moduli.map(|mu| shear / mu), polynomials[1], [0.4, 0.7]);
    assert!((same / (edge * part(shear, polynomials[1]) * 1.1) - 1.0).abs() < 1e-13);
    let losses = [0.0, shear, 2.0 * shear, 0.5 * shear];
    let linear = [1.0, 0.0, 0.0];
    let found = relaxing_shear_rate(edge, std::array::from_fn(|c| losses[c] / moduli[c]), linear, [1.0, 0.0]);
    let softened = edge_modulus(std::array::from_fn(|c| (1.0 + 1e-6 * losses[c]) / moduli[c]));
    assert!((found * 1e-6 / (edge - softened) - 1.0).abs() < 1e-5);
}

/// The response to a harmonic strain with the leapfrog's rate is that of the mechanism at the frequency tan(ω dt/2) 2/dt.
#[test]
fn staggered_memory_has_the_complex_modulus_of_its_mechanism() {
    let (rate, dt, omega, part) = (3.0_f64, 0.05, 2.0_f64, 0.2);
    let (mut memory, mut relaxed, steps) = (0.0, 0.0, 20_000);
    let mut products = [[0.0; 2]; 2];
    for step in 0..steps {
        let strain = |step: f64| (omega * dt * step).sin();
        let change = strain(f64::from(step) + 1.0) - strain(f64::from(step));
        let [moved, more] = relax_pressure(decay(rate, dt), 0.1, [part / 0.1, 0.0, 0.0], change, memory);
        memory = moved;
        relaxed += more;
        if step >= steps / 2 {
            let (s, c) = (omega * dt * (f64::from(step) + 1.0)).sin_cos();
            let row = [[s * s, s * c], [s * relaxed, c * relaxed]];
            (0..2).for_each(|a| (0..2).for_each(|b| products[a][b] += row[a][b]));
        }
    }
    let [[ss, sc], [rs, rc]] = products;
    let cc = f64::from(steps / 2) - ss;
    let det = ss * cc - sc * sc;
    let [re, im] = [(rs * cc - rc * sc) / det, (rc * ss - rs * sc) / det];
    let warped = 2.0 / dt * (0.5 * omega * dt).tan();
    let size = rate * rate + warped * warped;
    assert!((re + part * rate * rate / size).abs() < 1e-9, "{re}");
    assert!((im - part * rate * warped / size).abs() < 1e-9, "{im}");
}
