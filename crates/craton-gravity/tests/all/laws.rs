//! Laws that hold for any prism: symmetry, Laplace and Poisson equations, gradients, additivity, and reproducible sums.

use std::f64::consts::PI;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{attraction, difference, gravity, gravity_on, prism, tensor};
use craton_device::{Isa, Workers};
use craton_gravity::{
    Field, Fields, GRAVITATIONAL_CONSTANT, Points, Prism, Prisms, forward, transpose, transpose_while,
};

const SIZE: [f64; 3] = [3.0, 8.0, 5.0];
const DENSITY: f64 = 1700.0;

/// A prism around the origin.
fn centred(size: [f64; 3]) -> Prism {
    let [a, b, c] = size.map(|s| 0.5 * s);
    prism([-a, a, -b, b, -c, c], DENSITY)
}

/// Points around the origin, from a hundredth of a metre to a kilometre away, without symmetry and off the planes of the prism.
fn places() -> Vec<[f64; 3]> {
    let at = |n: i32| {
        let (n, r) = (f64::from(n), 10.0_f64.powf(f64::from(n) / 16.0 - 2.0));
        let (z, phi) = ((1.7 * n).sin(), 2.4 * n);
        let across = (1.0 - z * z).sqrt();
        [r * across * phi.cos(), r * across * phi.sin(), r * z]
    };
    (0..80).map(at).collect()
}

/// Index of tensor element (i, j) among the fields.
fn element(i: usize, j: usize) -> usize {
    [[4, 5, 6], [5, 7, 8], [6, 8, 9]][i][j]
}

#[test]
fn rotated_and_mirrored_prisms_have_rotated_and_mirrored_fields() {
    let plain = gravity(&[centred(SIZE)], &places());
    for axes in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1], [2, 1, 0]] {
        for mirror in 0..8 {
            let sign = [0, 1, 2].map(|axis| if mirror >> axis & 1 == 1 { -1.0 } else { 1.0 });
            let moved: Vec<_> =
                places().into_iter().map(|p| [0, 1, 2].map(|axis| sign[axis] * p[axes[axis]])).collect();
            for (plain, moved) in plain.iter().zip(gravity(&[centred(axes.map(|axis| SIZE[axis]))], &moved)) {
                let mut expected = [plain[0]; 10];
                for i in 0..3 {
                    expected[1 + i] = sign[i] * plain[1 + axes[i]];
                    for j in 0..3 {
                        expected[element(i, j)] = sign[i] * sign[j] * plain[element(axes[i], axes[j])];
                    }
                }
                assert_same(&moved, &expected, 2e-10);
            }
        }
    }
}

#[test]
fn the_trace_satisfies_laplace_outside_and_poisson_inside() {
    let fields = gravity(&[centred(SIZE)], &places());
    for (point, fields) in places().into_iter().zip(fields) {
        let is_inside = (0..3).all(|axis| point[axis].abs() < 0.5 * SIZE[axis]);
        let expected = if is_inside { -4.0 * PI * GRAVITATIONAL_CONSTANT * DENSITY } else { 0.0 };
        let trace = fields[4] + fields[7] + fields[9];
        assert!((trace - expected).abs() < 1e-10 * tensor(&fields), "{trace:e}, not {expected:e} at {point:?}");
    }
}

#[test]
fn attraction_and_tensor_are_derivatives_of_the_potential() {
    let prism = centred(SIZE);
    for point in [[4.0, 1.0, 3.0], [0.2, -0.7, 1.0], [-9.0, 6.0, 40.0], [300.0, -200.0, 100.0]] {
        let fields = gravity(&[prism], &[point])[0];
        let step = 5e-3 * point.iter().map(|x| x * x).sum::<f64>().sqrt();
        for axis in 0..3 {
            // Fourth order: an error of step^4 times the fifth derivative, 1e-9 times some tens.
            let at = |steps: f64| {
                let mut moved = point;
                moved[axis] += steps * step;
                gravity(&[prism], &[moved])[0]
            };
            let (near, far) = (difference(&at(1.0), &at(-1.0)), difference(&at(2.0), &at(-2.0)));
            let slope: [f64; 10] = std::array::from_fn(|field| (8.0 * near[field] - far[field]) / (12.0 * step));
            assert!((slope[0] - fields[1 + axis]).abs() < 1e-6 * attraction(&fields));
            for component in 0..3 {
                // The tensor is symmetric: the attraction is curl-free.
                let error = slope[1 + component] - fields[element(axis, component)];
                assert!(error.abs() < 1e-6 * tensor(&fields), "{error:e} along {axis} of {component} at {point:?}");
            }
        }
    }
}

