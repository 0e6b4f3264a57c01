//! Tree sums keep the requested tolerance and depend on nothing but prisms and points.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{attraction, difference, gravity, prism, tensor};
use craton_device::{Isa, Workers};
use craton_gravity::{Field, Fields, GoOn, Gravity, Limits, Points, Prism, Prisms, TILE, Tolerance, Tree, forward};

const ACCURACIES: [f64; 3] = [1e-2, 1e-5, 1e-8];

/// Difference between a direct sum and a tree in addition to the tolerance: the truncation error of pairs, relative to the sum of absolute values.
const EXACT: f64 = 1e-10;

fn workers(threads: usize) -> Workers {
    Workers::new(Some(threads)).expect("a few threads")
}

fn all(prisms: &[Prism]) -> Prisms {
    Prisms::new(prisms.iter().copied()).expect("sound prisms")
}

fn places(points: &[[f64; 3]]) -> Points {
    let points = Points::new(points.iter().copied()).expect("sound points");
    points.select(&points.runs())
}

/// All fields, `[point][field]`.
fn rows(gravity: &Gravity) -> Vec<[f64; 10]> {
    let count = gravity.get(Field::Up).expect("a requested field").len();
    (0..count).map(|point| Field::ALL.map(|field| gravity.get(field).expect("a requested field")[point])).collect()
}

/// Sizes of the potential, of the attraction and of the tensor.
fn sizes(fields: &[f64; 10]) -> [f64; 3] {
    [fields[0].abs(), attraction(fields), tensor(fields)]
}

/// The largest sizes, ignoring NaN.
fn largest(rows: impl Iterator<Item = [f64; 10]>) -> [f64; 3] {
    rows.map(|fields| sizes(&fields)).fold([0.0; 3], |a, b| std::array::from_fn(|kind| f64::max(a[kind], b[kind])))
}

/// Pseudorandom numbers between 0 and 1.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.next()
    }
}

/// A block of cells with a given lowest corner.
fn cells(count: [usize; 3], size: [f64; 3], corner: [f64; 3], density: impl FnMut() -> f64) -> Vec<Prism> {
    let mut density = density;
    let numbers = (0..count.iter().product::<usize>())
        .map(|n| [n % count[0], n / count[0] % count[1], n / (count[0] * count[1])]);
    let bounds = |n: [usize; 3]| {
        let low = |axis: usize| corner[axis] + n[axis] as f64 * size[axis];
        let high = |axis: usize| corner[axis] + (n[axis] + 1) as f64 * size[axis];
        [low(0), high(0), low(1), high(1), low(2), high(2)]
    };
    numbers.map(|n| prism(bounds(n), density())).collect()
}

/// Points of a grid at a height, row after row.
fn grid(count: [usize; 2], step: f64, corner: [f64; 3]) -> Vec<[f64; 3]> {
    let at = |n: usize| [corner[0] + step * (n % count[0]) as f64, corner[1] + step * (n / count[0]) as f64, corner[2]];
    (0..count[0] * count[1]).map(at).collect()
}

