//! What a mesh takes of a GPU is known before it is put there.

use crate::common::{Setup, earth, gradient, rock, tilted};
use craton_device::gpu::Gpu;
use craton_mesh::{Geometry, HexMesh};
use craton_sem::{DeviceNeeds, GpuOperator, Patching, Precision};
use craton_testkit::meshes::Lattice;

/// Bytes estimated over bytes held.
fn ratio<T: Precision>(gpu: &Gpu, mesh: &HexMesh, setup: &Setup, varies: bool) -> f64 {
    let needs = DeviceNeeds::new::<T>(mesh.geometry, setup.degree, setup.model.is_anisotropic(), varies);
    let on = setup.discretise_for::<T>(Patching::for_gpu::<T>(setup.degree));
    let dt = on.stable().dt;
    let operator = GpuOperator::new(gpu, on, dt, &[], &[], setup.workers()).unwrap();
    needs.bytes_per_element * mesh.n_elements() as f64 / operator.device_bytes() as f64
}

#[test]
fn needs_are_estimated_a_little_too_high() {
    let Some(gpu) = Gpu::emulated_for_tests() else { return };
    let models = [
        (earth([rock().into()]), false),
        (earth([gradient()]), true),
        (earth([tilted().into(), rock().into()]), false),
    ];
    for (model, varies) in models {
        for geometry in [Geometry::Linear8, Geometry::Quadratic27] {
            let lattice = Lattice { geometry, ..Lattice::new([10, 11, 9]) };
            let mesh = lattice.waved(0.0);
            for degree in [2, 4] {
                let setup = Setup::new(mesh.clone(), model.clone(), degree);
                for ratio in [ratio::<f32>(&gpu, &mesh, &setup, varies), ratio::<f64>(&gpu, &mesh, &setup, varies)] {
                    assert!((1.0..1.4).contains(&ratio), "degree {degree}, {geometry:?}, varies {varies}: {ratio}");
                }
            }
        }
    }
}
