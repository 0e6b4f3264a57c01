//! ESRI ASCII grids (`.asc`): a header of `key value` lines, then the rows from north to south, each from west to east.
//!
//! ```text
//! ncols 3
//! nrows 2
//! xllcorner 0
//! yllcorner 0
//! cellsize 100
//! NODATA_value -9999
//! 7 8 9
//! 4 5 6
//! ```

use std::path::Path;

use super::{Grid, ascends};
use crate::atomic;
use crate::error::{FormatError, Result};
use crate::text::{Place, data_lines, end_of, read_text, words};

/// Largest deviation of a coordinate from even spacing, in spacings, for a grid that is to be written.
const EVEN_TOLERANCE: f64 = 1e-6;

/// Largest number of values along a side.
const LARGEST_COUNT: f64 = 1e9;

/// Parses an ESRI ASCII grid; `path` is used in messages.
///
/// Corners are those of the first cell; values are at cell centres. `dx` and `dy` may replace `cellsize`. A row may be split into several
/// lines.
///
/// # Errors
/// A header key that is missing, unknown or malformed; coordinates that do not ascend in double precision; too few or too many values; a value that is NODATA or not a finite number, with its
/// row and column in the file, from 1, and for NODATA the number of such values.
pub fn parse(text: &str, path: &Path) -> Result<Grid> {
    let (grid, gap) = parse_values(text, path)?;
    let Some(Gap { place, index, word }) = gap else { return Ok(grid) };
    let (columns, rows) = (grid.x.len(), grid.y.len());
    let (row, column) = (index / columns, index % columns);
    let all = grid.values.iter().filter(|value| value.is_nan()).count();
    let key = format!("value in row {}, column {}", row + 1, column + 1);
    let (x, y) = (grid.x[column], grid.y[rows - 1 - row]);
    let gap =
        format!("a number; this is NODATA, the first of {all} such values, at x = {x}, y = {y}; fill or crop the grid");
    Err(place.bad_value(key, word, &gap))
}

/// Reads an ESRI ASCII grid that may have gaps, for results and comparisons: NODATA becomes NaN. Surfaces must not have gaps, see
/// [`parse`].
///
/// # Errors
/// As [`parse`], except for NODATA; a file that cannot be read.
pub fn read_with_gaps(path: &Path) -> Result<Grid> {
    Ok(parse_values(&read_text(path)?, path)?.0)
}

/// The first NODATA value.
struct Gap<'a> {
    place: Place<'a>,
    /// Its index, row by row from the north.
    index: usize,
    word: &'a str,
}

/// Parses a grid, with NODATA as NaN; also returns the first NODATA value.
fn parse_values<'a>(text: &'a str, path: &'a Path) -> Result<(Grid, Option<Gap<'a>>)> {
    let (header, first_value_line) = Header::parse(text, path)?;
    let rows = data_lines(path, text).filter(|(place, _)| place.line >= first_value_line);
    // A damaged header may claim more values than the file can hold; each value takes at least a digit and a blank.
    let mut southward = Vec::with_capacity((header.columns * header.rows).min(text.len() / 2 + 1));
    let mut first_gap = None;
    for (place, line) in rows {
        for word in words(line) {
            let index = southward.len();
            let value = header.value(place, index, word)?;
            if value.is_nan() && first_gap.is_none() {
                first_gap = Some(Gap { place, index, word });
            }
            southward.push(value);
        }
    }
    if southward.len() != header.columns * header.rows {
        return Err(end_of(path, text).layout(
            format!("the file ends with {} values", southward.len()),
            format!("{} rows of {} are {}", header.rows, header.columns, header.rows * header.columns),
        ));
    }
    let northward = southward.chunks(header.columns).rev();
    let grid = Grid {
        x: axis(header.first_x, header.spacing_x, header.columns),
        y: axis(header.first_y, header.spacing_y, header.rows),
        values: northward.flatten().copied().collect(),
    };
    for (name, axis, spacing) in [("x", &grid.x, header.spacing_x), ("y", &grid.y, header.spacing_y)] {
        if !ascends(axis) {
            let (count, first) = (axis.len(), axis[0]);
            let problem =
                format!("{count} coordinates along {name} from {first} by {spacing} do not ascend in double precision");
            return Err(Place { path, line: 1 }.layout(problem, "correct the corner and the cell size of the header"));
        }
    }
    Ok((grid, first_gap))
}

fn axis(first: f64, spacing: f64, count: usize) -> Vec<f64> {
    (0..count).map(|index| first + index as f64 * spacing).collect()
}

