//! Convolutions match direct sums for any compatible grid, within the stated round-off; anything that is not a lattice is rejected.

use craton_device::{Isa, Workers};
use craton_gravity::{
    Bound, Convolution, Field, Fields, Gravity, Lattice, LevelGrid, Limits, Prism, Prisms, TensorMesh, ball, forward,
};

/// Cells of a lattice with its first corner at `first`, between planes at `heights`; densities of both signs, some cells missing.
fn cells(first: [f64; 2], side: [f64; 2], count: [usize; 2], heights: &[f64]) -> Vec<Prism> {
    let planes = |axis: usize| (0..=count[axis]).map(|n| first[axis] + n as f64 * side[axis]).collect();
    let number = count[0] * count[1] * (heights.len() - 1);
    let density = |n: usize| if n % 7 == 3 { 0.0 } else { 800.0 * (1.7 * n as f64 + 1.0).sin() };
    let mesh = TensorMesh::new([planes(0), planes(1), heights.to_vec()], (0..number).map(density).collect());
    mesh.expect("a sound mesh").prisms().collect()
}

fn workers(threads: usize) -> Workers {
    Workers::new(Some(threads)).expect("a few threads")
}

/// All fields by convolution.
fn convolved(prisms: &Prisms, grid: &LevelGrid, threads: usize, isa: Isa) -> (Gravity, Bound) {
    let lattice = Lattice::of(prisms).expect("a lattice");
    let plan = Convolution::new(&lattice, grid).expect("a grid that fits");
    plan.forward(Fields::ALL, &workers(threads), isa, &|_| true).expect("never cancelled")
}

/// Difference between a field by convolution and by direct sums.
struct Difference {
    /// The largest difference and its bound, relative to the largest value.
    error: f64,
    bound: f64,
    /// Number of points with NaN.
    nans: usize,
}

/// Compares all fields with sums, which have NaN at the same points.
fn compare(prisms: &[Prism], grid: &LevelGrid) -> Vec<Difference> {
    let prisms = Prisms::new(prisms.iter().copied()).expect("sound prisms");
    let points = grid.points().expect("sound points");
    let expected = forward(&prisms, &points, Fields::ALL, &workers(2), Isa::detect());
    let (found, bound) = convolved(&prisms, grid, 2, Isa::detect());
    let each = Field::ALL.into_iter().map(|field| {
        let [expected, found] = [&expected, &found].map(|gravity| gravity.get(field).expect("a requested field"));
        assert_eq!(found.len(), grid.len());
        let (mut error, mut peak, mut nans) = (0.0_f64, 0.0_f64, 0);
        for (point, (expected, found)) in expected.iter().zip(found).enumerate() {
            assert_eq!(expected.is_nan(), found.is_nan(), "{field:?} at {:?} of {grid:?}", points.get(point));
            if expected.is_nan() {
                nans += 1;
            } else {
                (error, peak) = (error.max((found - expected).abs()), peak.max(expected.abs()));
            }
        }
        Difference { error: error / peak, bound: bound.get(field).expect("a requested field") / peak, nans }
    });
    each.collect()
}

/// Asserts that the error of every field is within its bound and below `part` of the largest value.
fn assert_within(part: f64, prisms: &[Prism], grid: &LevelGrid, name: &str) {
    for (field, Difference { error, bound, .. }) in Field::ALL.into_iter().zip(compare(prisms, grid)) {
        assert!(error <= bound && error < part, "{name}, {field:?}: {error:e} of the peak, not {bound:e} or {part:e}");
    }
}

fn grid(first: [f64; 2], spacing: [f64; 2], count: [usize; 2], z: f64) -> LevelGrid {
    LevelGrid { first, spacing, count, z }
}

fn sample() -> Vec<Prism> {
    cells([100.0, -40.0], [20.0, 16.0], [23, 17], &[-300.0, -170.0, -100.0, -60.0, -8.0])
}

