//! The 21 coefficients: constructors, rotation, validation, and the speeds of plane waves.

use craton_physics::{Stiffness, Thomsen};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_3, PI};

/// Mesaverde shale-like, strongly anisotropic.
const SHALE: Thomsen = Thomsen { vp: 3928.0, vs: 2055.0, epsilon: 0.334, delta: 0.73, gamma: 0.575, rho: 2590.0 };
/// Weakly anisotropic in all three parameters.
const WEAK: Thomsen = Thomsen { vp: 3000.0, vs: 1500.0, epsilon: 0.02, delta: 0.01, gamma: 0.015, rho: 2400.0 };

fn assert_same(a: &Stiffness, b: &Stiffness, relative: f64) {
    let largest = a.0.iter().fold(0.0, |m: f64, c| m.max(c.abs()));
    for (x, y) in a.0.iter().zip(&b.0) {
        assert!((x - y).abs() <= relative * largest, "{a:?}\nis not\n{b:?}");
    }
}

/// A solid without any symmetry: a tilted shale plus some of another one.
fn triclinic() -> Stiffness {
    let (a, b) = (Stiffness::tti(SHALE, 0.7, 0.4).unwrap(), Stiffness::tti(WEAK, 1.2, 2.0).unwrap());
    Stiffness(std::array::from_fn(|k| 0.6 * a.0[k] + 0.4 * b.0[k]))
}

#[test]
fn matrix_and_21_coefficients_are_the_same() {
    let stiffness = triclinic();
    assert_eq!(Stiffness::from_matrix(&stiffness.matrix()).unwrap(), stiffness);
    assert_eq!(stiffness.matrix()[1][4], stiffness.0[9]);
    assert_eq!(stiffness.matrix()[5][4], stiffness.0[19]);
}

#[test]
fn isotropic_solid_has_two_moduli() {
    let (lambda, mu) = (5.0e9, 3.0e9);
    let moduli = Stiffness::isotropic(lambda, mu).moduli();
    for (got, expected) in moduli.iter().zip([6e9, 6e9, 6e9, 6e9, 6e9, 21e9]) {
        assert!((got - expected).abs() < 1e-3, "{moduli:?}");
    }
    let (l, m) = Stiffness::isotropic(lambda, mu).isotropic_average();
    assert!((l - lambda).abs() < 1e-3 && (m - mu).abs() < 1e-3);
}

#[test]
fn isotropic_average_does_not_depend_on_the_axes() {
    let upright = Stiffness::vti(SHALE).unwrap().isotropic_average();
    let tilted = Stiffness::tti(SHALE, 0.9, -2.0).unwrap().isotropic_average();
    assert!((upright.0 / tilted.0 - 1.0).abs() < 1e-12);
    assert!((upright.1 / tilted.1 - 1.0).abs() < 1e-12);
}

