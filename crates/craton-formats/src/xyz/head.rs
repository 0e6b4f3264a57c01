//! Lines before the points of a text volume.

use std::path::Path;

use super::columns::{Column, Coordinate, coordinates, names_of};
use crate::error::Result;
use crate::pieces::Source;
use crate::rows::{Separator, has_number, split};
use crate::text::{Place, number, without_comment, words};

/// Names of the columns of a tomographic model.
const TOMOGRAPHY: [&str; 8] = ["x", "y", "z", "vp", "vs", "rho", "qp", "qs"];

/// Data lines that are needed to recognise a tomographic model, and its first point.
const LINES: usize = 5;

/// The header of a tomographic model of SPECFEM3D.
#[derive(Clone, Debug, PartialEq)]
pub struct Tomography {
    /// First point: x, y and z (upward) [m].
    pub origin: [f64; 3],
    /// Spacing along x, y and z [m]; negative for descending coordinates.
    pub spacing: [f64; 3],
    /// Number of points along x, y and z, at least 1.
    pub counts: [usize; 3],
    /// Smallest and largest speed of P waves [m/s], to which SPECFEM3D clamps interpolated values.
    pub vp: [f64; 2],
    /// Smallest and largest speed of S waves [m/s], as `vp`.
    pub vs: [f64; 2],
    /// Smallest and largest density [kg/m^3], as `vp`.
    pub rho: [f64; 2],
}

/// What precedes the points.
pub(super) struct Head {
    pub columns: Vec<Column>,
    pub coordinates: [Coordinate; 3],
    pub are_named: bool,
    pub separator: Separator,
    /// Line with the names, or the first point, from 1.
    line: usize,
    /// Offset at which the points may start, and the number of lines before.
    pub rows: (u64, usize),
    pub tomography: Option<Tomography>,
}

/// A data line, with the offset after it.
struct Line {
    line: usize,
    after: u64,
    text: String,
}

/// Data of a line; `None` if it is not a row.
pub(super) fn data(line: &str) -> Option<&str> {
    Some(without_comment(line)).filter(|data| !data.is_empty())
}

impl Head {
    pub fn of(source: &Source) -> Result<Self> {
        let path = source.path();
        let mut comment = None;
        let mut lines: Vec<Line> = Vec::new();
        let end = source.search(|place, after, text| {
            match data(text) {
                Some(text) => lines.push(Line { line: place.line, after, text: text.to_owned() }),
                None if lines.is_empty() => {
                    comment = names_of_comment(text).map(|names| (place.line, names)).or(comment.take())
                }
                None => {}
            }
            (lines.len() == LINES).then_some(())
        })?;
        let Some(first) = lines.first() else {
            let place = Place { path, line: end.err().unwrap_or_default() + 1 };
            return Err(place.layout("the file has no points", "write one line `x y z value` for each point"));
        };
        if numbers(first) == Some(6) && lines.get(1).and_then(numbers) == Some(3) {
            return Self::tomography(path, &lines);
        }
        let place = Place { path, line: first.line };
        if !has_number(&first.text) {
            let separator = separator(lines.get(1).map_or("", |line| &line.text));
            return Self::named(place, names_of(&first.text), (first.after, first.line), separator);
        }
        let (start, separator) = ((source.first, 0), separator(&first.text));
        let count = split(&first.text, separator, usize::MAX - 1).len();
        match comment.filter(|(_, names)| names.len() == count) {
            Some((line, names)) => Self::named(Place { path, line }, names, start, separator),
            None if count < 4 => {
                let hint = "a point needs x, y, z and at least one value";
                Err(place.layout(format!("the first point has {count} values"), hint))
            }
            None => {
                let others = (4..=count).map(|number| Column::new(number.to_string()));
                let columns = ["x", "y", "z"].map(Column::new).into_iter().chain(others).collect();
                Ok(Self { are_named: false, ..Self::named(place, columns, start, separator)? })
            }
        }
    }

    fn named(place: Place, columns: Vec<Column>, rows: (u64, usize), separator: Separator) -> Result<Self> {
        let coordinates = coordinates(&columns).map_err(|problem| {
            let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
            let names = names.join("`, `");
            let hint = "name the coordinates x, y, and z (upward) or depth, with units such as depth(km)";
            place.layout(format!("{problem} among `{names}`"), hint)
        })?;
        Ok(Self { columns, coordinates, are_named: true, separator, line: place.line, rows, tomography: None })
    }