#[test]
fn convolutions_match_forward_on_any_grid() {
    for (name, grid) in [
        ("above centres", grid([110.0, -32.0], [20.0, 16.0], [23, 17], 3.0)),
        ("above corners, larger than the block", grid([40.0, -120.0], [20.0, 16.0], [31, 29], 3.0)),
        ("anywhere", grid([113.7, -37.1], [20.0, 16.0], [12, 19], 3.0)),
        ("coarser", grid([70.0, -80.0], [60.0, 32.0], [11, 9], 3.0)),
        ("coarser, anywhere", grid([77.0, -83.0], [60.0, 80.0], [9, 5], 3.0)),
        ("finer", grid([98.0, -38.0], [4.0, 8.0], [57, 31], 3.0)),
        ("finer, anywhere", grid([98.1, -38.7], [4.0, 8.0], [31, 20], 3.0)),
        ("finer along x, coarser along y", grid([98.0, -38.0], [10.0, 48.0], [30, 7], 3.0)),
        ("two to three, and five to two", grid([90.0, -40.0], [30.0, 40.0], [19, 8], 3.0)),
        ("three to two", grid([90.0, -40.0], [40.0 / 3.0, 16.0], [19, 8], 3.0)),
        ("below", grid([90.0, -40.0], [20.0, 16.0], [19, 8], -400.0)),
        ("far above", grid([90.0, -40.0], [20.0, 16.0], [19, 8], 4e3)),
        ("inside", grid([105.0, -35.0], [20.0, 16.0], [19, 8], -130.0)),
        ("one point, whose spacing is irrelevant", grid([333.0, 44.0], [0.7, 0.0], [1, 1], 12.0)),
        ("one line", grid([105.0, -36.0], [20.0, 3.3], [40, 1], 2.0)),
    ] {
        assert_within(1e-12, &sample(), &grid, name);
    }
    // Cells of both signs cancel here, so that the ten-digit accuracy of the pairs becomes visible.
    for (name, grid) in [
        ("outside, to the east", grid([1113.0, -32.0], [20.0, 16.0], [5, 6], -50.0)),
        ("outside, to the south-west", grid([-900.0, -2000.0], [20.0, 16.0], [7, 3], -50.0)),
    ] {
        assert_within(1e-10, &sample(), &grid, name);
    }
}

#[test]
fn a_cell_or_a_column_is_a_lattice() {
    let one = cells([-5.0, 2.0], [10.0, 6.0], [1, 1], &[-9.0, -1.0]);
    let column = cells([-5.0, 2.0], [10.0, 6.0], [1, 1], &[-9.0, -4.0, -1.0, 3.0]);
    for prisms in [one, column] {
        for grid in [
            grid([-14.0, -1.0], [3.7, 1.9], [9, 12], 4.0),
            grid([-14.0, 3.0], [10.0, 7.7], [5, 4], -2.0),
            grid([1.0, 6.0], [1.0, 1.0], [1, 1], -2.5),
        ] {
            assert_within(1e-12, &prisms, &grid, "one place");
        }
    }
}

#[test]
fn balls_and_coincident_cells_add_up() {
    let balls: Vec<Prism> = ball([310.0, 220.0, -500.0], 170.0, 25.0, 600.0)
        .chain(ball([520.0, 300.0, -420.0], 200.0, 25.0, -450.0))
        .collect();
    assert_within(1e-12, &balls, &grid([12.5, 0.0], [50.0, 50.0], [17, 11], 0.0), "balls");
    assert_within(1e-12, &balls, &grid([17.0, 3.0], [75.0, 12.5], [10, 40], -400.0), "balls around the points");
}

