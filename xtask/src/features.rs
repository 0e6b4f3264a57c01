//! `cargo xtask features`: lints and tests of optional features, with several ranks for MPI.

use crate::shell;
use anyhow::Result;

/// The whole workspace with all optional features; crates without such features are not compiled again.
const WITH_FEATURES: &str = "--release --workspace --features craton-cli/mpi,craton-cli/metis";

/// The tests that differ with these features: those of ranks, which call mpirun themselves. The others run without.
const TESTS: [&str; 2] = ["--test mpi", "--package craton-cli --test all mpi::"];

/// Variables that let Open MPI run as root, as in a container, and with more ranks than cores.
const ENVIRONMENT: [&str; 3] =
    ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"];

/// Lints and tests.
pub fn run() -> Result<()> {
    shell::run(&mut shell::cargo(&format!("clippy {WITH_FEATURES} --all-targets -- -D warnings")))?;
    for tests in TESTS {
        let mut command = shell::cargo(&format!("test {WITH_FEATURES} {tests}"));
        shell::run(command.envs(ENVIRONMENT.map(|name| (name, "1"))))?;
    }
    Ok(())
}
