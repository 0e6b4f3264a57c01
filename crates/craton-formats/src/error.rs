//! Errors of this crate.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::escape::shortened;

/// Result of reading or writing a file.
pub type Result<T, E = FormatError> = std::result::Result<T, E>;

/// Why a file could not be read or written: where, what was found, and what was expected.
#[derive(Debug, Error)]
pub enum FormatError {
    /// The operating system refused an operation.
    #[error("{}: cannot {action}: {source}; {hint}", shortened(&path.to_string_lossy()))]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The operation, as a verb phrase: `read the file`.
        action: &'static str,
        /// The reason given by the operating system.
        source: io::Error,
        /// What to do.
        hint: &'static str,
    },

    /// A required line of a text file is missing.
    #[error("{path}:{line}: `{key}` is missing, found {found}; expected {expected}")]
    MissingKey {
        /// The file.
        path: PathBuf,
        /// Line at which the key was expected, from 1.
        line: usize,
        /// The key.
        key: &'static str,
        /// What was found instead.
        found: String,
        /// The expected line.
        expected: String,
    },

    /// A value of a text file is malformed or outside its range.
    #[error("{path}:{line}: {} = `{value}`; expected {expected}", shortened(key))]
    BadValue {
        /// The file.
        path: PathBuf,
        /// Line of the value, from 1.
        line: usize,
        /// The value: a key, or a row and a column.
        key: String,
        /// The value as written.
        value: String,
        /// The allowed form and range.
        expected: String,
    },

    /// The lines of a text file are inconsistent.
    #[error("{path}:{line}: {problem}; {hint}")]
    Layout {
        /// The file.
        path: PathBuf,
        /// Line where the problem was found, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
        /// What to do.
        hint: String,
    },

    /// A field of a binary file is outside its range.
    #[error("{path}: {} = {}; expected {expected}", shortened(field), shortened(value))]
    BadField {
        /// The file.
        path: PathBuf,
        /// The field, with the name used by the format.
        field: String,
        /// Its value.
        value: String,
        /// The allowed range and a hint.
        expected: String,
    },

    /// The format cannot represent the data; nothing was written.
    #[error("{path}: not written: {what} = {value}; expected {expected}")]
    Unwritable {
        /// The file that was to be written.
        path: PathBuf,
        /// Which part of the data.
        what: String,
        /// Its value.
        value: String,
        /// What the format can hold.
        expected: String,
    },
}

/// A value that a format does not allow, when the file is not known yet.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{what} = {value}; expected {expected}")]
pub struct Refused {
    /// Which part of the data.
    pub what: String,
    /// Its value.
    pub value: String,
    /// The allowed range and a hint.
    pub expected: String,
}

impl Refused {
    pub(crate) fn new(what: impl Into<String>, value: impl ToString, expected: impl Into<String>) -> Self {
        let value = shortened(&value.to_string()).into_owned();
        Self { what: what.into(), value, expected: expected.into() }
    }

    /// Converts to the error of writing a file.
    pub fn unwritable(self, path: &Path) -> FormatError {
        let Self { what, value, expected } = self;
        FormatError::Unwritable { path: path.to_owned(), what, value, expected }
    }

    /// Converts to the error of reading a file.
    pub fn unreadable(self, path: &Path) -> FormatError {
        let Self { what, value, expected } = self;
        FormatError::BadField { path: path.to_owned(), field: what, value, expected }
    }
}
