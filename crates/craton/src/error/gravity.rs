//! Errors of gravity problems.

use std::path::PathBuf;

use miette::Diagnostic;
use thiserror::Error;

/// Why gravity could not be computed.
#[derive(Debug, Error, Diagnostic)]
pub enum GravityFailure {
    /// The file of values could not be read or written.
    #[error("{}: {source}", file.display())]
    #[diagnostic(help("completed work is safe. Free disk space or fix the named problem, then repeat the command"))]
    Values {
        /// The file.
        file: PathBuf,
        /// The error of the operating system.
        source: std::io::Error,
    },

    /// The file of values was removed during the run.
    #[error("{} was removed or truncated during the computation", file.display())]
    #[diagnostic(help("repeat the command: it recomputes the points of this file"))]
    LostValues {
        /// The file.
        file: PathBuf,
    },

    /// A requested algorithm that is not applicable.
    #[error("method.path = \"{path}\": {reason}")]
    #[diagnostic(help("leave method.path out or set it to \"auto\" for the fastest applicable algorithm"))]
    Path {
        /// The algorithm.
        path: &'static str,
        /// Why it is not applicable.
        reason: String,
    },

    /// Single precision was requested for bodies that GPUs sum in double precision.
    #[error(
        "method.precision = \"single\": is available for prisms only, but compute.device or --device requests GPUs for tesseroids (allowed: \"double\")"
    )]
    #[diagnostic(help("remove method.precision"))]
    SingleTesseroids,

    /// Interrupted before the first piece.
    #[error("interrupted before the summation began")]
    #[diagnostic(help("nothing has been computed yet. Repeat the command to start again"))]
    Stopped,

    /// Pieces were computed on another kind of device than that of this process.
    #[error("this computation was started on another kind of device, not on {device}")]
    #[diagnostic(help(
        "continue on the same kind with --device cpu or --device cuda, or start again with --overwrite"
    ))]
    OtherKind {
        /// Kind of device of this process.
        device: &'static str,
    },

    /// The folder contains another gravity problem.
    #[error("{} contains the results of another problem: {changes}", directory.display())]
    #[diagnostic(help(
        "continue with gravity.toml of that folder, choose another folder with --set output.directory=FOLDER, or start again with --overwrite"
    ))]
    OtherProblem {
        /// The folder.
        directory: PathBuf,
        /// The differences, in words.
        changes: String,
    },

    /// The bodies do not fit into the memory of a GPU.
    #[error(
        "{bodies} {noun} need {needed} on {device}, which has {free} available: at most {fit} {noun} fit. Every GPU stores all {noun}"
    )]
    #[diagnostic(help(
        "stop other programs on this device, or use the CPU: --device cpu, preferably with method.accuracy"
    ))]
    DeviceMemory {
        /// Name of the device.
        device: String,
        /// Required memory.
        needed: craton_run::Bytes,
        /// Available memory.
        free: craton_run::Bytes,
        /// Number of bodies.
        bodies: usize,
        /// What the bodies are made of.
        noun: &'static str,
        /// Number of bodies that fit.
        fit: usize,
    },
}

impl GravityFailure {
    /// Whether the error is in the input.
    pub fn is_bad_input(&self) -> bool {
        matches!(
            self,
            Self::Path { .. }
                | Self::SingleTesseroids
                | Self::OtherKind { .. }
                | Self::OtherProblem { .. }
                | Self::DeviceMemory { .. }
        )
    }
}
