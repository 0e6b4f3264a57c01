//! Points per second of acoustic shots on a CPU.
//!
//! `cargo bench -p craton-fd --bench acoustic [-- plane space gpu]` prints Markdown: single precision, random material, one source, a line of receivers, layers of
//! 20 cells on all sides. `plane` is the shot of Johansen (2009), Seismic Shot Processing on GPU, NTNU: 1481 x 1101 points in total; `space` has 256^3 points.
//! `gpu`: concurrent shots on the first GPU, and 512^3 points. `ways [NUMBER...]`: planes on the first GPU in blocks of rows and in tiles, with a check that both
//! are bit-identical; all cases, or those with these numbers. `coarse`, `full`: with attenuation, by one of three mechanisms per point, or by all. `equations`:
//! the system of first order and the scalar wave equation in space at constant density, with and without layers: 256^3 points on all cores, with `gpu` 512^3 on
//! the first GPU. `gradient`: a shot and its gradient on the first GPU, in planes of 0.25, 1 and 4 million points and in a volume of 200^3.

#![allow(clippy::print_stdout)] // a benchmark's result is what it prints

mod gradient;
mod ways;

use std::sync::Arc;
use std::time::Instant;

use craton_device::gpu::Gpu;
use craton_device::{Isa, Workers};
use craton_fd::acoustic::{
    AcousticField, AcousticGpu, AcousticMaterial, AcousticMedium, AcousticOperator, AcousticOptions, AcousticShot,
    CentralStencil, Drive, FluidMechanism, FluidMechanisms, Listener, Placed, WaveEquation,
};
use craton_fd::{AbsorbingLayer, Boundaries, Grid, MemoryPoints, Side};
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::StaggeredStencil;

/// Points, half-length of the stencil, and memory variables.
type Case = ([usize; 3], usize, Option<MemoryPoints>);

/// A fluid, options, and time step [s].
type Problem = (Arc<AcousticMedium<f32>>, AcousticOptions, f64);

/// Points of a shot in a plane, including its layers.
const PLANE: [usize; 3] = [1481, 1, 1101];
/// Number of rounds, of which the best and the median are reported.
const ROUNDS: usize = 5;
/// Minimum number of point updates per round.
const POINTS: f64 = 4e8;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let names = |name: &str| words.iter().any(|word| word == name);
    let wants = |name: &str| names(name) || !(names("plane") || names("space"));
    let memory = match (names("coarse"), names("full")) {
        (true, _) => Some(MemoryPoints::One),
        (_, true) => Some(MemoryPoints::All),
        _ => None,
    };
    if names("equations") {
        return if names("gpu") { equations_on_gpu() } else { equations_on_cores() };
    }
    if names("ways") {
        return ways::compare(&words, memory);
    }
    if names("gradient") {
        return gradient::measure();
    }
    if names("gpu") {
        return on_gpu(wants, memory);
    }
    println!("{}\n", Isa::detect().name());
    println!("| cells | half-length | shots at once | threads of a shot | Mpoint/s, best (median) |");
    println!("|---|---|---|---|---|");
    for (name, cells) in [("plane", PLANE), ("space", [256, 256, 256])] {
        for half_length in [4, 8].into_iter().filter(|_| wants(name)) {
            for (shots, threads) in [(1, 1), (1, 2), (2, 1)] {
                let rates = measure((cells, half_length, memory), shots, threads);
                let (best, median) = (rates[ROUNDS - 1], rates[ROUNDS / 2]);
                println!("| {cells:?} | {half_length} | {shots} | {threads} | {best:.0} ({median:.0}) |");
            }
        }
    }
}

/// Concurrent shots on the first GPU.
fn on_gpu(wants: impl Fn(&str) -> bool, memory: Option<MemoryPoints>) {
    let gpu = match Gpu::cuda(0) {
        Ok(gpu) => gpu,
        Err(error) => return println!("nothing measured: {error}"),
    };
    println!("\n{}\n", gpu.info().name);
    println!(
        "| cells | half-length | shots at once | us a step and shot, best (median) | Gpoint/s | bytes of device memory per point and shot |"
    );
    println!("|---|---|---|---|---|---|");
    let plane = [(8, 1), (8, 2), (8, 16), (4, 1)].map(|(half_length, shots)| ("plane", PLANE, half_length, shots));
    let space = [4, 2].map(|half_length| ("space", [512; 3], half_length, 1));
    let cases = plane.into_iter().chain(space).filter(|(name, ..)| wants(name));
    for (_, cells, half_length, shots) in cases {
        let (medium, options, dt) = problem((cells, half_length, memory));
        let held = gpu.bytes_held();
        let mut operator = AcousticGpu::new(&gpu, medium, options, dt, shots).expect("memory for the shots");
        let (source, receivers) = taps(cells);
        operator.place(&vec![(vec![source], receivers); shots]).expect("places inside");
        let points = cells.iter().product::<usize>() as f64;
        let bytes = (gpu.bytes_held() - held) as f64 / points / shots as f64;
        let steps = ((2e10 / points / shots as f64) as u64).clamp(32, 2048) / 32 * 32;
        let mut rounds: Vec<f64> = (0..=ROUNDS)
            .map(|_| {
                gpu.synchronize().expect("no device failure");
                let start = Instant::now();
                let mut left = steps;
                while left > 0 {
                    let together = left.min(operator.longest_advance() / 32 * 32).max(1);
                    operator.advance(together).expect("no device failure");
                    operator.take_samples().expect("no device failure");
                    left -= together;
                }
                gpu.synchronize().expect("no device failure");
                start.elapsed().as_secs_f64() / (steps * shots as u64) as f64
            })
            .skip(1)
            .collect();
        rounds.sort_by(f64::total_cmp);
        let (best, median) = (rounds[0], rounds[ROUNDS / 2]);
        println!(
            "| {cells:?} | {half_length} | {shots} | {:.2} ({:.2}) | {:.1} | {bytes:.1} |",
            1e6 * best,
            1e6 * median,
            points / best / 1e9
        );
    }
}

