//! Local time steps: the same motion as with small steps everywhere, conserved energy, and equality on parts.

use std::f64::consts::PI;
use std::sync::Arc;

use crate::common::busy::{Busy, FIELDS, STEPS, saved, whole_run};
use crate::common::{earth, relaxing, rock, squeezed, water};
use craton_comm::Solo;
use craton_device::{Isa, Workers};
use craton_mesh::{Geometry, HexMesh, Locator};
use craton_model::EarthModel;
use craton_sem::{
    Boundaries, Boundary, Discretisation, Levels, Order, OwnTiles, Parts, Patching, Plan, PointSource, Precision,
    Probe, Rheologies, SemOperator, Solver, SourceMechanism, Team,
};
use craton_sim::History;
use craton_testkit::devices::gpus;
use craton_testkit::meshes::Lattice;
use craton_testkit::random::Random;

/// A box with a thin layer of elements.
fn mesh() -> HexMesh {
    let lattice = Lattice { geometry: Geometry::Linear8, ..Lattice::new([5, 5, 9]) };
    squeezed(lattice.mesh(), 2, [-400.0, -300.0], 0.12)
}

struct Case {
    mesh: HexMesh,
    model: EarthModel,
    sides: [Boundary; 6],
    degree: usize,
}

impl Case {
    fn new(model: EarthModel, side: Boundary) -> Self {
        Self { mesh: mesh(), model, sides: [side, side, side, side, side, Boundary::Free], degree: 4 }
    }

    /// The thin layer in rock, two layers of elements below water.
    fn below_water() -> Self {
        let mut mesh = mesh();
        mesh.region = mesh.centroids().into_iter().map(|centre| u16::from(centre[2] > -188.0)).collect();
        Self { mesh, ..Self::new(earth([rock().into(), water().into()]), Boundary::Free) }
    }

    fn discretise<T: Precision>(&self, with_levels: bool) -> Discretisation<T> {
        let workers = Workers::new(Some(2)).unwrap();
        let rheologies = Rheologies::new(&self.model, self.degree, true);
        let of_model = || {
            let tiles = OwnTiles::all();
            Levels::of_model::<T>(&self.mesh, self.degree, &self.model, &rheologies, Isa::detect(), tiles, &workers)
        };
        let levels = with_levels.then(|| of_model().unwrap());
        let rheologies = rheologies.with_levels(levels.flatten());
        let boundaries = Boundaries { sides: self.sides };
        let plan =
            Arc::new(Plan::new(self.mesh.clone(), self.degree, boundaries, Patching::Threads, &rheologies).unwrap());
        assert_eq!(plan.finest_level() > 0, with_levels);
        let team = Team::new(Parts::one(&plan), Arc::new(Solo));
        Discretisation::of_parts(&plan, &team, &self.model, Isa::detect(), &workers).unwrap().pop().unwrap()
    }

    /// Velocity at points on both sides of the thin layer and in it, `[sample][component]`, after `count` steps of `dt`.
    fn record(&self, with_levels: bool, dt: f64, count: usize) -> Vec<f64> {
        let on = self.discretise::<f64>(with_levels);
        assert!(dt <= on.stable().dt, "{} for {}", dt, on.stable().dt);
        let locator = Locator::new(on.mesh());
        let order = on.plan().order();
        // The source of a scheme of fourth order includes its curvature.
        let source = |step: i64| 1e9 * ricker(step as f64 * dt, 20.0);
        let value = |step: i64| match order {
            Order::Second => source(step),
            Order::Fourth => (source(step - 1) + 10.0 * source(step) + source(step + 1)) / 12.0,
        };
        let values = (0..count as i64).map(value).collect();
        let at = locator.locate([220.0, 260.0, -230.0]).unwrap();
        let mechanism = SourceMechanism::Moment([1e2, 3e2, -2e2, 5e2, 0.0, 1e2]);
        let source = PointSource { element: at.element, xi: at.xi, mechanism, history: History::new(0, values) };
        let probe = |position: [f64; 3]| {
            let at = locator.locate(position).unwrap();
            Probe { element: at.element, xi: at.xi, gradient: false }
        };
        let points = [[130.0, 330.0, -392.0], [310.0, 120.0, -700.0], [200.0, 400.0, -190.0], [0.0, 10.0, -395.0]];
        let probes = points.map(probe);
        let workers = Arc::new(Workers::new(Some(2)).unwrap());
        let mut operator = SemOperator::new(on, dt, &[source], &probes, workers);
        let mut all = Vec::new();
        for _ in 0..count {
            operator.advance_alone(1);
            all.extend(operator.take_samples());
        }
        all
    }
}

