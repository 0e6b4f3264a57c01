//! Solids and fluids: conservation of energy, reciprocity, and independence of parts and devices.

use std::sync::Arc;

use crate::common::busy::{Busy, STEPS, bit_samples, restore_state, whole_run, whole_state};
use crate::common::{Setup, earth, in_columns, rock, tilted, water};
use craton_comm::Solo;
use craton_mesh::{ElementMap, Geometry, HexMesh, Locator};
use craton_sem::{
    Boundary, Channels, Discretisation, Field, Part, PartSet, Parts, Patching, Phase, Plan, PointSource, Precision,
    Probe, Rheologies, SemOperator, SourceMechanism, Team,
};
use craton_sim::{Operator, Solver};
use craton_testkit::devices::gpu;
use craton_testkit::meshes::{Lattice, doubled_box};
use craton_testkit::random::Random;

/// Columns of rock, water and an anisotropic solid, deformed.
fn columns(geometry: Geometry, degree: usize, sides: Boundary) -> Setup {
    let mesh = in_columns(Lattice { geometry, ..Lattice::new([4, 3, 3]) }.deformed(0.1, 5), 3);
    let model = earth([rock().into(), water().into(), tilted().into()]);
    Setup { sides: [sides; 6], ..Setup::new(mesh, model, degree) }
}

/// Fields of both phases at all nodes, by number.
#[derive(Clone)]
struct Fields {
    u: Vec<f64>,
    chi: Vec<f64>,
}

impl Fields {
    fn of(operator: &mut SemOperator<f64>, mut value: impl FnMut() -> f64) -> Self {
        let mut all = |phase: Phase| (0..phase.components() * operator.numbers(phase)).map(|_| value()).collect();
        Self { u: all(Phase::Solid), chi: all(Phase::Fluid) }
    }

    fn at_rest(operator: &mut SemOperator<f64>) -> Self {
        Self::of(operator, || 0.0)
    }

    /// Reads the unknowns, or their rates.
    fn read(operator: &SemOperator<f64>, fields: [Field; 2]) -> Self {
        let [u, chi] = fields.map(|field| {
            let phase = field.phase();
            let mut values = vec![0.0; phase.components() * operator.numbers(phase)];
            for element in 0..operator.mesh().n_elements() as u32 {
                if operator.plan().phase_of(element) != phase {
                    continue;
                }
                for place in operator.plan().places(element) {
                    let at = phase.components() * operator.number_of(phase, place);
                    let mut next = values[at..].iter_mut();
                    let reader = operator.reader(field).unwrap();
                    reader(place, &mut |value| *next.next().unwrap() = value);
                }
            }
            values
        });
        Self { u, chi }
    }

    fn write(&self, operator: &mut SemOperator<f64>, fields: [Field; 2]) {
        operator.replace(fields[0], &self.u).unwrap();
        operator.replace(fields[1], &self.chi).unwrap();
    }

    fn dot(&self, other: &Self) -> f64 {
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        product(&self.u, &other.u) + product(&self.chi, &other.chi)
    }
}

const UNKNOWNS: [Field; 2] = [Field::Displacement, Field::Potential];
const RATES: [Field; 2] = [Field::Velocity, Field::PotentialRate];

/// An operator without sources as linear maps.
struct Maps {
    operator: SemOperator<f64>,
    /// Masses at the numbers of the nodes.
    solid: Vec<f64>,
    fluid: Vec<f64>,
}

impl Maps {
    fn new(setup: &Setup) -> Self {
        let operator = setup.operator::<f64>(0.9);
        let [solid, fluid] = Phase::ALL.map(|phase| masses(&operator, setup, phase));
        Self { operator, solid, fluid }
    }

    /// Second time derivatives of the unknowns at rest.
    fn accelerations(&mut self, at: &Fields) -> Fields {
        at.write(&mut self.operator, UNKNOWNS);
        Fields::at_rest(&mut self.operator).write(&mut self.operator, RATES);
        self.operator.advance_alone(1);
        let mut rates = Fields::read(&self.operator, RATES);
        let dt = self.operator.dt();
        rates.u.iter_mut().chain(&mut rates.chi).for_each(|rate| *rate /= dt);
        rates
    }

