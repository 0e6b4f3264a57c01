//! Pairs of a prism and a point per second on a processor.
//!
//! `cargo bench -p craton-gravity` prints Markdown. "closed form" and "multipole" are the two forms alone; "both" is a block of 32 x 32 x 16 cells of 50 m
//! below points; "columns" are 128 x 128 of 30 x 30 x 3000 m, below the points and so far to their west that neither form serves a whole one. There are 256
//! points; nine fields are all but the potential.

#![allow(clippy::print_stdout)] // a benchmark's result is what it prints

use std::time::Instant;

use craton_device::{Isa, Workers};
use craton_gravity::{Field, Fields, Points, Prism, Prisms, forward};

/// Rounds of which the best and the median are told.
const ROUNDS: usize = 5;
/// Pairs that a round computes at least.
const PAIRS: f64 = 4e6;

fn main() {
    println!("{}\n", Isa::detect().name());
    println!("| prisms | fields | threads | million pairs/s, best (median) |");
    println!("|---|---|---|---|");
    let nine = Fields::ATTRACTION.union(Fields::TENSOR);
    let up = Fields::from_iter([Field::Up]);
    let cells = block([32, 32, 16], 50.0, 50.0);
    let columns = block([128, 128, 1], 30.0, 3000.0);
    let cases = [
        ("closed form", "nine", nine, block([12, 12, 2], 100.0, 100.0), points(0.0)),
        ("closed form", "g_u", up, block([12, 12, 2], 100.0, 100.0), points(0.0)),
        ("multipole", "nine", nine, cells.clone(), points(40e3)),
        ("both", "nine", nine, cells, points(0.0)),
        ("columns", "nine", nine, columns.clone(), points(0.0)),
        ("columns, cut", "nine", nine, columns, points(10e3)),
    ];
    for threads in [1, 2] {
        for (name, asked, fields, prisms, points) in &cases {
            let (best, median) = measure(prisms, points, *fields, threads);
            println!("| {name} | {asked} | {threads} | {best:.1} ({median:.1}) |");
        }
    }
}

/// Millions of pairs per second: best and median.
fn measure(prisms: &Prisms, points: &Points, fields: Fields, threads: usize) -> (f64, f64) {
    let workers = Workers::new(Some(threads)).expect("a few threads");
    let pairs = (prisms.len() * points.len()) as f64;
    let repeats = (PAIRS / pairs).ceil();
    let round = || {
        let start = Instant::now();
        for _ in 0..repeats as usize {
            let gravity = forward(prisms, points, fields, &workers, Isa::detect());
            assert!(gravity.get(Field::Up).is_some());
        }
        repeats * pairs / start.elapsed().as_secs_f64() / 1e6
    };
    round();
    let mut rates: Vec<f64> = (0..ROUNDS).map(|_| round()).collect();
    rates.sort_by(f64::total_cmp);
    (rates[ROUNDS - 1], rates[ROUNDS / 2])
}

/// A block of prisms below z = 0.
fn block(count: [usize; 3], width: f64, height: f64) -> Prisms {
    let size = [width, width, height];
    let number = |n: usize, axis: usize| n as f64 * size[axis];
    let all = (0..count.iter().product::<usize>()).map(|n| {
        let (i, j, k) = (n % count[0], n / count[0] % count[1], n / (count[0] * count[1]));
        Prism {
            west: number(i, 0),
            east: number(i + 1, 0),
            south: number(j, 1),
            north: number(j + 1, 1),
            bottom: -number(k + 1, 2),
            top: -number(k, 2),
            density: 100.0,
        }
    });
    Prisms::new(all).expect("sound prisms")
}

/// 16 x 16 points 1 m above the block, 60 m apart, so many metres to the east.
fn points(east: f64) -> Points {
    let all = (0..256).map(|n| [east + 20.0 + 60.0 * f64::from(n % 16), 20.0 + 60.0 * f64::from(n / 16), 1.0]);
    Points::new(all).expect("sound points")
}
