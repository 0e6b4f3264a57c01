//! The ranks of a run, and their common results.

pub use craton_comm::*;

use crate::error::Error;

/// The results of all ranks, or on all of them the error of the first rank that failed.
pub(crate) fn together<R>(ranks: &dyn Ranks, done: Result<R, Error>) -> Result<R, Error> {
    let outcome =
        done.as_ref().map(|_| ()).map_err(|error| Fault { message: error.to_string(), code: error.exit_code() });
    match (ranks.confirm(outcome), done) {
        (Ok(()), done) => done,
        (Err(_), Err(own)) if ranks.count() == 1 || own.is_known_to_all_ranks() => Err(own),
        (Err(_), Err(own)) if ranks.is_root() => Err(Error::Together(Box::new(own))),
        (Err(other), _) => Err(other.into()),
    }
}
