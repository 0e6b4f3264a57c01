//! A position in a file, text or binary, from which numbers are read one after the other.

use std::fmt::Display;
use std::path::Path;

use crate::byte_order::{ByteOrder, Word};
use crate::error::{FormatError, Refused, Result};
use crate::escape::shortened;
use crate::text::{Place, number};

/// What to do about a file that ends too early or contradicts itself.
pub const WRITE_AGAIN: &str = "write the mesh again: the file was truncated or damaged";

/// A position in a file.
pub struct Cursor<'a> {
    /// The file, for messages.
    path: &'a Path,
    bytes: &'a [u8],
    at: usize,
    /// Where the last value starts, for messages.
    pub mark: usize,
    /// Name of the current section, without `$`.
    pub section: String,
    /// Byte order of a binary file; `None` in text.
    pub binary: Option<ByteOrder>,
}

impl<'a> Cursor<'a> {
    /// The start of a file, as text until [`Self::binary`] is set.
    pub fn new(path: &'a Path, bytes: &'a [u8]) -> Self {
        Self { path, bytes, at: 0, mark: 0, section: String::new(), binary: None }
    }

    /// The error of a value that is not allowed, which is the last one read.
    pub fn bad(&self, what: impl Display, value: impl Display, expected: impl Display) -> FormatError {
        let value = value.to_string();
        match self.binary {
            None => self.place().bad_value(what, &value, expected),
            Some(_) => {
                Refused::new(format!("section ${}: {what}", shortened(&self.section)), value, expected.to_string())
                    .unreadable(self.path)
            }
        }
    }

    /// The error of an inconsistency near the last value.
    pub fn layout(&self, problem: impl Display, hint: impl Display) -> FormatError {
        match self.binary {
            None => self.place().layout(problem, hint),
            Some(_) => self.bad("problem", problem, format!("a complete section; {hint}")),
        }
    }

