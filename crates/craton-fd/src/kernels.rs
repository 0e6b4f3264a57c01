//! Check for the GPU kernels of a stencil.

use craton_device::gpu::{Gpu, GpuError};

use crate::error::GpuSetupError;
use crate::gpu::images;
use crate::sweep::Precision;

/// Checks, before a grid exists, that the kernels of a stencil are available on a GPU. Those of rare orders and of double precision are compiled
/// on this machine.
///
/// # Errors
/// [`GpuSetupError::NoKernels`] if they are not available; a device that fails.
pub fn require_kernels<T: Precision>(gpu: &Gpu, half_length: usize) -> Result<(), GpuSetupError> {
    images::step::<T>(gpu, half_length).map(drop).map_err(|error| match error {
        GpuError::NoCode { .. } => GpuSetupError::NoKernels(error),
        other => other.into(),
    })
}
