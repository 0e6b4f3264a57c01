//! Shared by GRAV3D and GG3D: a number of stations, then a row for each.

use std::path::Path;

use super::data;
use crate::error::{FormatError, Refused, Result};
use crate::pieces::Source;
use crate::rows::{RowLayout, Separator};
use crate::text::{Place, words};

/// The first data lines of a file.
pub(super) struct FirstLines<'a> {
    /// Each line with its place and the offset after it.
    lines: Vec<(Place<'a>, u64, String)>,
    /// The line after the last one, if the file is short.
    end: Place<'a>,
}

impl<'a> FirstLines<'a> {
    /// Reads up to `count` lines.
    pub fn of(source: &Source<'a>, count: usize) -> Result<Self> {
        let mut lines = Vec::new();
        let all = source.search(|place, after, line| {
            lines.push((place, after, data(line)?.to_owned()));
            (lines.len() == count).then_some(())
        })?;
        let last = all.err().unwrap_or_default();
        Ok(Self { lines, end: Place { path: source.path(), line: last + 1 } })
    }

    /// Returns a required line.
    pub fn line(&self, index: usize, key: &'static str, expected: &str) -> Result<(Place<'a>, &str)> {
        let line = self.lines.get(index).map(|(place, _, line)| (*place, line.as_str()));
        line.ok_or_else(|| FormatError::MissingKey {
            path: self.end.path.to_owned(),
            line: self.end.line,
            key,
            found: "the end of the file".to_owned(),
            expected: expected.to_owned(),
        })
    }
}

/// Stations: positions [m], x east, y north, z up, and the columns after them.
pub(super) struct Stations {
    pub points: Vec<[f64; 3]>,
    pub columns: Vec<Vec<f64>>,
}

/// Reads the number of stations from line `index` of the first lines, and the rows after it.
///
/// # Arguments
/// * `names` – names of the columns after x, y and z for a given number of values in the first row; `None` if that number is not allowed
/// * `expected` – describes the allowed numbers of values
pub(super) fn read(
    source: &Source,
    first: &FirstLines,
    index: usize,
    names: impl Fn(usize) -> Option<Vec<String>>,
    expected: &str,
) -> Result<Stations> {
    let (place, line) = first.line(index, "number of stations", "an integer above 0, then a row for each station")?;
    let count: Option<usize> = line.parse().ok().filter(|&count| count > 0);
    let count = count.ok_or_else(|| place.bad_value("number of stations", line, "an integer above 0"))?;
    let (row_place, row) = first.line(index + 1, "station", "a row `x y z` for each station")?;
    let further = words(row).count().checked_sub(3).and_then(names);
    let further = further.ok_or_else(|| row_place.bad_value("station", row, expected))?;
    let names: Vec<String> = ["x", "y", "z"].map(str::to_owned).into_iter().chain(further).collect();
    let targets = (0..names.len()).map(Some).collect();
    let layout =
        RowLayout { names: &names, are_named: true, targets, wanted: names.len(), separator: Separator::Blanks, data };
    let rows = layout.read(source, (first.lines[index].1, place.line))?;
    if rows.row_count != count {
        let end = Place { path: source.path(), line: rows.line_count + 1 };
        let problem = format!("the file ends with {} stations", rows.row_count);
        return Err(end.layout(problem, format!("line {} requires {count}", place.line)));
    }
    let mut columns = rows.columns;
    let values = columns.split_off(3);
    let points = (0..count).map(|row| [columns[0][row], columns[1][row], columns[2][row]]).collect();
    for (column, name) in values.iter().zip(&names[3..]).filter(|(_, name)| name.starts_with(UNCERTAINTY)) {
        if let Some(row) = column.iter().position(|&value| value < 0.0) {
            let place = Place { path: source.path(), line: rows.lines.line(row) };
            return Err(place.bad_value(name, &column[row].to_string(), "a standard deviation, at least 0"));
        }
    }
    Ok(Stations { points, columns: values })
}

/// Prefix of the names of columns with standard deviations.
pub(super) const UNCERTAINTY: &str = "uncertainty";

/// Refuses columns that differ in length from the list of points, and values that are not finite.
pub(super) fn check(path: &Path, points: &[[f64; 3]], columns: &[(String, &[f64])]) -> Result<()> {
    let refuse =
        |what: String, value: String, expected: String| Err(Refused::new(what, value, expected).unwritable(path));
    if points.is_empty() {
        return refuse("number of stations".to_owned(), "0".to_owned(), "at least 1".to_owned());
    }
    if let Some(row) = points.iter().position(|point| point.iter().any(|place| !place.is_finite())) {
        return refuse(format!("position of station {row}"), format!("{:?}", points[row]), "finite numbers".to_owned());
    }
    for (name, column) in columns {
        if column.len() != points.len() {
            let expected = format!("{}, one for each station", points.len());
            return refuse(format!("number of values of {name}"), column.len().to_string(), expected);
        }
        if let Some(row) = column.iter().position(|value| !value.is_finite()) {
            return refuse(format!("{name} of station {row}"), column[row].to_string(), "a finite number".to_owned());
        }
    }
    Ok(())
}

/// Writes the number of stations and their rows.
pub(super) fn write(
    out: &mut impl std::io::Write,
    points: &[[f64; 3]],
    columns: &[(String, &[f64])],
) -> std::io::Result<()> {
    writeln!(out, "{}", points.len())?;
    for (row, [x, y, z]) in points.iter().enumerate() {
        write!(out, "{x} {y} {z}")?;
        columns.iter().try_for_each(|(_, column)| write!(out, " {}", column[row]))?;
        writeln!(out)?;
    }
    Ok(())
}

/// Refuses uncertainties without values.
pub(super) fn refuse_lone_uncertainties(path: &Path, has_values: bool, has_uncertainties: bool) -> Result<()> {
    match has_uncertainties && !has_values {
        true => Err(Refused::new("values", "none", "values, since there are uncertainties").unwritable(path)),
        false => Ok(()),
    }
}
