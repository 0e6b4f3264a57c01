//! Columns of list files with prisms or points, in all formats.

use std::path::Path;

use craton_formats::netcdf::{Dataset, NetcdfReader};
use craton_formats::table::{self, Table};
use craton_formats::ubc::{GradientData, GravityData};
use craton_formats::{FormatError, npy};

use crate::error::Problem;
use crate::given_numbers::GivenNumbers;
use crate::gravity::GravityFile;
use crate::gravity::config::ListFormat;
use crate::inputs::{Given, Input, Inputs, wrong_kind};
use crate::key_path::KeyPath;
use crate::setup::findings::{Checked, bad_file, of_file};
use crate::structure::nearest;

/// Quantities that are heights, positive up.
const HEIGHTS: [&str; 4] = ["z", "height", "bottom", "top"];

/// Largest longitude or latitude.
const MOST_DEGREES: f64 = 360.0;

/// A list in a file.
pub struct List<'a, const N: usize> {
    /// The file as named in the problem.
    pub name: &'a Path,
    /// Its format.
    pub format: ListFormat,
    /// The quantities to read, and their column names.
    pub numbers: [(&'static str, &'a str); N],
    /// The column of row names, if they are read.
    pub words: Option<&'a str>,
    /// Whether its numbers may be longitudes and latitudes.
    pub is_geographic: bool,
}

/// Columns of a file, of equal length.
pub struct Columns<const N: usize> {
    numbers: Numbers<N>,
    /// Names of the rows, if they were read.
    pub words: Option<Vec<String>>,
    /// A warning about the file.
    pub warning: Option<String>,
}

enum Numbers<const N: usize> {
    /// Columns of a table with line numbers.
    Table(Table, [String; N]),
    /// Columns of another format.
    Bare([Vec<f64>; N]),
}

impl<const N: usize> Columns<N> {
    /// The numbers, column by column.
    pub fn values(&self) -> [&[f64]; N] {
        match &self.numbers {
            Numbers::Table(table, names) => {
                names.each_ref().map(|name| table.column(name).expect("columns were selected by name"))
            }
            Numbers::Bare(columns) => columns.each_ref().map(|column| &column[..]),
        }
    }

    /// Moves the numbers out, column by column; the positions of rows remain.
    pub fn take(&mut self) -> [Vec<f64>; N] {
        match &mut self.numbers {
            Numbers::Table(table, _) => table.take_columns().try_into().expect("columns were selected by name"),
            Numbers::Bare(columns) => std::mem::replace(columns, [const { Vec::new() }; N]),
        }
    }

    /// The position of a row in the file, in words.
    pub fn row(&self, row: usize) -> String {
        match &self.numbers {
            Numbers::Table(table, _) => format!("line {}", table.line(row)),
            Numbers::Bare(_) => format!("row {row} (counted from 0)"),
        }
    }
}

/// The format of a list: as given, or by the file name; data of the calling program are a table.
pub fn format_of(name: &Path, format: Option<ListFormat>, inputs: &Inputs) -> ListFormat {
    if inputs.get(name).is_some() {
        return ListFormat::Table;
    }
    let extension = name.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    format.unwrap_or(match extension.as_deref() {
        Some("npy") => ListFormat::Npy,
        Some("nc") => ListFormat::Netcdf,
        Some("grv" | "gg" | "loc") => ListFormat::Ubc,
        _ => ListFormat::Table,
    })
}

/// Points of a UBC-GIF location or observation file.
///
/// # Errors
/// An unreadable file.
pub fn stations(name: &Path, file: &GravityFile, path: &KeyPath) -> Checked<Vec<[f64; 3]>> {
    let opened = file.file_named(name, path)?;
    let of_gravity = GravityData::read(&opened).map(|data| data.points);
    // Gradient files name their components first.
    let points = of_gravity.or_else(|error| GradientData::read(&opened).map(|data| data.points).map_err(|_| error));
    points.map_err(|error| bad_file(&error, name, path))
}

