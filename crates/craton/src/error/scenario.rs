//! Problems in a scenario and their positions in the file.

use std::ops::Range;

use craton_formats::shortened;
use miette::{Diagnostic, SourceSpan};
use thiserror::Error;

use super::excerpt::Excerpt;
use crate::number::counted;

/// A problem in a scenario, identified by the path of its key. The document with the key adds file, line and column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problem {
    /// The key, such as `model.layered.layers[1].rho`.
    pub path: String,
    /// The problem, in a sentence without a full stop.
    pub message: String,
    /// The value as written.
    pub value: Option<String>,
    /// The allowed values.
    pub allowed: Option<String>,
    /// The hint.
    pub hint: Option<String>,
    /// Whether the key is at fault rather than its value.
    pub key_at_fault: bool,
}

impl Problem {
    /// A problem at the given path.
    pub fn new(path: impl ToString, message: impl Into<String>) -> Self {
        Self { path: path.to_string(), message: message.into(), ..Self::default() }
    }

    /// Adds the value as written.
    pub fn value(mut self, value: impl ToString) -> Self {
        self.value = Some(value.to_string());
        self
    }

    /// Adds the allowed values.
    pub fn allowed(mut self, allowed: impl Into<String>) -> Self {
        self.allowed = Some(allowed.into());
        self
    }

    /// Adds a hint.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Marks the key as at fault rather than its value.
    pub fn at_key(mut self) -> Self {
        self.key_at_fault = true;
        self
    }
}

/// A [`Problem`] with its position in the file or in a `--set`.
#[derive(Debug, Clone, Error)]
#[error("{}{}", self.subject(), problem.message)]
pub struct ScenarioError {
    /// The scenario file, or `--set`.
    pub file: String,
    /// Line, counted from 1.
    pub line: usize,
    /// Column, counted from 1.
    pub column: usize,
    /// The problem.
    pub problem: Problem,
    /// The faulty bytes of the excerpt.
    span: SourceSpan,
    /// The lines of the text around the problem.
    excerpt: Excerpt,
}

impl ScenarioError {
    /// A problem at some bytes of a text.
    ///
    /// # Arguments
    /// * `file`, `text` – name and content of the text
    pub fn new(file: &str, text: &str, bytes: Range<usize>, problem: Problem) -> Self {
        let before = &text[..bytes.start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = before.matches('\n').count() + 1;
        let (excerpt, span) = Excerpt::new(file, text, bytes, line);
        let column = before[line_start..].chars().count() + 1;
        Self { file: file.to_owned(), line, column, problem, span, excerpt }
    }

    /// `path = value: `, as far as known.
    fn subject(&self) -> String {
        match (&*shortened(&self.problem.path), &self.problem.value) {
            ("", _) => String::new(),
            (path, Some(value)) => format!("{path} = {}: ", shortened(value)),
            (path, None) => format!("{path}: "),
        }
    }
}

impl Diagnostic for ScenarioError {
    fn help(&self) -> Option<Box<dyn std::fmt::Display + '_>> {
        let allowed = self.problem.allowed.as_ref().map(|allowed| format!("allowed: {allowed}"));
        let lines: Vec<String> = allowed.into_iter().chain(self.problem.hint.clone()).collect();
        (!lines.is_empty()).then(|| Box::new(lines.join("\n")) as Box<dyn std::fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn miette::SourceCode> {
        Some(&self.excerpt)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        let label = miette::LabeledSpan::new_with_span(None, self.span);
        Some(Box::new(std::iter::once(label)))
    }
}

/// The problems of a scenario, ordered by line. The display text gives only their number; [`lines`](Self::lines) and
/// miette's reports list each.
#[derive(Debug, Clone, Error, Diagnostic)]
#[error("{file}: {}", self.count())]
pub struct ScenarioErrors {
    /// The scenario file.
    pub file: String,
    /// The first problems; never empty.
    #[related]
    pub errors: Vec<ScenarioError>,
    /// Number of further problems.
    pub others: usize,
}

impl ScenarioErrors {
    /// One line per problem: `file:line:column: problem`, with the allowed values and the hint in brackets.
    pub fn lines(&self) -> String {
        let line = |error: &ScenarioError| {
            let help =
                error.help().map(|help| format!(" ({})", help.to_string().replace('\n', "; "))).unwrap_or_default();
            format!("{}:{}:{}: {error}{help}\n", error.file, error.line, error.column)
        };
        let others = (self.others > 0).then(|| format!("{}: and {} more\n", self.file, counted(self.others, "error")));
        self.errors.iter().map(line).chain(others).collect()
    }

    fn count(&self) -> String {
        let shown = self.errors.len();
        let all = counted(shown + self.others, "error");
        if self.others == 0 { all } else { format!("{all}, of which the first {shown} follow") }
    }
}
