//! `cargo xtask gpu-check`: creates a folder with everything needed to test and time Craton on a machine with a GPU but without cargo.

use crate::shell;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder, from the root of the workspace; it is never committed.
const BUNDLE: &str = "target/gpu-check";
/// Script that is run there.
const RUN: &str = include_str!("run.sh");
/// Folders that are included.
const FOLDERS: [&str; 3] = ["examples", "validation/references", "validation/scenarios"];
/// Largest size of the folder [bytes].
const LIMIT: u64 = 60_000_000;

/// Cargo commands, and the programs to copy from their output: name of the target, name in the folder.
const PROGRAMS: [(&str, &[(&str, &str)]); 9] = [
    ("build --release --package craton-cli --package xtask --bins", &[("craton", "craton"), ("xtask", "xtask")]),
    ("test --no-run --release --package craton-device --test all", &[("all", "test-device")]),
    ("test --no-run --release --package craton-sem --test all", &[("all", "test-sem")]),
    ("test --no-run --release --package craton-fd --test all", &[("all", "test-fd")]),
    (
        "bench --no-run --package craton-fd --bench gpu --bench scaling --bench acoustic",
        &[("gpu", "bench-fd"), ("scaling", "bench-fd-scaling"), ("acoustic", "bench-acoustic")],
    ),
    ("test --no-run --release --package craton-gravity --test all", &[("all", "test-gravity")]),
    ("bench --no-run --package craton-gravity --bench gpu", &[("gpu", "bench-gravity")]),
    ("test --no-run --release --package craton --lib", &[("craton", "test-craton")]),
    (
        "bench --no-run --package craton-sem",
        &[("step", "bench-step"), ("gpu", "bench-gpu"), ("assembly", "bench-assembly"), ("scaling", "bench-scaling")],
    ),
];

/// Builds the programs, fills the folder and prints instructions.
///
/// # Errors
/// Those of cargo and the file system; a folder that is too large.
pub fn run(options: &[&str]) -> Result<()> {
    if !options.is_empty() {
        bail!("gpu-check takes no options");
    }
    let bundle = shell::root().join(BUNDLE);
    if bundle.exists() {
        fs::remove_dir_all(&bundle).with_context(|| format!("cannot remove {BUNDLE}"))?;
    }
    fs::create_dir_all(bundle.join("bin")).with_context(|| format!("cannot create {BUNDLE}"))?;
    for (command, names) in PROGRAMS {
        let built = executables(&shell::output(&mut shell::cargo(&format!("{command} --message-format=json")))?);
        for (target, name) in names {
            let program = built.get(*target).with_context(|| format!("`cargo {command}` builds no `{target}`"))?;
            let copy = bundle.join("bin").join(name);
            shell::run(Command::new("strip").arg("-o").arg(&copy).arg(program))?;
        }
    }
    // Compressed, because the kernels inside are text; the script unpacks them.
    shell::run(
        Command::new("tar")
            .arg("-C")
            .arg(&bundle)
            .args(["--remove-files", "-czf"])
            .arg(bundle.join("bin.tar.gz"))
            .arg("bin"),
    )?;
    for folder in FOLDERS {
        copy_folder(&shell::root().join(folder), &bundle.join(folder))?;
    }
    fs::write(bundle.join("run.sh"), RUN)?;
    let bytes = size(&bundle)?;
    println!(
        "{BUNDLE}: {:.1} MB. Copy it to a machine with a GPU and run: bash {BUNDLE}/run.sh [STEP...]",
        bytes as f64 / 1e6
    );
    if bytes > LIMIT {
        bail!("{BUNDLE} is larger than {:.0} MB: leave out a program", LIMIT as f64 / 1e6);
    }
    Ok(())
}

/// Built programs by name, from the messages of cargo.
fn executables(messages: &str) -> BTreeMap<String, PathBuf> {
    let program = |line: &str| {
        let message: Value = serde_json::from_str(line).ok()?;
        let name = message["target"]["name"].as_str()?.to_owned();
        Some((name, PathBuf::from(message["executable"].as_str()?)))
    };
    messages.lines().filter_map(program).collect()
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target).with_context(|| format!("cannot write {}", target.display()))?;
        }
    }
    Ok(())
}

/// Bytes of all files in a folder.
fn size(folder: &Path) -> Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))? {
        let entry = entry?;
        bytes += if entry.file_type()?.is_dir() { size(&entry.path())? } else { entry.metadata()?.len() };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_among_the_messages_of_cargo() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"craton"},"executable":null}
{"reason":"compiler-artifact","target":{"name":"step"},"executable":"/target/release/deps/step-1"}
{"reason":"build-finished","success":true}"#;
        let found = executables(messages);
        assert_eq!(found.len(), 1);
        assert_eq!(found["step"], Path::new("/target/release/deps/step-1"));
    }

    #[test]
    fn every_program_of_the_script_is_built() {
        let built: Vec<&str> = PROGRAMS.iter().flat_map(|(_, names)| names.iter().map(|(_, name)| *name)).collect();
        for word in RUN.split_whitespace().filter_map(|word| word.strip_prefix("bin/")) {
            assert!(built.contains(&word), "run.sh calls bin/{word}, which is not built");
        }
    }
}
