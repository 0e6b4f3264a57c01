//! Rows of numbers of equal length: a fast parser for plain rows, and a general one for all others.

use std::mem;

use crate::error::{FormatError, Result};
use crate::pieces::{BadLine, Source};
use crate::text::{Place, fields, number, words};

/// Separator of the values in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Separator {
    /// Blanks or commas, but not both in one row: commas may then be decimal commas.
    Blanks,
    /// This character, in rows that contain it: words may contain blanks, and values may be empty.
    Letter(char),
}

/// Layout of the rows of a file.
pub(crate) struct RowLayout<'a> {
    /// The columns of the file.
    pub names: &'a [String],
    /// Whether the file has column names.
    pub are_named: bool,
    /// Target of each column; `None` for columns that are not wanted, which may hold any words.
    pub targets: Vec<Option<usize>>,
    /// Number of wanted columns.
    pub wanted: usize,
    pub separator: Separator,
    /// Returns the data of a trimmed line without comments; `None` if it is not a row.
    pub data: fn(&str) -> Option<&str>,
}

/// Rows that were read.
pub(crate) struct Rows {
    /// The wanted columns.
    pub columns: Vec<Vec<f64>>,
    pub row_count: usize,
    pub lines: RowLines,
    /// Number of lines of the whole file.
    pub line_count: usize,
}

/// Lines of the rows. Most rows follow on the next line, so only the start of each run of lines is stored.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RowLines {
    /// Row (from 0) and line (from 1) where a run of successive rows starts.
    starts: Vec<(usize, usize)>,
}

impl RowLines {
    fn push(&mut self, row: usize, line: usize) {
        if self.starts.last().is_none_or(|&(last_row, last_line)| line - last_line != row - last_row) {
            self.starts.push((row, line));
        }
    }

    fn append(&mut self, later: &Self, rows: usize, lines: usize) {
        for &(row, line) in &later.starts {
            self.push(rows + row, lines + line);
        }
    }

    /// Line numbers of rows that come from no file: row 0 counts as line 1.
    pub fn counted() -> Self {
        Self { starts: vec![(0, 1)] }
    }

    /// Line of a row.
    pub fn line(&self, row: usize) -> usize {
        let (first_row, first_line) = self.starts[self.starts.partition_point(|&(first, _)| first <= row) - 1];
        first_line + (row - first_row)
    }
}

