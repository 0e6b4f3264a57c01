//! Surfaces on a regular grid: ESRI ASCII, GeoTIFF, netCDF, or `x y z` lines in any order.

use std::path::Path;

use crate::error::Result;
use crate::netcdf;
use crate::text::{data_lines, read_text};

pub mod crust1;
pub mod esri;
pub mod geotiff;
pub mod litho1;
pub mod xyz;

/// Values at the points of a regular grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// x coordinates or longitudes, ascending, at least 2; evenly spaced, except for grids from [`read_with_gaps`] and [`read_variable`].
    pub x: Vec<f64>,
    /// y coordinates or latitudes, as x.
    pub y: Vec<f64>,
    /// Values, shape (y, x), x fastest: the value at `x[i]`, `y[j]` is `values[j * x.len() + i]`. They are finite, except for gaps in
    /// results, which are NaN: [`esri::write`] writes them; [`esri::read_with_gaps`] and [`geotiff::read_with_gaps`] read them.
    pub values: Vec<f64>,
}

/// Unit of the coordinates of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Lengths.
    Metres,
    /// Longitudes and latitudes.
    Degrees,
}

/// Whether coordinates are finite and ascend: a spacing may be below the precision of large coordinates.
pub(crate) fn ascends(axis: &[f64]) -> bool {
    axis.iter().all(|place| place.is_finite()) && axis.windows(2).all(|pair| pair[0] < pair[1])
}

impl Grid {
    /// The value at `x[i]`, `y[j]`.
    pub fn value(&self, i: usize, j: usize) -> f64 {
        self.values[j * self.x.len() + i]
    }
}

/// Reads a grid as netCDF, GeoTIFF, ESRI ASCII or the Moho of CRUST1.0 ([`crust1`]), detected by the first bytes, or else as `x y z` lines.
/// The list of nodes of LITHO1.0 ([`litho1`]), detected by its name, gives the Moho of LITHO1.0.
///
/// # Returns
/// The grid, and the unit of its coordinates if the file gives it.
/// # Errors
/// As [`netcdf::read_grid`], [`geotiff::read`], [`crust1::parse`], [`litho1::read`], [`esri::parse`] and [`xyz::parse`]; a file that cannot be read.
pub fn read(path: &Path) -> Result<(Grid, Option<Unit>)> {
    read_with(path, xyz::parse)
}

/// Reads a grid; the parser is that of `x y z` lines.
fn read_with(path: &Path, of_lines: fn(&str, &Path) -> Result<Grid>) -> Result<(Grid, Option<Unit>)> {
    if netcdf::is_netcdf(path)? {
        return netcdf::read_grid(path);
    }
    if geotiff::is_tiff(path)? {
        return geotiff::read(path);
    }
    if litho1::is_list(path) {
        return Ok((litho1::read_moho(path)?, Some(Unit::Degrees)));
    }
    let text = read_text(path)?;
    let first = data_lines(path, &text).next();
    if let Some((place, _)) = first.filter(|(_, line)| line.starts_with("DSAA")) {
        let hint = "write it as an ESRI ASCII grid: gdal_translate -of AAIGrid in.grd out.asc";
        return Err(place.layout("this is a Surfer grid, which is not supported", hint));
    }
    if first.is_some_and(|(_, line)| crust1::has_columns(line)) {
        return Ok((crust1::parse(&text, path)?, Some(Unit::Degrees)));
    }
    let is_esri = first.is_some_and(|(_, line)| line.to_lowercase().starts_with("ncols"));
    let grid = if is_esri { esri::parse(&text, path) } else { of_lines(&text, path) }?;
    Ok((grid, None))
}

/// Like [`read`], but gaps of ESRI ASCII, GeoTIFF and netCDF are NaN, and coordinates of netCDF and `x y z` lines may be uneven.
///
/// # Errors
/// As [`read`], except for missing values and uneven coordinates in these formats; coordinates of netCDF that are not monotonic.
pub fn read_with_gaps(path: &Path) -> Result<(Grid, Option<Unit>)> {
    if netcdf::is_netcdf(path)? {
        return netcdf::read_grid_with_gaps(path);
    }
    if geotiff::is_tiff(path)? {
        return geotiff::read_with_gaps(path);
    }
    let is_esri = {
        let text = read_text(path)?;
        data_lines(path, &text).next().is_some_and(|(_, line)| line.to_lowercase().starts_with("ncols"))
    };
    if is_esri { Ok((esri::read_with_gaps(path)?, None)) } else { read_with(path, xyz::parse_uneven) }
}

/// Reads a variable of a netCDF file over two axes, with gaps as NaN; `None` if the file has another format.
///
/// # Errors
/// As [`netcdf::read_variable`].
pub fn read_variable(path: &Path, variable: &str) -> Result<Option<(Grid, Option<Unit>)>> {
    if netcdf::is_netcdf(path)? { netcdf::read_variable(path, variable).map(Some) } else { Ok(None) }
}
