//! `cargo xtask ci`: all checks that a change must pass.

mod documentation;
mod examples;
mod readers;

use crate::{book, features, fuzz, generate, kernels, python, shell, tidy, validate};
use anyhow::{Context, Result, bail};
use std::time::Instant;

/// A step: its name and its function.
type Step = (&'static str, fn() -> Result<()>);

/// All steps, quick ones first; `readers` reads the output of `examples`.
const STEPS: [Step; 14] = [
    ("format", || cargo("fmt --all --check")),
    ("tidy", tidy::run),
    ("generated", generate::check),
    ("kernels", || kernels::run(&["--check"])),
    ("lints", || cargo("clippy --release --workspace --all-targets -- -D warnings")),
    ("docs", documentation::check),
    ("book", book::run),
    ("tests", || cargo("test --release --workspace")),
    ("fuzz", || fuzz::run(&["--seconds", "25"])),
    ("features", features::run),
    ("examples", examples::run),
    ("readers", readers::run),
    ("python", python::check),
    ("validate", || validate::run(&["--tier", "a"])),
];

/// Runs all steps that are not skipped, and continues after a failure so that one run shows all failures.
pub fn run(options: &[&str]) -> Result<()> {
    let skipped = read_skipped(options)?;
    let mut report = Vec::new();
    for (name, step) in STEPS.iter().filter(|(name, _)| !skipped.contains(name)) {
        println!("\n=== {name}");
        let start = Instant::now();
        let outcome = step();
        if let Err(error) = &outcome {
            println!("{error:#}");
        }
        report.push((*name, outcome.is_ok(), start.elapsed().as_secs_f64()));
    }
    println!("\n{:10}  {:6}  {:>8}", "step", "result", "seconds");
    for (name, passed, seconds) in &report {
        println!("{name:10}  {:6}  {seconds:>8.1}", if *passed { "ok" } else { "FAILED" });
    }
    let failed: Vec<&str> = report.iter().filter(|(_, passed, _)| !passed).map(|(name, ..)| *name).collect();
    if !failed.is_empty() {
        bail!("ci failed in: {}", failed.join(", "));
    }
    Ok(())
}

fn cargo(arguments: &str) -> Result<()> {
    shell::run(&mut shell::cargo(arguments))
}

/// Steps named by `--skip a,b`.
fn read_skipped<'a>(options: &[&'a str]) -> Result<Vec<&'a str>> {
    let skipped: Vec<&str> = match *options {
        [] => Vec::new(),
        ["--skip", names] => names.split(',').collect(),
        _ => bail!("ci takes [--skip STEP,STEP...]"),
    };
    let known = |name: &str| STEPS.iter().any(|(step, _)| *step == name);
    match skipped.iter().find(|name| !known(name)) {
        Some(name) => Err(anyhow::anyhow!("ci has no step `{name}`")).context(STEPS.map(|(step, _)| step).join(", ")),
        None => Ok(skipped),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_known_steps_can_be_skipped() {
        assert_eq!(read_skipped(&["--skip", "tests,docs"]).unwrap(), ["tests", "docs"]);
        assert!(read_skipped(&["--skip", "test"]).is_err());
        assert!(read_skipped(&["--skip"]).is_err());
    }
}
