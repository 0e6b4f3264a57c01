//! The `craton` command: a thin interface to the library of the same name.
//!
//! Results go to standard output, everything else to standard error. Exit codes: 0 success; 1 failed run, or misfit
//! above its limit; 2 invalid usage or input; 130 interrupted.

#![forbid(unsafe_code)]

mod arguments;
mod commands;
mod operations;
mod options;
mod values;

use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser as _;
use craton::Error;
use craton::comm::{Ranks, join_run};

use crate::arguments::Arguments;
use crate::commands::{Outcome, execute};

fn main() -> ExitCode {
    let command = Arguments::parse().command;
    let ranks: Arc<dyn Ranks> = match join_run() {
        Ok(ranks) => ranks.into(),
        Err(error) => {
            complain(Error::from(error), None);
            return ExitCode::from(craton::exit_code::BAD_INPUT);
        }
    };
    match execute(command, &ranks) {
        Ok(Outcome { text, code }) => {
            // A closed pipe, as with `head`, is not an error.
            let _ = std::io::stdout().write_all(text.as_bytes());
            finish(&*ranks, code)
        }
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

fn complain(error: Error, who: Option<String>) {
    // Messages already contain those of the operating system; as causes these would appear twice.
    let plain = |_: &_| -> Box<dyn miette::ReportHandler> {
        Box::new(miette::MietteHandlerOpts::new().without_cause_chain().build())
    };
    // No other code has set a hook.
    let _ = miette::set_hook(Box::new(plain));
    let report = miette::Report::new(error);
    let who = who.map(|who| format!("{who}:\n")).unwrap_or_default();
    // Without a terminal there is nowhere to report.
    let _ = writeln!(std::io::stderr(), "{who}{report:?}");
}
