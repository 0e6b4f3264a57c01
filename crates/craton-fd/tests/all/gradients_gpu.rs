//! Gradients of acoustic shots on a GPU. The kernels run emulated on this processor; with CRATON_TEST_GPU=cuda on a GPU.

use craton_device::gpu::Gpu;
use craton_fd::acoustic::{GridGradient, StoragePlan};
use craton_numerics::misfit::relative_l2;
use craton_testkit::devices::gpu;
use craton_testkit::random::Random;

use crate::common::gradient_cases::*;

/// Each piece of the scheme by itself, and all of them.
const CASES: [With; 8] = [
    PLANE,
    With { density: true, ..PLANE },
    With { layer: 8, ..PLANE },
    With { is_free: true, ..PLANE },
    With { half_length: 8, layer: 5, ..PLANE },
    With { is_plane: false, ..PLANE },
    ALL,
    With { is_plane: false, layer: 6, ..ALL },
];

/// A random residual, with velocities scaled like pressures.
fn scaled_residual(case: &Case, random: &mut Random) -> Vec<f32> {
    let mut residual = random_residual::<f32>(case, random);
    for row in residual.chunks_exact_mut(case.channels.len()) {
        row[1..3].iter_mut().for_each(|value| *value *= 2e6);
    }
    residual
}

/// The gradient on a GPU.
fn on(gpu: &Gpu, case: &Case, (residual, plan): (&[f32], &StoragePlan), density: bool) -> GridGradient {
    case.gradient_on(&mut case.on_gpu(gpu), density, plan, |_| residual.to_vec())
}

/// Largest relative L2 difference of the parts of two gradients.
fn difference(found: &GridGradient, expected: &GridGradient) -> f64 {
    let mut pairs = vec![(found.kappa.clone(), expected.kappa.clone())];
    pairs.extend(found.buoyancy.iter().cloned().zip(expected.buoyancy.iter().cloned()));
    let of_cells = |own: &GridGradient| own.density.iter().map(|(_, value)| *value).collect::<Vec<_>>();
    pairs.push((of_cells(found), of_cells(expected)));
    let of_pair = |(found, expected): &(Vec<f64>, Vec<f64>)| {
        assert_eq!(found.len(), expected.len());
        if expected.is_empty() { 0.0 } else { relative_l2(&[found], &[expected]).unwrap() }
    };
    pairs.iter().map(of_pair).fold(0.0, f64::max)
}

#[test]
fn gradients_on_a_gpu_agree_with_those_on_a_cpu() {
    let Some(gpu) = gpu() else { return };
    for with in CASES {
        let case = Case::new(with);
        let mut random = Random::new(29);
        let (residual, plan) = (scaled_residual(&case, &mut random), case.exact());
        let expected = case.gradient(residual.clone(), &plan, 1);
        let found = on(&gpu, &case, (&residual, &plan), true);
        assert_eq!(
            found.density.iter().map(|own| own.0).collect::<Vec<_>>(),
            expected.density.iter().map(|own| own.0).collect::<Vec<_>>()
        );
        let difference = difference(&found, &expected);
        eprintln!("{with:?}: {difference:e}");
        assert!(difference < 5e-6, "{with:?}: {difference:e}");
    }
}
