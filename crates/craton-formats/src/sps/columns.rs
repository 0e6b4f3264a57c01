//! Values in fixed columns of a line.

use crate::error::{FormatError, Result};
use crate::text::Place;

/// A line with fixed columns, numbered from 1; ranges include the last column.
#[derive(Clone, Copy)]
pub(super) struct Columns<'a> {
    pub place: Place<'a>,
    pub line: &'a str,
}

impl<'a> Columns<'a> {
    /// Trimmed text in a range of columns; columns beyond the end of the line are blank.
    pub fn text(&self, [first, last]: [usize; 2]) -> &'a str {
        self.line.get(first - 1..last.min(self.line.len())).unwrap_or_default().trim()
    }

    /// Parses a finite number; `None` if blank.
    pub fn number(&self, name: &str, columns: [usize; 2]) -> Result<Option<f64>> {
        let text = self.text(columns);
        (!text.is_empty()).then(|| self.place.finite(key(name, columns), text)).transpose()
    }

    /// Parses a required finite number.
    pub fn required(&self, name: &str, columns: [usize; 2]) -> Result<f64> {
        self.number(name, columns)?.ok_or_else(|| self.refuse(name, columns, "a number"))
    }

    /// Parses a non-negative integer; `None` if blank.
    pub fn count(&self, name: &str, columns: [usize; 2]) -> Result<Option<u32>> {
        let text = self.text(columns);
        let whole = || text.parse().map_err(|_| self.refuse(name, columns, "an integer, at least 0"));
        (!text.is_empty()).then(whole).transpose()
    }

    /// Parses a required non-negative integer.
    pub fn required_count(&self, name: &str, columns: [usize; 2]) -> Result<u32> {
        self.count(name, columns)?.ok_or_else(|| self.refuse(name, columns, "an integer, at least 0"))
    }

    /// The error of a value that is not allowed.
    pub fn refuse(&self, name: &str, columns: [usize; 2], expected: &str) -> FormatError {
        self.place.bad_value(key(name, columns), self.text(columns), expected)
    }
}

fn key(name: &str, [first, last]: [usize; 2]) -> String {
    if first == last { format!("{name} (column {first})") } else { format!("{name} (columns {first}-{last})") }
}
