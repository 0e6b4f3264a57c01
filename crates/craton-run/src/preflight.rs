//! Checks for free disk space before a job starts.

use crate::{Bytes, RunError};
use std::path::Path;

/// Free space of the file system that holds `directory`, or will hold it once it is created.
///
/// # Errors
/// [`RunError::Io`] when the file system does not report its free space.
pub fn free_disk(directory: &Path) -> Result<Bytes, RunError> {
    let absolute = std::path::absolute(directory).map_err(RunError::io("resolve", directory))?;
    let existing = absolute.ancestors().find(|path| path.exists()).unwrap_or(Path::new("/"));
    fs4::available_space(existing).map(Bytes).map_err(RunError::io("query the free space of", existing))
}

/// Refuses a job that would write more than the free disk space.
///
/// # Arguments
/// * `needed` – size of all files of the job
/// * `present` – size of those that exist already, or of others that the job removes first
/// # Errors
/// [`RunError::TooLittleDisk`] with the space needed and the free space; [`RunError::Io`] when the file system does not report its free
/// space.
pub fn require_disk(directory: &Path, needed: Bytes, present: Bytes) -> Result<(), RunError> {
    let needed = Bytes(needed.0.saturating_sub(present.0));
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
    fn results_that_exceed_the_disk_are_refused_with_both_sizes() {
        let folder = tempfile::tempdir().unwrap();
        let not_yet_there = folder.path().join("a/b");
        require_disk(&not_yet_there, Bytes(1), Bytes(0)).unwrap();
        require_disk(&not_yet_there, Bytes(1 << 60), Bytes(1 << 60)).unwrap();
        let error = require_disk(&not_yet_there, Bytes(1 << 60), Bytes(0)).unwrap_err().to_string();
        assert!(error.contains("1153 PB") && error.contains("free"), "{error}");
        assert!(!not_yet_there.exists());
    }
}
