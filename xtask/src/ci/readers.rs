//! What Craton writes is read back by the programs that people use: ObsPy, meshio, VTK, netCDF4, xarray.

use super::examples;
use crate::shell;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

const REQUIREMENTS: &str = "validation/readers/requirements.txt";
const CHECK: &str = "validation/readers/check_all.py";

/// Reads one file of every kind, and the results of the examples, with Python packages that stand in an environment of their own.
pub fn run() -> Result<()> {
    let python = environment()?;
    for directory in [samples()?, examples::results()] {
        shell::run(Command::new(&python).arg(CHECK).arg(directory))?;
    }
    Ok(())
}

/// Writes one file of every kind that the formats crate knows.
fn samples() -> Result<PathBuf> {
    let directory = shell::target().join("ci-samples");
    let mut command = shell::cargo("run --quiet --release --package craton-formats --example write_samples --");
    shell::run(command.arg(&directory))?;
    Ok(directory)
}

/// The Python of the environment, which is made on first use.
fn environment() -> Result<PathBuf> {
    let folder = shell::target().join("readers-venv");
    let python = folder.join("bin/python");
    if !python.exists() {
        shell::run(Command::new("python3").args(["-m", "venv"]).arg(&folder))
            .context("Python 3 with venv is needed")?;
    }
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]);
    shell::run(install.arg(Path::new(REQUIREMENTS)))?;
    Ok(python)
}
