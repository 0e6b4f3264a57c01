//! Printing: results to standard output, errors to standard error. Text from files is escaped here.

use std::fmt;
use std::io::{self, ErrorKind, Write as _};

use craton::exit_code::FAILED;
use craton::{Error, escaped, is_plain};
use miette::{MietteHandler, MietteHandlerOpts, ReportHandler as _};

/// Prints results. Control characters are escaped, since results quote files.
///
/// # Errors
/// A full disk.
pub fn print(text: &str) -> io::Result<()> {
    let mut output = io::stdout().lock();
    output.write_all(escaped(text).as_bytes())?;
    output.flush()
}

/// Reports an output that could not be written, and returns its exit code. A closed pipe, as with `head`, is not an error.
pub fn unprinted(printed: io::Result<()>) -> Option<u8> {
    let error = printed.err().filter(|error| error.kind() != ErrorKind::BrokenPipe)?;
    // Without a terminal there is nowhere to report.
    let _ = writeln!(io::stderr(), "cannot write to standard output: {error}. Free disk space, or write elsewhere");
    Some(FAILED)
}

/// Prints an error. Control characters are escaped, since errors quote files; only the report itself may colour its text.
///
/// # Arguments
/// * `who` – the rank, if several report errors
pub fn complain(error: Error, who: Option<String>) {
    // Messages already contain those of the operating system; as causes these would appear twice.
    let options = || MietteHandlerOpts::new().without_cause_chain();
    let rendered = |handler: MietteHandler| Rendered { handler, error: &error }.to_string();
    let plain = rendered(options().color(false).build());
    let report = if is_plain(&plain) { rendered(options().build()) } else { escaped(&plain).into_owned() };
    let who = who.map(|who| format!("{who}:\n")).unwrap_or_default();
    // Without a terminal there is nowhere to report.
    let _ = writeln!(io::stderr(), "{who}{report}");
}

/// The report of an error.
struct Rendered<'a> {
    handler: MietteHandler,
    error: &'a Error,
}

impl fmt::Display for Rendered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.handler.debug(self.error, f)
    }
}
