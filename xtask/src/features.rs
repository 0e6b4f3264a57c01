//! `cargo xtask features`: lints and tests of optional features, with several ranks for MPI.

use crate::shell;
use anyhow::Result;

/// The whole workspace with all optional features; crates without such features are not compiled again.
const WITH_FEATURES: &str = "--release --workspace --features craton-cli/mpi,craton-cli/metis";

/// The tests that differ with these features: those of ranks, which call mpirun themselves. The others run without.
const TESTS: &str = "--test mpi";

/// Variables that let Open MPI run as root, as in a container, and with more ranks than cores.
const ENVIRONMENT: [&str; 3] =
    ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"];

/// Lints and tests.
pub fn run() -> Result<()> {
    shell::run(&mut shell::cargo(&format!("clippy {WITH_FEATURES} --all-targets -- -D warnings")))?;
    let mut tests = shell::cargo(&format!("test {WITH_FEATURES} {TESTS}"));
    shell::run(tests.envs(ENVIRONMENT.map(|name| (name, "1"))))
}
