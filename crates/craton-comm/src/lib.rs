//! Messages between the ranks that compute one run together.
//!
//! A *rank* is a process of a run, or in tests a thread. What the rest of Craton knows of it is the trait [`Ranks`]:
//!
//! | module | what it answers |
//! |---|---|
//! | `ranks` | what ranks can do: gather, broadcast, exchange while they work, agree, stop together |
//! | `solo` | one rank: a run without MPI |
//! | `threads` | ranks as threads of one process, for tests without MPI |
//! | `agreement` | do all ranks compute the same run |
//! | `launch` | how many ranks were started, for programs that are built without MPI |
//!
//! Ranks as processes on one machine or many are those of `craton-mpi`.
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
