//! Pairs of a prism and a point per second on a CPU.
//!
//! `cargo bench -p craton-gravity` prints Markdown. "closed form" and "multipole" are the two forms alone; "both" is a block of 32 x 32 x 16 cells of 50 m
//! below points; "columns" are 128 x 128 of 30 x 30 x 3000 m, below the points and so far to their west that neither form is accurate for a whole column. There
//! are 256 points; "nine" are all fields except the potential. The second table measures a tree and compares its nine fields with direct sums at part of the
//! points: "spheres" are seven of 251,946 cells of 50 m in all, 575 to 1175 m below 150 x 100 points; "terrain" is 512 x 512 columns of 30 m with 128 x 128
//! points 2 m above them. The third table compares points on the corners, edges and faces of 64 x 64 x 8 cells at their top with the same points 1 m above.

#![allow(clippy::print_stdout)] // a benchmark's result is what it prints

use std::time::Instant;

use craton_device::{Isa, Workers};
use craton_gravity::{Field, Fields, Gravity, Limits, Points, Prism, Prisms, Tree, forward};

/// Rounds; the best and the median are reported.
const ROUNDS: usize = 5;
/// Minimum number of pairs per round.
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
        for (name, requested, fields, prisms, points) in &cases {
            let (best, median) = measure(prisms, points, *fields, threads);
            println!("| {name} | {requested} | {threads} | {best:.1} ({median:.1}) |");
        }
    }
    println!(
        "\n| prisms | accuracy | threads | tree, sums [s] | million pairs/s | times one by one | error of g, tensor |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (name, (prisms, points)) in [("spheres", seven_spheres()), ("terrain", terrain())] {
        for accuracy in [1e-2, 1e-5, 1e-8] {
            for threads in [1, 2] {
                tree(name, &prisms, &points, accuracy, threads);
            }
        }
    }
    on_faces();
}

/// The third table: the best of some rounds [s].
fn on_faces() {
    let (workers, isa) = (Workers::new(Some(2)).expect("a few threads"), Isa::detect());
    let nine = Fields::ATTRACTION.union(Fields::TENSOR).leaving_out_edges();
    let prisms = block([64, 64, 8], 50.0, 50.0);
    let tree = Tree::new(&prisms, &workers, isa);
    println!("\n| points | limits | direct | tree, 1e-5 |");
    println!("|---|---|---|---|");
    for (name, z) in [("on the top", 0.0), ("1 m above", 1.0)] {
        let place = |n: usize| [25.0 * (n % 129) as f64, 25.0 * (n / 129) as f64, z];
        let points = Points::new((0..129 * 129).map(place)).expect("sound points");
        let points = points.select(&points.runs());
        let some = points.part(0..1024);
        let limits = Limits::new(&prisms, &points, &workers, isa);
        let find = least(|| assert_eq!(Limits::new(&prisms, &points, &workers, isa).len(), limits.len()));
        let direct = least(|| limits.within(&(0..some.len())).put(&mut forward(&prisms, &some, nine, &workers, isa)));
        let by_tree = least(|| {
            let peaks = tree.peaks_while(&points, &limits, nine, &workers, isa, &|| true).expect("never cancelled");
            limits.put(&mut tree.forward(&points, nine, &peaks.tolerance(1e-5), &workers, isa));
        });
        println!("| {name}, {} of them | {find:.4} | {direct:.3} for {} | {by_tree:.3} |", limits.len(), some.len());
    }
}

/// The least of what some rounds take [s].
fn least(mut round: impl FnMut()) -> f64 {
    let seconds = |_| {
        let start = Instant::now();
        round();
        start.elapsed().as_secs_f64()
    };
    (0..ROUNDS).map(seconds).fold(f64::INFINITY, f64::min)
}

