//! Convolutions of magnetised cells match direct sums.

use craton_device::{Isa, Workers};
use craton_gravity::{
    Convolution, Lattice, LevelGrid, Limits, Magnetic, MagneticField, MagneticFields, Magnetisation, Poisson, Prisms,
    TensorMesh, forward, magnetic_forward,
};

const DIRECTION: [f64; 3] = [0.48, -0.6, 0.64];

/// Cells of a lattice with magnetisations of both signs, some cells missing, in layers of different thickness.
fn sample() -> Prisms {
    let planes = |first: f64, side: f64, count: usize| (0..=count).map(|n| first + n as f64 * side).collect();
    let heights = vec![-300.0, -170.0, -100.0, -60.0, -8.0];
    let density = |n: usize| if n % 7 == 3 { 0.0 } else { 3.0 * (1.7 * n as f64 + 1.0).sin() };
    let axes = [planes(100.0, 20.0, 23), planes(-40.0, 16.0, 17), heights];
    let mesh = TensorMesh::new(axes, (0..23 * 17 * 4).map(density).collect()).expect("a sound mesh");
    Prisms::new(mesh.prisms()).expect("prisms")
}

fn workers(threads: usize) -> Workers {
    Workers::new(Some(threads)).expect("a few threads")
}

fn grid(first: [f64; 2], spacing: [f64; 2], count: [usize; 2], z: f64) -> LevelGrid {
    LevelGrid { first, spacing, count, z }
}

fn convolved(prisms: &Prisms, grid: &LevelGrid, fields: MagneticFields, threads: usize) -> (Magnetic, Vec<f64>) {
    let lattice = Lattice::of(prisms).expect("a lattice");
    let plan = Convolution::new(&lattice, grid).expect("a grid that fits");
    let found = plan.magnetic_forward(DIRECTION, fields, &workers(threads), Isa::detect(), &|_| true);
    found.expect("never cancelled")
}

fn direct(prisms: &Prisms, grid: &LevelGrid) -> Magnetic {
    let along = |component: f64| prisms.density().iter().map(|m| component * m).collect();
    let magnetisation = Magnetisation::new(DIRECTION.map(along)).expect("finite");
    let points = grid.points().expect("sound points");
    let fields = MagneticFields::WithGradient;
    magnetic_forward(prisms, &magnetisation, &points, fields, &workers(2), Isa::detect()).expect("one vector per prism")
}

#[test]
fn fields_match_direct_sums_on_any_grid() {
    let prisms = sample();
    for (name, grid) in [
        ("above centres", grid([110.0, -32.0], [20.0, 16.0], [23, 17], 3.0)),
        ("above corners, larger than the block", grid([40.0, -120.0], [20.0, 16.0], [31, 29], 3.0)),
        ("anywhere", grid([113.7, -37.1], [20.0, 16.0], [12, 19], 3.0)),
        ("coarser, anywhere", grid([77.0, -83.0], [60.0, 80.0], [9, 5], 3.0)),
        ("finer, anywhere", grid([98.1, -38.7], [4.0, 8.0], [31, 20], 3.0)),
        ("finer along x, coarser along y", grid([98.0, -38.0], [10.0, 48.0], [30, 7], 3.0)),
        ("two to three, and five to two", grid([90.0, -40.0], [30.0, 40.0], [19, 8], 3.0)),
        ("below", grid([90.0, -40.0], [20.0, 16.0], [19, 8], -400.0)),
        ("far above", grid([90.0, -40.0], [20.0, 16.0], [19, 8], 4e3)),
        ("inside", grid([105.0, -35.0], [20.0, 16.0], [19, 8], -130.0)),
        ("one point", grid([333.0, 44.0], [0.7, 0.0], [1, 1], 12.0)),
    ] {
        let expected = direct(&prisms, &grid);
        let (found, bounds) = convolved(&prisms, &grid, MagneticFields::WithGradient, 2);
        for (field, bound) in MagneticField::ALL.into_iter().zip(bounds) {
            let [expected, found] = [&expected, &found].map(|all| all.get(field).expect("a component"));
            let peak = expected.iter().fold(0.0_f64, |peak, value| peak.max(value.abs()));
            let error = expected.iter().zip(found).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()));
            assert!(error <= bound, "{name}, {field:?}: {error:e}, not {bound:e}");
            // Far from the body the fields of both signs cancel, so that the digits of each pair become visible.
            let allowed = if name == "far above" { 1e-9 } else { 1e-11 };
            assert!(error < allowed * peak, "{name}, {field:?}: {:e} of the peak", error / peak);
        }
    }
}

