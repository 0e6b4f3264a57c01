//! The path of a value in a configuration file, such as `model.layered.layers[1].rho`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// One segment of a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Segment {
    /// A key of a table.
    Key(String),
    /// An item of a list, counted from 0.
    Index(usize),
}

/// The path of a value, from the root.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct KeyPath(Vec<Segment>);

/// A text that is not a path.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{text}` is not a key; write it like `domain.z` or `source[0].delay`, with list indices from 0")]
pub struct KeyPathError {
    /// The text.
    pub text: String,
}

impl KeyPath {
    /// This path extended by a key.
    pub fn key(&self, key: &str) -> Self {
        self.then(Segment::Key(key.to_owned()))
    }

    /// This path extended by a list index, counted from 0.
    pub fn index(&self, index: usize) -> Self {
        self.then(Segment::Index(index))
    }

    /// The segments from the root.
    pub fn segments(&self) -> &[Segment] {
        &self.0
    }

    /// Replaces a prefix of this path by another one.
    ///
    /// # Returns
    /// `None` if the path does not have the prefix.
    pub fn moved(&self, from: &Self, to: &Self) -> Option<Self> {
        let behind = self.0.strip_prefix(&*from.0)?;
        Some(Self([&to.0, behind].concat()))
    }

    fn then(&self, segment: Segment) -> Self {
        let mut path = self.clone();
        path.0.push(segment);
        path
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, segment) in self.0.iter().enumerate() {
            match segment {
                Segment::Index(index) => write!(f, "[{index}]")?,
                Segment::Key(key) => {
                    let dot = if place == 0 { "" } else { "." };
                    let bare = !key.is_empty() && key.chars().all(is_bare);
                    if bare { write!(f, "{dot}{key}")? } else { write!(f, "{dot}{}", quoted(key))? }
                }
            }
        }
        Ok(())
    }
}

impl FromStr for KeyPath {
    type Err = KeyPathError;

    fn from_str(text: &str) -> Result<Self, KeyPathError> {
        let mut segments = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() {
            let (segment, after) =
                next_segment(rest, segments.is_empty()).ok_or_else(|| KeyPathError { text: text.to_owned() })?;
            segments.push(segment);
            rest = after;
        }
        Ok(Self(segments))
    }
}

/// The first segment of a path, and the rest.
fn next_segment(text: &str, first: bool) -> Option<(Segment, &str)> {
    if let Some(index) = text.strip_prefix('[') {
        let (index, rest) = index.split_once(']')?;
        return Some((Segment::Index(index.trim().parse().ok()?), rest));
    }
    let text = if first { text } else { text.strip_prefix('.')? };
    if let Some(quoted) = text.strip_prefix('"') {
        let (key, rest) = unquoted(quoted)?;
        return Some((Segment::Key(key), rest));
    }
    let end = text.find(|c| !is_bare(c)).unwrap_or(text.len());
    let (key, rest) = text.split_at(end);
    (!key.is_empty()).then(|| (Segment::Key(key.to_owned()), rest))
}

/// A key in quotation marks, with a backslash before quotation marks and backslashes.
fn quoted(key: &str) -> String {
    format!("\"{}\"", key.replace('\\', "\\\\").replace('"', "\\\""))
}

/// The key before the closing quotation mark, and the rest.
fn unquoted(text: &str) -> Option<(String, &str)> {
    let mut key = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return Some((key, &text[at + 1..])),
            '\\' => key.push(letters.next()?.1),
            _ => key.push(letter),
        }
    }
    None
}

/// Whether a character needs no quotes in a key.
fn is_bare(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == '-'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_parsed_as_it_is_formatted() {
        for text in ["title", "model.layered.layers[1].rho", "source[0].time_function.gaussian", "a.\"b c\".d", ""] {
            assert_eq!(text.parse::<KeyPath>().expect("a path").to_string(), text);
        }
        for key in ["b c", "", "a\"b", "\\", "\\\"", "\n\t\u{e9}", "a.b"] {
            let path = KeyPath::default().key("a").key(key).index(1);
            assert_eq!(path.to_string().parse(), Ok(path), "{key:?}");
        }
        assert_eq!(KeyPath::default().key("source").index(2).key("force"), "source[2].force".parse().expect("a path"));
    }

    #[test]
    fn a_path_moves_with_its_prefix() {
        let path = |text: &str| text.parse::<KeyPath>().expect("a path");
        let moved = |from: &str| path("output.formats[1]").moved(&path(from), &path("gravity.formats"));
        assert_eq!(moved("output.formats"), Some(path("gravity.formats[1]")));
        assert_eq!(moved("output.form"), None);
        assert_eq!(moved("output.formats[1].x"), None);
    }

    #[test]
    fn invalid_paths_are_refused() {
        for text in ["a..b", ".a", "a[", "a[x]", "a b", "a.", "a]"] {
            assert!(text.parse::<KeyPath>().is_err(), "{text}");
        }
    }
}
