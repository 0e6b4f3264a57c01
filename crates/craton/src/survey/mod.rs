//! Surveys: thousands of acoustic shots, and their gathers in one file.
//!
//! | module | what it is |
//! |---|---|
//! | this one | the straight line |
//! | [`config`] | the survey as it is written |
//! | `problems` | what in it cannot be meant |
//! | [`setup`] | the survey with the files it names, checked |
//! | `grid`, `time_axis` | cells, steps and samples of its shots |
//! | `shots` | what computes shots: this processor, or a GPU |
//! | `crew` | all that computes here |
//! | `workers`, `pace`, `waiting` | many shots on all that computes |
//! | `gathers`, `completion` | the files: a place for every trace, whatever comes when, and how they get their names |
//! | `frames` | pressure of some shots at some times |
//! | `quantity` | what receivers hear |
//! | `in_memory` | gathers as arrays, without a folder |
//! | `session`, `ending` | one command at work, in the folder of the results |
//! | `pictures`, `report` | what the user looks at |
//!
//! Any number of processes may work at one survey, on any machines that see its folder: each gives the same command. A survey that was stopped, by
//! Ctrl-C or by `kill -9`, goes on by the same command.

mod completion;
pub mod config;
mod crew;
mod ending;
mod frames;
mod gathers;
mod grid;
mod in_memory;
mod pace;
mod pictures;
mod problems;
mod quantity;
mod report;
mod session;
pub mod setup;
mod shots;
mod time_axis;
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
pub use in_memory::{Gather, GatherSink, Survey};
pub(crate) use problems::problems;
pub use report::SurveyReport;
pub use setup::Setup;

use crate::comm::together;
use crate::error::Error;
use crate::look_ahead::LookAhead;
use crate::options::{CheckOptions, RunOptions};
use crate::written::{Written, has_tables};
use session::Session;

/// A survey read from its file.
pub type SurveyFile = Written<Config>;

/// Computes a survey, or goes on with it: from its file to gathers, pictures and a record.
///
/// # Errors
/// Anything wrong with the survey or its files, before any work; a full disk, a lost device during it.
pub fn survey(file: &Path, options: &RunOptions) -> Result<SurveyReport, Error> {
    let alone: Arc<dyn Ranks> = Arc::new(craton_comm::Solo);
    Ok(survey_on_ranks(file, options, &alone)?.expect("the first rank has a report"))
}

/// As [`survey`], on ranks that share the folder of the results; the first alone completes the file, and has a report.
///
/// # Errors
/// As [`survey`]; ranks that are lost.
pub fn survey_on_ranks(
    file: &Path,
    options: &RunOptions,
    ranks: &Arc<dyn Ranks>,
) -> Result<Option<SurveyReport>, Error> {
    let mut session = together(&**ranks, Session::new(file, options, ranks))?;
    let plan = together(&**ranks, session.plan())?;
    session.run(&plan)
}

/// Whether a file is a survey, and no scenario, by its tables; a file that cannot be read is neither.
pub fn is_survey(file: &Path) -> bool {
    has_tables(file, &["acquisition"])
}

/// Says what a survey would be, and writes nothing.
///
/// # Errors
/// Anything wrong with the survey or its files.
pub fn check_survey(file: &Path, options: &CheckOptions) -> Result<LookAhead, Error> {
    let mut session = Session::for_check(file, options)?;
    let plan = session.plan()?;
    Ok(session.look_ahead(&plan))
}
