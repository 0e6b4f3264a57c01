//! Backward waves with respect to a plane, which are unstable in perfectly matched layers.

use craton_physics::{Stiffness, Thomsen};

const NORMALS: [[f64; 3]; 6] =
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, -2.0, 1.0], [0.3, -0.5, 0.8]];
/// Taylor sandstone (Thomsen 1986), moderately anisotropic.
const SANDSTONE: Thomsen = Thomsen { vp: 3368.0, vs: 1829.0, epsilon: 0.11, delta: -0.035, gamma: 0.255, rho: 2500.0 };

/// An orthorhombic solid whose waves in the plane of x and y have these moduli: c11, c22, c12, c66 [10 GPa].
fn orthorhombic([c11, c22, c12, c66]: [f64; 4]) -> Stiffness {
    let mut matrix = [[0.0; 6]; 6];
    (matrix[0][0], matrix[1][1], matrix[2][2]) = (c11, c22, 30.0);
    (matrix[0][1], matrix[1][0]) = (c12, c12);
    (matrix[3][3], matrix[4][4], matrix[5][5]) = (3.0, 3.0, c66);
    Stiffness::from_matrix(&matrix.map(|row| row.map(|c| 1e10 * c))).unwrap()
}

#[test]
fn isotropic_solids_have_no_backward_waves() {
    for (vp, vs) in [(6000.0, 3464.0), (1500.0, 150.0), (5000.0, 3535.0)] {
        let stiffness = Stiffness::from_speeds(vp, vs, 2500.0);
        for normal in NORMALS {
            let q = stiffness.most_backward(normal);
            assert!((-1e-9..=0.0).contains(&q), "{vp} {vs} {normal:?}: {q:e}");
        }
    }
}

/// Whether waves in the plane of x and y are backward along x, and along y: condition (C1) of Bécache et al. (2003), for a layer normal to each axis. No wave is
/// backward along x if ((c12 + c66)² - c11 (c22 - c66)) ((c12 + c66)² + c66 (c22 - c66)) <= 0.
fn are_backward([c11, c22, c12, c66]: [f64; 4]) -> [bool; 2] {
    let a = (c12 + c66).powi(2);
    [[c11, c22], [c22, c11]].map(|[own, other]| (a - own * (other - c66)) * (a + c66 * (other - c66)) > 0.0)
}

/// ω(k) of the waves of a direction, of the density 1; the polarisations with `keep`.
fn frequencies(stiffness: &Stiffness, k: [f64; 3], keep: impl Fn([f64; 3]) -> bool) -> Vec<f64> {
    let length = k.iter().map(|k| k * k).sum::<f64>().sqrt();
    let waves = stiffness.christoffel(1.0, k).into_iter().filter(|wave| keep(wave.polarisation));
    waves.map(|wave| wave.speed * length).collect()
}

/// The smallest q of some directions, with group velocities from differences of frequencies.
fn by_differences(
    stiffness: &Stiffness,
    normal: [f64; 3],
    directions: &[[f64; 3]],
    keep: impl Fn([f64; 3]) -> bool,
) -> f64 {
    let step = 1e-5;
    let of_direction = |k: &[f64; 3]| {
        let at = |sign: f64| frequencies(stiffness, [0, 1, 2].map(|i| k[i] + sign * step * normal[i]), &keep);
        let along: f64 = (0..3).map(|i| k[i] * normal[i]).sum();
        let waves = at(1.0).into_iter().zip(at(-1.0)).zip(frequencies(stiffness, *k, &keep));
        waves.map(|((above, below), own)| along * (above - below) / (2.0 * step * own)).fold(0.0, f64::min)
    };
    directions.iter().map(of_direction).fold(0.0, f64::min)
}