    /// Kinetic inertia times a vector: the mass of the solid, and the stiffness of the fluid.
    fn inertia(&mut self, of: &Fields) -> Fields {
        let chi_alone = Fields { u: vec![0.0; of.u.len()], chi: of.chi.clone() };
        let without_solid = self.accelerations(&chi_alone);
        Fields {
            u: of.u.iter().enumerate().map(|(at, u)| self.solid[at / 3] * u).collect(),
            chi: without_solid.chi.iter().zip(&self.fluid).map(|(chi, mass)| -mass * chi).collect(),
        }
    }
}

/// Lumped masses of the nodes of a phase.
fn masses(operator: &SemOperator<f64>, setup: &Setup, phase: Phase) -> Vec<f64> {
    let (mesh, gll) = (operator.mesh(), operator.gll());
    let n = gll.points.len();
    let mut masses = vec![0.0; operator.numbers(phase)];
    let mut map = ElementMap::new(mesh.geometry, &gll.points);
    for element in 0..mesh.n_elements() as u32 {
        if operator.plan().phase_of(element) != phase {
            continue;
        }
        let (mut jacobians, mut positions, mut buffer) = (Vec::new(), Vec::new(), [[0.0; 3]; 27]);
        map.jacobians(mesh.points_of(element, &mut buffer), &mut jacobians);
        map.positions(mesh.points_of(element, &mut buffer), &mut positions);
        for (point, place) in operator.plan().places(element).enumerate() {
            let medium = setup.model.medium(usize::from(mesh.region[element as usize]), positions[point]);
            let density = match phase {
                Phase::Solid => medium.rho(),
                Phase::Fluid => 1.0 / (medium.rho() * medium.fastest().powi(2)),
            };
            let [a, b, c] = jacobians[point];
            let cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
            let volume = (0..3).map(|i| a[i] * cross[i]).sum::<f64>();
            let weight: f64 = [point % n, point / n % n, point / (n * n)].map(|i| gll.weights[i]).iter().product();
            masses[operator.number_of(phase, place)] += density * weight * volume;
        }
    }
    masses
}

#[test]
fn leapfrog_energy_is_conserved_in_closed_boxes_of_solids_and_fluids() {
    for (geometry, degree, sides) in [
        (Geometry::Linear8, 4, Boundary::Free),
        (Geometry::Quadratic27, 3, Boundary::Free),
        (Geometry::Linear8, 2, Boundary::Rigid),
    ] {
        let setup = columns(geometry, degree, sides);
        let (mut maps, mut operator) = (Maps::new(&setup), setup.operator::<f64>(0.95));
        let mut random = Random::new(3);
        // Magnitudes with comparable energies in both phases; fixed nodes have no acceleration.
        let mut start = Fields::of(&mut operator, || random.vector()[0]);
        let moving = maps.accelerations(&start);
        start.chi.iter_mut().zip(&moving.chi).for_each(|(chi, moves)| *chi *= if *moves == 0.0 { 0.0 } else { 1e6 });
        start.u.iter_mut().zip(&moving.u).for_each(|(u, moves)| *u *= if *moves == 0.0 { 0.0 } else { 1.0 });
        start.write(&mut operator, UNKNOWNS);
        let mut energies = Vec::new();
        for _ in 0..12 {
            operator.advance_alone(40);
            let before = Fields::read(&operator, UNKNOWNS);
            operator.advance_alone(1);
            let (after, rates) = (Fields::read(&operator, UNKNOWNS), Fields::read(&operator, RATES));
            let kinetic = 0.5 * rates.dot(&maps.inertia(&rates));
            let accelerations = maps.accelerations(&after);
            energies.push([kinetic, -0.5 * before.dot(&maps.inertia(&accelerations))]);
        }
        let total = |[kinetic, potential]: &[f64; 2]| kinetic + potential;
        let change =
            energies.iter().map(|energy| (total(energy) / total(&energies[0]) - 1.0).abs()).fold(0.0, f64::max);
        assert!(change < 1e-11, "degree {degree}, {sides:?}: {change:e} of {energies:?}");
        assert!(energies.iter().all(|[kinetic, potential]| *kinetic > 0.0 && *potential > 0.0));
    }
}

