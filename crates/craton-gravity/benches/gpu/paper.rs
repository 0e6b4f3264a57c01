//! The tables of Couder-Castañeda and others (2013) on GPUs of today: speed, errors against a CPU in both precisions and of the textbook form in single
//! precision, 14 million prisms, and several devices. Less than a minute on one H200 with 16 cores.

use std::fmt::Write;
use std::path::Path;
use std::time::Instant;

use craton_device::{Isa, Workers};
use craton_gravity::{Field, Fields, GpuPrisms, Gravity, Points, Precision, Prism, Prisms, ball, forward};
use craton_testkit::scaling::Asked;
use rayon::prelude::*;

use super::{BALLS, CELL, RADIUS, block, corner, sum};

/// Points along x and y, and their distance and height [m].
const GRID: [usize; 2] = [150, 100];
const SPACING: f64 = 100.0;
/// Rounds after the first; the best is reported.
const ROUNDS: usize = 2;
/// Time limit of a comparison, or of one precision of the largest case [s]; fewer points are used to stay within it.
const SECONDS: f64 = 8.0;
/// Pairs per second and CPU core in double precision, and of the corner form; used to choose the number of points.
const ON_CORE: f64 = 4e7;
const CORNER_ON_CORE: f64 = 2e6;
/// Columns of maps, in the order of [`nine`].
const NAMES: &str =
    "g_e_mgal,g_n_mgal,g_u_mgal,g_ee_eotvos,g_en_eotvos,g_eu_eotvos,g_nn_eotvos,g_nu_eotvos,g_uu_eotvos";
/// Environment variable that names the folder for maps of the errors.
const MAPS: &str = "CRATON_MAPS";

/// The synthetic model: prisms and a grid of points, optionally thinned.
struct Synthetic {
    prisms: Vec<Prism>,
    /// Stride of the points along both axes.
    stride: usize,
}

/// Prints all tables, or those of errors alone.
pub fn run(arguments: &Asked, divide: usize) {
    let begun = Instant::now();
    let cubes = |(centre, density)| ball(centre, RADIUS, CELL, density).step_by(divide);
    let stride = (divide as f64).sqrt().ceil() as usize;
    let synthetic = Synthetic { prisms: BALLS.into_iter().flat_map(cubes).collect(), stride };
    let devices = on_all(arguments, &synthetic.prisms);
    if arguments.names("paper") {
        speed(&synthetic, &devices);
    }
    errors(&synthetic, &devices[0]);
    drop(devices);
    if arguments.names("paper") {
        million(arguments, divide);
    }
    println!("\n{:.0} s in all", begun.elapsed().as_secs_f64());
}

impl Synthetic {
    fn count(&self, stride: usize) -> [usize; 2] {
        GRID.map(|count| count.div_ceil(stride))
    }

    /// The points of the grid with a given stride, x fastest.
    fn places(&self, stride: usize) -> Vec<[f64; 3]> {
        let [nx, ny] = self.count(stride);
        let place = |n: usize| [(n % nx * stride) as f64 * SPACING, (n / nx * stride) as f64 * SPACING, SPACING];
        (0..nx * ny).map(place).collect()
    }

    /// The least stride at which all pairs take no more than [`SECONDS`].
    fn affordable(&self, rate: f64) -> usize {
        let takes = |stride: usize| (self.prisms.len() * self.places(stride).len()) as f64 / rate;
        (self.stride..).find(|&stride| takes(stride) <= SECONDS || self.places(stride).len() == 1).expect("one point")
    }
}

fn nine() -> Fields {
    Fields::ATTRACTION.union(Fields::TENSOR)
}

fn points_of(places: &[[f64; 3]]) -> Points {
    Points::new(places.iter().copied()).expect("sound points")
}

/// The prisms on every device.
fn on_all(arguments: &Asked, prisms: &[Prism]) -> Vec<GpuPrisms> {
    let prisms = Prisms::new(prisms.iter().copied()).expect("sound prisms");
    arguments.gpus.iter().map(|gpu| GpuPrisms::new(gpu, &prisms).expect("memory for the prisms")).collect()
}

/// The best time of several rounds [s] after a warm-up round, and the result.
pub fn timed(devices: &[GpuPrisms], points: &Points, fields: Fields, precision: Precision) -> (f64, Gravity) {
    let mut values = sum(devices, points, fields, precision);
    let mut round = || {
        let start = Instant::now();
        values = sum(devices, points, fields, precision);
        start.elapsed().as_secs_f64()
    };
    let best = (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min);
    (best, values)
}