#[test]
fn map_coordinates_do_not_reduce_accuracy() {
    let far = [531_072.25, 4_812_345.5];
    let block = cells(far, [12.5, 20.0], [14, 11], &[-90.0, -50.0, -20.0]);
    let same = grid([far[0] + 6.25, far[1] - 40.0], [12.5, 40.0], [14, 9], 1.0);
    assert_within(1e-12, &block, &same, "exact");
    // Neither side nor spacing is exact in binary: coordinates are off by a billionth of a side.
    let block = cells(far, [33.3, 0.7], [14, 11], &[-90.0, -50.0, -20.0]);
    for z in [1.0, -50.0, -30.0] {
        let inexact = grid([far[0] + 33.3, far[1] + 0.35], [11.1, 0.7], [14, 9], z);
        for Difference { error, .. } in compare(&block, &inexact) {
            assert!(error < 1e-8, "{error:e}");
        }
    }
}

#[test]
fn points_on_prisms_match_forward() {
    // Two coincident prisms whose densities cancel still have edges; so does a prism of zero density.
    let mut block = sample();
    block.push(Prism { density: -block[70].density, ..block[70] });
    block[90].density = 0.0;
    let mut seen = 0;
    for z in [-8.0, -60.0, -130.0, -300.0] {
        for grid in [
            grid([60.0, -72.0], [20.0, 16.0], [29, 23], z),
            grid([110.0, -72.0], [20.0, 16.0], [29, 23], z),
            grid([110.0, -32.0], [20.0, 16.0], [23, 17], z),
            grid([90.0, -56.0], [10.0, 8.0], [49, 38], z),
            grid([60.0, -72.0], [40.0, 48.0], [15, 8], z),
        ] {
            for (field, Difference { error, bound, nans }) in Field::ALL.into_iter().zip(compare(&block, &grid)) {
                assert!(error <= bound && error < 1e-12, "{field:?} of {grid:?}: {error:e}, not {bound:e}");
                assert!(nans < grid.len(), "{field:?} of {grid:?} is NaN everywhere");
                seen += nans;
            }
        }
    }
    assert!(seen > 10_000, "{seen} values are NaN");
}

#[test]
fn limits_apply_to_convolutions_as_to_sums() {
    let (team, isa, fields) = (workers(2), Isa::detect(), Fields::ALL.leaving_out_edges());
    let prisms = Prisms::new(sample()).expect("sound prisms");
    let lattice = Lattice::of(&prisms).expect("cells of a lattice");
    for grid in [grid([60.0, -72.0], [20.0, 16.0], [29, 23], -8.0), grid([90.0, -56.0], [10.0, 8.0], [49, 38], -60.0)] {
        let points = grid.points().expect("sound points");
        let limits = Limits::new(&prisms, &points, &team, isa);
        assert!(limits.len() > 300);
        let mut expected = forward(&prisms, &points, fields, &team, isa);
        let plan = Convolution::new(&lattice, &grid).expect("a grid that fits");
        let (mut found, _) = plan.forward(fields, &team, isa, &|_| true).expect("never cancelled");
        [&mut expected, &mut found].into_iter().for_each(|gravity| limits.put(gravity));
        for field in Field::ALL {
            let [expected, found] = [&expected, &found].map(|gravity| gravity.get(field).expect("a requested field"));
            let peak =
                expected.iter().filter(|value| value.is_finite()).fold(0.0_f64, |most, value| most.max(value.abs()));
            let is_close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12 * peak || a.is_nan() && b.is_nan();
            assert!(peak > 0.0 && expected.iter().zip(found).all(is_close), "{field:?} of {grid:?}");
        }
    }
}

#[test]
fn no_pair_is_missed_or_counted_twice_near_the_surface_of_a_cell() {
    // A thousandth of a side is where the tensor is no longer taken from the table.
    for [x, y, z] in [[0.0, 0.3, 0.5], [0.3, 0.0, 0.5], [0.4, 0.3, 0.0], [0.0, 0.0, 0.5], [0.0, 0.0, 0.0]] {
        for step in [-1.001e-3, -1e-3, -0.999e-3, -1e-7, 1e-7, 0.999e-3, 1e-3, 1.001e-3] {
            let z = -100.0 + 40.0 * (z + step);
            let first = [100.0 + 20.0 * (x + step), -40.0 + 16.0 * (y + step)];
            // Rounding of coordinates is visible in the tensor a hundredth of a metre from an edge.
            for (field, Difference { error, .. }) in
                Field::ALL.into_iter().zip(compare(&sample(), &grid(first, [20.0, 16.0], [23, 17], z)))
            {
                assert!(error < 1e-11, "{field:?}, {step} off {x}, {y}: {error:e} of the peak");
            }
        }
    }
}