/// A test case: name, prisms, points.
type Case = (&'static str, Vec<Prism>, Vec<[f64; 3]>);

fn cases() -> Vec<Case> {
    let mut dice = Dice(1);
    let cubes = |density: &mut dyn FnMut() -> f64| cells([20, 20, 10], [50.0; 3], [-500.0, -500.0, -600.0], density);
    let clustered = |dice: &mut Dice| {
        let mut cluster = Vec::new();
        for group in 0..6 {
            let (middle, spread) = ([0; 3].map(|_| dice.between(-3e3, 3e3)), 10.0_f64.powi(group - 2));
            for _ in 0..400 {
                let place: [f64; 3] = std::array::from_fn(|axis| middle[axis] + spread * dice.between(-1.0, 1.0));
                let size = [0; 3].map(|_| 0.1 * spread * dice.between(0.05, 1.0));
                let side = |axis: usize| [place[axis], place[axis] + size[axis]];
                let ([west, east], [south, north], [bottom, top]) = (side(0), side(1), side(2));
                cluster.push(Prism { west, east, south, north, bottom, top, density: dice.between(10.0, 3000.0) });
            }
        }
        cluster
    };
    let around: Vec<[f64; 3]> = (0..192).map(|_| [0; 3].map(|_| dice.between(-3e3, 3e3))).collect();
    let inside: Vec<[f64; 3]> = (0..192)
        .map(|_| [dice.between(-500.0, 500.0), dice.between(-500.0, 500.0), dice.between(-600.0, -100.0)])
        .collect();
    let mixed = cubes(&mut || dice.between(-500.0, 500.0));
    let flat = cells([60, 60, 1], [100.0, 100.0, 0.1], [0.0, 0.0, -0.1], || dice.between(100.0, 300.0));
    let shifted = |corner: [f64; 3]| cells([20, 20, 10], [50.0; 3], corner, || 300.0);
    vec![
        ("shallow", cubes(&mut || 400.0), grid([16, 16], 70.0, [-520.0, -540.0, -95.0])),
        ("deep", cubes(&mut || 400.0), grid([16, 16], 200.0, [-1500.0, -1600.0, 2500.0])),
        ("inside", cubes(&mut || 400.0), inside.clone()),
        ("of both signs, above", mixed.clone(), grid([16, 16], 70.0, [-520.0, -540.0, -40.0])),
        ("of both signs, inside", mixed.clone(), inside),
        ("of both signs, far away", mixed, grid([8, 16], 1000.0, [9e4, -2e4, 1e4])),
        ("flat, above", flat.clone(), grid([16, 16], 410.0, [-100.0, -100.0, 25.0])),
        ("flat, in their plane", flat, grid([16, 16], 391.0, [-97.3, -99.1, -0.05])),
        ("in a map", shifted([6.2e6, 1.01e7, -600.0]), grid([16, 16], 70.0, [6.2e6, 1.01e7, -60.0])),
        ("clustered", clustered(&mut dice), around),
        ("far away", shifted([0.0; 3]), grid([8, 8], 1e4, [1e7, -3e6, 2e5])),
    ]
}

#[test]
fn the_error_is_below_the_tolerance() {
    let (workers, isa) = (workers(2), Isa::detect());
    for (name, prisms, points) in cases() {
        let (prisms, points) = (all(&prisms), places(&points));
        let exact = rows(&forward(&prisms, &points, Fields::ALL, &workers, isa));
        let mut positive = prisms.clone();
        positive.set_density(&prisms.density().iter().map(|d| d.abs()).collect::<Vec<_>>()).expect("as many");
        let round = largest(rows(&forward(&positive, &points, Fields::ALL, &workers, isa)).into_iter());
        let peaks = largest(exact.iter().copied());
        let tree = Tree::new(&prisms, &workers, isa);
        for accuracy in ACCURACIES {
            let tolerance = tree.tolerance(&points, Fields::ALL, accuracy, &workers, isa);
            let sums = rows(&tree.forward(&points, Fields::ALL, &tolerance, &workers, isa));
            let errors = largest(sums.iter().zip(&exact).map(|(sum, exact)| difference(sum, exact)));
            for kind in 0..3 {
                let (error, limit) = (errors[kind], accuracy * peaks[kind] + EXACT * round[kind]);
                assert!(error <= limit, "{name}, kind {kind}: {:e} of the peak, not {accuracy:e}", error / peaks[kind]);
            }
            assert!(sums.iter().flatten().all(|value| value.is_finite()), "{name}");
        }
    }
}

#[test]
fn a_tolerance_holds_for_every_single_field() {
    let (workers, isa) = (workers(2), Isa::detect());
    let (_, prisms, points) = cases().swap_remove(3);
    let (prisms, points) = (all(&prisms), places(&points));
    let exact = forward(&prisms, &points, Fields::ALL, &workers, isa);
    let tree = Tree::new(&prisms, &workers, isa);
    for field in Field::ALL {
        let fields = Fields::from_iter([field]);
        let tolerance = tree.tolerance(&points, fields, 1e-4, &workers, isa);
        let limits = [tolerance.potential(), tolerance.attraction(), tolerance.tensor()];
        let kind = [0, 1, 1, 1, 2, 2, 2, 2, 2, 2][field as usize];
        for other in (0..3).filter(|&other| other != kind) {
            assert_eq!(limits[other], f64::INFINITY);
        }
        let sums = tree.forward(&points, fields, &tolerance, &workers, isa);
        let pairs =
            sums.get(field).expect("a requested field").iter().zip(exact.get(field).expect("a requested field"));
        let error = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error > 0.0 && error <= limits[kind], "{field:?}: {error:e}, not {:e}", limits[kind]);
    }
}

