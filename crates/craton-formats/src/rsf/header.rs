//! The `key=value` words of an RSF header.

use std::path::Path;

use crate::error::{FormatError, Result};
use crate::text::{Place, end_of};

/// The words of a header, in order; words without `=`, such as program names and dates, are ignored.
pub(super) struct Header<'a> {
    words: Vec<(Place<'a>, &'a str, &'a str)>,
    end: Place<'a>,
}

impl<'a> Header<'a> {
    pub fn parse(path: &'a Path, text: &'a str) -> Self {
        let mut words = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let place = Place { path, line: index + 1 };
            words.extend(pairs(line).map(|(key, value)| (place, key, value)));
        }
        Self { words, end: end_of(path, text) }
    }

    fn find(&self, key: &str) -> Option<&(Place<'a>, &'a str, &'a str)> {
        self.words.iter().rfind(|(_, known, _)| *known == key)
    }

    /// Last value of a key.
    pub fn text(&self, key: &str) -> Option<&'a str> {
        self.find(key).map(|(.., value)| *value)
    }

    pub fn required(&self, key: &'static str, expected: &str) -> Result<&'a str> {
        self.text(key).ok_or_else(|| FormatError::MissingKey {
            path: self.end.path.to_owned(),
            line: self.end.line,
            key,
            found: "the end of the header".to_owned(),
            expected: format!("`{key}=` and {expected}"),
        })
    }

    pub fn number(&self, key: &str) -> Result<Option<f64>> {
        self.find(key).map(|(place, key, value)| place.finite(key, value)).transpose()
    }

    pub fn count(&self, key: &str) -> Result<Option<usize>> {
        let Some(value) = self.text(key) else { return Ok(None) };
        let count = value.parse().ok().filter(|&count| count > 0);
        count.map(Some).ok_or_else(|| self.refuse(key, "an integer above 0"))
    }

    /// Name of the data file.
    pub fn data(&self) -> Result<&'a str> {
        self.required("in", "the file of the data, or \"stdin\"")
    }

    /// The error of a key whose last value is not allowed.
    pub fn refuse(&self, key: &str, expected: &str) -> FormatError {
        let (place, value) = self.find(key).map_or((self.end, ""), |(place, _, value)| (*place, *value));
        place.bad_value(key, value, expected)
    }
}

/// The `key=value` words of a line; values may be in single or double quotes.
fn pairs(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = line;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start();
            let end = rest.find(|c: char| c == '=' || c.is_whitespace())?;
            let (key, tail) = rest.split_at(end);
            let Some(value) = tail.strip_prefix('=') else {
                rest = tail;
                continue;
            };
            let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''));
            let (value, tail) = match quote {
                Some(quote) => value[1..].split_once(quote).unwrap_or((&value[1..], "")),
                None => value.split_at(value.find(char::is_whitespace).unwrap_or(value.len())),
            };
            rest = tail;
            return Some((key, value));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_and_without_quotes() {
        let found: Vec<_> = pairs("4.2 sfmath out: me@here  n1=5 label1=\"Two words\" unit1='' d1=0.5").collect();
        assert_eq!(found, [("n1", "5"), ("label1", "Two words"), ("unit1", ""), ("d1", "0.5")]);
    }
}
