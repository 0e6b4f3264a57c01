//! What only sums of gravity can suffer.

use std::path::PathBuf;

use miette::Diagnostic;
use thiserror::Error;

/// Why gravity could not be computed.
#[derive(Debug, Error, Diagnostic)]
pub enum GravityFailure {
    /// The file of values that cannot be read or written.
    #[error("{}: {source}", file.display())]
    #[diagnostic(help(
        "what the journal calls done is safe: make room, or mend what is named, and give the same command again"
    ))]
    Values {
        /// The file.
        file: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },

    /// The file of values that somebody has removed.
    #[error("{} has been removed or cut while sums were put into it", file.display())]
    #[diagnostic(help("give the same command again: the points that were in it are computed anew"))]
    LostValues {
        /// The file.
        file: PathBuf,
    },

    /// A way to the sums that was asked for and cannot be gone.
    #[error("method.path = \"{path}\": {reason}")]
    #[diagnostic(help(
        "leave method.path out, or set it to \"auto\": the fastest way that keeps the accuracy is taken"
    ))]
    Path {
        /// The way.
        path: &'static str,
        /// Why it cannot be gone.
        reason: String,
    },
}

impl GravityFailure {
    /// Whether what was given is at fault, and not what became of it.
    pub fn is_bad_input(&self) -> bool {
        matches!(self, Self::Path { .. })
    }
}
