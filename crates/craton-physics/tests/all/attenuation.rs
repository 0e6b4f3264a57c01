//! Relaxation of moduli: the fit of a quality factor, and the law in time.

#![allow(clippy::print_stdout)] // tests print what they fitted

use std::f64::consts::{PI, TAU};

use craton_physics::{MEMORY, PhysicsError, QualityLaw, Relaxation, decay, relax, stress_isotropic};

fn relaxation(mechanisms: usize) -> Relaxation {
    Relaxation::new([0.1, 10.0], mechanisms, QualityLaw::CONSTANT).unwrap()
}

#[test]
fn three_mechanisms_fit_two_decades() {
    let relaxation = relaxation(3);
    assert!(relaxation.rates().is_sorted());
    for quality in [5.0, 10.0, 20.0, 50.0, 100.0, 1000.0, 57_822.0] {
        let coefficients = relaxation.coefficients(quality).unwrap();
        let fit = relaxation.fit(quality, &coefficients, 1.0);
        println!("{quality}: {coefficients:.4?} {fit:?}");
        assert!(coefficients.iter().all(|&y| y > 0.0) && coefficients.iter().sum::<f64>() < 1.0);
        assert!(fit.deviation < if quality < 20.0 { 0.07 } else { 0.035 }, "{quality}: {fit:?}");
        // Kjartansson's law of a constant quality factor at all frequencies.
        let power = (1.0 / quality).atan() / PI;
        for (found, frequency) in fit.speeds.into_iter().zip([0.1_f64, 10.0]) {
            let expected = frequency.powf(power);
            assert!((found - expected).abs() < 0.15 * (expected - 1.0).abs(), "{quality}: {found} {expected}");
        }
        let speed = |frequency: f64| relaxation.speed(&coefficients, frequency) / relaxation.speed(&coefficients, 1.0);
        for frequency in [0.3_f64, 3.0] {
            let expected = frequency.powf(power);
            assert!((speed(frequency) - expected).abs() < 0.05 * (expected - 1.0).abs(), "{quality}, {frequency} Hz");
        }
    }
}

#[test]
fn more_mechanisms_fit_better() {
    let deviation = |mechanisms: usize| {
        let relaxation = relaxation(mechanisms);
        relaxation.fit(40.0, &relaxation.coefficients(40.0).unwrap(), 1.0).deviation
    };
    let all: Vec<f64> = (1..=8).map(deviation).collect();
    println!("{all:.5?}");
    assert!(all[..5].is_sorted_by(|a, b| b < a), "{all:?}");
    assert!(all[4..].iter().all(|&own| own < 0.003), "{all:?}");
}

#[test]
fn a_power_law_is_fitted_above_its_corner() {
    let law = QualityLaw { corner: 1.0, exponent: 0.6 };
    let relaxation = Relaxation::new([0.05, 5.0], 4, law).unwrap();
    let coefficients = relaxation.coefficients(50.0).unwrap();
    let fit = relaxation.fit(50.0, &coefficients, 1.0);
    assert!(fit.deviation < 0.06, "{fit:?}");
    let [re, im] = relaxation.modulus(&coefficients, 4.0);
    assert!((re / im / (50.0 * 4.0_f64.powf(0.6)) - 1.0).abs() < 0.06);
}

#[test]
fn an_infinite_quality_factor_is_elastic_and_a_low_one_is_refused() {
    let relaxation = relaxation(3);
    assert_eq!(relaxation.coefficients(f64::INFINITY).unwrap(), [0.0; 3]);
    for (quality, hint) in [(0.02, "1/Q"), (3.0, "larger"), (f64::NAN, "larger")] {
        let Err(PhysicsError::OutOfRange { hint: found, .. }) = relaxation.coefficients(quality) else {
            panic!("{quality} must be refused")
        };
        assert!(found.contains(hint), "{quality}: {found}");
    }
    for band in [[0.0, 1.0], [1.0, 1.0], [1.0, f64::NAN]] {
        assert!(Relaxation::new(band, 3, QualityLaw::CONSTANT).is_err());
    }
    assert!(Relaxation::new([0.1, 1.0], 9, QualityLaw::CONSTANT).is_err());
}

/// An isotropic solid with mechanisms: unrelaxed bulk and shear modulus, and the decay and the coefficients of each mechanism.
struct Solid {
    kappa: f64,
    mu: f64,
    mechanisms: Vec<[f64; 3]>,
    memory: Vec<[f64; MEMORY]>,
}

