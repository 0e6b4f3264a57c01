//! Large text files, parsed in parallel pieces.
//!
//! A piece consists of the lines that start within a range of bytes, so it can be cut out without reading the bytes before it, and only the
//! pieces being parsed are in memory.

use std::borrow::Cow;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use crate::error::{FormatError, Result};
use crate::kind::{START, require_text};
use crate::text::{BYTE_ORDER_MARK, Place, read_bytes, unread};

/// Size of a piece: large enough to hide the overhead of a task, small enough for per-core caches.
const PIECE_BYTES: u64 = 1 << 22;

/// Text that is read in pieces, from a file or from memory.
pub(crate) struct Source<'a> {
    path: &'a Path,
    held: Option<Cow<'a, [u8]>>,
    /// Offset of the text, after a byte order mark.
    pub first: u64,
    end: u64,
    piece_bytes: u64,
}

/// A line that cannot be parsed, with its index in its piece, from 0.
pub(crate) struct BadLine {
    pub line: usize,
    pub text: String,
}

/// Parsed pieces, each with the number of lines before it, and the total number of lines.
pub(crate) struct Parsed<T> {
    pub pieces: Vec<(usize, T)>,
    pub lines: usize,
}

impl<'a> Source<'a> {
    /// Opens a file. A small file, or one that is not a regular file (a pipe), is read at once.
    pub fn open(path: &'a Path) -> Result<Self> {
        let metadata = fs::metadata(path).map_err(|source| unread(path, source))?;
        if !metadata.is_file() || metadata.len() <= PIECE_BYTES {
            let bytes = read_bytes(path)?;
            require_text(path, &bytes)?;
            return Ok(Self::of_bytes(path, Cow::Owned(bytes)));
        }
        let mut start = [0; START];
        let read = File::open(path).and_then(|mut file| file.read_exact(&mut start));
        read.map_err(|source| unread(path, source))?;
        require_text(path, &start)?;
        let first = if start.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() as u64 } else { 0 };
        Ok(Self { path, held: None, first, end: metadata.len(), piece_bytes: PIECE_BYTES })
    }

    /// Uses the text of a file; `path` is used in messages.
    pub fn of_text(path: &'a Path, text: &'a str) -> Self {
        Self::of_bytes(path, Cow::Borrowed(text.as_bytes()))
    }

    fn of_bytes(path: &'a Path, bytes: Cow<'a, [u8]>) -> Self {
        let first = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() as u64 } else { 0 };
        Self { path, first, end: bytes.len() as u64, held: Some(bytes), piece_bytes: PIECE_BYTES }
    }

    /// Changes the size of the pieces.
    #[cfg(test)]
    pub fn in_pieces_of(self, piece_bytes: u64) -> Self {
        Self { piece_bytes, ..self }
    }

    pub fn path(&self) -> &'a Path {
        self.path
    }

    /// Ranges of the pieces from byte `from`, at which a line must start.
    pub fn ranges(&self, from: u64) -> Vec<Range<u64>> {
        let starts = (from..self.end).step_by(self.piece_bytes as usize);
        starts.map(|start| start..(start + self.piece_bytes).min(self.end)).collect()
    }

    /// Reads the lines that start in a range of bytes; the last one is complete even if it ends after the range.
    fn lines(&self, range: &Range<u64>) -> Result<Cow<'_, [u8]>> {
        // Read the byte before as well, to find out whether a line starts at the first byte of the range.
        let from = if range.start == self.first { range.start } else { range.start - 1 };
        let span = (range.end - from) as usize;
        let first_line = |bytes: &[u8]| match from == range.start {
            true => Some(0),
            false => bytes.iter().take(span - 1).position(|&byte| byte == b'\n').map(|end| end + 1),
        };
        match &self.held {
            Some(text) => {
                let text = &text[from as usize..];
                let end =
                    text[span - 1..].iter().position(|&byte| byte == b'\n').map_or(text.len(), |more| span + more);
                Ok(Cow::Borrowed(first_line(text).map_or(&[], |start| &text[start..end])))
            }
            None => {
                let mut bytes = self.read(from, span).map_err(|source| unread(self.path, source))?;
                let start = first_line(&bytes).unwrap_or(bytes.len());
                bytes.drain(..start);
                Ok(Cow::Owned(bytes))
            }
        }
    }

    /// Reads `span` bytes of the file, and the rest of the last line.
    fn read(&self, from: u64, span: usize) -> io::Result<Vec<u8>> {
        let mut file = File::open(self.path)?;
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::with_capacity(span + 512);
        file.by_ref().take(span as u64).read_to_end(&mut bytes)?;
        if bytes.last() != Some(&b'\n') {
            BufReader::new(file).read_until(b'\n', &mut bytes)?;
        }
        Ok(bytes)
    }

    /// Passes each line, with its place and the offset after it, to `find`, until that returns a value; returns that value, or else the
    /// number of lines.
    pub fn search<T>(&self, mut find: impl FnMut(Place<'a>, u64, &str) -> Option<T>) -> Result<Result<T, usize>> {
        let (mut line, mut at) = (0, self.first);
        for range in self.ranges(self.first) {
            for bytes in self.lines(&range)?.split_inclusive(|&byte| byte == b'\n') {
                line += 1;
                at += bytes.len() as u64;
                let place = Place { path: self.path, line };
                if let Some(found) = find(place, at, String::from_utf8_lossy(bytes).trim()) {
                    return Ok(Ok(found));
                }
            }
        }
        Ok(Err(line))
    }

    /// Counts the lines of each piece.
    pub fn count_lines(&self, ranges: &[Range<u64>]) -> Result<Vec<usize>> {
        let count = |range: &Range<u64>| {
            let text = self.lines(range)?;
            let ends = text.iter().filter(|&&byte| byte == b'\n').count();
            Ok(ends + usize::from(text.last().is_some_and(|&byte| byte != b'\n')))
        };
        match ranges {
            [one] => Ok(vec![count(one)?]),
            _ => ranges.par_iter().map(count).collect(),
        }
    }

    /// Parses pieces in the rayon pool of the caller.
    ///
    /// # Arguments
    /// * `pieces` – their ranges, each with the context that `parse` needs
    /// * `lines_before` – number of lines before the first piece
    /// * `parse` – parses a piece; returns the result and the number of lines
    /// * `wrong` – the error of a line that `parse` refused; only the first one in the file is reported
    pub fn parse<C: Send, T: Send>(
        &self,
        pieces: Vec<(Range<u64>, C)>,
        lines_before: usize,
        parse: impl Fn(C, &str) -> Result<(T, usize), BadLine> + Sync,
        wrong: impl FnOnce(Place, &str) -> FormatError,
    ) -> Result<Parsed<T>> {
        let first_bad = AtomicUsize::new(usize::MAX);
        let piece = |(index, (range, context)): (usize, (Range<u64>, C))| {
            // Pieces after a refused one are not needed.
            if first_bad.load(Ordering::Relaxed) < index {
                return None;
            }
            let parsed = self.lines(&range).map(|bytes| parse(context, &String::from_utf8_lossy(&bytes)));
            if !matches!(parsed, Ok(Ok(_))) {
                first_bad.fetch_min(index, Ordering::Relaxed);
            }
            Some(parsed)
        };
        let parsed: Vec<_> = match pieces.len() {
            // Small files are parsed without starting threads.
            0 | 1 => pieces.into_iter().enumerate().map(piece).collect(),
            _ => pieces.into_par_iter().enumerate().with_max_len(1).map(piece).collect(),
        };
        let mut pieces = Vec::with_capacity(parsed.len());
        let mut lines = lines_before;
        for piece in parsed.into_iter().flatten() {
            match piece? {
                Ok((value, count)) => {
                    pieces.push((lines, value));
                    lines += count;
                }
                Err(bad) => return Err(wrong(Place { path: self.path, line: lines + bad.line + 1 }, &bad.text)),
            }
        }
        Ok(Parsed { pieces, lines })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write;

    fn lines_of(source: &Source, from: u64) -> Vec<String> {
        let ranges = source.ranges(from);
        let counts = source.count_lines(&ranges).unwrap();
        let piece = |count, text: &str| {
            assert_eq!(text.lines().count(), count);
            Ok((text.lines().map(str::to_owned).collect::<Vec<_>>(), count))
        };
        let pieces = ranges.into_iter().zip(counts.iter().copied()).collect();
        let parsed = source.parse(pieces, 0, piece, |place, text| place.layout(text, "")).unwrap();
        assert_eq!(parsed.lines, counts.iter().sum::<usize>());
        parsed.pieces.into_iter().flat_map(|(_, lines)| lines).collect()
    }

    proptest! {
        #[test]
        fn pieces_of_any_size_are_the_lines_of_the_text(text in "[ab\r\n\u{e9}]{0,40}", piece_bytes in 1_u64..20) {
            let wanted: Vec<&str> = text.lines().collect();
            let held = Source::of_text(Path::new("a"), &text).in_pieces_of(piece_bytes);
            prop_assert_eq!(lines_of(&held, 0), &wanted[..]);
            let mut file = tempfile::NamedTempFile::new().unwrap();
            file.write_all(text.as_bytes()).unwrap();
            let end = text.len() as u64;
            let read = Source { path: file.path(), held: None, first: 0, end, piece_bytes };
            prop_assert_eq!(lines_of(&read, 0), &wanted[..]);
            if let Some(first) = text.find('\n') {
                prop_assert_eq!(lines_of(&read, first as u64 + 1), &wanted[1..]);
            }
        }
    }

    #[test]
    fn the_first_bad_line_of_the_file_is_reported() {
        let text: String = (0..100).map(|line| if line % 7 == 5 { "bad\n" } else { "good\n" }).collect();
        let source = Source::of_text(Path::new("a"), &text).in_pieces_of(9);
        let pieces = source.ranges(0).into_iter().map(|range| (range, ())).collect();
        let piece = |(), text: &str| match text.lines().position(|line| line == "bad") {
            Some(line) => Err(BadLine { line, text: "bad".to_owned() }),
            None => Ok(((), text.lines().count())),
        };
        let message =
            source.parse(pieces, 0, piece, |place, text| place.layout(text, "correct it")).err().unwrap().to_string();
        assert_eq!(message, "a:6: bad; correct it");
    }
}