#[test]
fn points_on_prisms_match_direct_sums() {
    let prisms = sample();
    for (name, grid) in [
        ("faces between centres", grid([110.0, -32.0], [20.0, 16.0], [23, 17], -8.0)),
        ("corners", grid([100.0, -40.0], [20.0, 16.0], [12, 9], -8.0)),
        ("vertical edges and faces", grid([100.0, -40.0], [10.0, 8.0], [24, 18], -30.0)),
        ("just above faces", grid([105.0, -40.0], [10.0, 8.0], [24, 18], -8.0 + 1e-4)),
    ] {
        let expected = direct(&prisms, &grid);
        let (found, _) = convolved(&prisms, &grid, MagneticFields::WithGradient, 2);
        let mut nans = 0;
        for field in MagneticField::ALL.into_iter().filter(|field| field.is_gradient()) {
            let [expected, found] = [&expected, &found].map(|all| all.get(field).expect("a component"));
            let peak =
                expected.iter().filter(|value| !value.is_nan()).fold(0.0_f64, |most, value| most.max(value.abs()));
            for (expected, found) in expected.iter().zip(found) {
                assert_eq!(expected.is_nan(), found.is_nan(), "{name}, {field:?}: {found}, not {expected}");
                nans += usize::from(expected.is_nan());
                assert!(
                    expected.is_nan() || (expected - found).abs() < 1e-9 * peak,
                    "{name}, {field:?}: {found}, {expected}"
                );
            }
        }
        assert_eq!(nans > 0, name == "corners" || name == "vertical edges and faces", "{name}");
        // B with limits is that of Poisson's relation.
        let (mut left_out, _) = convolved(&prisms, &grid, MagneticFields::WithGradientLeavingOutEdges, 2);
        let points = grid.points().expect("sound points");
        let limits = Limits::new(&prisms, &points, &workers(2), Isa::detect());
        assert!(limits.is_empty() == (name == "just above faces"), "{name}");
        limits.put_magnetic(DIRECTION, &mut left_out);
        let mut tensor = forward(&prisms, &points, Poisson::FIELDS.leaving_out_edges(), &workers(2), Isa::detect());
        limits.put(&mut tensor);
        let expected = Poisson::new(DIRECTION).field(&tensor);
        for field in MagneticField::FLUX_DENSITY {
            let [expected, found] = [&expected, &left_out].map(|all| all.get(field).expect("a component"));
            let peak =
                expected.iter().filter(|value| !value.is_nan()).fold(0.0_f64, |most, value| most.max(value.abs()));
            for (expected, found) in expected.iter().zip(found) {
                assert_eq!(expected.is_nan(), found.is_nan(), "{name}, {field:?}: {found}, not {expected}");
                assert!(
                    expected.is_nan() || (expected - found).abs() < 1e-9 * peak,
                    "{name}, {field:?}: {found}, {expected}"
                );
            }
        }
    }
}

#[test]
fn results_are_bit_identical_for_any_number_of_threads_and_can_be_cancelled() {
    let (prisms, grid) = (sample(), grid([90.0, -40.0], [30.0, 40.0], [19, 8], 3.0));
    let all = convolved(&prisms, &grid, MagneticFields::WithGradient, 1);
    assert_eq!(convolved(&prisms, &grid, MagneticFields::WithGradient, 3), all);
    let (only, bounds) = convolved(&prisms, &grid, MagneticFields::FluxDensity, 2);
    assert_eq!((only.get(MagneticField::UpUp), bounds.len()), (None, 3));
    assert_eq!(only.get(MagneticField::Up), all.0.get(MagneticField::Up));
    let lattice = Lattice::of(&prisms).expect("a lattice");
    let plan = Convolution::new(&lattice, &grid).expect("a grid that fits");
    let stopped =
        plan.magnetic_forward(DIRECTION, MagneticFields::WithGradient, &workers(2), Isa::detect(), &|_| false);
    assert!(stopped.is_none());
    assert!(plan.magnetic_bytes(MagneticFields::WithGradient) > plan.magnetic_bytes(MagneticFields::FluxDensity));
}
