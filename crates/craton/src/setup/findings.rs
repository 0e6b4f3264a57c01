//! Problems and warnings found while a scenario is checked, and the conversion of lower-level errors to problems of the
//! scenario.

use std::io::ErrorKind;
use std::path::Path;

use craton_acquisition::AcquisitionError;
use craton_formats::FormatError;
use craton_model::ModelError;

use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;

/// A value, or the problem that prevents it.
pub type Checked<T> = Result<T, Box<Problem>>;

/// Problems and warnings of a scenario.
#[derive(Debug, Default)]
pub struct Findings {
    /// Problems, which stop the run.
    pub problems: Vec<Problem>,
    /// Warnings, which do not.
    pub warnings: Vec<String>,
}

impl Findings {
    /// The value of a result; keeps its problem.
    pub fn keep<T>(&mut self, result: Checked<T>) -> Option<T> {
        result.map_err(|problem| self.problems.push(*problem)).ok()
    }
}

/// The problem of an input file that cannot be read or has an invalid line.
///
/// # Arguments
/// * `file` – the file as named in the scenario
/// * `path` – the key that names it
pub fn bad_file(error: &FormatError, file: &Path, path: &KeyPath) -> Box<Problem> {
    let problem = |message: String| Problem::new(path, message).value(quoted(file));
    // The value of the key already names the file.
    let is_named = |found: &Path| found.ends_with(file);
    let unnamed = |text: &str, found: &Path| match text.strip_prefix(&format!("{}:", found.display())) {
        Some(rest) if is_named(found) => match rest.strip_prefix(' ') {
            Some(rest) => rest.to_owned(),
            None => format!("line {rest}"),
        },
        _ => text.to_owned(),
    };
    let text = error.to_string();
    Box::new(match error {
        // Of the calling program.
        FormatError::Io { source, hint, .. } if source.kind() == ErrorKind::Other => {
            problem(source.to_string()).hint(*hint)
        }
        FormatError::Io { path, source, .. } => problem(match is_named(path) {
            true => format!("cannot be read: {source}"),
            false => format!("cannot read {}: {source}", path.display()),
        })
        .hint("paths of input files are relative to the folder of the configuration file"),
        FormatError::MissingKey { path, expected, .. } | FormatError::BadValue { path, expected, .. } => {
            let text = text.strip_suffix(&format!("; expected {expected}")).unwrap_or(&text);
            problem(unnamed(text, path)).allowed(expected)
        }
        FormatError::Layout { path, line, problem: what, hint } => {
            problem(unnamed(&format!("{}:{line}: {what}", path.display()), path)).hint(hint)
        }
        FormatError::BadField { path, .. } => problem(unnamed(&text, path)),
        FormatError::Unwritable { .. } => problem(text),
    })
}

/// The problem of an invalid model.
///
/// # Arguments
/// * `path` – the table or value at fault; a number with its own key there is reported by that key
pub fn bad_model(error: &ModelError, path: &KeyPath) -> Box<Problem> {
    Box::new(match error {
        ModelError::OutOfRange { what, value, allowed, hint } => match what.as_str() {
            key @ ("vp" | "vs" | "rho" | "longitude" | "latitude") => {
                Problem::new(path.key(key), "is out of range").value(Number(*value)).allowed(allowed).hint(hint)
            }
            other => {
                Problem::new(path, format!("{other} = {} is out of range", Number(*value))).allowed(allowed).hint(hint)
            }
        },
        ModelError::At { place, reason } => {
            let inner = *bad_model(reason, path);
            Problem { message: format!("{place}: {}", inner.message), ..inner }
        }
        ModelError::BadGrid { problem, hint } => Problem::new(path, format!("the grid has {problem}")).hint(*hint),
        ModelError::DepthTable { place, problem, hint } => {
            Problem::new(path, format!("{place}: {problem}")).hint(*hint)
        }
        other => Problem::new(path, other.to_string()),
    })
}

/// The problem of an invalid source, time function or receiver.
pub fn bad_acquisition(error: &AcquisitionError, path: &KeyPath) -> Box<Problem> {
    Box::new(match error {
        AcquisitionError::OutOfRange { what, value, allowed, hint } => {
            Problem::new(path, format!("{what} = {} is out of range", Number(*value))).allowed(*allowed).hint(*hint)
        }
        AcquisitionError::BadSamples { problem, hint } => {
            Problem::new(path, format!("the time function has {problem}")).hint(*hint)
        }
        AcquisitionError::NoTimeFunction { meanings, .. } => Problem::new(path, error.to_string())
            .allowed(*meanings)
            .hint("add `source time function: NUMBER` after the depth (in older versions of SPECFEM3D 1 if USE_RICKER_TIME_FUNCTION \
                   is .true. in the Par_file, else 0), or give a time_function"),
        AcquisitionError::At { place, reason } => {
            let inner = *bad_acquisition(reason, path);
            Problem { message: format!("{place}: {}", inner.message), ..inner }
        }
        AcquisitionError::EndlessGrowth { mechanism, final_value, .. } => {
            let message = format!(
                "the time function ends at {}: as a rate, the {mechanism} would grow without bound",
                Number(*final_value)
            );
            Problem::new(path, message)
                .allowed("a rate that returns to 0")
                .hint("end the time function at 0, or set of = \"history\"")
        }
        other => Problem::new(path, other.to_string()),
    })
}

/// The same problem, with the file as its value.
pub fn of_file(problem: Problem, file: &Path) -> Box<Problem> {
    Box::new(problem.value(quoted(file)))
}

/// A path in quotes.
fn quoted(file: &Path) -> String {
    format!("{:?}", file.display().to_string())
}
