//! Absorbing layers: their reflections against larger meshes, their stability, and equality on parts and with attenuation.

use std::f64::consts::PI;
use std::sync::Arc;

use crate::common::busy::{Busy, STEPS, bit_samples, memory_on_devices, restore_state, whole_run, whole_state};
use crate::common::rock;
use craton_comm::Solo;
use craton_device::{Isa, Workers};
use craton_mesh::{BoundaryFace, HexMesh, Locator, Side};
use craton_model::{EarthModel, Medium};
use craton_physics::{Stiffness, Thomsen};
use craton_sem::{
    Boundaries, Boundary, Discretisation, NodePlace, Parts, Patching, Plan, PmlProfile, PointSource, Precision, Probe,
    Rheologies, SemOperator, SourceMechanism, Team,
};
use craton_sim::History;
use craton_sim::Operator as _;
use craton_testkit::meshes::Lattice;
use craton_testkit::random::Random;

/// Dominant frequency [Hz] with 5 points per S wavelength at 2.5 times this frequency, in cubes of 100 m of rock.
const FREQUENCY: f64 = 3464.0 / 125.0 / 2.5;

/// Cubes of 100 m between these limits, in units of 100 m, with the top at z = 0.
fn cubes(low: [i32; 3], high: [i32; 3]) -> HexMesh {
    let counts = [0, 1, 2].map(|axis| (high[axis] - low[axis]) as usize);
    let mut mesh = Lattice { geometry: craton_mesh::Geometry::Linear8, ..Lattice::new(counts) }.mesh();
    let [corner, _] = mesh.bounding_box();
    for node in &mut mesh.control_nodes {
        (0..3).for_each(|axis| node[axis] += 100.0 * f64::from(low[axis]) - corner[axis]);
    }
    mesh
}

/// A mesh on which waves of one source are recorded.
struct Case {
    mesh: HexMesh,
    model: EarthModel,
    sides: [Boundary; 6],
    frequency: f64,
    /// Whether the layers are sponges.
    sponges: bool,
}

impl Case {
    /// A mesh with layers outside all sides but the top.
    fn with_layers(mesh: HexMesh, model: &EarthModel, frequency: f64) -> Self {
        let sides = [0, 1, 2, 3, 4, 5].map(|side| if side == 5 { Boundary::Free } else { Boundary::LayerEnd });
        Self {
            mesh: mesh.with_pml([3, 3, 3, 3, 3, 0]).unwrap(),
            model: model.clone(),
            sides,
            frequency,
            sponges: false,
        }
    }

    /// A mesh with sponges outside all sides but the top.
    fn with_sponges(mesh: HexMesh, model: &EarthModel, frequency: f64) -> Self {
        let sides = [0, 1, 2, 3, 4, 5].map(|side| if side == 5 { Boundary::Free } else { Boundary::Absorbing });
        Self { sides, sponges: true, ..Self::with_layers(mesh, model, frequency) }
    }

    fn paraxial(mesh: HexMesh, model: &EarthModel) -> Self {
        let sides = [0, 1, 2, 3, 4, 5].map(|side| if side == 5 { Boundary::Free } else { Boundary::Absorbing });
        Self { mesh, model: model.clone(), sides, frequency: 0.0, sponges: false }
    }

    fn discretise<T: Precision>(&self) -> Discretisation<T> {
        let profile = PmlProfile::new(&self.mesh, &self.model, self.frequency);
        let profile = profile.map(|profile| profile.with_sponges([self.sponges; 6]));
        let rheologies = Rheologies::new(&self.model, 4, true).with_pml(profile);
        let boundaries = Boundaries { sides: self.sides };
        let plan = Plan::new(self.mesh.clone(), 4, boundaries, Patching::Threads, &rheologies).unwrap();
        let plan = Arc::new(plan);
        let team = Team::new(Parts::one(&plan), Arc::new(Solo));
        let workers = Workers::new(Some(2)).unwrap();
        Discretisation::of_parts(&plan, &team, &self.model, Isa::detect(), &workers).unwrap().pop().unwrap()
    }

