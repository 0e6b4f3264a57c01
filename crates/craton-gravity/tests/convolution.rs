//! Sums by convolution: those of the exact sums wherever the grid stands, round-off as it is told, and no lattice where there is none.

use craton_device::{Isa, Workers};
use craton_gravity::{
    Bound, Convolution, Field, Fields, Gravity, Lattice, LevelGrid, Points, Prism, Prisms, TensorMesh, ball, forward,
};

/// Cells of a lattice whose first corner stands at `first`, between planes of `heights`; densities of both signs, some cells left out.
fn cells(first: [f64; 2], side: [f64; 2], count: [usize; 2], heights: &[f64]) -> Vec<Prism> {
    let planes = |axis: usize| (0..=count[axis]).map(|n| first[axis] + n as f64 * side[axis]).collect();
    let number = count[0] * count[1] * (heights.len() - 1);
    let density = |n: usize| if n % 7 == 3 { 0.0 } else { 800.0 * (1.7 * n as f64).sin() };
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
    plan.forward(Fields::ALL, &workers(threads), isa, &|_| true).expect("nobody stops it")
}

/// Compares all fields with sums; the error and its bound in parts of the largest value, of each field.
fn compare(prisms: &[Prism], grid: &LevelGrid) -> Vec<(f64, f64)> {
    let prisms = Prisms::new(prisms.iter().copied()).expect("sound prisms");
    let points = grid.points().expect("sound points");
    let expected = forward(&prisms, &points, Fields::ALL, &workers(2), Isa::detect());
    let (found, bound) = convolved(&prisms, grid, 2, Isa::detect());
    let each = Field::ALL.into_iter().map(|field| {
        let [expected, found] = [&expected, &found].map(|gravity| gravity.get(field).expect("asked for"));
        assert_eq!(found.len(), grid.len());
        let (mut error, mut peak) = (0.0_f64, 0.0_f64);
        for (point, (expected, found)) in expected.iter().zip(found).enumerate() {
            assert_eq!(expected.is_nan(), found.is_nan(), "{field:?} at {:?} of {grid:?}", points.get(point));
            if !expected.is_nan() {
                (error, peak) = (error.max((found - expected).abs()), peak.max(expected.abs()));
            }
        }
        (error / peak, bound.get(field).expect("asked for") / peak)
    });
    each.collect()
}

fn grid(first: [f64; 2], spacing: [f64; 2], count: [usize; 2], z: f64) -> LevelGrid {
    LevelGrid { first, spacing, count, z }
}

const HEIGHTS: [f64; 5] = [-300.0, -170.0, -100.0, -60.0, -8.0];

#[test]
fn sums_are_those_of_forward_whatever_the_grid() {
    let block = cells([100.0, -40.0], [20.0, 16.0], [23, 17], &HEIGHTS);
    for (name, grid) in [
        ("above centres", grid([110.0, -32.0], [20.0, 16.0], [23, 17], 3.0)),
        ("above corners, larger than the block", grid([40.0, -120.0], [20.0, 16.0], [31, 29], 3.0)),
        ("anywhere", grid([113.7, -37.1], [20.0, 16.0], [12, 19], 3.0)),
        ("beside, to the east", grid([1113.0, -32.0], [20.0, 16.0], [5, 6], -50.0)),
        ("beside, to the south-west", grid([-900.0, -2000.0], [20.0, 16.0], [7, 3], -50.0)),
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
        ("one point, whose spacing means nothing", grid([333.0, 44.0], [0.7, 0.0], [1, 1], 12.0)),
        ("one line", grid([105.0, -36.0], [20.0, 3.3], [40, 1], 2.0)),
    ] {
        let each = compare(&block, &grid);
        println!("{name}: {:?}", each.iter().map(|(a, b)| format!("{a:.1e} {b:.1e}")).collect::<Vec<_>>());
    }
}