/// Half-lengths, whether there are layers, and whether the equation is the scalar one.
fn equations() -> impl Iterator<Item = (usize, bool, bool)> {
    [2, 4, 8].into_iter().flat_map(|half_length| {
        [(false, true), (false, false), (true, true), (true, false)]
            .map(|(layers, scalar)| (half_length, layers, scalar))
    })
}

const HEAD: &str = "| cells | half-length | layers | equation | Gpoint/s, best (median) | bytes per point |\n|---|---|---|---|---|---|";

/// A fluid of constant density, with and without layers, for either equation.
fn problem_of(cells: [usize; 3], (half_length, layers, scalar): (usize, bool, bool)) -> Problem {
    let vary = |[i, j, k]: [usize; 3]| ((i * 7 + j * 13 + k * 29) % 101) as f64;
    let material = |cell| AcousticMaterial { vp: 1500.0 + 10.0 * vary(cell), rho: 1000.0 };
    let medium = AcousticMedium::new(grid(cells), material).expect("sound material");
    let mut options = options(half_length);
    if !layers {
        for side in &mut options.boundaries.sides {
            if let Side::Layer(layer) = side {
                layer.cells = 0;
            }
        }
    }
    if scalar {
        let stencil = CentralStencil::holberg(half_length, 1e-3).expect("a half-length in range");
        options.equation = WaveEquation::Scalar(stencil);
    }
    let dt = 0.8 * medium.stable_step_of(&options);
    (Arc::new(medium), options, dt)
}

/// Prints a row of the table from the seconds of each step.
fn print_row(cells: [usize; 3], (half_length, layers, scalar): (usize, bool, bool), mut times: Vec<f64>, bytes: f64) {
    times.sort_by(f64::total_cmp);
    let points = cells.iter().product::<usize>() as f64 / 1e9;
    let (best, median) = (points / times[0], points / times[times.len() / 2]);
    let (layers, equation) = (if layers { 20 } else { 0 }, if scalar { "scalar" } else { "first order" });
    let bytes = bytes / points / 1e9;
    println!("| {cells:?} | {half_length} | {layers} | {equation} | {best:.3} ({median:.3}) | {bytes:.1} |");
}

fn equations_on_cores() {
    println!("{}\n\n{HEAD}", Isa::detect().name());
    let cells = [256; 3];
    for case in equations() {
        let (medium, options, dt) = problem_of(cells, case);
        let workers = Arc::new(Workers::new(None).expect("threads"));
        let mut operator = AcousticShot::new(medium, options, dt, workers).expect("a sound problem");
        let (source, receivers) = taps(cells);
        operator.place(&[source], &receivers).expect("places inside");
        let steps = (POINTS / cells.iter().product::<usize>() as f64).ceil() as u64;
        let mut round = || {
            let start = Instant::now();
            operator.advance(steps);
            operator.take_samples();
            start.elapsed().as_secs_f64() / steps as f64
        };
        round();
        let times = (0..ROUNDS).map(|_| round()).collect();
        print_row(cells, case, times, operator.bytes() as f64);
    }
}

