//! Patches of different rheologies, and the memory variables of elements.

use craton_mesh::Geometry;
use craton_model::EarthModel;
use craton_sem::{
    Discretisation, Field, GpuOperator, MaterialKind, Patching, Plan, PointSource, Precision, Probe, Rheologies,
    SemOperator, SourceMechanism,
};
use craton_sim::Operator as _;
use craton_testkit::devices::gpu;
use craton_testkit::meshes::Lattice;
use craton_testkit::oracle::{NodeField, relative_difference};
use craton_testkit::random::Random;

use crate::common::busy::{
    Busy, STEPS, assert_alike, bit_samples, memory_on_devices, restore_state, whole_run, whole_state,
};
use crate::common::{Nodes, Setup, earth, gradient, in_columns, rock, tilted, transverse, transverse_gradient};

/// Four adjacent columns of different rheologies.
fn mixed() -> EarthModel {
    earth([tilted().into(), gradient(), transverse_gradient(), rock().into()])
}

fn mixed_setup(geometry: Geometry, degree: usize) -> Setup {
    let mesh = in_columns(Lattice { geometry, ..Lattice::new([8, 4, 4]) }.deformed(0.1, 3), 4);
    Setup::new(mesh, mixed(), degree)
}

#[test]
fn a_patch_has_one_rheology_and_patches_of_a_rheology_are_consecutive() {
    let setup = mixed_setup(Geometry::Linear8, 2);
    for patching in [Patching::Blocks, Patching::Threads] {
        let of_regions = Rheologies::new(&setup.model, 2, true);
        let plan = Plan::new(setup.mesh.clone(), 2, setup.boundaries(), patching, &of_regions).unwrap();
        let mut found = Vec::new();
        let mut element = 0;
        for patch in 0..plan.n_patches() {
            found.push(plan.rheology_of(element));
            while element < plan.mesh().n_elements() as u32 && plan.patch_of_element(element) == patch {
                let region = plan.mesh().region[element as usize];
                assert_eq!(of_regions.by_region()[usize::from(region)], found[patch], "element {element}");
                element += 1;
            }
        }
        assert_eq!(element as usize, setup.mesh.n_elements());
        found.dedup();
        assert_eq!(
            found,
            [MaterialKind::Isotropic, MaterialKind::TransverselyIsotropic, MaterialKind::Anisotropic]
                .map(MaterialKind::elastic)
        );
    }
}

/// Compares one step from a random displacement with the oracle, which uses 21 coefficients at every point.
fn compare<T: Precision>(setup: &Setup, limit: f64) {
    let mut operator = setup.operator::<T>(0.7);
    let oracle = setup.oracle(&operator);
    let nodes = Nodes::new(&operator, &oracle);
    let mut random = Random::new(7);
    let field: NodeField = (0..oracle.n_nodes()).map(|_| random.vector()).collect();
    nodes.write(&mut operator, Field::Displacement, &field);
    let start = nodes.read(&operator, Field::Displacement);
    operator.advance_alone(1);
    let dt = operator.dt();
    let velocity = |(force, mass): ([f64; 3], &f64)| force.map(|f| dt * f / mass);
    let expected: NodeField = oracle.forces(&start).into_iter().zip(oracle.mass()).map(velocity).collect();
    let difference = relative_difference(&nodes.read(&operator, Field::Velocity), &expected);
    assert!(difference < limit, "{}: {difference:e}", T::NAME);
}

#[test]
fn adjacent_rheologies_equal_the_oracle() {
    for geometry in [Geometry::Linear8, Geometry::Quadratic27] {
        for degree in [2, 4, 5] {
            compare::<f64>(&mixed_setup(geometry, degree), 1e-12);
            compare::<f32>(&mixed_setup(geometry, degree), 4e-6);
        }
    }
}

#[test]
fn each_element_stores_only_the_parameters_of_its_rheology() {
    let bytes = |model: EarthModel| {
        let setup = Setup { model, ..mixed_setup(Geometry::Linear8, 4) };
        setup.operator::<f32>(0.9).memory().elements
    };
    let alone = |material: craton_model::Material| bytes(earth(std::array::from_fn::<_, 4, _>(|_| material.clone())));
    let [general, varying, transverse, constant] =
        [tilted().into(), gradient(), transverse_gradient(), rock().into()].map(alone);
    // Constant isotropic elements share patches with varying ones, and are stored in the same way.
    let weighted = (general + 2 * varying + transverse) / 4;
    assert_eq!(bytes(mixed()), weighted);
    assert!(constant < varying && varying < transverse, "{constant} {varying} {transverse}");
}