struct Header {
    columns: usize,
    rows: usize,
    first_x: f64,
    first_y: f64,
    spacing_x: f64,
    spacing_y: f64,
    /// The value of gaps, which may be NaN.
    no_data: Option<f64>,
}

/// The header lines with lower-case keys, and the first line after them.
struct Entries<'a> {
    entries: Vec<(String, Place<'a>, &'a str)>,
    end: Place<'a>,
}

impl<'a> Entries<'a> {
    fn parse(text: &'a str, path: &'a Path) -> Self {
        let mut entries = Vec::new();
        let mut end = end_of(path, text);
        for (place, line) in data_lines(path, text) {
            if !line.starts_with(|c: char| c.is_ascii_alphabetic()) || is_not_finite(line) {
                end = place;
                break;
            }
            let (key, value) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            entries.push((key.to_lowercase(), place, value.trim()));
        }
        Self { entries, end }
    }

    fn number(&self, key: &str) -> Result<Option<f64>> {
        let found = self.entries.iter().find(|(known, ..)| known == key);
        found.map(|(key, place, word)| place.finite(key, word)).transpose()
    }

    fn no_data(&self) -> Result<Option<f64>> {
        let key = "nodata_value";
        let is_nan = |(known, _, word): &(String, Place, &str)| known == key && is_nan(word);
        if self.entries.iter().any(is_nan) { Ok(Some(f64::NAN)) } else { self.number(key) }
    }

    fn one_of(&self, keys: &'static [&'static str]) -> Result<(&'static str, f64)> {
        for key in keys {
            if let Some(value) = self.number(key)? {
                return Ok((key, value));
            }
        }
        Err(FormatError::MissingKey {
            path: self.end.path.to_owned(),
            line: self.end.line,
            key: keys[0],
            found: "the end of the header".to_owned(),
            expected: format!("a line `{} number`", keys.join("` or `")),
        })
    }

    fn refuse(&self, key: &str, value: f64, expected: &str) -> FormatError {
        let found = self.entries.iter().find(|(known, ..)| known == key);
        let place = found.map_or(self.end, |(_, place, _)| *place);
        place.bad_value(key, &value.to_string(), expected)
    }

    /// Refuses a key that occurs twice, since its value is ambiguous.
    fn refuse_repeated(&self) -> Result<()> {
        for (index, (key, place, value)) in self.entries.iter().enumerate() {
            if let Some((_, first, _)) = self.entries[..index].iter().find(|(known, ..)| known == key) {
                let expected = format!("each key once; it is also on line {}", first.line);
                return Err(place.bad_value(key, value, expected));
            }
        }
        Ok(())
    }

    fn count(&self, keys: &'static [&'static str]) -> Result<usize> {
        let (key, value) = self.one_of(keys)?;
        if value.fract() != 0.0 || !(2.0..=LARGEST_COUNT).contains(&value) {
            return Err(self.refuse(key, value, &format!("an integer from 2 to {LARGEST_COUNT}")));
        }
        Ok(value as usize)
    }

    fn spacing(&self, keys: &'static [&'static str]) -> Result<f64> {
        let (key, value) = self.one_of(keys)?;
        if value <= 0.0 {
            return Err(self.refuse(key, value, "a number above 0"));
        }
        Ok(value)
    }

    /// Centre of the first cell: as given, or half a spacing from its corner.
    fn first(&self, keys: &'static [&'static str], spacing: f64) -> Result<f64> {
        let (key, value) = self.one_of(keys)?;
        Ok(if key.ends_with("corner") { value + 0.5 * spacing } else { value })
    }
}

fn is_nan(word: &str) -> bool {
    word.parse().is_ok_and(f64::is_nan)
}

/// Whether a line starts with a number, which includes `nan`, rather than with a key.
fn is_not_finite(line: &str) -> bool {
    words(line).next().is_some_and(|word| word.parse::<f64>().is_ok())
}

const KEYS: [&str; 10] =
    ["ncols", "nrows", "xllcorner", "xllcenter", "yllcorner", "yllcenter", "cellsize", "dx", "dy", "nodata_value"];

impl Header {
    /// Parses the header; also returns the line of the first value.
    fn parse(text: &str, path: &Path) -> Result<(Self, usize)> {
        let entries = Entries::parse(text, path);
        if let Some((key, place, value)) = entries.entries.iter().find(|(key, ..)| !KEYS.contains(&key.as_str())) {
            return Err(place.bad_value(key, value, format!("one of the keys {}", KEYS.join(", "))));
        }
        entries.refuse_repeated()?;
        let spacing_x = entries.spacing(&["cellsize", "dx"])?;
        let spacing_y = entries.spacing(&["cellsize", "dy"])?;
        let header = Self {
            columns: entries.count(&["ncols"])?,
            rows: entries.count(&["nrows"])?,
            first_x: entries.first(&["xllcorner", "xllcenter"], spacing_x)?,
            first_y: entries.first(&["yllcorner", "yllcenter"], spacing_y)?,
            spacing_x,
            spacing_y,
            no_data: entries.no_data()?,
        };
        Ok((header, entries.end.line))
    }

