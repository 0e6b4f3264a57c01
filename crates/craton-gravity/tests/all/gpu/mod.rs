//! Sums on a GPU. By default the kernels are emulated on the CPU; with CRATON_TEST_GPU=cuda they run on a GPU.

mod magnetics;
mod tesseroids;
mod transpose;

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::cases::cases;
use crate::common::{attraction, difference, gravity, prism, tensor};
use craton_device::gpu::Gpu;
use craton_device::{Isa, Workers};
use craton_gravity::{
    Field, Fields, GRAVITATIONAL_CONSTANT, GpuPrisms, Gravity, Limits, Points, Precision, Prism, Prisms, ball, forward,
};
use craton_testkit::devices;

/// m/s² in a milligal, 1/s² in an eotvos.
const MGAL: f64 = 1e-5;
const EOTVOS: f64 = 1e-9;

fn on_device(gpu: &Gpu, prisms: &[Prism]) -> GpuPrisms {
    GpuPrisms::new(gpu, &Prisms::new(prisms.iter().copied()).expect("sound prisms")).expect("a device that works")
}

/// All fields at points, `[point][field]`.
fn fields(prisms: &GpuPrisms, points: &[[f64; 3]], precision: Precision) -> Vec<[f64; 10]> {
    let places = Points::new(points.iter().copied()).expect("sound points");
    let all = prisms.forward(&places, Fields::ALL, precision, &|| true).expect("a device that works");
    rows(&all.expect("never cancelled"), points.len())
}

fn rows(gravity: &Gravity, points: usize) -> Vec<[f64; 10]> {
    (0..points).map(|point| Field::ALL.map(|field| gravity.get(field).expect("a requested field")[point])).collect()
}

/// More prisms than two runs on the device.
fn many() -> (Vec<Prism>, Vec<[f64; 3]>) {
    let is_emulated = std::env::var("CRATON_TEST_GPU").is_err();
    if is_emulated { mixture(1030, 70) } else { mixture(1200, 150) }
}

fn bits(fields: &[[f64; 10]]) -> Vec<[u64; 10]> {
    fields.iter().map(|fields| fields.map(f64::to_bits)).collect()
}

/// Cells, plates and columns, and points inside them, next to them, level with their tops, and far away.
fn mixture(bodies: i32, places: i32) -> (Vec<Prism>, Vec<[f64; 3]>) {
    let sizes = [[10.0, 12.0, 9.0], [300.0, 200.0, 0.5], [2.0, 3.0, 700.0]];
    let body = |n: i32| {
        let ([i, j, k], [a, b, c]) = ([n % 10, n / 10 % 10, n / 100].map(f64::from), sizes[(n % 7 % 3) as usize]);
        let [x, y, top] = [i * 40.0, j * 40.0, -k * 60.0];
        prism([x, x + a, y, y + b, top - c, top], 200.0 + f64::from(n % 13) * 50.0)
    };
    let place = |n: i32| {
        let t = f64::from(n);
        match n % 4 {
            0 => [7.0 * t, 3.0 * t, 1.0],
            1 => [5.0 + 40.0 * f64::from(n % 10), 6.0, -4.0 - t],
            2 => [40.0 * f64::from(n % 9) + 1.0, 500.0 - t, 0.0],
            _ => [-900.0 - 50.0 * t, 2000.0, 30.0 * t],
        }
    };
    ((0..bodies).map(body).collect(), (0..places).map(place).collect())
}

#[test]
fn ten_digits_inside_near_and_far() {
    let Some(gpu) = devices::gpu() else { return };
    let cases = cases();
    assert_eq!(cases.len(), 848);
    for case in cases {
        let (prism, point) = (case.prism, case.point);
        let errors = case.errors(&fields(&on_device(&gpu, &[prism]), &[point], Precision::Double)[0]);
        assert!(errors.iter().all(|&e| e <= 1e-10), "{errors:?} of V, g and the tensor of {prism:?} at {point:?}");
    }
}

#[test]
fn single_precision_is_accurate_for_each_pair() {
    let Some(gpu) = devices::gpu() else { return };
    for case in cases() {
        let (prism, point) = (case.prism, case.point);
        let errors = case.errors(&fields(&on_device(&gpu, &[prism]), &[point], Precision::Single)[0]);
        assert!(errors.iter().all(|&e| e <= 1e-4), "{errors:?} of V, g and the tensor of {prism:?} at {point:?}");
    }
}

