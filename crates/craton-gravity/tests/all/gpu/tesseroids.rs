//! Sums of tesseroids on a GPU.

use std::sync::atomic::{AtomicUsize, Ordering};

use craton_device::gpu::Gpu;
use craton_device::{Isa, Workers};
use craton_gravity::{Field, Fields, GpuTesseroids, Gravity, GravityError, Stations, Tesseroid, Tesseroids};
use craton_testkit::devices;

use super::{bits, rows};
use crate::common::{attraction, difference, tensor};
use crate::tesseroids::{EARTH, terrain};

fn on_device(gpu: &Gpu, tesseroids: &Tesseroids) -> GpuTesseroids {
    GpuTesseroids::new(gpu, tesseroids).expect("a device that works")
}

fn forward(device: &GpuTesseroids, stations: &Stations, fields: Fields) -> Gravity {
    device.forward(stations, fields, &|| true).expect("a device that works").expect("never cancelled")
}

/// Cells with hills, more than two runs on the device; those in the first row have densities that are linear in depth.
fn cells() -> Tesseroids {
    let flat = terrain(34);
    let cell = |number: usize| match flat.get(number) {
        cell if number < 34 => Tesseroid { gradient: 0.01, ..cell },
        cell => cell,
    };
    Tesseroids::new((0..flat.len()).map(cell)).expect("sound tesseroids")
}

/// Stations on the ground in the middle, on an edge and on a corner of a cell, inside cells, above them, and far away.
fn stations(count: usize) -> Vec<[f64; 3]> {
    let cells = cells();
    let place = |n: usize| {
        let cell = cells.get(n * 71 % cells.len());
        let [lon, lat] = [0.5 * (cell.west + cell.east), 0.5 * (cell.south + cell.north)];
        match n % 7 {
            0 => [lon, lat, cell.top],
            1 => [cell.west, lat, cell.top],
            2 => [cell.east, cell.north, cell.top + 1.0],
            3 => [lon, lat + 0.01, 0.5 * (cell.bottom + cell.top)],
            4 => [lon + 0.03, lat, cell.top + 40.0 * n as f64],
            5 => [lon, lat, EARTH + 250e3],
            _ => [lon + 140.0, -80.0, EARTH + 9e3],
        }
    };
    (0..count).map(place).collect()
}

fn all(places: &[[f64; 3]]) -> Stations {
    Stations::new(places.iter().copied()).expect("sound stations")
}

/// The number of stations: few on an emulated device.
fn number() -> usize {
    if std::env::var("CRATON_TEST_GPU").is_err() { 42 } else { 300 }
}

/// The largest differences of potential, attraction and tensor, as fractions of their peaks.
fn errors(values: &[[f64; 10]], expected: &[[f64; 10]]) -> [f64; 3] {
    let sizes = |fields: &[f64; 10]| [fields[0].abs(), attraction(fields), tensor(fields)];
    let largest = |all: &mut dyn Iterator<Item = [f64; 10]>| {
        all.fold([0.0_f64; 3], |most, fields| std::array::from_fn(|kind| most[kind].max(sizes(&fields)[kind])))
    };
    let peaks = largest(&mut expected.iter().copied());
    let worst = largest(&mut values.iter().zip(expected).map(|(value, expected)| difference(value, expected)));
    std::array::from_fn(|kind| worst[kind] / peaks[kind])
}

#[test]
fn sums_match_the_cpu() {
    let Some(gpu) = devices::gpu() else { return };
    let (workers, isa) = (Workers::new(Some(2)).expect("threads"), Isa::detect());
    let ring = |number: usize| {
        let west = 72.0 * number as f64 - 400.0;
        Tesseroid {
            west,
            east: west + 72.0,
            south: 80.0,
            north: 90.0,
            bottom: 0.0,
            top: EARTH,
            density: 3300.0,
            gradient: 0.0,
        }
    };
    let polar = Tesseroids::new((0..5).map(ring)).expect("sound tesseroids");
    let at_pole = [
        [0.0, 90.0, EARTH],
        [0.0, 90.0, EARTH + 1e4],
        [-33.0, 85.0, EARTH],
        [10.0, 81.0, 0.9 * EARTH],
        [0.0, 0.0, 0.0],
    ];
    for (tesseroids, places) in [(cells(), stations(number())), (polar, at_pole.to_vec())] {
        let stations = all(&places);
        let expected = rows(&tesseroids.forward(&stations, Fields::ALL, 0.0, &workers, isa), places.len());
        let device = on_device(&gpu, &tesseroids);
        let values = forward(&device, &stations, Fields::ALL);
        let errors = errors(&rows(&values, places.len()), &expected);
        assert!(errors.iter().all(|&error| error < 1e-10), "{errors:?} of the peaks");
        let up = forward(&device, &stations, Fields::from_iter([Field::Up]));
        let pairs = up.get(Field::Up).expect("a requested field").iter().zip(values.get(Field::Up).expect("a field"));
        let peak = expected.iter().map(attraction).fold(0.0, f64::max);
        assert!(pairs.into_iter().all(|(up, value)| (up - value).abs() < 1e-12 * peak));
    }
}

