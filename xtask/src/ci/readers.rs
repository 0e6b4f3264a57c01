//! Reads files written by Craton with third-party programs: ObsPy, pyasdf, meshio, VTK, netCDF4, xarray; and runs scenarios with files that such programs write.

use super::examples;
use crate::shell;
use anyhow::{Context, Result, ensure};
use craton::compare::compare;
use craton::options::CompareOptions;
use std::path::{Path, PathBuf};
use std::process::Command;

const REQUIREMENTS: &str = "validation/readers/requirements.txt";
const CHECK: &str = "validation/readers/check_all.py";

/// Writes scenarios with files of third-party programs, each next to one with the same content in plain form.
const PRODUCERS: &str = "validation/producers/make_inputs.py";

/// Largest relative L2 of the seismograms of such a pair: sources from files may begin at another time.
const SAME: f64 = 5e-4;

/// Reads one file of every kind, and the results of the examples, with Python packages in a separate environment.
pub fn run() -> Result<()> {
    let python = environment()?;
    for directory in [samples()?, examples::results()] {
        shell::run(Command::new(&python).arg(CHECK).arg(directory))?;
    }
    producers(&python)
}

/// Runs pairs of scenarios with the same content, from files of third-party programs and in plain form.
fn producers(python: &Path) -> Result<()> {
    examples::build()?;
    let folder = shell::target().join("ci-producers");
    shell::run(Command::new(python).arg(PRODUCERS).arg(&folder))?;
    let mut names: Vec<PathBuf> = std::fs::read_dir(&folder)?.map(|file| Ok(file?.path())).collect::<Result<_>>()?;
    names.retain(|name| name.to_string_lossy().ends_with("_plain.toml"));
    names.sort();
    for plain in &names {
        let name = plain.file_stem().context("a scenario has a name")?.to_string_lossy().replace("_plain", "");
        let run = |name: &str| -> Result<PathBuf> {
            let directory = folder.join("results").join(name);
            examples::craton(&["run", "--overwrite", "--quiet"], &directory, &folder.join(format!("{name}.toml")))?;
            Ok(directory)
        };
        let options = CompareOptions { limit: Some(SAME), ..CompareOptions::default() };
        let comparison = compare(&run(&name)?, &run(&format!("{name}_plain"))?, &options)?;
        print!("-- {name}\n{}", comparison.table());
        ensure!(comparison.is_good(), "{name} differs from its plain form");
    }
    Ok(())
}

/// Writes one file of every kind that the formats crate supports.
fn samples() -> Result<PathBuf> {
    let directory = shell::target().join("ci-samples");
    // With the workspace, it shares the crates that the tests have compiled.
    shell::run(&mut shell::cargo("build --quiet --release --workspace --example write_samples"))?;
    shell::run(Command::new(shell::target().join("release/examples/write_samples")).arg(&directory))?;
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