    /// Velocity at receivers, `[receiver][component][step]`.
    fn record<T: Precision>(&self, source: &Source, receivers: &[[f64; 3]], duration: f64) -> Vec<[Vec<f64>; 3]> {
        let on = self.discretise::<T>();
        let dt = 0.95 * on.stable().dt;
        let steps = (duration / dt) as usize;
        let (sources, probes) = {
            let locator = Locator::new(on.mesh());
            let at = locator.locate(source.position).unwrap();
            let values = (0..steps).map(|step| ricker(step as f64 * dt, self.source_frequency())).collect();
            let history = History::new(0, values);
            let source = PointSource { element: at.element, xi: at.xi, mechanism: source.mechanism, history };
            let probe = |&position: &[f64; 3]| {
                let at = locator.locate(position).unwrap();
                Probe { element: at.element, xi: at.xi, gradient: false }
            };
            (vec![source], receivers.iter().map(probe).collect::<Vec<_>>())
        };
        let mut operator = SemOperator::new(on, dt, &sources, &probes, Arc::new(Workers::new(Some(2)).unwrap()));
        let mut traces = vec![[const { Vec::new() }; 3]; receivers.len()];
        for _ in 0..steps {
            operator.advance_alone(1);
            for (index, value) in operator.take_samples().iter().enumerate() {
                traces[index / 3][index % 3].push(value.to_f64());
            }
        }
        traces
    }

    fn source_frequency(&self) -> f64 {
        FREQUENCY
    }
}

/// A point source with a Ricker wavelet.
struct Source {
    position: [f64; 3],
    mechanism: SourceMechanism,
}

fn ricker(time: f64, frequency: f64) -> f64 {
    let argument = (PI * frequency * (time - 1.2 / frequency)).powi(2);
    (1.0 - 2.0 * argument) * (-argument).exp()
}

/// Largest difference of two traces of each receiver relative to the largest value [dB].
fn reflections(with: &[[Vec<f64>; 3]], without: &[[Vec<f64>; 3]]) -> Vec<f64> {
    let of_receiver = |(with, without): (&[Vec<f64>; 3], &[Vec<f64>; 3])| {
        let pairs = || with.iter().zip(without).flat_map(|(with, without)| with.iter().zip(without));
        let most = pairs().fold(0.0, |most: f64, (_, value)| most.max(value.abs()));
        let off = pairs().fold(0.0, |most: f64, (value, exact)| most.max((value - exact).abs()));
        20.0 * (off / most).log10()
    };
    with.iter().zip(without).map(of_receiver).collect()
}

const FORCE: SourceMechanism = SourceMechanism::Force([0.3, 0.5, 1.0]);

#[test]
fn layers_of_three_elements_reflect_little() {
    let model = EarthModel::homogeneous(rock());
    let receivers = [
        [150.0, 250.0, -350.0],
        [310.0, 40.0, -120.0],
        [520.0, 560.0, -60.0],
        [300.0, 300.0, 0.0],
        [40.0, 60.0, -10.0],
    ];
    let source = Source { position: [270.0, 330.0, -260.0], mechanism: FORCE };
    let (low, high) = ([0, 0, -5], [6, 6, 0]);
    let large = cubes([-10, -10, -15], [16, 16, 0]);
    let exact = Case::paraxial(large, &model).record::<f32>(&source, &receivers, 0.3);
    let layers = Case::with_layers(cubes(low, high), &model, FREQUENCY).record::<f32>(&source, &receivers, 0.3);
    let paraxial = Case::paraxial(cubes(low, high), &model).record::<f32>(&source, &receivers, 0.3);
    let [layers, paraxial] = [layers, paraxial].map(|traces| reflections(&traces, &exact));
    // -57 to -65 dB, and -7 to -20 dB.
    assert!(layers.iter().all(|level| *level < -55.0), "{layers:.1?}");
    assert!(paraxial.iter().all(|level| *level > -25.0), "{paraxial:.1?}");
}

