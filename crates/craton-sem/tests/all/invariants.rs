//! The discrete motion satisfies conservation laws and reciprocity within round-off.

use crate::common::{Nodes, Setup, earth, gradient, rock, tilted};
use craton_mesh::{Geometry, HexMesh, Locator};
use craton_sem::{Boundary, Discretisation, Field, PointSource, Probe, SemOperator, SourceMechanism};
use craton_testkit::meshes::{Lattice, doubled_box, shaken};
use craton_testkit::oracle::NodeField;
use craton_testkit::random::Random;

/// Elements of two alternating materials, one of them anisotropic.
fn varied(mesh: HexMesh) -> Setup {
    let mut mesh = mesh;
    mesh.region = (0..mesh.n_elements()).map(|element| (element % 2) as u16).collect();
    Setup::new(mesh, earth([tilted().into(), gradient()]), 4)
}

fn deformed(periodic: [bool; 3]) -> HexMesh {
    Lattice { periodic, ..Lattice::new([3, 3, 3]) }.deformed(0.12, 6)
}

/// Largest relative change of the leapfrog energy over 1200 steps from a random initial state, which is zero on rigid sides.
fn energy_change(setup: &Setup) -> f64 {
    let mut operator = setup.operator::<f64>(0.95);
    let oracle = setup.oracle(&operator);
    let nodes = Nodes::new(&operator, &oracle);
    let [low, high] = operator.mesh().bounding_box();
    let rigid = setup.sides[0] == Boundary::Rigid;
    let on_side = |x: [f64; 3]| (0..3).any(|c| (x[c] - low[c]).min(high[c] - x[c]) < 1e-6);
    let mut random = Random::new(3);
    let mut field = |size: f64| -> NodeField {
        let shaken = |&x: &[f64; 3]| random.vector().map(|a| if rigid && on_side(x) { 0.0 } else { size * a });
        oracle.positions().iter().map(shaken).collect()
    };
    let (u, v) = (field(1e-3), field(5.0));
    nodes.write(&mut operator, Field::Displacement, &u);
    nodes.write(&mut operator, Field::Velocity, &v);
    let dt = operator.dt();
    let mut energies = Vec::new();
    for _ in 0..30 {
        operator.advance_alone(40);
        let [u, v] = [Field::Displacement, Field::Velocity].map(|field| nodes.read(&operator, field));
        energies.push(oracle.leapfrog_energy(&u, &v, dt));
    }
    assert!(energies[0] > 0.0);
    energies.iter().map(|energy| (energy / energies[0] - 1.0).abs()).fold(0.0, f64::max)
}

#[test]
fn leapfrog_energy_is_conserved_in_closed_boxes() {
    let free = varied(deformed([false; 3]));
    let rigid = Setup { sides: [Boundary::Rigid; 6], ..free.clone() };
    let periodic = varied(deformed([true; 3]));
    for (name, setup) in [("free", free), ("rigid", rigid), ("periodic", periodic)] {
        let change = energy_change(&setup);
        assert!(change < 1e-12, "{name}: {change:e}");
    }
}

#[test]
fn absorbing_sides_remove_energy_at_every_step() {
    let setup = Setup { sides: [Boundary::Absorbing; 6], ..varied(deformed([false; 3])) };
    let mut operator = setup.operator::<f64>(0.95);
    let oracle = setup.oracle(&operator);
    let nodes = Nodes::new(&operator, &oracle);
    let mut random = Random::new(3);
    let v: NodeField = (0..oracle.n_nodes()).map(|_| random.vector()).collect();
    nodes.write(&mut operator, Field::Velocity, &v);
    let (mut energy, dt) = (f64::INFINITY, operator.dt());
    for _ in 0..200 {
        operator.advance_alone(1);
        let [u, v] = [Field::Displacement, Field::Velocity].map(|field| nodes.read(&operator, field));
        let now = oracle.leapfrog_energy(&u, &v, dt);
        assert!(now < energy, "{now} after {energy}");
        energy = now;
    }
}

#[test]
fn rigid_motion_causes_no_force() {
    type Motion = fn([f64; 3]) -> [f64; 3];
    let motions: [(&str, Motion); 3] = [
        ("translation", |_| [1.0, -2.0, 3.0]),
        ("rotation about z", |[x, y, _]| [-y, x, 0.0]),
        ("rotation about a slanted axis", |[x, y, z]| [2.0 * z - 3.0 * y, 3.0 * x - z, y - 2.0 * x]),
    ];
    for setup in [
        varied(deformed([false; 3])),
        Setup::new(doubled_box(Geometry::Linear8), earth([rock().into(), gradient()]), 3),
    ] {
        let mut operator = setup.operator::<f64>(1.0);
        let oracle = setup.oracle(&operator);
        let nodes = Nodes::new(&operator, &oracle);
        for (name, motion) in motions {
            let u: NodeField = oracle.positions().iter().map(|&x| motion(x)).collect();
            nodes.write(&mut operator, Field::Displacement, &u);
            nodes.write(&mut operator, Field::Velocity, &vec![[0.0; 3]; u.len()]);
            operator.advance_alone(1);
            // For comparison: at the stable step, a displacement of random sign would move a node by about its own size in one step.
            let largest = u.as_flattened().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            let v = nodes.read(&operator, Field::Velocity);
            let moved = v.as_flattened().iter().fold(0.0, |m: f64, v| m.max((operator.dt() * v).abs()));
            assert!(moved < 1e-12 * largest, "{name}: {moved:e} of {largest}");
        }
    }
}

