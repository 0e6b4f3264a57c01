//! The `craton` command: a thin shell over the library of the same name.
//!
//! Results go to standard output, everything else to standard error. Exit codes: 0 done; 1 the run failed, or a misfit is above its
//! limit; 2 bad usage or input; 130 interrupted.

#![forbid(unsafe_code)]

mod arguments;
mod commands;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;

use crate::arguments::Arguments;
use crate::commands::{Outcome, execute};

fn main() -> ExitCode {
    let (text, code) = match execute(Arguments::parse().command) {
        Ok(Outcome { text, code }) => (Ok(text), code),
        Err(error) => {
            let code = if error.is_bad_input() { commands::BAD_INPUT } else { commands::FAILED };
            (Err(miette::Report::new(error)), code)
        }
    };
    // A reader that closed the pipe, as `head` does, has seen all it wants.
    let _ = match text {
        Ok(text) => std::io::stdout().write_all(text.as_bytes()),
        Err(report) => writeln!(std::io::stderr(), "{report:?}"),
    };
    ExitCode::from(code)
}