impl RowLayout<'_> {
    /// Reads all rows from a given line.
    ///
    /// # Arguments
    /// * `from` – offset of a line, and the number of lines before it
    /// # Errors
    /// A file that cannot be read; a row of another length; a value that is not a finite number.
    pub fn read(&self, source: &Source, from: (u64, usize)) -> Result<Rows> {
        let ranges = source.ranges(from.0);
        // A piece has at most as many rows as lines, so its space in the columns can be reserved before parsing.
        let places = source.count_lines(&ranges)?;
        let most = places.iter().sum();
        let mut columns: Vec<_> = (0..self.wanted).map(|_| vec![0.0; most]).collect();
        let pieces = ranges.into_iter().zip(cut(&mut columns, &places)).collect();
        let parsed =
            source.parse(pieces, from.1, |to, text| self.piece(to, text), |place, line| self.wrong(place, line))?;
        let mut lines = RowLines::default();
        let (mut place, mut row_count) = (0, 0);
        for ((lines_before, piece), places) in parsed.pieces.iter().zip(places) {
            lines.append(&piece.lines, row_count, *lines_before);
            if row_count < place {
                columns.iter_mut().for_each(|column| column.copy_within(place..place + piece.row_count, row_count));
            }
            place += places;
            row_count += piece.row_count;
        }
        for column in &mut columns {
            column.truncate(row_count);
            column.shrink_to_fit();
        }
        Ok(Rows { columns, row_count, lines, line_count: parsed.lines })
    }

    /// Parses the rows of a piece of text into its part of the columns.
    fn piece(&self, mut to: Vec<&mut [f64]>, text: &str) -> Result<(Piece, usize), BadLine> {
        let mut piece = Piece::default();
        let lines = self.each_row(text, |line, row| {
            for (column, value) in to.iter_mut().zip(row) {
                let Some(place) = column.get_mut(piece.row_count) else { return false };
                *place = *value;
            }
            piece.lines.push(piece.row_count, line + 1);
            piece.row_count += 1;
            true
        })?;
        Ok((piece, lines))
    }

    /// Parses a piece of text row by row; returns its number of lines.
    ///
    /// # Arguments
    /// * `take` – takes the index of a line, from 0, and the wanted values of its row; returns whether they are accepted
    pub fn each_row(&self, text: &str, mut take: impl FnMut(usize, &[f64]) -> bool) -> Result<usize, BadLine> {
        let mut row = vec![0.0; self.wanted];
        let (mut at, mut line) = (0, 0);
        while at < text.len() {
            let (end, is_row) = match self.plain_row(text, at, &mut row) {
                Some(end) => (end, true),
                None => {
                    let end = text[at..].find('\n').map_or(text.len(), |length| at + length + 1);
                    (end, self.any_line(text[at..end].trim(), line, &mut row)?)
                }
            };
            if is_row && !take(line, &row) {
                return Err(BadLine { line, text: text[at..end].trim().to_owned() });
            }
            at = end;
            line += 1;
        }
        Ok(line)
    }

    /// Parses a line of any kind; returns whether it was a row.
    fn any_line(&self, written: &str, line: usize, row: &mut [f64]) -> Result<bool, BadLine> {
        let Some(data) = (self.data)(written) else { return Ok(false) };
        let place = Place { path: "".as_ref(), line };
        match self.row(place, data, row) {
            Ok(()) => Ok(true),
            Err(_) => Err(BadLine { line, text: written.to_owned() }),
        }
    }

    /// Fast parser for a row of finite ASCII numbers, the usual case; returns the start of the next line.
    fn plain_row(&self, text: &str, start: usize, row: &mut [f64]) -> Option<usize> {
        let bytes = text.as_bytes();
        let kind = |at: usize| bytes.get(at).map_or(Byte::LineEnd, |&byte| BYTES[usize::from(byte)]);
        if self.targets.is_empty() {
            return None;
        }
        let mut at = start;
        let mut by_commas = None;
        for (column, target) in self.targets.iter().enumerate() {
            let end = at;
            while kind(at) == Byte::Between {
                at += 1;
            }
            let between = &bytes[end..at];
            match self.separator {
                Separator::Blanks if column > 0 => {
                    let has_some = between.contains(&b',');
                    if *by_commas.get_or_insert(has_some) != has_some {
                        return None;
                    }
                }
                Separator::Blanks => {}
                Separator::Letter(letter) if !is_one(between, letter, usize::from(column > 0)) => return None,
                Separator::Letter(_) => {}
            }
            let first = at;
            while kind(at) == Byte::Word {
                at += 1;
            }
            if let Some(target) = *target {
                row[target] = text[first..at].parse().ok().filter(|value: &f64| value.is_finite())?;
            } else if first == at {
                return None;
            }
        }
        let end = at;
        while kind(at) == Byte::Between {
            at += 1;
        }
        let is_end = match self.separator {
            Separator::Blanks => true,
            Separator::Letter(letter) => is_one(&bytes[end..at], letter, 0) || is_one(&bytes[end..at], letter, 1),
        };
        (kind(at) == Byte::LineEnd && is_end).then_some((at + 1).min(bytes.len()))
    }

    /// Splits any row into words, one per column.
    pub fn words<'a>(&self, place: Place, data: &'a str) -> Result<Vec<&'a str>> {
        let (found, count) = (split(data, self.separator, self.names.len()), self.names.len());
        if self.separator == Separator::Blanks && found.len() == count && is_mixed(data) {
            return Err(mixed(place));
        }
        if found.len() != count {
            let mut hint = format!("write one value for each of `{}`", self.names.join("`, `"));
            if data.contains(',')
                && (is_mixed(data) && found.len() > count || are_two_numbers(&found) || found.len() == 2 * count)
            {
                hint.push_str(", and decimal points, not decimal commas");
            } else if !self.are_named && found.len() > count {
                hint.push_str(", or the names of all columns on the first line; additional columns are then ignored");
            }
            return Err(
                place.layout(format!("the row has {} values, but the table has {count} columns", found.len()), hint)
            );
        }
        Ok(found)
    }

    /// General parser for a row.
    fn row(&self, place: Place, data: &str, row: &mut [f64]) -> Result<()> {
        let found = self.words(place, data)?;
        for ((word, name), target) in found.iter().zip(self.names).zip(&self.targets) {
            if let Some(target) = *target {
                row[target] = place.finite(name, word).map_err(|error| self.explain(error, place, word))?;
            }
        }
        Ok(())
    }

    /// The error of a word that is not a number, with a hint on what it may be.
    fn explain(&self, error: FormatError, place: Place, word: &str) -> FormatError {
        match error {
            _ if are_two_numbers(&[word]) => mixed(place),
            FormatError::BadValue { path, line, key, value, expected } if !self.are_named && number(word).is_none() => {
                let expected = format!("{expected}; put column names on the first line, and start comments with #");
                FormatError::BadValue { path, line, key, value, expected }
            }
            error => error,
        }
    }

    /// The error of a line that [`Self::row`] refuses.
    fn wrong(&self, place: Place, line: &str) -> FormatError {
        let changed = || place.layout("the file changed while it was being read", "read it again");
        self.values(place, line).err().unwrap_or_else(changed)
    }

    /// The wanted values of a line that is a row.
    ///
    /// # Errors
    /// A row of another length; a value that is not a finite number.
    pub fn values(&self, place: Place, line: &str) -> Result<Vec<f64>> {
        let mut row = vec![0.0; self.wanted];
        match self.row(place, (self.data)(line).unwrap_or_default(), &mut row) {
            Ok(()) => Ok(row),
            Err(_) if line.contains(';') || self.names.iter().any(|name| name.contains(';')) => Err(semicolons(place)),
            Err(error) => Err(error),
        }
    }
}

