//! Errors of the communication between ranks.

use std::fmt::{self, Display, Formatter};
use thiserror::Error;

/// A failure of this rank, as reported to the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What happened.
    pub message: String,
    /// Exit code of this rank; launchers pass on that of any rank.
    pub code: u8,
}

/// Errors of the communication between ranks.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CommError {
    /// Ranks that were started for different runs.
    #[error(
        "the ranks of this run differ in {what}: rank 0 on {host} has `{value}`, but {}; start all ranks with the \
         same program and the same files", list(.others)
    )]
    Disagreement {
        /// Name of the fact that differs
        what: String,
        /// Host of rank 0
        host: String,
        /// Value on rank 0
        value: String,
        /// Ranks with other values
        others: Vec<Dissent>,
    },
    /// A rank reported its failure to all others.
    #[error("rank {rank} on {host}: {message}")]
    Failed {
        /// First rank that failed
        rank: usize,
        /// Its host
        host: String,
        /// Its message
        message: String,
        /// Exit code of all ranks
        code: u8,
    },
    /// A rank ended before it had sent a message that others wait for.
    #[error("rank {rank} ended before the others; see its own message for the reason")]
    Lost {
        /// Rank that ended
        rank: usize,
    },
    /// A message is longer or shorter than its receive buffer.
    #[error(
        "the message from rank {rank} with tag {tag} has {found} bytes instead of {expected}; \
         the ranks have cut the mesh differently"
    )]
    Length {
        /// Rank that sent it
        rank: usize,
        /// Its tag
        tag: u16,
        /// Length of the receive buffer in bytes
        expected: usize,
        /// Bytes received
        found: usize,
    },
    /// A message to or from a rank that does not exist.
    #[error("rank {rank} does not exist; this run has {count} ranks, numbered from 0")]
    NoSuchRank {
        /// Offending number
        rank: usize,
        /// Ranks of the run
        count: usize,
    },
    /// A tag above the largest that every MPI supports.
    #[error("message tag {tag} is out of range; choose 0 to {}", crate::LARGEST_TAG)]
    Tag {
        /// Offending tag
        tag: u16,
    },
    /// A program without MPI was started as several ranks.
    #[error(
        "this program was built without MPI but started as {launched} ranks, each of which would do all the work; \
         start it once, or build it with `--features mpi`"
    )]
    WithoutMpi {
        /// Ranks that were started
        launched: usize,
    },
    /// The numbers of ranks of the launcher and of MPI differ.
    #[error(
        "{launched} ranks were started, but MPI finds {found}: mpirun or srun belongs to a different MPI than this program, \
         which has {library}; take the mpirun of that one, or with Slurm choose by `srun --mpi` what it understands"
    )]
    Launcher {
        /// Ranks that were started
        launched: usize,
        /// Ranks that MPI finds
        found: usize,
        /// The MPI of this program
        library: String,
    },
    /// An MPI without support for calls from several threads.
    #[error(
        "this MPI ({library}) does not support calls from several threads (MPI_THREAD_SERIALIZED); \
         use one that was built with threads"
    )]
    Threads {
        /// The MPI of this program
        library: String,
    },
    /// MPI was initialised twice.
    #[error("MPI is already initialised in this process; call `Mpi::init` once and share the result")]
    StartedTwice,
    /// A message that cannot be decoded.
    #[error("rank {rank} sent {bytes} bytes that cannot be decoded; start all ranks with the same program")]
    NotUnderstood {
        /// Rank that sent them
        rank: usize,
        /// Their number
        bytes: usize,
    },
}

/// A rank whose value differs from that of rank 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dissent {
    /// Its number
    pub rank: usize,
    /// Its host
    pub host: String,
    /// Its value
    pub value: String,
}

impl Display for Dissent {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} on {} has `{}`", self.rank, self.host, self.value)
    }
}

/// Lists up to three ranks and the number of the others: a cluster may have thousands.
fn list(others: &[Dissent]) -> String {
    let named: Vec<String> = others.iter().take(3).map(Dissent::to_string).collect();
    let rest = others.len() - named.len();
    let more = if rest > 0 { format!(" (and {rest} more ranks)") } else { String::new() };
    named.join(", ") + &more
}
