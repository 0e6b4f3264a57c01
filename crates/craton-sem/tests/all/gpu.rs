//! Results on a GPU equal those on a CPU. The kernels run on an emulated device, or on a GPU with CRATON_TEST_GPU=cuda.

use crate::common::{Setup, earth, gradient, rock, tilted, transverse, transverse_gradient, transverse_slope};
use craton_device::gpu::Gpu;
use craton_mesh::{Geometry, HexMesh, Locator};
use craton_model::Material;
use craton_sem::{
    Boundary, Discretisation, GpuOperator, Part as _, Patching, Phase, PointSource, Precision, Probe, SemOperator,
    SourceMechanism,
};
use craton_testkit::devices::gpu;
use craton_testkit::meshes::{Lattice, doubled_box};

fn steps(gpu: &Gpu) -> usize {
    if gpu.is_emulated() { 8 } else { 200 }
}

/// All boundary conditions.
const SIDES: [Boundary; 6] =
    [Boundary::Absorbing, Boundary::Free, Boundary::Rigid, Boundary::Absorbing, Boundary::Absorbing, Boundary::Free];

/// Two sources in one element and one in another; probes of the field, its gradient, and the field again. `plain` is the mesh in its original order.
fn sources_and_probes(plain: &HexMesh, mesh: &HexMesh, steps: usize) -> (Vec<PointSource>, Vec<Probe>) {
    let locator = Locator::new(mesh);
    let inside = |part: f64, xi: [f64; 3]| {
        let element = (part * plain.n_elements() as f64) as u32;
        locator.locate(plain.position(element, xi)).expect("a point of the mesh")
    };
    let history: Vec<f64> = (0..steps).map(|step| (0.4 * step as f64).sin()).collect();
    let source = |(part, xi), mechanism| {
        let place = inside(part, xi);
        PointSource { element: place.element, xi: place.xi, mechanism, history: history.clone().into() }
    };
    let probe = |part, xi, gradient| {
        let place = inside(part, xi);
        Probe { element: place.element, xi: place.xi, gradient }
    };
    let sources = vec![
        source((0.5, [0.2, -0.4, 0.1]), SourceMechanism::Force([1e9, 2e9, -1e9])),
        source((0.5, [0.9, 0.3, -0.7]), SourceMechanism::Force([2e9, -1e9, 1e9])),
        source((0.75, [-0.3, 0.5, 0.6]), SourceMechanism::Moment([1e11, 2e11, -1e11, 3e11, 0.0, 1e11])),
    ];
    let probes = [(0.6, [0.1, 0.7, -0.2], false), (0.45, [-0.6, 0.4, 0.3], true), (0.8, [0.5, -0.1, 0.9], false)];
    (sources, probes.map(|(part, xi, gradient)| probe(part, xi, gradient)).to_vec())
}

/// Samples of the same run on the CPU and on the device.
fn both<T: Precision>(gpu: &Gpu, setup: &Setup, patching: Patching) -> [Vec<f64>; 2] {
    let steps = steps(gpu);
    let on: Discretisation<T> = setup.discretise();
    let dt = 0.9 * on.stable().dt;
    let (sources, probes) = sources_and_probes(&setup.mesh, on.mesh(), steps);
    let mut cpu = SemOperator::new(on, dt, &sources, &probes, setup.workers());
    cpu.advance_alone(steps as u64);
    let expected = cpu.take_samples().into_iter().map(T::to_f64).collect();

    let on: Discretisation<T> = setup.discretise_for(patching);
    let (sources, probes) = sources_and_probes(&setup.mesh, on.mesh(), steps);
    let mut device = GpuOperator::new(gpu, on, dt, &sources, &probes, setup.workers()).unwrap();
    assert_eq!(device.by_patches(), patching == Patching::Blocks && setup.degree == 4 && size_of::<T>() == 4);
    device.advance_alone(steps as u64 / 2).unwrap();
    let mut found: Vec<f64> = device.take_samples().unwrap().into_iter().map(T::to_f64).collect();
    device.advance_alone((steps - steps / 2) as u64).unwrap();
    assert_eq!(device.broken_place(Phase::Solid).unwrap(), None);
    found.extend(device.take_samples().unwrap().into_iter().map(T::to_f64));
    [found, expected]
}