#[test]
fn orthorhombic_solids_have_backward_waves_where_becache_et_al_find_them() {
    let angles = (0..720).map(|step| f64::from(step).to_radians() / 4.0);
    let in_plane: Vec<[f64; 3]> = angles.map(|angle| [angle.cos(), angle.sin(), 0.0]).collect();
    // The media of their section 5 and others.
    let media = [[4.0, 20.0, 3.8, 2.0], [4.0, 20.0, 7.5, 2.0], [20.0, 20.0, 3.8, 2.0], [10.0, 20.0, 2.5, 6.0]];
    let mut found = [0; 2];
    for moduli in media {
        let stiffness = orthorhombic(moduli);
        for (normal, is_backward) in NORMALS.into_iter().zip(are_backward(moduli)) {
            let q = by_differences(&stiffness, normal, &in_plane, |g| g[2].abs() < 1e-6);
            assert_eq!(q < -1e-3, is_backward, "{moduli:?} {normal:?}: {q:e}");
            found[usize::from(is_backward)] += 1;
            let most = stiffness.most_backward(normal);
            assert!(most <= q + 1e-6, "{moduli:?} {normal:?}: {most:e} {q:e}");
        }
    }
    assert!(found[0] > 0 && found[1] > 0, "{found:?}");
}

#[test]
fn the_search_finds_the_most_backward_wave_of_all_directions() {
    let of_angles = |(a, b): (i32, i32)| {
        let ((sin, cos), (y, x)) = (f64::from(a).to_radians().sin_cos(), f64::from(b).to_radians().sin_cos());
        [sin * x, sin * y, cos]
    };
    let grid: Vec<[f64; 3]> =
        (0..90).step_by(2).flat_map(|a| (0..360).step_by(2).map(move |b| (a, b))).map(of_angles).collect();
    let solids = [
        orthorhombic([4.0, 20.0, 7.5, 2.0]),
        orthorhombic([10.0, 20.0, 2.5, 6.0]),
        Stiffness::tti(SANDSTONE, 0.5, 0.3).unwrap(),
    ];
    for stiffness in &solids {
        for normal in &NORMALS[..3] {
            let (found, sampled) =
                (stiffness.most_backward(*normal), by_differences(stiffness, *normal, &grid, |_| true));
            // Backward waves next to an acoustic axis fit between the sampled directions.
            assert!(found <= sampled + 1e-6 && sampled <= 0.3 * found + 1e-4, "{normal:?}: {found:e} {sampled:e}");
        }
    }
}

#[test]
fn upright_and_horizontal_axes_of_moderate_anisotropy_have_no_backward_waves() {
    let upright = Stiffness::vti(SANDSTONE).unwrap();
    let horizontal = Stiffness::hti(SANDSTONE, 0.0).unwrap();
    for normal in &NORMALS[..3] {
        for stiffness in [&upright, &horizontal] {
            let q = stiffness.most_backward(*normal);
            assert!(q > -1e-3, "{normal:?}: {q:e}");
        }
    }
}

#[test]
fn backward_waves_of_a_tilted_solid_follow_its_ray_angle() {
    // Of SH waves with k at the angle θ from the plane: the slowness curve is an ellipse, so q is known in closed form.
    let [vertical, horizontal] = [1.0, 1.0 + 2.0 * SANDSTONE.gamma];
    for tilt in [0.2, 0.5, 0.8_f64] {
        let stiffness = Stiffness::tti(SANDSTONE, tilt, 0.0).unwrap();
        let (sin, cos) = tilt.sin_cos();
        let mut sh = 0.0_f64;
        for step in 0..20_000 {
            let (y, z) = (f64::from(step) / 20_000.0 * std::f64::consts::PI).sin_cos();
            // Along and across the axis (0, sin, cos).
            let [along, across] = [sin * y + cos * z, cos * y - sin * z];
            let flux = vertical * along * cos - horizontal * across * sin;
            sh = sh.min(z * flux / (vertical * along * along + horizontal * across * across));
        }
        let q = stiffness.most_backward([0.0, 0.0, 1.0]);
        assert!(sh < -1e-3 && q <= sh + 1e-6, "{tilt}: {q:e} {sh:e}");
        // Only rotation about the normal does not matter.
        let turned = Stiffness::tti(SANDSTONE, tilt, 1.1).unwrap().most_backward([0.0, 0.0, 1.0]);
        assert!((turned / q - 1.0).abs() < 1e-3, "{turned:e} {q:e}");
    }
}
