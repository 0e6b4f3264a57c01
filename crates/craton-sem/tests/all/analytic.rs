//! Absolute amplitudes of point sources against the closed form, at the largest stable step, on regular, deformed and doubled meshes.

use std::sync::OnceLock;

use crate::common::Setup;
use craton_mesh::{BoxSpec, Flat, Geometry, HexMesh, Horizontal, Locator, SizeField, Stratum, mesh_box};
use craton_model::{EarthModel, Medium};
use craton_numerics::dispersion::{Derive, Forward, Inverse, Stagger, UniformTimes};
use craton_numerics::misfit::relative_l2;
use craton_sem::{Boundary, PointSource, Probe, SemOperator, SourceMechanism};
use craton_testkit::full_space::{FullSpace, Gaussian};
use craton_testkit::meshes::{Lattice, shaken};

const SOLID: FullSpace = FullSpace { vp: 1732.0, vs: 1000.0, rho: 2200.0 };
const GAUSSIAN: Gaussian = Gaussian { sigma: 0.06, centre: 0.3 };
/// Edge of the cubic box [m].
const EDGE: f64 = 1600.0;
/// Time [s] at which a wave from the source via a side reaches a receiver.
const DURATION: f64 = 0.85;
const SOURCE: [f64; 3] = [830.0, 760.0, -755.0];
/// Positions of the receivers relative to the source [m].
const OFFSETS: [[f64; 3]; 3] = [[160.0, -210.0, 120.0], [-120.0, 90.0, -230.0], [-80.0, 50.0, -100.0]];

/// Largest relative L2 misfit of the three velocity components over the receivers.
fn misfit(mesh: HexMesh, degree: usize, mechanism: SourceMechanism, courant: f64) -> f64 {
    let medium = Medium::isotropic(SOLID.vp, SOLID.vs, SOLID.rho).unwrap();
    let sides = [Boundary::Absorbing; 6];
    let setup = Setup { sides, ..Setup::new(mesh, EarthModel::homogeneous(medium), degree) };
    let on = setup.discretise::<f32>();
    let dt = courant * on.stable().dt;
    let steps = (DURATION / dt).ceil() as usize + 30;
    let locator = Locator::new(on.mesh());
    let place = locator.locate(SOURCE).unwrap();
    let history = Forward::new(steps, dt).unwrap().integral(|t| GAUSSIAN.value(t)).unwrap();
    let source = PointSource { element: place.element, xi: place.xi, mechanism, history: history.into() };
    let probe = |offset: [f64; 3]| {
        let place = locator.locate([0, 1, 2].map(|c| SOURCE[c] + offset[c])).unwrap();
        Probe { element: place.element, xi: place.xi, gradient: false }
    };
    let probes = OFFSETS.map(probe);
    let mut operator = SemOperator::new(on, dt, &[source], &probes, setup.workers());
    operator.advance_alone(steps as u64);
    let samples = operator.take_samples();

    let times = UniformTimes { start: 0.0, interval: 0.005, count: (DURATION / 0.005) as usize };
    let inverse = Inverse::onto(steps, dt, times).unwrap();
    let grid: Vec<f64> = (0..times.count).map(|i| i as f64 * times.interval).collect();
    let mut worst = 0.0_f64;
    for (receiver, offset) in OFFSETS.into_iter().enumerate() {
        let exact = match mechanism {
            SourceMechanism::Force(force) => SOLID.of_force(force, &GAUSSIAN.pulse(), offset, &grid),
            SourceMechanism::Moment(moment) => SOLID.of_moment(moment, &GAUSSIAN.pulse(), offset, &grid),
        };
        let trace = |c: usize| -> Vec<f64> {
            let raw: Vec<f64> = samples.chunks_exact(9).map(|row| f64::from(row[3 * receiver + c])).collect();
            inverse.apply(&raw, Stagger::Half, Derive::Nothing).unwrap()
        };
        let traces = [0, 1, 2].map(trace);
        let [test, known] = [&traces, &exact].map(|all| all.iter().map(|x| &x[..]).collect::<Vec<_>>());
        worst = worst.max(relative_l2(&test, &known).unwrap());
    }
    worst
}

const FORCE: SourceMechanism = SourceMechanism::Force([1e10, -2e10, 3e10]);
const MOMENT: SourceMechanism = SourceMechanism::Moment([1e12, -3e12, 4e12, 2e12, 5e12, -2e12]);

fn cubes() -> Lattice {
    Lattice { counts: [16; 3], lengths: [EDGE; 3], geometry: Geometry::Linear8, ..Lattice::new([1; 3]) }
}

/// Elements of 100 m above z = -800 m, a depth between the source and two receivers, and of 200 m below.
fn doubled() -> HexMesh {
    struct Sizes;
    impl SizeField for Sizes {
        fn size(&self, stratum: usize, _: f64, _: f64) -> f64 {
            [100.0, 200.0][stratum]
        }
        fn fastest(&self, _: usize, _: f64, _: f64) -> f64 {
            SOLID.vp
        }
    }
    let tops = [Flat(0.0), Flat(-800.0)];
    let strata = tops.iter().map(|top| Stratum { top, region: 0 }).collect();
    let mut spec = BoxSpec::new([0.0, EDGE], [0.0, EDGE], -EDGE, strata, &Sizes);
    spec.horizontal = Horizontal::Elements([16, 16]);
    let mesh = mesh_box(&spec).unwrap();
    assert!(mesh.n_elements() < 3500, "the mesh is doubled");
    mesh
}

/// The misfit of a force at the largest stable step, computed once.
fn of_force() -> f64 {
    static MISFIT: OnceLock<f64> = OnceLock::new();
    *MISFIT.get_or_init(|| misfit(cubes().mesh(), 4, FORCE, 1.0))
}

#[test]
fn force_and_moment_equal_the_closed_form() {
    let force = of_force();
    assert!(force < 2e-3, "force: {force:e}");
    let moment = misfit(cubes().mesh(), 4, MOMENT, 1.0);
    assert!(moment < 1e-2, "moment: {moment:e}");
}

#[test]
fn accuracy_is_the_same_at_the_largest_stable_step() {
    let (large, small) = (of_force(), misfit(cubes().mesh(), 4, FORCE, 0.5));
    assert!((large / small - 1.0).abs() < 0.02, "{large:e} {small:e}");
}

#[test]
fn deformed_and_doubled_meshes_equal_the_closed_form() {
    let deformed = misfit(cubes().deformed(0.15, 3), 4, MOMENT, 1.0);
    assert!(deformed < 1.5e-2, "deformed: {deformed:e}");
    let doubled = misfit(shaken(doubled(), [4.0; 3], 5), 6, MOMENT, 1.0);
    assert!(doubled < 3e-3, "doubled: {doubled:e}");
}
