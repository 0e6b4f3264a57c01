//! Automation of the workspace: `cargo xtask COMMAND`.

mod bench;
mod book;
mod ci;
mod features;
mod fuzz;
mod generate;
mod gpu_check;
mod kernels;
mod maps;
mod python;
mod shell;
mod tidy;
mod validate;

use anyhow::{Result, bail};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: fuzz::memory::Counting = fuzz::memory::Counting;

const USAGE: &str = "\
cargo xtask COMMAND

  ci [--skip STEP,STEP...]        everything that must hold: format, tidy, generated files, kernels, lints, docs, tests,
                                  fuzzing, METIS and MPI, examples, readers of the ecosystem, validation tier A
  tidy                            layers, sizes, words and links of the sources
  generate [--check]              writes the generated files; with --check says which are stale
  kernels [--check] [NAME...]     compiles the GPU's code; with --check says what is stale or takes more than before
  kernels --report FILE ...       registers, spills and instructions of one file, or of an image: --sass NAME
  book                            checks the manual and builds it as a site, by mdBook
  fuzz [--seconds N | --executions N] [--seed N] [--target WORD] [--limit SECONDS] [--replay FILE] [--list]
                                  mutated inputs for every reader of files; saves inputs with faults in target/fuzz
  features                        lints and tests what is built on request only: METIS, MPI with several ranks
  wheels                          builds the wheel of the Python package in target/wheels
  python                          builds and installs the wheel, and runs the tests and notebooks of the package
  gpu-check                       gathers a folder that checks and times Craton on a machine with a GPU
  validate [--tier a|b|c] [--device DEVICE] [--set KEY=VALUE]... [NAME]
                                  compares with references; runs the tiers up to the given one (a), on the CPU or a GPU
  bench [CRATE]                   runs the benchmarks
  maps FOLDER                     draws the errors in single precision that the benchmark of gravity on GPUs has left there";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match dispatch(&words) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(words: &[&str]) -> Result<()> {
    std::env::set_current_dir(shell::root())?;
    match words {
        ["ci", options @ ..] => ci::run(options),
        ["tidy"] => tidy::run(),
        ["generate"] => generate::write(),
        ["generate", "--check"] => generate::check(),
        ["kernels", options @ ..] => kernels::run(options),
        ["book"] => book::run(),
        ["fuzz", options @ ..] => fuzz::run(options),
        ["features"] => features::run(),
        ["wheels"] => python::wheels(),
        ["python"] => python::check(),
        ["gpu-check", options @ ..] => gpu_check::run(options),
        ["validate", options @ ..] => validate::run(options),
        ["bench", options @ ..] => bench::run(options),
        ["maps", options @ ..] => maps::run(options),
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            Ok(())
        }
        other => bail!("there is no command `{}`\n\n{USAGE}", other.join(" ")),
    }
}
