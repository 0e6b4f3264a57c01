//! Surfaces on a regular grid: ESRI ascii, netCDF, or `x y z` lines in any order.

use std::path::Path;

use crate::error::Result;
use crate::netcdf;
use crate::text::{data_lines, read_text};

pub mod esri;
pub mod xyz;

/// Values at the points of a regular grid.
#[derive(Clone, Debug, PartialEq)]
pub struct Grid {
    /// Abscissae (x, or longitude), ascending and evenly spaced, at least 2.
    pub x: Vec<f64>,
    /// Ordinates (y, or latitude), ascending and evenly spaced, at least 2.
    pub y: Vec<f64>,
    /// Values, shape (y, x), x fastest: the value at `x[i]`, `y[j]` is `values[j * x.len() + i]`. All finite, but for
    /// gaps in results, which are NaN: [`esri::write`] writes and [`esri::read_with_gaps`] reads them.
    pub values: Vec<f64>,
}

/// What the places of a grid are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Lengths.
    Metres,
    /// Longitudes and latitudes.
    Degrees,
}

impl Grid {
    /// The value at `x[i]`, `y[j]`.
    pub fn value(&self, i: usize, j: usize) -> f64 {
        self.values[j * self.x.len() + i]
    }
}

/// Reads a grid: as netCDF or as ESRI ascii if the file begins like that, else as `x y z` lines.
///
/// # Returns
/// The grid, and what its places are, where the file says it.
/// # Errors
/// As [`netcdf::read_grid`], [`esri::parse`] and [`xyz::parse`]; a file that cannot be read.
pub fn read(path: &Path) -> Result<(Grid, Option<Unit>)> {
    if netcdf::is_netcdf(path)? {
        return netcdf::read_grid(path);
    }
    let text = read_text(path)?;
    let first = data_lines(path, &text).next();
    if let Some((place, _)) = first.filter(|(_, line)| line.starts_with("DSAA")) {
        let hint = "write it as an ESRI ascii grid: gdal_translate -of AAIGrid in.grd out.asc";
        return Err(place.layout("this is a grid of Surfer, which is not read", hint));
    }
    let is_esri = first.is_some_and(|(_, line)| line.to_lowercase().starts_with("ncols"));
    let grid = if is_esri { esri::parse(&text, path) } else { xyz::parse(&text, path) }?;
    Ok((grid, None))
}
