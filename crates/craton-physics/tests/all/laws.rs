//! The laws at one point: limits, symmetry, and reduction to the simpler law.

use craton_physics::{
    Anisotropic, Isotropic, Law, Love, Real, Stiffness, Sym3, TransverselyIsotropic, fluid_displacement, metric,
    paraxial_damping, physical_gradient, reference_flux, scalar_flux, stress_anisotropic, stress_isotropic,
    stress_transversely_isotropic, unit_axis,
};

const GRAD_U: [[f64; 3]; 3] = [[0.3, -1.1, 0.7], [0.2, 0.9, -0.4], [-0.6, 1.3, 0.5]];
const JACOBIAN: [[f64; 3]; 3] = [[2.0, 0.1, -0.2], [0.3, 1.5, 0.4], [-0.1, 0.2, 1.0]];

fn assert_close(got: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(got.len(), expected.len());
    for (g, e) in got.iter().zip(expected) {
        assert!((g - e).abs() <= tolerance, "{got:?} is not {expected:?}");
    }
}

#[test]
fn isotropic_stress_has_its_textbook_value() {
    let stress = stress_isotropic(3.0, 2.0, GRAD_U);
    // tr(eps) = 1.7, so lambda tr(eps) = 5.1.
    assert_close(&stress.to_voigt(), &[6.3, 8.7, 7.1, 1.8, 0.2, -1.8], 1e-14);
}

#[test]
fn isotropic_equals_its_21_coefficients() {
    let (lambda, mu) = (1.7e10, 2.3e10);
    let general = stress_anisotropic(&Stiffness::isotropic(lambda, mu).0, GRAD_U);
    let plain = stress_isotropic(lambda, mu, GRAD_U);
    assert_close(&general.to_voigt(), &plain.to_voigt(), 1e-5);
}

const AXIS: [f64; 3] = [2.0 / 7.0, -3.0 / 7.0, 6.0 / 7.0];

#[test]
fn transversely_isotropic_equals_its_21_coefficients() {
    let love = Love { a: 5.3e10, c: 4.1e10, f: 1.2e10, l: 1.4e10, n: 1.9e10 };
    for axis in [AXIS, [0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, -0.6, -0.8]] {
        let general = stress_anisotropic(&Stiffness::transversely_isotropic_about(love, axis).0, GRAD_U);
        let plain = stress_transversely_isotropic(love.parameters(), axis, GRAD_U);
        assert_close(&plain.to_voigt(), &general.to_voigt(), 1e-4);
    }
    let isotropic = stress_transversely_isotropic(Love::isotropic(1.7e10, 2.3e10).parameters(), AXIS, GRAD_U);
    assert_close(&isotropic.to_voigt(), &stress_isotropic(1.7e10, 2.3e10, GRAD_U).to_voigt(), 1e-4);
}