#[test]
fn round_off_is_below_its_bound_and_not_far_below() {
    // No offset has an opposite one, so that pairs are bit-identical.
    let block = cells([0.0, 0.0], [20.0, 16.0], [61, 53], &[-100.0, -60.0, -8.0]);
    let grid = grid([113.7, 137.1], [20.0, 16.0], [50, 43], 3.0);
    for (field, Difference { error, bound, .. }) in Field::ALL.into_iter().zip(compare(&block, &grid)) {
        assert!(error < bound && error > 1e-3 * bound, "{field:?}: {error:e}, bound {bound:e}");
    }
}

#[test]
fn prisms_off_a_lattice_are_rejected() {
    let is_lattice = |prisms: &[Prism]| {
        let prisms = Prisms::new(prisms.iter().copied()).expect("sound prisms");
        Lattice::of(&prisms).is_some()
    };
    let good = sample();
    assert!(is_lattice(&good));
    let changed = |change: &dyn Fn(&mut Prism)| {
        let mut prisms = sample();
        change(&mut prisms[100]);
        is_lattice(&prisms)
    };
    let shifted = |part: f64| {
        changed(&|prism| {
            prism.west += part * 20.0;
            prism.east += part * 20.0;
        })
    };
    assert!(shifted(1e-10) && shifted(3.0));
    assert!(!shifted(1e-6) && !shifted(-1e-6) && !shifted(0.5));
    assert!(!changed(&|prism| prism.north += 16e-6));
    assert!(!changed(&|prism| prism.east += 20.0));
    assert!(!changed(&|prism| prism.south += 1.0));
    // Layers may have any thickness.
    assert!(changed(&|prism| prism.top += 1.0));
    assert!(!is_lattice(&[]));
    let columns: Vec<Prism> =
        good.iter().enumerate().map(|(n, prism)| Prism { top: prism.top + 1e-3 * n as f64, ..*prism }).collect();
    assert!(!is_lattice(&columns), "as many layers as prisms");
    // Two cells so far apart that the cells between them exceed memory, and two that exceed the transform length.
    let apart = Prism { west: 2e9, east: 2e9 + 20.0, south: 16e9, north: 16e9 + 16.0, ..good[0] };
    assert!(!is_lattice(&[good[0], apart]));
    let row = Prisms::new([good[0], Prism { west: 2e9, east: 2e9 + 20.0, ..good[0] }]).expect("sound prisms");
    let lattice = Lattice::of(&row).expect("1e8 places in a row");
    assert!(Convolution::new(&lattice, &grid([0.0; 2], [20.0, 16.0], [9, 9], 0.0)).is_none());
}

#[test]
fn incompatible_grids_are_rejected() {
    let prisms = Prisms::new(sample()).expect("sound prisms");
    let lattice = Lattice::of(&prisms).expect("a lattice");
    assert_eq!((lattice.count(), lattice.layers()), ([23, 17], 4));
    let fits = |grid: LevelGrid| Convolution::new(&lattice, &grid).is_some();
    let good = grid([3.0, 4.0], [20.0, 16.0], [30, 20], 0.0);
    assert!(fits(good));
    assert!(!fits(LevelGrid { spacing: [20.0 + 1e-6, 16.0], ..good }));
    assert!(!fits(LevelGrid { spacing: [20.0, 16.0 * std::f64::consts::SQRT_2], ..good }));
    assert!(!fits(LevelGrid { spacing: [20.0, 0.0], ..good }));
    assert!(!fits(LevelGrid { spacing: [-20.0, 16.0], ..good }));
    assert!(!fits(LevelGrid { count: [30, 0], ..good }));
    assert!(!fits(LevelGrid { z: f64::NAN, ..good }));
    assert!(!fits(LevelGrid { first: [f64::INFINITY, 0.0], ..good }));
}

