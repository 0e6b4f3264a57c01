//! Gravity of a lattice of prisms by convolution, beside the transforms that it is made of.
//!
//! `cargo bench -p craton-gravity --bench convolution` prints Markdown. 300 x 300 x 38 cells of 100 m, 300 x 200 points 100 m apart above them, off their centres;
//! "finer" are 150 x 100 points 200 m apart, above every second cell. "Transforms" are as many real transforms of the same lengths, back to back on lines that stay in the
//! cache; "ratio" is whole to transforms. Nine fields are all but the potential. The best of some rounds is told.

#![allow(clippy::print_stdout)] // a benchmark's result is what it prints

use std::time::Instant;

use craton_device::{Isa, Workers};
use craton_gravity::{Convolution, Field, Fields, Lattice, LevelGrid, Prisms, TensorMesh};
use realfft::RealFftPlanner;

/// Rounds of which the best is told.
const ROUNDS: usize = 5;

fn main() {
    println!("{}\n", Isa::detect().name());
    println!(
        "| points | fields | threads | whole [s] | transforms [s] | ratio | lattice found in [s] | sums instead, by weights |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    let prisms = block([300, 300, 38]);
    let nine = Fields::ATTRACTION.union(Fields::TENSOR);
    let up = Fields::from_iter([Field::Up]);
    let grids = [
        ("300 x 200", LevelGrid { first: [50.0, 2050.0], spacing: [100.0; 2], count: [300, 200], z: 10.0 }),
        (
            "300 x 200, no symmetry",
            LevelGrid { first: [30.0, 2080.0], spacing: [100.0; 2], count: [300, 200], z: 10.0 },
        ),
        ("150 x 100", LevelGrid { first: [100.0, 2100.0], spacing: [200.0; 2], count: [150, 100], z: 10.0 }),
    ];
    let start = Instant::now();
    let lattice = Lattice::of(&prisms).expect("cells of a mesh");
    let found = start.elapsed().as_secs_f64();
    for (name, grid) in grids {
        let plan = Convolution::new(&lattice, &grid).expect("a grid that fits");
        for (asked, fields) in [("g_u", up), ("nine", nine)] {
            for threads in [1, 2] {
                let workers = Workers::new(Some(threads)).expect("a few threads");
                let whole = best(|| {
                    let sums = plan.forward(fields, &workers, Isa::detect(), &|_| true);
                    assert!(sums.is_some());
                });
                let transforms: f64 = plan.transforms(fields).into_iter().map(transforms).sum::<f64>() / threads as f64;
                let sums = plan.operations_of_sums(fields) / plan.operations(fields);
                let ratio = whole / transforms;
                println!(
                    "| {name} | {asked} | {threads} | {whole:.3} | {transforms:.3} | {ratio:.2} | {found:.2} | {sums:.0} times |"
                );
            }
        }
    }
}

/// Seconds of so many real transforms on one thread.
fn transforms((length, number): (usize, u64)) -> f64 {
    let plan = RealFftPlanner::<f64>::new().plan_fft_forward(length);
    let (values, mut line, mut spectrum) = (vec![1.0; length], plan.make_input_vec(), plan.make_output_vec());
    let mut scratch = plan.make_scratch_vec();
    best(|| {
        for _ in 0..number {
            line.copy_from_slice(&values);
            plan.process_with_scratch(&mut line, &mut spectrum, &mut scratch).expect("buffers of its lengths");
        }
    })
}

/// Seconds of the best round.
fn best(mut round: impl FnMut()) -> f64 {
    let seconds = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        round();
        start.elapsed().as_secs_f64()
    });
    seconds.fold(f64::INFINITY, f64::min)
}

/// Cells of 100 m below z = 0, no two of the same density.
fn block([nx, ny, nz]: [usize; 3]) -> Prisms {
    let planes = |count: usize, first: f64| (0..=count).map(|n| first + 100.0 * n as f64).collect();
    let density = (0..nx * ny * nz).map(|n| 300.0 + 200.0 * (0.37 * n as f64).sin()).collect();
    let planes = [planes(nx, 0.0), planes(ny, 0.0), planes(nz, -100.0 * nz as f64)];
    Prisms::try_from(&TensorMesh::new(planes, density).expect("a sound mesh")).expect("sound prisms")
}
