//! Gravity of prisms: potential, attraction and gradient tensor at points.
//!
//! | module | what it is |
//! |---|---|
//! | this one | the straight line |
//! | [`config`] | the problem as it is written |
//! | `of_scenario` | the problem that a scenario is |
//! | `problems` | what in it cannot be meant |
//! | [`setup`] | the problem with the files it names, checked: prisms and points |
//! | `way`, `costs` | the way to the sums, and what it goes by |
//! | `sums`, `on_gpus` | a piece of them, on the CPU or on GPUs |
//! | `in_memory` | arrays in, arrays out, without a folder |
//! | `session` | one command at work, in the folder of the results |
//! | `changes` | what of a problem has changed since its sums were begun |
//! | `values` | sums on their way to the results |
//! | `columns` | fields as they are told: directions, units, invariants |
//! | `finished` | results that are there, and what of them is written later |
//! | `results`, `pictures`, `report` | what the user gets |
//!
//! Points are computed in pieces. Any number of processes may work at one problem, on any machines that see its folder: each gives the same command. Sums that
//! were stopped, by Ctrl-C or by `kill -9`, go on by the same command.

mod changes;
mod columns;
pub mod config;
mod costs;
mod finished;
mod in_memory;
mod of_scenario;
mod on_gpus;
mod pictures;
mod problems;
mod report;
mod results;
mod session;
pub mod setup;
mod sums;
mod values;
mod way;

use std::path::Path;
use std::sync::Arc;

use craton_comm::Ranks;

pub use columns::Column;
pub use config::Config;
pub use in_memory::Gravity;
pub(crate) use problems::problems;
pub use report::GravityReport;
pub use setup::Setup;

use crate::comm::together;
use crate::error::Error;
use crate::look_ahead::LookAhead;
use crate::options::{CheckOptions, RunOptions};
use crate::written::{Written, has_tables};
use session::Session;

/// Name under which the problem is kept in the folder of its results.
pub(crate) const PROBLEM_FILE: &str = "gravity.toml";

/// A gravity problem read from its file.
pub type GravityFile = Written<Config>;

/// Computes gravity, or goes on with it: from bodies and points to fields, pictures and a record.
///
/// # Errors
/// Anything wrong with the problem or its files, before any work; a full disk during it.
pub fn gravity(file: &Path, options: &RunOptions) -> Result<GravityReport, Error> {
    let alone: Arc<dyn Ranks> = Arc::new(craton_comm::Solo);
    Ok(gravity_on_ranks(file, options, &alone)?.expect("the first rank has a report"))
}

/// As [`gravity`], on ranks that share the folder of the results; the first alone writes them, and has a report.
///
/// # Errors
/// As [`gravity`]; ranks that are lost.
pub fn gravity_on_ranks(
    file: &Path,
    options: &RunOptions,
    ranks: &Arc<dyn Ranks>,
) -> Result<Option<GravityReport>, Error> {
    together(&**ranks, Session::new(file, options, ranks))?.run()
}

/// Whether a file is a gravity problem by its tables; a file that cannot be read is none.
pub fn is_gravity(file: &Path) -> bool {
    has_tables(file, &["body"]) || has_tables(file, &["points"])
}

/// Says what the sums would be, and writes nothing.
///
/// # Errors
/// Anything wrong with the problem or its files.
pub fn check_gravity(file: &Path, options: &CheckOptions) -> Result<LookAhead, Error> {
    Session::for_check(file, options)?.look_ahead()
}
