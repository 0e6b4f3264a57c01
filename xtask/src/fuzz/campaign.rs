//! Many executions of one target with mutated inputs.

use super::execute::{Bench, Executed};
use super::fault::{Fault, save};
use super::minimise::minimised;
use super::mutate::mutated;
use super::random::Random;
use super::target::{Outcome, Target};
use crate::shell;
use anyhow::{Context as _, Result, bail};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use xxhash_rust::xxh3::xxh3_64;

/// Folder of the corpora, relative to the root.
const CORPORA: &str = "xtask/corpus";
/// Endings of files next to inputs of a corpus that are none.
const FOREIGN: [&str; 2] = ["py", "rs"];
/// Largest number of inputs that are added to the corpus because they had a new result.
const MOST_ADDED: usize = 300;

/// Largest input that is added, since short ones are faster [bytes].
const LARGEST_ADDED: usize = 1 << 14;
/// Number of letters that identify an error message.
const LETTERS: usize = 30;

/// How long a campaign lasts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// A time [s].
    Seconds(f64),
    /// A number of executions.
    Executions(u64),
}

/// Figures of a campaign.
#[derive(Debug, Default)]
pub struct Report {
    /// Number of executions.
    pub executions: u64,
    /// Number of inputs that were read without an error.
    pub accepted: u64,
    /// Duration of all executions [s].
    pub seconds: f64,
    /// Longest execution.
    pub slowest: Duration,
    /// Largest memory [bytes].
    pub peak: usize,
    /// Number of distinct results.
    pub results: usize,
    /// The distinct faults.
    pub faults: Vec<Fault>,
}

/// Inputs of the corpus of a target: those in `xtask/corpus`, and those that it names.
///
/// # Errors
/// A file that cannot be read; no input.
pub fn corpus(target: &Target) -> Result<Vec<Vec<u8>>> {
    let own = Path::new(CORPORA).join(target.name);
    let own = shell::root().join(&own).exists().then_some(own);
    let mut files = Vec::new();
    for source in own.into_iter().chain(target.corpus.iter().map(PathBuf::from)) {
        let path = shell::root().join(source);
        if path.is_file() {
            files.push(path);
            continue;
        }
        let entries = fs::read_dir(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut found = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        found.retain(|path| !path.extension().is_some_and(|own| FOREIGN.iter().any(|ending| own == *ending)));
        found.sort_unstable();
        files.extend(found);
    }
    if files.is_empty() {
        bail!("the target {} has no corpus", target.name);
    }
    let read = |path: &PathBuf| {
        let mut input = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        target.seal.inspect(|seal| seal(&mut input));
        Ok(input)
    };
    files.iter().map(read).collect()
}

/// Executes a target with its corpus, then with mutated inputs.
///
/// # Arguments
/// * `faults` – folder in which inputs with faults are saved
/// # Errors
/// A folder that cannot be read or written.
pub fn run(target: &Target, bench: &Bench, seed: u64, budget: Budget, faults: &Path) -> Result<Report> {
    let mut pool = corpus(target)?;
    let given = pool.len();
    let mut random = Random::new(seed, target.name);
    let mut known = BTreeSet::new();
    let mut report = Report::default();
    let begun = Instant::now();
    loop {
        let number = report.executions as usize;
        let is_given = number < given;
        if !is_given && !goes_on(budget, begun, report.executions) {
            break;
        }
        let input = if is_given { pool[number].clone() } else { next(target, &pool, given, &mut random) };
        let executed = bench.execute(&input)?;
        report.add(&executed);
        match executed.outcome {
            Ok(outcome) => {
                if known.insert(signature(&outcome)) && !is_given && input.len() <= LARGEST_ADDED {
                    add(&mut pool, given, input, &mut random);
                }
            }
            Err(fault) if !report.faults.iter().any(|known| known.is_same(&fault)) => {
                let path = save(faults, target.name, &minimised(bench, &input, &fault)?, &fault)?;
                println!("{}: {fault}; the input is {}", target.name, path.display());
                report.faults.push(fault);
            }
            Err(_) => {}
        }
    }
    report.results = known.len();
    report.seconds = begun.elapsed().as_secs_f64();
    Ok(report)
}

fn goes_on(budget: Budget, begun: Instant, executions: u64) -> bool {
    match budget {
        Budget::Seconds(seconds) => begun.elapsed().as_secs_f64() < seconds,
        Budget::Executions(most) => executions < most,
    }
}

/// Adds an input with a new result to the pool, or replaces an earlier one.
fn add(pool: &mut Vec<Vec<u8>>, given: usize, input: Vec<u8>, random: &mut Random) {
    if pool.len() < given + MOST_ADDED {
        pool.push(input);
    } else {
        pool[given + random.below(MOST_ADDED)] = input;
    }
}

/// The next input: a mutation of a given one, or of any.
fn next(target: &Target, pool: &[Vec<u8>], given: usize, random: &mut Random) -> Vec<u8> {
    let sources = if random.once_in(2) { &pool[..given] } else { pool };
    let mut input = mutated(sources, target.form, random);
    // Some inputs keep their wrong checksums, which must be noticed.
    if let Some(seal) = target.seal.filter(|_| !random.once_in(4)) {
        seal(&mut input);
    }
    input
}

impl Report {
    fn add(&mut self, executed: &Executed) {
        self.executions += 1;
        self.accepted += u64::from(matches!(executed.outcome, Ok(Outcome::Accepted(_))));
        self.slowest = self.slowest.max(executed.duration);
        self.peak = self.peak.max(executed.peak);
    }
}

/// Identifies the kind of a result: the order of magnitude of the number of values, or the last letters of a message, which do not come from the input.
fn signature(outcome: &Outcome) -> u64 {
    let words = match outcome {
        Outcome::Accepted(count) => format!("{}", count.checked_ilog2().map_or(0, |log| log + 1)),
        Outcome::Refused(message) | Outcome::Broken(message) => {
            message.chars().rev().filter(char::is_ascii_alphabetic).take(LETTERS).collect()
        }
    };
    xxh3_64(words.as_bytes())
}
