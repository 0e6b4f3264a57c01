//! Columns of files: lists of prisms and of points, in whatever format.

use std::path::Path;

use craton_formats::netcdf::NetcdfReader;
use craton_formats::table::{self, Table};
use craton_formats::ubc::{self, GradientData, GravityData};
use craton_formats::{FormatError, npy};
use craton_gravity::TensorMesh;

use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config::{ListFormat, UbcMesh};
use crate::key_path::KeyPath;
use crate::setup::findings::{Checked, bad_file, of_file};
use crate::structure::nearest;

/// A list in a file.
pub struct List<'a, const N: usize> {
    /// The file, as the problem names it.
    pub name: &'a Path,
    /// Its format.
    pub format: ListFormat,
    /// The numbers that are read, and what they are called there.
    pub numbers: [(&'static str, &'a str); N],
    /// What names of rows are called there, if they are read.
    pub words: Option<&'a str>,
}

/// Columns of a file, of equal length.
pub struct Columns<const N: usize> {
    numbers: Numbers<N>,
    /// Names of the rows, if they were asked for.
    pub words: Option<Vec<String>>,
}

enum Numbers<const N: usize> {
    /// Of a table, which knows its lines.
    Table(Table, [String; N]),
    /// Of anything else.
    Bare([Vec<f64>; N]),
}

impl<const N: usize> Columns<N> {
    /// The numbers, column by column.
    pub fn values(&self) -> [&[f64]; N] {
        match &self.numbers {
            Numbers::Table(table, names) => {
                names.each_ref().map(|name| table.column(name).expect("columns were asked for by name"))
            }
            Numbers::Bare(columns) => columns.each_ref().map(|column| &column[..]),
        }
    }

    /// The numbers, column by column, which are not here any more: what is left tells where rows stand.
    pub fn take(&mut self) -> [Vec<f64>; N] {
        match &mut self.numbers {
            Numbers::Table(table, _) => table.take_columns().try_into().expect("columns were asked for by name"),
            Numbers::Bare(columns) => std::mem::replace(columns, [const { Vec::new() }; N]),
        }
    }

    /// Where a row stands in the file, in words.
    pub fn row(&self, row: usize) -> String {
        match &self.numbers {
            Numbers::Table(table, _) => format!("line {}, row {row} from 0", table.line(row)),
            Numbers::Bare(_) => format!("row {row} from 0"),
        }
    }
}

/// The format of a list: as it is written, or by the end of its name.
pub fn format_of(name: &Path, format: Option<ListFormat>) -> ListFormat {
    let extension = name.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    format.unwrap_or(match extension.as_deref() {
        Some("npy") => ListFormat::Npy,
        Some("nc") => ListFormat::Netcdf,
        Some("grv" | "gg" | "loc") => ListFormat::Ubc,
        _ => ListFormat::Table,
    })
}

/// Points of a file of locations or observations of UBC-GIF.
///
/// # Errors
/// A file that cannot be read.
pub fn stations(name: &Path, file: &GravityFile, path: &KeyPath) -> Checked<Vec<[f64; 3]>> {
    let opened = file.opened(name);
    let of_gravity = GravityData::read(&opened).map(|data| data.points);
    // Those of gradients name their components first.
    let points = of_gravity.or_else(|error| GradientData::read(&opened).map(|data| data.points).map_err(|_| error));
    points.map_err(|error| bad_file(&error, name, path))
}

/// A mesh of UBC-GIF with its densities [kg/m³]; cells in the air have none.
///
/// # Errors
/// Files that cannot be read.
pub fn mesh(given: &UbcMesh, file: &GravityFile, path: &KeyPath) -> Checked<TensorMesh> {
    let mesh = ubc::Mesh::read(&file.opened(&given.mesh));
    let mesh = mesh.map_err(|error| bad_file(&error, &given.mesh, &path.key("mesh")))?;
    let model = ubc::Model::read(&file.opened(&given.model), &mesh);
    let model = model.map_err(|error| bad_file(&error, &given.model, &path.key("model")))?;
    let density = |&written: &f64| if written == given.air { 0.0 } else { given.density_factor * written };
    let density = model.densities_g_cm3.iter().map(density).collect();
    TensorMesh::new(mesh.edges().clone(), density).map_err(|error| Problem::new(path, error.to_string()).into())
}