impl Solid {
    fn new(kappa: f64, mu: f64, mechanisms: Vec<[f64; 3]>) -> Self {
        let memory = vec![[0.0; MEMORY]; mechanisms.len()];
        Self { kappa, mu, mechanisms, memory }
    }

    fn stress(&mut self, grad_u: [[f64; 3]; 3]) -> [f64; 6] {
        let (kappa, mu) = (self.kappa, self.mu);
        let mut stress = stress_isotropic(kappa - 2.0 / 3.0 * mu, mu, grad_u);
        for (&[decay, bulk, shear], memory) in self.mechanisms.iter().zip(&mut self.memory) {
            let moduli = [kappa * bulk - 2.0 / 3.0 * mu * shear, mu * shear];
            (stress, *memory) = relax(decay, moduli, *memory, grad_u, stress);
        }
        stress.to_voigt()
    }
}

/// Complex stress of steady oscillations over the strain, component by component of Voigt's order, from the law in time.
fn response(solid: &mut Solid, grad_u: [[f64; 3]; 3], omega: f64, dt: f64, steps: usize) -> [[f64; 2]; 6] {
    // Least squares of A cos + B sin over the last periods.
    let (mut matrix, mut right) = ([0.0; 3], [[0.0; 2]; 6]);
    for step in 0..steps {
        let (sin, cos) = (omega * step as f64 * dt).sin_cos();
        let stress = solid.stress(grad_u.map(|row| row.map(|value| value * cos)));
        if step > steps / 2 {
            matrix = [matrix[0] + cos * cos, matrix[1] + cos * sin, matrix[2] + sin * sin];
            for (right, stress) in right.iter_mut().zip(stress) {
                *right = [right[0] + cos * stress, right[1] + sin * stress];
            }
        }
    }
    let [cc, cs, ss] = matrix;
    let det = cc * ss - cs * cs;
    // Re (M e^{iωt}) = Re M cos - Im M sin.
    right.map(|[c, s]| [(ss * c - cs * s) / det, -(cc * s - cs * c) / det])
}

#[test]
fn relaxed_stress_has_the_complex_moduli_of_its_mechanisms() {
    for count in [1, 2, 3, 5, 8] {
        check_moduli(count);
    }
}

fn check_moduli(count: usize) {
    let relaxation = relaxation(count);
    let (kappa, mu, dt) = (5.0, 2.0, 0.004);
    let [bulk, shear] = [80.0, 20.0].map(|quality| relaxation.coefficients(quality).unwrap());
    let mechanism = |l: usize| [decay(relaxation.rates()[l], dt), bulk[l], shear[l]];
    let grad_u = [[0.3, -0.2, 0.5], [0.7, -0.4, 0.1], [0.2, 0.6, 0.9]];
    for frequency in [0.2, 1.0, 7.0] {
        let omega = TAU * frequency;
        // The trapezoidal rule replaces the frequency.
        let seen = 2.0 / dt * (0.5 * omega * dt).tan() / TAU;
        let [bulk, shear] =
            [(kappa, &bulk), (mu, &shear)].map(|(unrelaxed, y)| relaxation.modulus(y, seen).map(|m| m * unrelaxed));
        let trace = grad_u[0][0] + grad_u[1][1] + grad_u[2][2];
        let strain = |a: usize, b: usize| 0.5 * (grad_u[a][b] + grad_u[b][a]);
        let mut solid = Solid::new(kappa, mu, (0..count).map(mechanism).collect());
        let found = response(&mut solid, grad_u, omega, dt, 40_000);
        for (c, (a, b)) in [(0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1)].into_iter().enumerate() {
            let mean = if a == b { trace } else { 0.0 };
            for part in 0..2 {
                let expected = bulk[part] * mean + 2.0 * shear[part] * (strain(a, b) - mean / 3.0);
                assert!(
                    (found[c][part] - expected).abs() < 1e-6 * kappa,
                    "{count}, {frequency} Hz, {c}: {found:?}, {expected}"
                );
            }
        }
    }
}

#[test]
fn a_mechanism_without_coefficients_changes_no_stress() {
    let grad_u = [[0.3, -0.2, 0.5], [0.7, -0.4, 0.1], [0.2, 0.6, 0.9]];
    let mut solid = Solid::new(5.0, 2.0, vec![[0.9, 0.0, 0.0]]);
    solid.memory[0] = [0.1; MEMORY];
    let elastic = stress_isotropic(5.0 - 4.0 / 3.0, 2.0, grad_u).to_voigt();
    assert_eq!(solid.stress(grad_u), elastic);
}
