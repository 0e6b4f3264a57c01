//! Ranks as processes that MPI has started, on one machine or many.
//!
//! | module | what it answers |
//! |---|---|
//! | `mpi` | who are the ranks, how do they gather, how does a run end that one of them leaves |
//! | `mpi::transfer` | how does a message travel, in pieces that MPI can count |
//! | `mpi::progress` | who looks after messages while all compute |
//! | `mpi::devices` | how does MPI send from the memory of devices, and does it |
//!
//! All of it stands behind the feature `mpi`, because the bindings are made of the MPI of this machine: without the feature the crate is empty.
#![deny(unsafe_code)]

#[cfg(feature = "mpi")]
mod mpi;

#[cfg(feature = "mpi")]
pub use mpi::Mpi;