impl<const N: usize> List<'_, N> {
    /// Reads the columns.
    ///
    /// # Arguments
    /// * `path` – the table of the problem that names the file
    /// # Errors
    /// A file that cannot be read, columns that are missing or not of one length.
    pub fn read(&self, file: &GravityFile, path: &KeyPath) -> Checked<Columns<N>> {
        let opened = file.opened(self.name);
        let bad = |error: FormatError| bad_file(&error, self.name, &path.key("file"));
        let columns = match self.format {
            ListFormat::Table | ListFormat::Ubc => {
                self.require(table::column_names(&opened).map_err(bad)?.as_deref(), path)?;
                let names = self.numbers.map(|(_, called)| called);
                let table = table::read_columns(&opened, &names).map_err(bad)?;
                let words = self.words.map(|called| table::read_words(&opened, called)).transpose().map_err(bad)?;
                Columns { numbers: Numbers::Table(table, names.map(str::to_owned)), words }
            }
            ListFormat::Npy => {
                let columns = npy::read_columns(&opened, &self.numbers.map(|(key, _)| key)).map_err(bad)?;
                Columns { numbers: Numbers::Bare(columns.try_into().expect("as many columns as names")), words: None }
            }
            ListFormat::Netcdf => {
                let mut reader = NetcdfReader::open(&opened).map_err(bad)?;
                let names: Vec<_> = reader.dataset().variables.iter().map(|variable| variable.name.clone()).collect();
                self.require(Some(&names), path)?;
                let mut columns = [const { Vec::new() }; N];
                for (column, (_, called)) in columns.iter_mut().zip(self.numbers) {
                    *column = reader.values_f64(called).map_err(bad)?;
                }
                let words = self.words.map(|called| reader.texts(called)).transpose().map_err(bad)?;
                Columns { numbers: Numbers::Bare(columns), words }
            }
        };
        self.of_one_length(&columns, path)?;
        Ok(columns)
    }

    /// Refuses columns that are not in the file.
    ///
    /// # Arguments
    /// * `found` – names of those that are; none where the file has no names, and its columns the order that they must have
    fn require(&self, found: Option<&[String]>, path: &KeyPath) -> Checked<()> {
        let mut wanted = self.numbers.into_iter().chain(self.words.map(|called| ("name", called)));
        let Some(found) = found else {
            let Some((key, called)) = wanted.find(|(key, called)| key != called) else { return Ok(()) };
            let message = format!("{} has no names of columns", self.name.display());
            let problem = Problem::new(path.key("columns").key(key), message).value(format!("{called:?}"));
            return Err(problem.hint("write them on its first line, or leave `columns` out").into());
        };
        let is_there = |called: &str| found.iter().any(|name| name == called);
        let by_semicolons = found.iter().any(|name| name.contains(';'));
        // Who reads them tells what is wrong with semicolons.
        let Some((key, called)) = wanted.find(|(_, called)| !is_there(called)).filter(|_| !by_semicolons) else {
            return Ok(());
        };
        let found: Vec<&str> = found.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
        let there = format!("`{}`", found.join("`, `"));
        if key == called {
            let problem = Problem::new(path.key("file"), format!("has no column `{key}`, only {there}"));
            let hint = format!("rename or add the column, or say what it is called: columns = {{ {key} = \"...\" }}");
            return Err(of_file(problem.hint(hint), self.name));
        }
        let message = format!("{} has no such column", self.name.display());
        let problem = Problem::new(path.key("columns").key(key), message).value(format!("{called:?}")).allowed(there);
        let near = nearest(called, &found);
        Err(Problem { hint: near.map(|near| format!("did you mean `{near}`?")), ..problem }.into())
    }

    /// Refuses variables of several lengths.
    fn of_one_length(&self, columns: &Columns<N>, path: &KeyPath) -> Checked<()> {
        let of_words = columns.words.iter().map(Vec::len);
        let lengths: Vec<usize> = columns.values().into_iter().map(<[f64]>::len).chain(of_words).collect();
        if lengths.iter().all(|&length| length == lengths[0]) {
            return Ok(());
        }
        let names: Vec<&str> = self.numbers.iter().map(|&(_, called)| called).chain(self.words).collect();
        let message = format!("has variables of {lengths:?} values: {}", names.join(", "));
        Err(of_file(Problem::new(path.key("file"), message).allowed("as many of each"), self.name))
    }
}
