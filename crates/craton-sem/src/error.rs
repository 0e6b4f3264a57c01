//! What can be wrong with a discretisation, and with a run.

use craton_comm::CommError;
use craton_device::gpu::GpuError;
use craton_sim::Instability;

/// Why a scenario cannot be discretised.
#[derive(Debug, thiserror::Error)]
pub enum SemError {
    /// The degree is outside the rule's range.
    #[error(transparent)]
    Quadrature(#[from] craton_numerics::NumericsError),
    /// The mesh is not sound.
    #[error(transparent)]
    Mesh(#[from] craton_mesh::MeshError),
    /// Another rank is lost.
    #[error(transparent)]
    Ranks(#[from] CommError),
}

/// Why a run cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The field is no longer finite.
    #[error(transparent)]
    Unstable(#[from] Instability),
    /// The device has failed.
    #[error("at step {step}: {fault}")]
    Device {
        /// Steps asked for when it was seen; the device may not have made them all.
        step: u64,
        /// What the device said.
        fault: GpuError,
    },
    /// Another rank is lost.
    #[error(transparent)]
    Ranks(#[from] CommError),
}