fn equations_on_gpu() {
    let gpu = match Gpu::cuda(0) {
        Ok(gpu) => gpu,
        Err(error) => return println!("nothing measured: {error}"),
    };
    println!("{}\n\n{HEAD}", gpu.info().name);
    let cells = [512; 3];
    for case in equations() {
        let (medium, options, dt) = problem_of(cells, case);
        let held = gpu.bytes_held();
        // The program has no kernels of the system of first order for half-length 8 in space.
        let mut operator = match AcousticGpu::new(&gpu, medium, options, dt, 1) {
            Ok(operator) => operator,
            Err(error) => {
                println!("not measured: {case:?}: {error}");
                continue;
            }
        };
        let (source, receivers) = taps(cells);
        operator.place(&[(vec![source], receivers)]).expect("places inside");
        let bytes = (gpu.bytes_held() - held) as f64;
        let steps = 64;
        let mut round = || {
            gpu.synchronize().expect("no device failure");
            let start = Instant::now();
            operator.advance(steps).expect("no device failure");
            gpu.synchronize().expect("no device failure");
            let seconds = start.elapsed().as_secs_f64() / steps as f64;
            operator.take_samples().expect("no device failure");
            seconds
        };
        round();
        let times = (0..ROUNDS).map(|_| round()).collect();
        print_row(cells, case, times, bytes);
    }
}

/// Millions of points per second, summed over all shots, in ascending order.
fn measure(case: Case, shots: usize, threads: usize) -> Vec<f64> {
    let mut operators: Vec<_> = (0..shots).map(|_| operator(case, threads)).collect();
    let points = case.0.iter().product::<usize>() as f64;
    let steps = (POINTS / points).ceil() as u64;
    let mut round = || {
        let start = Instant::now();
        std::thread::scope(|scope| {
            for operator in &mut operators {
                scope.spawn(|| {
                    operator.advance(steps);
                    operator.take_samples();
                });
            }
        });
        points * (steps * shots as u64) as f64 / start.elapsed().as_secs_f64() / 1e6
    };
    round();
    let mut rates: Vec<f64> = (0..ROUNDS).map(|_| round()).collect();
    rates.sort_by(f64::total_cmp);
    rates
}

fn operator(case: Case, threads: usize) -> AcousticOperator<f32> {
    let (medium, options, dt) = problem(case);
    let workers = Arc::new(Workers::new(Some(threads)).expect("a few threads"));
    let mut operator = AcousticOperator::new(medium, options, dt, workers).expect("a sound problem");
    let (source, receivers) = taps(case.0);
    operator.place(&[source], &receivers).expect("places inside");
    operator
}

fn problem((cells, half_length, memory): Case) -> Problem {
    let vary = |[i, j, k]: [usize; 3]| ((i * 7 + j * 13 + k * 29) % 101) as f64;
    // Densities of adjacent cells differ by less than 1 %, so that a receiver on a grid point has one weight.
    let material = |cell| AcousticMaterial { vp: 1500.0 + 10.0 * vary(cell), rho: 1000.0 + 0.09 * vary(cell) };
    let medium = AcousticMedium::new(grid(cells), material).expect("sound material");
    let medium = Arc::new(match memory {
        None => medium,
        Some(points) => medium.with_losses(mechanisms(points), |cell| 0.01 + 1e-4 * vary(cell)),
    });
    let options = options(half_length);
    let dt = 0.8 * medium.stable_step(&options.stencil);
    (medium, options, dt)
}

/// Layers on all sides, and the system of first order.
fn options(half_length: usize) -> AcousticOptions {
    let layer = AbsorbingLayer {
        cells: 20,
        vp_max: 2510.0,
        dominant_frequency: 15.0,
        reflection: 1e-4,
        exponent: 2.0,
        max_stretch: 1.0,
    };
    AcousticOptions {
        equation: WaveEquation::FirstOrder,
        stencil: StaggeredStencil::holberg(half_length, 1e-3).expect("a half-length in range"),
        boundaries: Boundaries::all(Side::Layer(layer)),
        interpolation: WindowedSinc::new(4, 4.0).expect("a sound window"),
        isa: Isa::detect(),
    }
}

/// Three mechanisms.
fn mechanisms(points: MemoryPoints) -> FluidMechanisms {
    let shares = FluidMechanisms::shares(points, 3).unwrap_or(vec![1.0; 3]);
    let mechanism = |(rate, share): (f64, f64)| FluidMechanism { rate, polynomial: [1.6 / share, -1.0 / share, 0.0] };
    FluidMechanisms { mechanisms: [9.0, 55.0, 340.0].into_iter().zip(shares).map(mechanism).collect(), points }
}

fn grid(cells: [usize; 3]) -> Grid {
    Grid { origin: [0.0; 3], spacing: [10.0; 3], cells }
}

/// A source in the middle, and a line of receivers on cells.
fn taps(cells: [usize; 3]) -> (Drive, Vec<Listener>) {
    let centre = grid(cells).centre(cells.map(|n| n / 2));
    let place = |position| vec![Placed { position, weight: 1.0 }];
    let history = (0..1 << 15).map(|step| (0.05 * f64::from(step)).sin()).collect();
    let source = Drive { places: place(centre), field: AcousticField::Pressure, history };
    let receiver = |i: usize| {
        let position = [10.0 * i as f64 + 5.0, centre[1], 305.0];
        Listener { places: place(position), field: AcousticField::Pressure }
    };
    (source, (25..cells[0] - 25).map(receiver).collect())
}
