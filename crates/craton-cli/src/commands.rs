//! One call of the library for each command.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::CommandFactory as _;
use clap_complete::Shell;
use craton::comm::Ranks;
use craton::exit_code::{DONE, FAILED, INTERRUPTED};
use craton::options::RunOptions;
use craton::{Cancel, Error, FormatError, reference};

use crate::arguments::{Arguments, Command, Compare, FileKind, Import, Plot, Process};
use crate::survey_arguments::Survey;
use crate::values::Program;

/// The output of a command, and its exit code.
pub struct Outcome {
    /// Text for standard output.
    pub text: String,
    /// The exit code.
    pub code: u8,
}

impl Outcome {
    fn done(text: impl ToString) -> Self {
        Self { text: text.to_string(), code: DONE }
    }

    /// The summary of a complete or interrupted run; only the first rank has one.
    fn of_run(report: Option<&craton::RunReport>, quiet: bool) -> Self {
        report.map_or_else(|| Self::done(""), |report| Self::of(report, report.status, quiet))
    }

    /// A summary with its status.
    fn of(report: &impl ToString, status: craton::RunStatus, quiet: bool) -> Self {
        let text = if quiet { String::new() } else { report.to_string() };
        let code = if status == craton::RunStatus::Complete { DONE } else { INTERRUPTED };
        Self { text, code }
    }

    /// The summary of a complete or interrupted survey.
    fn of_survey(report: &craton::survey::SurveyReport, quiet: bool) -> Self {
        let text = if quiet { String::new() } else { report.to_string() };
        let code = match report.status {
            _ if report.is_whole() => DONE,
            craton::RunStatus::Complete => FAILED,
            _ => INTERRUPTED,
        };
        Self { text, code }
    }
}

/// Imports a set-up.
fn import(arguments: &Import) -> Result<Outcome, Error> {
    let Import { program: Program::Specfem, directory, mesh, output, overwrite } = arguments;
    let imported = craton::import::specfem(directory, mesh.as_deref())?;
    let folder = directory.canonicalize().unwrap_or_else(|_| directory.clone());
    let name = folder.file_name().map_or_else(|| PathBuf::from("scenario"), PathBuf::from);
    let name = output.clone().unwrap_or_else(|| name.with_extension("toml"));
    Ok(Outcome::done(imported.write(directory, &name, *overwrite)?))
}

/// Compares complete results with their checksums.
fn verify(command: &Command) -> Result<Outcome, Error> {
    let (verified, quiet) = match command {
        Command::Run(run) => (craton::verify_run(&run.scenario.file, &run.scenario.overrides)?, run.quiet),
        Command::Survey(survey) => {
            let overrides = survey.options(&Cancel::new()).overrides;
            (craton::verify_survey(&survey.survey.file, &overrides)?, survey.quiet)
        }
        Command::Gravity(gravity) => {
            (craton::verify_gravity(&gravity.problem.file, &gravity.problem.overrides)?, gravity.quiet)
        }
        _ => unreachable!("other commands do not verify"),
    };
    Ok(Outcome::done(if quiet { String::new() } else { verified.to_string() }))
}

