//! Gradients of acoustic shots on a GPU. The kernels run emulated on this processor; with CRATON_TEST_GPU=cuda on a GPU.

use std::sync::Arc;

use craton_device::gpu::Gpu;
use craton_fd::acoustic::{AcousticMedium, FluidMechanism, FluidMechanisms, GradientGpu, GridGradient, StoragePlan};
use craton_fd::{FdError, GpuSetupError, MemoryPoints};
use craton_numerics::misfit::relative_l2;
use craton_testkit::devices::gpu;
use craton_testkit::random::Random;

use crate::common::gradient_cases::*;
use crate::common::shots::{layer, workers};

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
        let (residual, plan) = (random_residual(&case, &mut Random::new(29)), case.exact());
        let expected = case.gradient(residual.clone(), &plan, 1);
        let found = on(&gpu, &case, (&residual, &plan), true);
        let cells = [&found, &expected].map(|own| own.density.iter().map(|own| own.0).collect::<Vec<_>>());
        assert_eq!(cells[0], cells[1]);
        // Rounding of fields in single precision: 5e-7 to 2.9e-6.
        let difference = difference(&found, &expected);
        assert!(difference < 5e-6, "{with:?}: {difference:e}");
    }
}

#[test]
fn a_layer_that_almost_meets_a_free_top_has_images() {
    let Some(gpu) = gpu() else { return };
    let mut case = Case::new(ALL);
    // Two cells are between the bottom layer and the top, and stencils have half-length 4.
    case.options.boundaries.sides[4] = layer(27);
    let (residual, plan) = (random_residual(&case, &mut Random::new(29)), case.exact());
    let expected = case.gradient(residual.clone(), &plan, 1);
    let difference = difference(&on(&gpu, &case, (&residual, &plan), true), &expected);
    assert!(difference < 5e-6, "{difference:e}");
}

#[test]
fn the_adjoint_on_a_gpu_is_the_transpose_of_the_linearised_loop() {
    let Some(gpu) = gpu() else { return };
    for with in [PLANE, ALL, With { is_plane: false, layer: 6, ..ALL }] {
        let case = Case::new(with);
        let mismatch = mismatch_of(&case, |residual| on(&gpu, &case, (&residual, &case.exact()), true));
        assert!(mismatch < 1e-5, "{with:?}: {mismatch:e}");
    }
}

#[test]
fn speed_alone_and_every_few_steps_agree_with_a_cpu() {
    let Some(gpu) = gpu() else { return };
    for with in [ALL, With { is_plane: false, layer: 6, ..ALL }] {
        let case = Case::new(with);
        let residual = random_residual::<f32>(&case, &mut Random::new(29));
        let plan = StoragePlan::new(case.steps, 3, [1, 1], u64::MAX).unwrap();
        let mut cores = case.on_cores::<f32>(1);
        let expected = case.gradient_on(&mut cores, false, &plan, |_| residual.clone());
        let found = on(&gpu, &case, (&residual, &plan), false);
        assert!(found.density.is_empty() && found.buoyancy.iter().all(Vec::is_empty));
        let difference = difference(&found, &expected);
        assert!(difference < 5e-6, "{with:?}: {difference:e}");
    }
}

#[test]
fn gradients_on_a_gpu_are_bit_identical_for_any_memory_and_when_repeated() {
    let Some(gpu) = gpu() else { return };
    for with in [ALL, With { is_plane: false, ..ALL }] {
        let case = Case::new(with);
        let residual = random_residual::<f32>(&case, &mut Random::new(29));
        let exact = on(&gpu, &case, (&residual, &case.exact()), true);
        let mut device = case.on_gpu(&gpu);
        let mut again = |case: &Case, plan: &StoragePlan, density: bool| {
            let len = case.steps as usize * case.channels.len();
            case.gradient_on(&mut device, density, plan, |_| residual[..len].to_vec())
        };
        // Another shot, in between, has other channels and parameters.
        let fewer = Case { channels: case.channels[..2].to_vec(), ..case.clone() };
        for segments in [1, 3, 11] {
            let plan = StoragePlan::new(case.steps, 1, [1, 0], case.steps.div_ceil(segments)).unwrap();
            assert_eq!(plan.segments().len() as u64, segments);
            assert!(again(&case, &plan, true) == exact, "{with:?}, {segments} segments");
            assert!(again(&fewer, &plan, false).kappa != exact.kappa);
        }
    }
}

#[test]
fn gradients_of_fluids_with_attenuation_are_refused_on_a_gpu() {
    let Some(gpu) = gpu() else { return };
    let case = Case::new(PLANE);
    let medium = AcousticMedium::new(case.grid, |cell| case.fluid[case.grid.number(cell)]).unwrap();
    let mechanisms = FluidMechanisms {
        mechanisms: vec![FluidMechanism { rate: 50.0, polynomial: [1.6, -1.0, 0.0] }],
        points: MemoryPoints::All,
    };
    let medium = Arc::new(medium.with_losses(mechanisms, |_| 0.01));
    let found = GradientGpu::new(&gpu, medium, case.options, 1e-4, workers(1));
    assert!(matches!(found.err(), Some(GpuSetupError::Problem(FdError::LossyGradient))));
}
