//! Results depend only on the mesh, and are independent of patches, threads and restarts.

use crate::common::busy::{Busy, FIELDS, STEPS, bit_samples, restore, saved};
use crate::common::{Nodes, Setup, bits, earth, gradient, rock, tilted};
use craton_mesh::Geometry;
use craton_model::EarthModel;
use craton_sem::{Field, PartSet, Patching, SemOperator};
use craton_sim::Operator;
use craton_sim::Solver as _;
use craton_testkit::meshes::{Lattice, doubled_box, shaken};
use craton_testkit::oracle::{Motion, NodeField, relative_difference};
use craton_testkit::random::Random;

fn patches<T: craton_device::Scalar>(operator: &SemOperator<T>) -> usize {
    (operator.state().len() - 2) / 2
}

fn busy(threads: usize) -> PartSet<f32, SemOperator<f32>> {
    let ensemble = Busy { threads, ..Busy::default() }.on_cpu(1);
    assert!(patches(&ensemble.parts()[0]) > 2);
    ensemble
}

#[test]
fn results_are_bit_identical_for_any_number_of_threads() {
    let run = |threads| {
        let mut operator = busy(threads);
        operator.advance(STEPS as u64).unwrap();
        (bits(&operator.parts()[0]), bit_samples(&mut operator))
    };
    let one = run(1);
    assert!(one.0.iter().any(|&byte| byte != 0));
    for threads in [2, 3, 5] {
        assert!(run(threads) == one, "{threads} threads");
    }
}

#[test]
fn results_are_bit_identical_for_any_grouping_of_steps() {
    let mut at_once = busy(2);
    at_once.advance(STEPS as u64).unwrap();
    let mut in_parts = busy(2);
    let mut samples = Vec::new();
    for steps in [1, 7, 0, 40, STEPS as u64 - 48] {
        in_parts.advance(steps).unwrap();
        samples.extend(bit_samples(&mut in_parts));
    }
    assert!(bits(&in_parts.parts()[0]) == bits(&at_once.parts()[0]));
    assert!(samples == bit_samples(&mut at_once));
    assert_eq!(in_parts.step(), STEPS as u64);
}

#[test]
fn restored_run_is_bit_identical() {
    let mut whole = busy(2);
    whole.advance(50).unwrap();
    let saved = FIELDS.map(|field| saved(&mut whole, field));
    let _ = whole.take_samples();
    whole.advance(STEPS as u64 - 50).unwrap();

    let mut resumed = busy(2);
    for (field, saved) in FIELDS.into_iter().zip(&saved) {
        restore(&mut resumed, field, saved);
    }
    resumed.restore_step(50).unwrap();
    resumed.advance(STEPS as u64 - 50).unwrap();
    assert!(bits(&resumed.parts()[0]) == bits(&whole.parts()[0]));
    assert!(bit_samples(&mut resumed) == bit_samples(&mut whole));
}

#[test]
fn saved_fields_are_independent_of_patches() {
    let setup = Setup::new(Lattice::new([9, 8, 8]).deformed(0.1, 2), earth([gradient()]), 3);
    let [threads, blocks] = [Patching::Threads, Patching::Blocks].map(|patching| {
        let on = setup.discretise_for::<f32>(patching);
        let dt = 0.9 * on.stable().dt;
        let mut operator = SemOperator::new(on, dt, &[], &[], setup.workers());
        let oracle = setup.oracle(&operator);
        let heights: NodeField = oracle.positions().iter().map(|&[x, y, z]| [x, y - z, x * z]).collect();
        Nodes::new(&operator, &oracle).write(&mut operator, Field::Velocity, &heights);
        let workers = setup.workers();
        saved(&mut PartSet::of_one(operator.plan().clone(), operator, &[], [dt, 0.9], workers), Field::Velocity)
    });
    assert!(threads.iter().flatten().any(|&x| x != 0.0));
    assert_eq!(threads, blocks);
}

/// Compares twenty steps of many patches with the oracle, which has no patches.
fn compare_motion(setup: &Setup, least_patches: usize) {
    let mut operator = setup.operator::<f64>(0.9);
    assert!(patches(&operator) >= least_patches, "{} patches", patches(&operator));
    let oracle = setup.oracle(&operator);
    let nodes = Nodes::new(&operator, &oracle);
    let mut random = Random::new(7);
    let u: NodeField = (0..oracle.n_nodes()).map(|_| random.vector()).collect();
    let v: NodeField = (0..oracle.n_nodes()).map(|_| random.vector().map(|x| 1000.0 * x)).collect();
    nodes.write(&mut operator, Field::Displacement, &u);
    nodes.write(&mut operator, Field::Velocity, &v);
    let mut motion = Motion { u, v };
    let (forces, rigid) = (vec![[0.0; 3]; oracle.n_nodes()], vec![false; oracle.n_nodes()]);
    for _ in 0..20 {
        motion.advance(&oracle, &forces, &rigid, operator.dt());
    }
    operator.advance_alone(20);
    let difference = relative_difference(&nodes.read(&operator, Field::Displacement), &motion.u);
    assert!(difference < 1e-12, "displacement: {difference:e}");
    let difference = relative_difference(&nodes.read(&operator, Field::Velocity), &motion.v);
    assert!(difference < 1e-12, "velocity: {difference:e}");
}

#[test]
fn patches_do_not_affect_the_motion() {
    let plain = Lattice { geometry: Geometry::Linear8, periodic: [true, false, false], ..Lattice::new([8, 8, 9]) };
    compare_motion(&Setup::new(plain.deformed(0.2, 3), EarthModel::homogeneous(tilted()), 2), 3);
    let doubled = shaken(doubled_box(Geometry::Quadratic27), [6.0; 3], 1);
    compare_motion(&Setup::new(doubled, earth([gradient(), rock().into()]), 3), 2);
    // Degree 10: a patch has at most 48 elements.
    compare_motion(&Setup::new(Lattice::new([4, 4, 4]).deformed(0.1, 3), earth([rock().into()]), 10), 2);
}
