//! Filters of maps in the domain of wavenumbers.

use crate::cases::{numbers, rows};
use crate::common::prism;
use craton_device::{Isa, Workers};
use craton_gravity::{
    Direction, Edges, Field, Fields, LevelMap, MagneticFields, Magnetisation, Points, Prism, Prisms, SpectralFilter,
    forward, magnetic_forward,
};

const PERIODIC: Edges = Edges { padding: 0.0, removes_plane: false };

fn bodies() -> Vec<Prism> {
    vec![
        prism([-700.0, 500.0, -400.0, 900.0, -1500.0, -600.0], 400.0),
        prism([2000.0, 2600.0, -2500.0, -1500.0, -900.0, -400.0], -300.0),
    ]
}

/// Points of a map of 20 x 18 km around the origin, every 100 m, at a height.
fn points(z: f64) -> ([usize; 2], Points) {
    let count = [201, 181];
    let place = |n: usize, count: usize| 100.0 * (n as f64 - 0.5 * (count - 1) as f64);
    let all = (0..count[0] * count[1]).map(|n| [place(n % count[0], count[0]), place(n / count[0], count[1]), z]);
    (count, Points::new(all).expect("points"))
}

fn gravity(z: f64, field: Field) -> LevelMap {
    let (count, points) = points(z);
    let prisms = Prisms::new(bodies()).expect("prisms");
    let workers = Workers::new(Some(2)).expect("threads");
    let all = forward(&prisms, &points, Fields::ALL, &workers, Isa::detect());
    LevelMap { count, spacing: [100.0; 2], values: all.get(field).expect("a field").to_vec() }
}

/// The total-field anomaly of the bodies, with one susceptibility, at z = 0.
fn anomaly(main: Direction, magnetisation: Direction) -> LevelMap {
    let (count, points) = points(0.0);
    let prisms = Prisms::new(bodies()).expect("prisms");
    let vectors = Magnetisation::induced(&[0.05; 2], magnetisation.vector().map(|x| 5e-5 * x)).expect("finite");
    let workers = Workers::new(Some(2)).expect("threads");
    let field = magnetic_forward(&prisms, &vectors, &points, MagneticFields::FluxDensity, &workers, Isa::detect());
    let values = field.expect("a vector per prism").total_field_anomaly(main.vector());
    LevelMap { count, spacing: [100.0; 2], values }
}

/// Largest difference in the inner half of a map, relative to its largest value.
fn difference(a: &LevelMap, b: &LevelMap) -> f64 {
    let [nx, ny] = a.count;
    let is_inner = |at: usize| (nx / 4..3 * nx / 4).contains(&(at % nx)) && (ny / 4..3 * ny / 4).contains(&(at / nx));
    let largest = b.values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    let inner = (0..nx * ny).filter(|&at| is_inner(at));
    inner.map(|at| (a.values[at] - b.values[at]).abs()).fold(0.0, f64::max) / largest
}

#[test]
fn filters_match_harmonica() {
    let rows: Vec<Vec<f64>> = rows("spectral.csv").iter().map(|row| numbers(row)).collect();
    let column = |number: usize| rows.iter().map(|row| row[number]).collect::<Vec<f64>>();
    let map = LevelMap { count: [12, 9], spacing: [250.0, 400.0], values: column(0) };
    let main = Direction { inclination: 57.0, declination: -12.0 };
    let remanent = Direction { inclination: 30.0, declination: 75.0 };
    let filters = [
        SpectralFilter::UpwardContinuation { height: 300.0 },
        SpectralFilter::East,
        SpectralFilter::North,
        SpectralFilter::Up,
        SpectralFilter::Pole { main, magnetisation: main },
        SpectralFilter::Pole { main, magnetisation: remanent },
    ];
    for (number, filter) in filters.into_iter().enumerate() {
        let (ours, theirs) = (map.filtered(&[filter], PERIODIC).expect("filtered").values, column(number + 1));
        let largest = theirs.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        let worst = ours.iter().zip(&theirs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-12 * largest, "{filter:?}: {worst:e} of {largest:e}");
    }
}

#[test]
fn upward_continuation_matches_the_field_at_the_higher_level() {
    let (low, high) = (gravity(0.0, Field::Up), gravity(500.0, Field::Up));
    let up = low.filtered(&[SpectralFilter::UpwardContinuation { height: 500.0 }], Edges::default()).expect("filtered");
    let error = difference(&up, &high);
    assert!(error < 2e-3, "{error:e}");
    // Two steps are one step, and no step is none.
    let half = SpectralFilter::UpwardContinuation { height: 250.0 };
    let twice = low.filtered(&[half, half], Edges::default()).expect("filtered");
    assert!(difference(&twice, &up) < 1e-12);
    let none = low.filtered(&[SpectralFilter::UpwardContinuation { height: 0.0 }], Edges::default()).expect("filtered");
    assert!(difference(&none, &low) < 1e-12);
}

