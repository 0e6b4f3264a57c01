//! Columns of a text volume: names, units and coordinates.

use crate::text::{fields, words};
use crate::volume::metres_per;

/// Names of x, y and z by precedence; the second list of each has geographic coordinates, or depths.
const COORDINATES: [[&[&str]; 2]; 3] = [
    [&["x", "easting", "east", "utm_x"], &["longitude", "lon", "long"]],
    [&["y", "northing", "north", "utm_y"], &["latitude", "lat"]],
    [&["z", "elevation", "elev", "altitude", "height"], &["depth", "dep"]],
];

/// Units, other than lengths, that may follow the name of a column and an underscore.
const UNITS: [&str; 14] =
    ["deg", "degree", "degrees", "m/s", "km/s", "ms", "kms", "mps", "kmps", "kg/m3", "kgm3", "g/cm3", "gcm3", "gcc"];

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Column {
    /// Name in lower case.
    pub name: String,
    /// Unit in lower case, empty if unknown.
    pub unit: String,
}

/// A column with a coordinate.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Coordinate {
    /// Index of the column.
    pub column: usize,
    /// Label of the axis.
    pub label: &'static str,
    /// Unit of the axis.
    pub unit: &'static str,
    /// Units of the axis per unit of the file.
    pub factor: f64,
}

impl Column {
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), unit: String::new() }
    }

    /// Parses a name with an optional unit, such as `vp`, `vp(m/s)` or `depth_km`.
    fn parse(word: &str) -> Self {
        let word = word.trim_matches(['"', '\'', ' ']).to_lowercase();
        let is_unit = |unit: &str| UNITS.contains(&unit) || metres_per(unit).is_some();
        if let Some((name, unit)) = word.split_once(['(', '[']).filter(|(name, _)| !name.is_empty()) {
            let unit = unit.trim_end_matches([')', ']']).to_owned();
            return Self { name: name.trim_end_matches(['_', ' ']).to_owned(), unit };
        }
        match word.rsplit_once('_') {
            Some((name, unit)) if is_unit(unit) => Self { name: name.to_owned(), unit: unit.to_owned() },
            _ => Self::new(word),
        }
    }
}

/// Parses a line with names, separated by commas, or else by tabs or blanks; among blanks, a word in brackets is the unit of the column
/// before.
pub(super) fn names_of(line: &str) -> Vec<Column> {
    if let Some(letter) = [',', '\t'].into_iter().find(|&letter| line.contains(letter)) {
        return fields(line, letter).map(Column::parse).collect();
    }
    let mut all: Vec<Column> = Vec::new();
    for word in words(line) {
        match all.last_mut() {
            Some(column) if word.starts_with(['(', '[']) => {
                column.unit = word.trim_matches(['(', '[', ')', ']']).to_lowercase();
            }
            _ => all.push(Column::parse(word)),
        }
    }
    all
}

/// Finds x, y, and z or depth.
///
/// # Errors
/// What is wrong: a missing coordinate, both z and depth, or a unit that is not a length.
pub(super) fn coordinates(columns: &[Column]) -> Result<[Coordinate; 3], String> {
    let x = coordinate(columns, 0, "x", "longitude")?;
    let y = coordinate(columns, 1, "y", "latitude")?;
    let z = coordinate(columns, 2, "z", "depth")?;
    let depth = position(columns, COORDINATES[2][1]).map(|column| &columns[column].name);
    match depth {
        Some(depth) if z.label == "z" => Err(format!("there are both `{}` and `{depth}`", columns[z.column].name)),
        _ => Ok([x, y, z]),
    }
}

fn position(columns: &[Column], names: &[&str]) -> Option<usize> {
    names.iter().find_map(|name| columns.iter().position(|column| column.name == *name))
}

fn coordinate(columns: &[Column], axis: usize, label: &'static str, other: &'static str) -> Result<Coordinate, String> {
    let [names, others] = COORDINATES[axis];
    let found = position(columns, names).map(|column| (column, label));
    let found = found.or_else(|| position(columns, others).map(|column| (column, other)));
    let Some((column, label)) = found else {
        return Err(match axis {
            2 => "there is no column `z` or `depth`".to_owned(),
            _ => format!("there is no column `{label}` or `{other}`"),
        });
    };
    let unit = &*columns[column].unit;
    if axis < 2 && label == other {
        return match unit {
            "" | "deg" | "degree" | "degrees" | "°" => Ok(Coordinate { column, label, unit: "degrees", factor: 1.0 }),
            _ => Err(format!("`{label}` has the unit `{unit}` instead of degrees")),
        };
    }
    let factor = if unit.is_empty() { Some(1.0) } else { metres_per(unit) };
    let wrong = || format!("`{}` has the unit `{unit}` instead of m, km or ft", columns[column].name);
    Ok(Coordinate { column, label, unit: "m", factor: factor.ok_or_else(wrong)? })
}
