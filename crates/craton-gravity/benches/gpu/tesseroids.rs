//! A digital elevation model of a continent as tesseroids, at stations on the ground: a tree on the CPU, direct sums on GPUs.

use std::time::Instant;

use craton_device::{Isa, Workers};
use craton_gravity::{Field, Fields, GpuTesseroids, Gravity, Stations, Tesseroid, Tesseroids};
use craton_testkit::scaling::Asked;

/// Cells along each angle, their size [degrees], and stations along each angle.
const CELLS: usize = 1000;
const SIZE: f64 = 1.0 / 15.0;
const STATIONS: usize = 100;
/// Radius of the sphere [m].
const EARTH: f64 = 6_371_000.0;
/// Accuracy of the tree, as a fraction of the peak, and of GPUs relative to direct sums on the CPU.
const OF_TREE: f64 = 1e-4;
const OF_GPU: f64 = 1e-10;
/// Stations and tesseroids that are compared with direct sums on the CPU.
const COMPARED: [usize; 2] = [32, 20_000];
/// Measured rounds after the first one, which loads the kernels.
const ROUNDS: usize = 3;

/// Heights of a smooth continent with mountains and seas [m].
fn height(longitude: f64, latitude: f64) -> f64 {
    let wave = |x: f64, y: f64, length: f64| (longitude * x / length).sin() * (latitude * y / length).cos();
    1500.0 * wave(1.0, 1.3, 9.0)
        + 900.0 * wave(1.1, 0.7, 2.3)
        + 250.0 * wave(0.9, 1.0, 0.5)
        + 60.0 * wave(1.0, 1.0, 0.13)
}

/// A model of `side` x `side` cells and its stations.
fn model(side: usize, stations: usize) -> (Tesseroids, Stations) {
    let place = |i: usize, j: usize| [SIZE * i as f64, SIZE * j as f64 - 0.5 * SIZE * side as f64];
    let top = |i: usize, j: usize| {
        let [west, south] = place(i, j);
        height(west + 0.5 * SIZE, south + 0.5 * SIZE)
    };
    let cell = |number: usize| {
        let (i, j) = (number % side, number / side);
        let ([west, south], z) = (place(i, j), top(i, j));
        let density = if z > 0.0 { 2670.0 } else { -1640.0 };
        let [bottom, top] = [z.min(-1e-3), z.max(1e-3)].map(|z| EARTH + z);
        Tesseroid { west, east: west + SIZE, south, north: south + SIZE, bottom, top, density, gradient: 0.0 }
    };
    let station = |number: usize| {
        let [i, j] =
            [number % stations, number / stations].map(|n| ((n as f64 + 0.5) / stations as f64 * side as f64) as usize);
        let [west, south] = place(i, j);
        // Off the middle, on the ground or on the sea.
        [west + 0.37 * SIZE, south + 0.59 * SIZE, EARTH + top(i, j).max(1e-3)]
    };
    let tesseroids = Tesseroids::new((0..side * side).map(cell)).expect("sound tesseroids");
    (tesseroids, Stations::new((0..stations * stations).map(station)).expect("sound stations"))
}

/// Prints a row for each set of fields and device.
///
/// # Panics
/// If GPUs and CPU differ by more than the accuracy.
pub fn run(arguments: &Asked, divide: usize) {
    let reduced = |count: usize| (count as f64 / (divide as f64).sqrt()).ceil() as usize;
    let (tesseroids, stations) = model(reduced(CELLS), reduced(STATIONS));
    let workers = Workers::new(None).expect("the system grants threads");
    compare(arguments, &tesseroids, &stations, &workers);
    let pairs = tesseroids.len() as f64 * stations.points().len() as f64;
    println!("{} tesseroids, {} stations on the ground\n", tesseroids.len(), stations.points().len());
    println!("| fields | computed by | s, with preparation | s, later sums | billion pairs/s |\n|---|---|---|---|---|");
    let vertical = Fields::from_iter([Field::Up]);
    for (name, fields) in [("g_u", vertical), ("attraction and tensor", Fields::ATTRACTION.union(Fields::TENSOR))] {
        let start = Instant::now();
        let by_tree = tesseroids.forward(&stations, fields, OF_TREE, &workers, Isa::detect());
        println!(
            "| {name} | tree, accuracy {OF_TREE:e}, {} threads | {:.2} | | |",
            workers.threads(),
            start.elapsed().as_secs_f64()
        );
        for count in arguments.counts() {
            let start = Instant::now();
            let gpus = &arguments.gpus[..count];
            let devices: Vec<_> = gpus
                .iter()
                .map(|gpu| GpuTesseroids::new(gpu, &tesseroids).expect("memory for the tesseroids"))
                .collect();
            let values = sum(&devices, &stations, fields);
            let first = start.elapsed().as_secs_f64();
            let round = |_| {
                let start = Instant::now();
                sum(&devices, &stations, fields);
                start.elapsed().as_secs_f64()
            };
            let best = (0..ROUNDS).map(round).fold(f64::INFINITY, f64::min);
            println!("| {name} | direct, {count} GPUs | {first:.2} | {best:.3} | {:.2} |", pairs / best / 1e9);
            check(&values, &by_tree, OF_TREE);
        }
    }
}

fn sum(devices: &[GpuTesseroids], stations: &Stations, fields: Fields) -> Gravity {
    let sums = GpuTesseroids::forward_on(devices, stations, fields, &|| true).expect("devices that work");
    sums.expect("never cancelled")
}

/// Compares some tesseroids at some stations with direct sums on the CPU.
fn compare(arguments: &Asked, tesseroids: &Tesseroids, stations: &Stations, workers: &Workers) {
    let every = |all: usize, most: usize| (0..all).step_by(all.div_ceil(most)).collect::<Vec<usize>>();
    let stations = stations.select(&every(stations.points().len(), COMPARED[0]));
    let some = every(tesseroids.len(), COMPARED[1]).into_iter().map(|number| tesseroids.get(number));
    let tesseroids = Tesseroids::new(some).expect("sound tesseroids");
    let expected = tesseroids.forward(&stations, Fields::ALL, 0.0, workers, Isa::detect());
    let device = GpuTesseroids::new(&arguments.gpus[0], &tesseroids).expect("memory for the tesseroids");
    check(&sum(&[device], &stations, Fields::ALL), &expected, OF_GPU);
}

fn check(values: &Gravity, expected: &Gravity, accuracy: f64) {
    for kind in [Fields::from_iter([Field::Potential]), Fields::ATTRACTION, Fields::TENSOR] {
        let (mut error, mut peak) = (0.0_f64, 0.0_f64);
        for field in expected.fields().iter().filter(|&field| kind.contains(field)) {
            let [values, expected] = [values, expected].map(|all| all.get(field).expect("a requested field"));
            for (value, expected) in values.iter().zip(expected) {
                (error, peak) = (error.max((value - expected).abs()), peak.max(expected.abs()));
            }
        }
        assert!(error <= accuracy * peak, "{kind:?}: {error:e} of {peak:e}");
    }
}
