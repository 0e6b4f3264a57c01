//! Sources and receivers at interfaces: on the sea bottom, next to slopes, and at rigid sides.

use crate::common::*;
use craton_fd::{
    Boundaries, FdError, FdOperator, Field, Material, Medium, PointSource, Probe, ProbeQuantity, Side, SourceMechanism,
};

const H: f64 = 10.0;
const F0: f64 = 20.0;
/// An explosion, and shear.
const EXPLOSION: SourceMechanism = SourceMechanism::Moment([1e12, 1e12, 1e12, 0.0, 0.0, 0.0]);
const SHEAR: SourceMechanism = SourceMechanism::Moment([0.0, 0.0, 0.0, 0.0, 1e12, 0.0]);

/// A source history that ends in a static moment.
fn step_of_moment(steps: usize, dt: f64) -> Vec<f64> {
    (0..steps).map(|n| 0.5 + 0.5 * ((n as f64 * dt - 1.2 / F0) * 3.0 * F0).tanh()).collect()
}

/// The error for a source in a medium of this material.
fn refusal(
    mechanism: SourceMechanism,
    position: [f64; 3],
    boundaries: Boundaries,
    material: &dyn Fn([usize; 3]) -> Material,
) -> FdError {
    let medium = Medium::<f32>::new(cubes([16, 16, 16], H), material).unwrap();
    let source = PointSource { position, mechanism, history: vec![1.0; 4].into(), interface: None };
    at_courant(&medium, &options(2, boundaries), 0.9, &[source], &[]).map(|_| ()).expect_err("refused")
}

#[test]
fn a_position_on_the_sea_bottom_is_in_the_rock() {
    let bottom = 12.0 * H;
    let medium = Medium::<f64>::new(cubes([24, 24, 24], H), |[_, _, k]| if k < 12 { rock() } else { water() }).unwrap();
    let history: Vec<f64> = (0..80).map(|n| ricker(F0, f64::from(n) * 1e-3)).collect();
    let source = PointSource {
        position: [118.0, 121.0, 70.0],
        mechanism: SourceMechanism::Force([1e10, 0.0, 0.0]),
        history: history.into(),
        interface: None,
    };
    let heights = [-0.3, -1e-8, 0.0, 1e-8, 0.3].map(|cells| bottom + cells * H);
    let probes =
        heights.map(|z| Probe { position: [143.0, 121.0, z], quantity: ProbeQuantity::Velocity, interface: None });
    let options = options(2, Boundaries::all(layer(8, ROCK[0], F0)));
    let mut operator = at_courant(&medium, &options, 0.9, &[source], &probes).unwrap();
    advance(&mut operator, 80);
    let samples = operator.take_samples().unwrap();
    // Horizontal velocity, which is discontinuous there.
    let peak_of_difference =
        |a: usize, b: usize| samples.chunks(15).fold(0.0_f64, |peak, row| peak.max((row[3 * a] - row[3 * b]).abs()));
    let size = samples.chunks(15).fold(0.0_f64, |peak, row| peak.max(row[0].abs()));
    assert!(peak_of_difference(2, 1) < 1e-6 * size && peak_of_difference(2, 3) < 1e-6 * size);
    assert!(peak_of_difference(2, 0) < 0.3 * size, "rock is near");
    assert!(peak_of_difference(2, 4) > 0.5 * size, "water slips");
}

#[test]
fn shear_in_a_fluid_is_refused_and_an_explosion_is_not() {
    let free = Boundaries::all(Side::Free);
    let sea = |[_, _, k]: [usize; 3]| if k < 8 { rock() } else { water() };
    let position = [83.0, 84.0, 121.0];
    for mechanism in [SHEAR, SourceMechanism::Moment([1e12, 0.0, 0.0, 0.0, 0.0, 0.0])] {
        let refused = refusal(mechanism, position, free, &sea);
        assert_eq!(refused, FdError::Shear { position });
        assert!(refused.to_string().contains("move it at least one cell into rock"), "{refused}");
    }
    let medium = Medium::<f32>::new(cubes([16, 16, 16], H), sea).unwrap();
    for (mechanism, z) in [(EXPLOSION, 121.0), (SourceMechanism::Force([1e10, 0.0, 0.0]), 121.0), (SHEAR, 61.0)] {
        let source =
            PointSource { position: [83.0, 84.0, z], mechanism, history: vec![1.0; 4].into(), interface: None };
        at_courant(&medium, &options(2, free), 0.9, &[source], &[]).unwrap();
    }
}

#[test]
fn a_source_without_effect_is_refused() {
    let peak = |[i, j, k]: [usize; 3]| if k < 8 || k < 11 && [i, j] == [8, 8] { rock() } else { Material::AIR };
    let on_peak = [85.0, 85.0, 95.0];
    assert_eq!(refusal(SHEAR, on_peak, Boundaries::all(Side::Free), &peak), FdError::Held { position: on_peak });
    for side in [Side::Rigid, Side::Paraxial] {
        let on_side = [160.0, 84.0, 83.0];
        let refused = refusal(SourceMechanism::Force([1e10, 0.0, 0.0]), on_side, Boundaries::all(side), &|_| rock());
        assert_eq!(refused, FdError::Held { position: on_side });
        let medium = Medium::<f32>::new(cubes([16, 16, 16], H), |_| rock()).unwrap();
        let inside = PointSource {
            position: [157.0, 84.0, 83.0],
            mechanism: SHEAR,
            history: vec![1.0; 4].into(),
            interface: None,
        };
        at_courant(&medium, &options(2, Boundaries::all(side)), 0.9, &[inside], &[]).unwrap();
    }
}

