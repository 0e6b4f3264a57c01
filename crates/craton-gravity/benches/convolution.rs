//! Gravity of a lattice of prisms by convolution, compared with the time of its transforms.
//!
//! `cargo bench -p craton-gravity --bench convolution` prints Markdown. 300 x 300 x 38 cells of 100 m; 300 x 200 points 100 m apart, above their centres or,
//! where there is no symmetry, elsewhere; 150 x 100 points 200 m apart above their corners. "Transforms" is the time of the same number of transforms of the
//! same lengths, run back to back on one thread with lines in the cache, divided by the number of threads; "ratio" is whole over transforms. "Nine" are all
//! fields except the potential. Times are the best of several rounds. The last table gives the largest difference from direct sums at some points, relative to
//! the largest value there.

#![allow(clippy::print_stdout)] // a benchmark's result is what it prints

use std::time::Instant;

use craton_device::{Isa, Workers};
use craton_fft::Complex64;
use craton_fft::ComplexPlanner;
use craton_fft::RealPlanner;
use craton_gravity::{Convolution, Field, Fields, Lattice, LevelGrid, Points, Prisms, TensorMesh, forward};

/// Rounds; the best is reported.
const ROUNDS: usize = 5;

fn main() {
    println!("{}\n", Isa::detect().name());
    println!("| points | fields | threads | whole [s] | transforms [s] | ratio |");
    println!("|---|---|---|---|---|---|");
    let prisms = block([300, 300, 38]);
    let nine = Fields::ATTRACTION.union(Fields::TENSOR);
    let up = Fields::from_iter([Field::Up]);
    let level = |first, spacing, count| LevelGrid { first, spacing: [spacing; 2], count, z: 10.0 };
    let grids = [
        ("300 x 200", level([50.0, 2050.0], 100.0, [300, 200])),
        ("300 x 200, no symmetry", level([30.0, 2080.0], 100.0, [300, 200])),
        ("150 x 100", level([100.0, 2100.0], 200.0, [150, 100])),
    ];
    let start = Instant::now();
    let lattice = Lattice::of(&prisms).expect("cells of a mesh");
    let found = start.elapsed().as_secs_f64();
    for (name, grid) in grids {
        let plan = Convolution::new(&lattice, &grid).expect("a grid that fits");
        for (requested, fields) in [("g_u", up), ("nine", nine)] {
            for threads in [1, 2] {
                let workers = Workers::new(Some(threads)).expect("a few threads");
                let whole = best(|| {
                    let sums = plan.forward(fields, &workers, Isa::detect(), &|_| true);
                    assert!(sums.is_some());
                });
                let [along_x, along_y] = plan.transforms(fields);
                let transforms = (real_transforms(along_x) + complex_transforms(along_y)) / threads as f64;
                let ratio = whole / transforms;
                println!("| {name} | {requested} | {threads} | {whole:.3} | {transforms:.3} | {ratio:.2} |");
            }
        }
    }
    println!("\nThe lattice was found in {found:.2} s.\n");
    println!("| field | error | bound |\n|---|---|---|");
    let plan = Convolution::new(&lattice, &grids[0].1).expect("a grid that fits");
    errors(&plan, &prisms, &grids[0].1);
}

/// Prints the largest differences from plain sums.
fn errors(plan: &Convolution, prisms: &Prisms, grid: &LevelGrid) {
    let workers = Workers::new(None).expect("a thread per core");
    let some: Vec<usize> = (0..grid.len()).step_by(grid.len() / 23).collect();
    let all = grid.points().expect("sound points");
    let points = Points::new(some.iter().map(|&point| all.get(point))).expect("sound points");
    let expected = forward(prisms, &points, Fields::ALL, &workers, Isa::detect());
    let (found, bound) = plan.forward(Fields::ALL, &workers, Isa::detect(), &|_| true).expect("never cancelled");
    for field in Field::ALL {
        let [expected, found] = [&expected, &found].map(|gravity| gravity.get(field).expect("a requested field"));
        let peak = expected.iter().fold(0.0_f64, |peak, value| peak.max(value.abs()));
        let differences = some.iter().zip(expected).map(|(&point, expected)| (found[point] - expected).abs());
        let error = differences.fold(0.0, f64::max) / peak;
        println!("| {field:?} | {error:.1e} | {:.1e} |", bound.get(field).expect("a requested field") / peak);
    }
}

/// Seconds for `count` real transforms on one thread.
fn real_transforms((length, number): (usize, u64)) -> f64 {
    let plan = RealPlanner::new().forward(length);
    let (values, mut line, mut spectrum) = (vec![1.0; length], plan.make_input_vec(), plan.make_output_vec());
    let mut scratch = plan.make_scratch_vec();
    best(|| {
        for _ in 0..number {
            line.copy_from_slice(&values);
            plan.process_with_scratch(&mut line, &mut spectrum, &mut scratch).expect("buffers of its lengths");
        }
    })
}

/// Seconds for `count` complex transforms on one thread.
fn complex_transforms((length, number): (usize, u64)) -> f64 {
    let plan = ComplexPlanner::new().forward(length);
    let values = vec![Complex64::new(1.0, 0.5); length];
    let (mut line, mut spectrum) = (values.clone(), values.clone());
    let mut scratch = vec![Complex64::default(); plan.get_outofplace_scratch_len()];
    best(|| {
        for _ in 0..number {
            line.copy_from_slice(&values);
            plan.process_outofplace_with_scratch(&mut line, &mut spectrum, &mut scratch);
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
