//! The largest stable step: a sharp bound of the true limit, and runs below and above the limit.

use crate::common::{Nodes, Setup, earth, gradient, rock, tilted};
use craton_mesh::{Geometry, HexMesh};
use craton_model::EarthModel;
use craton_sem::Solver as _;
use craton_sem::{Field, PartSet, Patching, SemOperator};
use craton_sim::Failure;
use craton_sim::Operator;
use craton_testkit::meshes::{Lattice, one_element};
use craton_testkit::oracle::{NodeField, Oracle};
use craton_testkit::random::Random;

/// Ratio of the bound to the true limit of the whole mesh.
fn bound_over_limit(setup: &Setup) -> f64 {
    let operator = setup.operator::<f64>(1.0);
    let limit = 2.0 / setup.oracle(&operator).largest_eigenvalue(1500).sqrt();
    operator.dt() / limit
}

#[test]
fn bound_is_below_the_limit_and_close_on_a_regular_mesh() {
    for (degree, counts) in [(1, [5, 5, 5]), (2, [4, 4, 4]), (3, [3, 3, 3]), (4, [3, 3, 3]), (6, [2, 2, 2])] {
        let mesh = Lattice { geometry: Geometry::Linear8, ..Lattice::new(counts) }.mesh();
        for medium in [rock(), tilted()] {
            let ratio = bound_over_limit(&Setup::new(mesh.clone(), EarthModel::homogeneous(medium), degree));
            assert!((0.8..1.0).contains(&ratio), "degree {degree}: {ratio}");
        }
    }
}

#[test]
fn bound_of_a_single_element_is_its_limit_within_the_margin() {
    for (geometry, degree) in
        [(Geometry::Linear8, 1), (Geometry::Linear8, 3), (Geometry::Quadratic27, 4), (Geometry::Linear8, 8)]
    {
        for material in [rock().into(), tilted().into(), gradient()] {
            let ratio = bound_over_limit(&Setup::new(one_element(geometry, 2), earth([material]), degree));
            assert!((0.995..1.0).contains(&ratio), "degree {degree}: {ratio}");
        }
    }
}

/// A mesh of one element of another mesh.
fn alone(mesh: &HexMesh, element: u32) -> HexMesh {
    let mut buffer = [[0.0; 3]; 27];
    let control_nodes = mesh.points_of(element, &mut buffer).to_vec();
    let numbers: Vec<u32> = (0..control_nodes.len() as u32).collect();
    HexMesh {
        geometry: mesh.geometry,
        control_nodes,
        connectivity: numbers.clone(),
        region: vec![mesh.region[element as usize]],
        faces: Vec::new(),
        twin: numbers,
        tile: Vec::new(),
        pml: None,
    }
}

#[test]
fn bound_is_determined_by_the_stiffest_element() {
    let mut mesh = Lattice { geometry: Geometry::Linear8, ..Lattice::new([9, 9, 9]) }.deformed(0.2, 8);
    mesh.region = (0..729).map(|element| element % 2).collect();
    let setup = Setup::new(mesh, earth([tilted().into(), gradient()]), 2);
    let on = setup.discretise::<f32>();
    let eigenvalue = |element| Oracle::new(&alone(on.mesh(), element), &setup.model, 2).largest_eigenvalue(150);
    let all: Vec<f64> = (0..729).map(eigenvalue).collect();
    let stiffest = (0..729).max_by(|&a, &b| all[a].total_cmp(&all[b])).unwrap();
    assert_eq!(on.stable().centre, on.mesh().centroid(stiffest as u32));
    let ratio = on.stable().dt * all[stiffest].sqrt() / 2.0;
    assert!((0.99..1.0).contains(&ratio), "{ratio}");
}

#[test]
fn bound_is_below_the_limit_on_deformed_and_varied_meshes() {
    for (degree, geometry, amount) in [(2, Geometry::Linear8, 0.25), (4, Geometry::Quadratic27, 0.12)] {
        let mut mesh = Lattice { geometry, ..Lattice::new([3, 3, 3]) }.deformed(amount, 5);
        mesh.region = (0..27).map(|element| element % 2).collect();
        let ratio = bound_over_limit(&Setup::new(mesh, earth([tilted().into(), gradient()]), degree));
        assert!((0.5..=1.0).contains(&ratio), "degree {degree}: {ratio}");
    }
}

#[test]
fn bound_is_bit_identical_for_any_patches() {
    let plain = Lattice { geometry: Geometry::Linear8, ..Lattice::new([12, 11, 10]) };
    for mesh in [plain.mesh(), plain.deformed(0.2, 8), Lattice::new([9, 8, 7]).deformed(0.1, 3)] {
        for material in [rock().into(), tilted().into(), gradient()] {
            let setup = Setup::new(mesh.clone(), earth([material]), 4);
            let stable = |patching| *setup.discretise_for::<f32>(patching).stable();
            let [threads, blocks] = [Patching::Threads, Patching::Blocks].map(stable);
            assert_eq!(threads.dt.to_bits(), blocks.dt.to_bits(), "{threads:?} {blocks:?}");
            assert_eq!(threads.centre, blocks.centre);
        }
    }
}

/// A random initial displacement with the time step `courant` times the bound.
fn random_motion(courant: f64) -> PartSet<f32, SemOperator<f32>> {
    let setup = Setup::new(Lattice::new([3, 3, 3]).deformed(0.1, 5), earth([gradient()]), 4);
    let mut operator = setup.operator::<f32>(courant);
    let oracle = setup.oracle(&operator);
    let mut random = Random::new(3);
    let u: NodeField = (0..oracle.n_nodes()).map(|_| random.vector()).collect();
    Nodes::new(&operator, &oracle).write(&mut operator, Field::Displacement, &u);
    let times = [operator.dt(), courant];
    PartSet::of_one(operator.plan().clone(), operator, &[], times, setup.workers())
}

#[test]
fn motion_stays_bounded_at_the_largest_stable_step() {
    let mut operator = random_motion(1.0);
    operator.advance(2000).unwrap();
    operator.check().unwrap();
    let displacements = operator.parts()[0].state().into_iter().step_by(2).flatten();
    let largest = displacements.fold(0.0_f32, |m, u| m.max(u.abs()));
    assert!(largest < 20.0, "{largest}");
}

#[test]
fn an_unstable_step_is_an_error_with_step_position_and_stability_fraction() {
    let setup = Setup::new(Lattice::new([3, 3, 3]).deformed(0.1, 5), earth([gradient()]), 4);
    let courant = 1.1 / bound_over_limit(&setup);
    let mut operator = random_motion(courant);
    let instability = loop {
        operator.advance(20).unwrap();
        match operator.check() {
            Err(Failure::Unstable(instability)) => break instability,
            outcome => outcome.unwrap(),
        }
        assert!(operator.step() < 2000, "the field is still finite");
    };
    assert_eq!(instability.step, operator.step());
    assert!((instability.courant / courant - 1.0).abs() < 1e-12);
    let [low, high] = operator.mesh().bounding_box();
    for c in 0..3 {
        assert!((low[c]..=high[c]).contains(&instability.position[c]), "{:?}", instability.position);
    }
    let message = instability.to_string();
    assert!(message.contains(&format!("step {}", instability.step)) && message.contains("x = "), "{message}");
}