/// Pairs per second on 1, 2 ... devices, with bit-identical results.
fn speed(synthetic: &Synthetic, devices: &[GpuPrisms]) {
    let points = points_of(&synthetic.places(synthetic.stride));
    let pairs = synthetic.prisms.len() as f64 * points.len() as f64;
    println!("{} prisms, {} points, blocks of 128 threads\n", synthetic.prisms.len(), points.len());
    println!("| fields | precision | GPUs | ms | billion pairs/s | times one GPU |\n|---|---|---|---|---|---|");
    for (name, fields) in [("nine", nine()), ("g_u", Fields::from_iter([Field::Up]))] {
        for precision in [Precision::Double, Precision::Single] {
            let mut one: Option<(f64, Gravity)> = None;
            let counts = (0..).map(|power| 1 << power).take_while(|&count| count < devices.len());
            for count in counts.chain([devices.len()]) {
                let (seconds, values) = timed(&devices[..count], &points, fields, precision);
                let (alone, first) = one.get_or_insert((seconds, values.clone()));
                assert!(
                    same_bits(first, &values),
                    "{name}, {precision:?}: results on {count} devices differ from those on one"
                );
                println!(
                    "| {name} | {} | {count} | {:.1} | {:.2} | {:.2} |",
                    word(precision),
                    1e3 * seconds,
                    pairs / seconds / 1e9,
                    *alone / seconds
                );
            }
        }
    }
    println!("\nbit-identical on any number of GPUs");
}

fn same_bits(a: &Gravity, b: &Gravity) -> bool {
    Field::ALL.iter().all(|&field| match (a.get(field), b.get(field)) {
        (Some(a), Some(b)) => a.iter().map(|value| value.to_bits()).eq(b.iter().map(|value| value.to_bits())),
        (a, b) => a.is_none() && b.is_none(),
    })
}

pub fn word(precision: Precision) -> &'static str {
    if precision == Precision::Double { "double" } else { "single" }
}

/// RMS and largest difference from CPU sums in double precision, for both precisions of the device and for the corner form in single precision.
fn errors(synthetic: &Synthetic, device: &GpuPrisms) {
    let workers = Workers::new(None).expect("the system grants threads");
    let cores = workers.threads() as f64;
    let stride = synthetic.affordable(ON_CORE * cores);
    let places = synthetic.places(stride);
    let points = points_of(&places);
    let prisms = Prisms::new(synthetic.prisms.iter().copied()).expect("sound prisms");
    let exact = forward(&prisms, &points, nine(), &workers, Isa::detect());
    let device = std::slice::from_ref(device);
    let [double, single] =
        [Precision::Double, Precision::Single].map(|precision| sum(device, &points, nine(), precision));
    let thin = synthetic.affordable(CORNER_ON_CORE * cores).next_multiple_of(stride);
    let thin_places = synthetic.places(thin);
    let thin_exact = forward(&prisms, &points_of(&thin_places), nine(), &workers, Isa::detect());
    check_corner_form(synthetic, &thin_places, &thin_exact);
    let corners: Vec<[f64; corner::NINE]> =
        workers.run(|| thin_places.par_iter().map(|&place| corner::sum(&synthetic.prisms, place)).collect());
    println!(
        "\nDifference from a CPU in double precision at {} points, of the corner form at {}; mGal and E. RMS, largest:\n",
        places.len(),
        thin_places.len()
    );
    println!("| field | peak | double | single | corner form, single |\n|---|---|---|---|---|");
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for (number, field) in nine().iter().enumerate() {
        let unit = if number < 3 { 1e5 } else { 1e9 };
        let of = |values: &Gravity| differences(values.get(field), exact.get(field), unit);
        let corner: Vec<f64> = corners.iter().map(|values| values[number]).collect();
        let [double, single] = [of(&double), of(&single)];
        let corner = differences(Some(&corner), thin_exact.get(field), unit);
        let peak = exact.get(field).into_iter().flatten().fold(0.0_f64, |peak, value| peak.max(unit * value.abs()));
        println!("| {field:?} | {peak:.4} | {} | {} | {} |", summary(&double), summary(&single), summary(&corner));
        ours.push(single);
        theirs.push(corner);
    }
    if let Some(folder) = std::env::var_os(MAPS) {
        let folder = Path::new(&folder);
        std::fs::create_dir_all(folder).expect("a folder for maps");
        write_map(&folder.join("single_precision.csv"), &places, &ours);
        write_map(&folder.join("corner_form_in_single_precision.csv"), &thin_places, &theirs);
    }
}

