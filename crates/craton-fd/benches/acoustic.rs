//! Points per second of acoustic shots on a processor.
//!
//! `cargo bench -p craton-fd --bench acoustic [-- plane space]` prints Markdown: single precision, random material, one source, a line of receivers, layers of
//! 20 cells on all sides. `plane` is the shot of Reinartsen (2009), 1481 x 1101 points in all, half-lengths 4 and 8; `space` has 256^3 points.

#![allow(clippy::print_stdout)] // a benchmark's result is what it prints

use std::sync::Arc;
use std::time::Instant;

use craton_device::{Isa, Workers};
use craton_fd::acoustic::{
    AcousticMaterial, AcousticMedium, AcousticOperator, AcousticOptions, Drive, Listener, Monitor, Placed,
};
use craton_fd::{AbsorbingLayer, Boundaries, Grid, Side};
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::StaggeredStencil;

/// Rounds of which the best and the median are told.
const ROUNDS: usize = 5;
/// Points that a round moves at least.
const POINTS: f64 = 4e8;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let wants = |name: &str| words.is_empty() || words.iter().any(|word| word == name);
    println!("{}\n", Isa::detect().name());
    println!("| cells | half-length | shots at once | threads of a shot | Mpoint/s, best (median) |");
    println!("|---|---|---|---|---|");
    let plane = ([1481, 1, 1101], [(1, 1), (1, 2), (2, 1)]);
    let space = ([256, 256, 256], [(1, 1), (1, 2), (2, 1)]);
    for (name, (cells, ways)) in [("plane", plane), ("space", space)] {
        for half_length in [4, 8].into_iter().filter(|_| wants(name)) {
            for (shots, threads) in ways {
                let rates = measure(cells, half_length, shots, threads);
                let (best, median) = (rates[ROUNDS - 1], rates[ROUNDS / 2]);
                println!("| {cells:?} | {half_length} | {shots} | {threads} | {best:.0} ({median:.0}) |");
            }
        }
    }
}

/// Millions of points per second of all shots together, ascending.
fn measure(cells: [usize; 3], half_length: usize, shots: usize, threads: usize) -> Vec<f64> {
    let mut operators: Vec<_> = (0..shots).map(|_| operator(cells, half_length, threads)).collect();
    let points = cells.iter().product::<usize>() as f64;
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

fn operator(cells: [usize; 3], half_length: usize, threads: usize) -> AcousticOperator<f32> {
    let grid = Grid { origin: [0.0; 3], spacing: [10.0; 3], cells };
    let vary = |[i, j, k]: [usize; 3]| ((i * 7 + j * 13 + k * 29) % 101) as f64;
    let material = |cell| AcousticMaterial { vp: 1500.0 + 10.0 * vary(cell), rho: 1000.0 + vary(cell) };
    let medium = Arc::new(AcousticMedium::new(grid, material).expect("sound material"));
    let layer = AbsorbingLayer {
        cells: 20,
        vp_max: 2510.0,
        dominant_frequency: 15.0,
        reflection: 1e-4,
        exponent: 2.0,
        max_stretch: 1.0,
    };
    let options = AcousticOptions {
        stencil: StaggeredStencil::holberg(half_length, 1e-3).expect("a half-length in range"),
        boundaries: Boundaries::all(Side::Layer(layer)),
        interpolation: WindowedSinc::new(4, 4.0).expect("a sound window"),
        isa: Isa::detect(),
    };
    let dt = 0.8 * medium.stable_step(&options.stencil);
    let workers = Arc::new(Workers::new(Some(threads)).expect("a few threads"));
    let mut operator = AcousticOperator::new(medium, options, dt, workers).expect("a sound problem");
    let centre = grid.centre(cells.map(|n| n / 2));
    let place = |position| vec![Placed { position, weight: 1.0 }];
    let history = (0..1 << 15).map(|step| (0.05 * f64::from(step)).sin()).collect();
    let source = Drive { places: place(centre), field: Monitor::Pressure, history };
    let receiver = |i: usize| {
        let position = [10.0 * i as f64 + 5.0, centre[1], 300.0];
        Listener { places: place(position), field: Monitor::Pressure }
    };
    let receivers: Vec<Listener> = (25..cells[0] - 25).map(receiver).collect();
    operator.place(&[source], &receivers).expect("places inside");
    operator
}
