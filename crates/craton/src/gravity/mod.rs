//! Gravity of prisms: potential, attraction and gradient tensor at points; magnetic fields of the same prisms.
//!
//! | module | task |
//! |---|---|
//! | this one | the pipeline |
//! | [`config`] | the problem as written |
//! | `of_scenario` | the problem of a scenario |
//! | `problems`, `geographic_problems`, `magnetic_problems` | checks of the problem |
//! | [`setup`] | the checked problem with its files: prisms or tesseroids, and points |
//! | `algorithm`, `costs` | the choice of the summation algorithm |
//! | `sums`, `on_gpus` | a piece of the sums, on the CPU or on GPUs |
//! | `in_memory` | from arrays to arrays, without a folder |
//! | `session` | the session of a command in the results folder |
//! | `changes` | differences from the problem of an existing folder |
//! | `values` | intermediate file of the sums |
//! | `columns` | fields as results: directions, units, invariants |
//! | `finished` | existing results, and formats derived from them |
//! | `disk` | size of the results |
//! | `results`, `pictures`, `report` | output for the user |
//! | `reduction`, `distant_terrain` | anomalies from observed gravity |
//!
//! Points are computed in pieces. Any number of processes, on all machines that share the results folder, can work on
//! one problem: each runs the same command. The same command also continues an interrupted computation, after Ctrl-C or
//! `kill -9`.

mod algorithm;
mod changes;
mod columns;
pub mod config;
mod costs;
mod disk;
mod distant_terrain;
mod finished;
mod geographic_problems;
mod in_memory;
mod magnetic_problems;
mod of_scenario;
mod on_gpus;
mod pictures;
mod problems;
mod reduction;
mod report;
mod results;
mod session;
pub mod setup;
mod sums;
mod values;

use std::path::Path;
use std::sync::Arc;

use craton_comm::Ranks;
use craton_device::Workers;

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
use crate::verify::{self, Verified};
use crate::written::{Written, has_tables};
use session::Session;

/// Name of the copy of the problem in its results folder.
pub(crate) const PROBLEM_FILE: &str = "gravity.toml";

/// A gravity problem read from its file.
pub type GravityFile = Written<Config>;

/// Computes gravity, or continues: from bodies and points to fields, pictures and a record.
///
/// # Errors
/// Any problem of the problem file or its input files before the computation; a full disk during it.
pub fn gravity(file: &Path, options: &RunOptions) -> Result<GravityReport, Error> {
    let alone: Arc<dyn Ranks> = Arc::new(craton_comm::Solo);
    Ok(gravity_on_ranks(file, options, &alone)?.expect("the first rank has a report"))
}

/// As [`gravity`], on ranks that share the results folder; only the first writes the results and has a report.
///
/// # Errors
/// As [`gravity`]; lost ranks.
pub fn gravity_on_ranks(
    file: &Path,
    options: &RunOptions,
    ranks: &Arc<dyn Ranks>,
) -> Result<Option<GravityReport>, Error> {
    together(&**ranks, Session::new(file, options, ranks))?.run()
}

/// Whether a file is a gravity problem by its tables; false if it cannot be read.
pub fn is_gravity(file: &Path) -> bool {
    has_tables(file, &["body"]) || has_tables(file, &["points"])
}

/// Compares complete results with the checksums in their record.
///
/// # Errors
/// Damaged, incomplete or missing results, or those of another problem.
pub fn verify_gravity(file: &Path, overrides: &[String]) -> Result<Verified, Error> {
    let (problem, setup) = of_scenario::set_up(file, overrides)?;
    let directory = &setup.output.directory;
    let record = verify::complete_record(directory)?;
    match finished::is_of(&record, changes::identity(&problem, &setup)) {
        true => Workers::new(setup.threads)?.run(|| verify::files(directory, &record)),
        false => Err(changes::refusal(directory, &problem, &setup)),
    }
}

/// Describes the computation without writing anything.
///
/// # Errors
/// Any problem of the problem file or its input files.
pub fn check_gravity(file: &Path, options: &CheckOptions) -> Result<LookAhead, Error> {
    Session::for_check(file, options)?.look_ahead()
}