/// Checks that the corner form is programmed correctly: in double precision its sums differ only by round-off.
///
/// # Panics
/// If they do not.
fn check_corner_form(synthetic: &Synthetic, places: &[[f64; 3]], exact: &Gravity) {
    for (number, field) in nine().iter().enumerate() {
        let exact = exact.get(field).expect("a requested field");
        let peak = exact.iter().fold(0.0_f64, |peak, value| peak.max(value.abs()));
        for point in [0, places.len() / 2] {
            let value = corner::sum_in_double(&synthetic.prisms, places[point])[number];
            assert!((value - exact[point]).abs() <= 1e-6 * peak, "{field:?}: {value:e}, not {:e}", exact[point]);
        }
    }
}

fn differences(values: Option<&[f64]>, exact: Option<&[f64]>, unit: f64) -> Vec<f64> {
    let pairs = values.into_iter().flatten().zip(exact.into_iter().flatten());
    pairs.map(|(value, exact)| unit * (value - exact)).collect()
}

/// RMS and largest of differences, and the number of non-finite ones.
fn summary(differences: &[f64]) -> String {
    let numbers: Vec<f64> = differences.iter().copied().filter(|value| value.is_finite()).collect();
    let square: f64 = numbers.iter().map(|value| value * value).sum();
    let rms = (square / numbers.len().max(1) as f64).sqrt();
    let largest = numbers.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let none = match differences.len() - numbers.len() {
        0 => String::new(),
        count => format!(", {count} not finite"),
    };
    format!("{rms:.2e}, {largest:.2e}{none}")
}

/// Writes errors at points: a row for each, x fastest.
fn write_map(path: &Path, places: &[[f64; 3]], errors: &[Vec<f64>]) {
    let mut text = format!("x,y,{NAMES}\n");
    for (point, [x, y, _]) in places.iter().enumerate() {
        write!(text, "{x},{y}").expect("memory");
        errors.iter().for_each(|errors| write!(text, ",{:e}", errors[point]).expect("memory"));
        text.push('\n');
    }
    std::fs::write(path, text).expect("room for maps");
    println!("\n{}", path.display());
}

/// 14 million cubes at the points of the grid, or at as many as can be computed in [`SECONDS`], on all devices.
fn million(arguments: &Asked, divide: usize) {
    let count = |cells: usize| (cells as f64 / (divide as f64).cbrt()).ceil() as usize;
    let stride = (divide as f64).sqrt().ceil() as usize;
    let middle = [0, 1].map(|axis| 0.5 * SPACING * (GRID[axis] - 1) as f64);
    let moved = |prism: Prism| {
        let [x, y] = middle;
        Prism { west: prism.west + x, east: prism.east + x, south: prism.south + y, north: prism.north + y, ..prism }
    };
    let prisms = block([240, 240, 243].map(count)).into_iter().map(moved).collect();
    let synthetic = Synthetic { prisms, stride };
    let devices = on_all(arguments, &synthetic.prisms);
    println!("\n| prisms | points | precision | GPUs | s | billion pairs/s |\n|---|---|---|---|---|---|");
    for precision in [Precision::Double, Precision::Single] {
        // A run of about a tenth of a second determines how many points are feasible.
        let few = points_of(&synthetic.places(synthetic.stride * 25));
        let start = Instant::now();
        sum(&devices, &few, nine(), precision);
        let rate = (synthetic.prisms.len() * few.len()) as f64 / start.elapsed().as_secs_f64();
        let points = points_of(&synthetic.places(synthetic.affordable(rate)));
        let start = Instant::now();
        sum(&devices, &points, nine(), precision);
        let seconds = start.elapsed().as_secs_f64();
        println!(
            "| {} | {} | {} | {} | {seconds:.2} | {:.2} |",
            synthetic.prisms.len(),
            points.len(),
            word(precision),
            devices.len(),
            (synthetic.prisms.len() * points.len()) as f64 / seconds / 1e9
        );
    }
}