/// Bits of some fields at all points.
fn bits(gravity: &Gravity, fields: Fields) -> Vec<Vec<u64>> {
    let values = fields.iter().map(|field| gravity.get(field).expect("a requested field"));
    values.map(|values| values.iter().map(|value| value.to_bits()).collect()).collect()
}

#[test]
fn results_are_bit_identical_for_any_number_of_threads() {
    let prisms = Prisms::new(sample()).expect("sound prisms");
    for grid in [grid([90.0, -56.0], [10.0, 32.0], [49, 12], -60.0), grid([97.0, -51.0], [20.0, 16.0], [30, 22], 5.0)] {
        for isa in Isa::available() {
            let (alone, bound) = convolved(&prisms, &grid, 1, isa);
            for threads in [2, 3, 5, 40] {
                let (shared, its_bound) = convolved(&prisms, &grid, threads, isa);
                assert_eq!(bits(&alone, Fields::ALL), bits(&shared, Fields::ALL), "{threads} threads");
                assert_eq!(bound, its_bound, "{threads} threads");
            }
        }
    }
}

#[test]
fn a_single_field_equals_the_same_field_among_others() {
    let prisms = Prisms::new(sample()).expect("sound prisms");
    let lattice = Lattice::of(&prisms).expect("a lattice");
    let grid = grid([90.0, -56.0], [10.0, 32.0], [49, 12], 2.0);
    let plan = Convolution::new(&lattice, &grid).expect("a grid that fits");
    let (all, bounds) = convolved(&prisms, &grid, 1, Isa::detect());
    for field in Field::ALL {
        let only = Fields::from_iter([field]);
        let (alone, bound) = plan.forward(only, &workers(1), Isa::detect(), &|_| true).expect("never cancelled");
        assert_eq!(bits(&alone, only), bits(&all, only), "{field:?}");
        assert_eq!(bound.get(field), bounds.get(field));
        assert!(Field::ALL.into_iter().all(|other| other == field || alone.get(other).is_none()));
    }
}

#[test]
fn progress_is_reported_per_layer_and_can_cancel() {
    let prisms = Prisms::new(sample()).expect("sound prisms");
    let lattice = Lattice::of(&prisms).expect("a lattice");
    let plan = Convolution::new(&lattice, &grid([90.0, -56.0], [20.0, 16.0], [9, 9], 2.0)).expect("a grid that fits");
    let reported = std::sync::Mutex::new(Vec::new());
    let up = Fields::from_iter([Field::Up]);
    let record = |share: f64| {
        reported.lock().unwrap().push(share);
        true
    };
    assert!(plan.forward(up, &workers(2), Isa::detect(), &record).is_some());
    assert_eq!(*reported.lock().unwrap(), vec![0.25; 4]);
    assert!(plan.forward(up, &workers(2), Isa::detect(), &|_| false).is_none());
    // An empty set of fields is valid.
    let (nothing, _) = plan.forward(Fields::from_iter([]), &workers(1), Isa::detect(), &|_| true).expect("not stopped");
    assert_eq!(nothing.get(Field::Up), None);
}