impl<const N: usize> List<'_, N> {
    /// Reads the columns.
    ///
    /// # Arguments
    /// * `path` – the table of the problem with the file
    /// # Errors
    /// An unreadable file, or columns that are missing or have different lengths.
    pub fn read(&self, file: &GravityFile, path: &KeyPath) -> Checked<Columns<N>> {
        let opened = match file.input(self.name) {
            Input::File(opened) => opened,
            Input::Given(Given::Table(columns)) => return self.given(columns, path),
            Input::Given(given) => return Err(wrong_kind(given, "a table", self.name, &path.key("file"))),
        };
        let bad = |error: FormatError| bad_file(&error, self.name, &path.key("file"));
        let (numbers, words, names) = match self.format {
            ListFormat::Table | ListFormat::Ubc => {
                let found = table::column_names(&opened).map_err(bad)?;
                let names = self.in_file(found.as_deref());
                self.require(found.as_deref(), &names, path)?;
                let table = table::read_columns(&opened, &names.each_ref().map(String::as_str));
                let table = table.map_err(|error| self.bad_table(&error, &opened, &names, path))?;
                let words = self.words.map(|called| table::read_words(&opened, called)).transpose().map_err(bad)?;
                (Numbers::Table(table, names.clone()), words, names)
            }
            ListFormat::Npy => {
                let columns = npy::read_columns(&opened, &self.numbers.map(|(key, _)| key)).map_err(bad)?;
                (Numbers::Bare(columns.try_into().expect("as many columns as names")), None, self.in_file(None))
            }
            ListFormat::Netcdf => {
                let mut reader = NetcdfReader::open(&opened).map_err(bad)?;
                let empty = reader.without_values().to_vec();
                let filled = reader.dataset().variables.iter().map(|variable| &variable.name);
                let found: Vec<_> = filled.chain(&empty).cloned().collect();
                let names = self.in_file(Some(&found));
                self.require(Some(&found), &names, path)?;
                self.require_units(reader.dataset(), &names, path)?;
                self.refuse_downward(reader.dataset(), &names, path)?;
                let mut columns = [const { Vec::new() }; N];
                let has_values = |called: &str| empty.iter().all(|name| name != called);
                for (column, called) in columns.iter_mut().zip(&names).filter(|(_, called)| has_values(called)) {
                    *column = reader.values_f64(called).map_err(bad)?;
                }
                let texts = |called: &str| if has_values(called) { reader.texts(called) } else { Ok(Vec::new()) };
                let words = self.words.map(texts).transpose().map_err(bad)?;
                (Numbers::Bare(columns), words, names)
            }
        };
        let mut columns = Columns { numbers, words, warning: None };
        self.of_one_length(&columns, path)?;
        columns.warning = in_degrees(&names, &columns.values(), path).filter(|_| !self.is_geographic);
        Ok(columns)
    }

    /// Columns of the calling program.
    fn given(&self, columns: &[(String, GivenNumbers)], path: &KeyPath) -> Checked<Columns<N>> {
        let found: Vec<String> = columns.iter().map(|(name, _)| name.clone()).collect();
        let names = self.in_file(Some(&found));
        self.require(Some(&found), &names, path)?;
        let bad = |error: FormatError| bad_file(&error, self.name, &path.key("file"));
        let mut numbers = [const { Vec::new() }; N];
        for (column, name) in numbers.iter_mut().zip(&names) {
            if let Some((_, values)) = columns.iter().find(|(known, _)| known == name) {
                *column = values.read(self.name).map_err(bad)?;
            }
        }
        let columns = Columns { numbers: Numbers::Bare(numbers), words: None, warning: None };
        self.of_one_length(&columns, path)?;
        Ok(columns)
    }

    /// The problem of an unreadable table, at the key of a column with a non-number if it has its own key, else at that
    /// of the file.
    fn bad_table(&self, error: &FormatError, opened: &Path, names: &[String; N], path: &KeyPath) -> Box<Problem> {
        let is_bad = |name: &String| table::read_columns(opened, &[name]).is_err();
        let mut bad = self.numbers.iter().zip(names).filter(|(_, name)| is_bad(name));
        match (bad.next(), bad.next()) {
            (Some((&(key, called), _)), None) if key != called => {
                let problem = bad_file(error, self.name, &path.key("columns").key(key));
                let message = format!("{}, {}", self.name.display(), problem.message);
                Box::new(Problem { message, ..problem.value(format!("{called:?}")) })
            }
            _ => bad_file(error, self.name, &path.key("file")),
        }
    }

    /// The column names in the file: as given, or with an appended unit, as Craton writes them.
    fn in_file(&self, found: Option<&[String]>) -> [String; N] {
        let is_there = |called: &str| found.into_iter().flatten().any(|name| name == called);
        self.numbers.map(|(key, called)| {
            let unit = if self.is_in_degrees(key) { "deg" } else { "m" };
            let with_unit = format!("{called}_{unit}");
            if key == called && !is_there(called) && is_there(&with_unit) { with_unit } else { called.to_owned() }
        })
    }

    /// Rejects missing columns.
    ///
    /// # Arguments
    /// * `found` – the names in the file; `None` if the file has no names and its columns a fixed order
    /// * `names` – the names of the required columns
    fn require(&self, found: Option<&[String]>, names: &[String; N], path: &KeyPath) -> Checked<()> {
        self.refuse_depths(names, path)?;
        let numbers = self.numbers.iter().zip(names).map(|((key, _), name)| (*key, name.as_str()));
        let mut required = numbers.chain(self.words.map(|called| ("name", called)));
        let Some(found) = found else {
            let Some((key, called)) = required.find(|(key, called)| key != called) else { return Ok(()) };
            let message = format!("{} has no column names", self.name.display());
            let problem = Problem::new(path.key("columns").key(key), message).value(format!("{called:?}"));
            return Err(problem.hint("add the column names on its first line, or remove `columns`").into());
        };
        let is_there = |called: &str| found.iter().any(|name| name == called);
        let by_semicolons = found.iter().any(|name| name.contains(';'));
        // The reader reports problems with semicolons.
        let Some((key, called)) = required.find(|(_, called)| !is_there(called)).filter(|_| !by_semicolons) else {
            return Ok(());
        };
        let found: Vec<&str> = found.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
        let there = format!("`{}`", found.join("`, `"));
        if key == called {
            let problem = Problem::new(path.key("file"), format!("has no column `{key}`; its columns are {there}"));
            return Err(of_file(problem.hint(self.hint(key, &found)), self.name));
        }
        let message = format!("{} has no such column", self.name.display());
        let problem = Problem::new(path.key("columns").key(key), message).value(format!("{called:?}")).allowed(there);
        let near = nearest(called, &found);
        Err(Problem { hint: near.map(|near| format!("did you mean `{near}`?")), ..problem }.into())
    }

    /// The hint for columns that are missing under their default names.
    fn hint(&self, missing: &str, found: &[&str]) -> String {
        let alike = |key: &str| found.iter().find(|name| name.eq_ignore_ascii_case(key) && **name != key);
        let renamed: Vec<String> = self
            .numbers
            .iter()
            .filter(|(key, called)| key == called)
            .filter_map(|(key, _)| Some(format!("{key} = {:?}", alike(key)?)))
            .collect();
        if alike(missing).is_some() {
            return format!("did you mean columns = {{ {} }}?", renamed.join(", "));
        }
        let hint = format!("add or rename the column, or give its name with columns = {{ {missing} = \"...\" }}");
        match !self.is_geographic && found.iter().any(|name| is_of_degrees(name)) {
            true => format!("{hint}. Coordinates must be in metres: project longitude and latitude first"),
            false => hint,
        }
    }

    /// Rejects columns of heights whose names mean depths.
    fn refuse_depths(&self, names: &[String; N], path: &KeyPath) -> Checked<()> {
        let columns = self.numbers.iter().zip(names);
        match columns.filter(|((key, _), _)| HEIGHTS.contains(key)).find(|(_, name)| is_of_depths(name)) {
            Some((&(key, called), _)) => Err(self.downward(key, called, "its name means depth, positive down", path)),
            None => Ok(()),
        }
    }

    /// Rejects variables of heights that are positive down by their attributes.
    fn refuse_downward(&self, dataset: &Dataset, names: &[String; N], path: &KeyPath) -> Checked<()> {
        let is_downward = |name: &String| {
            let variable = dataset.variables.iter().find(|variable| variable.name == *name);
            let text = |attribute| variable.and_then(|variable| variable.text(attribute)).unwrap_or_default();
            text("positive").trim().eq_ignore_ascii_case("down") || text("standard_name").trim() == "depth"
        };
        let columns = self.numbers.iter().zip(names);
        match columns.filter(|((key, _), _)| HEIGHTS.contains(key)).find(|(_, name)| is_downward(name)) {
            Some((&(key, called), _)) => {
                Err(self.downward(key, called, "its attributes say that it is positive down", path))
            }
            None => Ok(()),
        }
    }

    /// The problem of a column of depths.
    fn downward(&self, key: &str, called: &str, why: &str, path: &KeyPath) -> Box<Problem> {
        let message = format!("holds heights, positive up, but {why}");
        let hint =
            format!("write a column of heights, minus the depth, and name it with columns = {{ {key} = \"...\" }}");
        match key == called {
            true => {
                of_file(Problem::new(path.key("file"), format!("the column `{key}` {message}")).hint(hint), self.name)
            }
            false => Problem::new(path.key("columns").key(key), message).value(format!("{called:?}")).hint(hint).into(),
        }
    }

    /// Rejects lengths that are not in metres, and angles that are not in degrees.
    fn require_units(&self, dataset: &Dataset, names: &[String; N], path: &KeyPath) -> Checked<()> {
        let unit = |name: &str| {
            let variable = dataset.variables.iter().find(|variable| variable.name == name);
            variable.and_then(|variable| variable.text("units")).unwrap_or_default().trim().to_owned()
        };
        for ((key, _), name) in self.numbers.iter().zip(names) {
            let unit = unit(name);
            let is_degrees = unit.to_lowercase().starts_with("degree");
            let problem = || Problem::new(path.key("file"), format!("has `{name}` in {unit}"));
            let refused = match self.is_in_degrees(key) {
                true if !unit.is_empty() && !is_degrees => {
                    problem().allowed("degrees").hint("convert the coordinates first")
                }
                false if is_degrees => problem().allowed("coordinates in metres").hint("project the coordinates first"),
                false if ["km", "cm", "ft"].contains(&unit.as_str()) => {
                    problem().allowed("coordinates in metres").hint("convert the coordinates first")
                }
                _ => continue,
            };
            return Err(of_file(refused, self.name));
        }
        Ok(())
    }

    /// Whether the values of a key are in degrees.
    fn is_in_degrees(&self, key: &str) -> bool {
        self.is_geographic && ["longitude", "latitude", "west", "east", "south", "north"].contains(&key)
    }

    /// Rejects variables of different lengths, and lists without rows.
    fn of_one_length(&self, columns: &Columns<N>, path: &KeyPath) -> Checked<()> {
        let of_words = columns.words.iter().map(Vec::len);
        let lengths: Vec<usize> = columns.values().into_iter().map(<[f64]>::len).chain(of_words).collect();
        if lengths.iter().all(|&length| length == 0) {
            let problem = Problem::new(path.key("file"), "has no rows").allowed("at least one value per column");
            return Err(of_file(problem, self.name));
        }
        if lengths.iter().all(|&length| length == lengths[0]) {
            return Ok(());
        }
        let names: Vec<&str> = self.numbers.iter().map(|&(_, called)| called).chain(self.words).collect();
        let message = format!("has variables with {lengths:?} values: {}", names.join(", "));
        Err(of_file(Problem::new(path.key("file"), message).allowed("equal numbers of values"), self.name))
    }
}

