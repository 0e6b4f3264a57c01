//! The ranks among which this process was started.

use std::sync::Arc;

use craton::comm::{CommError, Ranks, Solo, launched_ranks};

/// The ranks of MPI, or this process alone.
///
/// MPI is initialised only if a launcher has started several ranks, so that a program built with MPI also runs without
/// it.
///
/// # Errors
/// [`CommError::WithoutMpi`] if several ranks were started and this program was built without MPI; errors of MPI
/// initialisation.
pub fn join_run() -> Result<Arc<dyn Ranks>, CommError> {
    match launched_ranks() {
        None | Some(1) => Ok(Arc::new(Solo)),
        #[cfg(feature = "mpi")]
        Some(_) => Ok(Arc::new(craton_mpi::Mpi::init()?)),
        #[cfg(not(feature = "mpi"))]
        Some(launched) => Err(CommError::WithoutMpi { launched }),
    }
}
