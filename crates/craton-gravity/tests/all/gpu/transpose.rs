//! The transposed product on a GPU.

use std::sync::atomic::{AtomicUsize, Ordering};

use craton_device::{Isa, Workers};
use craton_gravity::{Field, Fields, GpuPrisms, GravityError, Points, Precision, Prism, Prisms, transpose};
use craton_testkit::devices;

use super::{mixture, on_device};
use crate::common::{attraction, gravity, prism, tensor};

const PRECISIONS: [Precision; 2] = [Precision::Double, Precision::Single];
const REQUESTED: [Field; 4] = [Field::Potential, Field::Up, Field::EastNorth, Field::UpUp];
/// Kind of each field: potential 0, attraction 1, tensor 2.
const KIND: [usize; 10] = [0, 1, 1, 1, 2, 2, 2, 2, 2, 2];

/// More prisms than one block and more points than two runs.
fn many() -> (Vec<Prism>, Vec<[f64; 3]>) {
    mixture(200, 1100)
}

fn points(places: &[[f64; 3]]) -> Points {
    Points::new(places.iter().copied()).expect("sound points")
}

fn wave(n: usize) -> f64 {
    (1.3 * n as f64).sin()
}

/// Weights that balance potential, attraction and tensor of bodies of about ten metres.
fn weights(points: usize) -> Vec<(Field, Vec<f64>)> {
    let of = |field: Field| {
        let scale = [0.02, 1.0, 50.0][KIND[field as usize]];
        (field, (0..points).map(|point| scale * wave(7 * point + field as usize)).collect())
    };
    REQUESTED.map(of).to_vec()
}

fn borrowed(weights: &[(Field, Vec<f64>)]) -> Vec<(Field, &[f64])> {
    weights.iter().map(|(field, weights)| (*field, weights.as_slice())).collect()
}

fn product(prisms: &GpuPrisms, points: &Points, weights: &[(Field, &[f64])], precision: Precision) -> Vec<f64> {
    let product = prisms.transpose(points, weights, precision, &|| true).expect("a device that works");
    product.expect("never cancelled")
}

