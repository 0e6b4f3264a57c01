//! What can go wrong between ranks, told with the rank, its host and what to do.

use std::fmt::{self, Display, Formatter};
use thiserror::Error;

/// A failure of this rank, as it is told to the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What happened.
    pub message: String,
    /// Exit code that this rank leaves with: launchers pass on that of any rank.
    pub code: u8,
}

/// Ranks that cannot go on together.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CommError {
    /// Ranks that were started for different runs.
    #[error(
        "the ranks of this run differ in {what}: rank 0 on {host} has `{value}`, but {}; start all ranks with the \
         same program and the same files", list(.others)
    )]
    Disagreement {
        /// What they differ in
        what: String,
        /// Host of rank 0
        host: String,
        /// What rank 0 has
        value: String,
        /// Ranks that have something else
        others: Vec<Dissent>,
    },
    /// A rank reported a failure of its own to all.
    #[error("rank {rank} on {host}: {message}")]
    Failed {
        /// First rank that failed
        rank: usize,
        /// Its host
        host: String,
        /// What it said
        message: String,
        /// Exit code that it leaves with, and so do the others
        code: u8,
    },
    /// A rank ended before it had sent what others wait for.
    #[error("rank {rank} ended before the others; its own message says why")]
    Lost {
        /// Rank that ended
        rank: usize,
    },
    /// A message is longer or shorter than the place that waits for it.
    #[error(
        "the message from rank {rank} with tag {tag} has {found} bytes where {expected} were expected; \
         the ranks have cut the mesh differently"
    )]
    Length {
        /// Rank that sent it
        rank: usize,
        /// Its tag
        tag: u16,
        /// Bytes that the receiver has room for
        expected: usize,
        /// Bytes that came
        found: usize,
    },
    /// A message to or from a rank that is not there.
    #[error("there is no rank {rank}: this run has {count}, numbered from 0")]
    NoSuchRank {
        /// Offending number
        rank: usize,
        /// Ranks of the run
        count: usize,
    },
    /// A tag that not every MPI can send.
    #[error("tag {tag} is not allowed; choose 0 to {}", crate::LARGEST_TAG)]
    Tag {
        /// Offending tag
        tag: u16,
    },
    /// Several ranks of a program that was built without MPI.
    #[error(
        "this program was started as {launched} ranks but built without MPI, so each would do the whole work; \
         start it once, or build it with `--features mpi`"
    )]
    WithoutMpi {
        /// Ranks that were started
        launched: usize,
    },
    /// MPI sees other ranks than those that were started.
    #[error(
        "{launched} ranks were started, but MPI finds {found}: mpirun or srun belongs to another MPI than this program, \
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
    /// An MPI that threads cannot use in turn.
    #[error(
        "this MPI ({library}) cannot be used by several threads in turn (MPI_THREAD_SERIALIZED); \
         use one that was built with threads"
    )]
    Threads {
        /// The MPI of this program
        library: String,
    },
    /// MPI was started before.
    #[error("MPI was started before in this process; start it once and share what it returns")]
    StartedTwice,
    /// Bytes that are not what this program would have sent.
    #[error("rank {rank} sent {bytes} bytes that cannot be understood; start all ranks with the same program")]
    NotUnderstood {
        /// Rank that sent them
        rank: usize,
        /// How many
        bytes: usize,
    },
}

/// A rank that differs from rank 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Dissent {
    /// Its number
    pub rank: usize,
    /// Its host
    pub host: String,
    /// What it has
    pub value: String,
}

impl Display for Dissent {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} on {} has `{}`", self.rank, self.host, self.value)
    }
}

/// Names three ranks and counts the rest: a cluster has thousands.
fn list(others: &[Dissent]) -> String {
    let named: Vec<String> = others.iter().take(3).map(Dissent::to_string).collect();
    let rest = others.len() - named.len();
    let more = if rest > 0 { format!(" (and {rest} more ranks)") } else { String::new() };
    named.join(", ") + &more
}