#[test]
fn sums_match_the_cpu() {
    let Some(gpu) = devices::gpu() else { return };
    let (prisms, points) = many();
    let expected = gravity(&prisms, &points);
    let values = fields(&on_device(&gpu, &prisms), &points, Precision::Double);
    let peaks = expected.iter().fold([0.0; 3], |[v, g, t]: [f64; 3], fields| {
        [v.max(fields[0]), g.max(attraction(fields)), t.max(tensor(fields))]
    });
    for ((value, expected), point) in values.iter().zip(&expected).zip(&points) {
        let error = difference(value, expected);
        let errors = [error[0].abs() / peaks[0], attraction(&error) / peaks[1], tensor(&error) / peaks[2]];
        assert!(errors.iter().all(|&e| e < 1e-11), "{errors:?} of the peaks {peaks:?} at {point:?}");
    }
}

#[test]
fn single_precision_is_accurate_for_a_shallow_body() {
    let Some(gpu) = devices::gpu() else { return };
    let cell = 50.0;
    // Directly below the points, and to one side.
    let balls = [([30.0, 20.0, -610.0], 600.0, 600.0), ([900.0, 700.0, -450.0], 420.0, -450.0)];
    let prisms: Vec<Prism> =
        balls.into_iter().flat_map(|(centre, radius, density)| ball(centre, radius, cell, density)).collect();
    assert!(prisms.len() > 9_000);
    let points: Vec<[f64; 3]> =
        (0..64).map(|n| [100.0 * f64::from(n % 8) - 200.0, 100.0 * f64::from(n / 8) - 100.0, 1.0]).collect();
    let expected = gravity(&prisms, &points);
    let (peak_g, peak_t) =
        expected.iter().fold((0.0_f64, 0.0_f64), |(g, t), fields| (g.max(attraction(fields)), t.max(tensor(fields))));
    assert!(peak_g > 9.0 * MGAL && peak_t > 600.0 * EOTVOS, "{peak_g:e}, {peak_t:e}");
    let values = fields(&on_device(&gpu, &prisms), &points, Precision::Single);
    for (value, expected) in values.iter().zip(&expected) {
        let error = difference(value, expected);
        let (g, t) = (attraction(&error), tensor(&error));
        assert!(g < 1e-6 * peak_g && t < 1e-6 * peak_t, "{g:e} m/s2 and {t:e} 1/s2 of {peak_g:e} and {peak_t:e}");
    }
}

#[test]
fn divergent_components_are_nan_as_on_the_cpu() {
    let Some(gpu) = devices::gpu() else { return };
    // One prism that is not cut, and some that are; the last two are too flat or too long for single precision.
    let sizes = [[4.0, 5.0, 6.0], [0.5, 0.25, 400.0], [64.0, 64.0, 0.0625], [0.5, 0.25, 4e4], [2e4, 2e4, 0.0625]];
    for (number, [a, b, c]) in sizes.into_iter().enumerate() {
        let body = prism([-1.0, a - 1.0, 2.0, 2.0 + b, -c, 0.0], 2000.0);
        // Below, at, inside, at and above the bounds along each axis.
        let along = |low: f64, size: f64| [low - 3.0, low, low + 0.375 * size, low + size, low + size + 5.0];
        let [x, y, z] = [along(-1.0, a), along(2.0, b), along(-c, c)];
        let points: Vec<[f64; 3]> = (0..125).map(|n| [x[n % 5], y[n / 5 % 5], z[n / 25]]).collect();
        let expected = gravity(&[body], &points);
        let here = on_device(&gpu, &[body]);
        let precisions = [(Precision::Double, 1e-10), (Precision::Single, 1e-4)];
        for (precision, tolerance) in precisions.into_iter().take(if number < 3 { 2 } else { 1 }) {
            for ((value, expected), point) in fields(&here, &points, precision).iter().zip(&expected).zip(&points) {
                assert_eq!(value.map(f64::is_nan), expected.map(f64::is_nan), "{precision:?} at {point:?}");
                // On an edge the tensor diverges; the remaining components are compared relative to G times density.
                let has_size = expected.iter().all(|v| !v.is_nan());
                let [value, expected] = [value, expected].map(|v| v.map(|v| if v.is_nan() { 0.0 } else { v }));
                let error = difference(&value, &expected);
                let size = if has_size { tensor(&expected) } else { GRAVITATIONAL_CONSTANT * body.density };
                assert!(tensor(&error) <= tolerance * size, "{error:?} of {expected:?} at {point:?}");
                assert!(attraction(&error) <= tolerance * attraction(&expected), "{error:?} at {point:?}");
            }
        }
    }
}

