//! `Par_file`: lines `KEY = value`; `#` starts a comment.

use std::path::{Path, PathBuf};

use super::{bare, logical};
use crate::error::{FormatError, Result};
use crate::text::{Place, data_lines, end_of, read_text, without_comment};

/// A line `KEY = value`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Name of the key, as written.
    pub name: String,
    /// Value without comment and quotes; empty if the line has none.
    pub text: String,
    /// Line of the file, from 1.
    pub line: usize,
}

/// The keys of a `Par_file` in the order of the file. Names are compared without regard to case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParFile {
    path: PathBuf,
    keys: Vec<Key>,
    /// Line after the last one, from 1.
    end: usize,
}

impl ParFile {
    /// Reads a file.
    ///
    /// # Errors
    /// A file that cannot be read; a line without a key or without `=`; a key with two different values.
    pub fn read(path: &Path) -> Result<Self> {
        Self::parse(&read_text(path)?, path)
    }

    /// As [`Self::read`], from the text of the file; `path` is used in messages.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn parse(text: &str, path: &Path) -> Result<Self> {
        let (file, others) = Self::with_others(text, path)?;
        match others.first() {
            Some((place, line)) => Err(stray(*place, line)),
            None => Ok(file),
        }
    }

    /// Parses the keys, and returns the lines without `=` as well.
    pub(super) fn with_others<'a>(text: &'a str, path: &'a Path) -> Result<(Self, Vec<(Place<'a>, &'a str)>)> {
        let mut file = Self { path: path.to_owned(), keys: Vec::new(), end: end_of(path, text).line };
        let mut others = Vec::new();
        for (place, line) in data_lines(path, text).map(|(place, line)| (place, bare(line))) {
            match line.split_once('=') {
                Some((name, value)) => file.add(place, name.trim(), unquoted(value.trim()))?,
                None => others.push((place, line)),
            }
        }
        Ok((file, others))
    }

    fn add(&mut self, place: Place, name: &str, text: &str) -> Result<()> {
        if name.is_empty() || name.contains(char::is_whitespace) {
            return Err(place.bad_value("key", name, "one word before `=`; start comments with #"));
        }
        if let Some(first) = self.get(name).filter(|first| first.text != text) {
            let problem = format!("`{name}` is `{text}`, but `{}` on line {}", first.text, first.line);
            return Err(place.layout(problem, "remove one of the two lines"));
        }
        self.keys.push(Key { name: name.to_owned(), text: text.to_owned(), line: place.line });
        Ok(())
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All keys in the order of the file.
    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.keys.iter()
    }

    /// A key by its name; `None` if the file lacks it.
    pub fn get(&self, name: &str) -> Option<&Key> {
        self.keys.iter().find(|key| key.name.eq_ignore_ascii_case(name))
    }

    /// A logical value, such as `.true.`, `.false.`, `T` or `F`; `None` if the file lacks the key.
    ///
    /// # Errors
    /// Another value.
    pub fn logical(&self, name: &str) -> Result<Option<bool>> {
        let value = |key: &Key| logical(self.place(key), &key.name, without_comment(&key.text));
        self.get(name).map(value).transpose()
    }

    /// A whole number; `None` if the file lacks the key.
    ///
    /// # Errors
    /// Another value.
    pub fn integer(&self, name: &str) -> Result<Option<i64>> {
        let value = |key: &Key| {
            let word = without_comment(&key.text);
            word.parse().map_err(|_| self.place(key).bad_value(&key.name, word, "a whole number"))
        };
        self.get(name).map(value).transpose()
    }

    /// A finite number, such as `0.05` or `1.d0`; `None` if the file lacks the key.
    ///
    /// # Errors
    /// Another value.
    pub fn number(&self, name: &str) -> Result<Option<f64>> {
        let value = |key: &Key| self.place(key).finite(&key.name, without_comment(&key.text));
        self.get(name).map(value).transpose()
    }

    /// A text without quotes; `None` if the file lacks the key.
    ///
    /// # Errors
    /// An empty value.
    pub fn text(&self, name: &str) -> Result<Option<&str>> {
        match self.get(name) {
            Some(key) if key.text.is_empty() => Err(self.place(key).bad_value(&key.name, "", "a text after `=`")),
            key => Ok(key.map(|key| &*key.text)),
        }
    }

    /// The error of a value that the caller refuses, or of a missing key.
    ///
    /// # Arguments
    /// * `expected` – the allowed values and a hint
    pub fn refuse(&self, name: &str, expected: &str) -> FormatError {
        match self.get(name) {
            Some(key) => self.place(key).bad_value(&key.name, &key.text, expected),
            None => self.missing(name, expected),
        }
    }

    /// The error of a missing key.
    ///
    /// # Arguments
    /// * `expected` – the allowed values and a hint
    pub fn missing(&self, name: &str, expected: &str) -> FormatError {
        let place = Place { path: &self.path, line: self.end };
        place.layout(format!("`{name}` is missing"), format!("add a line `{name} = ` with {expected}"))
    }

    /// The place of a key, for messages.
    pub(super) fn place(&self, key: &Key) -> Place<'_> {
        Place { path: &self.path, line: key.line }
    }
}

/// The error of a line that is neither a key nor a comment.
pub(super) fn stray(place: Place, line: &str) -> FormatError {
    place.bad_value("line", line, "`KEY = value`; start comments with #")
}

/// Removes a pair of quotes.
fn unquoted(text: &str) -> &str {
    let inner = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    inner('"').or_else(|| inner('\'')).unwrap_or(text).trim()
}
