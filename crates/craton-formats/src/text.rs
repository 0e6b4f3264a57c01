//! Shared by readers of text: numbered lines, and numbers with their position for messages.

use std::fmt::Display;
use std::fs;
use std::io;
use std::iter::Peekable;
use std::path::Path;
use std::vec::IntoIter;

use crate::error::{FormatError, Result};
use crate::escape::shortened;
use crate::kind::require_text;

/// UTF-8 byte order mark, which some editors write.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// Reads a text file. Invalid UTF-8 (such as old comments in Latin-1) is replaced, not refused; a number that contains it fails later, with
/// its line.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    let bytes = read_bytes(path)?;
    require_text(path, &bytes)?;
    let without_mark = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&bytes);
    Ok(String::from_utf8_lossy(without_mark).into_owned())
}

/// Reads the bytes of a file.
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
            value: shortened(value).into_owned(),
            expected: expected.to_string(),
        }
    }

    pub fn layout(self, problem: impl Display, hint: impl Display) -> FormatError {
        FormatError::Layout {
            path: self.path.to_owned(),
            line: self.line,
            problem: shortened_list(problem.to_string()),
            hint: shortened_list(hint.to_string()),
        }
    }

    /// Parses a finite number; `key` names it, and is formatted only in case of an error.
    pub fn finite(self, key: impl Display, word: &str) -> Result<f64> {
        match number(word) {
            Some(value) if value.is_finite() => Ok(value),
            Some(_) => Err(self.bad_value(key, word, "a finite number (no NaN, no infinity)")),
            None => Err(self.bad_value(key, word, "a number, like 1250, -0.5 or 1.2e-3")),
        }
    }
}

/// Shortens a list of names from a file, which may be as long as the file.
pub(crate) fn shortened_list(mut text: String) -> String {
    /// Largest number of characters.
    const LONGEST: usize = 1000;
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Parses a number as printed by C or Fortran: `1.5`, `1.5e3`, `1.5d3`, `1.5D+03`.
pub(crate) fn number(word: &str) -> Option<f64> {
    word.parse().ok().or_else(|| {
        let fortran = word.contains(['d', 'D']);
        fortran.then(|| word.replace(['d', 'D'], "e").parse().ok())?
    })
}

/// Data lines: neither blank nor `#` comments; trimmed, with their places.
pub(crate) fn data_lines<'a>(path: &'a Path, text: &'a str) -> impl Iterator<Item = (Place<'a>, &'a str)> {
    text.lines()
        .enumerate()
        .map(move |(index, line)| (Place { path, line: index + 1 }, line.trim()))
        .filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// A data line of a file that was read before, by index from 0; empty if the line no longer exists.
pub(crate) fn data_line(path: &Path, index: usize) -> Result<(Place<'_>, String)> {
    let text = read_text(path)?;
    let (place, line) = data_lines(path, &text).nth(index).unwrap_or_else(|| (end_of(path, &text), ""));
    Ok((Place { path, line: place.line }, line.to_owned()))
}

/// The line after the last one, for errors of files that are too short.
pub(crate) fn end_of<'a>(path: &'a Path, text: &str) -> Place<'a> {
    Place { path, line: text.lines().count() + 1 }
}

/// Splits a line into words, separated by blanks, tabs or commas.
pub(crate) fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty())
}

/// Splits a line at a separator into fields, trimmed and unquoted; separators within quotes are ignored.
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

/// Removes a trailing comment, which starts with `!` or `#`.
pub(crate) fn without_comment(text: &str) -> &str {
    text.split(['!', '#']).next().unwrap_or_default().trim()
}

/// A file of `key: value` lines in a fixed order, such as SPECFEM's source files.
pub(crate) struct KeyLines<'a> {
    lines: Peekable<IntoIter<(Place<'a>, &'a str)>>,
    end: Place<'a>,
}

impl<'a> KeyLines<'a> {
    fn new(path: &'a Path, text: &'a str) -> Self {
        let lines: Vec<_> = data_lines(path, text).collect();
        Self { lines: lines.into_iter().peekable(), end: end_of(path, text) }
    }

    /// Parses all items of a file, at least one.
    pub fn all<T>(path: &'a Path, text: &'a str, one: impl Fn(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut lines = Self::new(path, text);
        let mut all = vec![one(&mut lines)?];
        while lines.lines.peek().is_some() {
            all.push(one(&mut lines)?);
        }
        Ok(all)
    }

    /// Returns the next line.
    pub fn line(&mut self, key: &'static str, expected: &str) -> Result<(Place<'a>, &'a str)> {
        self.lines.next().ok_or_else(|| missing(self.end, key, "the end of the file", expected))
    }

    /// Whether the next line has a key (case-insensitive).
    pub fn is_next(&mut self, name: &str) -> bool {
        let key = self.lines.peek().and_then(|(_, line)| line.split_once(':'));
        key.is_some_and(|(key, _)| key.trim().eq_ignore_ascii_case(name))
    }

    /// Takes the next line if it is a single word without a colon, and none that `starts_item`: the name of a file after the lines of an item.
    pub fn file_name(&mut self, starts_item: impl Fn(&str) -> bool) -> Option<String> {
        let is_name = |line: &str| !line.contains(':') && line.split_whitespace().count() == 1 && !starts_item(line);
        let (_, line) = self.lines.next_if(|(_, line)| is_name(line))?;
        Some(line.to_owned())
    }

    /// Splits the next line at the colon; the key must be one of `names` (case-insensitive), of which the first is used in messages.
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

    /// Parses the finite number after the colon on the next line.
    pub fn number(&mut self, names: &[&'static str], expected: &str) -> Result<f64> {
        self.value(names, expected)?.number()
    }

    /// As [`Self::number`], but the number must not be negative.
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
    /// The key as written in the file.
    key: &'a str,
    /// Text after the colon.
    pub word: &'a str,
}

impl Value<'_> {
    /// Parses the text as a finite number, ignoring a trailing comment.
    pub fn number(&self) -> Result<f64> {
        self.place.finite(self.key, without_comment(self.word))
    }

    /// The error of a text that is not allowed.
    pub fn refuse(&self, expected: impl Display) -> FormatError {
        self.place.bad_value(self.key, self.word, expected)
    }

    /// The error of inconsistent lines, of which this is the last.
    pub fn layout(&self, problem: impl Display, hint: impl Display) -> FormatError {
        self.place.layout(problem, hint)
    }
}

fn missing(place: Place, key: &'static str, found: &str, expected: &str) -> FormatError {
    FormatError::MissingKey {
        path: place.path.to_owned(),
        line: place.line,
        key,
        found: shortened(found).into_owned(),
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
    fn fields_are_split_at_commas_outside_quotes() {
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
