//! Every example runs as it stands, and its results stay for the readers.

use crate::shell;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// Folder of the results of all examples.
pub fn results() -> PathBuf {
    shell::target().join("ci-examples")
}

/// Runs every scenario in `examples/` with the command that a user has.
pub fn run() -> Result<()> {
    let scenarios = scenarios()?;
    if scenarios.is_empty() {
        bail!("there is no example");
    }
    for scenario in &scenarios {
        let name = scenario.file_stem().context("a scenario has a name")?;
        let directory = results().join(name);
        println!("-- {}", scenario.display());
        let mut command = shell::cargo("run --quiet --release --bin craton -- run --overwrite");
        command.arg("--set").arg(format!("output.directory={:?}", directory.display().to_string()));
        shell::run(command.arg(scenario))?;
    }
    Ok(())
}

/// Files `examples/NAME/*.toml`, in order.
fn scenarios() -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for folder in fs::read_dir("examples").context("cannot read examples")? {
        let folder = folder?.path();
        if folder.is_dir() {
            for file in fs::read_dir(&folder)? {
                found.push(file?.path());
            }
        }
    }
    found.retain(|path: &PathBuf| path.extension() == Some(Path::new("toml").as_os_str()));
    found.sort_unstable();
    Ok(found)
}
