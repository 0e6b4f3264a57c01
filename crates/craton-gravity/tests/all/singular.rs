//! Points on faces, edges and corners, and invalid prisms.

use std::f64::consts::PI;

use crate::common::{attraction, difference, gravity, prism, tensor};
use craton_gravity::{Field, GRAVITATIONAL_CONSTANT, GravityError, Points, Prism, Prisms};

const DENSITY: f64 = 2000.0;

fn sample() -> Prism {
    prism([-1.0, 3.0, 2.0, 7.0, -6.0, 0.0], DENSITY)
}

/// The fields that are NaN.
fn nans(fields: &[f64; 10]) -> Vec<Field> {
    Field::ALL.into_iter().filter(|&field| fields[field as usize].is_nan()).collect()
}

#[test]
fn on_faces_the_tensor_is_the_limit_from_outside() {
    let step = 1e-9;
    for (point, out) in [
        ([-1.0, 4.0, -2.0], [-step, 0.0, 0.0]),
        ([3.0, 4.0, -2.0], [step, 0.0, 0.0]),
        ([0.5, 2.0, -5.0], [0.0, -step, 0.0]),
        ([0.5, 7.0, -5.0], [0.0, step, 0.0]),
        ([2.0, 3.0, -6.0], [0.0, 0.0, -step]),
        ([1.0, 4.5, 0.0], [0.0, 0.0, step]),
    ] {
        let outside = std::array::from_fn(|axis| point[axis] + out[axis]);
        let fields = gravity(&[sample()], &[point, outside]);
        assert!(tensor(&difference(&fields[0], &fields[1])) < 10.0 * step * tensor(&fields[1]), "{point:?}");
        assert!((fields[0][4] + fields[0][7] + fields[0][9]).abs() < 1e-10 * tensor(&fields[0]));
    }
}

#[test]
fn on_edges_and_corners_only_divergent_components_are_nan() {
    use Field::*;
    for (point, expected) in [
        ([3.0, 7.0, -2.0], vec![EastEast, EastNorth, NorthNorth]),
        ([-1.0, 5.0, 0.0], vec![EastEast, EastUp, UpUp]),
        ([1.5, 2.0, -6.0], vec![NorthNorth, NorthUp, UpUp]),
        ([3.0, 2.0, 0.0], vec![EastEast, EastNorth, EastUp, NorthNorth, NorthUp, UpUp]),
        // On the lines and planes of edges and faces, but outside the prism.
        ([3.0, 7.0, 5.0], vec![]),
        ([-1.0, 9.0, 0.0], vec![]),
        ([8.0, 2.0, -6.0], vec![]),
        ([8.0, 4.0, 0.0], vec![]),
    ] {
        let nearby = point.map(|x| x + 1e-9);
        let [at, near] = gravity(&[sample()], &[point, nearby])[..] else { unreachable!("two points") };
        assert_eq!(nans(&at), expected, "{point:?}");
        let change = difference(&at, &near);
        assert!(change[0].abs() < 1e-7 * near[0] && attraction(&change) < 1e-7 * attraction(&near), "{point:?}");
        for field in Field::ALL.into_iter().filter(|field| !expected.contains(field)) {
            assert!(change[field as usize].abs() < 1e-7 * tensor(&near).max(near[0]), "{field:?} at {point:?}");
        }
    }
}

#[test]
fn prisms_that_are_cut_show_no_seams() {
    // So flat or long that the closed form is used for pieces only; the points lie where the cuts would be.
    let trace = |fields: &[f64; 10]| fields[4] + fields[7] + fields[9];
    let inside = -4.0 * PI * GRAVITATIONAL_CONSTANT * DENSITY;
    for half in [[2e4, 2e4, 5e-3], [0.5, 0.25, 4e4]] {
        let [a, b, c] = half;
        let prism = prism([-a, a, -b, b, -c, c], DENSITY);
        for place in [[0.0, 0.0, 0.0], [-0.25, 0.5, 0.0], [0.125, 0.0, 0.75]] {
            let within = std::array::from_fn(|axis| place[axis] * half[axis]);
            let mut on_top: [f64; 3] = within;
            on_top[2] = c;
            let fields = gravity(&[prism], &[within, on_top]);
            assert!((trace(&fields[0]) / inside - 1.0).abs() < 1e-10, "{within:?}");
            assert!(trace(&fields[1]).abs() < 1e-10 * -inside, "{on_top:?}");
        }
    }
}

#[test]
fn invalid_prisms_and_points_are_rejected_by_number() {
    let refusal = |wrong: Prism| Prisms::new([sample(), wrong]).expect_err("refused").to_string();
    assert_eq!(
        refusal(Prism { east: -1.0, ..sample() }),
        "prism 1: west = -1 m and east = -1 m, but east must be larger; swap them or remove the prism"
    );
    assert_eq!(
        refusal(Prism { bottom: 5.0, ..sample() }),
        "prism 1: bottom = 5 m and top = 0 m, but top must be larger; swap them or remove the prism"
    );
    assert_eq!(
        refusal(Prism { density: f64::NAN, ..sample() }),
        "prism 1: density is NaN, but must be finite; check its row"
    );
    assert_eq!(
        refusal(Prism { south: f64::NEG_INFINITY, ..sample() }),
        "prism 1: south is -inf, but must be finite; check its row"
    );
    assert_eq!(
        refusal(Prism { east: 1e300, ..sample() }),
        "prism 1: east is 1e300, but must be finite, and at most 1e30; check its row"
            .replace("1e300", &1e300.to_string())
    );
    let mut one = Prisms::new([sample()]).expect("a sound prism");
    let many = one.set_density(&[1.0, 2.0]).expect_err("refused").to_string();
    assert_eq!(many, "there are 2 densities, but 1 prisms; give exactly one for each");
    let lost = Points::new([[0.0; 3], [0.0, f64::INFINITY, 1.0]]).expect_err("refused");
    assert!(matches!(lost, GravityError::PointNotFinite { point: 1, axis: "y", value: f64::INFINITY }), "{lost}");
}