#[test]
fn limits_apply_to_gpu_sums_as_to_cpu_sums() {
    let Some(gpu) = devices::gpu() else { return };
    let (team, isa, all) = (Workers::new(Some(2)).expect("threads"), Isa::detect(), Fields::ALL.leaving_out_edges());
    // Cubes, and plates and columns that are cut, four each along x and y; points on their corners, edges and faces, and a few outside.
    for [a, b, c] in [[4.0, 5.0, 6.0], [64.0, 64.0, 0.0625], [0.5, 0.25, 400.0]] {
        let cell = |n: usize| {
            let [x, y] = [(n % 4) as f64 * a, (n / 4) as f64 * b];
            prism([x, x + a, y, y + b, -c, 0.0], 300.0 + 100.0 * (n % 3) as f64)
        };
        let cells = Prisms::new((0..16).map(cell)).expect("sound prisms");
        let place = |n: usize| [0.5 * a * (n % 10) as f64, 0.5 * b * (n / 10 % 10) as f64, -0.5 * c * (n / 100) as f64];
        let points = Points::new((0..300).map(place)).expect("sound points");
        let limits = Limits::new(&cells, &points, &team, isa);
        assert!((200..300).contains(&limits.len()), "{}", limits.len());
        let mut expected = forward(&cells, &points, all, &team, isa);
        let device = GpuPrisms::new(&gpu, &cells).expect("a device that works");
        let found = device.forward(&points, all, Precision::Double, &|| true).expect("a device that works");
        let mut found = found.expect("never cancelled");
        // Without leaving out edges, the same device gives NaN there.
        let plain = device.forward(&points, Fields::ALL, Precision::Double, &|| true).expect("a device that works");
        assert!(rows(&plain.expect("never cancelled"), 300).as_flattened().iter().any(|value| value.is_nan()));
        [&mut expected, &mut found].into_iter().for_each(|gravity| limits.put(gravity));
        for (point, (found, expected)) in rows(&found, 300).iter().zip(&rows(&expected, 300)).enumerate() {
            assert_eq!(found.map(f64::is_nan), expected.map(f64::is_nan), "at {:?}", points.get(point));
            let [found, expected] = [found, expected].map(|v| v.map(|v| if v.is_nan() { 0.0 } else { v }));
            let error = tensor(&difference(&found, &expected));
            assert!(error <= 1e-10 * 300.0 * GRAVITATIONAL_CONSTANT, "{error:e} at {:?}", points.get(point));
        }
    }
}

#[test]
fn results_are_bit_identical_for_any_partition() {
    let Some(gpus) = devices::gpus(2) else { return };
    let (prisms, points) = many();
    for precision in [Precision::Double, Precision::Single] {
        let whole = bits(&fields(&on_device(&gpus[0], &prisms), &points, precision));
        for room in [1, 2 * points.len()] {
            let cut = on_device(&gpus[0], &prisms).with_room(room);
            assert_eq!(whole, bits(&fields(&cut, &points, precision)), "{precision:?}, room for {room} sums");
        }
        let parts = [0..37, 37..points.len()].into_iter().zip(&gpus);
        let cut = parts.flat_map(|(part, gpu)| bits(&fields(&on_device(gpu, &prisms), &points[part], precision)));
        assert_eq!(whole, cut.collect::<Vec<_>>(), "{precision:?}, 37 points on one device and the rest on another");
        let both: Vec<GpuPrisms> = gpus.iter().map(|gpu| on_device(gpu, &prisms)).collect();
        let places = Points::new(points.iter().copied()).expect("sound points");
        let distributed =
            GpuPrisms::forward_on(&both, &places, Fields::ALL, precision, &|| true).expect("devices that work");
        for field in Field::ALL {
            let distributed = distributed.as_ref().and_then(|all| all.get(field)).expect("a requested field");
            assert!(
                distributed.iter().zip(&whole).all(|(value, whole)| value.to_bits() == whole[field as usize]),
                "{field:?}"
            );
        }
    }
}

