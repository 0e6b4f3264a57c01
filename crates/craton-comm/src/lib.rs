//! Communication between the ranks of a run.
//!
//! A *rank* is a process of a run, or in tests a thread. The rest of Craton uses it only through the trait [`Ranks`]:
//!
//! | module | contents |
//! |---|---|
//! | `ranks` | the trait: gather, broadcast, exchange overlapped with computation, agreement, common end |
//! | `solo` | a single rank: a run without MPI |
//! | `threads` | ranks as threads of one process, for tests without MPI |
//! | `agreement` | checks that all ranks compute the same run |
//! | `launch` | the number of ranks that a launcher started, for programs built without MPI |
//!
//! `craton-mpi` implements ranks as processes on one or many machines.
#![forbid(unsafe_code)]

mod agreement;
mod error;
mod launch;
mod ranks;
mod solo;
mod threads;

pub use error::{CommError, Dissent, Fault};
pub use launch::launched_ranks;
pub use ranks::{DeviceRanks, Incoming, LARGEST_TAG, Message, Outgoing, Ranks, check_addresses};
pub use solo::Solo;
pub use threads::{ThreadRank, on_threads, thread_ranks};