/// Gives random rates to all nodes but those at the outer ends of layers.
fn shake(operator: &mut SemOperator<f32>) {
    let (along, mesh) = (operator.gll().points.len(), operator.mesh());
    let at_end = |face: &&BoundaryFace| face.side != Side::Top;
    let fixed: Vec<NodePlace> =
        mesh.faces.iter().filter(at_end).flat_map(|face| places_of_face(operator, face, along)).collect();
    let mut random = Random::new(3);
    let mut state = operator.state_mut();
    // Displacements and rates alternate, first those of the patches.
    for values in state.iter_mut().skip(1).step_by(2) {
        values.chunks_exact_mut(4).for_each(|node| (0..3).for_each(|c| node[c] = random.symmetric() as f32));
    }
    let shared = state.len() - 1;
    for place in fixed {
        let node = match place {
            NodePlace::Inner { patch, node } => &mut state[2 * patch as usize + 1][4 * node as usize..],
            NodePlace::Shared(node) => &mut state[shared][4 * node as usize..],
        };
        node[..3].fill(0.0);
    }
}

fn places_of_face(operator: &SemOperator<f32>, face: &BoundaryFace, along: usize) -> Vec<NodePlace> {
    let places: Vec<NodePlace> = operator.plan().places(face.element).collect();
    let axis = usize::from(face.face / 2);
    let end = if face.face.is_multiple_of(2) { 0 } else { along - 1 };
    let is_on = |point: &usize| point / along.pow(axis as u32) % along == end;
    (0..places.len()).filter(is_on).map(|point| places[point]).collect()
}

/// Kinetic energy of a box in layers after random initial velocities, at these numbers of steps, relative to its maximum.
fn energies(medium: Medium, elements: [i32; 3], steps: [u64; 3], sponges: bool) -> [f64; 3] {
    let model = EarthModel::homogeneous(medium);
    let mesh = cubes([0, 0, -elements[2]], [elements[0], elements[1], 0]);
    let case = match sponges {
        true => Case::with_sponges(mesh, &model, FREQUENCY),
        false => Case::with_layers(mesh, &model, FREQUENCY),
    };
    let on = case.discretise::<f32>();
    let dt = 0.98 * on.stable().dt;
    let mut operator = SemOperator::new(on, dt, &[], &[], Arc::new(Workers::new(Some(2)).unwrap()));
    shake(&mut operator);
    let energy = |operator: &SemOperator<f32>| -> f64 {
        let rates = operator.state().into_iter().skip(1).step_by(2).flatten();
        rates.map(|&rate| f64::from(rate).powi(2)).sum()
    };
    operator.advance_alone(1);
    let start = energy(&operator);
    let mut done = 1;
    steps.map(|until| {
        operator.advance_alone(until - done);
        let _ = operator.take_samples();
        done = until;
        energy(&operator) / start
    })
}

#[test]
fn layers_are_stable_for_every_poissons_ratio() {
    for ratio in [0.0, 0.25, 0.45, 0.49_f64] {
        let vs = 3464.0;
        let vp = vs * ((2.0 - 2.0 * ratio) / (1.0 - 2.0 * ratio)).sqrt();
        let [early, later, last] =
            energies(Medium::isotropic(vp, vs, 2700.0).unwrap(), [2, 1, 2], [300, 1500, 3000], false);
        assert!(early < 0.5 && later < 0.5 * early && last < later, "{ratio}: {early:e} {later:e} {last:e}");
    }
}

/// A box in layers, with many patches.
fn busy(degree: usize) -> Busy {
    Busy { layers: true, patching: Patching::Blocks, degree, elements: [4, 3, 3], ..Busy::default() }
}