/// Samples of a short run on a device and on the CPU.
fn both<T: Precision>(setup: &Setup, patching: Patching) -> Option<[Vec<f64>; 2]> {
    let gpu = gpu()?;
    let steps = if gpu.is_emulated() { 8 } else { 200 };
    let history: Vec<f64> = (0..steps).map(|step| (0.4 * step as f64).sin()).collect();
    let sources_and_probes = |on: &Discretisation<T>| {
        let locator = craton_mesh::Locator::new(on.mesh());
        let place = |x: f64| locator.locate([x, 140.0, -130.0]).expect("a point of the mesh");
        let source = |x| {
            let place = place(x);
            let mechanism = SourceMechanism::Moment([1e11, 2e11, -1e11, 3e11, 5e10, 1e11]);
            PointSource { element: place.element, xi: place.xi, mechanism, history: history.clone().into() }
        };
        let probe = |x| Probe { element: place(x).element, xi: place(x).xi, gradient: false };
        (vec![source(110.0), source(530.0)], [90.0, 290.0, 490.0, 690.0].map(probe).to_vec())
    };
    let on: Discretisation<T> = setup.discretise();
    let dt = 0.9 * on.stable().dt;
    let (sources, probes) = sources_and_probes(&on);
    let mut cpu = SemOperator::new(on, dt, &sources, &probes, setup.workers());
    cpu.advance_alone(steps as u64);
    let expected = cpu.take_samples().into_iter().map(T::to_f64).collect();
    let on: Discretisation<T> = setup.discretise_for(patching);
    let (sources, probes) = sources_and_probes(&on);
    let mut device = GpuOperator::new(&gpu, on, dt, &sources, &probes, setup.workers()).unwrap();
    device.advance_alone(steps as u64).unwrap();
    Some([device.take_samples().unwrap().into_iter().map(T::to_f64).collect(), expected])
}

#[test]
fn adjacent_rheologies_on_a_device_give_the_cpu_traces() {
    for geometry in [Geometry::Linear8, Geometry::Quadratic27] {
        let Some(slots) = both::<f64>(&mixed_setup(geometry, 3), Patching::Threads) else { return };
        assert_alike(slots, 1e-11);
        assert_alike(both::<f32>(&mixed_setup(geometry, 4), Patching::Blocks).unwrap(), 1e-5);
    }
}

#[test]
fn a_solid_with_an_axis_equals_its_21_coefficients() {
    let setup = |material| Setup { model: earth([material]), ..mixed_setup(Geometry::Linear8, 4) };
    let mesh = |mut setup: Setup| {
        setup.mesh.region.fill(0);
        setup
    };
    let run = |setup: Setup| {
        let setup = mesh(setup);
        let mut operator = SemOperator::new(setup.discretise::<f64>(), 1e-3, &[], &[], setup.workers());
        let mut random = Random::new(3);
        let nodes = operator.state_mut().swap_remove(0).chunks_exact_mut(4);
        nodes.for_each(|node| node[..3].copy_from_slice(&random.vector()));
        operator.advance_alone(10);
        operator.state().concat()
    };
    let (by_axis, general) = (run(setup(transverse().into())), run(setup(tilted().into())));
    let size: f64 = general.iter().map(|x| x * x).sum();
    let difference: f64 = by_axis.iter().zip(&general).map(|(a, b)| (a - b) * (a - b)).sum();
    assert!(difference < 1e-18 * size, "{:e}", (difference / size).sqrt());
}

/// A problem whose moduli relax in half of the elements: at all points if the quality factor is low, otherwise at some.
fn relaxing(degree: usize, quality: f64) -> Busy {
    Busy { quality: Some(quality), degree, patching: Patching::Blocks, elements: [6, 5, 4], ..Busy::default() }
}

#[test]
fn element_memory_is_bit_identical_for_any_number_of_parts() {
    let one = whole_run(&mut relaxing(2, 20.0).on_cpu::<f32>(1), STEPS as u64);
    for parts in [2, 3] {
        assert!(whole_run(&mut relaxing(2, 20.0).on_cpu::<f32>(parts), STEPS as u64) == one, "{parts} parts");
    }
    let elastic =
        whole_run(&mut Busy { quality: Some(f64::INFINITY), ..relaxing(2, 20.0) }.on_cpu::<f32>(1), STEPS as u64);
    assert!(elastic.len() < one.len(), "only elements that relax have an element state");
}

#[test]
fn a_run_with_memory_resumes_bit_identically_with_another_number_of_parts() {
    let mut whole = relaxing(2, 20.0).on_cpu::<f64>(2);
    whole.advance(50).unwrap();
    let state = whole_state(&mut whole);
    assert_eq!(state.len(), 3);
    assert!(state[2].iter().any(|&m| m != 0.0), "memory variables are zero");
    let _ = bit_samples(&mut whole);
    whole.advance(STEPS as u64 - 50).unwrap();
    let expected = bit_samples(&mut whole);
    for parts in [1, 3] {
        let resume = |state: &[Vec<f64>]| {
            let mut resumed = relaxing(2, 20.0).on_cpu::<f64>(parts);
            restore_state(&mut resumed, state, 50);
            resumed.advance(STEPS as u64 - 50).unwrap();
            bit_samples(&mut resumed)
        };
        assert!(resume(&state) == expected, "{parts} parts");
        let mut without_memory = state.clone();
        without_memory[2].fill(0.0);
        assert!(resume(&without_memory) != expected, "the memory does not affect the run");
    }
}

#[test]
fn element_memory_on_devices_equals_the_cpu() {
    memory_on_devices::<f64>(&relaxing(2, 20.0), 1e-11);
    memory_on_devices::<f32>(&relaxing(2, 20.0), 1e-5);
    for quality in [10.0, 60.0, 300.0] {
        memory_on_devices::<f32>(&Busy { elements: [4, 3, 3], ..relaxing(4, quality) }, 1e-5);
        memory_on_devices::<f64>(&Busy { elements: [4, 3, 3], ..relaxing(4, quality) }, 1e-11);
    }
}