/// A row of the second table: the best of some rounds; errors are parts of the peak.
fn tree(name: &str, prisms: &Prisms, points: &Points, accuracy: f64, threads: usize) {
    const SEEN: usize = 97;
    let nine = Fields::ATTRACTION.union(Fields::TENSOR);
    let (workers, isa) = (Workers::new(Some(threads)).expect("a few threads"), Isa::detect());
    let points = points.select(&points.runs());
    let seen = points.select(&(0..points.len()).step_by(SEEN).collect::<Vec<_>>());
    let start = Instant::now();
    let exact = forward(prisms, &seen, nine, &workers, isa);
    let exact_rate = (prisms.len() * seen.len()) as f64 / start.elapsed().as_secs_f64();
    let mut best = [f64::INFINITY; 2];
    let mut result = None;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let tree = Tree::new(prisms, &workers, isa);
        let ready = start.elapsed().as_secs_f64();
        let tolerance = tree.tolerance(&points, nine, accuracy, &workers, isa);
        result = Some(tree.forward(&points, nine, &tolerance, &workers, isa));
        let done = start.elapsed().as_secs_f64();
        best = [best[0].min(ready), best[1].min(done - ready)];
    }
    let result = result.expect("rounds");
    let rate = (prisms.len() * points.len()) as f64 / best.iter().sum::<f64>();
    let [g, tensor] = [Fields::ATTRACTION, Fields::TENSOR].map(|fields| {
        let value = |gravity: &Gravity, field, point: usize| gravity.get(field).expect("a requested field")[point];
        let size = |of: &dyn Fn(Field) -> f64| fields.iter().map(|f| weight(f) * of(f).powi(2)).sum::<f64>().sqrt();
        let peak = (0..points.len()).map(|p| size(&|f| value(&result, f, p))).fold(0.0, f64::max);
        let error = |p: usize| size(&|f| value(&exact, f, p) - value(&result, f, SEEN * p));
        (0..seen.len()).map(error).fold(0.0, f64::max) / peak
    });
    let [ready, sums] = best;
    let (million, times) = (rate / 1e6, rate / exact_rate);
    println!(
        "| {name} | {accuracy:e} | {threads} | {ready:.3}, {sums:.3} | {million:.0} | {times:.0} | {g:.1e}, {tensor:.1e} |"
    );
}

/// Multiplicity of a field in the squared norm.
fn weight(field: Field) -> f64 {
    if [Field::EastNorth, Field::EastUp, Field::NorthUp].contains(&field) { 2.0 } else { 1.0 }
}

/// Spheres of 20.495 cells of 50 m, and points every 100 m at a height of 100 m.
fn seven_spheres() -> (Prisms, Points) {
    const CELL: f64 = 50.0;
    // East, north, depth of the centre, in cells; contrast.
    let spheres = [
        ([60.0, 50.0, 33.0], 400.0),
        ([150.0, 60.0, 36.0], -450.0),
        ([240.0, 50.0, 32.5], 600.0),
        ([80.0, 140.5, 40.5], -300.0),
        ([150.5, 130.5, 38.5], 300.0),
        ([220.5, 140.5, 44.5], 500.0),
        ([270.5, 100.5, 32.5], -200.0),
    ];
    let mut cells = Vec::new();
    for ([x, y, depth], density) in spheres {
        let around = |centre: f64| (centre as i32 - 22..=centre as i32 + 22).map(f64::from);
        for (k, j) in around(depth).flat_map(|k| around(y).map(move |j| (k, j))) {
            for i in around(x) {
                if (i - x).powi(2) + (j - y).powi(2) + (k - depth).powi(2) <= 20.495 * 20.495 {
                    let [west, south, bottom] = [i - 0.5, j - 0.5, -k - 0.5].map(|low| low * CELL);
                    let [east, north, top] = [i + 0.5, j + 0.5, -k + 0.5].map(|high| high * CELL);
                    cells.push(Prism { west, east, south, north, bottom, top, density });
                }
            }
        }
    }
    assert_eq!(cells.len(), 251_946);
    let points = (0..15_000).map(|n| [100.0 * f64::from(n % 150), 100.0 * f64::from(n / 150), 100.0]);
    (Prisms::new(cells).expect("sound prisms"), Points::new(points).expect("sound points"))
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

/// 16 x 16 points 1 m above the block, 60 m apart, shifted to the east [m].
fn points(east: f64) -> Points {
    let all = (0..256).map(|n| [east + 20.0 + 60.0 * f64::from(n % 16), 20.0 + 60.0 * f64::from(n / 16), 1.0]);
    Points::new(all).expect("sound points")
}

/// Columns of a terrain, and points on its surface.
fn terrain() -> (Prisms, Points) {
    const WIDTH: f64 = 30.0;
    let height = |i: usize, j: usize| {
        let (x, y) = (i as f64, j as f64);
        250.0 + 100.0 * (0.031 * x).sin() * (0.023 * y).cos() + 40.0 * (0.17 * x + 0.11 * y).sin()
    };
    let column = |n: usize| {
        let (i, j) = (n % 512, n / 512);
        let [west, south] = [i, j].map(|number| number as f64 * WIDTH);
        Prism { west, east: west + WIDTH, south, north: south + WIDTH, bottom: 0.0, top: height(i, j), density: 2670.0 }
    };
    let station = |n: usize| {
        let (i, j) = (4 * (n % 128) + 1, 4 * (n / 128) + 2);
        [(i as f64 + 0.37) * WIDTH, (j as f64 + 0.61) * WIDTH, height(i, j) + 2.0]
    };
    let columns = Prisms::new((0..512 * 512).map(column)).expect("sound prisms");
    (columns, Points::new((0..128 * 128).map(station)).expect("sound points"))
}