#[test]
fn results_at_exact_map_coordinates_are_bit_identical() {
    let shift = [531_072.25, 4_812_345.5, -1234.75];
    let places: Vec<[f64; 3]> =
        (0..40).map(|n| [n * 7 % 41, n * 5 % 37 - 20, n * n - 9].map(|x| 0.25 * f64::from(x))).collect();
    let moved: Vec<[f64; 3]> = places.iter().map(|p| std::array::from_fn(|axis| p[axis] + shift[axis])).collect();
    let bounds = [-2.5, 4.25, 1.0, 7.75, -8.0, -0.5];
    let there = std::array::from_fn(|side| bounds[side] + shift[side / 2]);
    let here = gravity(&[prism(bounds, DENSITY)], &places);
    assert_eq!(bits(&here), bits(&gravity(&[prism(there, DENSITY)], &moved)));
}

#[test]
fn rounded_map_coordinates_add_only_their_rounding_error() {
    let shift = [531_072.3, 4_812_345.7, -1234.9];
    let sides = [[-2.4, 4.3], [1.1, 7.7], [-8.2, -0.6]];
    let there = [0, 1, 2].map(|axis| sides[axis].map(|side| side + shift[axis]));
    let body = |[[w, e], [s, n], [b, t]]: [[f64; 2]; 3]| prism([w, e, s, n, b, t], DENSITY);
    // Two roundings of half a unit in the last place of 4.8e6, 9e-10 m, of distances of 2.7 m and more.
    let places: Vec<[f64; 3]> =
        (0..40).map(|n| [n * 7 % 41, n * 5 % 37 - 20, n * n + 7].map(|x| 0.3 * f64::from(x))).collect();
    let moved: Vec<[f64; 3]> = places.iter().map(|p| std::array::from_fn(|axis| p[axis] + shift[axis])).collect();
    for (here, moved) in gravity(&[body(sides)], &places).iter().zip(gravity(&[body(there)], &moved)) {
        assert_same(&moved, here, 4e-9);
    }
}

#[test]
fn a_prism_is_the_sum_of_its_eighths() {
    let [a, b, c] = SIZE.map(|s| 0.5 * s);
    let cut = |half: f64, at: f64, upper: bool| if upper { [at, half] } else { [-half, at] };
    let eighths: Vec<Prism> = (0..8)
        .map(|n| [cut(a, 0.3, n & 1 > 0), cut(b, -1.1, n & 2 > 0), cut(c, 0.7, n & 4 > 0)])
        .map(|[[w, e], [s, n], [d, u]]| prism([w, e, s, n, d, u], DENSITY))
        .collect();
    for (whole, sum) in gravity(&[centred(SIZE)], &places()).iter().zip(gravity(&eighths, &places())) {
        // Inside, the eighths' attractions cancel.
        assert_same(&sum, whole, 2e-10);
    }
}

#[test]
fn results_do_not_depend_on_threads_or_other_points() {
    let points: Vec<[f64; 3]> = (0..150).map(|n| [3.0 * f64::from(n), 200.0, 70.0 + f64::from(n * n)]).collect();
    // Cells, and columns that are cut at some of the points.
    for size in [[7.0, 9.0, 4.0], [2.0, 3.0, 500.0]] {
        let prisms: Vec<Prism> = (0..5000_i32)
            .map(|n| [n % 25, n / 25 % 25, n / 625].map(f64::from))
            .map(|p| std::array::from_fn(|side| (p[side / 2] + (side % 2) as f64) * size[side / 2]))
            .map(|bounds: [f64; 6]| prism(bounds, 1000.0 + bounds[0] - 3.0 * bounds[5]))
            .collect();
        for isa in Isa::available() {
            let alone = gravity_on(isa, 1, &prisms, &points);
            for threads in [2, 3, 5] {
                assert_eq!(bits(&alone), bits(&gravity_on(isa, threads, &prisms, &points)), "{threads} threads");
            }
            let some: Vec<[f64; 3]> = points.iter().copied().skip(3).step_by(7).collect();
            let expected: Vec<[f64; 10]> = alone.iter().copied().skip(3).step_by(7).collect();
            assert_eq!(bits(&expected), bits(&gravity_on(isa, 2, &prisms, &some)));
        }
    }
}

#[test]
fn results_without_prisms_are_zero_and_without_points_empty() {
    assert_eq!(gravity(&[], &places()), vec![[0.0; 10]; places().len()]);
    assert!(gravity(&[centred(SIZE)], &[]).is_empty());
}

#[test]
fn a_single_field_equals_the_same_field_among_others() {
    let prisms = Prisms::new([centred(SIZE), centred([1.0, 500.0, 0.5])]).expect("sound prisms");
    let points = Points::new(places()).expect("sound points");
    let workers = Workers::new(Some(1)).expect("a thread");
    let all = forward(&prisms, &points, Fields::ALL, &workers, Isa::detect());
    for field in Field::ALL {
        let alone = forward(&prisms, &points, Fields::from_iter([field]), &workers, Isa::detect());
        assert_eq!(alone.get(field), all.get(field), "{field:?}");
        assert!(Field::ALL.into_iter().all(|other| other == field || alone.get(other).is_none()));
    }
}

