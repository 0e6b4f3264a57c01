//! Estimate of the device memory of a mesh.

use crate::common::{Setup, earth, gradient, rock, tilted, transverse, transverse_gradient};
use craton_device::gpu::Gpu;
use craton_mesh::{Geometry, HexMesh};
use craton_sem::{DeviceNeeds, GpuOperator, Patching, Precision, Rheologies};
use craton_testkit::meshes::Lattice;

/// Ratio of estimated to allocated bytes.
fn ratio<T: Precision>(gpu: &Gpu, mesh: &HexMesh, setup: &Setup, varies: bool) -> f64 {
    let rheologies: Vec<_> = Rheologies::new(&setup.model, setup.degree, true)
        .by_region()
        .iter()
        .map(|&rheology| (rheology, varies))
        .collect();
    let needs = DeviceNeeds::new::<T>(mesh.geometry, setup.degree, &rheologies);
    let on = setup.discretise_for::<T>(Patching::for_gpu::<T>(setup.degree));
    let dt = on.stable().dt;
    let operator = GpuOperator::new(gpu, on, dt, &[], &[], setup.workers()).unwrap();
    needs.bytes_per_element * mesh.n_elements() as f64 / operator.device_bytes() as f64
}

#[test]
fn estimate_of_device_memory_is_conservative() {
    let Some(gpu) = Gpu::emulated_for_tests() else { return };
    let models = [
        (earth([rock().into()]), false),
        (earth([gradient()]), true),
        (earth([tilted().into()]), false),
        (earth([transverse().into()]), false),
        (earth([transverse_gradient()]), true),
    ];
    for (model, varies) in models {
        for geometry in [Geometry::Linear8, Geometry::Quadratic27] {
            let lattice = Lattice { geometry, ..Lattice::new([10, 11, 9]) };
            let mesh = lattice.waved(0.0);
            for (degree, is_double) in [(2, false), (2, true), (4, false), (4, true)] {
                // On the emulated GPU, each degree in one precision per geometry.
                if gpu.is_emulated() && is_double == ((degree == 2) == (geometry == Geometry::Quadratic27)) {
                    continue;
                }
                let setup = Setup::new(mesh.clone(), model.clone(), degree);
                let ratio = match is_double {
                    true => ratio::<f64>(&gpu, &mesh, &setup, varies),
                    false => ratio::<f32>(&gpu, &mesh, &setup, varies),
                };
                assert!((1.0..1.4).contains(&ratio), "degree {degree}, {geometry:?}, varies {varies}: {ratio}");
            }
        }
    }
}

#[test]
fn tables_of_an_isotropic_element_are_small() {
    let Some(gpu) = Gpu::emulated_for_tests() else { return };
    let lattice = Lattice { geometry: Geometry::Linear8, ..Lattice::new([20, 20, 20]) };
    let setup = Setup::new(lattice.waved(0.1), earth([rock().into()]), 4);
    let on = setup.discretise_for::<f32>(Patching::for_gpu::<f32>(4));
    let dt = on.stable().dt;
    let operator = GpuOperator::new(&gpu, on, dt, &[], &[], setup.workers()).unwrap();
    let bytes = operator.device_bytes() as f64 / 8000.0;
    // Displacement, velocity and masses of 66 nodes take 1.86 kB, the sums of patches at shared nodes 0.5 kB.
    assert!(bytes < 3100.0, "{bytes}");
}
