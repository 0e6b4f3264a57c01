//! The ranks of a run, and how this process joins them.

pub use craton_comm::*;

use crate::error::Error;

/// The ranks among which this process was started: those of MPI, or itself alone.
///
/// MPI is initialised only if a launcher has started several ranks, so that a program built with MPI also runs without
/// it.
///
/// # Errors
/// [`CommError::WithoutMpi`] if several ranks were started and this program was built without MPI; errors of MPI
/// initialisation.
pub fn join_run() -> Result<Box<dyn Ranks>, CommError> {
    join(launched_ranks())
}

fn join(launched: Option<usize>) -> Result<Box<dyn Ranks>, CommError> {
    match launched {
        None | Some(1) => Ok(Box::new(Solo)),
        #[cfg(feature = "mpi")]
        Some(_) => Ok(Box::new(craton_mpi::Mpi::init()?)),
        #[cfg(not(feature = "mpi"))]
        Some(launched) => Err(CommError::WithoutMpi { launched }),
    }
}

/// The results of all ranks, or on all of them the error of the first rank that failed.
pub(crate) fn together<R>(ranks: &dyn Ranks, done: Result<R, Error>) -> Result<R, Error> {
    let outcome =
        done.as_ref().map(|_| ()).map_err(|error| Fault { message: error.to_string(), code: error.exit_code() });
    match (ranks.confirm(outcome), done) {
        (Ok(()), done) => done,
        (Err(_), Err(own)) if ranks.count() == 1 => Err(own),
        (Err(_), Err(own)) if ranks.is_root() => Err(Error::Together(Box::new(own))),
        (Err(other), _) => Err(other.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_process_requires_no_mpi() {
        for launched in [None, Some(1)] {
            assert_eq!(join(launched).unwrap().count(), 1);
        }
    }

    #[cfg(not(feature = "mpi"))]
    #[test]
    fn without_mpi_several_ranks_are_refused() {
        assert_eq!(join(Some(3)).unwrap_err(), CommError::WithoutMpi { launched: 3 });
    }
}
