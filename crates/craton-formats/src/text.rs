//! What every reader of text shares: lines with their numbers, numbers with their place.

use std::fmt::Display;
use std::fs;
use std::io;
use std::iter::Peekable;
use std::path::Path;
use std::vec::IntoIter;

use crate::error::{FormatError, Result};
use crate::kind::require_text;

/// What some editors put before UTF-8 text.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The text of a file, which must be one. Bytes that are not UTF-8 (old comments in Latin-1) are replaced, not refused: a number made of
/// them fails later, with its line.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    let bytes = read_bytes(path)?;
    require_text(path, &bytes)?;
    let without_mark = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
    Ok(String::from_utf8_lossy(without_mark).into_owned())
}

/// The bytes of a file.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|source| unread(path, source))
}

/// The error of a file that cannot be read.
pub(crate) fn unread(path: &Path, source: io::Error) -> FormatError {
    FormatError::Io {
        path: path.to_owned(),
        action: "read the file",
        source,
        hint: "check the path; a relative one starts at the current folder",
    }
}

/// A line of a file, for messages.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub path: &'a Path,
    pub line: usize,
}

impl Place<'_> {
    pub fn bad_value(self, key: impl Display, value: &str, expected: impl Display) -> FormatError {
        FormatError::BadValue {
            path: self.path.to_owned(),
            line: self.line,
            key: key.to_string(),
            value: value.to_owned(),
            expected: expected.to_string(),
        }
    }

    pub fn layout(self, problem: impl Display, hint: impl Display) -> FormatError {
        FormatError::Layout {
            path: self.path.to_owned(),
            line: self.line,
            problem: problem.to_string(),
            hint: hint.to_string(),
        }
    }

    /// A finite number; `key` says which one, and is only formatted when it is wrong.
    pub fn finite(self, key: impl Display, word: &str) -> Result<f64> {
        match number(word) {
            Some(value) if value.is_finite() => Ok(value),
            Some(_) => Err(self.bad_value(key, word, "a finite number (no NaN, no infinity)")),
            None => Err(self.bad_value(key, word, "a number, like 1250, -0.5 or 1.2e-3")),
        }
    }
}

/// A number as C or Fortran prints it: `1.5`, `1.5e3`, `1.5d3`, `1.5D+03`.
pub(crate) fn number(word: &str) -> Option<f64> {
    word.parse().ok().or_else(|| {
        let fortran = word.contains(['d', 'D']);
        fortran.then(|| word.replace(['d', 'D'], "e").parse().ok())?
    })
}

/// The lines that hold data: not blank, not `#` comments; trimmed, with their places.
pub(crate) fn data_lines<'a>(path: &'a Path, text: &'a str) -> impl Iterator<Item = (Place<'a>, &'a str)> {
    text.lines()
        .enumerate()
        .map(move |(index, line)| (Place { path, line: index + 1 }, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// A data line of a file that was read before, by its number from 0; what is no longer there is empty.
pub(crate) fn data_line(path: &Path, index: usize) -> Result<(Place<'_>, String)> {
    let text = read_text(path)?;
    let (place, line) = data_lines(path, &text).nth(index).unwrap_or_else(|| (end_of(path, &text), ""));
    Ok((Place { path, line: place.line }, line.to_owned()))
}

/// The line after the last, where a file that is too short should go on.
pub(crate) fn end_of<'a>(path: &'a Path, text: &str) -> Place<'a> {
    Place { path, line: text.lines().count() + 1 }
}

/// The words of a line, parted by blanks, tabs or commas.
pub(crate) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty())
}

/// What stands between the commas of a line, or between other separators, without the blanks around it and its quotes; one in quotes parts nothing.
pub(crate) fn fields(line: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let parts = line.split(move |letter: char| {
        is_quoted ^= letter == '"';
        letter == separator && !is_quoted
    });
    parts.map(|part| {
        let part = part.trim();
        part.strip_prefix('"').and_then(|part| part.strip_suffix('"')).unwrap_or(part)
    })
}

/// The text before a trailing comment, `!` or `#`.
pub(crate) fn without_comment(text: &str) -> &str {
    text.split(['!', '#']).next().unwrap_or_default().trim()
}

/// A file of `key: value` lines in a fixed order, as SPECFEM's source files are.
pub(crate) struct KeyLines<'a> {
    lines: Peekable<IntoIter<(Place<'a>, &'a str)>>,
    end: Place<'a>,
}

