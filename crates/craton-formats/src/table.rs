//! Numeric tables with named columns, parted by blanks or commas; `#` starts a comment.
//!
//! The names stand on the first line, or in a comment that starts with `columns:`
//!
//! ```text
//! # PREM, upper mantle
//! depth vp vs rho
//! 24400 8110 4491 3381
//! 40000 8106 4485 3379
//! ```

use std::path::{Path, PathBuf};

use crate::error::{FormatError, Result};
use crate::text::{Place, data_lines, end_of, number, read_text, without_comment, words};

/// A table as written: every column as long as every other, every value finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    path: PathBuf,
    names: Vec<String>,
    name_line: usize,
    columns: Vec<Vec<f64>>,
    lines: Vec<usize>,
}

impl Table {
    /// The names of the columns, in the file's order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The number of rows, at least 1.
    pub fn row_count(&self) -> usize {
        self.lines.len()
    }

    /// A column by its name, which must match exactly; `None` if there is no such column.
    pub fn column(&self, name: &str) -> Option<&[f64]> {
        let index = self.names.iter().position(|known| known == name)?;
        Some(&self.columns[index])
    }

    /// As [`Self::column`], where the column must exist.
    ///
    /// # Errors
    /// [`FormatError::Layout`] with the names that exist.
    pub fn require(&self, name: &str) -> Result<&[f64]> {
        self.column(name).ok_or_else(|| {
            Place { path: &self.path, line: self.name_line }.layout(
                format!("there is no column `{name}`, only `{}`", self.names.join("`, `")),
                "rename or add the column",
            )
        })
    }

    /// The error of a value that is a number but not an allowed one; for checks that only the caller can make.
    ///
    /// # Arguments
    /// * `name` – an existing column
    /// * `row` – its row, from 0
    /// * `expected` – the allowed range and a hint
    pub fn refuse(&self, name: &str, row: usize, expected: &str) -> FormatError {
        let value = self.column(name).map_or(f64::NAN, |column| column[row]);
        Place { path: &self.path, line: self.lines[row] }.bad_value(name, &value.to_string(), expected)
    }
}

/// Reads a table.
///
/// # Errors
/// A file that cannot be read; no names; a name twice; no row; a row of another length; a value that is no finite
/// number.
pub fn read(path: &Path) -> Result<Table> {
    parse(&read_text(path)?, path)
}

/// As [`read`], from the text of the file; `path` is for messages.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, path: &Path) -> Result<Table> {
    let (name_place, names) = names(path, text)?;
    let mut table = Table {
        path: path.to_owned(),
        columns: vec![Vec::new(); names.len()],
        names,
        name_line: name_place.line,
        lines: Vec::new(),
    };
    for (place, line) in data_lines(path, text) {
        if place.line != table.name_line {
            push_row(&mut table, place, line)?;
        }
    }
    if table.lines.is_empty() {
        return Err(end_of(path, text).layout("the table has no row", "write the values below the names"));
    }
    Ok(table)
}

fn push_row(table: &mut Table, place: Place, line: &str) -> Result<()> {
    let row: Vec<_> = words(without_comment(line)).collect();
    if row.len() != table.names.len() {
        return Err(place.layout(
            format!("the row has {} values, the table has {} columns", row.len(), table.names.len()),
            format!("write one value for each of `{}`", table.names.join("`, `")),
        ));
    }
    for ((word, name), column) in row.iter().zip(&table.names).zip(&mut table.columns) {
        column.push(place.finite(name, word)?);
    }
    table.lines.push(place.line);
    Ok(())
}

/// The names and their line: the comment `# columns: ...` if there is one, else the first line that is no comment.
fn names<'a>(path: &'a Path, text: &'a str) -> Result<(Place<'a>, Vec<String>)> {
    let comment = text.lines().enumerate().find_map(|(index, line)| {
        let names = line.trim().strip_prefix('#')?.trim().strip_prefix("columns:")?;
        Some((Place { path, line: index + 1 }, names))
    });
    let (place, line) = comment
        .or_else(|| data_lines(path, text).next())
        .ok_or_else(|| end_of(path, text).layout("the file is empty", "start it with the names of the columns"))?;
    let names: Vec<String> = words(line).map(str::to_owned).collect();
    if let Some(value) = names.iter().find(|name| number(name).is_some()) {
        return Err(place.bad_value("name of a column", value, "names on the first line, like `depth vp vs rho`"));
    }
    for (index, name) in names.iter().enumerate() {
        if names[..index].contains(name) {
            return Err(place.bad_value("name of a column", name, "a name that no other column has"));
        }
    }
    Ok((place, names))
}