#[test]
fn transpose_is_the_adjoint_of_forward() {
    let wave = |n: usize| (1.3 * n as f64).sin();
    let mut prisms = Prisms::new((0..300).map(|n| {
        let [x, y] = [10.0 * (n % 20) as f64, 10.0 * (n / 20) as f64];
        prism([x, x + 10.0, y, y + 10.0, -30.0 - wave(n), 2.0 * wave(n)], 0.0)
    }))
    .expect("sound prisms");
    let points = Points::new((0..90).map(|n| [7.0 * n as f64 - 150.0, 66.0, 5.0 + n as f64])).expect("sound points");
    let fields = [Field::Up, Field::EastNorth, Field::NorthNorth];
    let weights: Vec<Vec<f64>> = [1.0, 1e3, 1e3]
        .into_iter()
        .enumerate()
        .map(|(field, scale)| (0..points.len()).map(|point| scale * wave(7 * point + field)).collect())
        .collect();
    let weights: Vec<(Field, &[f64])> = fields.into_iter().zip(weights.iter().map(Vec::as_slice)).collect();
    let density: Vec<f64> = (0..prisms.len()).map(|prism| 500.0 * wave(3 * prism)).collect();
    prisms.set_density(&density).expect("a density per prism");
    for isa in Isa::available() {
        let [one, three] = [1, 3].map(|threads| Workers::new(Some(threads)).expect("a few threads"));
        let data = forward(&prisms, &points, Fields::from_iter(fields), &one, isa);
        let back = transpose(&prisms, &points, &weights, &one, isa).expect("a weight per point");
        let products = weights.iter().flat_map(|&(field, weights)| {
            data.get(field).expect("a requested field").iter().zip(weights).map(|(data, weight)| data * weight)
        });
        let (mut sum, mut size) = (0.0, 0.0_f64);
        products.for_each(|product| (sum, size) = (sum + product, size + product.abs()));
        let other: f64 = back.iter().zip(&density).map(|(back, density)| back * density).sum();
        assert!((sum - other).abs() < 1e-13 * size, "{sum:e} and {other:e}");
        let shared = transpose(&prisms, &points, &weights, &three, isa).expect("a weight per point");
        assert!(back.iter().zip(&shared).all(|(a, b)| a.to_bits() == b.to_bits()));
    }
}

#[test]
fn a_transpose_reports_progress_and_can_be_cancelled() {
    let cell = |n: usize| prism([n as f64, n as f64 + 1.0, 0.0, 1.0, -2.0, -1.0], 0.0);
    let prisms = Prisms::new((0..1000).map(cell)).expect("sound prisms");
    let points = Points::new([[0.0, 0.0, 1.0], [9.0, 2.0, 3.0]]).expect("sound points");
    let weights: &[(Field, &[f64])] = &[(Field::Up, &[1.0, -2.0])];
    let workers = Workers::new(Some(2)).expect("two threads");
    let (calls, shares) = (AtomicUsize::new(0), Mutex::new(0.0));
    let product = |most: usize| {
        let progress = |share: f64| {
            *shares.lock().expect("a sum") += share;
            calls.fetch_add(1, Ordering::Relaxed) + 1 < most
        };
        transpose_while(&prisms, &points, weights, &workers, Isa::detect(), &progress).expect("a weight per point")
    };
    let whole = transpose(&prisms, &points, weights, &workers, Isa::detect()).expect("a weight per point");
    assert_eq!(product(usize::MAX), Some(whole));
    assert!((*shares.lock().expect("a sum") - 1.0).abs() < 1e-12 && calls.load(Ordering::Relaxed) > 2);
    calls.store(0, Ordering::Relaxed);
    assert_eq!(product(2), None);
}

/// Compares potential, attraction and tensor, each relative to its norm.
fn assert_same(value: &[f64; 10], expected: &[f64; 10], tolerance: f64) {
    let error = difference(value, expected);
    let least = GRAVITATIONAL_CONSTANT * DENSITY * SIZE[0];
    let errors = [
        (error[0] / expected[0]).abs(),
        attraction(&error) / attraction(expected).max(least),
        tensor(&error) / tensor(expected),
    ];
    assert!(errors.iter().all(|&e| e < tolerance), "{errors:?}");
}

fn bits(fields: &[[f64; 10]]) -> Vec<[u64; 10]> {
    fields.iter().map(|fields| fields.map(f64::to_bits)).collect()
}
