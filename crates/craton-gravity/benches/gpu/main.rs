//! Pairs of a prism and a point per second on GPUs.
//!
//! `cargo bench -p craton-gravity --bench gpu [-- NAME...] [--divide N] [--emulated N]` prints Markdown, on all GPUs of the machine: nine fields, in both
//! precisions, with prisms copied to the device before the measurement, and transfers of points and results included in the time. First a part of each case is
//! compared with a CPU; the benchmark stops if they differ. Cases: `near`, points 1 to 4 prism sizes away, where both precisions use the closed form; `middle`,
//! 2 to 8 sizes, where single precision mostly uses the multipole; `up`, the vertical attraction alone where `near` is; `far`, multipoles alone; `balls`,
//! 251,946 cubes and 15,000 points as in `examples/seven_balls`; `million`, 14 million cubes and 1,000 points. The last two also on 2 and 4 GPUs where they are
//! there. `transpose` measures the transposed products of all of them. `--divide N` makes all cases N times smaller.
//!
//! `-- tesseroids` measures instead a digital elevation model of 1,000 x 1,000 tesseroids at 10,000 stations on the ground, on the CPU with a tree and on all
//! GPUs with direct sums.
//!
//! `-- paper` prints instead the tables of Couder-Castañeda and others (2013): speed of nine fields and of one in both precisions on 1, 2 ... GPUs, RMS and
//! largest errors against a CPU, also of the textbook corner form in single precision, and 14 million prisms. `-- maps` computes only the errors. If the
//! variable `CRATON_MAPS` names a folder, the single-precision errors are written there point by point; `cargo xtask maps FOLDER` draws them. `-- threads`
//! varies the number of threads per block.

#![allow(clippy::print_stdout)] // a benchmark's result is what it prints

mod corner;
mod paper;
mod tesseroids;
mod threads;
mod transpose;

use std::time::Instant;

use craton_device::{Isa, Workers};
use craton_gravity::{Field, Fields, GpuPrisms, Gravity, Points, Precision, Prism, Prisms, ball, forward};
use craton_testkit::scaling::Asked;

/// Rounds; the best and the median are reported.
const ROUNDS: usize = 5;
/// Number of prisms and points of a case that are compared with a CPU.
const COMPARED: [usize; 2] = [20_000, 32];
/// Edge of a cube [m].
const CELL: f64 = 50.0;
/// Centres [m], radius and densities [kg/m³] of `examples/seven_balls`.
const RADIUS: f64 = 1024.75;
const BALLS: [([f64; 3], f64); 7] = [
    ([2525.0, 2525.0, -1625.0], 600.0),
    ([12525.0, 2525.0, -1725.0], -450.0),
    ([7500.0, 5025.0, -2125.0], 300.0),
    ([2500.0, 7500.0, -1825.0], 400.0),
    ([12500.0, 7500.0, -1600.0], -300.0),
    ([7500.0, 2000.0, -2200.0], 500.0),
    ([7500.0, 8000.0, -1900.0], -200.0),
];

/// A benchmark case.
struct Case {
    name: &'static str,
    fields: Fields,
    prisms: Vec<Prism>,
    points: Vec<[f64; 3]>,
    /// Whether the case is also measured on several GPUs.
    is_large: bool,
}

fn main() {
    let arguments = match Asked::read(&[("--divide", 1)]) {
        Ok(arguments) => arguments,
        Err(error) => return println!("nothing measured: {error}"),
    };
    println!("{} x {}\n", arguments.gpus.len(), arguments.gpus[0].info().name);
    let divide = arguments.number("--divide").max(1);
    if arguments.names("paper") || arguments.names("maps") {
        return paper::run(&arguments, divide);
    }
    if arguments.names("tesseroids") {
        return tesseroids::run(&arguments, divide);
    }
    if arguments.names("threads") {
        return threads::run(&arguments, &case("balls", divide));
    }
    println!("| case | prisms | points | precision | GPUs | ms, best (median) | billion pairs/s, best (median) |");
    println!("|---|---|---|---|---|---|---|");
    for name in ["near", "middle", "up", "far", "balls", "million"] {
        if arguments.wants(name) {
            let case = case(name, divide);
            compare(&arguments, &case);
            let sums = |devices: &[GpuPrisms], points: &Points, precision| {
                sum(devices, points, case.fields, precision);
            };
            measure(&arguments, &case, name, &sums);
        }
        if arguments.wants("transpose") {
            transpose::run(&arguments, &case(name, divide));
        }
    }
}

/// A case by its name, made `divide` times smaller.
fn case(name: &'static str, divide: usize) -> Case {
    let nine = Fields::ATTRACTION.union(Fields::TENSOR);
    let case = |prisms, points| Case { name, fields: nine, prisms, points, is_large: false };
    let many = (1 << 16) / divide;
    let count = |cells: usize| (cells as f64 / (divide as f64).cbrt()).ceil() as usize;
    match name {
        // Repeats the same cells, because no others are so near.
        "near" => case(again(block([4, 4, 2]), 1250 / divide), above(many, CELL, CELL)),
        "up" => Case { fields: Fields::from_iter([Field::Up]), ..self::case("near", divide) }.named(name),
        "middle" => case(again(block([9, 9, 5]), 100usize.div_ceil(divide)), above(many, 2.0 * CELL, CELL)),
        "far" => case(block([64, 64, 16].map(count)), above(many, 40e3, 10e3)),
        "balls" => {
            let cubes = |(centre, density)| ball(centre, RADIUS, CELL, density).step_by(divide);
            let prisms = BALLS.into_iter().flat_map(cubes).collect();
            let place = |n: usize| [100.0 * (n % 150) as f64, 100.0 * (n / 150) as f64, 100.0];
            Case { is_large: true, ..case(prisms, (0..15_000).step_by(divide).map(place).collect()) }
        }
        _ => Case { is_large: true, ..case(block([240, 240, 243].map(count)), above(1000, 1.0, 10e3)) },
    }
}

