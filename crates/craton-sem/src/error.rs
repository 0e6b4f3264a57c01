//! Errors of a discretisation.

use craton_comm::CommError;

/// Error of a discretisation.
#[derive(Debug, thiserror::Error)]
pub enum SemError {
    /// The degree is out of range.
    #[error(transparent)]
    Quadrature(#[from] craton_numerics::NumericsError),
    /// The mesh is invalid.
    #[error(transparent)]
    Mesh(#[from] craton_mesh::MeshError),
    /// Another rank is lost.
    #[error(transparent)]
    Ranks(#[from] CommError),
}