#[test]
fn peaks_are_never_overestimated() {
    let (workers, isa) = (workers(2), Isa::detect());
    for (name, prisms, points) in cases() {
        let (prisms, points) = (all(&prisms), places(&points));
        let peaks = largest(rows(&forward(&prisms, &points, Fields::ALL, &workers, isa)).into_iter());
        let tolerance = Tree::new(&prisms, &workers, isa).tolerance(&points, Fields::ALL, 1.0, &workers, isa);
        let known = [tolerance.potential(), tolerance.attraction(), tolerance.tensor()];
        for kind in 0..3 {
            let part = known[kind] / peaks[kind];
            assert!((0.05..=1.0).contains(&part), "{name}, kind {kind}: {part} of the peak");
        }
    }
}

#[test]
fn results_do_not_depend_on_threads_or_on_splitting_the_points() {
    let (_, prisms, mut points) = cases().swap_remove(9);
    points.truncate(3 * TILE - 11);
    let (prisms, points) = (all(&prisms), places(&points));
    let isa = Isa::detect();
    let team = workers(1);
    let tree = Tree::new(&prisms, &team, isa);
    let tolerance = tree.tolerance(&points, Fields::ALL, 1e-5, &team, isa);
    let whole = rows(&tree.forward(&points, Fields::ALL, &tolerance, &team, isa));
    for threads in [2, 3] {
        let team = workers(threads);
        let tree = Tree::new(&prisms, &team, isa);
        assert_eq!(tree.tolerance(&points, Fields::ALL, 1e-5, &team, isa), tolerance);
        assert_eq!(rows(&tree.forward(&points, Fields::ALL, &tolerance, &team, isa)), whole);
    }
    for cut in [TILE, 2 * TILE] {
        let parts = [0..cut, cut..points.len()].map(|part| {
            let part = points.select(&part.collect::<Vec<_>>());
            rows(&tree.forward(&part, Fields::ALL, &tolerance, &team, isa))
        });
        assert_eq!(parts.concat(), whole);
    }
}

#[test]
fn every_instruction_set_keeps_the_tolerance() {
    let team = workers(1);
    let (_, prisms, points) = cases().swap_remove(0);
    let (prisms, points) = (all(&prisms), places(&points));
    let [first, others @ ..] = &Isa::available()[..] else { unreachable!("there is always one") };
    let sums = |isa: Isa| {
        let tree = Tree::new(&prisms, &team, isa);
        let tolerance = tree.tolerance(&points, Fields::ALL, 1e-12, &team, isa);
        rows(&tree.forward(&points, Fields::ALL, &tolerance, &team, isa))
    };
    let plain = sums(*first);
    let peaks = largest(plain.iter().copied());
    for isa in others {
        let errors = largest(sums(*isa).iter().zip(&plain).map(|(a, b)| difference(a, b)));
        assert!((0..3).all(|kind| errors[kind] < 2e-10 * peaks[kind]), "{}: {errors:?}", isa.name());
    }
}

#[test]
fn a_zero_tolerance_equals_the_direct_sum() {
    let (team, isa) = (workers(2), Isa::detect());
    let (_, prisms, points) = cases().swap_remove(0);
    let (prisms, points) = (all(&prisms), places(&points));
    let exact = rows(&forward(&prisms, &points, Fields::ALL, &team, isa));
    let peaks = largest(exact.iter().copied());
    for nothing in [0.0, f64::NAN, -1.0] {
        let tolerance = Tolerance::new(nothing, nothing, nothing);
        let sums = rows(&Tree::new(&prisms, &team, isa).forward(&points, Fields::ALL, &tolerance, &team, isa));
        let errors = largest(sums.iter().zip(&exact).map(|(sum, exact)| difference(sum, exact)));
        // The order of the prisms differs.
        assert!((0..3).all(|kind| errors[kind] < 1e-12 * peaks[kind]), "{errors:?}");
    }
}

#[test]
fn cancelling_masses_keep_the_tolerance() {
    let (team, isa) = (workers(2), Isa::detect());
    let layer = |bottom: f64, density: f64| cells([24, 24, 1], [50.0; 3], [-600.0, -600.0, bottom], || density);
    let prisms = all(&[layer(-300.0, 200.0), layer(-350.0, -200.0)].concat());
    for points in [grid([16, 16], 80.0, [-600.0, -600.0, 10.0]), grid([8, 16], 3e3, [2e4, -2e4, 9e3])] {
        let points = places(&points);
        let exact = rows(&forward(&prisms, &points, Fields::ALL, &team, isa));
        let peaks = largest(exact.iter().copied());
        let tree = Tree::new(&prisms, &team, isa);
        for accuracy in [1e-2, 1e-5] {
            let tolerance = tree.tolerance(&points, Fields::ALL, accuracy, &team, isa);
            let sums = rows(&tree.forward(&points, Fields::ALL, &tolerance, &team, isa));
            let errors = largest(sums.iter().zip(&exact).map(|(sum, exact)| difference(sum, exact)));
            assert!((0..3).all(|kind| errors[kind] <= accuracy * peaks[kind]), "{errors:?} of {peaks:?}");
        }
    }
}

