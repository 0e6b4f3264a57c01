//! Verification of complete results against recorded checksums.

use std::fmt;
use std::path::{Path, PathBuf};

use craton_run::{RunError, RunRecord, RunStatus};

use crate::checksums::{Comparison, compare};
use crate::error::Error;
use crate::number::counted;

/// The message of a command that found complete results.
pub(crate) const NOT_VERIFIED: &str =
    "the results were complete before, and their files have not been read. --verify compares them with their checksums";

/// Largest number of damaged files in a message.
const LISTED: usize = 10;

/// Results that equal their recorded checksums.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verified {
    /// The results folder.
    pub directory: PathBuf,
    /// What was compared: "12 files", "640 shots".
    pub compared: Vec<String>,
    /// What could not be compared, and why.
    pub warnings: Vec<String>,
}

impl fmt::Display for Verified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} in {} equal their checksums", self.compared.join(" and "), self.directory.display())?;
        self.warnings.iter().try_for_each(|warning| writeln!(f, "warning: {warning}"))
    }
}

/// The record of complete results.
///
/// # Errors
/// A folder without a record, or with incomplete results.
pub(crate) fn complete_record(directory: &Path) -> Result<RunRecord, Error> {
    let record = RunRecord::read(directory)?;
    match record.status {
        RunStatus::Complete => Ok(record),
        _ => Err(unverifiable(directory, "they are not complete")),
    }
}

/// The error of results without checksums that apply.
pub(crate) fn unverifiable(directory: &Path, reason: &str) -> Error {
    RunError::Unverifiable { directory: directory.to_owned(), reason: reason.to_owned() }.into()
}

/// Compares the files of a record with their checksums.
///
/// # Errors
/// Changed or missing files; a record without checksums.
pub(crate) fn files(directory: &Path, record: &RunRecord) -> Result<Verified, Error> {
    let Comparison { files, changed } = compare(record, directory);
    require_intact(directory, changed)?;
    if files == 0 {
        return Err(unverifiable(directory, "run.json lists no checksums: an earlier version wrote it"));
    }
    Ok(Verified { directory: directory.to_owned(), compared: vec![counted(files, "file")], warnings: Vec::new() })
}

/// Rejects damaged results.
///
/// # Errors
/// [`RunError::DamagedResults`] with the first of them.
pub(crate) fn require_intact(directory: &Path, mut damaged: Vec<String>) -> Result<(), Error> {
    if damaged.is_empty() {
        return Ok(());
    }
    let more = damaged.len().saturating_sub(LISTED);
    damaged.truncate(LISTED);
    damaged.extend((more > 0).then(|| format!("and {more} more")));
    Err(RunError::DamagedResults { directory: directory.to_owned(), damaged: damaged.join("; ") }.into())
}
