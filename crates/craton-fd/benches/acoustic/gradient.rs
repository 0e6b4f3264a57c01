//! The gradient of a shot on a GPU, against the shot itself.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use craton_device::Workers;
use craton_device::gpu::{Gpu, Memory};
use craton_fd::acoustic::{AcousticGpu, Drive, GradientGpu, Listener, ShotWay, StoragePlan, gradient_of_shot};

use crate::{Problem, problem, taps};

/// Number of rounds, of which the best is reported.
const ROUNDS: usize = 3;
/// Steps per stored step, as at twice the Nyquist rate of a source with 32 steps in its shortest period.
const EVERY: u64 = 8;

/// Points, half-length of the stencil, and steps.
type Case = ([usize; 3], usize, u64);

const CASES: [Case; 7] = [
    ([500, 1, 500], 4, 4000),
    ([500, 1, 500], 8, 4000),
    ([1000, 1, 1000], 4, 4000),
    ([1000, 1, 1000], 8, 4000),
    ([2000, 1, 2000], 4, 4000),
    ([2000, 1, 2000], 8, 4000),
    ([200, 200, 200], 4, 2000),
];

/// Prints the times of shots and of their gradients on the first GPU, from the placement of the sources to the results on the host.
pub fn measure() {
    let gpu = match Gpu::cuda(0) {
        Ok(gpu) => gpu,
        Err(error) => return println!("nothing measured: {error}"),
    };
    println!("\n{}\n", gpu.info().name);
    println!(
        "| points | half-length | steps | computed | s | of it forward | GB | gradient / fastest shot | gradient / shot in rows |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for case in CASES {
        if let Err(error) = of_case(&gpu, case) {
            println!("not measured: {case:?}: {error}");
        }
    }
}

fn of_case(gpu: &Gpu, case: Case) -> Result<(), Box<dyn Error>> {
    let (cells, half_length, steps) = case;
    let problem = problem((cells, half_length, None));
    let (source, receivers) = taps(cells);
    let shot = (&[source][..], &receivers[..]);
    let head = format!("| {cells:?} | {half_length} | {steps} |");
    let [fastest, in_rows] =
        [ShotWay::Fastest, ShotWay::Rows].map(|way| time_of_shot(gpu, &problem, (way, shot), steps));
    let (fastest, in_rows) = (fastest?, in_rows?);
    println!("{head} shot, the fastest way | {fastest:.4} | | | | |");
    println!("{head} shot in rows | {in_rows:.4} | | | | |");
    for (every, with_density) in [(EVERY, false), (1, false), (EVERY, true), (1, true)] {
        let what = if every == 1 { "exact gradient".to_owned() } else { format!("gradient, every {every} steps") };
        let what = if with_density { format!("{what}, with density") } else { what };
        match time_of_gradient(gpu, &problem, shot, (steps, every, with_density)) {
            Ok([all, forward, bytes]) => println!(
                "{head} {what} | {all:.4} | {forward:.4} | {:.1} | {:.2} | {:.2} |",
                bytes / 1e9,
                all / fastest,
                all / in_rows
            ),
            Err(error) => println!("{head} {what} | {error} | | | | |"),
        }
    }
    Ok(())
}

/// Time of a shot [s].
fn time_of_shot(
    gpu: &Gpu,
    (medium, options, dt): &Problem,
    (way, shot): (ShotWay, (&[Drive], &[Listener])),
    steps: u64,
) -> Result<f64, Box<dyn Error>> {
    let mut operator = AcousticGpu::moving(way, gpu, Arc::clone(medium), options.clone(), *dt, 1)?;
    let shots = [(shot.0.to_vec(), shot.1.to_vec())];
    best_of(|| {
        let begun = Instant::now();
        operator.place(&shots)?;
        operator.advance(steps)?;
        operator.take_samples()?;
        Ok([begun.elapsed().as_secs_f64(), 0.0])
    })
    .map(|[all, _]| all)
}

/// Time of a gradient and of its forward run [s], and device memory [bytes].
fn time_of_gradient(
    gpu: &Gpu,
    (medium, options, dt): &Problem,
    shot: (&[Drive], &[Listener]),
    (steps, every, with_density): (u64, u64, bool),
) -> Result<[f64; 3], Box<dyn Error>> {
    let held = gpu.bytes_held();
    let workers = Arc::new(Workers::new(None)?);
    let mut device = GradientGpu::new(gpu, Arc::clone(medium), options.clone(), *dt, workers)?;
    let room = |memory: Memory| (0.9 * memory.free as f64) as u64;
    let plan = StoragePlan::new(steps, every, device.sizes(with_density), gpu.memory().map(room)?)
        .map_err(|bytes| format!("needs {bytes} bytes"))?;
    if plan.segments().len() > 1 {
        println!("with {} checkpoints:", plan.segments().len() - 1);
    }
    let [all, forward] = best_of(|| {
        let (begun, mut forward) = (Instant::now(), 0.0);
        // The misfit is half the sum of squares.
        let residual = |samples: Vec<f32>| {
            forward = begun.elapsed().as_secs_f64();
            Ok::<_, Box<dyn Error>>(samples)
        };
        gradient_of_shot(&mut device, shot, with_density, &plan, residual, (1 << 20, &|| true))?;
        Ok([begun.elapsed().as_secs_f64(), forward])
    })?;
    Ok([all, forward, (gpu.bytes_held() - held) as f64])
}

/// The best of some rounds after one that is not counted.
fn best_of(mut round: impl FnMut() -> Result<[f64; 2], Box<dyn Error>>) -> Result<[f64; 2], Box<dyn Error>> {
    round()?;
    let mut times = (0..ROUNDS).map(|_| round()).collect::<Result<Vec<_>, _>>()?;
    times.sort_by(|a, b| a[0].total_cmp(&b[0]));
    Ok(times[0])
}