#[test]
fn products_reuse_their_buffers() {
    let Some(gpu) = devices::gpu() else { return };
    let (prisms, points) = many();
    let here = on_device(&gpu, &prisms);
    let sums = &|count: usize| bits(&fields(&here, &points[..count], Precision::Double));
    let before = gpu.bytes_held();
    let all = sums(points.len());
    let held = gpu.bytes_held();
    let taken = GpuPrisms::bytes(prisms.len(), points.len()) - GpuPrisms::bytes(prisms.len(), 0);
    assert_eq!((held - before) as u64, taken);
    // Smaller products need no more memory, and see neither stale contents nor the queued work of a cancelled product.
    assert_eq!(sums(40), all[..40]);
    assert_eq!(sums(points.len()), all);
    let here_in_parts = on_device(&gpu, &prisms).with_room(points.len());
    let places = Points::new(points.iter().copied()).expect("sound points");
    let calls = AtomicUsize::new(0);
    let go_on = || calls.fetch_add(1, Ordering::Relaxed) < 2;
    let stopped = here_in_parts.forward(&places, Fields::ALL, Precision::Double, &go_on).expect("a device that works");
    assert!(stopped.is_none());
    assert_eq!(bits(&fields(&here_in_parts, &points[..40], Precision::Double)), all[..40]);
    drop(here_in_parts);
    assert_eq!(gpu.bytes_held(), held);
    // Transposed products, also with more points, and two concurrent products.
    let weights = vec![1e-3; points.len()];
    let transposed = |here: &GpuPrisms, count: usize| {
        let places = Points::new(points[..count].iter().copied()).expect("sound points");
        let product = here.transpose(&places, &[(Field::Up, &weights[..count])], Precision::Double, &|| true);
        product.expect("a device that works").expect("never cancelled")
    };
    for count in [40, points.len(), 3] {
        assert_eq!(transposed(&here, count), transposed(&on_device(&gpu, &prisms), count), "{count} points");
        assert_eq!(sums(count), all[..count]);
    }
    std::thread::scope(|scope| {
        let [a, b] = [40, points.len()].map(|count| scope.spawn(move || (count, sums(count))));
        for one in [a, b] {
            let (count, sums) = one.join().expect("no panic");
            assert_eq!(sums, all[..count]);
        }
    });
    drop(here);
    assert!(gpu.bytes_held() < before);
}

#[test]
fn a_single_field_equals_the_same_field_among_others() {
    let Some(gpu) = devices::gpu() else { return };
    let (prisms, points) = many();
    let here = on_device(&gpu, &prisms[..600]);
    let places = Points::new(points).expect("sound points");
    for precision in [Precision::Double, Precision::Single] {
        let get = |fields| here.forward(&places, fields, precision, &|| true).expect("a device").expect("not stopped");
        let all = get(Fields::ALL);
        let some = get(Fields::from_iter([Field::NorthUp, Field::East]));
        assert_eq!(some.get(Field::East), all.get(Field::East));
        assert_eq!(some.get(Field::NorthUp), all.get(Field::NorthUp));
        assert_eq!(some.get(Field::Up), None);
        assert_eq!(get(Fields::from_iter([Field::Up])).get(Field::Up), all.get(Field::Up));
    }
}

#[test]
fn blocks_of_any_size_give_the_same_sums() {
    let Some(gpu) = devices::gpu() else { return };
    let (prisms, points) = many();
    let places = Points::new(points).expect("sound points");
    let requested = Fields::ATTRACTION.union(Fields::TENSOR);
    let of_blocks = |points: usize, precision| {
        let here = on_device(&gpu, &prisms).with_block(points);
        here.forward(&places, requested, precision, &|| true).expect("a device").expect("not stopped")
    };
    let double = of_blocks(128, Precision::Double);
    for points in [32, 64, 256, 512] {
        assert_eq!(of_blocks(points, Precision::Double), double, "blocks of {points}");
    }
    let (expected, single) = (of_blocks(128, Precision::Single), of_blocks(512, Precision::Single));
    for field in requested.iter() {
        let [expected, single] = [&expected, &single].map(|all| all.get(field).expect("a requested field"));
        let peak = expected.iter().fold(0.0_f64, |peak, value| peak.max(value.abs()));
        let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-5 * peak || a.is_nan() && b.is_nan();
        assert!(expected.iter().zip(single).all(close), "{field:?}");
    }
}