    fn place(&self) -> Place<'a> {
        let before = &self.bytes[..self.mark.min(self.bytes.len())];
        Place { path: self.path, line: before.iter().filter(|&&byte| byte == b'\n').count() + 1 }
    }

    /// Moves to the line after the next one that starts a section, and sets its name; false at the end of the file.
    pub fn section(&mut self) -> Result<bool> {
        loop {
            self.skip_space();
            if self.at == self.bytes.len() {
                self.mark = self.at;
                return Ok(false);
            }
            self.mark = self.at;
            let line = self.line();
            if let Some(name) = line.strip_prefix('$') {
                self.section = name.to_owned();
                return Ok(true);
            }
        }
    }

    /// Moves behind the end of the current section.
    pub fn skip_section(&mut self) -> Result<()> {
        let end = format!("$End{}", self.section).into_bytes();
        while let Some(next) = self.bytes[self.at..].iter().position(|&byte| byte == b'$') {
            self.at += next;
            if self.bytes[self.at..].starts_with(&end) {
                self.at += end.len();
                return Ok(());
            }
            self.at += 1;
        }
        Err(self.layout(format!("section `${}` has no end", shortened(&self.section)), WRITE_AGAIN))
    }

    /// Moves behind the end of the current section, which must follow.
    pub fn end_section(&mut self) -> Result<()> {
        self.skip_space();
        self.mark = self.at;
        let found = self.line();
        match found.strip_prefix("$End").is_some_and(|name| name == self.section) {
            true => Ok(()),
            false => Err(self.layout(
                format!("found `{}` instead of `$End{}`", shortened(&found), self.section),
                "the number of lines differs from the one at the start of the section; write the mesh again",
            )),
        }
    }

    /// A whole number: a word of text or 4 bytes.
    pub fn int(&mut self, what: &str) -> Result<i64> {
        match self.binary {
            None => self.text_integer(what),
            Some(_) => Ok(i64::from(self.word::<i32>()?)),
        }
    }

    /// A whole number of at least 0: a word of text or 8 bytes.
    pub fn size(&mut self, what: &str) -> Result<u64> {
        match self.binary {
            None => self.text_natural(what),
            Some(_) => self.word(),
        }
    }

    /// A finite number: a word of text or 8 bytes.
    pub fn real(&mut self, what: &str) -> Result<f64> {
        const FINITE: &str = "a finite number (no NaN, no infinity)";
        if self.binary.is_some() {
            let value: f64 = self.word()?;
            return if value.is_finite() { Ok(value) } else { Err(self.bad(what, value, FINITE)) };
        }
        let word = String::from_utf8_lossy(self.text_word(what)?);
        match number(&word) {
            Some(value) if value.is_finite() => Ok(value),
            Some(_) => Err(self.bad(what, word, FINITE)),
            None => Err(self.bad(what, word, "a number, like 1250, -0.5 or 1.2e-3")),
        }
    }

    /// The last number, if the rest of the file can hold as many items.
    ///
    /// # Arguments
    /// * `in_text`, `in_binary` – the smallest size of an item [bytes]
    pub fn fits(&self, what: &str, count: u64, in_text: u64, in_binary: u64) -> Result<usize> {
        let bytes_each = if self.binary.is_some() { in_binary } else { in_text };
        let most = (self.bytes.len() - self.at) as u64 / bytes_each;
        if count > most {
            return Err(self.bad(
                what,
                count,
                format!("at most {most}, which fit in the rest of the file; {WRITE_AGAIN}"),
            ));
        }
        Ok(count as usize)
    }

    /// A number in a binary file.
    fn word<T: Word>(&mut self) -> Result<T> {
        let bytes = self.take(size_of::<T>())?;
        Ok(self.binary.unwrap_or(ByteOrder::NATIVE).read(bytes))
    }

    /// The next bytes.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        self.mark = self.at;
        let rest = &self.bytes[self.at..];
        if rest.len() < count {
            return Err(self.layout("the file ends within the section", WRITE_AGAIN));
        }
        self.at += count;
        Ok(&rest[..count])
    }

    /// The next word on the line of text.
    pub fn text_word(&mut self, what: &str) -> Result<&'a [u8]> {
        self.skip_blanks();
        self.mark = self.at;
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        if length == 0 {
            let ended = if rest.is_empty() { "file" } else { "line" };
            return Err(self.layout(format!("the {ended} ends before the {what}"), WRITE_AGAIN));
        }
        self.at += length;
        Ok(&rest[..length])
    }

    /// The next word on the line of text, a whole number.
    pub fn text_integer(&mut self, what: &str) -> Result<i64> {
        let word = self.text_word(what)?;
        let (digits, sign) = match word {
            [b'-', digits @ ..] => (digits, -1),
            _ => (word, 1),
        };
        natural(digits)
            .and_then(|value| Some(sign * i64::try_from(value).ok()?))
            .ok_or_else(|| self.bad(what, String::from_utf8_lossy(word), "a whole number"))
    }

    fn text_natural(&mut self, what: &str) -> Result<u64> {
        let word = self.text_word(what)?;
        natural(word).ok_or_else(|| self.bad(what, String::from_utf8_lossy(word), "a whole number of at least 0"))
    }

    /// The rest of the line of text, trimmed; moves behind its end.
    pub fn line(&mut self) -> String {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|&byte| byte == b'\n');
        self.at += length.map_or(rest.len(), |length| length + 1);
        String::from_utf8_lossy(&rest[..length.unwrap_or(rest.len())]).trim().to_owned()
    }

    /// Moves behind the end of a line of text, which must follow. In a text file, also skips blank lines.
    pub fn end_line(&mut self) -> Result<()> {
        self.skip_blanks();
        match self.bytes.get(self.at) {
            None => return Ok(()),
            Some(b'\n') => self.at += 1,
            Some(_) => {
                self.mark = self.at;
                let rest = self.line();
                return Err(
                    self.layout(format!("`{}` follows the last value of the line", shortened(&rest)), WRITE_AGAIN)
                );
            }
        }
        if self.binary.is_none() {
            self.skip_space();
        }
        Ok(())
    }

    /// In a text file, moves behind the end of the line, as [`Self::end_line`].
    pub fn end_record(&mut self) -> Result<()> {
        if self.binary.is_none() { self.end_line() } else { Ok(()) }
    }

    /// Skips values: the rest of a line of text, or bytes of a binary file.
    pub fn skip_values(&mut self, bytes: usize) -> Result<()> {
        match self.binary {
            Some(_) => self.take(bytes).map(|_| ()),
            None => {
                let rest = &self.bytes[self.at..];
                self.at += rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
                Ok(())
            }
        }
    }

    fn skip_blanks(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\r')) {
            self.at += 1;
        }
    }

    fn skip_space(&mut self) {
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
    }
}

/// Parses a whole number of decimal digits.
fn natural(digits: &[u8]) -> Option<u64> {
    let (first, rest) = digits.split_first()?;
    let digit = |byte: &u8| byte.is_ascii_digit().then(|| u64::from(byte - b'0'));
    rest.iter().try_fold(digit(first)?, |value, byte| value.checked_mul(10)?.checked_add(digit(byte)?))
}
