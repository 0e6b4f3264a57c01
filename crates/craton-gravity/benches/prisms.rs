//! Pairs of a prism and a point per second on a processor.
//!
//! `cargo bench -p craton-gravity` prints Markdown: cells of 50 m in a block of 32 x 32 x 16, points at their top (closed form), 40 km away (multipole), and over
//! columns of 30 x 30 x 3000 m (both, in pieces).

#![allow(clippy::print_stdout)] // a benchmark's result is what it prints

use std::time::Instant;

use craton_device::{Isa, Workers};
use craton_gravity::{Field, Fields, Points, Prism, Prisms, forward};

/// Rounds of which the best and the median are told.
const ROUNDS: usize = 5;

fn main() {
    println!("{}\n", Isa::detect().name());
    println!("| prisms | fields | threads | million pairs/s, best (median) |");
    println!("|---|---|---|---|");
    let nine = Fields::ATTRACTION.union(Fields::TENSOR);
    let up = Fields::from_iter([Field::Up]);
    let near = || points([0.0, 0.0, 1.0]);
    let far = || points([40e3, 10e3, 1.0]);
    let cells = || block([32, 32, 16], [50.0, 50.0, 50.0]);
    let columns = || block([128, 128, 1], [30.0, 30.0, 3000.0]);
    for threads in [1, 2] {
        for (prisms, name, points, fields, asked) in [
            (cells(), "near", near(), nine, "nine"),
            (cells(), "near", near(), up, "g_u"),
            (cells(), "far", far(), nine, "nine"),
            (columns(), "columns", near(), nine, "nine"),
        ] {
            let (best, median) = measure(&prisms, &points, fields, threads);
            println!("| {name} | {asked} | {threads} | {best:.1} ({median:.1}) |");
        }
    }
}

/// Millions of pairs per second: best and median.
fn measure(prisms: &Prisms, points: &Points, fields: Fields, threads: usize) -> (f64, f64) {
    let workers = Workers::new(Some(threads)).expect("a few threads");
    let round = || {
        let start = Instant::now();
        let gravity = forward(prisms, points, fields, &workers, Isa::detect());
        assert!(gravity.get(Field::Up).is_some());
        (prisms.len() * points.len()) as f64 / start.elapsed().as_secs_f64() / 1e6
    };
    round();
    let mut rates: Vec<f64> = (0..ROUNDS).map(|_| round()).collect();
    rates.sort_by(f64::total_cmp);
    (rates[ROUNDS - 1], rates[ROUNDS / 2])
}

/// A block of prisms below z = 0.
fn block(count: [usize; 3], size: [f64; 3]) -> Prisms {
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

/// 16 x 16 points, 60 m apart, aligned with no cell.
fn points([x, y, z]: [f64; 3]) -> Points {
    let all = (0..256).map(|n| [x + 60.0 * f64::from(n % 16), y + 60.0 * f64::from(n / 16), z]);
    Points::new(all).expect("sound points")
}
