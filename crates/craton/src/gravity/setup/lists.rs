//! Columns of files: lists of prisms and of points, in whatever format.

use std::path::Path;

use craton_formats::netcdf::NetcdfReader;
use craton_formats::ubc::{self, GradientData, GravityData};
use craton_formats::{FormatError, npy, table};
use craton_gravity::TensorMesh;

use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config::{ListFormat, UbcMesh};
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

/// Reads columns by their names.
///
/// # Errors
/// A file that cannot be read, columns that are missing or not of one length.
pub fn columns<const N: usize>(
    name: &Path,
    format: Option<ListFormat>,
    names: [&'static str; N],
    file: &GravityFile,
    path: &KeyPath,
) -> Checked<Columns<N>> {
    let opened = file.opened(name);
    let read = || -> Result<Columns<N>, FormatError> {
        match format_of(name, format) {
            ListFormat::Table | ListFormat::Ubc => Ok(Columns::Table(table::read_columns(&opened, &names)?, names)),
            ListFormat::Npy => {
                let columns = npy::read_columns(&opened, &names)?;
                Ok(Columns::Bare(columns.try_into().expect("as many columns as names")))
            }
            ListFormat::Netcdf => {
                let mut reader = NetcdfReader::open(&opened)?;
                let mut columns = names.map(|_| Vec::new());
                for (column, name) in columns.iter_mut().zip(names) {
                    *column = reader.values_f64(name)?;
                }
                Ok(Columns::Bare(columns))
            }
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
