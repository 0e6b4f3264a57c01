//! Results are bit-identical for any parts, threads, instruction sets with fused multiply-add, and restarts.

use crate::common::*;
use craton_device::Isa;
use craton_fd::{
    Boundaries, FdError, FdOperator, Material, Medium, Options, PointSource, Precision, Probe, ProbeQuantity, Side,
    SourceMechanism, Sponge,
};
use craton_sim::Failure;

fn run<T: Precision>(options: &Options, threads: usize, steps: [u64; 2]) -> (Vec<T>, Saved<T>) {
    let medium = hill::<T>();
    let mut operator = make(&medium, options, threads);
    advance(&mut operator, steps[0]);
    let mut samples = operator.take_samples().unwrap();
    if steps[1] > 0 {
        // Continues in another operator.
        let saved = Saved::of(&mut operator);
        operator = make(&medium, options, threads);
        saved.restore(&mut operator);
        advance(&mut operator, steps[1]);
        samples.extend(operator.take_samples().unwrap());
    }
    assert!(samples.iter().any(|v| v.to_f64().abs() > 1e-12));
    (samples, Saved::of(&mut operator))
}

fn make<T: Precision>(medium: &Medium<T>, options: &Options, threads: usize) -> FdOperator<T> {
    let (sources, probes) = hill_taps();
    let dt = 0.9 * craton_fd::stable_step(medium, &options.boundaries, &options.stencil).unwrap();
    FdOperator::new(medium, options, dt, &sources, &probes, workers(threads)).unwrap()
}

#[test]
fn results_are_bit_identical_for_any_parts_and_threads() {
    for (half_length, boundaries) in [(2, all_boundaries()), (4, all_boundaries()[..1].to_vec())] {
        for boundaries in boundaries {
            let mut options = options(half_length, boundaries);
            let whole = run::<f32>(&options, 1, [40, 0]);
            for (parts, threads) in
                [([1, 1, 1], 3), ([2, 1, 1], 2), ([1, 3, 1], 1), ([1, 1, 4], 2), ([2, 2, 1], 2), ([2, 2, 2], 2)]
            {
                options.parts = parts;
                let cut = run::<f32>(&options, threads, [40, 0]);
                assert!(cut == whole, "{parts:?} {boundaries:?}");
            }
        }
    }
}

#[test]
fn paraxial_sides_of_thin_parts_are_bit_identical() {
    let mut options = options(1, Boundaries::all(Side::Paraxial));
    let whole = run::<f32>(&options, 1, [40, 0]);
    for parts in [[1, 9, 1], [12, 1, 1], [1, 1, 10]] {
        options.parts = parts;
        assert!(run::<f32>(&options, 2, [40, 0]) == whole, "{parts:?}");
    }
    // A paraxial side reads the adjacent plane, which would belong to the neighbour.
    options.parts = [1, 18, 1];
    let medium = hill::<f32>();
    let refused = at_courant(&medium, &options, 0.9, &[], &[]).map(|_| ()).unwrap_err();
    assert_eq!(refused, FdError::Parts { axis: 1, cells: 18, parts: 18, min: 2 });
    options.boundaries = Boundaries::all(Side::Rigid);
    assert!(at_courant(&medium, &options, 0.9, &[], &[]).is_ok());
}

/// One to three threads march through the planes of this box; with twelve threads each has too few planes, and velocities are updated before stresses.
#[test]
fn marching_is_bit_identical_to_separate_sweeps() {
    let grid = hill_grid([37, 18, 64]);
    let materials = hill_materials(&grid);
    let medium = Medium::<f32>::new(grid, |cell| materials[grid.number(cell)]).unwrap();
    let (mut sources, mut probes) = hill_taps();
    // Forces where the planes of two threads meet, two of them on the same points.
    for (x, z) in [(-60.0, 85.0), (-60.0, 85.0), (-71.0, -20.0), (-90.0, 361.0)] {
        let history: Vec<f64> = (0..60).map(|n| (0.3 * f64::from(n)).cos()).collect();
        sources.push(PointSource {
            position: [x, 91.0, z],
            mechanism: SourceMechanism::Force([1e12, -2e12, 3e12]),
            history: history.into(),
            interface: None,
        });
        probes.push(Probe { position: [x + 3.0, 95.0, z - 4.0], quantity: ProbeQuantity::Gradient, interface: None });
    }
    let mut upright = all_boundaries()[1];
    upright.sides = [upright.sides[4], upright.sides[3], Side::Rigid, Side::Free, Side::Periodic, Side::Periodic];
    let half_lengths = [&[1, 2, 4][..], &[2], &[4], &[1], &[1, 2, 4]];
    for (boundaries, half_lengths) in all_boundaries().into_iter().chain([upright]).zip(half_lengths) {
        for &half_length in half_lengths {
            let options = options(half_length, boundaries);
            let dt = 0.9 * craton_fd::stable_step(&medium, &boundaries, &options.stencil).unwrap();
            let run = |threads| {
                let mut operator = FdOperator::new(&medium, &options, dt, &sources, &probes, workers(threads)).unwrap();
                advance(&mut operator, 50);
                (operator.take_samples().unwrap(), Saved::of(&mut operator))
            };
            let sweeps = run(12);
            assert!(sweeps.0.iter().any(|v| v.abs() > 1e-6));
            for threads in [1, 2, 3] {
                assert!(run(threads) == sweeps, "{threads} threads, half-length {half_length}, {boundaries:?}");
            }
        }
    }
}