/// A point at a part of the box in an element of a phase.
fn place(mesh: &HexMesh, operator: &SemOperator<f64>, part: [f64; 3], phase: Phase) -> (u32, [f64; 3]) {
    let [low, high] = mesh.bounding_box();
    let position = [0, 1, 2].map(|c| low[c] + part[c] * (high[c] - low[c]));
    let place = Locator::new(mesh).locate(position).unwrap();
    assert_eq!(operator.plan().phase_of(place.element), phase);
    (place.element, place.xi)
}

#[test]
fn a_force_in_the_solid_and_an_explosion_in_the_fluid_are_reciprocal() {
    const STEPS: usize = 400;
    let setup = Setup { sides: [Boundary::Absorbing; 6], ..columns(Geometry::Quadratic27, 4, Boundary::Free) };
    let history: Vec<f64> = (0..STEPS).map(|step| (-((step as f64 - 60.0) / 20.0).powi(2)).exp()).collect();
    let probe = |(element, xi), gradient| Probe { element, xi, gradient };
    let empty = setup.operator::<f64>(0.9);
    let solid = place(empty.mesh(), &empty, [0.15, 0.4, 0.6], Phase::Solid);
    let fluid = place(empty.mesh(), &empty, [0.48, 0.55, 0.3], Phase::Fluid);
    let run = |(element, xi), mechanism, probe| {
        let on = setup.discretise::<f64>();
        let source = PointSource { element, xi, mechanism, history: history.clone().into() };
        let mut operator = SemOperator::new(on, empty.dt(), &[source], &[probe], setup.workers());
        operator.advance_alone(STEPS as u64);
        (operator.take_samples(), operator.dt())
    };
    let kappa = 1020.0 * 1500.0_f64.powi(2);
    let direction = [1.0, -2.0, 0.5];
    let (potential, dt) = run(solid, SourceMechanism::Force(direction), probe(fluid, true));
    // A volume of one: -M / kappa.
    let (velocity, _) =
        run(fluid, SourceMechanism::Moment([-kappa, -kappa, -kappa, 0.0, 0.0, 0.0]), probe(solid, false));
    let rates: Vec<f64> = potential.chunks_exact(9).map(|row| 3.0 * kappa * row[0]).collect();
    let along: Vec<f64> = velocity.chunks_exact(3).map(|v| (0..3).map(|c| direction[c] * v[c]).sum::<f64>()).collect();
    // The pressure is minus the second derivative of the potential; velocity is the rate of displacement.
    let largest = along.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
    for step in 1..STEPS - 1 {
        let pressure_rate = -(rates[step + 1] - 2.0 * rates[step] + rates[step - 1]) / (dt * dt);
        assert!((pressure_rate - along[step]).abs() < 1e-9 * largest, "{step}: {pressure_rate:e} {:e}", along[step]);
    }
    assert!(largest > 0.0);
}

#[test]
fn motion_stays_bounded_at_the_largest_stable_step() {
    for setup in [columns(Geometry::Linear8, 4, Boundary::Free), columns(Geometry::Quadratic27, 7, Boundary::Free)] {
        let mut operator = setup.operator::<f64>(1.0);
        let mut random = Random::new(3);
        let start = Fields::of(&mut operator, || random.vector()[0]);
        start.write(&mut operator, UNKNOWNS);
        operator.advance_alone(4000);
        let now = Fields::read(&operator, UNKNOWNS);
        let largest = |values: &[f64]| values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        assert!(largest(&now.u) < 50.0 * largest(&start.u), "{:e}", largest(&now.u));
        assert!(now.chi.iter().all(|chi| chi.is_finite()));
    }
}