#[test]
fn rigid_translation_has_constant_velocity() {
    let setup = varied(deformed([false; 3]));
    let mut operator = setup.operator::<f64>(1.0);
    let oracle = setup.oracle(&operator);
    let nodes = Nodes::new(&operator, &oracle);
    let velocity = [3.0, -1.0, 2.0];
    nodes.write(&mut operator, Field::Velocity, &vec![velocity; oracle.n_nodes()]);
    operator.advance_alone(1000);
    let time = 1000.0 * operator.dt();
    for u in nodes.read(&operator, Field::Displacement) {
        for c in 0..3 {
            assert!((u[c] / (velocity[c] * time) - 1.0).abs() < 1e-9, "{u:?}");
        }
    }
}

/// Number of steps of the tests with sources.
const STEPS: usize = 150;

/// Location of a point source or a probe.
#[derive(Clone, Copy)]
struct Place {
    element: u32,
    xi: [f64; 3],
}

fn locate(on: &Discretisation<f64>, point: [f64; 3]) -> Place {
    let found = Locator::new(on.mesh()).locate(point).unwrap();
    Place { element: found.element, xi: found.xi }
}

fn history() -> Vec<f64> {
    (0..STEPS).map(|step| 1.0 + (0.3 * step as f64).sin()).collect()
}

/// Linear and angular momentum after a source, each relative to its impulse; position of the source; sum of the absolute momenta, relative to the impulse.
fn momenta(mechanism: SourceMechanism) -> ([f64; 3], [f64; 3], [f64; 3], f64) {
    let setup = varied(deformed([false; 3]));
    let on = setup.discretise::<f64>();
    let dt = on.stable().dt;
    let Place { element, xi } = locate(&on, [130.0, 170.0, -90.0]);
    let place = on.mesh().position(element, xi);
    let source = PointSource { element, xi, mechanism, history: history().into() };
    let mut operator = SemOperator::new(on, dt, &[source], &[], setup.workers());
    let oracle = setup.oracle(&operator);
    operator.advance_alone(STEPS as u64);
    let v = Nodes::new(&operator, &oracle).read(&operator, Field::Velocity);
    let (mut linear, mut angular, mut size) = ([0.0; 3], [0.0; 3], 0.0);
    for ((v, x), m) in v.iter().zip(oracle.positions()).zip(oracle.mass()) {
        let turning = cross(*x, *v);
        for c in 0..3 {
            linear[c] += m * v[c];
            angular[c] += m * turning[c];
            size += m * v[c].abs();
        }
    }
    let given = dt * history().iter().sum::<f64>();
    assert!(size > 0.0);
    (linear.map(|x| x / given), angular.map(|x| x / given), place, size / given)
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[test]
fn momentum_is_the_impulse_of_the_force() {
    let force = [1e9, -3e9, 2e9];
    let (linear, angular, place, size) = momenta(SourceMechanism::Force(force));
    let torque = cross(place, force);
    for c in 0..3 {
        assert!((linear[c] - force[c]).abs() < 1e-11 * size, "{linear:?}");
        assert!((angular[c] - torque[c]).abs() < 1e-11 * size * 300.0, "{angular:?} {torque:?}");
    }
}

#[test]
fn moment_tensor_causes_no_momentum() {
    let (linear, angular, _, size) = momenta(SourceMechanism::Moment([1e11, 2e11, -3e11, 2e11, -1e11, 4e11]));
    for c in 0..3 {
        assert!(linear[c].abs() < 1e-11 * size, "{linear:?} {size}");
        assert!(angular[c].abs() < 1e-11 * size * 300.0, "{angular:?} {size}");
    }
}

/// Velocity at `to` along axis `received` for a force at `from` along axis `forced`.
fn trace(setup: &Setup, [from, to]: [[f64; 3]; 2], [forced, received]: [usize; 2]) -> Vec<f64> {
    let on = setup.discretise::<f64>();
    let dt = on.stable().dt;
    let [from, to] = [from, to].map(|point| locate(&on, point));
    let mut force = [0.0; 3];
    force[forced] = 1e9;
    let source = PointSource {
        element: from.element,
        xi: from.xi,
        mechanism: SourceMechanism::Force(force),
        history: history().into(),
    };
    let probe = Probe { element: to.element, xi: to.xi, gradient: false };
    let mut operator = SemOperator::new(on, dt, &[source], &[probe], setup.workers());
    operator.advance_alone(STEPS as u64);
    operator.take_samples().chunks_exact(3).map(|v| v[received]).collect()
}

#[test]
fn source_and_receiver_can_be_exchanged() {
    let mesh = shaken(doubled_box(Geometry::Quadratic27), [6.0; 3], 8);
    let free = Setup::new(mesh, earth([tilted().into(), gradient()]), 3);
    let mut mixed = free.clone();
    mixed.sides = [
        Boundary::Absorbing,
        Boundary::Rigid,
        Boundary::Absorbing,
        Boundary::Free,
        Boundary::Absorbing,
        Boundary::Free,
    ];
    let (a, b) = ([310.0, 270.0, -60.0], [520.0, 430.0, -410.0]);
    for setup in [free, mixed] {
        for (i, j) in [(0, 0), (0, 2), (1, 0), (2, 1)] {
            let there = trace(&setup, [a, b], [i, j]);
            let back = trace(&setup, [b, a], [j, i]);
            let largest = there.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            assert!(largest > 1e-6, "{largest:e}");
            let difference = there.iter().zip(&back).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            assert!(difference < 1e-11 * largest, "{i} {j}: {difference:e} of {largest:e}");
        }
    }
}
