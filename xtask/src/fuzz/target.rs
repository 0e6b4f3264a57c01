//! Targets: readers, each with the form of its inputs and its corpus.

use super::mutate::Form;
use std::fmt::Display;
use std::path::Path;

/// A reader under test.
#[derive(Clone)]
pub struct Target {
    /// Name, also that of its folder in `xtask/corpus`.
    pub name: &'static str,
    /// Form of the inputs.
    pub form: Form,
    /// Name of the input file in the working folder.
    pub input: &'static str,
    /// Files or folders of the repository with further inputs.
    pub corpus: &'static [&'static str],
    /// Further files of the working folder: name there, and file of the repository.
    pub companions: Vec<(&'static str, &'static str)>,
    /// Names in the working folder that the reader may create or remove.
    pub may_change: &'static [&'static str],
    /// Updates the checksums of an input, which otherwise hide the reader behind them.
    pub seal: Option<fn(&mut [u8])>,
    /// Largest memory of an execution [bytes].
    pub memory: usize,
    /// Longest error message [bytes]; longer ones are no messages but copies of the input.
    pub message: usize,
    /// Reads the input file, whose path is given.
    pub read: fn(&Path) -> Outcome,
}

/// Largest memory of a reader by default [bytes]. Inputs have at most 64 kB, and buffers of readers at most 8 MB.
const MEMORY: usize = 64 << 20;
/// Longest error message by default [bytes].
const MESSAGE: usize = 20_000;

impl Target {
    /// A target without companions and checksums.
    pub fn new(name: &'static str, form: Form, input: &'static str, read: fn(&Path) -> Outcome) -> Self {
        Self {
            name,
            form,
            input,
            corpus: &[],
            companions: Vec::new(),
            may_change: &[],
            seal: None,
            memory: MEMORY,
            message: MESSAGE,
            read,
        }
    }
}

/// Result of an execution.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The input was read; number of values.
    Accepted(usize),
    /// The message of the error.
    Refused(String),
    /// The reader broke a promise of its documentation.
    Broken(String),
}

impl Outcome {
    /// The outcome of a reader: its error, or what `check` finds in its result.
    pub fn of<T, E: Display>(result: Result<T, E>, check: impl FnOnce(T) -> Self) -> Self {
        result.map_or_else(|error| Self::Refused(error.to_string()), check)
    }

    /// Checks that all values are finite.
    pub fn finite(values: impl IntoIterator<Item = f64>) -> Self {
        let mut count = 0;
        for value in values {
            if !value.is_finite() {
                return Self::Broken(format!("value {count} is {value}"));
            }
            count += 1;
        }
        Self::Accepted(count)
    }

    /// Combines the outcomes of two readers of one input: a broken promise first, then a result, then an error.
    pub fn or(self, other: Self) -> Self {
        match (self, other) {
            (broken @ Self::Broken(_), _) | (_, broken @ Self::Broken(_)) => broken,
            (Self::Accepted(some), Self::Accepted(more)) => Self::Accepted(some + more),
            (accepted @ Self::Accepted(_), _) | (_, accepted @ Self::Accepted(_)) => accepted,
            (refused, _) => refused,
        }
    }
}