#[test]
fn wet_nodes_are_on_faces_between_phases_in_meshes_with_doublings() {
    let mut mesh = doubled_box(Geometry::Linear8);
    let centroids = mesh.centroids();
    let [low, high] = mesh.bounding_box();
    mesh.region = centroids.iter().map(|x| u16::from(x[2] < 0.5 * (low[2] + high[2]))).collect();
    // Rigid, so that no node of the fluid is fixed.
    let sides = [Boundary::Rigid; 6];
    let setup = Setup { sides, ..Setup::new(mesh, earth([water().into(), rock().into()]), 3) };
    let mut operator = setup.operator::<f64>(0.9);
    assert_eq!(operator.plan().phases().count(), 2);
    // Uniform vertical motion of the solid changes the volume of the fluid, and of nothing else.
    let mut start = Fields::at_rest(&mut operator);
    start.u.chunks_exact_mut(3).for_each(|u| u[2] = 1.0);
    let mut maps = Maps::new(&setup);
    let moved = maps.accelerations(&start);
    let volume: f64 = moved.chi.iter().zip(&maps.fluid).map(|(chi, mass)| chi * mass).sum();
    let area = (high[0] - low[0]) * (high[1] - low[1]);
    // The normal out of the fluid points down.
    assert!((volume / area + 1.0).abs() < 1e-12, "{volume} {area}");
}

fn watery(degree: usize, patching: Patching) -> Busy {
    Busy { water: true, degree, patching, elements: [6, 5, 4], ..Busy::default() }
}

#[test]
fn results_are_bit_identical_for_any_number_of_parts_and_threads() {
    for (patching, closed) in [(Patching::Blocks, false), (Patching::Threads, false), (Patching::Blocks, true)] {
        let watery = Busy { closed, ..watery(3, patching) };
        let one = whole_run(&mut watery.on_cpu::<f32>(1), STEPS as u64);
        for (parts, threads) in [(1, 3), (2, 2), (3, 1)] {
            let busy = Busy { threads, ..watery.clone() };
            let patches = if patching == Patching::Threads { 1 } else { parts };
            assert!(whole_run(&mut busy.on_cpu::<f32>(patches.max(1)), STEPS as u64) == one, "{parts} parts");
        }
    }
}

#[test]
fn a_restored_run_is_bit_identical() {
    let watery = Busy { closed: true, ..watery(3, Patching::Blocks) };
    let mut whole = watery.on_cpu::<f32>(1);
    whole.advance(50).unwrap();
    let (saved, names) = (whole_state(&mut whole), whole.state());
    assert_eq!(names.len(), 4);
    whole.take_samples().unwrap();
    whole.advance(20).unwrap();
    let mut restored = watery.on_cpu::<f32>(2);
    restore_state(&mut restored, &saved, 50);
    restored.advance(20).unwrap();
    assert!(bit_samples(&mut whole) == bit_samples(&mut restored));
    assert!(whole_state(&mut whole) == whole_state(&mut restored));
}

/// Compares devices with the CPU, and several devices with one.
fn on_devices<T: Precision>(busy: &Busy, limit: f64) {
    let Some(gpu) = gpu() else { return };
    // Potentials of closed fluids are lowered after 32 steps.
    let steps = if !gpu.is_emulated() {
        STEPS as u64
    } else if busy.closed {
        36
    } else {
        8
    };
    let values = |bits: Vec<u64>| bits.into_iter().map(f64::from_bits).collect::<Vec<f64>>();
    let cpu = values(whole_run(&mut busy.on_cpu::<T>(1), steps));
    let one = whole_run(&mut busy.on_gpus::<T>(Arc::new(Solo), std::slice::from_ref(&gpu)), steps);
    let gpus = vec![gpu.clone(); 3];
    assert!(whole_run(&mut busy.on_gpus::<T>(Arc::new(Solo), &gpus), steps) == one);
    let one = values(one);
    assert_eq!(one.len(), cpu.len());
    let size = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>().sqrt();
    // Samples, and each array of the state, have magnitudes of their own.
    let mut from = 0;
    let mut lengths: Vec<usize> =
        busy.on_cpu::<T>(1).state().iter().map(|array| array.shape.iter().product()).collect();
    lengths.insert(0, cpu.len() - lengths.iter().sum::<usize>());
    for length in lengths {
        let range = from..from + length;
        let difference = size(&mut cpu[range.clone()].iter().zip(&one[range.clone()]).map(|(a, b)| a - b));
        let whole = size(&mut cpu[range].iter().copied());
        assert!(difference < limit * whole && whole > 0.0, "{difference:e} of {whole:e}");
        from += length;
    }
}