#[test]
fn restarts_are_bit_identical() {
    for boundaries in all_boundaries() {
        let mut options = options(2, boundaries);
        let whole = run::<f64>(&options, 2, [40, 0]);
        assert!(run::<f64>(&options, 2, [17, 23]) == whole, "{boundaries:?}");
        options.parts = [2, 1, 2];
        assert!(run::<f64>(&options, 2, [17, 23]) == whole, "{boundaries:?}");
    }
}

#[test]
fn instruction_sets_with_fused_multiply_add_are_bit_identical() {
    let mut options = options(3, all_boundaries()[0]);
    let runs: Vec<_> = Isa::available()
        .into_iter()
        .map(|isa| {
            options.isa = isa;
            (isa, run::<f32>(&options, 2, [40, 0]))
        })
        .collect();
    let (_, best) = runs.last().unwrap();
    let largest = best.0.iter().fold(0.0_f32, |a, b| a.max(b.abs()));
    for (isa, run) in &runs {
        let difference = run.0.iter().zip(&best.0).fold(0.0_f32, |a, (x, y)| a.max((x - y).abs()));
        assert!(*isa == Isa::Portable || run == best, "{}", isa.name());
        assert!(difference <= 1e-5 * largest, "{}", isa.name());
    }
}

#[test]
fn invalid_problems_are_refused() {
    let medium = hill::<f32>();
    let good = options(2, Boundaries::all(Side::Free));
    let make = |options: &Options, dt: f64, position: [f64; 3]| {
        let probe = Probe { position, quantity: ProbeQuantity::Velocity, interface: None };
        FdOperator::new(&medium, options, dt, &[], &[probe], workers(1)).map(|_| ()).unwrap_err()
    };
    let stable = craton_fd::stable_step(&medium, &good.boundaries, &good.stencil).unwrap();
    let inside = [0.0, 100.0, -150.0];
    assert_eq!(make(&good, 1.001 * stable, inside), FdError::TimeStep { dt: 1.001 * stable, stable });
    assert!(make(&good, 0.0, inside).to_string().contains("must be positive"));
    assert!(matches!(make(&good, stable, [0.0, 0.0, 0.0]), FdError::Outside { .. }));
    assert!(matches!(make(&good, stable, [200.0, 200.0, -20.0]), FdError::InAir { .. }));
    let mut unpaired = good.clone();
    unpaired.boundaries.sides[2] = Side::Periodic;
    let refused = make(&unpaired, stable, inside);
    assert_eq!(refused, FdError::Unpaired { axis: 1 });
    assert!(refused.to_string().contains("boundaries.y_min and boundaries.y_max"), "{refused}");
    let mut cut = good.clone();
    cut.parts = [1, 10, 1];
    let refused = make(&cut, stable, inside);
    assert_eq!(refused, FdError::Parts { axis: 1, cells: 18, parts: 10, min: 2 });
    assert!(
        refused.to_string().contains("18 cells along y are too few for 10 parts")
            && refused.to_string().contains("(compute.devices, and ranks of mpirun)")
    );
    let flat = FdError::Parts { axis: 2, cells: 1, parts: 1, min: 2 }.to_string();
    assert!(flat.contains("the periodic axis z has 1 cells") && !flat.contains("fewer parts"), "{flat}");
    let mut thick = good.clone();
    thick.boundaries.sides[..2].fill(layer(19, 4000.0, 10.0));
    let refused = make(&thick, stable, inside);
    assert_eq!(refused, FdError::Layers { axis: 0, layers: 38, cells: 37 });
    assert!(refused.to_string().contains("across x") && refused.to_string().contains("cpml.cells"), "{refused}");
    // Layers that fill an axis exactly are refused, too.
    thick.boundaries.sides[1] = layer(18, 4000.0, 10.0);
    assert_eq!(make(&thick, stable, inside), FdError::Layers { axis: 0, layers: 37, cells: 37 });
    let mut sponge = good.clone();
    sponge.boundaries.sponges[0] = Some(Sponge { cells: 3, factor: -1.0 });
    assert_eq!(make(&sponge, stable, inside), FdError::Sponge(-1.0));
    let broken = Material { lambda: 1e9, mu: -1.0, rho: 1000.0 };
    let refused = Medium::<f32>::new(cubes([2; 3], 1.0), |_| broken).map(|_| ()).unwrap_err();
    assert_eq!(refused, FdError::Material { cell: [0; 3], material: broken });
    assert!(matches!(Medium::<f32>::new(cubes([0; 3], 1.0), |_| rock()).map(|_| ()), Err(FdError::Grid(_))));
}

#[test]
fn a_non_finite_field_is_reported_with_its_position() {
    let medium = hill::<f32>();
    let options = options(2, Boundaries::all(Side::Free));
    let mut operator = at_courant(&medium, &options, 0.9, &[], &[]).unwrap();
    let mut saved = Saved::of(&mut operator);
    let [nx, ny, _] = operator.shape(craton_fd::Field::Velocity(1));
    saved.arrays[1][5 + nx * (6 + ny * 7)] = f32::NAN;
    saved.restore(&mut operator);
    let Failure::Unstable(broken) = operator.check().unwrap_err() else { panic!("an unstable field") };
    assert_eq!(broken.position, [-100.0 + 50.0, 50.0 + 66.0, -200.0 + 63.0]);
    operator.advance(1).unwrap();
    assert!(operator.check().is_err());
}
