//! What can be wrong with a discretisation.

use craton_comm::CommError;

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
