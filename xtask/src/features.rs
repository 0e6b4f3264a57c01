//! `cargo xtask features`: what is built on request only, with several ranks where it is MPI.

use crate::shell;
use anyhow::Result;

/// A package with features that are built on request, and the tests that differ with them, as arguments of cargo: the others have run without.
const TARGETS: [(&str, &str); 2] =
    [("--package craton-mpi --features mpi", ""), ("--package craton-cli --features mpi,metis", "--test mpi")];

/// What Open MPI wants to be told before it runs as root, as in a container, and with more ranks than there are cores.
const ENVIRONMENT: [&str; 3] =
    ["OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "OMPI_MCA_rmaps_base_oversubscribe"];

/// Lints and tests every target with its feature. Tests of ranks call mpirun themselves.
pub fn run() -> Result<()> {
    for (target, tests) in TARGETS {
        shell::run(&mut shell::cargo(&format!("clippy --release --all-targets {target} -- -D warnings")))?;
        let mut tests = shell::cargo(&format!("test --release {target} {tests}"));
        shell::run(tests.envs(ENVIRONMENT.map(|name| (name, "1"))))?;
    }
    Ok(())
}