/// Largest velocities in the water over a sloping bottom [m/s].
struct InWater {
    /// While the first waves pass.
    early: f32,
    /// After 900 steps, when only waves along the periodic axis remain.
    late: f32,
    /// After 1800.
    later: f32,
    /// The part of it that alternates from point to point along x.
    rough: f32,
    /// Mean over the steps between these two, without oscillations.
    mean: f32,
}

impl InWater {
    fn of(source: SourceMechanism, position: [f64; 3]) -> Self {
        let cells = [48, 12, 44];
        let is_water = |i: usize, k: usize| 4 * k > 80 + 2 * i;
        let medium =
            Medium::<f32>::new(cubes(cells, H), |[i, _, k]| if is_water(i, k) { water() } else { rock() }).unwrap();
        let mut boundaries = Boundaries::all(layer(8, ROCK[0], F0));
        boundaries.sides[2..4].fill(Side::Periodic);
        let options = options(2, boundaries);
        let dt = 0.9 * craton_fd::stable_step(&medium, &boundaries, &options.stencil).unwrap();
        let source =
            PointSource { position, mechanism: source, history: step_of_moment(900, dt).into(), interface: None };
        let mut operator = FdOperator::new(&medium, &options, dt, &[source], &[], workers(1)).unwrap();
        // Both components after ten more steps, and their points in the water with both neighbours along x.
        let mut after_ten = || {
            advance(&mut operator, 10);
            let of_component = |component| {
                let field = Field::Velocity(component);
                let ([nx, ny, _], values) = (operator.shape(field), operator.field(field).unwrap());
                let is_inside = |(i, k): (usize, usize)| i > 0 && i + 1 < nx && is_water(i + 1, k);
                let place = move |number: usize| (number % nx, number / (nx * ny));
                let counts: Vec<bool> = (0..values.len()).map(|number| is_inside(place(number))).collect();
                (values, counts)
            };
            [0, 2].map(of_component)
        };
        let peak = |fields: &[(Vec<f32>, Vec<bool>); 2]| {
            let inside = fields.iter().flat_map(|(values, counts)| values.iter().zip(counts));
            inside.filter(|(_, counts)| **counts).fold(0.0_f32, |peak, (value, _)| peak.max(value.abs()))
        };
        let early = (0..12).map(|_| peak(&after_ten())).fold(0.0, f32::max);
        let mut fields = after_ten();
        (0..77).for_each(|_| fields = after_ten());
        let late = peak(&fields);
        let mut sums = fields.clone();
        for _ in 0..90 {
            fields = after_ten();
            for ((sums, _), (values, _)) in sums.iter_mut().zip(&fields) {
                sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
            }
        }
        let rough = fields.clone().map(|(values, counts)| {
            let second = |n: usize| (values[n - 1] - 2.0 * values[n] + values[n + 1]).abs() / 4.0;
            ((0..counts.len()).map(|n| if counts[n] { second(n) } else { 0.0 }).collect(), counts)
        });
        Self { early, late, later: peak(&fields), rough: peak(&rough), mean: peak(&sums) / 91.0 }
    }
}

#[test]
fn shear_next_to_a_sloping_sea_bottom_does_not_drive_the_water_permanently() {
    // A third of a cell below a step of the staircase. Stress remaining in the water would accelerate it throughout the run.
    let InWater { early, late, later, mean, .. } = InWater::of(SHEAR, [243.0, 61.0, 306.0]);
    let found = format!("{early:e} {late:e} {later:e} {mean:e}");
    assert!(late < 0.05 * early && later < 1.2 * late && mean < 2e-3 * early, "{found}");
}

#[test]
fn the_sea_bottom_does_not_ring() {
    let mechanism = SourceMechanism::Moment([1e12, 2e12, -1e12, 0.0, 1e12, 0.0]);
    let InWater { early, late, later, rough, .. } = InWater::of(mechanism, [243.0, 61.0, 216.0]);
    // A ringing sea bottom would keep waves of two cells in length.
    assert!(late < 0.02 * early && later < 0.6 * late, "{early:e} {late:e} {later:e}");
    assert!(rough < 3e-3 * early, "{early:e} {rough:e}");
}

#[test]
fn a_force_next_to_a_flat_sea_bottom_changes_the_momentum_by_its_impulse() {
    let medium = Medium::<f64>::new(cubes([16, 16, 60], H), |[_, _, k]| if k < 30 { rock() } else { water() }).unwrap();
    for component in [0, 2] {
        for z in [297.0, 299.9, 303.0, 311.0, 325.0] {
            let mut force = [0.0; 3];
            force[component] = 1e10;
            let mechanism = SourceMechanism::Force(force);
            // On grid points along x and y, where the interpolation window adds no error.
            let x = if component == 0 { 80.0 } else { 85.0 };
            let source = PointSource { position: [x, 85.0, z], mechanism, history: vec![1.0].into(), interface: None };
            let options = options(4, Boundaries::all(Side::Free));
            let mut operator = at_courant(&medium, &options, 0.9, &[source], &[]).unwrap();
            advance(&mut operator, 1);
            let field = Field::Velocity(component);
            let [nx, ny, _] = operator.shape(field);
            let velocities = operator.field(field).unwrap();
            let momentum = |(number, velocity): (usize, &f64)| {
                let k = number / (nx * ny);
                let rho = |k: usize| if k < 30 { rock().rho } else { water().rho };
                let rho = if component == 2 && k > 0 { 0.5 * (rho(k - 1) + rho(k)) } else { rho(k) };
                velocity * rho * operator.volume(field, k) * H.powi(3)
            };
            let found: f64 = velocities.iter().enumerate().map(momentum).sum();
            let error = (found / (1e10 * operator.dt()) - 1.0).abs();
            assert!(error < 1e-9, "{component} {z}: {error}");
        }
    }
}