impl Case {
    fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }
}

/// Cubes of different densities below z = 0, around the z axis.
fn block(count: [usize; 3]) -> Vec<Prism> {
    let [nx, ny, nz] = count;
    let along = |n: usize, count: usize| (n as f64 - 0.5 * count as f64) * CELL;
    let cube = |n: usize| {
        let (west, south, top) = (along(n % nx, nx), along(n / nx % ny, ny), -((n / (nx * ny)) as f64) * CELL);
        let density = 200.0 + (n % 17) as f64 * 25.0;
        Prism { west, east: west + CELL, south, north: south + CELL, bottom: top - CELL, top, density }
    };
    (0..nx * ny * nz).map(cube).collect()
}

fn again(prisms: Vec<Prism>, times: usize) -> Vec<Prism> {
    let count = times.max(1) * prisms.len();
    prisms.into_iter().cycle().take(count).collect()
}

/// Points at a height above the middle of a block, over a square of some width.
fn above(count: usize, height: f64, width: f64) -> Vec<[f64; 3]> {
    let side = (count as f64).sqrt().ceil() as usize;
    let along = |n: usize| (((n as f64) + 0.37) / side as f64 - 0.5) * width;
    (0..count).map(|n| [along(n % side), along(n / side), height]).collect()
}

/// Prints a row for each precision and number of GPUs.
///
/// # Arguments
/// * `product` – product to measure, for devices that hold the prisms, at points
fn measure(arguments: &Asked, case: &Case, label: &str, product: &dyn Fn(&[GpuPrisms], &Points, Precision)) {
    let prisms = Prisms::new(case.prisms.iter().copied()).expect("sound prisms");
    let points = Points::new(case.points.iter().copied()).expect("sound points");
    let pairs = prisms.len() as f64 * points.len() as f64;
    let most = if case.is_large { arguments.gpus.len().min(4) } else { 1 };
    let devices: Vec<GpuPrisms> =
        arguments.gpus[..most].iter().map(|gpu| GpuPrisms::new(gpu, &prisms).expect("memory for the prisms")).collect();
    for precision in [Precision::Double, Precision::Single] {
        for count in [1, 2, 4].into_iter().filter(|&count| count <= most) {
            let round = || {
                let start = Instant::now();
                product(&devices[..count], &points, precision);
                start.elapsed().as_secs_f64()
            };
            // The first one loads the kernels.
            let mut rounds: Vec<f64> = (0..=ROUNDS).map(|_| round()).skip(1).collect();
            rounds.sort_by(f64::total_cmp);
            let [best, median] = [rounds[0], rounds[ROUNDS / 2]];
            println!(
                "| {label} | {} | {} | {} | {count} | {:.2} ({:.2}) | {:.2} ({:.2}) |",
                prisms.len(),
                points.len(),
                if precision == Precision::Double { "double" } else { "single" },
                1e3 * best,
                1e3 * median,
                pairs / best / 1e9,
                pairs / median / 1e9
            );
        }
    }
}

fn sum(devices: &[GpuPrisms], points: &Points, fields: Fields, precision: Precision) -> Gravity {
    let sums = GpuPrisms::forward_on(devices, points, fields, precision, &|| true).expect("a device that works");
    sums.expect("never cancelled")
}

/// Compares some prisms at some points with a CPU: to 1e-10 of the peaks in double precision, 1e-5 in single.
///
/// # Panics
/// If they differ.
fn compare(arguments: &Asked, case: &Case) {
    let [most_prisms, most_points] = COMPARED;
    let some = case.prisms.iter().copied().step_by(case.prisms.len().div_ceil(most_prisms));
    let prisms = Prisms::new(some).expect("sound prisms");
    let some = case.points.iter().copied().step_by(case.points.len().div_ceil(most_points));
    let points = Points::new(some).expect("sound points");
    let workers = Workers::new(None).expect("the system grants threads");
    let expected = forward(&prisms, &points, case.fields, &workers, Isa::detect());
    let device = GpuPrisms::new(&arguments.gpus[0], &prisms).expect("memory for the prisms");
    for (precision, limit) in [(Precision::Double, 1e-10), (Precision::Single, 1e-5)] {
        let values = sum(std::slice::from_ref(&device), &points, case.fields, precision);
        for kind in [Fields::ATTRACTION, Fields::TENSOR] {
            let (mut error, mut peak) = (0.0_f64, 0.0_f64);
            for field in case.fields.iter().filter(|&field| kind.contains(field)) {
                let [values, expected] = [&values, &expected].map(|all| all.get(field).expect("a requested field"));
                for (value, expected) in values.iter().zip(expected) {
                    (error, peak) = (error.max((value - expected).abs()), peak.max(expected.abs()));
                }
            }
            assert!(error <= limit * peak, "{}, {precision:?}: {error:e} of {peak:e}", case.name);
        }
    }
}
