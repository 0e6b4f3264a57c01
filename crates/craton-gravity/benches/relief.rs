//! Time of the correction of flat columns near a smooth ground.
//!
//! `cargo bench -p craton-gravity --bench relief` prints Markdown: 500 x 500 columns of 50 m, 2000 stations on the ground, all fields except the potential, two
//! threads. The last two columns are the largest differences of attraction and tensor from the correction of all columns, relative to the largest values.

#![allow(clippy::print_stdout)] // a benchmark's result is what it prints

use std::time::Instant;

use craton_device::{Isa, Workers};
use craton_gravity::{Field, Fields, Gravity, Points, Prism, Prisms, Relief, Tree, forward};

/// Columns and stations.
const SIDE: usize = 500;
const STATIONS: usize = 2000;

fn main() {
    let (workers, isa) = (Workers::new(Some(2)).expect("a few threads"), Isa::detect());
    let nine = Fields::ATTRACTION.union(Fields::TENSOR).leaving_out_edges();
    let axis: Vec<f64> = (0..SIDE).map(|n| 50.0 * n as f64).collect();
    let heights = axis.iter().flat_map(|&y| axis.iter().map(move |&x| ground(x, y))).collect();
    let relief = Relief::new(axis.clone(), axis, heights).expect("a sound surface");
    let relief = relief.with_bases(vec![0.0; SIDE * SIDE]).expect("one for each");
    let column = |n: usize| {
        let [x, y] = [n % SIDE, n / SIDE].map(|number| 50.0 * number as f64);
        let top = relief.flat()[n];
        Prism { west: x - 25.0, east: x + 25.0, south: y - 25.0, north: y + 25.0, bottom: 0.0, top, density: 2670.0 }
    };
    let prisms = Prisms::new((0..SIDE * SIDE).map(column)).expect("sound prisms");
    let some = |n: usize| 24_900.0 * ((n * 7919 + 13) % 100_003) as f64 / 100_003.0;
    let place = |n: usize| [some(n), some(3 * n + 5), relief.height(some(n), some(3 * n + 5)).expect("inside")];
    let points = Points::new((0..STATIONS).map(place)).expect("sound points");
    let points = points.select(&points.runs());
    println!("| sum | seconds | g | tensor |");
    println!("|---|---|---|---|");
    let start = Instant::now();
    let flat = forward(&prisms, &points, nine, &workers, isa);
    println!("| direct | {:.2} | | |", start.elapsed().as_secs_f64());
    let start = Instant::now();
    let tree = Tree::new(&prisms, &workers, isa);
    let tolerance = tree.tolerance(&points, nine, 1e-5, &workers, isa);
    let sums = tree.forward(&points, nine, &tolerance, &workers, isa);
    println!("| tree, 1e-5 | {:.2} | | |", start.elapsed().as_secs_f64());
    assert_eq!(sums.fields(), nine);
    let density = vec![2670.0; SIDE * SIDE];
    let all = relief.forward(&density, &points, nine, &workers, isa).expect("one density each");
    let mut relief = relief;
    for radius in [SIDE, 128, 64, 32, 16, 4] {
        relief = relief.within(radius);
        let start = Instant::now();
        let some = relief.forward(&density, &points, nine, &workers, isa).expect("one density each");
        let time = start.elapsed().as_secs_f64();
        let (vector, tensor) = (&Field::ALL[1..4], &Field::ALL[4..]);
        let [g, t] = [vector, tensor].map(|kind| largest(kind, &some, Some(&all)) / largest(kind, &flat, None));
        println!("| correction within {radius} columns | {time:.2} | {g:.1e} | {t:.1e} |");
    }
}

/// Height of the ground [m].
fn ground(x: f64, y: f64) -> f64 {
    800.0 + 500.0 * (x / 2100.0).sin() * (y / 1700.0).cos() + 120.0 * (x / 400.0 + y / 333.0).sin()
}

/// Largest length of some fields, or of their difference from others.
fn largest(kind: &[Field], fields: &Gravity, from: Option<&Gravity>) -> f64 {
    let value = |field: Field, point: usize| {
        let of = |gravity: &Gravity| gravity.get(field).expect("a requested field")[point];
        of(fields) - from.map_or(0.0, of)
    };
    let square = |point: usize| kind.iter().map(|&field| value(field, point).powi(2)).sum::<f64>();
    (0..STATIONS).map(square).fold(0.0, f64::max).sqrt()
}