#[test]
fn points_on_edges_are_nan_where_forward_is_nan() {
    let (team, isa) = (workers(2), Isa::detect());
    let mut number = 0.0;
    // Every third density is zero.
    let density = || {
        number += 1.0;
        100.0 * (number % 3.0)
    };
    let prisms = all(&cells([12, 12, 6], [50.0; 3], [0.0; 3], density));
    let corners = grid([13, 13], 50.0, [0.0, 0.0, 300.0]).into_iter().chain(grid([12, 13], 50.0, [25.0, 0.0, 100.0]));
    let points = places(&corners.collect::<Vec<_>>());
    let exact = rows(&forward(&prisms, &points, Fields::ALL, &team, isa));
    let tree = Tree::new(&prisms, &team, isa);
    let tolerance = tree.tolerance(&points, Fields::ALL, 1e-2, &team, isa);
    assert!(tolerance.tensor() >= 0.0 && tolerance.attraction() > 0.0);
    let sums = rows(&tree.forward(&points, Fields::ALL, &tolerance, &team, isa));
    let nans = |rows: &[[f64; 10]]| rows.concat().iter().map(|value| value.is_nan()).collect::<Vec<_>>();
    assert_eq!(nans(&sums), nans(&exact));
    assert!(nans(&sums).contains(&true));
}

/// All fields, with the limits of the tensor applied.
fn with_limits(limits: &Limits, mut gravity: Gravity) -> Vec<[f64; 10]> {
    limits.put(&mut gravity);
    rows(&gravity)
}

#[test]
fn peaks_on_faces_and_edges_are_those_of_the_limits() {
    let (team, isa, fields) = (workers(2), Isa::detect(), Fields::ALL.leaving_out_edges());
    let cells = |density: f64| all(&cells([16, 16, 8], [50.0, 50.0, 25.0], [0.0, 0.0, -200.0], || density));
    // On corners of cells inside the body and at its sides, on faces and edges between cells at its top; then only on edges of the body, where two components
    // diverge.
    let corners = grid([17, 17], 50.0, [0.0, 0.0, -100.0]).into_iter().chain(grid([33, 33], 25.0, [0.0; 3]));
    let edge = grid([1, 15], 50.0, [0.0, 50.0, 0.0]);
    for (name, prisms, points) in [
        ("all over", cells(300.0), places(&corners.collect::<Vec<_>>())),
        ("its edge", cells(-300.0), places(&edge)),
        ("outside", cells(300.0), places(&grid([9, 9], 50.0, [25.0, 25.0, 30.0]))),
    ] {
        let limits = Limits::new(&prisms, &points, &team, isa);
        let exact = with_limits(&limits, forward(&prisms, &points, fields, &team, isa));
        let zeros = |row: &[f64; 10]| row.map(|value| if value.is_nan() { 0.0 } else { value });
        let peaks = largest(exact.iter().map(zeros));
        let tree = Tree::new(&prisms, &team, isa);
        let found = tree.peaks_while(&points, &limits, fields, &team, isa, &|| true).expect("never cancelled");
        let one = found.tolerance(1.0);
        for (kind, known) in [one.potential(), one.attraction(), one.tensor()].into_iter().enumerate() {
            let part = known / peaks[kind];
            assert!((0.3..=1.0).contains(&part), "{name}, kind {kind}: {part} of the peak");
        }
        let tolerance = found.tolerance(1e-5);
        let sums = with_limits(&limits, tree.forward(&points, fields, &tolerance, &team, isa));
        let nans = |rows: &[[f64; 10]]| rows.concat().iter().map(|value| value.is_nan()).collect::<Vec<_>>();
        assert_eq!(nans(&sums), nans(&exact), "{name}");
        let errors = largest(sums.iter().zip(&exact).map(|(sum, exact)| zeros(&difference(sum, exact))));
        for kind in 0..3 {
            assert!(errors[kind] <= 1e-5 * peaks[kind], "{name}, kind {kind}: {:e}", errors[kind] / peaks[kind]);
        }
    }
}