/// Whether a name means depth, positive down: `depth`, `Depth_top`, `TVD (m)`.
///
/// Verified by `lists::columns_of_depths_are_refused`.
fn is_of_depths(name: &str) -> bool {
    /// True vertical depth, also below sea level; depth and thickness below the ground; directions.
    const WORDS: [&str; 7] = ["tvd", "tvdss", "burial", "bgl", "bsl", "down", "downward"];
    let name = name.to_lowercase();
    name.contains("depth") || name.split(|letter: char| !letter.is_alphanumeric()).any(|word| WORDS.contains(&word))
}

/// Whether a name is that of a longitude or latitude.
fn is_of_degrees(name: &str) -> bool {
    let name = name.to_lowercase();
    let word = name.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    ["lon", "lat", "long", "longitude", "latitude"].contains(&word)
}

/// A warning if columns are named longitude or latitude and have values in that range.
fn in_degrees(names: &[String], values: &[&[f64]], path: &KeyPath) -> Option<String> {
    let is_suspicious = |(name, values): &(&String, &&[f64])| {
        is_of_degrees(name) && values.iter().all(|value| value.abs() <= MOST_DEGREES)
    };
    let suspicious: Vec<String> =
        names.iter().zip(values).filter(is_suspicious).map(|(name, _)| format!("`{name}`")).collect();
    (!suspicious.is_empty()).then(|| {
        format!(
            "{path}: the columns {} look like degrees, but are interpreted in metres: project the coordinates first",
            suspicious.join(" and ")
        )
    })
}