    /// Parses the value at `index`, counted row by row from the north; NODATA becomes NaN.
    fn value(&self, place: Place, index: usize, word: &str) -> Result<f64> {
        let (row, column) = (index / self.columns + 1, index % self.columns + 1);
        if row > self.rows {
            let problem = format!("more than {} rows of {} values", self.rows, self.columns);
            return Err(place.layout(problem, "correct ncols and nrows, or remove values"));
        }
        if is_nan(word) && self.no_data.is_some_and(f64::is_nan) {
            return Ok(f64::NAN);
        }
        let value = place.finite(format_args!("value in row {row}, column {column}"), word)?;
        Ok(if self.no_data == Some(value) { f64::NAN } else { value })
    }
}

/// Writes a grid as ESRI ASCII, atomically, with all digits of its values. NaN is written as `NODATA_value`, which is -9999, or has more
/// nines if a value equals that. [`read_with_gaps`] reads such files.
///
/// # Errors
/// [`FormatError::Unwritable`] if the spacing is uneven or differs in x and y, or a value is infinite; [`FormatError::Io`] if the file
/// cannot be written.
pub fn write(path: &Path, grid: &Grid) -> Result<()> {
    let refuse = |what: String, value: String, expected: &str| FormatError::Unwritable {
        path: path.to_owned(),
        what,
        value,
        expected: expected.to_owned(),
    };
    let columns = grid.x.len();
    if grid.values.len() != columns * grid.y.len() {
        let expected = format!("{columns} x {}, one for each point", grid.y.len());
        return Err(refuse("number of values".to_owned(), grid.values.len().to_string(), &expected));
    }
    let spacing = even_spacing(&grid.x).zip(even_spacing(&grid.y));
    let square = spacing.filter(|(dx, dy)| (dx - dy).abs() <= EVEN_TOLERANCE * dx);
    let (cell_size, _) = square.ok_or_else(|| {
        refuse("spacing in x and y".to_owned(), format!("{spacing:?}"), "even and equal spacings; resample the grid")
    })?;
    if let Some(index) = grid.values.iter().position(|value| value.is_infinite()) {
        let point = format!("value at x = {}, y = {}", grid.x[index % columns], grid.y[index / columns]);
        return Err(refuse(point, grid.values[index].to_string(), "a finite number, or NaN for a gap"));
    }
    atomic::write_with(path, |out| write_square(out, grid, cell_size))
}

fn write_square(out: &mut impl std::io::Write, grid: &Grid, cell_size: f64) -> std::io::Result<()> {
    let columns = grid.x.len();
    writeln!(out, "ncols {columns}\nnrows {}", grid.y.len())?;
    writeln!(out, "xllcenter {}\nyllcenter {}", grid.x[0], grid.y[0])?;
    writeln!(out, "cellsize {cell_size}")?;
    let gap = gap_value(&grid.values);
    if let Some(gap) = gap {
        writeln!(out, "NODATA_value {gap}")?;
    }
    for row in grid.values.chunks(columns).rev() {
        let written = |value: &f64| gap.filter(|_| value.is_nan()).unwrap_or(*value).to_string();
        let row: Vec<String> = row.iter().map(written).collect();
        writeln!(out, "{}", row.join(" "))?;
    }
    Ok(())
}

/// NODATA value for a grid with NaN: a number that no value equals.
fn gap_value(values: &[f64]) -> Option<f64> {
    let has_gaps = values.iter().any(|value| value.is_nan());
    let nines = (4..=15).map(|digits| 1.0 - 10_f64.powi(digits));
    has_gaps.then(|| nines.into_iter().find(|gap| !values.contains(gap)).unwrap_or(f64::MIN))
}

/// Spacing of an ascending, evenly spaced axis of at least two points.
fn even_spacing(axis: &[f64]) -> Option<f64> {
    let intervals = axis.len().checked_sub(1).filter(|&count| count > 0)?;
    let spacing = (axis[intervals] - axis[0]) / intervals as f64;
    let is_even =
        |(index, &place): (usize, &f64)| (place - (axis[0] + index as f64 * spacing)).abs() <= EVEN_TOLERANCE * spacing;
    (spacing > 0.0 && axis.iter().enumerate().all(is_even)).then_some(spacing)
}
