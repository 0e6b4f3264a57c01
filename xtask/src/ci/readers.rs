//! Reads files written by Craton with third-party programs: ObsPy, pyasdf, meshio, VTK, netCDF4, xarray.

use super::examples;
use crate::shell;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

const REQUIREMENTS: &str = "validation/readers/requirements.txt";
const CHECK: &str = "validation/readers/check_all.py";

/// Reads one file of every kind, and the results of the examples, with Python packages in a separate environment.
pub fn run() -> Result<()> {
    let python = environment()?;
    for directory in [samples()?, examples::results()] {
        shell::run(Command::new(&python).arg(CHECK).arg(directory))?;
    }
    Ok(())
}

/// Writes one file of every kind that the formats crate supports.
fn samples() -> Result<PathBuf> {
    let directory = shell::target().join("ci-samples");
    let mut command = shell::cargo("run --quiet --release --package craton-formats --example write_samples --");
    shell::run(command.arg(&directory))?;
    Ok(directory)
}

/// The Python interpreter of the environment, which is created on first use.
fn environment() -> Result<PathBuf> {
    let folder = shell::target().join("readers-venv");
    let python = folder.join("bin/python");
    if !python.exists() {
        shell::run(Command::new("python3").args(["-m", "venv"]).arg(&folder))
            .context("Python 3 with venv is required")?;
    }
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement"]);
    shell::run(install.arg(Path::new(REQUIREMENTS)))?;
    Ok(python)
}
