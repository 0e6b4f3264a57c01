//! Volumes as text: a line `x y z value value ...` for each point of a regular grid, the values separated by blanks or commas; `#` and `!`
//! start comments.
//!
//! | kind | recognised by | grid |
//! |---|---|---|
//! | tomographic model of SPECFEM3D | lines of 6, 3, 3 and 6 numbers before the points | of these lines, see [`Tomography`] |
//! | any other table | | inferred from the points, which may be in any order |
//!
//! Names of the columns may be on the first line, or in a comment before the first point, with units in brackets or after an underscore:
//!
//! ```text
//! # x(km) y(km) depth_km vp(m/s) vs(m/s) density
//! 0.0 0.0 0.0 2500 1400 2100
//! ```
//!
//! | coordinate | names, by precedence |
//! |---|---|
//! | x | `x`, `easting`, `east`, `utm_x`, `longitude`, `lon`, `long` |
//! | y | `y`, `northing`, `north`, `utm_y`, `latitude`, `lat` |
//! | z, upward | `z`, `elevation`, `elev`, `altitude`, `height` |
//! | depth, downward | `depth`, `dep` |
//!
//! Without names, the first three columns are x, y and z. Files of any size are read in pieces by the rayon pool of the caller: in addition
//! to the requested values, only these pieces, the distinct coordinates and a bit for each point are in memory.

use std::path::Path;

use crate::error::Result;
use crate::pieces::Source;
use crate::volume::{Axis, Volume, VolumeReader, Window, point_count};

mod columns;
mod fill;
mod grid;
mod head;

pub use head::Tomography;

use fill::Extent;
use head::Head;

/// Reads a column at all points, see [`open`].
///
/// # Errors
/// As [`open`] and [`TextReader::values`](VolumeReader::values).
pub fn read(path: &Path, column: Option<&str>) -> Result<Volume> {
    open(path, column)?.read_whole()
}

/// Opens a column. The axes are x, y, and z or depth, x fastest, with the labels `x`, `y`, and `elevation` or `depth`, in metres;
/// kilometres and feet are converted. Longitude and latitude have these labels, and the unit `degrees`. Values have the unit of the file,
/// see [`TextReader::column`].
///
/// Coordinates of a table may deviate from even spacing by 0.1 % of the spacing, those of a tomographic model by 1 % from its header. A
/// single point along an axis has the spacing 1.
///
/// # Arguments
/// * `column` – its name without unit, in any case, as `vp`; or its number from 1, as `4`; `None` if there is only one besides the
///   coordinates
/// # Errors
/// A file that cannot be read; an unknown column; a line of a table with another number of values; coordinates of a table that are unevenly
/// spaced; fewer lines than points.
pub fn open<'a>(path: &'a Path, column: Option<&str>) -> Result<TextReader<'a>> {
    TextReader::new(Source::open(path)?, column)
}

/// As [`read`], from the text of the file; `path` is used in messages.
///
/// # Errors
/// As [`read`].
pub fn parse(text: &str, path: &Path, column: Option<&str>) -> Result<Volume> {
    TextReader::new(Source::of_text(path, text), column)?.read_whole()
}

/// Names of all columns, including the coordinates, in lower case and without units. Columns of a file without names are called `x`, `y`,
/// `z`, `4`, `5` and so on, those of a tomographic model `x`, `y`, `z`, `vp`, `vs`, `rho`, `qp` and `qs`.
///
/// # Errors
/// A file that cannot be read, or has no points; names without x, y, and z or depth; an incomplete header of a tomographic model.
pub fn columns(path: &Path) -> Result<Vec<String>> {
    let head = Head::of(&Source::open(path)?)?;
    Ok(head.columns.into_iter().map(|column| column.name).collect())
}

/// Units of all columns in the order of [`columns`], in lower case; empty where the file has none.
///
/// # Errors
/// As [`columns`].
pub fn units(path: &Path) -> Result<Vec<String>> {
    let head = Head::of(&Source::open(path)?)?;
    Ok(head.columns.into_iter().map(|column| column.unit).collect())
}

/// The header of a tomographic model; `None` for another table.
///
/// # Errors
/// As [`columns`].
pub fn tomography(path: &Path) -> Result<Option<Tomography>> {
    Ok(Head::of(&Source::open(path)?)?.tomography)
}

/// An open column, whose grid is known.
pub struct TextReader<'a> {
    source: Source<'a>,
    head: Head,
    column: usize,
    extent: Extent,
    axes: Vec<Axis>,
}

impl<'a> TextReader<'a> {
    fn new(source: Source<'a>, column: Option<&str>) -> Result<Self> {
        let head = Head::of(&source)?;
        let column = head.select(source.path(), column)?;
        let extent = Extent::of(&source, &head)?;
        let axes = extent.axes(&head);
        point_count(&axes).map_err(|refused| refused.unreadable(source.path()))?;
        Ok(Self { source, head, column, extent, axes })
    }

    /// Name and unit of the column, as in [`columns`] and [`units`].
    pub fn column(&self) -> [&str; 2] {
        let column = &self.head.columns[self.column];
        [&column.name, &column.unit]
    }
}

impl VolumeReader for TextReader<'_> {
    fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// # Errors
    /// A file that cannot be read; a line with another number of values, or with a value that is not finite; missing or repeated points, also
    /// outside the window.
    fn values(&mut self, window: &Window) -> Result<Vec<f32>> {
        fill::values(&self.source, &self.head, &self.extent, self.column, window)
    }
}

#[cfg(test)]
mod tests;
