//! What is wrong in a scenario, and where it was written.

use std::sync::Arc;

use miette::{Diagnostic, NamedSource, SourceSpan};
use thiserror::Error;

/// Something wrong in a scenario, known by the path of its key. The document that holds the key adds file, line and column.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Problem {
    /// Where: `model.layered.layers[1].rho`.
    pub path: String,
    /// What is wrong, in a sentence without a full stop.
    pub message: String,
    /// The value that was written.
    pub value: Option<String>,
    /// What would have been allowed.
    pub allowed: Option<String>,
    /// What to do.
    pub hint: Option<String>,
    /// Whether the key itself is at fault, and not its value.
    pub key_at_fault: bool,
}

impl Problem {
    /// A problem at the given path.
    pub fn new(path: impl ToString, message: impl Into<String>) -> Self {
        Self { path: path.to_string(), message: message.into(), ..Self::default() }
    }

    /// Adds the value that was written.
    pub fn value(mut self, value: impl ToString) -> Self {
        self.value = Some(value.to_string());
        self
    }

    /// Adds what would have been allowed.
    pub fn allowed(mut self, allowed: impl Into<String>) -> Self {
        self.allowed = Some(allowed.into());
        self
    }

    /// Adds what to do.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Says that the key itself is at fault, and not its value.
    pub fn at_key(mut self) -> Self {
        self.key_at_fault = true;
        self
    }
}

/// A [`Problem`] with its place in the file, or in the `--set` that brought it.
#[derive(Debug, Clone, Error)]
#[error("{}{}", self.subject(), problem.message)]
pub struct ScenarioError {
    /// The scenario file, or `--set`.
    pub file: String,
    /// Line, counted from 1.
    pub line: usize,
    /// Column, counted from 1.
    pub column: usize,
    /// What is wrong.
    pub problem: Problem,
    /// Bytes of the text at fault.
    pub span: SourceSpan,
    /// The text itself.
    pub text: Arc<NamedSource<String>>,
}

impl ScenarioError {
    /// `path = value: `, as far as it is known.
    fn subject(&self) -> String {
        match (&*self.problem.path, &self.problem.value) {
            ("", _) => String::new(),
            (path, Some(value)) => format!("{path} = {value}: "),
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
        Some(&*self.text)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = miette::LabeledSpan> + '_>> {
        let label = miette::LabeledSpan::new_with_span(None, self.span);
        Some(Box::new(std::iter::once(label)))
    }
}

/// All that is wrong with a scenario, in the order of its lines. As text it is their number alone: [`lines`](Self::lines) and miette's reports tell each.
#[derive(Debug, Clone, Error, Diagnostic)]
#[error("{file}: {}", count(errors.len()))]
pub struct ScenarioErrors {
    /// The scenario file.
    pub file: String,
    /// What is wrong; never empty.
    #[related]
    pub errors: Vec<ScenarioError>,
}

impl ScenarioErrors {
    /// Each error on a line of its own, `file:line:column: what is wrong`, with what would be allowed and what to do in brackets.
    pub fn lines(&self) -> String {
        let line = |error: &ScenarioError| {
            let help =
                error.help().map(|help| format!(" ({})", help.to_string().replace('\n', "; "))).unwrap_or_default();
            format!("{}:{}:{}: {error}{help}\n", error.file, error.line, error.column)
        };
        self.errors.iter().map(line).collect()
    }
}

fn count(errors: usize) -> String {
    match errors {
        1 => "one thing is wrong".to_owned(),
        n => format!("{n} things are wrong"),
    }
}
