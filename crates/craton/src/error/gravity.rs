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

    /// Somebody asked to stop before the first piece.
    #[error("stopped before the sums began")]
    #[diagnostic(help("nothing has been computed yet: give the same command again"))]
    Stopped,

    /// Pieces that are held or done by another kind of device than this process has.
    #[error("the sums have been begun on another kind of device than {device}")]
    #[diagnostic(help(
        "go on with --device cpu, or --device cuda, as they were begun; or start anew with --overwrite"
    ))]
    OtherKind {
        /// What this process computes on.
        device: &'static str,
    },

    /// A folder of sums of another problem.
    #[error("the sums in {} are of another problem: {changes}", directory.display())]
    #[diagnostic(help(
        "gravity.toml there is the problem that they are of; go on with that, name another folder by --set output.directory=FOLDER, or begin anew with --overwrite"
    ))]
    OtherProblem {
        /// The folder.
        directory: PathBuf,
        /// What has changed, in words.
        changes: String,
    },

    /// Prisms that a GPU cannot hold.
    #[error(
        "the sums need {needed} on {device}, where {free} can be had: {prisms} prisms, of which {fit} would fit; every GPU holds all of them"
    )]
    #[diagnostic(help(
        "end what else runs on the device, or compute on the CPU: --device cpu, best with method.accuracy"
    ))]
    DeviceMemory {
        /// Name of the device.
        device: String,
        /// What the sums need there.
        needed: craton_run::Bytes,
        /// What they may take there.
        free: craton_run::Bytes,
        /// Number of prisms.
        prisms: usize,
        /// How many would fit.
        fit: usize,
    },
}

impl GravityFailure {
    /// Whether what was given is at fault, and not what became of it.
    pub fn is_bad_input(&self) -> bool {
        matches!(
            self,
            Self::Path { .. } | Self::OtherKind { .. } | Self::OtherProblem { .. } | Self::DeviceMemory { .. }
        )
    }
}