#[test]
fn a_tree_of_few_or_no_prisms_works() {
    let (team, isa) = (workers(1), Isa::detect());
    let one = prism([-10.0, 10.0, -10.0, 10.0, -30.0, -10.0], 500.0);
    let around = grid([3, 3], 20.0, [-20.0, -20.0, 5.0]);
    let points = places(&around);
    let nothing = places(&[]);
    let single = largest(gravity(&[one], &around).into_iter());
    for prisms in [
        vec![],
        vec![one],
        vec![one; 500],
        vec![Prism { density: 0.0, ..one }; 500],
        [vec![one; 300], vec![Prism { density: -500.0, ..one }; 300]].concat(),
    ] {
        let prisms = all(&prisms);
        let tree = Tree::new(&prisms, &team, isa);
        let exact = rows(&forward(&prisms, &points, Fields::ALL, &team, isa));
        let peaks = largest(exact.iter().copied());
        let tolerance = tree.tolerance(&points, Fields::ALL, 1e-6, &team, isa);
        let sums = rows(&tree.forward(&points, Fields::ALL, &tolerance, &team, isa));
        let errors = largest(sums.iter().zip(&exact).map(|(sum, exact)| difference(sum, exact)));
        // Round-off of 300 prisms minus 300 identical ones.
        for kind in 0..3 {
            let limit = 1e-6 * peaks[kind] + 300.0 * 1e-15 * single[kind];
            assert!(errors[kind] <= limit, "{} prisms: {errors:?}", prisms.len());
        }
        let known = [tolerance.potential(), tolerance.attraction(), tolerance.tensor()];
        assert!((0..3).all(|kind| (0.0..=1e-6 * peaks[kind]).contains(&known[kind])), "{known:?} of {peaks:?}");
        let none = tree.tolerance(&nothing, Fields::ALL, 1e-6, &team, isa);
        assert!(tree.forward(&nothing, Fields::ALL, &none, &team, isa).get(Field::Up).is_some_and(<[f64]>::is_empty));
    }
}

#[test]
fn runs_contain_all_points_and_are_compact() {
    let (count, step) = ([150, 100], 100.0);
    let points = Points::new(grid(count, step, [4e5, 6e6, 10.0])).expect("sound points");
    let mut order = points.runs();
    let places = points.select(&order);
    for run in 0..points.len() / TILE {
        let side = |axis: usize| {
            let along = (run * TILE..(run + 1) * TILE).map(|number| places.get(number)[axis]);
            along.clone().fold(f64::NEG_INFINITY, f64::max) - along.fold(f64::INFINITY, f64::min)
        };
        // A square of 64 points would have a diagonal of 9.9 steps.
        assert!(side(0).hypot(side(1)) < 20.0 * step, "run {run}: {} x {} m", side(0), side(1));
    }
    order.sort_unstable();
    assert!(order.into_iter().eq(0..points.len()));
}

#[test]
fn long_operations_can_be_cancelled() {
    let prisms = all(&cells([64, 64, 32], [50.0; 3], [-1600.0, -1600.0, -2000.0], || 300.0));
    let points: Vec<[f64; 3]> = (0..3600).map(|n| [50.0 * (n % 60) as f64, 50.0 * (n / 60) as f64, 10.0]).collect();
    let points = places(&points);
    let (team, isa) = (workers(2), Isa::detect());
    // Cancels after `last` calls, and counts the calls.
    let with = |last: usize, work: &dyn Fn(GoOn) -> bool| {
        let calls = AtomicUsize::new(0);
        let is_done = work(&|| calls.fetch_add(1, Ordering::Relaxed) < last);
        (is_done, calls.into_inner())
    };
    let tree = Tree::new(&prisms, &team, isa);
    let tolerance = tree.tolerance(&points, Fields::ALL, 1e-5, &team, isa);
    let makes = |go_on: GoOn| Tree::new_while(&prisms, &team, isa, go_on).is_some();
    let finds = |go_on: GoOn| tree.peaks_while(&points, &Limits::default(), Fields::ALL, &team, isa, go_on).is_some();
    let sums = |go_on: GoOn| tree.forward_while(&points, Fields::ALL, &tolerance, &team, isa, go_on).is_some();
    for work in [&makes as &dyn Fn(GoOn) -> bool, &finds, &sums] {
        let (is_done, n_calls) = with(usize::MAX, work);
        assert!(is_done && n_calls > 4, "{n_calls} calls");
        for last in [0, 1, n_calls / 2, n_calls - 1] {
            assert!(!with(last, work).0, "continued after {last} of {n_calls} calls");
        }
    }
}
