//! Plane waves: phase speeds in anisotropic solids, and reflection at boundaries.

use crate::common::{Nodes, Setup, StandingWave, dot, rock, tilted};
use craton_model::{EarthModel, Elasticity};
use craton_sem::{Boundary, Field, Part, SemOperator};
use craton_testkit::meshes::Lattice;
use craton_testkit::oracle::{NodeField, Oracle};

/// Edges of the periodic box [m], which are unequal so that its plane waves have different directions.
const EDGES: [f64; 3] = [300.0, 360.0, 420.0];

/// Angular frequency [1/s] of the only plane wave in the box, measured from its amplitude over time.
fn measured_omega(operator: &mut SemOperator<f64>, oracle: &Oracle, nodes: &Nodes, wave: &StandingWave) -> f64 {
    let shape: NodeField = oracle.positions().iter().map(|&x| wave.displacement(x, 0, 1e-9)).collect();
    let mut amplitude = || {
        operator.advance_alone(1);
        oracle.mass_product(&nodes.read(operator, Field::Displacement), &shape)
    };
    let amplitudes: Vec<f64> = (0..80).map(|_| amplitude()).collect();
    // A least-squares fit of a(n+1) + a(n-1) = 2 cos(ω' dt) a(n), then ω = (2/dt) sin(ω' dt/2).
    let triples = || amplitudes.windows(3).map(|a| (a[1], a[0] + a[2]));
    let cos = 0.5 * triples().map(|(a, sum)| a * sum).sum::<f64>() / triples().map(|(a, _)| a * a).sum::<f64>();
    (2.0 * (1.0 - cos)).sqrt() / operator.dt()
}

#[test]
fn phase_speeds_in_a_tilted_ti_solid_equal_the_christoffel_speeds() {
    let Elasticity::Anisotropic(stiffness) = *tilted().elasticity() else { unreachable!() };
    let lattice = Lattice { lengths: EDGES, periodic: [true; 3], ..Lattice::new([3, 3, 3]) };
    let setup = Setup::new(lattice.deformed(0.1, 2), EarthModel::homogeneous(tilted()), 5);
    for turns in [[1, 0, 0], [1, -1, 0], [1, 1, 1]] {
        let direction = StandingWave::in_box(EDGES, turns, [0.0; 3], 1.0).k;
        for (kind, exact) in ["qP", "qS1", "qS2"].into_iter().zip(stiffness.christoffel(tilted().rho(), direction)) {
            let wave = StandingWave::in_box(EDGES, turns, exact.polarisation, exact.speed);
            let mut operator = setup.operator::<f64>(0.9);
            let oracle = setup.oracle(&operator);
            let nodes = Nodes::new(&operator, &oracle);
            wave.start(&mut operator, &oracle, &nodes);
            let speed = measured_omega(&mut operator, &oracle, &nodes, &wave) / dot(wave.k, wave.k).sqrt();
            assert!((speed / exact.speed - 1.0).abs() < 1e-3, "{kind} along {turns:?}: {speed}, exact {}", exact.speed);
        }
    }
}

/// Initial height and half width of the pulse [m].
const PULSE: (f64, f64) = (-1000.0, 120.0);

/// A column 2000 m high with periodic sides, in which a plane pulse propagates upwards.
struct Column {
    operator: SemOperator<f64>,
    oracle: Oracle,
    nodes: Nodes,
    polarisation: [f64; 3],
    speed: f64,
}

impl Column {
    fn new(kind: char, top: Boundary) -> Self {
        let lattice = Lattice { periodic: [true, true, false], ..Lattice::new([3, 3, 20]) };
        let mut setup = Setup::new(lattice.deformed(0.1, 4), EarthModel::homogeneous(rock()), 4);
        setup.sides[4..].fill(top);
        let Elasticity::Isotropic { vp, vs } = *rock().elasticity() else { unreachable!() };
        let (polarisation, speed) = if kind == 'P' { ([0.0, 0.0, 1.0], vp) } else { ([0.6, 0.8, 0.0], vs) };
        let operator = setup.operator::<f64>(0.7);
        let oracle = setup.oracle(&operator);
        let nodes = Nodes::new(&operator, &oracle);
        let mut column = Self { operator, oracle, nodes, polarisation, speed };
        let u = column.pulse(0.0);
        // The velocity is half a step earlier.
        let [before, after] = [-1.0, 0.0].map(|steps| column.pulse(steps * column.operator.dt()));
        let v: NodeField =
            after.iter().zip(&before).map(|(a, b)| [0, 1, 2].map(|c| (a[c] - b[c]) / column.operator.dt())).collect();
        column.nodes.write(&mut column.operator, Field::Displacement, &u);
        column.nodes.write(&mut column.operator, Field::Velocity, &v);
        column
    }

    /// Displacement of the pulse in an infinite column at time `t` [s].
    fn pulse(&self, t: f64) -> NodeField {
        let shape = |x: &[f64; 3]| {
            let s = (x[2] - PULSE.0 - self.speed * t) / PULSE.1;
            self.polarisation.map(|p| p * (-s * s).exp())
        };
        self.oracle.positions().iter().map(shape).collect()
    }

    /// Advances until the pulse has travelled a distance [m].
    fn run(&mut self, distance: f64) {
        let steps = (distance / self.speed / self.operator.dt()).round() as u64;
        self.operator.advance_alone(steps - Part::step(&self.operator));
    }

    fn energy(&self) -> f64 {
        let [u, v] = [Field::Displacement, Field::Velocity].map(|field| self.nodes.read(&self.operator, field));
        self.oracle.leapfrog_energy(&u, &v, self.operator.dt())
    }

    /// Displacement along the polarisation with the largest absolute value.
    fn extreme(&self) -> f64 {
        let u = self.nodes.read(&self.operator, Field::Displacement);
        u.iter().map(|u| dot(*u, self.polarisation)).fold(0.0, |m: f64, x| if x.abs() > m.abs() { x } else { m })
    }
}

#[test]
fn an_absorbing_side_absorbs_plane_waves_at_normal_incidence() {
    for kind in ['P', 'S'] {
        let mut column = Column::new(kind, Boundary::Absorbing);
        let before = column.energy();
        column.run(1600.0);
        let left = column.energy() / before;
        // 1e-5 of the energy is 0.3 % of the amplitude.
        assert!(left < 1e-5, "{kind}: {left:e} of the energy is reflected");
    }
}

#[test]
fn a_free_surface_doubles_the_displacement_and_reflects_with_the_same_sign() {
    for kind in ['P', 'S'] {
        let mut column = Column::new(kind, Boundary::Free);
        column.run(1000.0);
        let doubled = column.extreme();
        column.run(2000.0);
        let reflected = column.extreme();
        assert!((doubled - 2.0).abs() < 2e-3, "{kind}: {doubled}");
        assert!((reflected - 1.0).abs() < 2e-3, "{kind}: {reflected}");
    }
}

#[test]
fn a_rigid_side_reflects_with_opposite_sign() {
    for kind in ['P', 'S'] {
        let mut column = Column::new(kind, Boundary::Rigid);
        column.run(1000.0);
        let cancelled = column.extreme();
        column.run(2000.0);
        let reflected = column.extreme();
        assert!(cancelled.abs() < 0.02, "{kind}: {cancelled}");
        assert!((reflected + 1.0).abs() < 2e-3, "{kind}: {reflected}");
    }
}
