//! Surveys: thousands of acoustic shots, with all gathers in one file.
//!
//! | module | task |
//! |---|---|
//! | this one | the pipeline |
//! | [`config`] | the survey as written |
//! | `problems`, `elastic_problems` | checks of the survey |
//! | [`setup`] | the checked survey with its files |
//! | `equation` | the choice of the wave equation |
//! | `grid` | cells of the shots: acoustic and elastic grids |
//! | `time_axis` | steps and samples of the shots |
//! | `relaxation` | mechanisms of attenuation |
//! | `shots`, `elastic_shots` | engines that compute acoustic and elastic shots on a CPU or GPU |
//! | `shot_devices` | the devices and threads of a process |
//! | `point_values` | memory of a point of a shot |
//! | `workers`, `pace`, `waiting`, `shot_files` | many shots on all devices |
//! | `gathers`, `completion` | gather files with fixed places of traces, and their completion |
//! | `frames` | pressure snapshots |
//! | `quantity` | recorded quantities |
//! | `gradient` | gradients of misfits with respect to the model |
//! | `in_memory` | gathers as arrays, without a folder |
//! | `session`, `ending` | the session of a command in the results folder |
//! | `verification` | comparison of complete results with their checksums |
//! | `pictures`, `report` | output for the user |
//!
//! Any number of processes, on all machines that share the results folder, can work on one survey: each runs the same
//! command. The same command also continues an interrupted survey, after Ctrl-C or `kill -9`.

mod completion;
pub mod config;
mod elastic_problems;
mod elastic_shots;
mod ending;
mod equation;
mod frames;
mod gathers;
mod gradient;
mod grid;
mod in_memory;
mod pace;
mod pictures;
mod point_values;
mod problems;
mod quantity;
mod relaxation;
mod report;
mod session;
pub mod setup;
mod shot_devices;
mod shot_files;
mod shots;
mod time_axis;
mod verification;
mod waiting;
mod workers;

#[cfg(test)]
mod tests;
#[cfg(test)]
mod worker_tests;

use std::path::Path;
use std::sync::Arc;

use craton_comm::Ranks;

pub use config::Config;
pub use gradient::{
    ExpectedGathers, GradientOptions, GradientReport, MisfitAndGradient, MisfitFunction, MisfitKind, ModelGradient,
    Observed, ObservedGather, ObservedInPlace, ObservedTraces, SurveyGradient, TraceMisfit, survey_gradient,
};
pub use in_memory::{Gather, GatherSink, Survey};
pub(crate) use problems::problems;
pub use report::SurveyReport;
pub use setup::Setup;

use crate::comm::together;
use crate::config::DeviceNames;
use crate::error::Error;
use crate::look_ahead::LookAhead;
use crate::options::{CheckOptions, RunOptions};
use crate::verify::Verified;
use crate::written::{Written, has_tables};
use session::Session;

/// A survey read from its file.
pub type SurveyFile = Written<Config>;

/// Computes a survey, or continues it: from its file to gathers, pictures and a record.
///
/// # Errors
/// Any problem of the survey or its files before the computation; a full disk or lost device during it.
pub fn survey(file: &Path, options: &RunOptions) -> Result<SurveyReport, Error> {
    let alone: Arc<dyn Ranks> = Arc::new(craton_comm::Solo);
    Ok(survey_on_ranks(file, options, &alone)?.expect("the first rank has a report"))
}

/// As [`survey`], on ranks that share the results folder; only the first completes the file and has a report.
///
/// # Errors
/// As [`survey`]; lost ranks.
pub fn survey_on_ranks(
    file: &Path,
    options: &RunOptions,
    ranks: &Arc<dyn Ranks>,
) -> Result<Option<SurveyReport>, Error> {
    let session = || Session::new(SurveyFile::read(file, &options.overrides)?, options, ranks);
    let mut session = together(&**ranks, session())?;
    let plan = together(&**ranks, session.plan())?;
    session.run(&plan)
}

/// As [`survey`], for a survey of a calling program, whose data must be the same when it continues.
///
/// # Errors
/// As [`survey`].
pub fn given_survey(survey: SurveyFile, options: &RunOptions) -> Result<SurveyReport, Error> {
    let alone: Arc<dyn Ranks> = Arc::new(craton_comm::Solo);
    let mut session = Session::new(survey, options, &alone)?;
    let plan = session.plan()?;
    Ok(session.run(&plan)?.expect("the first rank has a report"))
}

/// Whether a file is a survey rather than a scenario, by its tables; false if it cannot be read.
pub fn is_survey(file: &Path) -> bool {
    has_tables(file, &["acquisition"])
}

/// Compares the complete results of a survey with the checksums in its journal and its record.
///
/// # Errors
/// Damaged, incomplete or missing results, or those of another survey.
pub fn verify_survey(file: &Path, overrides: &[String]) -> Result<Verified, Error> {
    let cpu = Some(DeviceNames::One("cpu".to_owned()));
    let options = CheckOptions { overrides: overrides.to_vec(), device: cpu, ..CheckOptions::default() };
    verification::verify(Session::for_check(SurveyFile::read(file, overrides)?, &options)?)
}

/// Describes a survey without writing anything.
///
/// # Errors
/// Any problem of the survey or its files.
pub fn check_survey(file: &Path, options: &CheckOptions) -> Result<LookAhead, Error> {
    check_given_survey(SurveyFile::read(file, &options.overrides)?, options)
}

/// As [`check_survey`], for a survey of a calling program.
///
/// # Errors
/// Any problem of the survey or its data.
pub fn check_given_survey(survey: SurveyFile, options: &CheckOptions) -> Result<LookAhead, Error> {
    let mut session = Session::for_check(survey, options)?;
    let plan = session.plan()?;
    Ok(session.look_ahead(&plan))
}
