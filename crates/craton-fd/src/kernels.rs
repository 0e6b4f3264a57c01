//! Whether a GPU can compute at all.

use craton_device::gpu::{Gpu, GpuError};

use crate::error::GpuSetupError;
use crate::gpu::images;
use crate::sweep::Precision;

/// Finds out whether a GPU has the kernels of a stencil, before there is a grid: those of rare orders, and of double precision, are compiled on the
/// machine.
///
/// # Errors
/// [`GpuSetupError::NoKernels`] where it has none; a device that fails.
pub fn require_kernels<T: Precision>(gpu: &Gpu, half_length: usize) -> Result<(), GpuSetupError> {
    images::step::<T>(gpu, half_length).map(drop).map_err(|error| match error {
        GpuError::NoCode { .. } => GpuSetupError::NoKernels(error),
        other => other.into(),
    })
}