fn ricker(time: f64, frequency: f64) -> f64 {
    let argument = (PI * frequency * (time - 1.2 / frequency)).powi(2);
    (1.0 - 2.0 * argument) * (-argument).exp()
}

/// Relative L2 difference of displacements over steps, where `fine` has `ratio` times as many.
fn difference(coarse: &[f64], fine: &[f64], ratio: usize) -> f64 {
    let channels = 12;
    let (mut off, mut all) = (0.0, 0.0);
    for (step, row) in coarse.chunks(channels).enumerate() {
        for (channel, value) in row.iter().enumerate() {
            let within = (0..ratio).map(|short| fine[(ratio * step + short) * channels + channel]);
            let exact = within.sum::<f64>() / ratio as f64;
            off += (value - exact).powi(2);
            all += exact * exact;
        }
    }
    (off / all).sqrt()
}

/// Errors with levels at the largest step and half of it, against steps that are 64 times smaller everywhere: coarser ones are not exact enough to show the order.
fn errors(case: &Case) -> [f64; 2] {
    const RATIO: usize = 64;
    let dt = 0.95 * case.discretise::<f64>(true).stable().dt;
    let count = (0.13 / dt) as usize;
    let fine = case.record(false, dt / RATIO as f64, RATIO * count);
    [1, 2].map(|halving| {
        let own = case.record(true, dt / halving as f64, halving * count);
        difference(&own, &fine, RATIO / halving)
    })
}

#[test]
fn levels_converge_with_fourth_order() {
    let found = errors(&Case::new(EarthModel::homogeneous(rock()), Boundary::Free));
    assert!(found[0] < 5e-3 && found[0] / found[1] > 9.0, "{found:?}");
}

#[test]
fn absorbing_sides_and_attenuation_converge_with_second_order() {
    let relaxing = relaxing(earth([rock().into()]), [40.0]);
    let absorbing = Case::new(EarthModel::homogeneous(rock()), Boundary::Absorbing);
    for case in [absorbing, Case::new(relaxing, Boundary::Free)] {
        let found = errors(&case);
        assert!(found[0] < 0.02 && found[0] / found[1] > 3.2, "{found:?}");
    }
}

#[test]
fn levels_below_water_converge_with_second_order() {
    let found = errors(&Case::below_water());
    assert!(found[0] < 0.05 && (3.5..5.0).contains(&(found[0] / found[1])), "{found:?}");
}

#[test]
fn levels_next_to_water_have_second_order() {
    let busy = Busy { water: true, elements: [12, 4, 4], ..thin() };
    let plan = busy.on_cpu::<f32>(1).parts()[0].plan().clone();
    assert_eq!(plan.order(), Order::Second);
    assert!(plan.finest_level() > 0);
}

/// Gives random velocities to all nodes and returns the kinetic energy, without factors, after these numbers of steps.
fn energies(on: Discretisation<f32>, dt: f64, steps: [u64; 3]) -> [f64; 3] {
    let workers = Arc::new(Workers::new(Some(2)).unwrap());
    let mut operator = SemOperator::new(on, dt, &[], &[], workers);
    let mut random = Random::new(3);
    for values in operator.state_mut().into_iter().skip(1).step_by(2) {
        values.chunks_exact_mut(4).for_each(|node| (0..3).for_each(|c| node[c] = random.symmetric() as f32));
    }
    let mut before = 0;
    steps.map(|steps| {
        operator.advance_alone(steps - before);
        before = steps;
        let rates = operator.state().into_iter().skip(1).step_by(2).flatten();
        rates.map(|&v| f64::from(v) * f64::from(v)).sum::<f64>()
    })
}