/// Executes a command: computations on all ranks, everything else on the first.
pub fn execute(command: Command, ranks: &Arc<dyn Ranks>) -> Result<Outcome, Error> {
    if command.only_verifies() {
        return if ranks.is_root() { verify(&command) } else { Ok(Outcome::done("")) };
    }
    match command {
        Command::Run(run) => {
            let report = craton::run_on_ranks(&run.scenario.file, &run.options(&Cancel::on_signals()?), ranks)?;
            Ok(Outcome::of_run(report.as_ref(), run.quiet))
        }
        Command::Resume(resume) => {
            let report = craton::resume_on_ranks(&resume.directory, &resume.options(&Cancel::on_signals()?), ranks)?;
            Ok(Outcome::of_run(report.as_ref(), resume.quiet))
        }
        Command::Survey(arguments) => survey(&arguments, ranks),
        Command::Gravity(gravity) => {
            let report =
                craton::gravity_on_ranks(&gravity.problem.file, &gravity.options(&Cancel::on_signals()?), ranks)?;
            let outcome = report.map(|report| Outcome::of(&report, report.status, gravity.quiet));
            Ok(outcome.unwrap_or_else(|| Outcome::done("")))
        }
        _ if !ranks.is_root() => Ok(Outcome::done("")),
        Command::Check(check) if craton::survey::is_survey(&check.scenario.file) => {
            Ok(Outcome::done(craton::check_survey(&check.scenario.file, &check.options())?))
        }
        Command::Check(check) if craton::gravity::is_gravity(&check.scenario.file) => {
            Ok(Outcome::done(craton::check_gravity(&check.scenario.file, &check.options())?))
        }
        Command::Check(check) => Ok(Outcome::done(craton::check(&check.scenario.file, &check.options())?)),
        Command::Mesh(mesh) => Ok(Outcome::done(craton::write_mesh(&mesh.scenario.file, &mesh.options())?)),
        Command::Import(arguments) => import(&arguments),
        Command::Compare(arguments) => compare(&arguments),
        Command::Process(arguments) => process(&arguments),
        Command::Plot(arguments) => plot(&arguments),
        Command::Schema { of } => Ok(Outcome::done(match of {
            FileKind::Scenario => reference::schema_json::<craton::Config>(),
            FileKind::Survey => reference::schema_json::<craton::survey::Config>(),
            FileKind::Gravity => reference::schema_json::<craton::gravity::Config>(),
        })),
        Command::Reference { of } => Ok(Outcome::done(match of {
            FileKind::Scenario => reference::page::<craton::Config>(),
            FileKind::Survey => reference::page::<craton::survey::Config>(),
            FileKind::Gravity => reference::page::<craton::gravity::Config>(),
        })),
        Command::Completions { shell } => Ok(completions(shell)),
        Command::Man { directory } => manual(&directory),
    }
}

/// A survey, or its gradient.
fn survey(arguments: &Survey, ranks: &Arc<dyn Ranks>) -> Result<Outcome, Error> {
    let run = arguments.options(&Cancel::on_signals()?);
    if let Some(observed) = &arguments.gradient {
        return gradient(arguments, observed, &run, ranks);
    }
    let report = craton::survey_on_ranks(&arguments.survey.file, &run, ranks)?;
    Ok(report.map_or_else(|| Outcome::done(""), |report| Outcome::of_survey(&report, arguments.quiet)))
}

/// The gradient of a survey, computed by the first rank alone.
fn gradient(arguments: &Survey, observed: &Path, run: &RunOptions, ranks: &Arc<dyn Ranks>) -> Result<Outcome, Error> {
    if !ranks.is_root() {
        return Ok(Outcome::done(""));
    }
    let report = craton::survey::survey_gradient(&arguments.survey.file, observed, &arguments.gradient_options(), run)?;
    let text = if arguments.quiet { String::new() } else { report.to_string() };
    let code = match report.status {
        _ if report.is_whole() => DONE,
        craton::RunStatus::Complete => FAILED,
        _ => INTERRUPTED,
    };
    Ok(Outcome { text, code })
}

fn compare(arguments: &Compare) -> Result<Outcome, Error> {
    let comparison = craton::compare(&arguments.test, &arguments.reference, &arguments.options())?;
    let code = if comparison.is_good() { DONE } else { FAILED };
    Ok(Outcome { text: comparison.table(), code })
}

fn process(arguments: &Process) -> Result<Outcome, Error> {
    if let Some(plan) = arguments.map_plan()? {
        let processed = craton::process::process_maps(&arguments.from, &arguments.output, &plan)?;
        return Ok(if arguments.quiet { Outcome::done("") } else { Outcome::done(processed) });
    }
    let processed = craton::process(&arguments.from, &arguments.output, &arguments.plan())?;
    Ok(if arguments.quiet { Outcome::done("") } else { Outcome::done(processed) })
}

fn plot(arguments: &Plot) -> Result<Outcome, Error> {
    let pictures = craton::plot(&arguments.from, &arguments.options())?;
    Ok(Outcome::done(pictures.iter().map(|picture| format!("{}\n", picture.display())).collect::<String>()))
}

fn manual(directory: &Path) -> Result<Outcome, Error> {
    let unwritable = |source| FormatError::Io {
        path: directory.to_owned(),
        action: "write the manual pages to",
        source,
        hint: "choose a folder with write permission",
    };
    std::fs::create_dir_all(directory).map_err(unwritable)?;
    clap_mangen::generate_to(Arguments::command(), directory).map_err(unwritable)?;
    Ok(Outcome::done(""))
}

fn completions(shell: Shell) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "craton", &mut script);
    Outcome::done(String::from_utf8_lossy(&script))
}
