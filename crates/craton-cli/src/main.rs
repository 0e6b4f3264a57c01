//! The `craton` command: a thin interface to the library of the same name.
//!
//! Results go to standard output, everything else to standard error. Exit codes: 0 success; 1 failed run, or misfit
//! above its limit, or output that cannot be written; 2 invalid usage or input; 130 interrupted.

#![deny(unsafe_code)]

// A global allocator is unsafe by its trait.
#[allow(unsafe_code)]
mod allocator;
mod arguments;
mod commands;
mod map_operations;
mod operations;
mod options;
mod printing;
mod ranks;
mod survey_arguments;
mod values;

use std::process::ExitCode;

use clap::Parser as _;
use craton::comm::Ranks;
use craton::{Error, signals};

use crate::arguments::Arguments;
use crate::commands::{Outcome, execute};
use crate::printing::{complain, print, unprinted};
use crate::ranks::join_run;

#[global_allocator]
static ALLOCATOR: allocator::Reporting = allocator::Reporting;

fn main() -> ExitCode {
    allocator::keep_freed_memory();
    // Before any other thread starts, which inherits this.
    signals::survive_file_limit();
    let command = match Arguments::try_parse() {
        Ok(arguments) => arguments.command,
        // Help and version, too, are errors of the parser.
        Err(error) => return ExitCode::from(unprinted(error.print()).unwrap_or(error.exit_code() as u8)),
    };
    if command.can_stop() {
        signals::hold_requests();
    }
    allocator::set_command(&command);
    let ranks = match join_run() {
        Ok(ranks) => ranks,
        Err(error) => {
            complain(Error::from(error), None);
            return ExitCode::from(craton::exit_code::BAD_INPUT);
        }
    };
    match execute(command, &ranks) {
        Ok(Outcome { text, code }) => finish(&*ranks, unprinted(print(&text)).unwrap_or(code)),
        Err(error) => failed(&*ranks, error),
    }
}

/// Reports an error once: the first rank reports an error that all ranks know; any other rank reports its own error and
/// stops the other ranks.
fn failed(ranks: &dyn Ranks, error: Error) -> ExitCode {
    let code = error.exit_code();
    let is_known = ranks.count() == 1 || error.is_known_to_all_ranks();
    if !is_known || ranks.is_root() {
        let who = (!is_known).then(|| format!("rank {} on {}", ranks.rank(), ranks.host()));
        complain(error, who);
    }
    if is_known { finish(ranks, code) } else { ranks.abort(code.into()) }
}

/// Exits together with all other ranks.
fn finish(ranks: &dyn Ranks, code: u8) -> ExitCode {
    // A lost rank has already reported its reason.
    let _ = ranks.finish();
    ExitCode::from(code)
}