#[test]
fn energy_is_bounded_at_the_stable_step() {
    // Random speeds and thicknesses put levels next to each other in many ways.
    for seed in 0..4 {
        let mut random = Random::new(seed);
        let lattice = Lattice { geometry: Geometry::Linear8, ..Lattice::new([9, 4, 8]) };
        let mut mesh = lattice.deformed(0.1, seed);
        for axis in [0, 2] {
            let from = 100.0 * (3.0 + 3.0 * random.unit()).floor() - if axis == 2 { 800.0 } else { 0.0 };
            mesh = squeezed(mesh, axis, [from, from + 100.0], 0.08 + 0.1 * random.unit());
        }
        let case = Case { mesh, model: EarthModel::homogeneous(rock()), sides: [Boundary::Free; 6], degree: 4 };
        let on = case.discretise::<f32>(true);
        let dt = on.stable().dt;
        let [early, middle, late] = energies(on, dt, [50, 1000, 3000]);
        assert!(middle < 2.0 * early && late < 2.0 * early, "seed {seed}: {early} {middle} {late}");
    }
}

#[test]
fn energy_is_bounded_below_water() {
    let on = Case::below_water().discretise::<f32>(true);
    assert_eq!(on.plan().order(), Order::Second);
    let dt = on.stable().dt;
    let [early, middle, late] = energies(on, dt, [300, 1500, 6000]);
    assert!(middle < 2.0 * early && late < 2.0 * early, "{early} {middle} {late}");
}

#[test]
fn energy_is_bounded_over_100_000_steps() {
    let lattice = Lattice { geometry: Geometry::Linear8, ..Lattice::new([2, 2, 5]) };
    let mesh = squeezed(lattice.mesh(), 2, [-200.0, -100.0], 0.15);
    let model = EarthModel::homogeneous(rock());
    let case = Case { mesh, model, sides: [Boundary::Free; 6], degree: 2 };
    let on = case.discretise::<f32>(true);
    assert!(on.plan().finest_level() >= 3);
    let dt = on.stable().dt;
    let [early, middle, late] = energies(on, dt, [100, 50_000, 100_000]);
    assert!(middle < 2.0 * early && late < 2.0 * early, "{early} {middle} {late}");
}

/// A box with a thin column of elements, of many patches.
fn thin() -> Busy {
    Busy { patching: Patching::Blocks, degree: 4, elements: [7, 5, 5], thin: Some(100.0), ..Busy::default() }
}

#[test]
fn results_are_bit_identical_for_any_number_of_parts() {
    for busy in [thin(), Busy { quality: Some(60.0), ..thin() }, Busy { water: true, elements: [12, 4, 4], ..thin() }] {
        let one = whole_run(&mut busy.on_cpu::<f32>(1), STEPS as u64 / 3);
        assert!(one.iter().any(|&bits| bits != 0));
        for parts in 2..=4 {
            assert!(whole_run(&mut busy.on_cpu::<f32>(parts), STEPS as u64 / 3) == one, "{parts} parts");
        }
    }
}

#[test]
fn devices_agree_with_the_cpu() {
    let Some(one) = gpus(1) else { return };
    let steps = 24;
    // Of the fluid, only nodes without substeps touch the solid.
    let thin_water = Busy { water: true, elements: [15, 4, 4], thin: Some(700.0), ..thin() };
    for busy in [thin(), Busy { degree: 2, ..thin() }, Busy { quality: Some(60.0), ..thin() }, thin_water] {
        let expected = busy.on_cpu::<f32>(1).after(steps);
        let found = busy.on_gpus::<f32>(Arc::new(Solo), &one).after(steps);
        let largest = expected.iter().fold(0.0, |most: f32, value| most.max(value.abs()));
        let off = expected.iter().zip(&found).fold(0.0, |most: f32, (a, b)| most.max((a - b).abs()));
        assert!(off < 2e-5 * largest, "{off} of {largest}");
        let two = gpus(2).expect("devices are available");
        let bits = whole_run(&mut busy.on_gpus::<f32>(Arc::new(Solo), &one), steps);
        assert!(whole_run(&mut busy.on_gpus::<f32>(Arc::new(Solo), &two), steps) == bits, "two devices");
    }
}

/// The displacement after some steps.
trait After {
    fn after(self, steps: u64) -> Vec<f32>;
}

impl<S: Solver<f32>> After for S {
    fn after(mut self, steps: u64) -> Vec<f32> {
        self.advance(steps).unwrap();
        saved(&mut self, FIELDS[0]).into_flattened()
    }
}
