//! Columns of files: lists of prisms and of points, in whatever format.

use std::path::Path;

use craton_formats::netcdf::NetcdfReader;
use craton_formats::{FormatError, npy, table};

use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config::PrismFormat;
use crate::key_path::KeyPath;
use crate::setup::findings::{Checked, bad_file, of_file};

/// Columns of a list of prisms.
pub const PRISM: [&str; 7] = ["west", "east", "south", "north", "bottom", "top", "density"];
/// Columns of a list of points.
pub const POINT: [&str; 3] = ["x", "y", "z"];

/// Columns of a file, of equal length.
pub enum Columns<const N: usize> {
    /// Of a table, which knows its lines.
    Table(table::Table, [&'static str; N]),
    /// Of anything else.
    Bare([Vec<f64>; N]),
}

impl<const N: usize> Columns<N> {
    /// The values, column by column.
    pub fn values(&self) -> [&[f64]; N] {
        match self {
            Self::Table(table, names) => names.map(|name| table.column(name).expect("columns were asked for by name")),
            Self::Bare(columns) => columns.each_ref().map(|column| &column[..]),
        }
    }

    /// Where a row stands in the file, in words.
    pub fn row(&self, row: usize) -> String {
        match self {
            Self::Table(table, _) => format!("line {}", table.line(row)),
            Self::Bare(_) => format!("row {row}, from 0"),
        }
    }
}

/// Reads columns by their names.
///
/// # Errors
/// A file that cannot be read, columns that are missing or not of one length.
pub fn columns<const N: usize>(
    name: &Path,
    format: Option<PrismFormat>,
    names: [&'static str; N],
    file: &GravityFile,
    path: &KeyPath,
) -> Checked<Columns<N>> {
    let opened = file.opened(name);
    let extension = name.extension().map(|extension| extension.to_string_lossy().to_lowercase());
    let format = format.unwrap_or(match extension.as_deref() {
        Some("npy") => PrismFormat::Npy,
        Some("nc") => PrismFormat::Netcdf,
        _ => PrismFormat::Table,
    });
    let read = || match format {
        PrismFormat::Table => Ok(Columns::Table(table::read_columns(&opened, &names)?, names)),
        PrismFormat::Npy => Ok::<_, FormatError>(Columns::Bare(of_npy(&opened, names)?)),
        PrismFormat::Netcdf => {
            let mut reader = NetcdfReader::open(&opened)?;
            let mut columns = names.map(|_| Vec::new());
            for (column, name) in columns.iter_mut().zip(names) {
                *column = reader.values_f64(name)?;
            }
            Ok(Columns::Bare(columns))
        }
    };
    let columns = read().map_err(|error| bad_file(&error, name, path))?;
    let lengths = columns.values().map(<[f64]>::len);
    if lengths.iter().any(|&length| length != lengths[0]) {
        let message = format!("has variables of {lengths:?} values: {}", names.join(", "));
        return Err(of_file(Problem::new(path, message).allowed("as many of each"), name));
    }
    Ok(columns)
}