#[test]
fn sponges_absorb_more_than_paraxial_sides() {
    let model = EarthModel::homogeneous(rock());
    let receivers = [[150.0, 250.0, -350.0], [520.0, 560.0, -60.0], [300.0, 300.0, 0.0], [40.0, 60.0, -10.0]];
    let source = Source { position: [270.0, 330.0, -260.0], mechanism: FORCE };
    let (low, high) = ([0, 0, -5], [6, 6, 0]);
    let large = cubes([-10, -10, -15], [16, 16, 0]);
    let exact = Case::paraxial(large, &model).record::<f32>(&source, &receivers, 0.3);
    let level = |elements: u16| {
        let mut case = Case::with_sponges(cubes(low, high), &model, FREQUENCY);
        case.mesh = cubes(low, high).with_pml([elements, elements, elements, elements, elements, 0]).unwrap();
        reflections(&case.record::<f32>(&source, &receivers, 0.3), &exact).into_iter().fold(f64::MIN, f64::max)
    };
    // -18.8 and -32.2 dB; paraxial sides -7.1 dB.
    let [three, five] = [3, 5].map(level);
    assert!(three < -18.0 && five < -31.0, "{three:.1} {five:.1}");
}

#[test]
fn sponges_are_stable_in_a_medium_with_backward_waves() {
    let shale = Thomsen { vp: 3928.0, vs: 2055.0, epsilon: 0.334, delta: 0.73, gamma: 0.575, rho: 2590.0 };
    let tilted = Stiffness::tti(shale, 0.8, 0.3).unwrap();
    assert!(tilted.most_backward([0.0, 0.0, 1.0]) < -1e-2);
    let medium = Medium::anisotropic(tilted, shale.rho).unwrap();
    let [early, later, last] = energies(medium, [2, 1, 2], [300, 1500, 3000], true);
    assert!(early < 0.5 && later < 0.5 * early && last < later, "{early:e} {later:e} {last:e}");
}

#[test]
fn layers_are_bit_identical_for_any_number_of_parts() {
    let sponges = Busy { sponges: true, water: true, ..busy(2) };
    let kinds = [sponges, busy(2), Busy { quality: Some(60.0), ..busy(2) }, Busy { water: true, ..busy(2) }];
    for busy in kinds {
        let one = whole_run(&mut busy.on_cpu::<f32>(1), STEPS as u64);
        for parts in [2, 3] {
            assert!(whole_run(&mut busy.on_cpu::<f32>(parts), STEPS as u64) == one, "{parts} parts");
        }
    }
}

#[test]
fn a_run_in_layers_resumes_bit_identically_with_another_number_of_parts() {
    let busy = Busy { water: true, ..busy(2) };
    let mut whole = busy.on_cpu::<f64>(2);
    whole.advance(50).unwrap();
    let state = whole_state(&mut whole);
    let _ = bit_samples(&mut whole);
    whole.advance(STEPS as u64 - 50).unwrap();
    let expected = bit_samples(&mut whole);
    let resume = |state: &[Vec<f64>]| {
        let mut resumed = busy.on_cpu::<f64>(1);
        restore_state(&mut resumed, state, 50);
        resumed.advance(STEPS as u64 - 50).unwrap();
        bit_samples(&mut resumed)
    };
    assert!(resume(&state) == expected);
    let mut without_memory = state.clone();
    without_memory.last_mut().unwrap().fill(0.0);
    assert!(resume(&without_memory) != expected, "the memory does not affect the run");
}

#[test]
fn layers_on_devices_equal_the_cpu() {
    memory_on_devices::<f64>(&busy(2), 1e-11);
    memory_on_devices::<f32>(&busy(4), 1e-5);
    memory_on_devices::<f32>(&Busy { quality: Some(60.0), ..busy(4) }, 1e-5);
    memory_on_devices::<f32>(&Busy { water: true, ..busy(4) }, 1e-5);
    memory_on_devices::<f32>(&Busy { sponges: true, water: true, ..busy(4) }, 1e-5);
}