impl<'a> KeyLines<'a> {
    fn new(path: &'a Path, text: &'a str) -> Self {
        let lines: Vec<_> = data_lines(path, text).collect();
        Self { lines: lines.into_iter().peekable(), end: end_of(path, text) }
    }

    /// What a file holds of one kind of thing, as many as there are, at least one.
    pub fn all<T>(path: &'a Path, text: &'a str, one: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut lines = Self::new(path, text);
        let mut all = vec![one(&mut lines)?];
        while lines.lines.peek().is_some() {
            all.push(one(&mut lines)?);
        }
        Ok(all)
    }

    /// The next line as it stands.
    pub fn line(&mut self, key: &'static str, expected: &str) -> Result<(Place<'a>, &'a str)> {
        self.lines.next().ok_or_else(|| missing(self.end, key, "the end of the file", expected))
    }

    /// Whether the next line has a key, in capitals or not.
    pub fn is_next(&mut self, name: &str) -> bool {
        let key = self.lines.peek().and_then(|(_, line)| line.split_once(':'));
        key.is_some_and(|(key, _)| key.trim().eq_ignore_ascii_case(name))
    }

    /// What stands on both sides of the colon of the next line, whose key must be one of `names`, in capitals or not; the
    /// first is the one for messages.
    pub fn value(&mut self, names: &[&'static str], expected: &str) -> Result<Value<'a>> {
        let others: Vec<String> = names[1..].iter().map(|name| format!("`{name}:`")).collect();
        let or = if others.is_empty() { String::new() } else { format!(" (or {})", others.join(", ")) };
        let wanted = format!("a line `{}: {expected}`{or}", names[0]);
        let (place, line) = self.line(names[0], &wanted)?;
        let (key, word) = line
            .split_once(':')
            .map(|(key, word)| (key.trim(), word.trim()))
            .filter(|(key, _)| names.iter().any(|name| name.eq_ignore_ascii_case(key)))
            .ok_or_else(|| missing(place, names[0], &format!("`{line}`"), &wanted))?;
        Ok(Value { place, key, word })
    }

    /// The finite number that follows the colon on the next line.
    pub fn number(&mut self, names: &[&'static str], expected: &str) -> Result<f64> {
        self.value(names, expected)?.number()
    }

    /// As [`Self::number`], and not below zero.
    pub fn non_negative(&mut self, names: &[&'static str], expected: &str) -> Result<f64> {
        let value = self.value(names, expected)?;
        let number = value.number()?;
        if number < 0.0 {
            return Err(value.refuse(format!("{expected}, at least 0")));
        }
        Ok(number)
    }
}

/// A `key: value` line.
pub(crate) struct Value<'a> {
    place: Place<'a>,
    /// The key as the file writes it.
    key: &'a str,
    /// What follows the colon.
    pub word: &'a str,
}

impl Value<'_> {
    /// The word as a finite number, a comment behind it left out.
    pub fn number(&self) -> Result<f64> {
        self.place.finite(self.key, without_comment(self.word))
    }

    /// The error of a word that is not an allowed one.
    pub fn refuse(&self, expected: impl Display) -> FormatError {
        self.place.bad_value(self.key, self.word, expected)
    }

    /// The error of lines, this the last of them, that do not fit together.
    pub fn layout(&self, problem: impl Display, hint: impl Display) -> FormatError {
        self.place.layout(problem, hint)
    }
}

fn missing(place: Place, key: &'static str, found: &str, expected: &str) -> FormatError {
    FormatError::MissingKey {
        path: place.path.to_owned(),
        line: place.line,
        key,
        found: found.to_owned(),
        expected: expected.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_c_and_fortran_print_them() {
        assert_eq!(number("1.5e3"), Some(1500.0));
        assert_eq!(number("-1.5D+03"), Some(-1500.0));
        assert_eq!(number("1.d15"), Some(1e15));
        assert_eq!(number("12 m"), None);
        assert_eq!(number("d"), None);
    }

    #[test]
    fn fields_are_what_stands_between_commas() {
        for (line, wanted) in [
            ("a, b c ,,\"d, e\"", &["a", "b c", "", "d, e"][..]),
            ("\"\",", &["", ""]),
            ("5\", 6", &["5\", 6"]),
            ("", &[""]),
        ] {
            assert_eq!(fields(line, ',').collect::<Vec<_>>(), wanted, "{line}");
        }
    }
}
