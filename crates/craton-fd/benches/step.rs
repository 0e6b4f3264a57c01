//! Points per second of a step on one and two threads, compared with the limit of the memory bandwidth.
//!
//! `cargo bench -p craton-fd [-- CELLS_PER_AXIS]` prints Markdown: single precision, random material, one source, as in a typical run
//! without output. The floor is that of two sweeps in which every array is read once and, where it changes, written once: 120 bytes per
//! point, at the speed of a copy measured in the same run; attenuation adds 2 losses, and 6 memory variables twice for each set; the march through both halves moves some arrays once, and may be faster.

#![allow(clippy::print_stdout)] // a benchmark's result is what it prints

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use craton_device::{Isa, Workers};
use craton_fd::{
    AbsorbingLayer, Boundaries, FdOperator, Grid, Material, Mechanism, Mechanisms, Medium, MemoryPoints, Options,
    PointSource, Side, SourceMechanism, Sponge, stable_step,
};
use craton_numerics::sinc::WindowedSinc;
use craton_numerics::staggered::StaggeredStencil;
use craton_sim::Operator;
use rayon::prelude::*;

/// Default number of cells along each axis.
const PER_AXIS: usize = 200;
/// Number of rounds, of which the best and the median are reported, and steps per round.
const ROUNDS: usize = 5;
const STEPS: u64 = 4;
/// Velocities: 6 stresses, 1 density, 3 velocities twice; stresses: 3 velocities, 2 moduli, 6 stresses twice; four bytes each.
const BYTES_PER_POINT: f64 = 4.0 * 30.0;

fn main() {
    let per_axis = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(PER_AXIS);
    let threads = [1, 2];
    let workers = threads.map(|threads| Arc::new(Workers::new(Some(threads)).expect("a few threads")));
    let copies = [0, 1].map(|n| copy_bandwidth(&workers[n]) / 1e6);
    let floors = copies.map(|copy| copy / BYTES_PER_POINT);
    println!(
        "{}, {per_axis}^3 cells, floor {:.0} and {:.0} Mpoint/s on 1 and 2 threads",
        Isa::detect().name(),
        floors[0],
        floors[1]
    );
    println!(
        "\n| order | sides | Mpoint/s on 1 thread, best (median) | share of the floor | on 2 | share | bytes per point |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (memory, points) in [("", None), (", coarse", Some(MemoryPoints::One)), (", full", Some(MemoryPoints::All))] {
        let medium = with_losses(medium(per_axis), points);
        let more = points.map_or(0.0, |points| 4.0 * (2 + 12 * points.sets(3)) as f64);
        let floors = copies.map(|copy| copy / (BYTES_PER_POINT + more));
        for half_length in [2, 4] {
            for (name, boundaries) in sides() {
                let cells = [
                    measure(&medium, half_length, boundaries, &workers[0], floors[0]),
                    measure(&medium, half_length, boundaries, &workers[1], floors[1]),
                ];
                println!(
                    "| {} | {name}{memory} | {} | {} | {:.0} |",
                    2 * half_length,
                    cells[0].0,
                    cells[1].0,
                    cells[0].1
                );
            }
        }
    }
}

fn medium(per_axis: usize) -> Medium<f32> {
    let grid = Grid { origin: [0.0; 3], spacing: [10.0; 3], cells: [per_axis; 3] };
    let vary = |[i, j, k]: [usize; 3]| ((i * 7 + j * 13 + k * 29) % 101) as f64;
    Medium::new(grid, |cell| Material::from_speeds(3000.0 + 10.0 * vary(cell), 1800.0, 2200.0 + vary(cell)))
        .expect("sound material")
}

/// A medium that attenuates waves by three mechanisms.
fn with_losses(medium: Medium<f32>, points: Option<MemoryPoints>) -> Medium<f32> {
    let Some(points) = points else { return medium };
    let mechanism = |rate| Mechanism { rate, polynomials: [[1.2, -0.5, 0.3]; 2] };
    let mechanisms = Mechanisms { mechanisms: [1.0, 10.0, 60.0].map(mechanism).to_vec(), points };
    medium.with_losses(mechanisms, |_| [0.005, 0.02])
}

/// Free sides; a free top with sponges or absorbing layers elsewhere.
fn sides() -> [(&'static str, Boundaries); 3] {
    let layer = Side::Layer(AbsorbingLayer {
        cells: 10,
        vp_max: 4000.0,
        dominant_frequency: 20.0,
        reflection: 1e-4,
        exponent: 2.0,
        max_stretch: 1.0,
    });
    let none = Boundaries::all(Side::Free);
    let (mut sponges, mut layers) = (none, Boundaries::all(layer));
    sponges.sponges[..5].fill(Some(Sponge { cells: 20, factor: 0.015 }));
    layers.sides[5] = Side::Free;
    [("free", none), ("sponges of 20", sponges), ("CPML of 10", layers)]
}

/// Columns of the table, and bytes of memory per point.
fn measure(
    medium: &Medium<f32>,
    half_length: usize,
    boundaries: Boundaries,
    workers: &Arc<Workers>,
    floor: f64,
) -> (String, f64) {
    let options = Options {
        stencil: StaggeredStencil::taylor(half_length).expect("in range"),
        boundaries,
        parts: [1; 3],
        interpolation: WindowedSinc::new(4, 4.0).expect("in range"),
        isa: Isa::detect(),
    };
    let dt = stable_step(medium, &boundaries, &options.stencil).expect("sound boundaries");
    let grid = medium.grid();
    let position = grid.cells.map(|n| 5.03 * n as f64);
    let history: Vec<f64> = (0..=STEPS * (ROUNDS as u64 + 1)).map(|step| (0.1 * step as f64).sin()).collect();
    let source = PointSource {
        position,
        mechanism: SourceMechanism::Moment([1e15, 2e15, -1e15, 0.0, 3e15, 0.0]),
        history: history.into(),
        interface: None,
    };
    let mut operator = FdOperator::new(medium, &options, dt, &[source], &[], workers.clone()).expect("a sound problem");
    let mut round = || {
        let start = Instant::now();
        operator.advance(STEPS).expect("a CPU");
        grid.n_cells() as f64 * STEPS as f64 / start.elapsed().as_secs_f64() / 1e6
    };
    round();
    let mut rates: Vec<f64> = (0..ROUNDS).map(|_| round()).collect();
    operator.check().expect("a stable step");
    rates.sort_by(f64::total_cmp);
    let (best, median) = (rates[ROUNDS - 1], rates[ROUNDS / 2]);
    let bytes = operator.bytes() as f64 / grid.n_cells() as f64;
    (format!("{best:.0} ({median:.0}) | {:.0} %", 100.0 * best / floor), bytes)
}

/// Bytes per second that a copy from one array to another reads and writes, on all workers.
fn copy_bandwidth(workers: &Workers) -> f64 {
    const COPIED: usize = 1 << 26;
    let from = vec![1.0_f32; COPIED];
    let mut to = vec![0.0_f32; COPIED];
    let part = COPIED / workers.threads();
    let mut best = f64::INFINITY;
    for _ in 0..7 {
        let start = Instant::now();
        workers
            .run(|| to.par_chunks_mut(part).zip(from.par_chunks(part)).for_each(|(to, from)| to.copy_from_slice(from)));
        best = best.min(start.elapsed().as_secs_f64());
        black_box(&to);
    }
    2.0 * size_of_val(&from[..]) as f64 / best
}
