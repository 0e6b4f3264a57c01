//! Rows of numbers, all of the same length, from text: the fast way for plain rows, the careful way for all others.

use std::mem;

use crate::error::{FormatError, Result};
use crate::pieces::{BadLine, Source};
use crate::text::{Place, fields, number, words};

/// What stands in a row, and which lines are none.
pub(crate) struct RowLayout<'a> {
    /// The columns of the file.
    pub names: &'a [String],
    /// Where the values of each column go, `None` if they are not wanted: then they may be any words.
    pub targets: Vec<Option<usize>>,
    /// The number of columns that are wanted.
    pub wanted: usize,
    /// Whether commas part the values of a row that has some: then there may be blanks in a word, and nothing between two
    /// commas. Otherwise blanks and commas are the same.
    pub by_commas: bool,
    /// The values of a trimmed line, without comments; `None` if it is no row.
    pub data: fn(&str) -> Option<&str>,
}

/// What rows there were.
pub(crate) struct Rows {
    /// The wanted columns.
    pub columns: Vec<Vec<f64>>,
    pub row_count: usize,
    pub lines: RowLines,
    /// Lines of the whole file.
    pub line_count: usize,
}

/// The lines of the rows: as most rows stand on the line after the one before, only the others are known by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RowLines {
    /// Row (from 0) and line (from 1) where rows go on after lines that are none.
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

    /// The line of a row.
    pub fn line(&self, row: usize) -> usize {
        let (first_row, first_line) = self.starts[self.starts.partition_point(|&(first, _)| first <= row) - 1];
        first_line + (row - first_row)
    }
}

impl RowLayout<'_> {
    /// Reads all rows from a line on.
    ///
    /// # Arguments
    /// * `from` – where a line starts, and the number of those before it
    /// # Errors
    /// A file that cannot be read; a row of another length; a value that is no finite number.
    pub fn read(&self, source: &Source, from: (u64, usize)) -> Result<Rows> {
        let ranges = source.ranges(from.0);
        // No piece has more rows than lines, so each gets its place in the columns before anything is parsed.
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

    /// Reads the rows of a piece of text to their places in the columns.
    fn piece(&self, mut to: Vec<&mut [f64]>, text: &str) -> Result<(Piece, usize), BadLine> {
        let mut piece = Piece::default();
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
            if is_row {
                for (column, value) in to.iter_mut().zip(&row) {
                    let Some(place) = column.get_mut(piece.row_count) else {
                        return Err(BadLine { line, text: text[at..end].trim().to_owned() });
                    };
                    *place = *value;
                }
                piece.lines.push(piece.row_count, line + 1);
                piece.row_count += 1;
            }
            at = end;
            line += 1;
        }
        Ok((piece, line))
    }

    /// Reads a line of any kind; whether it was a row.
    fn any_line(&self, written: &str, line: usize, row: &mut [f64]) -> Result<bool, BadLine> {
        let Some(data) = (self.data)(written) else { return Ok(false) };
        let place = Place { path: "".as_ref(), line };
        match self.row(place, data, row) {
            Ok(()) => Ok(true),
            Err(_) => Err(BadLine { line, text: written.to_owned() }),
        }
    }

    /// Reads a row that is nothing but finite numbers in ASCII, as nearly all are; returns where the next line starts.
    fn plain_row(&self, text: &str, start: usize, row: &mut [f64]) -> Option<usize> {
        let bytes = text.as_bytes();
        let kind = |at: usize| bytes.get(at).map_or(Byte::LineEnd, |&byte| BYTES[usize::from(byte)]);
        if self.targets.is_empty() {
            return None;
        }
        let mut at = start;
        for (column, target) in self.targets.iter().enumerate() {
            let end = at;
            while kind(at) == Byte::Between {
                at += 1;
            }
            if self.by_commas && commas(&bytes[end..at]) != usize::from(column > 0) {
                return None;
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
        let is_whole = kind(at) == Byte::LineEnd && (!self.by_commas || commas(&bytes[end..at]) < 2);
        is_whole.then_some((at + 1).min(bytes.len()))
    }

    /// The words of any row, one for each column.
    pub fn words<'a>(&self, place: Place, data: &'a str) -> Result<Vec<&'a str>> {
        let found = split(data, self.by_commas, self.names.len());
        if found.len() != self.names.len() {
            return Err(place.layout(
                format!("the row has {} values, the table has {} columns", found.len(), self.names.len()),
                format!("write one value for each of `{}`", self.names.join("`, `")),
            ));
        }
        Ok(found)
    }

    /// Reads any row.
    fn row(&self, place: Place, data: &str, row: &mut [f64]) -> Result<()> {
        let found = self.words(place, data)?;
        for ((word, name), target) in found.iter().zip(self.names).zip(&self.targets) {
            if let Some(target) = *target {
                row[target] = place.finite(name, word)?;
            }
        }
        Ok(())
    }

    /// The error of a line that [`Self::row`] refuses.
    fn wrong(&self, place: Place, line: &str) -> FormatError {
        if line.contains(';') || self.names.iter().any(|name| name.contains(';')) {
            return semicolons(place);
        }
        let data = (self.data)(line).unwrap_or_default();
        let refused = self.row(place, data, &mut vec![0.0; self.wanted]);
        refused.err().unwrap_or_else(|| place.layout("the file has changed while it was read", "read it again"))
    }
}

/// The values of a row.
///
/// # Arguments
/// * `by_commas` – as in [`RowLayout`]
/// * `count` – how many there should be: a comma behind the last of them parts nothing
pub(crate) fn split(data: &str, by_commas: bool, count: usize) -> Vec<&str> {
    if !by_commas || !data.contains(',') {
        return words(data).collect();
    }
    let mut found: Vec<_> = fields(data).collect();
    if found.len() == count + 1 && found[count].is_empty() {
        found.pop();
    }
    found
}

fn commas(between: &[u8]) -> usize {
    between.iter().filter(|&&byte| byte == b',').count()
}

/// The error of a file in which semicolons stand between the values.
pub(crate) fn semicolons(place: Place) -> FormatError {
    place.layout(
        "the values are separated by semicolons",
        "separate them by blanks or commas, and write decimal points, not decimal commas",
    )
}

/// Whether a line has a number among its values, so that these are no names.
pub(crate) fn has_number(line: &str) -> bool {
    let is_number = |word: &str| number(word).is_some();
    split(line, true, usize::MAX - 1).into_iter().any(is_number) || words(line).all(is_number)
}

/// The rows of a piece of the file; lines count from 1 here.
#[derive(Default)]
struct Piece {
    lines: RowLines,
    row_count: usize,
}

/// Cuts columns into pieces of so many rows.
fn cut<'a>(columns: &'a mut [Vec<f64>], counts: &[usize]) -> Vec<Vec<&'a mut [f64]>> {
    let mut rest: Vec<&mut [f64]> = columns.iter_mut().map(Vec::as_mut_slice).collect();
    let piece = |&count: &usize| {
        let piece = |column: &mut &'a mut [f64]| {
            let (piece, behind) = mem::take(column).split_at_mut(count);
            *column = behind;
            piece
        };
        rest.iter_mut().map(piece).collect()
    };
    counts.iter().map(piece).collect()
}

/// What a byte is to the fast way.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Byte {
    Word,
    Between,
    LineEnd,
    /// Comments, quotes, and all that is not ASCII: for the careful way.
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