#[test]
fn quarter_turn_permutes_the_coefficients() {
    // About z: x' = y, y' = -x; this exchanges xx and yy, and yz and xz with a sign, and changes the sign of xy.
    let before = triclinic().matrix();
    let turn = [[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    let after = triclinic().rotated(&turn).unwrap().matrix();
    let from = [(1, 1.0), (0, 1.0), (2, 1.0), (4, -1.0), (3, 1.0), (5, -1.0)];
    for i in 0..6 {
        for j in 0..6 {
            let ((p, sign_p), (q, sign_q)) = (from[i], from[j]);
            assert!((after[i][j] - sign_p * sign_q * before[p][q]).abs() < 1e-3, "{i} {j}");
        }
    }
}

#[test]
fn rotation_keeps_moduli_and_an_isotropic_solid() {
    let (s, c) = 0.8_f64.sin_cos();
    let turn = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]];
    let (before, after) = (triclinic(), triclinic().rotated(&turn).unwrap());
    for (a, b) in before.moduli().iter().zip(after.moduli()) {
        assert!((a / b - 1.0).abs() < 1e-12);
    }
    let isotropic = Stiffness::from_speeds(5000.0, 3000.0, 2700.0);
    assert_same(&isotropic, &isotropic.rotated(&turn).unwrap(), 1e-14);
    assert_same(&triclinic(), &after.rotated(&[[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]).unwrap(), 1e-13);
}

#[test]
fn axis_of_symmetry_points_where_tilt_and_azimuth_say() {
    let (tilt, azimuth) = (FRAC_PI_3, 0.3);
    let tilted = Stiffness::tti(SHALE, tilt, azimuth).unwrap();
    let axis = [tilt.sin() * azimuth.sin(), tilt.sin() * azimuth.cos(), tilt.cos()];
    let [p, s1, s2] = tilted.christoffel(SHALE.rho, axis);
    assert!((p.speed - SHALE.vp).abs() < 1e-8 && (s1.speed - SHALE.vs).abs() < 1e-8);
    assert!((s2.speed - SHALE.vs).abs() < 1e-8);
    // An azimuth of 90 degrees is east: the axis of cracks that strike north.
    let east = Stiffness::hti(SHALE, FRAC_PI_2).unwrap().christoffel(SHALE.rho, [1.0, 0.0, 0.0]);
    assert!((east[0].speed - SHALE.vp).abs() < 1e-8);
    assert_same(&Stiffness::vti(SHALE).unwrap(), &Stiffness::tti(SHALE, 0.0, 1.3).unwrap(), 1e-14);
    assert_same(&Stiffness::vti(SHALE).unwrap(), &Stiffness::tti(SHALE, PI, 0.1).unwrap(), 1e-14);
}

#[test]
fn isotropic_speeds_do_not_depend_on_the_direction() {
    let stiffness = Stiffness::from_speeds(6000.0, 3464.0, 2700.0);
    for direction in [[1.0, 0.0, 0.0], [1.0, -2.0, 0.5], [0.0, 3.0, 3.0]] {
        let [p, s1, s2] = stiffness.christoffel(2700.0, direction);
        assert!((p.speed - 6000.0).abs() < 1e-9);
        assert!((s1.speed - 3464.0).abs() < 1e-9 && (s2.speed - 3464.0).abs() < 1e-9);
        let length = direction.iter().map(|n| n * n).sum::<f64>().sqrt();
        let along: f64 = (0..3).map(|i| p.polarisation[i] * direction[i] / length).sum();
        assert!((along.abs() - 1.0).abs() < 1e-12);
    }
    assert!((stiffness.fastest(2700.0) - 6000.0).abs() < 1e-9);
    assert!((stiffness.slowest(2700.0) - 3464.0).abs() < 1e-9);
}

/// Exact speeds of qP, qSV and SH at an angle from the axis: the closed form of Thomsen (1986),
/// equations 10a to 10d, written with coefficients over density.
fn exact_vti(solid: Thomsen, angle: f64) -> [f64; 3] {
    let (c33, c44) = (solid.vp.powi(2), solid.vs.powi(2));
    let (c11, c66) = (c33 * (1.0 + 2.0 * solid.epsilon), c44 * (1.0 + 2.0 * solid.gamma));
    let coupling = (c33 - c44) * (c33 - c44 + 2.0 * c33 * solid.delta);
    let sin2 = angle.sin().powi(2);
    let excess = c11 + c33 - 2.0 * c44;
    let root = ((c33 - c44).powi(2)
        + 2.0 * (2.0 * coupling - (c33 - c44) * excess) * sin2
        + (excess.powi(2) - 4.0 * coupling) * sin2.powi(2))
    .sqrt();
    let sum = c33 + c44 + (c11 - c33) * sin2;
    let [qp, qsv] = [0.5 * (sum + root), 0.5 * (sum - root)];
    [qp, qsv, c66 * sin2 + c44 * (1.0 - sin2)].map(f64::sqrt)
}

#[test]
fn vti_speeds_equal_thomsens_exact_ones() {
    for solid in [SHALE, WEAK] {
        let stiffness = Stiffness::vti(solid).unwrap();
        for step in 0..=18 {
            let angle = FRAC_PI_2 * f64::from(step) / 18.0;
            let direction = [angle.sin() * 0.6, angle.sin() * 0.8, angle.cos()];
            let [qp, qsv, sh] = exact_vti(solid, angle);
            let got = stiffness.christoffel(solid.rho, direction).map(|wave| wave.speed);
            let expected = [qp, qsv.max(sh), qsv.min(sh)];
            for (g, e) in got.iter().zip(expected) {
                assert!((g / e - 1.0).abs() < 1e-10, "{angle}: {got:?} {expected:?}");
            }
        }
    }
}

#[test]
fn weak_anisotropy_is_near_thomsens_approximation() {
    let stiffness = Stiffness::vti(WEAK).unwrap();
    for angle in [0.3, 0.7, 1.1, 1.5_f64] {
        let (sin2, cos2) = (angle.sin().powi(2), angle.cos().powi(2));
        let p = WEAK.vp * (1.0 + WEAK.delta * sin2 * cos2 + WEAK.epsilon * sin2 * sin2);
        let got = stiffness.christoffel(WEAK.rho, [0.0, angle.sin(), angle.cos()])[0].speed;
        assert!((got / p - 1.0).abs() < 5e-4, "{got} {p}");
    }
}

#[test]
fn extremes_bound_every_direction_and_are_reached() {
    for stiffness in [triclinic(), Stiffness::vti(SHALE).unwrap()] {
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for theta in 0..=180 {
            for phi in 0..180 {
                let (st, ct) = f64::from(theta).to_radians().sin_cos();
                let (sp, cp) = f64::from(phi).to_radians().sin_cos();
                let [p, _, s2] = stiffness.christoffel(2500.0, [st * cp, st * sp, ct]);
                (least, most) = (least.min(s2.speed), most.max(p.speed));
            }
        }
        let (slowest, fastest) = (stiffness.slowest(2500.0), stiffness.fastest(2500.0));
        assert!(slowest <= least * (1.0 + 1e-4) && slowest > least * (1.0 - 1e-3), "{slowest} {least}");
        assert!(fastest >= most * (1.0 - 1e-4) && fastest < most * (1.0 + 1e-3), "{fastest} {most}");
    }
}

#[test]
fn impossible_solids_are_refused_with_value_and_range() {
    let mut matrix = Stiffness::isotropic(1e9, 1e9).matrix();
    matrix[4][4] = -1e9;
    let message = Stiffness::from_matrix(&matrix).unwrap_err().to_string();
    assert!(message.contains("smallest modulus is -2000000000 Pa"), "{message}");
    assert!(!Stiffness::isotropic(1e9, 0.0).is_positive_definite());
    assert!(Stiffness::isotropic(1e9, 1e3).is_positive_definite());

    matrix[4][4] = f64::NAN;
    let message = Stiffness::from_matrix(&matrix).unwrap_err().to_string();
    assert!(message.contains("c55 = NaN Pa"), "{message}");
    matrix[4][4] = 1e9;
    matrix[2][0] += 1e3;
    let message = Stiffness::from_matrix(&matrix).unwrap_err().to_string();
    assert!(message.contains("c13 = 1000000000 Pa but c31 = 1000001000 Pa"), "{message}");

    let message = Stiffness::vti(Thomsen { delta: -0.6, ..SHALE }).unwrap_err().to_string();
    assert!(message.contains("delta = -0.6 is out of range: >= -0.363"), "{message}");
    assert!(Stiffness::vti(Thomsen { rho: f64::NAN, ..SHALE }).is_err());
    assert!(Stiffness::vti(Thomsen { vp: 2000.0, ..SHALE }).is_err());
    assert!(Stiffness::tti(SHALE, f64::NAN, 0.0).is_err());

    let stretched = [[1.0, 0.0, 0.0], [0.0, 1.1, 0.0], [0.0, 0.0, 1.0]];
    let message = triclinic().rotated(&stretched).unwrap_err().to_string();
    assert!(message.contains("not a rotation"), "{message}");
    assert!(triclinic().rotated(&[[f64::NAN; 3]; 3]).is_err());
}