#[test]
fn cells_near_points_are_counted_approximately() {
    let side = 10.0;
    let prisms = Prisms::new(cells([0.0; 2], [side; 2], [80, 70], &[-40.0, -20.0, -10.0])).expect("sound prisms");
    let lattice = Lattice::of(&prisms).expect("a lattice");
    let near = |z: f64| {
        let plan = Convolution::new(&lattice, &grid([405.0, 355.0], [side; 2], [1, 1], z)).expect("a grid that fits");
        plan.cells_within(12.0)
    };
    let counted = |z: f64| {
        let is_near = |prism: &usize| {
            let ends = prisms.bounds(*prism);
            let distance =
                [405.0, 355.0, z].into_iter().zip(ends).map(|(at, [low, high])| at - f64::midpoint(low, high));
            let half_diagonal = ends.iter().map(|[low, high]| 0.5 * (high - low)).fold(0.0, f64::hypot);
            distance.fold(0.0, f64::hypot) <= 12.0 * half_diagonal
        };
        (0..prisms.len()).filter(is_near).count() as f64
    };
    for z in [1.0, 60.0] {
        // One cell in seven is missing.
        let (estimate, counted) = (near(z), counted(z) * 7.0 / 6.0);
        assert!((estimate / counted - 1.0).abs() < 0.1, "{estimate}, not {counted} at z = {z}");
    }
    assert_eq!(near(1e4), 0.0);
}

#[test]
fn rounding_tolerance_is_given_in_sides_of_cells() {
    let rounding = |first: f64| {
        let prisms = Prisms::new(cells([first; 2], [0.1; 2], [8, 8], &[-0.1, 0.0])).expect("sound prisms");
        Lattice::of(&prisms).expect("a lattice").rounding()
    };
    assert!((4e-8..5e-8).contains(&rounding(5e6)), "{}", rounding(5e6));
    assert!(rounding(0.0) < 1e-14);
}

#[test]
fn cost_and_memory_are_estimated_in_advance() {
    let planes = |count: usize| (0..=count).map(|n| 100.0 * n as f64).collect::<Vec<f64>>();
    let mesh = TensorMesh::new([planes(40), planes(30), planes(5)], vec![1.0; 6000]).expect("a sound mesh");
    let prisms = Prisms::try_from(&mesh).expect("sound prisms");
    let lattice = Lattice::of(&prisms).expect("a lattice");
    let grid = grid([50.0, 50.0], [100.0; 2], [40, 30], 600.0);
    let plan = Convolution::new(&lattice, &grid).expect("a grid that fits");
    let up = Fields::from_iter([Field::Up]);
    // 79 and 59 offsets along x and y, padded to 80 and 64; 30 rows of densities, 30 of fields (opposites share theirs), 30 of results.
    assert_eq!(plan.transforms(up), [(80, 5 * 60 + 30), (64, 41 * 11)]);
    // Totals and densities; results; 30 rows of fields, each 41 frequencies and a square.
    let spectrum = 41 * 64;
    assert_eq!(plan.bytes(up), 8 * (2 * 2 * spectrum + 1200 + 30 * 83));
    // Eleven spectra, with three fields processed at a time; 17 values per point for touching cells.
    assert_eq!(plan.bytes(Fields::ALL), 8 * (2 * 11 * spectrum + 27 * 1200 + 90 * 83));
    // Most points are near the columns, so all fields are computed together.
    let mesh = TensorMesh::new([planes(40), planes(30), vec![0.0, 500.0]], vec![1.0; 1200]).expect("a sound mesh");
    let columns = Prisms::try_from(&mesh).expect("sound prisms");
    let of_columns = Lattice::of(&columns).expect("a lattice");
    let of_columns = Convolution::new(&of_columns, &grid).expect("a grid that fits");
    assert_eq!(of_columns.bytes(Fields::ALL), 8 * (2 * 11 * spectrum + 27 * 1200 + 300 * 83));
    // A few thousand times fewer operations.
    let ratio = plan.operations_of_sums(up) / plan.operations(up);
    assert!((100.0..10_000.0).contains(&ratio), "{ratio}");
    let single = Prisms::new(mesh.prisms().take(1)).expect("a sound prism");
    let lattice = Lattice::of(&single).expect("a lattice");
    let plan = Convolution::new(&lattice, &grid).expect("a grid that fits");
    assert!(plan.operations_of_sums(up) < plan.operations(up));
}