    fn tomography(path: &Path, lines: &[Line]) -> Result<Self> {
        let last = &lines[lines.len() - 1];
        let Some(point) = lines.get(4) else {
            let hint = "write ORIG and END, SPACING, NX NY NZ, smallest and largest vp vs rho, and then the points";
            return Err(Place { path, line: last.line + 1 }.layout("the file ends within the header", hint));
        };
        let model = model(path, lines)?;
        let count = words(&point.text).count();
        let place = Place { path, line: point.line };
        if count != 6 && count != 8 {
            let hint = "a point of a tomographic model is `x y z vp vs rho`, or `x y z vp vs rho Qp Qs`";
            return Err(place.layout(format!("the first point has {count} values"), hint));
        }
        let columns = TOMOGRAPHY[..count].iter().copied().map(Column::new).collect();
        let before = &lines[3];
        let head = Self::named(place, columns, (before.after, before.line), separator(&point.text))?;
        Ok(Self { tomography: Some(model), ..head })
    }

    /// Index of a column by its name or number.
    ///
    /// # Errors
    /// An unknown or ambiguous name; no name if there are several columns besides the coordinates.
    pub fn select(&self, path: &Path, column: Option<&str>) -> Result<usize> {
        let names: Vec<&str> = self.columns.iter().map(|column| &*column.name).collect();
        let refuse = |problem: String| {
            let list = format!("{problem}; the columns are `{}`", names.join("`, `"));
            Place { path, line: self.line }.layout(list, "select one by its name, or by its number from 1")
        };
        let Some(wanted) = column.map(|name| name.trim().to_lowercase()) else {
            let is_value = |index: &usize| self.coordinates.iter().all(|axis| axis.column != *index);
            let values: Vec<usize> = (0..names.len()).filter(is_value).collect();
            return match values[..] {
                [one] => Ok(one),
                _ => Err(refuse(format!("the file has {} columns of values", values.len()))),
            };
        };
        if let Ok(number) = wanted.parse::<usize>() {
            let index = number.checked_sub(1).filter(|index| *index < names.len());
            return index.ok_or_else(|| refuse(format!("there is no column {number}")));
        }
        let other = match &*wanted {
            "density" => "rho",
            "rho" => "density",
            _ => &*wanted,
        };
        let named = |name: &str| (0..names.len()).filter(|index| names[*index] == name).collect::<Vec<_>>();
        let found = Some(named(&wanted)).filter(|found| !found.is_empty()).unwrap_or_else(|| named(other));
        match found[..] {
            [one] => Ok(one),
            [] => Err(refuse(format!("there is no column `{wanted}`"))),
            _ => Err(refuse(format!("the column `{wanted}` occurs {} times", found.len()))),
        }
    }
}

/// The separator of the values, from the first row.
fn separator(row: &str) -> Separator {
    if row.contains(',') { Separator::Letter(',') } else { Separator::Blanks }
}

/// The number of words of a line if all are numbers.
fn numbers(line: &Line) -> Option<usize> {
    words(&line.text).all(|word| number(word).is_some()).then(|| words(&line.text).count())
}

/// Names in a comment, if it names the coordinates.
fn names_of_comment(text: &str) -> Option<Vec<Column>> {
    let text = text.trim_start_matches(['#', '!']).trim();
    let names = names_of(text.strip_prefix("columns:").unwrap_or(text));
    coordinates(&names).is_ok().then_some(names)
}

fn model(path: &Path, lines: &[Line]) -> Result<Tomography> {
    let row = |index: usize, names: &str| -> Result<Vec<f64>> {
        let place = Place { path, line: lines[index].line };
        let found: Vec<&str> = words(&lines[index].text).collect();
        let count = names.split(' ').count();
        if found.len() != count {
            let problem = format!("the line has {} values", found.len());
            return Err(place.layout(problem, format!("line {} of the header is `{names}`", index + 1)));
        }
        found.iter().zip(names.split(' ')).map(|(word, name)| place.finite(name, word)).collect()
    };
    let ends = row(0, "ORIG_X ORIG_Y ORIG_Z END_X END_Y END_Z")?;
    let steps = row(1, "SPACING_X SPACING_Y SPACING_Z")?;
    let counts = row(2, "NX NY NZ")?;
    let limits = row(3, "VP_MIN VP_MAX VS_MIN VS_MAX RHO_MIN RHO_MAX")?;
    let mut model = Tomography {
        origin: [ends[0], ends[1], ends[2]],
        spacing: [steps[0], steps[1], steps[2]],
        counts: [1; 3],
        vp: [limits[0], limits[1]],
        vs: [limits[2], limits[3]],
        rho: [limits[4], limits[5]],
    };
    for (axis, (count, name)) in counts.iter().zip(["X", "Y", "Z"]).enumerate() {
        if !(1.0..1e15).contains(count) || count.fract() != 0.0 {
            let place = Place { path, line: lines[2].line };
            return Err(place.bad_value(format!("N{name}"), &count.to_string(), "a whole number, at least 1"));
        }
        model.counts[axis] = *count as usize;
        if model.spacing[axis] == 0.0 {
            if *count > 1.0 {
                let place = Place { path, line: lines[1].line };
                return Err(place.bad_value(format!("SPACING_{name}"), "0", "a spacing other than 0"));
            }
            model.spacing[axis] = 1.0;
        }
    }
    Ok(model)
}
