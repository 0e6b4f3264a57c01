//! A refusal that costs nothing: too little disk is said before the work starts.

use crate::{Bytes, RunError};
use std::path::Path;

/// Free space of the file system that `directory` is on, or will be on when it is created.
///
/// # Errors
/// [`RunError::Io`] when the file system does not answer.
pub fn free_disk(directory: &Path) -> Result<Bytes, RunError> {
    let absolute = std::path::absolute(directory).map_err(RunError::io("resolve", directory))?;
    let existing = absolute.ancestors().find(|path| path.exists()).unwrap_or(Path::new("/"));
    fs4::available_space(existing).map(Bytes).map_err(RunError::io("ask the free space of", existing))
}

/// Refuses a job that writes more than the disk takes.
///
/// # Errors
/// [`RunError::TooLittleDisk`] with what is needed and what there is; [`RunError::Io`] when the file system does not answer.
pub fn require_disk(directory: &Path, needed: Bytes) -> Result<(), RunError> {
    let available = free_disk(directory)?;
    if available < needed {
        return Err(RunError::TooLittleDisk { directory: directory.to_owned(), needed, available });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_too_large_are_refused_with_both_figures() {
        let folder = tempfile::tempdir().unwrap();
        let not_yet_there = folder.path().join("a/b");
        require_disk(&not_yet_there, Bytes(1)).unwrap();
        let error = require_disk(&not_yet_there, Bytes(1 << 60)).unwrap_err().to_string();
        assert!(error.contains("1153 PB") && error.contains("free"), "{error}");
        assert!(!not_yet_there.exists());
    }
}