#[test]
fn an_axis_is_a_unit_vector_between_its_ends() {
    let end = |angle: f64| [angle.sin(), 0.0, angle.cos()];
    let [low, high] = [end(-0.05), end(0.05)];
    let half = |sign: f64| [0, 1, 2].map(|c| 0.5 * (high[c] + sign * low[c]));
    let coefficients = [half(1.0), half(-1.0), [0.0; 3], [0.0; 3]];
    for xi in [-1.0, -0.4, 0.0, 0.7, 1.0] {
        let axis = unit_axis(coefficients, [xi, 0.3, -0.2]);
        assert!((axis.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-5);
        // Between its ends the direction turns evenly but for the third power of the angle.
        assert!((axis[0].atan2(axis[2]) - 0.05 * xi).abs() < 2e-5, "{xi}");
    }
}

#[test]
fn laws_read_the_parameters_they_declare() {
    let read = std::cell::RefCell::new(std::collections::BTreeSet::new());
    let record = |p: usize| {
        read.borrow_mut().insert(p);
        p as f64
    };
    Isotropic::stress(record, AXIS, GRAD_U);
    assert_eq!(read.take(), (0..Isotropic::PARAMETERS).collect());
    TransverselyIsotropic::stress(record, AXIS, GRAD_U);
    assert_eq!(read.take(), (0..TransverselyIsotropic::PARAMETERS).collect());
    Anisotropic::stress(record, AXIS, GRAD_U);
    assert_eq!(read.take(), (0..Anisotropic::PARAMETERS).collect());
}

#[test]
fn rotation_without_strain_gives_no_stress() {
    let rotation = [[0.0, -0.3, 0.2], [0.3, 0.0, -0.7], [-0.2, 0.7, 0.0]];
    let c = std::array::from_fn(|k| 1.0 + k as f64);
    assert_eq!(stress_anisotropic(&c, rotation).to_voigt(), [0.0; 6]);
    assert_eq!(stress_isotropic(3.0, 2.0, rotation).to_voigt(), [0.0; 6]);
}

#[test]
fn anisotropic_energy_is_symmetric_in_its_two_fields() {
    let c: [f64; 21] = std::array::from_fn(|k| (1.0 + k as f64).sin());
    let other = JACOBIAN;
    let work = |stress: Sym3<f64>, grad: [[f64; 3]; 3]| -> f64 {
        let stress = stress.to_matrix();
        (0..9).map(|k| stress[k / 3][k % 3] * grad[k / 3][k % 3]).sum()
    };
    let (there, back) = (work(stress_anisotropic(&c, GRAD_U), other), work(stress_anisotropic(&c, other), GRAD_U));
    assert!((there - back).abs() < 1e-13, "{there} {back}");
    assert!(there.abs() > 0.1);
}

#[test]
fn cofactors_times_jacobian_is_the_determinant() {
    let (cofactors, det) = metric(JACOBIAN);
    assert!((det - 2.764).abs() < 1e-14, "{det}");
    for (a, cofactor) in cofactors.iter().enumerate() {
        for (b, axis) in JACOBIAN.iter().enumerate() {
            let product: f64 = cofactor.iter().zip(axis).map(|(c, x)| c * x).sum();
            let expected = if a == b { det } else { 0.0 };
            assert!((product - expected).abs() < 1e-14, "{a} {b} {product}");
        }
    }
}

#[test]
fn a_left_handed_element_has_a_negative_determinant() {
    assert_eq!(metric([[0.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]).1, -1.0);
}

#[test]
fn linear_fields_have_their_gradient() {
    let (cofactors, det) = metric(JACOBIAN);
    // u_i = sum_j GRAD_U[i][j] x_j, so du_i/dxi_a = sum_j GRAD_U[i][j] dx_j/dxi_a.
    let reference = GRAD_U.map(|row| JACOBIAN.map(|axis| (0..3).map(|j| row[j] * axis[j]).sum()));
    let gradient = physical_gradient(cofactors, det.recip(), reference);
    assert_close(gradient.as_flattened(), GRAD_U.as_flattened(), 1e-14);
}

#[test]
fn reference_flux_does_the_virtual_work_of_the_stress() {
    let (cofactors, det) = metric(JACOBIAN);
    let stress = stress_isotropic(3.0, 2.0, GRAD_U);
    let test_field = [[0.4, 0.1, -0.9], [0.8, -0.2, 0.6], [-0.7, 0.5, 0.3]];
    let flux = reference_flux(cofactors, stress);
    let on_the_cube: f64 = (0..9).map(|k| flux[k % 3][k / 3] * test_field[k / 3][k % 3]).sum();
    let gradient = physical_gradient(cofactors, det.recip(), test_field);
    let sigma = stress.to_matrix();
    let in_space: f64 = (0..9).map(|k| sigma[k / 3][k % 3] * gradient[k / 3][k % 3]).sum();
    assert!((on_the_cube - det * in_space).abs() < 1e-12, "{on_the_cube} {in_space}");
}

#[test]
fn scalar_flux_is_that_of_a_row_of_stress() {
    let (cofactors, _) = metric(JACOBIAN);
    let stress = stress_isotropic(3.0, 2.0, GRAD_U);
    let [xi, eta, zeta] = reference_flux(cofactors, stress);
    for (i, row) in stress.to_matrix().into_iter().enumerate() {
        assert_close(&scalar_flux(cofactors, row), &[xi[i], eta[i], zeta[i]], 1e-14);
    }
}

#[test]
fn a_fluid_moves_along_the_gradient_of_its_potential() {
    assert_close(&fluid_displacement(1.0 / 1020.0, [2040.0, 0.0, -510.0]), &[2.0, 0.0, -0.5], 1e-15);
}

#[test]
fn damping_passes_p_along_the_normal_and_s_across() {
    let normal = [2.0 / 3.0, -1.0 / 3.0, 2.0 / 3.0];
    let damping = paraxial_damping(2700.0, 6000.0, 3464.0, normal);
    let along = damping.apply(normal);
    assert_close(&along, &normal.map(|n| 2700.0 * 6000.0 * n), 1e-8);
    let across = [1.0, 2.0, 0.0];
    assert_close(&damping.apply(across), &across.map(|t| 2700.0 * 3464.0 * t), 1e-8);
}

#[test]
fn smaller_and_larger_choose_without_a_branch() {
    assert_eq!((Real::min(1.0_f32, 2.0), Real::max(1.0_f32, 2.0)), (1.0, 2.0));
    assert_eq!((Real::min(-1.0, -2.0), Real::max(-1.0, -2.0)), (-2.0, -1.0));
    assert_eq!(f64::select_less(f64::NAN, 1.0, 10.0, 20.0), 20.0);
}