/// Compares the relative L2 difference of each probe with a limit.
fn assert_alike([found, expected]: [Vec<f64>; 2], limit: f64) {
    let channels = 3 + 9 + 3;
    assert_eq!(found.len(), expected.len());
    for range in [0..3, 3..12, 12..15] {
        let of = |samples: &[f64]| -> Vec<f64> {
            samples.chunks(channels).flat_map(|row| row[range.clone()].to_vec()).collect()
        };
        let (found, expected) = (of(&found), of(&expected));
        let square = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>();
        let size = square(&mut expected.iter().copied());
        let difference = square(&mut found.iter().zip(&expected).map(|(a, b)| a - b));
        assert!(size > 0.0, "channels {range:?} are zero");
        assert!(difference < limit * limit * size, "channels {range:?}: {:e}", (difference / size).sqrt());
    }
}

fn mesh(geometry: Geometry) -> HexMesh {
    mesh_of([4, 3, 3], geometry)
}

fn mesh_of(elements: [usize; 3], geometry: Geometry) -> HexMesh {
    let lattice = Lattice::new(elements);
    match geometry {
        Geometry::Linear8 => lattice.deformed(0.1, 2),
        Geometry::Quadratic27 => lattice.waved(0.1),
    }
}

#[test]
fn assembly_by_slots_gives_the_cpu_traces_at_every_degree() {
    let Some(gpu) = gpu() else { return };
    for degree in 1..=10 {
        let elements = if gpu.is_emulated() && degree > 3 { [3, 2, 2] } else { [4, 3, 3] };
        for (number, geometry) in [Geometry::Linear8, Geometry::Quadratic27].into_iter().enumerate() {
            let mesh = mesh_of(elements, geometry);
            let setup = Setup { sides: SIDES, ..Setup::new(mesh, earth([gradient()]), degree) };
            // Emulated, geometries and precisions alternate with the degree.
            let is_double = (degree + number) % 2 == 0;
            if is_double || !gpu.is_emulated() {
                assert_alike(both::<f64>(&gpu, &setup, Patching::Threads), 1e-11);
            }
            if !is_double || !gpu.is_emulated() {
                assert_alike(both::<f32>(&gpu, &setup, Patching::Threads), 1e-5);
            }
        }
    }
}

#[test]
fn assembly_by_slots_gives_the_cpu_traces_for_every_law() {
    let Some(gpu) = gpu() else { return };
    let models = [rock().into(), tilted().into(), transverse().into(), transverse_gradient()];
    for model in models.map(|material: Material| earth([material])) {
        for geometry in [Geometry::Linear8, Geometry::Quadratic27] {
            let setup = Setup { sides: SIDES, ..Setup::new(mesh(geometry), model.clone(), 3) };
            assert_alike(both::<f64>(&gpu, &setup, Patching::Threads), 1e-11);
            assert_alike(both::<f32>(&gpu, &setup, Patching::Threads), 1e-5);
        }
    }
}

#[test]
fn assembly_by_patches_gives_the_cpu_traces() {
    let Some(gpu) = gpu() else { return };
    // The parameters of the last material vary so little inside elements that they are packed.
    let materials =
        [rock().into(), gradient(), tilted().into(), transverse().into(), transverse_gradient(), transverse_slope()];
    for model in materials.map(|material: Material| earth([material])) {
        for geometry in [Geometry::Linear8, Geometry::Quadratic27] {
            let setup = Setup { sides: SIDES, ..Setup::new(mesh(geometry), model.clone(), 4) };
            assert_alike(both::<f32>(&gpu, &setup, Patching::Blocks), 1e-5);
        }
    }
}

#[test]
fn assembly_by_patches_supports_doubled_meshes() {
    let Some(gpu) = gpu() else { return };
    let setup =
        Setup { sides: SIDES, ..Setup::new(doubled_box(Geometry::Linear8), earth([rock().into(), gradient()]), 4) };
    assert_alike(both::<f32>(&gpu, &setup, Patching::Blocks), 1e-5);
}

#[test]
fn two_runs_are_bit_identical() {
    let Some(gpu) = gpu() else { return };
    let setup = Setup { sides: SIDES, ..Setup::new(mesh(Geometry::Linear8), earth([gradient()]), 4) };
    let run = || both::<f32>(&gpu, &setup, Patching::Blocks)[0].iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert_eq!(run(), run());
}
