//! What only a survey can suffer.

use std::path::PathBuf;

use miette::Diagnostic;
use thiserror::Error;

/// Why a survey could not be completed.
#[derive(Debug, Error, Diagnostic)]
pub enum SurveyError {
    /// A file of gathers that cannot be read or written.
    #[error("{}: {source}", file.display())]
    #[diagnostic(help(
        "what the journal calls done is safe: make room, or mend what is named, and give the same command again"
    ))]
    Gathers {
        /// The file.
        file: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },

    /// A file of gathers that somebody has removed while shots were put into it.
    #[error("{} has been removed or cut while the survey was at work on it", file.display())]
    #[diagnostic(help("give the same command again: the shots that were in it are computed anew"))]
    LostOutput {
        /// The file.
        file: PathBuf,
    },

    /// A file in the folder of gathers that is none of them.
    #[error("{} is no file of the survey's", file.display())]
    #[diagnostic(help(
        "the folder comes and goes with its gathers: move the file elsewhere, and give the same command again"
    ))]
    OthersFile {
        /// The file.
        file: PathBuf,
    },

    /// Shots that are held or done by another kind of device than this process has, where all are to be computed on one kind.
    #[error("compute.reproducible = true: the survey has been begun on another kind of device than {device}")]
    #[diagnostic(help("go on with --device cpu, or --device cuda, as it was begun; or start anew with --overwrite"))]
    OtherKind {
        /// What this process computes on.
        device: &'static str,
    },

    /// Shots that are left when nothing computes any more.
    #[error("shots are left, and nothing here computes any more: {reason}")]
    #[diagnostic(help("give the same command again: what is done is kept"))]
    ShotsLeft {
        /// Why the first of what computed has ended.
        reason: String,
    },

    /// A survey none of whose shots could be computed.
    #[error("none of the shots could be computed: there is nothing to write")]
    #[diagnostic(help(
        "the journal keeps the reasons: give the command again with --retry-failed once the cause is mended"
    ))]
    NoShot,

    /// Somebody asked to stop before a shot was computed.
    #[error("stopped before the shot was computed")]
    Stopped,
}

impl SurveyError {
    /// Whether what was given is at fault, and not what became of it.
    pub fn is_bad_input(&self) -> bool {
        matches!(self, Self::OtherKind { .. } | Self::OthersFile { .. })
    }
}
