//! Love's moduli: the 21 coefficients, invalid moduli, and extreme speeds in closed form.

use craton_physics::{Love, Stiffness, Thomsen};

const RHO: f64 = 3360.0;

/// PREM at 200 km depth, roughly.
fn prem() -> Love {
    Love::from_speeds([7840.0, 8070.0], [4435.0, 4460.0], 0.97, RHO)
}

/// Strongly anisotropic: a shale (Mesaverde), and solids whose quasi-SV or quasi-P speed is extreme at an oblique angle.
fn strong() -> Vec<Love> {
    let shale = Thomsen { vp: 3928.0, vs: 2055.0, epsilon: 0.334, delta: 0.73, gamma: 0.575, rho: RHO };
    let c = Stiffness::vti(shale).unwrap().matrix();
    let speeds = |vp, vs, eta| Love::from_speeds(vp, vs, eta, RHO);
    vec![
        Love { a: c[0][0], c: c[2][2], f: c[0][2], l: c[3][3], n: c[5][5] },
        speeds([7000.0, 7000.0], [4000.0, 4300.0], 1.2),
        speeds([7000.0, 7000.0], [4000.0, 4300.0], 0.6),
        speeds([7000.0, 8000.0], [4000.0, 3700.0], 0.9),
        speeds([8000.0, 7000.0], [4000.0, 4000.0], 1.1),
        speeds([6000.0, 6500.0], [3500.0, 3500.0], 1.25),
        speeds([6000.0, 6000.0], [3464.0, 3464.0], 1.0),
        prem(),
    ]
}

#[test]
fn speeds_along_and_normal_to_the_axis_match_loves_moduli() {
    let stiffness = Stiffness::transversely_isotropic(prem());
    let speeds = |direction| stiffness.christoffel(RHO, direction).map(|wave| wave.speed);
    for (got, expected) in [
        (speeds([0.0, 0.0, 1.0]), [7840.0, 4435.0, 4435.0]),
        (speeds([1.0, 0.0, 0.0]), [8070.0, 4460.0, 4435.0]),
        (speeds([0.6, 0.8, 0.0]), [8070.0, 4460.0, 4435.0]),
    ] {
        for (g, e) in got.iter().zip(expected) {
            assert!((g - e).abs() < 1e-8, "{got:?} {expected:?}");
        }
    }
    let (l, f) = (RHO * 4435.0_f64.powi(2), 0.97 * RHO * (8070.0_f64.powi(2) - 2.0 * 4435.0_f64.powi(2)));
    let matrix = stiffness.matrix();
    assert!((matrix[3][3] / l - 1.0).abs() < 1e-15 && (matrix[1][2] / f - 1.0).abs() < 1e-15);
    assert_eq!(Stiffness::from_matrix(&matrix).unwrap(), stiffness);
}

#[test]
fn equal_speeds_and_eta_one_are_isotropic() {
    let love = Love::from_speeds([6000.0; 2], [3464.0; 2], 1.0, 2700.0);
    let isotropic = Stiffness::from_speeds(6000.0, 3464.0, 2700.0);
    for (got, expected) in Stiffness::transversely_isotropic(love).0.iter().zip(isotropic.0) {
        assert!((got - expected).abs() <= 1e-15 * isotropic.0[0], "{got} {expected}");
    }
    assert_eq!((love.slowest(2700.0), love.fastest(2700.0)), (3464.0, 6000.0));
}

#[test]
fn thomsens_solid_is_loves() {
    let love = strong()[0];
    let solid = Thomsen { vp: 3928.0, vs: 2055.0, epsilon: 0.334, delta: 0.73, gamma: 0.575, rho: RHO };
    let (a, b) = (Stiffness::transversely_isotropic(love), Stiffness::vti(solid).unwrap());
    for (x, y) in a.0.iter().zip(b.0) {
        assert!((x - y).abs() < 1e-14 * a.0[0], "{x} {y}");
    }
}

/// Smallest and largest speed over ten thousand angles from the axis.
fn scanned(love: Love) -> [f64; 2] {
    let stiffness = Stiffness::transversely_isotropic(love);
    let angles = (0..=10_000).map(|k| std::f64::consts::FRAC_PI_2 * f64::from(k) / 1e4);
    angles.fold([f64::INFINITY, 0.0], |[least, most], angle| {
        let [p, _, s] = stiffness.christoffel(RHO, [angle.sin(), 0.0, angle.cos()]);
        [least.min(s.speed), most.max(p.speed)]
    })
}

#[test]
fn extreme_speeds_of_love_match_a_scan() {
    for love in strong() {
        let [least, most] = scanned(love);
        let (slowest, fastest) = (love.slowest(RHO), love.fastest(RHO));
        // The error of the scan at an extremum is less than the square of its step.
        assert!(slowest <= least * (1.0 + 1e-12) && slowest > least * (1.0 - 1e-7), "{love:?}: {slowest} {least}");
        assert!(fastest >= most * (1.0 - 1e-12) && fastest < most * (1.0 + 1e-7), "{love:?}: {fastest} {most}");
        let stiffness = Stiffness::transversely_isotropic(love);
        assert!((slowest / stiffness.slowest(RHO) - 1.0).abs() < 1e-4);
        assert!((fastest / stiffness.fastest(RHO) - 1.0).abs() < 1e-4);
    }
    // One is extreme at an oblique angle: its waves along and normal to the axis have 4000 to 7000 m/s.
    let [_, bent, ..] = strong()[..] else { panic!() };
    assert!(bent.slowest(RHO) < 3800.0 && bent.fastest(RHO) > 7100.0, "{} {}", bent.slowest(RHO), bent.fastest(RHO));
}

#[test]
fn love_is_checked_as_its_21_coefficients() {
    for love in strong() {
        love.check().unwrap();
        let moduli = Stiffness::transversely_isotropic(love).moduli();
        let beyond = Love { n: love.a, ..love };
        let message = beyond.check().unwrap_err().to_string();
        assert_eq!(Stiffness::transversely_isotropic(beyond).is_positive_definite(), beyond.check().is_ok());
        assert!(message.contains("not positive definite") && moduli[0] > 0.0, "{message}");
    }
    let edge = prem();
    for f in [0.9, 0.99, 1.01, 1.1].map(|part| part * ((edge.a - edge.n) * edge.c).sqrt()) {
        let love = Love { f, ..edge };
        assert_eq!(love.check().is_ok(), Stiffness::transversely_isotropic(love).is_positive_definite());
    }
    let message = Love { f: f64::NAN, ..edge }.check().unwrap_err().to_string();
    assert!(message.contains("c13 = NaN Pa"), "{message}");
    assert!(Love { l: -1.0, ..edge }.check().is_err());
}
