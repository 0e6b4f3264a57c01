//! What is found while a scenario is checked, and how errors of the layers below become problems of the scenario.

use std::path::Path;

use craton_acquisition::AcquisitionError;
use craton_formats::FormatError;
use craton_model::ModelError;

use crate::error::Problem;
use crate::key_path::KeyPath;
use crate::number::Number;

/// What was asked for, or the problem that stands against it.
pub type Checked<T> = Result<T, Box<Problem>>;

/// What is found while a scenario is checked.
#[derive(Debug, Default)]
pub struct Findings {
    /// What stops it.
    pub problems: Vec<Problem>,
    /// What a user should know but need not stop for.
    pub warnings: Vec<String>,
}

impl Findings {
    /// The value of a result; its problem is kept.
    pub fn keep<T>(&mut self, result: Checked<T>) -> Option<T> {
        result.map_err(|problem| self.problems.push(*problem)).ok()
    }
}

/// The problem of a file that a scenario names: it cannot be read, or a line of it is wrong.
///
/// # Arguments
/// * `file` – the file as the scenario names it
/// * `path` – the key that names it
pub fn bad_file(error: &FormatError, file: &Path, path: &KeyPath) -> Box<Problem> {
    let problem = |message: String| Problem::new(path, message).value(quoted(file));
    Box::new(match error {
        FormatError::Io { path, source, .. } => problem(format!("{} cannot be read: {source}", path.display()))
            .hint("paths of files to be read start from the folder of the file that names them"),
        FormatError::MissingKey { expected, .. } | FormatError::BadValue { expected, .. } => {
            let text = error.to_string();
            let message = text.strip_suffix(&format!("; expected {expected}")).unwrap_or(&text);
            problem(message.to_owned()).allowed(expected)
        }
        FormatError::Layout { path, line, problem: what, hint } => {
            problem(format!("{}:{line}: {what}", path.display())).hint(hint)
        }
        other => problem(other.to_string()),
    })
}

/// The problem of a model that is refused.
///
/// # Arguments
/// * `path` – the table or value at fault; a number that has a key of its own there is named by that key
pub fn bad_model(error: &ModelError, path: &KeyPath) -> Box<Problem> {
    Box::new(match error {
        ModelError::OutOfRange { what, value, allowed, hint } => match what.as_str() {
            key @ ("vp" | "vs" | "rho" | "longitude" | "latitude") => {
                Problem::new(path.key(key), "is not allowed").value(Number(*value)).allowed(allowed).hint(hint)
            }
            other => {
                Problem::new(path, format!("{other} = {} is not allowed", Number(*value))).allowed(allowed).hint(hint)
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

/// The problem of a source, a time function or a receiver that is refused.
pub fn bad_acquisition(error: &AcquisitionError, path: &KeyPath) -> Box<Problem> {
    Box::new(match error {
        AcquisitionError::OutOfRange { what, value, allowed, hint } => {
            Problem::new(path, format!("{what} = {} is not allowed", Number(*value))).allowed(*allowed).hint(*hint)
        }
        AcquisitionError::BadSamples { problem, hint } => {
            Problem::new(path, format!("the time function has {problem}")).hint(*hint)
        }
        AcquisitionError::NoTimeFunction { meanings, .. } => Problem::new(path, error.to_string())
            .allowed(*meanings)
            .hint("write `source time function: NUMBER` after the depth (older versions of SPECFEM3D leave it to their Par_file: 1 where \
                   USE_RICKER_TIME_FUNCTION is .true., else 0), or give a time_function"),
        AcquisitionError::At { place, reason } => {
            let inner = *bad_acquisition(reason, path);
            Problem { message: format!("{place}: {}", inner.message), ..inner }
        }
        AcquisitionError::EndlessGrowth { mechanism, final_value, .. } => {
            let message = format!(
                "the time function ends at {}; as a rate it would make the {mechanism} grow for ever",
                Number(*final_value)
            );
            Problem::new(path, message)
                .allowed("a rate that ends at 0")
                .hint("let it end at 0, or give of = \"history\"")
        }
        other => Problem::new(path, other.to_string()),
    })
}

/// The same problem, its value the file that the scenario names.
pub fn of_file(problem: Problem, file: &Path) -> Box<Problem> {
    Box::new(problem.value(quoted(file)))
}

/// A path as it stands in a scenario.
fn quoted(file: &Path) -> String {
    format!("{:?}", file.display().to_string())
}
