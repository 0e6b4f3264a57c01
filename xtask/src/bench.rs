//! `cargo xtask bench`: runs the benchmarks one after the other, so that they do not disturb each other.

use crate::shell;
use anyhow::{Result, bail};
use std::fs;

/// Runs the benchmarks of one crate, or of all crates.
pub fn run(options: &[&str]) -> Result<()> {
    let packages = match options {
        [] => with_benches()?,
        [package] => vec![(*package).to_owned()],
        _ => bail!("bench takes at most one crate"),
    };
    for package in packages {
        println!("== {package}");
        shell::run(&mut shell::cargo(&format!("bench --package {package}")))?;
    }
    Ok(())
}

/// Names of the crates with a folder `benches`.
fn with_benches() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir("crates")? {
        let entry = entry?;
        if entry.path().join("benches").is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort_unstable();
    Ok(names)
}