#[test]
fn results_are_bit_identical_for_any_partition() {
    let Some(gpus) = devices::gpus(2) else { return };
    let (tesseroids, places) = (cells(), stations(number()));
    let of = |device: &GpuTesseroids, places: &[[f64; 3]]| {
        bits(&rows(&forward(device, &all(places), Fields::ALL), places.len()))
    };
    let both: Vec<GpuTesseroids> = gpus.iter().map(|gpu| on_device(gpu, &tesseroids)).collect();
    let whole = of(&both[0], &places);
    for room in [1, 2 * places.len()] {
        assert_eq!(whole, of(&on_device(&gpus[0], &tesseroids).with_room(room), &places), "room for {room} sums");
    }
    let cut = [&places[..17], &places[17..]].into_iter().zip(&both).flat_map(|(part, device)| of(device, part));
    assert_eq!(whole, cut.collect::<Vec<_>>(), "17 stations on one device and the rest on another");
    let distributed =
        GpuTesseroids::forward_on(&both, &all(&places), Fields::ALL, &|| true).expect("devices that work");
    assert_eq!(whole, bits(&rows(&distributed.expect("never cancelled"), places.len())));
}

#[test]
fn transpose_matches_the_cpu() {
    let Some(gpus) = devices::gpus(2) else { return };
    let (workers, isa) = (Workers::new(Some(2)).expect("threads"), Isa::detect());
    let (tesseroids, places) = (cells(), stations(number()));
    let stations = all(&places);
    let weights: Vec<f64> = (0..places.len()).map(|n| ((n * 37 + 11) % 19) as f64 / 19.0 - 0.3).collect();
    let devices: Vec<GpuTesseroids> = gpus.iter().map(|gpu| on_device(gpu, &tesseroids)).collect();
    for asked in [vec![Field::Up], vec![Field::Potential, Field::East, Field::NorthUp]] {
        let weights: Vec<_> = asked.iter().map(|&field| (field, weights.as_slice())).collect();
        let expected = tesseroids.transpose(&stations, &weights, &workers, isa).expect("a weight per station");
        let of =
            |devices| GpuTesseroids::transpose_on(devices, &stations, &weights, &|| true).expect("devices that work");
        let product = of(&devices[..1]).expect("never cancelled");
        let peak = expected.iter().fold(0.0_f64, |peak, value| peak.max(value.abs()));
        let error = product.iter().zip(&expected).fold(0.0_f64, |worst, (a, b)| worst.max((a - b).abs()));
        assert!(error < 1e-10 * peak, "{asked:?}: {:e} of the peak", error / peak);
        assert_eq!(of(&devices).expect("never cancelled"), product);
        let room = [on_device(&gpus[0], &tesseroids).with_room(1)];
        assert_eq!(of(&room).expect("never cancelled"), product);
    }
    let few = devices[0].transpose(&stations, &[(Field::Up, &weights[1..])], &|| true);
    assert!(matches!(few, Err(GravityError::Count { .. })));
}

#[test]
fn results_without_tesseroids_are_zero_and_a_sum_can_be_cancelled() {
    let Some(gpu) = devices::gpu() else { return };
    let places = stations(14);
    let none = Tesseroids::new([]).expect("no tesseroid is unsound");
    assert_eq!(rows(&forward(&on_device(&gpu, &none), &all(&places), Fields::ALL), 14), vec![[0.0; 10]; 14]);
    let (device, before) = (on_device(&gpu, &cells()).with_room(14), AtomicUsize::new(0));
    assert!(rows(&forward(&device, &all(&[]), Fields::ALL), 0).is_empty());
    let go_on = || before.fetch_add(1, Ordering::Relaxed) < 1;
    assert!(device.forward(&all(&places), Fields::ALL, &go_on).expect("a device that works").is_none());
}
