//! Numeric tables with named columns, separated by blanks or commas; `#` starts a comment.
//!
//! The names are on the first line, or in a comment that starts with `columns:`
//!
//! ```text
//! # PREM, upper mantle
//! depth vp vs rho
//! 24400 8110 4491 3381
//! 40000 8106 4485 3379
//! ```
//!
//! If the names are separated by commas, or else by tabs, so are the values. Names and words may then contain blanks and may be quoted, and
//! unused columns may be empty. Columns without a name are ignored. If the separators are blanks, commas may replace them, but not within
//! one row: `1250,5 300` is neither two nor three values.
//!
//! If the columns of a format are known, [`read_columns`] accepts tables with and without names. Large files are parsed in pieces by the
//! rayon pool of the caller; in addition to the numbers, only the pieces being parsed are in memory.

use std::path::{Path, PathBuf};

use crate::error::{FormatError, Result};
use crate::pieces::Source;
use crate::rows::{RowLayout, RowLines, Separator, has_number, semicolons, split};
use crate::text::{Place, fields, number, without_comment, words};

/// A table: columns of equal length with finite values.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    path: PathBuf,
    names: Vec<String>,
    name_line: usize,
    columns: Vec<Vec<f64>>,
    row_count: usize,
    lines: RowLines,
}

impl Table {
    /// A table of columns in memory. Row 0 counts as line 1.
    ///
    /// # Arguments
    /// * `name` – what messages call it
    /// # Errors
    /// [`FormatError::Layout`] for a name that occurs twice, no row, columns of different lengths, a value that is not finite.
    pub fn from_columns(name: &Path, columns: Vec<(String, Vec<f64>)>) -> Result<Self> {
        let (names, columns): (Vec<String>, Vec<Vec<f64>>) = columns.into_iter().unzip();
        let refuse = |line: usize, problem: String, hint: &str| Place { path: name, line }.layout(problem, hint);
        if let Some((_, twice)) = names.iter().enumerate().find(|(index, own)| names[..*index].contains(own)) {
            return Err(refuse(1, format!("the column `{twice}` occurs twice"), "give each column a name of its own"));
        }
        let row_count = columns.first().map_or(0, Vec::len);
        if row_count == 0 {
            return Err(refuse(1, "the table has no row".to_owned(), "give each column at least one value"));
        }
        for (called, column) in names.iter().zip(&columns) {
            if column.len() != row_count {
                let problem = format!("`{called}` has {} values, `{}` has {row_count}", column.len(), names[0]);
                return Err(refuse(1, problem, "give as many values of each column"));
            }
            if let Some(row) = column.iter().position(|value| !value.is_finite()) {
                let problem = format!("`{called}` is {}, which is not finite", column[row]);
                return Err(refuse(row + 1, problem, "leave the row out"));
            }
        }
        Ok(Self { path: name.to_owned(), names, name_line: 1, columns, row_count, lines: RowLines::counted() })
    }

    /// Names of the columns: for [`read`] in the order of the file, for [`read_columns`] in that of the call.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of rows, at least 1.
    pub fn row_count(&self) -> usize {
        self.row_count
    }

    /// A column by its exact name; `None` if there is no such column.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let index = self.names.iter().position(|known| known == name)?;
        Some(&self.columns[index])
    }

    /// All columns, in the order of [`Self::names`].
    pub fn into_columns(self) -> Vec<Vec<f64>> {
        self.columns
    }

    /// As [`Self::into_columns`], for a table that is still needed to locate rows: it has no columns afterwards.
    pub fn take_columns(&mut self) -> Vec<Vec<f64>> {
        std::mem::take(&mut self.columns)
    }

    /// As [`Self::column`], for a column that must exist.
    ///
    /// # Errors
    /// [`FormatError::Layout`] with the names of the existing columns.
    pub fn require(&self, name: &str) -> Result<&[f64]> {
        let place = Place { path: &self.path, line: self.name_line };
        self.column(name).ok_or_else(|| no_column(place, name, &self.names))
    }

    /// Line (from 1) of a row (from 0).
    pub fn line(&self, row: usize) -> usize {
        self.lines.line(row)
    }

    /// File, line and column of a value, for messages of the caller.
    ///
    /// # Arguments
    /// * `name` – its column
    /// * `row` – its row, from 0
    pub fn place(&self, name: &str, row: usize) -> String {
        format!("{}:{}, column `{name}`", self.path.display(), self.lines.line(row))
    }

    /// The error of a finite number that the caller refuses.
    ///
    /// # Arguments
    /// * `name` – name of an existing column
    /// * `row` – its row, from 0
    /// * `expected` – the allowed range and a hint
    pub fn refuse(&self, name: &str, row: usize, expected: &str) -> FormatError {
        let value = self.column(name).map_or(f64::NAN, |column| column[row]);
        Place { path: &self.path, line: self.lines.line(row) }.bad_value(name, &value.to_string(), expected)
    }
}

