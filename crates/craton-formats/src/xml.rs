//! Shared by readers and writers of XML: elements by local name, numbers with line numbers, and escaping.
//!
//! Namespace prefixes and versions vary between writers, so only local names are compared.

use std::fmt::Display;
use std::path::Path;

use roxmltree::{Document, Node};

use crate::DateTime;
use crate::error::{FormatError, Result};
use crate::text::Place;

/// Escapes text for an element or an attribute; control characters are removed.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            letter if letter.is_control() => {}
            letter => escaped.push(letter),
        }
    }
    escaped
}

/// An XML file.
pub(crate) struct XmlFile<'a> {
    path: &'a Path,
    /// Byte offset of every line.
    line_starts: Vec<usize>,
    document: Document<'a>,
}

impl<'a> XmlFile<'a> {
    /// Parses a file, whose root element must have the name `root`.
    ///
    /// # Arguments
    /// * `path`, `text` – the file
    /// * `root` – local name of the root element
    /// * `hint` – the expected kind of file, for messages
    pub fn parse(path: &'a Path, text: &'a str, root: &str, hint: &str) -> Result<Self> {
        check_shape(path, text)?;
        let document = Document::parse(text).map_err(|error| {
            let place = Place { path, line: error.pos().row as usize };
            place.layout(
                format!("this is not well-formed XML: {error}"),
                format!("expected {hint}; check whether the file was truncated"),
            )
        })?;
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let line_starts = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1)).collect();
        let file = Self { path, line_starts, document };
        let found = file.root().name();
        if found != root {
            return Err(file
                .root()
                .place()
                .layout(format!("the root element is <{found}>"), format!("expected {hint}")));
        }
        Ok(file)
    }

    /// The root element.
    pub fn root(&self) -> Element<'_> {
        Element { file: self, node: self.document.root_element() }
    }
}

/// Refuses far too many attributes of an element and far too deep elements: the time of the parser grows with the square of either.
fn check_shape(path: &Path, text: &str) -> Result<()> {
    /// Elements of all formats have at most a few dozen attributes, with those of namespaces, and a dozen levels.
    const MOST: usize = 1000;
    let (mut rest, mut at, mut depth) = (text, 0, 0_usize);
    while let Some(start) = rest.find('<') {
        let markup = &rest[start..];
        let ends = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">"), ("</", ">")];
        let end = ends.iter().find(|(begin, _)| markup.starts_with(begin));
        let (length, attributes) = match end {
            Some((begin, end)) => {
                let length = markup[begin.len()..].find(end).map_or(markup.len(), |at| begin.len() + at + end.len());
                (length, 0)
            }
            None => start_tag(markup),
        };
        match end {
            Some(("</", _)) => depth = depth.saturating_sub(1),
            None if !markup[..length].ends_with("/>") => depth += 1,
            _ => {}
        }
        if attributes.max(depth) > MOST {
            let line = text[..at + start].matches('\n').count() + 1;
            let problem = match attributes > MOST {
                true => format!("an element has {attributes} attributes, more than {MOST}"),
                false => format!("elements are more than {MOST} levels deep"),
            };
            return Err(Place { path, line }.layout(problem, "check whether the file is damaged"));
        }
        at += start + length;
        rest = &text[at..];
    }
    Ok(())
}

/// Length of a tag, up to its `>` outside of quotes, and number of equals signs outside of quotes.
fn start_tag(markup: &str) -> (usize, usize) {
    let (mut quote, mut attributes) = (None, 0);
    for (at, byte) in markup.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'=') => attributes += 1,
            (None, b'>') => return (at + 1, attributes),
            (None, _) => {}
        }
    }
    (markup.len(), attributes)
}

/// An element.
#[derive(Clone, Copy)]
pub(crate) struct Element<'a> {
    file: &'a XmlFile<'a>,
    node: Node<'a, 'a>,
}

impl<'a> Element<'a> {
    /// The local name.
    pub fn name(self) -> &'a str {
        self.node.tag_name().name()
    }

    /// Line at which the element starts.
    pub fn place(self) -> Place<'a> {
        let starts = &self.file.line_starts;
        let line = starts.partition_point(|&start| start <= self.node.range().start);
        Place { path: self.file.path, line }
    }

    /// Child elements with a given name.
    pub fn children(self, name: &'static str) -> impl Iterator<Item = Element<'a>> {
        let nodes = self.node.children().filter(move |node| node.is_element() && node.tag_name().name() == name);
        nodes.map(move |node| Element { file: self.file, node })
    }

    /// First child element with a given name.
    pub fn child(self, name: &'static str) -> Option<Element<'a>> {
        self.children(name).next()
    }

    /// As [`Self::child`], for a required element; `owner` names its parent in the message.
    pub fn required(self, name: &'static str, owner: impl Display, hint: &str) -> Result<Element<'a>> {
        self.child(name).ok_or_else(|| self.place().layout(format!("{owner} has no <{name}>"), hint))
    }

    /// Value of an attribute, trimmed; empty if it is missing.
    pub fn attribute(self, name: &str) -> &'a str {
        self.node.attribute(name).unwrap_or_default().trim()
    }

    /// Text of the element, trimmed.
    pub fn text(self) -> &'a str {
        self.node.text().unwrap_or_default().trim()
    }

    /// Text of a child element, trimmed; empty if it is missing.
    pub fn text_of(self, name: &'static str) -> &'a str {
        self.child(name).map_or("", Self::text)
    }

    /// Parses the finite number in the element or its `value` child; `owner` names its parent in messages.
    pub fn number(self, owner: impl Display) -> Result<f64> {
        let value = self.child("value").unwrap_or(self);
        value.place().finite(format_args!("{} of {owner}", self.name()), value.text())
    }

    /// As [`Self::number`], within limits.
    pub fn number_within(self, limits: [f64; 2], unit: &str, owner: impl Display) -> Result<f64> {
        let number = self.number(&owner)?;
        let [least, most] = limits;
        if (least..=most).contains(&number) {
            return Ok(number);
        }
        let key = format!("{} of {owner}", self.name());
        Err(self.place().bad_value(key, &number.to_string(), format!("{least} to {most} {unit}")))
    }

    /// Parses the date in the element or its `value` child.
    pub fn date(self, owner: impl Display) -> Result<DateTime> {
        let value = self.child("value").unwrap_or(self);
        value.parse_date(format_args!("{} of {owner}", self.name()), value.text())
    }

    /// Parses the date in an attribute, if present.
    pub fn date_attribute(self, name: &str, owner: impl Display) -> Result<Option<DateTime>> {
        match self.attribute(name) {
            "" => Ok(None),
            text => self.parse_date(format_args!("{name} of {owner}"), text).map(Some),
        }
    }

    fn parse_date(self, key: impl Display, text: &str) -> Result<DateTime, FormatError> {
        let expected = "a valid date and time, like 2010-02-27T06:34:11.53Z";
        DateTime::from_iso(text).ok_or_else(|| self.place().bad_value(key, text, expected))
    }
}