#[test]
fn devices_equal_the_cpu_and_each_other() {
    on_devices::<f32>(&watery(4, Patching::Blocks), 2e-5);
    on_devices::<f64>(&watery(3, Patching::Blocks), 1e-11);
    on_devices::<f32>(&Busy { closed: true, ..watery(3, Patching::Blocks) }, 2e-5);
}

#[test]
fn a_permanent_pressure_in_a_closed_fluid_keeps_its_digits() {
    const STEPS: usize = 3000;
    fn pressures<T: Precision>() -> Vec<f64> {
        // Water inside rock, in a rigid box.
        let mut mesh = Lattice::new([5, 5, 5]).mesh();
        let [low, high] = mesh.bounding_box();
        let is_inside = |centre: &[f64; 3]| (0..3).all(|c| (centre[c] - 0.5 * (low[c] + high[c])).abs() < 160.0);
        mesh.region = mesh.centroids().iter().map(|centre| u16::from(is_inside(centre))).collect();
        let setup =
            Setup { sides: [Boundary::Rigid; 6], ..Setup::new(mesh, earth([rock().into(), water().into()]), 3) };
        let rheologies = Rheologies::new(&setup.model, 3, true);
        let plan = Plan::new(setup.mesh.clone(), 3, setup.boundaries(), Patching::Threads, &rheologies).unwrap();
        let (plan, workers) = (Arc::new(plan), setup.workers());
        let team = Team::new(Parts::one(&plan), Arc::new(Solo));
        let on = Discretisation::<T>::of_parts(&plan, &team, &setup.model, setup.isa, &workers).unwrap().remove(0);
        let dt = 1e-3;
        let at = |part: f64| {
            Locator::new(plan.mesh()).locate([0, 1, 2].map(|c| low[c] + part * (high[c] - low[c]))).unwrap()
        };
        let (from, to) = (at(0.43), at(0.62));
        let history: Vec<f64> = (0..STEPS).map(|step| 0.5 + 0.5 * ((step as f64 * dt - 0.2) / 0.1).tanh()).collect();
        let mechanism = SourceMechanism::Moment([1e12, 1e12, 1e12, 0.0, 0.0, 0.0]);
        let source = PointSource { element: from.element, xi: from.xi, mechanism, history: history.into() };
        let probe = Probe { element: to.element, xi: to.xi, gradient: true };
        let part = SemOperator::new(on, dt, &[source], &[probe], workers.clone());
        let channels = Channels::of_probes(&plan, team.parts(), &[probe]);
        let mut solver = PartSet::new(plan, team, vec![part], channels, [dt, 0.5], workers);
        let mut rates = Vec::new();
        for _ in 0..STEPS / 100 {
            solver.advance(100).unwrap();
            rates.extend(solver.take_samples().unwrap().chunks_exact(9).map(|row| row[0].to_f64()));
        }
        rates.windows(2).map(|pair| pair[0] - pair[1]).collect()
    }
    let (single, double) = (pressures::<f32>(), pressures::<f64>());
    let square = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>();
    let difference = square(&mut single.iter().zip(&double).map(|(a, b)| a - b));
    let misfit = (difference / square(&mut double.iter().copied())).sqrt();
    let mean = double[STEPS / 2..].iter().sum::<f64>() / (STEPS / 2) as f64;
    let largest = double.iter().fold(0.0_f64, |most, p| most.max(p.abs()));
    assert!(mean.abs() > 0.05 * largest, "{mean} {largest}");
    assert!(misfit < 1e-3, "{misfit:e}");
}