/// Reads a table.
///
/// # Errors
/// A file that cannot be read; no names; a duplicate name; no row; a row of another length; a value that is not a finite number; semicolons
/// as separators.
pub fn read(path: &Path) -> Result<Table> {
    read_named(&Source::open(path)?)
}

/// As [`read`], from the text of the file; `path` is used in messages.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, path: &Path) -> Result<Table> {
    read_named(&Source::of_text(path, text))
}

/// Reads columns with known names from a table with or without names.
///
/// With names (on the first line, or in a comment `# columns:` above the first row), the columns may be in any order. Other columns, which
/// may hold any words, are ignored. Without names, that is, if the first row contains a number, the table must have exactly these columns
/// in this order.
///
/// # Arguments
/// * `names` – the wanted columns, each once; the resulting table has them in this order
/// # Errors
/// As [`read`], except for missing names; a missing column.
pub fn read_columns(path: &Path, names: &[&str]) -> Result<Table> {
    read_known(&Source::open(path)?, names)
}

/// As [`read_columns`], from the text of the file; `path` is used in messages.
///
/// # Errors
/// As [`read_columns`].
pub fn parse_columns(text: &str, path: &Path, names: &[&str]) -> Result<Table> {
    read_known(&Source::of_text(path, text), names)
}

/// Names of the columns of a table; `None` if it has no names, as for [`read_columns`].
///
/// # Errors
/// A file that cannot be read, or is empty; a duplicate name.
pub fn column_names(path: &Path) -> Result<Option<Vec<String>>> {
    let source = Source::open(path)?;
    let head = Head::of(&source)?;
    if head.is_row() { Ok(None) } else { head.names(&source).map(|(names, _)| Some(names)) }
}

/// Reads a column of words, such as station names, from a table with names; one word per row.
///
/// # Errors
/// A file that cannot be read, or is empty; no names, a duplicate name, no such column; a row of another length.
pub fn read_words(path: &Path, name: &str) -> Result<Vec<String>> {
    words_of(&Source::open(path)?, name)
}

/// As [`read_words`], from the text of the file; `path` is used in messages.
///
/// # Errors
/// As [`read_words`].
pub fn parse_words(text: &str, path: &Path, name: &str) -> Result<Vec<String>> {
    words_of(&Source::of_text(path, text), name)
}

fn words_of(source: &Source, name: &str) -> Result<Vec<String>> {
    let head = Head::of(source)?;
    let (names, separator) = head.names(source)?;
    let column = names.iter().position(|known| known == name).ok_or_else(|| no_column(head.place, name, &names))?;
    let targets = vec![None; names.len()];
    let layout = RowLayout { names: &names, are_named: true, targets, wanted: 0, separator, data };
    let mut found = Vec::new();
    let refused = source.search(|place, _, line| {
        let row = data(line).filter(|_| place.line > head.place.line)?;
        if separator != Separator::Blanks && row.len() < line.trim().len() {
            return Some(place.layout("`#` and `!` start a comment, even within a name", "remove them from the line"));
        }
        match layout.words(place, row) {
            Ok(words) => found.push(words[column].replace("\"\"", "\"")),
            Err(error) => return Some(error),
        }
        None
    })?;
    refused.map_or_else(|_| Ok(found), Err)
}

fn read_named(source: &Source) -> Result<Table> {
    let mut head = Head::of(source)?;
    if head.is_row() {
        // The comment with the names may be below.
        let below = source.search(|place, _, line| Some((place, names_of_comment(line)?.to_owned())))?;
        if let Ok((place, line)) = below {
            head = Head { place, line, is_comment: true, rows: (source.first, 0) };
        }
    }
    let (in_file, separator) = head.names(source)?;
    let names: Vec<String> = in_file.iter().filter(|name| !name.is_empty()).cloned().collect();
    let targets = in_file.iter().map(|name| names.iter().position(|wanted| wanted == name)).collect();
    read_rows(source, &head, (&in_file, separator), targets, names)
}

fn read_known(source: &Source, names: &[&str]) -> Result<Table> {
    let wanted: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let mut head = Head::of(source)?;
    if head.is_row() {
        head.rows = (source.first, 0);
        let targets = (0..wanted.len()).map(Some).collect();
        let separator = if head.line.contains(',') { Separator::Letter(',') } else { Separator::Blanks };
        return read_rows(source, &head, (&wanted, separator), targets, wanted.clone());
    }
    let (found, separator) = head.names(source)?;
    for name in &wanted {
        if !found.contains(name) {
            return Err(no_column(head.place, name, &found));
        }
    }
    let targets = found.iter().map(|name| wanted.iter().position(|wanted| wanted == name)).collect();
    read_rows(source, &head, (&found, separator), targets, wanted)
}

fn no_column(place: Place, name: &str, names: &[String]) -> FormatError {
    if names.iter().any(|name| name.contains(';')) {
        return semicolons(place);
    }
    place.layout(format!("there is no column `{name}`, only `{}`", names.join("`, `")), "rename or add the column")
}