fn on_cpu(prisms: &[Prism], points: &Points, weights: &[(Field, &[f64])]) -> Vec<f64> {
    let prisms = Prisms::new(prisms.iter().copied()).expect("sound prisms");
    let workers = Workers::new(Some(1)).expect("a thread");
    transpose(&prisms, points, weights, &workers, Isa::detect()).expect("a weight per point")
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

#[test]
fn transpose_matches_the_cpu() {
    let Some(gpu) = devices::gpu() else { return };
    let (prisms, places) = many();
    let (points, weights) = (points(&places), weights(places.len()));
    let (weights, here) = (borrowed(&weights), on_device(&gpu, &prisms));
    let expected = on_cpu(&prisms, &points, &weights);
    let found = PRECISIONS.map(|precision| product(&here, &points, &weights, precision));
    for (number, body) in prisms.iter().enumerate() {
        // Each pair has the potential, the attraction and the tensor to ten digits, or to 2e-4.
        let unit = Prism { density: 1.0, ..*body };
        let size_of = |(point, fields): (usize, &[f64; 10])| {
            let sizes = [fields[0], attraction(fields), tensor(fields)];
            weights.iter().map(|(field, weights)| (weights[point] * sizes[KIND[*field as usize]]).abs()).sum::<f64>()
        };
        let size: f64 = gravity(&[unit], &places).iter().enumerate().map(size_of).sum();
        for (found, limit) in found.iter().zip([1e-10, 2e-4]) {
            let error = (found[number] - expected[number]).abs();
            assert!(error <= limit * size, "{error:e} of {size:e} at prism {number}");
        }
    }
    // Errors relative to the peak.
    let peak = expected.iter().fold(0.0_f64, |peak, value| peak.max(value.abs()));
    for (found, limit) in found.iter().zip([1e-11, 1e-5]) {
        let error = found.iter().zip(&expected).fold(0.0_f64, |error, (a, b)| error.max((a - b).abs()));
        assert!(error < limit * peak, "{error:e} of {peak:e}");
    }
}

#[test]
fn transpose_is_the_adjoint_of_forward() {
    let Some(gpu) = devices::gpu() else { return };
    let (prisms, places) = many();
    let (points, weights) = (points(&places), weights(places.len()));
    let (weights, here) = (borrowed(&weights), on_device(&gpu, &prisms));
    // Pairs are computed identically; only the order of summation differs.
    for (precision, limit) in PRECISIONS.into_iter().zip([1e-13, 1e-6]) {
        let data =
            here.forward(&points, Fields::from_iter(REQUESTED), precision, &|| true).expect("a device that works");
        let data = data.expect("never cancelled");
        let back = product(&here, &points, &weights, precision);
        let terms = weights.iter().flat_map(|&(field, weights)| {
            data.get(field).expect("a requested field").iter().zip(weights).map(|(data, weight)| data * weight)
        });
        let (sum, size) = terms.fold((0.0, 0.0_f64), |(sum, size), term| (sum + term, size + term.abs()));
        let other: f64 = back.iter().zip(&prisms).map(|(back, prism)| back * prism.density).sum();
        assert!((sum - other).abs() < limit * size, "{precision:?}: {sum:e} and {other:e} of {size:e}");
    }
}

#[test]
fn results_are_bit_identical_for_any_partition() {
    let Some(gpus) = devices::gpus(3) else { return };
    let (prisms, places) = many();
    let (points, weights) = (points(&places), weights(places.len()));
    let weights = borrowed(&weights);
    for precision in PRECISIONS {
        let all: Vec<GpuPrisms> = gpus.iter().map(|gpu| on_device(gpu, &prisms)).collect();
        let whole = bits(&product(&all[0], &points, &weights, precision));
        for room in [1, 300] {
            let cut = on_device(&gpus[0], &prisms).with_room(room);
            assert_eq!(
                whole,
                bits(&product(&cut, &points, &weights, precision)),
                "{precision:?}, room for {room} sums"
            );
        }
        for count in [2, 3] {
            let distributed = GpuPrisms::transpose_on(&all[..count], &points, &weights, precision, &|| true);
            let distributed = distributed.expect("devices that work").expect("never cancelled");
            assert_eq!(whole, bits(&distributed), "{precision:?}, {count} devices");
        }
    }
}

#[test]
fn divergent_components_are_nan_as_on_the_cpu() {
    let Some(gpu) = devices::gpu() else { return };
    let origin = points(&[[0.0; 3]]);
    // One prism that is not cut, and some that are; the last one is too long for single precision.
    for (number, size) in
        [[4.0, 5.0, 6.0], [0.5, 0.25, 400.0], [64.0, 64.0, 0.0625], [0.5, 0.25, 4e4]].into_iter().enumerate()
    {
        // The point lies below, at, inside, at and above the bounds along each axis.
        let bounds = |along: usize, size: f64| {
            let low = [3.0, 0.0, -0.375 * size, -size, -size - 5.0][along];
            [low, low + size]
        };
        let body = |n: usize| {
            let [x, y, z] = [bounds(n % 5, size[0]), bounds(n / 5 % 5, size[1]), bounds(n / 25, size[2])];
            prism([x[0], x[1], y[0], y[1], z[0], z[1]], 2000.0)
        };
        let bodies: Vec<Prism> = (0..125).map(body).collect();
        let here = on_device(&gpu, &bodies);
        for precision in PRECISIONS.into_iter().take(if number < 3 { 2 } else { 1 }) {
            for field in Field::ALL {
                let weights: [(Field, &[f64]); 2] = [(field, &[2.0]), (Field::East, &[0.0])];
                let [found, expected] =
                    [product(&here, &origin, &weights, precision), on_cpu(&bodies, &origin, &weights)]
                        .map(|values| values.into_iter().map(f64::is_nan).collect::<Vec<bool>>());
                assert_eq!(found, expected, "{precision:?}, {field:?}");
            }
        }
    }
}

#[test]
fn weights_act_on_their_field_only_at_any_magnitude() {
    let Some(gpu) = devices::gpu() else { return };
    let (prisms, places) = mixture(150, 40);
    let (points, here) = (points(&places), on_device(&gpu, &prisms));
    let (some, none) = ((0..places.len()).map(wave).collect::<Vec<f64>>(), vec![0.0; places.len()]);
    for precision in PRECISIONS {
        let get = |weights: &[(Field, &[f64])]| product(&here, &points, weights, precision);
        let up = get(&[(Field::Up, &some)]);
        assert!(up.iter().all(|value| *value != 0.0));
        // With the kernels of one field and with those of all fields.
        assert_eq!(get(&[(Field::Up, &some), (Field::NorthUp, &none), (Field::Up, &none)]), up);
        for size in [1e-200_f64, 1e200].map(|size| f64::from_bits(size.to_bits() & f64::INFINITY.to_bits())) {
            let large: Vec<f64> = some.iter().map(|weight| size * weight).collect();
            let scaled: Vec<f64> = up.iter().map(|value| size * value).collect();
            assert_eq!(get(&[(Field::Up, &large)]), scaled, "{precision:?}, {size:e}");
        }
        let lost = [vec![f64::NAN], vec![1.0; places.len() - 1]].concat();
        assert!(get(&[(Field::Up, &lost)]).iter().all(|value| value.is_nan()));
    }
}

#[test]
fn empty_input_gives_zeros_and_a_transpose_can_be_cancelled() {
    let Some(gpu) = devices::gpu() else { return };
    let (prisms, places) = many();
    let (points_here, weights) = (points(&places), weights(places.len()));
    let (weights, here) = (borrowed(&weights), on_device(&gpu, &prisms).with_room(1));
    assert!(product(&on_device(&gpu, &[]), &points_here, &weights, Precision::Double).is_empty());
    assert_eq!(product(&here, &points(&[]), &[(Field::Up, &[])], Precision::Double), vec![0.0; prisms.len()]);
    assert_eq!(product(&here, &points_here, &[], Precision::Single), vec![0.0; prisms.len()]);
    let calls = AtomicUsize::new(0);
    let go_on = || calls.fetch_add(1, Ordering::Relaxed) < 4;
    let stopped = here.transpose(&points_here, &weights, Precision::Single, &go_on).expect("a device that works");
    assert!(stopped.is_none());
    assert_eq!(calls.load(Ordering::Relaxed), 5);
    let refused = here.transpose(&points_here, &[(Field::Up, &[1.0; 7])], Precision::Double, &|| true);
    let refused = refused.expect_err("7 weights");
    let GravityError::Count { what: "weights", given: 7, owners: "points", expected: 1100 } = refused else {
        panic!("{refused}")
    };
}