/// Splits a row into values.
///
/// # Arguments
/// * `count` – expected number of values; a trailing comma after that many is ignored
pub(crate) fn split(data: &str, separator: Separator, count: usize) -> Vec<&str> {
    let Separator::Letter(letter) = separator else { return words(data).collect() };
    if !data.contains(letter) {
        return words(data).collect();
    }
    let mut found: Vec<_> = fields(data, letter).collect();
    if found.len() == count + 1 && found[count].is_empty() {
        found.pop();
    }
    found
}

/// Whether the bytes between two words contain the separator `count` times, and no other separator.
fn is_one(between: &[u8], separator: char, count: usize) -> bool {
    let is_it = |byte: &&u8| char::from(**byte) == separator;
    between.iter().filter(is_it).count() == count && (separator == ',' || !between.contains(&b','))
}

/// Whether some words of a row are separated by commas, and others by blanks only.
fn is_mixed(data: &str) -> bool {
    let between = data.split(|letter: char| !(letter.is_whitespace() || letter == ','));
    let inner = between.filter(|between| !between.is_empty());
    let mut kinds = inner.map(|between| between.contains(','));
    let first = kinds.next();
    data.trim_matches(',') == data && kinds.any(|kind| Some(kind) != first)
}

/// Whether one of the values consists of several numbers separated by blanks.
fn are_two_numbers(values: &[&str]) -> bool {
    let are_numbers = |value: &&str| value.split_whitespace().all(|word| number(word).is_some());
    values.iter().filter(|value| value.split_whitespace().nth(1).is_some()).any(are_numbers)
}

/// The error of a row with mixed separators.
fn mixed(place: Place) -> FormatError {
    place.layout(
        "some of the values are separated by commas, others by blanks",
        "separate all by commas or all by blanks, and write decimal points, not decimal commas",
    )
}

/// The error of a file with semicolons between values.
pub(crate) fn semicolons(place: Place) -> FormatError {
    place.layout(
        "the values are separated by semicolons",
        "separate them by blanks or commas, and write decimal points, not decimal commas",
    )
}

/// Whether any value of a line is a number, so that the line does not hold column names.
pub(crate) fn has_number(line: &str) -> bool {
    let is_number = |word: &str| number(word).is_some();
    let letter = if line.contains(',') { ',' } else { '\t' };
    split(line, Separator::Letter(letter), usize::MAX - 1).into_iter().any(is_number) || words(line).all(is_number)
}

/// Rows of a piece of the file; its lines are numbered from 1.
#[derive(Default)]
struct Piece {
    lines: RowLines,
    row_count: usize,
}

/// Splits columns into pieces of given numbers of rows.
fn cut<'a>(columns: &'a mut [Vec<f64>], counts: &[usize]) -> Vec<Vec<&'a mut [f64]>> {
    let mut rest: Vec<&mut [f64]> = columns.iter_mut().map(Vec::as_mut_slice).collect();
    let piece = |&count: &usize| {
        let piece = |column: &mut &'a mut [f64]| {
            let (piece, tail) = mem::take(column).split_at_mut(count);
            *column = tail;
            piece
        };
        rest.iter_mut().map(piece).collect()
    };
    counts.iter().map(piece).collect()
}

/// Class of a byte in the fast parser.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    Word,
    Between,
    LineEnd,
    /// Comments, quotes and non-ASCII characters, which need the general parser.
    Other,
}

const BYTES: [Byte; 256] = {
    let mut kinds = [Byte::Other; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte] = match byte as u8 {
            b'\n' => Byte::LineEnd,
            b' ' | b',' | 0x09..=0x0D => Byte::Between,
            b'#' | b'!' | b'"' => Byte::Other,
            _ => Byte::Word,
        };
        byte += 1;
    }
    kinds
};