/// Reads the rows below the names.
///
/// # Arguments
/// * `in_file`, `separator` – columns of the file, and separator of their values
/// * `targets` – column of the table for each column of the file
fn read_rows(
    source: &Source,
    head: &Head,
    (in_file, separator): (&[String], Separator),
    targets: Vec<Option<usize>>,
    names: Vec<String>,
) -> Result<Table> {
    let are_named = !head.is_row();
    let layout = RowLayout { names: in_file, are_named, targets, wanted: names.len(), separator, data };
    let rows = layout.read(source, head.rows)?;
    if rows.row_count == 0 {
        let end = Place { path: source.path(), line: rows.line_count + 1 };
        return Err(end.layout("the table has no rows", "write the values below the names"));
    }
    Ok(Table {
        path: source.path().to_owned(),
        names,
        name_line: head.place.line,
        columns: rows.columns,
        row_count: rows.row_count,
        lines: rows.lines,
    })
}

/// Data of a line; `None` if it is not a row.
fn data(line: &str) -> Option<&str> {
    (!line.is_empty() && !line.starts_with('#')).then(|| without_comment(line))
}

fn names_of_comment(line: &str) -> Option<&str> {
    line.strip_prefix('#')?.trim().strip_prefix("columns:")
}

/// Position of the names: a comment above the rows, or else the first line that is not a comment.
struct Head<'a> {
    place: Place<'a>,
    line: String,
    is_comment: bool,
    /// Offset at which rows may start, and the number of lines before.
    rows: (u64, usize),
}

impl<'a> Head<'a> {
    fn of(source: &Source<'a>) -> Result<Self> {
        let head = source.search(|place, after, line| {
            let comment = names_of_comment(line);
            let line = comment.or_else(|| data(line).map(|_| line))?.to_owned();
            Some(Head { place, line, is_comment: comment.is_some(), rows: (after, place.line) })
        })?;
        head.map_err(|lines| {
            let end = Place { path: source.path(), line: lines + 1 };
            end.layout("the file is empty", "start it with the names of the columns")
        })
    }

    /// Whether this line is the first row of a table without names.
    fn is_row(&self) -> bool {
        !self.is_comment && has_number(&self.line)
    }

    /// Names of the columns, validated (no numbers, no duplicates; empty for a column without a name), and the separator.
    fn names(&self, source: &Source) -> Result<(Vec<String>, Separator)> {
        let separator = self.separator(source)?;
        let names: Vec<String> = match separator {
            Separator::Letter(letter) => fields(&self.line, letter).map(str::to_owned).collect(),
            Separator::Blanks => words(&self.line).map(str::to_owned).collect(),
        };
        if let Some(value) = names.iter().find(|name| number(name).is_some()) {
            let expected = "names on the first line, like `depth vp vs rho`";
            return Err(self.place.bad_value("name of a column", value, expected));
        }
        for (index, name) in names.iter().enumerate() {
            if !name.is_empty() && names[..index].contains(name) {
                return Err(self.place.bad_value("name of a column", name, "a unique name"));
            }
        }
        Ok((names, separator))
    }

    /// Separator of names and values: commas, or else tabs, if the names contain them. If blanks are possible too, the separator that
    /// matches the number of values in the first row is used.
    fn separator(&self, source: &Source) -> Result<Separator> {
        let Some(letter) = [',', '\t'].into_iter().find(|&letter| self.line.contains(letter)) else {
            return Ok(Separator::Blanks);
        };
        let by_letters = Separator::Letter(letter);
        let (_, above) = self.rows;
        let first = source.search(|place, _, line| Some(data(line).filter(|_| place.line > above)?.to_owned()))?;
        let fits = |row: String| {
            let count = fields(&self.line, letter).count();
            split(&row, by_letters, count).len() == count || words(&row).count() != words(&self.line).count()
        };
        Ok(if first.map_or(true, fits) { by_letters } else { Separator::Blanks })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn pieces_of_any_size_make_the_same_table_or_the_same_error(
            lines in prop::collection::vec("[0-9]{1,4} [0-9]{1,4}|# \u{e9}|# columns: c d|1|1 x|", 0..20),
            has_names in any::<bool>(),
            piece_bytes in 1_u64..40,
        ) {
            let text = format!("{}{}", if has_names { "a b\n" } else { "" }, lines.join("\n"));
            let path = Path::new("a");
            let source = || Source::of_text(path, &text).in_pieces_of(piece_bytes);
            let with_message = |table: Result<Table>| table.map_err(|error| error.to_string());
            prop_assert_eq!(with_message(read_named(&source())), with_message(parse(&text, path)));
            prop_assert_eq!(with_message(read_known(&source(), &["b", "a"])), with_message(parse_columns(&text, path, &["b", "a"])));
        }
    }
}