#[test]
fn results_without_prisms_are_zero_and_a_sum_can_be_cancelled() {
    let Some(gpu) = devices::gpu() else { return };
    let (prisms, points) = many();
    assert_eq!(fields(&on_device(&gpu, &[]), &points, Precision::Double), vec![[0.0; 10]; points.len()]);
    assert!(fields(&on_device(&gpu, &prisms), &[], Precision::Double).is_empty());
    let before = gpu.bytes_held();
    let here = on_device(&gpu, &prisms).with_room(points.len());
    let held = (gpu.bytes_held() - before) as u64;
    assert_eq!(held, GpuPrisms::bytes(prisms.len(), 0));
    let places = Points::new(points).expect("sound points");
    let calls = AtomicUsize::new(0);
    let go_on = || calls.fetch_add(1, Ordering::Relaxed) < 2;
    let stopped = here.forward(&places, Fields::ALL, Precision::Double, &go_on).expect("a device that works");
    assert!(stopped.is_none());
    assert_eq!(calls.load(Ordering::Relaxed), 3);
}

#[test]
fn single_precision_is_accurate_for_deep_flat_and_far_bodies() {
    let Some(gpu) = devices::gpu() else { return };
    let block = |count: [i32; 3], [a, b, c]: [f64; 3], [x, y, z]: [f64; 3]| {
        let cells = (0..count[0] * count[1] * count[2]).map(move |n| {
            let [i, j, k] = [n % count[0], n / count[0] % count[1], n / (count[0] * count[1])].map(f64::from);
            let density = 150.0 + 50.0 * f64::from(n * 37 % 11);
            prism([x + a * i, x + a * (i + 1.0), y + b * j, y + b * (j + 1.0), z + c * k, z + c * (k + 1.0)], density)
        });
        cells.collect::<Vec<Prism>>()
    };
    let bodies = [
        ("deep", block([12, 12, 12], [100.0; 3], [-600.0, -600.0, -9000.0])),
        ("flat cells", block([24, 24, 3], [200.0, 200.0, 4.0], [-2400.0, -2400.0, -30.0])),
        ("columns", block([24, 24, 1], [30.0, 30.0, 2500.0], [-360.0, -360.0, -2510.0])),
        ("far", block([12, 12, 12], [80.0; 3], [90_000.0, -40_000.0, -1000.0])),
        ("on a map", block([12, 12, 12], [50.0; 3], [499_700.0, 5_299_700.0, -700.0])),
    ];
    for (name, prisms) in bodies {
        let [x, y] = if name == "on a map" { [500_000.0, 5_300_000.0] } else { [0.0; 2] };
        let places = (0..48).map(|n| [x + 170.0 * f64::from(n % 8) - 600.0, y + 190.0 * f64::from(n / 8) - 500.0, 2.0]);
        let points: Vec<[f64; 3]> = places.collect();
        let expected = gravity(&prisms, &points);
        let peaks = expected.iter().fold([0.0_f64; 3], |[v, g, t], fields| {
            [v.max(fields[0]), g.max(attraction(fields)), t.max(tensor(fields))]
        });
        let values = fields(&on_device(&gpu, &prisms), &points, Precision::Single);
        let mut worst = 0.0_f64;
        for (value, expected) in values.iter().zip(&expected) {
            let error = difference(value, expected);
            let errors = [error[0].abs() / peaks[0], attraction(&error) / peaks[1], tensor(&error) / peaks[2]];
            worst = worst.max(errors.into_iter().fold(0.0, f64::max));
        }
        // The documented accuracy of sums of many prisms is about 1e-6 of the largest values; the tensors of cells of a sheet nearly cancel.
        let allowed = if name == "flat cells" { 5e-6 } else { 3e-6 };
        assert!(worst < allowed, "{name}: {worst:e} of the peaks {peaks:?}");
    }
}
