//! `cargo xtask validate`: validation against reference solutions. Prints one line per case, and fails if a case fails.

mod alike;
mod attenuation;
mod both_methods;
mod cases;
mod decay;
mod fluids;
mod globe;
mod layers;
mod reference;
mod simulation;
mod stairs;
mod travel_times;
mod whole_earth;
mod window;

use anyhow::{Result, bail};
use craton::config::DeviceNames;
use simulation::Simulations;
use std::time::Instant;

/// Cost class of cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// Runs in CI: all together under 10 minutes on 2 cores.
    #[default]
    A,
    /// All together under 60 minutes on 2 cores.
    B,
    /// Needs a GPU.
    C,
}

/// A comparison with a reference.
pub struct Case {
    /// What is compared, and at which receiver: "half-space-explosion-500m-velocity-r2".
    pub name: String,
    /// Method: "sem", "fd", or "law" for cases that always run on the CPU.
    pub method: &'static str,
    /// Cost class.
    pub tier: Tier,
    /// Largest allowed relative L2.
    pub limit: f64,
    /// Runs it.
    pub run: Check,
}

/// How a case is run; the simulations are shared with the other cases.
pub type Check = Box<dyn Fn(&Simulations) -> Result<Finding>>;

/// What a case found.
pub struct Finding {
    /// Relative L2, all components together.
    pub rel_l2: f64,
    /// Further figures, each a line for the reader: the window, what the boundary adds after it.
    pub notes: Vec<String>,
}

/// Runs the cases up to a tier, or those whose name contains a word; prints a line each.
pub fn run(options: &[&str]) -> Result<()> {
    let Options { tier, device, set, word } = Options::read(options)?;
    let names: DeviceNames = device.parse()?;
    let cases: Vec<Case> = cases::all().into_iter().filter(|case| case.name.contains(word)).collect();
    if cases.is_empty() {
        bail!("there is no case with `{word}` in its name");
    }
    let width = cases.iter().map(|case| case.name.len()).max().unwrap_or(0);
    println!("{:width$}  method  device  {:>10}  {:>10}  result", "case", "rel_l2", "limit");
    let simulations = Simulations::on(names).with(&set);
    let mut failed = Vec::new();
    for case in &cases {
        let start = Instant::now();
        let outcome = (case.tier <= tier).then(|| (case.run)(&simulations));
        let seconds = start.elapsed().as_secs_f64();
        println!("{}", line(case, device, width, outcome.as_ref(), seconds));
        match &outcome {
            Some(Ok(finding)) => finding.notes.iter().for_each(|note| println!("    {note}")),
            Some(Err(error)) => println!("    {error:#}"),
            None => {}
        }
        if outcome.is_some_and(|outcome| !passes(case, &outcome)) {
            failed.push(&*case.name);
        }
    }
    if !failed.is_empty() {
        bail!("validation failed: {}", failed.join(", "));
    }
    Ok(())
}

/// Requested options.
#[derive(Debug, Default, PartialEq)]
struct Options<'a> {
    tier: Tier,
    /// As `craton run --device` takes it.
    device: &'a str,
    /// Keys of spectral elements that replace those of the cases, `key=value`.
    set: Vec<&'a str>,
    /// Part of the names.
    word: &'a str,
}

impl<'a> Options<'a> {
    fn read(options: &[&'a str]) -> Result<Self> {
        let mut read = Self { device: "cpu", ..Self::default() };
        let mut words = options.iter();
        while let Some(&word) = words.next() {
            match (word, words.as_slice().first()) {
                ("--tier", Some(&name)) => {
                    read.tier = match name {
                        "a" => Tier::A,
                        "b" => Tier::B,
                        "c" => Tier::C,
                        other => bail!("there is no tier `{other}`; choose a, b or c"),
                    }
                }
                ("--device", Some(&name)) => read.device = name,
                ("--set", Some(&change)) => read.set.push(change),
                _ if !word.starts_with('-') && read.word.is_empty() => {
                    read.word = word;
                    continue;
                }
                _ => bail!("validate takes [--tier a|b|c] [--device DEVICE] [--set KEY=VALUE]... [NAME]"),
            }
            words.next();
        }
        Ok(read)
    }
}

/// NaN never passes.
fn passes(case: &Case, outcome: &Result<Finding>) -> bool {
    outcome.as_ref().is_ok_and(|finding| finding.rel_l2 <= case.limit)
}

/// `case method device rel_l2 limit PASS|FAIL|NOT RUN`; `outcome` is `None` for a case that was not run.
fn line(case: &Case, device: &str, width: usize, outcome: Option<&Result<Finding>>, seconds: f64) -> String {
    let rel_l2 = match outcome {
        Some(Ok(finding)) => format!("{:.3e}", finding.rel_l2),
        _ => "-".to_owned(),
    };
    let result = match outcome {
        None => "NOT RUN".to_owned(),
        Some(outcome) if passes(case, outcome) => format!("PASS     {seconds:.1} s"),
        Some(_) => format!("FAIL     {seconds:.1} s"),
    };
    let Case { name, method, limit, .. } = case;
    let device = if *method == "law" { "cpu" } else { device };
    format!("{name:width$}  {method:6}  {device:6}  {rel_l2:>10}  {limit:>10.3e}  {result}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(limit: f64) -> Case {
        let run: Check = Box::new(|_| Ok(Finding { rel_l2: 0.0, notes: Vec::new() }));
        Case { name: "plane-wave".to_owned(), method: "sem", tier: Tier::A, limit, run }
    }

    fn found(rel_l2: f64) -> Result<Finding> {
        Ok(Finding { rel_l2, notes: Vec::new() })
    }

    #[test]
    fn only_a_small_finite_misfit_passes() {
        assert!(passes(&case(0.01), &found(0.009)));
        assert!(!passes(&case(0.01), &found(0.011)));
        assert!(!passes(&case(0.01), &found(f64::NAN)));
        assert!(!passes(&case(0.01), &Err(anyhow::anyhow!("no reference"))));
    }

    #[test]
    fn a_case_that_was_not_run_never_reads_pass() {
        assert_eq!(
            line(&case(0.01), "cpu", 10, None, 0.0),
            "plane-wave  sem     cpu              -    1.000e-2  NOT RUN"
        );
        assert!(line(&case(0.01), "cpu", 10, Some(&found(0.5)), 0.0).contains("FAIL"));
        assert!(line(&case(0.01), "cpu", 10, Some(&found(0.001)), 0.0).contains("1.000e-3    1.000e-2  PASS"));
    }

    #[test]
    fn options_are_read_in_any_order() {
        let read = |options: &[&'static str]| Options::read(options).unwrap();
        assert_eq!(read(&[]), Options { device: "cpu", ..Options::default() });
        assert_eq!(read(&["--tier", "b", "loh1"]), Options { tier: Tier::B, device: "cpu", word: "loh1", set: vec![] });
        assert_eq!(
            read(&["loh1", "--device", "cuda", "--tier", "c"]),
            Options { tier: Tier::C, device: "cuda", word: "loh1", set: vec![] }
        );
        for wrong in [&["--tier", "d"][..], &["--tier"], &["--tire"], &["one", "two"], &["--device"]] {
            assert!(Options::read(wrong).is_err(), "{wrong:?}");
        }
    }
}
