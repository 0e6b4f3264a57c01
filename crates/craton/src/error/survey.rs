//! Errors of surveys.

use std::path::PathBuf;

use miette::Diagnostic;
use thiserror::Error;

use crate::number::counted;

/// Why a survey could not be completed.
#[derive(Debug, Error, Diagnostic)]
pub enum SurveyError {
    /// A gather file could not be read or written.
    #[error("{}: {source}", file.display())]
    #[diagnostic(help("completed work is safe. Free disk space or fix the named problem, then repeat the command"))]
    Gathers {
        /// The file.
        file: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },

    /// A gather file was removed during the survey.
    #[error("{} was removed or truncated during the survey", file.display())]
    #[diagnostic(help("repeat the command: it recomputes the shots of this file"))]
    LostOutput {
        /// The file.
        file: PathBuf,
    },

    /// A foreign file in the folder of gathers.
    #[error("{} is not a file of this survey", file.display())]
    #[diagnostic(help("Craton replaces the folder with its gathers. Move the file elsewhere and repeat the command"))]
    OthersFile {
        /// The file.
        file: PathBuf,
    },

    /// With `compute.reproducible`, shots were computed on another kind of device than that of this process.
    #[error("compute.reproducible = true: this survey was started on another kind of device, not on {device}")]
    #[diagnostic(help(
        "continue on the same kind with --device cpu or --device cuda, or start again with --overwrite"
    ))]
    OtherKind {
        /// Kind of device of this process.
        device: &'static str,
    },

    /// Shots are left but all workers have stopped.
    #[error("shots are left, but all workers of this process have stopped: {reason}")]
    #[diagnostic(help("repeat the command to continue: completed shots are kept"))]
    ShotsLeft {
        /// Why the first worker stopped.
        reason: String,
    },

    /// A complete file without its failed shots, which only a lost journal names.
    #[error("{} was completed without {}, and the journal that names them is lost or damaged", file.display(), counted(*failed, "failed shot"))]
    #[diagnostic(help("restore the folder `journal`, or compute all shots again with --overwrite"))]
    UnknownFailures {
        /// The file.
        file: PathBuf,
        /// Number of shots that failed.
        failed: usize,
    },

    /// All shots of a survey failed.
    #[error("all shots failed: there is no gather to write")]
    #[diagnostic(help(
        "fix the cause, then repeat the command with --retry-failed. The journal has the reason of each shot"
    ))]
    NoShot,

    /// The pictures of a complete survey could not be drawn.
    #[error("the gathers are complete, but the pictures cannot be drawn: {error}")]
    #[diagnostic(help("free disk space or fix the named problem, then repeat the command: it draws the pictures"))]
    Pictures {
        /// Why.
        error: Box<super::Error>,
    },

    /// A survey whose gradient is not supported.
    #[error("there is no gradient of this survey: {message}")]
    #[diagnostic(help("{hint}"))]
    NoGradient {
        /// Why.
        message: String,
        /// What to do.
        hint: &'static str,
    },

    /// Observed gathers that do not match the survey.
    #[error("{place}: {problem}")]
    #[diagnostic(help("give the gathers of a survey with the same quantity, shots, channels and sample times"))]
    Observed {
        /// The file, or the calling program's data.
        place: String,
        /// What differs.
        problem: String,
    },

    /// A misfit of the calling program that failed or is invalid.
    #[error("{problem}")]
    #[diagnostic(help(
        "return the misfit and its derivative with respect to each sample, as many traces and samples as computed"
    ))]
    OwnMisfit {
        /// What is wrong.
        problem: String,
    },

    /// Insufficient memory for the forward fields of a gradient.
    #[error("the forward fields of a gradient need {needed} of memory, but {available} are available for each shot")]
    #[diagnostic(help(
        "do not request the exact gradient, reduce method.fd.aperture, or on cores compute fewer shots at a time with --threads"
    ))]
    GradientMemory {
        /// Least memory.
        needed: craton_run::Bytes,
        /// Available memory.
        available: craton_run::Bytes,
    },

    /// Gradients of shots with wrong checksums.
    #[error("the gradients of some shots are damaged on the disk")]
    #[diagnostic(help("repeat the command: it computes these shots again"))]
    DamagedGradients,

    /// A cancellation before a shot was computed.
    #[error("stopped before the shot was computed")]
    Stopped,
}

impl SurveyError {
    /// Whether the error is in the input.
    pub fn is_bad_input(&self) -> bool {
        matches!(
            self,
            Self::OtherKind { .. }
                | Self::OthersFile { .. }
                | Self::NoGradient { .. }
                | Self::Observed { .. }
                | Self::OwnMisfit { .. }
        )
    }
}
