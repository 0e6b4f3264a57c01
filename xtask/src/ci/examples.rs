//! Runs every example unchanged, and a scenario with all kinds of output; `readers` reads the results.

use crate::shell;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The scenario that requests every quantity and every kind of file.
const EVERYTHING: &str = "validation/readers/everything.toml";

/// Slow examples, and the changes that make them small here.
const LARGE: [(&str, &str); 8] = [
    ("bolivia", "duration=80"),
    ("gmsh_basin", "duration=4.0"),
    ("globe", "method.sem.max_frequency=0.003"),
    ("loh1", "method.sem.max_frequency=2.5"),
    ("loh3", "method.sem.max_frequency=2.5"),
    ("ocean_bottom", "method.fd.grid_spacing=30.0"),
    ("salt", "method.fd.grid_spacing=20.0"),
    ("two_layers", "method.fd.grid_spacing=400.0"),
];

/// Folder of the results of all examples.
pub fn results() -> PathBuf {
    shell::target().join("ci-examples")
}

/// Runs every scenario, survey and gravity problem in `examples/` with the `craton` command.
pub fn run() -> Result<()> {
    build()?;
    let scenarios = scenarios()?;
    if scenarios.is_empty() {
        bail!("there is no example");
    }
    for scenario in &scenarios {
        let name = scenario.file_stem().context("a scenario has a name")?;
        let small = LARGE.iter().find(|(large, _)| name == *large).map(|(_, small)| ["--set", *small]);
        let verb = match () {
            () if craton::survey::is_survey(scenario) => "survey",
            () if craton::gravity::is_gravity(scenario) => "gravity",
            () => "run",
        };
        let words = [&[verb, "--overwrite"][..], small.as_ref().map_or(&[], |set| &set[..])].concat();
        craton(&words, &results().join(name), scenario)?;
    }
    let everything = Path::new(EVERYTHING);
    craton(&["run", "--overwrite"], &results().join("everything"), everything)?;
    // With longitudes and latitudes, miniSEED is accompanied by StationXML and QuakeML.
    let on_the_map = ["output.seismograms=[\"miniseed\"]", "duration=100", "method.sem.max_frequency=0.005"];
    let words = [&["run", "--overwrite"][..], &on_the_map.map(|set| ["--set", set]).concat()[..]].concat();
    craton(&words, &results().join("on_the_map"), Path::new("examples/bolivia/bolivia.toml"))?;
    for nodes in ["8", "27"] {
        let directory = results().join(format!("mesh_{nodes}"));
        let nodes = format!("method.sem.control_nodes={nodes}");
        craton(&["mesh", "--set", &nodes], &directory, everything)?;
    }
    Ok(())
}

/// Builds the program; later runs of it need no check by cargo, which takes longer than many of them.
pub fn build() -> Result<()> {
    shell::run(&mut shell::cargo("build --quiet --release --workspace --bin craton"))
}

/// Runs a command of the program, which [`build`] has made, with an output folder.
pub fn craton(words: &[&str], directory: &Path, scenario: &Path) -> Result<()> {
    println!("-- {}: {}", scenario.display(), words.join(" "));
    let mut command = Command::new(shell::target().join("release/craton"));
    command.args(words).arg("--set").arg(format!("output.directory={:?}", directory.display().to_string()));
    shell::run(command.arg(scenario))
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