#[test]
fn derivatives_match_the_tensor() {
    let g_u = gravity(0.0, Field::Up);
    for (filter, field) in [
        (SpectralFilter::East, Field::EastUp),
        (SpectralFilter::North, Field::NorthUp),
        (SpectralFilter::Up, Field::UpUp),
    ] {
        let derivative = g_u.filtered(&[filter], Edges::default()).expect("filtered");
        let error = difference(&derivative, &gravity(0.0, field));
        assert!(error < 3e-3, "{field:?}: {error:e}");
    }
    let [total, tilt] = g_u.total_gradient_and_tilt(&[], Edges::default()).expect("filtered");
    let tensor = [Field::EastUp, Field::NorthUp, Field::UpUp].map(|field| gravity(0.0, field));
    let largest = total.values.iter().copied().fold(0.0, f64::max);
    for at in (0..total.values.len()).filter(|&at| total.values[at] > 0.3 * largest) {
        let [east, north, up] = tensor.each_ref().map(|component| component.values[at]);
        let exact = (east.hypot(north).hypot(up), (-up).atan2(east.hypot(north)).to_degrees());
        assert!((total.values[at] - exact.0).abs() < 5e-3 * largest && (tilt.values[at] - exact.1).abs() < 2.0);
    }
}

#[test]
fn reduction_to_the_pole_matches_the_anomaly_at_the_pole() {
    let pole = Direction { inclination: 90.0, declination: 0.0 };
    let at_pole = anomaly(pole, pole);
    let main = Direction { inclination: 55.0, declination: 20.0 };
    for magnetisation in [main, Direction { inclination: -35.0, declination: 100.0 }] {
        let filter = SpectralFilter::Pole { main, magnetisation };
        let reduced = anomaly(main, magnetisation).filtered(&[filter], Edges::default()).expect("filtered");
        let error = difference(&reduced, &at_pole);
        assert!(error < 0.02, "{magnetisation:?}: {error:e}");
    }
}

#[test]
fn planes_are_exact_and_edges_stay_quiet() {
    let plane = |x: usize, y: usize| 7.0 + 0.25 * (10 * x) as f64 - 0.5 * (20 * y) as f64;
    let values = (0..15 * 9).map(|at| plane(at % 15, at / 15)).collect();
    let map = LevelMap { count: [15, 9], spacing: [10.0, 20.0], values };
    let up = map.filtered(&[SpectralFilter::UpwardContinuation { height: 100.0 }], Edges::default()).expect("filtered");
    let slope = map.filtered(&[SpectralFilter::North], Edges::default()).expect("filtered");
    assert!(up.values.iter().zip(&map.values).all(|(a, b)| (a - b).abs() < 1e-11));
    assert!(slope.values.iter().all(|value| (value + 0.5).abs() < 1e-12));
}

#[test]
fn mistakes_are_refused() {
    let map = LevelMap { count: [3, 2], spacing: [1.0, 1.0], values: vec![0.0; 6] };
    let refused = |map: &LevelMap, filter, edges| map.filtered(&[filter], edges).expect_err("refused").to_string();
    let down = SpectralFilter::UpwardContinuation { height: -5.0 };
    assert_eq!(
        refused(&map, down, PERIODIC),
        "the height of an upward continuation is -5, but must be 0 to 1000000000"
    );
    let flat = Direction { inclination: 2.0, declination: 0.0 };
    let pole = SpectralFilter::Pole { main: flat, magnetisation: flat };
    assert_eq!(refused(&map, pole, PERIODIC), "an inclination is 2, but must be 5 to 90");
    assert!(
        refused(&map, SpectralFilter::Up, Edges { padding: 2.0, removes_plane: true }).starts_with("the padding is 2")
    );
    let short = LevelMap { values: vec![0.0; 5], ..map.clone() };
    assert_eq!(
        refused(&short, SpectralFilter::Up, PERIODIC),
        "there are 5 values, but 6 points; give exactly one for each"
    );
    let hole = LevelMap { values: vec![0.0, 0.0, 0.0, 0.0, f64::NAN, 0.0], ..map };
    assert!(refused(&hole, SpectralFilter::Up, PERIODIC).starts_with("cell [1, 1, 0]"));
}
