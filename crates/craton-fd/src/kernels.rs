//! Check for the GPU kernels of a stencil.

use craton_device::gpu::{Gpu, GpuError};

use crate::error::GpuSetupError;
use crate::gpu::images;
use crate::sweep::Precision;

/// Checks, before a grid exists, that the kernels of a stencil are available on a GPU. Those of rare orders and of double precision are compiled
/// on this machine.
///
/// # Arguments
/// * `relaxes` – whether the medium attenuates waves
/// # Errors
/// [`GpuSetupError::NoKernels`] if they are not available; a device that fails.
pub fn require_kernels<T: Precision>(gpu: &Gpu, half_length: usize, relaxes: bool) -> Result<(), GpuSetupError> {
    let required: &[bool] = if relaxes { &[false, true] } else { &[false] };
    let load = |&relaxes: &bool| images::step::<T>(gpu, half_length, relaxes).map(drop);
    required.iter().try_for_each(load).map_err(|error| match error {
        GpuError::NoCode { .. } => GpuSetupError::NoKernels(error),
        other => other.into(),
    })
}
