//! Tests of the public interface, one module per subject: `cargo test --release -p craton-cli --test all SUBJECT::`.

mod bad_input;
mod cli;
mod gravity;
mod limits;
mod memory;
#[cfg(feature = "mpi")]
mod mpi;
#[cfg(feature = "mpi")]
mod mpi_network;
mod options;
mod printing;
mod process;
mod resume;
mod small_run;
mod survey;
mod verify;
