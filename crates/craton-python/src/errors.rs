//! Errors of Craton as Python exceptions, which `craton/errors.py` defines.

use craton::{Error, ScenarioErrors};
use pyo3::exceptions::{PyKeyboardInterrupt, PyOSError};
use pyo3::prelude::*;

pyo3::import_exception!(craton.errors, CratonError);
pyo3::import_exception!(craton.errors, ScenarioError);

/// The problems of a scenario: the message has a line for each.
pub fn of_scenario(errors: &ScenarioErrors) -> PyErr {
    let problem = |error: &craton::ScenarioError| {
        let craton::Problem { path, message, value, allowed, hint, .. } = error.problem.clone();
        (path, message, value, allowed, hint, error.line)
    };
    let problems: Vec<_> = errors.errors.iter().map(problem).collect();
    ScenarioError::new_err((errors.lines().trim_end().to_owned(), problems))
}

/// The exception of an error.
pub fn exception(error: &Error) -> PyErr {
    match error {
        Error::Scenario(errors) => of_scenario(errors),
        Error::Stopped { .. } => PyKeyboardInterrupt::new_err(error.to_string()),
        Error::Read { .. } => PyOSError::new_err(with_help(error)),
        _ => CratonError::new_err(with_help(error)),
    }
}

/// The message of an error and its hint.
fn with_help(error: &Error) -> String {
    use miette::Diagnostic as _;
    match error.help() {
        Some(help) => format!("{error}\n{help}"),
        None => error.to_string(),
    }
}
