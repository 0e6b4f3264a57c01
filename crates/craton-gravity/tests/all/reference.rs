//! Comparison with fifty-digit references (`validation/references/gravity`) and with published values.

use std::f64::consts::PI;

use crate::cases::cases;
use crate::common::{attraction, difference, gravity, gravity_on, prism, tensor};
use craton_device::Isa;
use craton_gravity::{GRAVITATIONAL_CONSTANT, Prism};

/// m/s² in a milligal, 1/s² in an eotvos.
const MGAL: f64 = 1e-5;
const EOTVOS: f64 = 1e-9;

#[test]
fn ten_digits_inside_near_and_far() {
    let cases = cases();
    assert_eq!(cases.len(), 848);
    for isa in Isa::available() {
        for case in &cases {
            let (prism, point) = (case.prism, case.point);
            let errors = case.errors(&gravity_on(isa, 1, &[prism], &[point])[0]);
            let is_exact = errors.iter().all(|&e| e <= 1e-10);
            assert!(is_exact, "{}: {errors:?} of V, g and the tensor of {prism:?} at {point:?}", isa.name());
        }
    }
}

#[test]
fn a_prism_matches_published_values() {
    let [v, e, n, u, ee, en, eu, nn, nu, uu] =
        gravity(&[prism([-20.0, 30.0, -15.0, 10.0, -80.0, -30.0], 1000.0)], &[[17.0, 3.0, 5.0]])[0];
    // Printed digits; those of the tensor with "down" change their sign.
    let pairs = [
        (v, 6.912520856938e-5, 1.0),
        (e, -0.02145921720683, MGAL),
        (n, -0.01160295324674, MGAL),
        (u, -0.11341741976889, MGAL),
        (ee, -16.29304345149, EOTVOS),
        (nn, -20.45753640810, EOTVOS),
        (uu, 36.75057985959, EOTVOS),
        (en, 1.04351181798, EOTVOS),
        (eu, 9.83478044401, EOTVOS),
        (nu, 6.04566506537, EOTVOS),
    ];
    for (value, printed, unit) in pairs {
        assert!((value / unit / printed - 1.0).abs() < 1e-11, "{:e}, not {printed:e}", value / unit);
    }
}

#[test]
fn a_wide_prism_matches_the_bouguer_slab() {
    let (thickness, density, half) = (100.0, 2670.0, 1e8);
    let slab = prism([-half, half, -half, half, -thickness, 0.0], density);
    let [_, e, n, u, ..] = gravity(&[slab], &[[0.0; 3]])[0];
    let bouguer = 2.0 * PI * GRAVITATIONAL_CONSTANT * density * thickness;
    assert!((bouguer / MGAL - 11.1968756).abs() < 1e-7);
    // The finite width costs thickness over half width, 1e-6.
    assert!((u + bouguer).abs() < 1e-6 * bouguer, "{:e} of the slab is missing", 1.0 + u / bouguer);
    assert!(e.abs().max(n.abs()) < 1e-10 * bouguer);
}

#[test]
fn a_sphere_of_prisms_matches_a_point_mass() {
    let (radius, cell, density) = (10.3, 20.0, 600.0);
    let range = -11..=11;
    let cubes: Vec<Prism> = range
        .clone()
        .flat_map(|i| range.clone().flat_map(move |j| (-11..=11).map(move |k| [i, j, k].map(f64::from))))
        .filter(|centre| centre.iter().map(|c| c * c).sum::<f64>() <= radius * radius)
        .map(|[x, y, z]| [x - 0.5, x + 0.5, y - 0.5, y + 0.5, z - 0.5, z + 0.5])
        .map(|bounds| prism(bounds.map(|bound| bound * cell), density))
        .collect();
    let gm = GRAVITATIONAL_CONSTANT * density * cubes.len() as f64 * cell.powi(3);
    let misfits = [1.0, 2.0, 32.0].map(|times| {
        let point = [400.0, -700.0, 800.0].map(|x| times * x);
        let r = point.iter().map(|x| x * x).sum::<f64>().sqrt();
        let fields = gravity(&cubes, &[point])[0];
        let mut ideal = [gm / r; 10];
        for i in 0..3 {
            ideal[1 + i] = -gm * point[i] / r.powi(3);
            for j in 0..3 {
                let identity = if i == j { 1.0 } else { 0.0 };
                ideal[[[4, 5, 6], [5, 7, 8], [6, 8, 9]][i][j]] =
                    gm / r.powi(3) * (3.0 * point[i] * point[j] / (r * r) - identity);
            }
        }
        let misfit = difference(&fields, &ideal);
        [(misfit[0] / ideal[0]).abs(), attraction(&misfit) / attraction(&ideal), tensor(&misfit) / tensor(&ideal)]
    });
    // A body with cubic symmetry has no quadrupole, so it differs from a point mass by a degree-4 term that decays as (radius / r)^4.
    for kind in 0..3 {
        let [near, twice, far] = misfits.map(|misfit| misfit[kind]);
        assert!((near / twice - 16.0).abs() < 1.0, "{near:e} and {twice:e} at twice the distance");
        assert!(far < 2e-10 && near < (radius * cell / 1136.0_f64).powi(4), "{near:e} and {far:e}");
    }
}
