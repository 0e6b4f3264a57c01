//! `cargo xtask fuzz`: mutated inputs for every reader, and for the files with which runs continue.
//!
//! | module | content |
//! |---|---|
//! | `targets`, `target` | the readers, and what a target is |
//! | `campaign` | many executions of a target; the corpus grows by inputs with new results |
//! | `execute`, `memory`, `watchdog` | one execution, with all faults detected |
//! | `mutate`, `random` | mutations, reproducible by a seed |
//! | `fault`, `minimise` | saved inputs |
//!
//! A process executes all targets in a folder of its own. This one starts it, and saves the input if a signal ends it, such as that of a stack
//! overflow.

mod campaign;
mod execute;
mod fault;
pub mod memory;
mod minimise;
mod mutate;
mod options;
mod random;
mod target;
mod targets;
mod watchdog;

use crate::shell;
use anyhow::{Context as _, Result, anyhow, bail};
use campaign::{Budget, Report};
use execute::Bench;
use fault::{Fault, Kind};
use options::Options;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use target::{Outcome, Target};
use watchdog::Watchdog;

/// Stack of the thread that executes targets, that of threads of the standard library [bytes].
const STACK: usize = 2 << 20;
/// A file system in memory, which makes executions faster.
const MEMORY_DISK: &str = "/dev/shm";
/// File in the working folder with the name of the running target.
const RUNNING: &str = "running";

/// Runs the command.
///
/// # Errors
/// Wrong options, faults of readers, a folder that cannot be written.
pub fn run(words: &[&str]) -> Result<()> {
    let options = Options::read(words)?;
    let targets: Vec<Target> =
        targets::all().into_iter().filter(|target| target.name.contains(&options.word)).collect();
    if targets.is_empty() {
        bail!("no target has `{}` in its name; list all with --list", options.word);
    }
    if options.list {
        targets.iter().for_each(|target| println!("{:24} {}", target.name, target.form.name()));
        return Ok(());
    }
    match &options.worker {
        None => supervise(words, &targets),
        Some(folder) => {
            let (folder, options) = (folder.clone(), options.clone());
            let work = move || work(&folder, &options, &targets);
            let thread = std::thread::Builder::new().stack_size(STACK).spawn(work)?;
            thread.join().map_err(|_| anyhow!("the fuzzer itself panicked"))?
        }
    }
}

/// Folder in which inputs with faults are saved.
fn faults() -> Result<PathBuf> {
    Ok(std::path::absolute(shell::target())?.join("fuzz"))
}

/// Runs the targets in another process, and saves the input with which a signal ended it.
fn supervise(words: &[&str], targets: &[Target]) -> Result<()> {
    let on_disk = Path::new(MEMORY_DISK);
    let base = if on_disk.is_dir() { on_disk.to_owned() } else { std::env::temp_dir() };
    let folder = tempfile::Builder::new()
        .prefix(&format!("craton-fuzz-{}", std::process::id()))
        .rand_bytes(0)
        .tempdir_in(base)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("fuzz").args(words).arg("--worker").arg(folder.path()).stdin(Stdio::null());
    let status = command.status().context("cannot start the process of the targets")?;
    match status.code() {
        Some(0) => Ok(()),
        Some(_) => bail!("the fuzzer found faults, listed above"),
        None => {
            let name = fs::read_to_string(folder.path().join(RUNNING)).unwrap_or_default();
            let target = targets.iter().find(|target| target.name == name);
            let target = target.ok_or_else(|| anyhow!("the process of the targets ended with {status}"))?;
            let input = fs::read(folder.path().join(target.name).join("inside").join(target.input))?;
            let fault = Fault::new(Kind::Abort, status.to_string());
            let path = fault::save(&faults()?, target.name, &input, &fault)?;
            bail!("{name}: {fault}; the input is {}", path.display())
        }
    }
}

/// Executes the targets one after the other.
fn work(folder: &Path, options: &Options, targets: &[Target]) -> Result<()> {
    let faults = faults()?;
    let replayed =
        options.replay.as_ref().map(|path| fs::read(path).with_context(|| format!("cannot read {}", path.display())));
    let replayed = replayed.transpose()?;
    let watchdog = Watchdog::new(options.limit, faults.clone());
    execute::record_panics();
    let budget = match options.budget {
        Budget::Seconds(seconds) => Budget::Seconds(seconds / targets.len() as f64),
        Budget::Executions(count) => Budget::Executions(count.div_ceil(targets.len() as u64)),
    };
    let mut count = 0;
    for (number, target) in targets.iter().enumerate() {
        let own = folder.join(target.name);
        fs::create_dir(&own)?;
        std::env::set_current_dir(&own)?;
        fs::write(folder.join(RUNNING), target.name)?;
        let bench = Bench::new(target, &watchdog, &own)?;
        if let Some(input) = &replayed {
            count += usize::from(replay(target, &bench, input)?);
            continue;
        }
        let report = campaign::run(target, &bench, options.seed, budget, &faults)?;
        print_row(number, target, &report);
        count += report.faults.len();
    }
    match count {
        0 => Ok(()),
        _ => bail!("{count} faults; replay one with `cargo xtask fuzz --target NAME --replay FILE`"),
    }
}

/// Executes one input and prints its result; true for a fault.
fn replay(target: &Target, bench: &Bench, input: &[u8]) -> Result<bool> {
    let executed = bench.execute(input)?;
    let result = match &executed.outcome {
        Ok(Outcome::Accepted(count)) => format!("accepted, {count} values"),
        Ok(Outcome::Refused(message) | Outcome::Broken(message)) => format!("refused: {message}"),
        Err(fault) => fault.to_string(),
    };
    println!("{}: {result}", target.name);
    println!("{:.1} ms, {:.1} MB", 1e3 * executed.duration.as_secs_f64(), executed.peak as f64 / 1e6);
    Ok(executed.outcome.is_err())
}

fn print_row(number: usize, target: &Target, report: &Report) {
    if number == 0 {
        println!(
            "{:24} {:>10} {:>8} {:>9} {:>8} {:>11} {:>8} {:>7}",
            "target", "executions", "per s", "accepted", "results", "slowest ms", "peak MB", "faults"
        );
    }
    println!(
        "{:24} {:>10} {:>8.0} {:>7.1} % {:>8} {:>11.1} {:>8.1} {:>7}",
        target.name,
        report.executions,
        report.executions as f64 / report.seconds.max(1e-9),
        100.0 * report.accepted as f64 / report.executions.max(1) as f64,
        report.results,
        1e3 * report.slowest.as_secs_f64(),
        report.peak as f64 / 1e6,
        report.faults.len()
    );
}

#[cfg(test)]
mod tests;
