//! Ranks as MPI processes, on one or many machines.
//!
//! | module | contents |
//! |---|---|
//! | `mpi` | start, collective operations, end of a run when one rank fails |
//! | `mpi::transfer` | point-to-point messages, in pieces that MPI can count |
//! | `mpi::progress` | a thread that drives messages during computation |
//! | `mpi::devices` | messages in device memory, and whether MPI supports them |
//!
//! All modules require the feature `mpi`, because the bindings are generated from the MPI of this machine. Without it the crate is empty.
#![deny(unsafe_code)]

#[cfg(feature = "mpi")]
mod mpi;

#[cfg(feature = "mpi")]
pub use mpi::Mpi;
