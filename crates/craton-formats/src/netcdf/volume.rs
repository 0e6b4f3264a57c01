//! A netCDF variable with its coordinates, as values on a regular grid.

use std::path::Path;

use super::reader::NetcdfReader;
use super::types::{DataType, Dataset, Dimension, Variable};
use crate::error::{Refused, Result};
use crate::escape::shortened;
use crate::volume::{Axis, Volume, VolumeReader, Window, point_count};

/// Largest deviation of a coordinate from even spacing, in spacings, since coordinates are rounded.
pub(super) const EVEN: f64 = 0.01;

/// Hint if there are several variables and one can be selected by name.
pub(super) const ONE_VARIABLE: &str = "one; name the variable, or write it to a separate file";

/// Reads a complete variable, see [`open_volume`].
///
/// # Errors
/// As [`open_volume`] and [`NetcdfReader::values_f32`].
pub fn read_volume(path: &Path, variable: Option<&str>) -> Result<Volume> {
    open_volume(path, variable)?.read_whole()
}

/// Opens a variable, with the coordinates of its points; missing values are NaN.
///
/// The axes are the dimensions in reverse order, fastest first; leading dimensions of length one are dropped. A variable with the name of a
/// dimension holds its coordinates. They must be evenly spaced, within 1 % of the mean spacing or within single-precision round-off if
/// stored so, and give the axis its origin, spacing and unit. Without such a variable, points are numbered from 0. The label of an axis is
/// the name of the dimension.
///
/// # Arguments
/// * `path` – the file
/// * `variable` – name of the variable; `None` if there is only one candidate. Coordinates, their `bounds`, variables listed in
///   `coordinates` attributes, text and scalars are not candidates.
/// # Errors
/// As [`NetcdfReader::open`] and, for coordinates, [`NetcdfReader::values_f64`]; no candidate, or several; a variable without dimensions or
/// records; coordinates that are not evenly spaced.
pub fn open_volume(path: &Path, variable: Option<&str>) -> Result<NetcdfVolumeReader> {
    let mut reader = NetcdfReader::open(path)?;
    let (name, dimensions) = gridded(&reader, variable, ONE_VARIABLE)?;
    let last = dimensions.iter().rposition(|dimension| dimension.length != 1).unwrap_or(0);
    let dimensions = &dimensions[..=last];
    let axes = dimensions.iter().map(|dimension| axis(&mut reader, &dimension.name, dimension.length));
    let axes = axes.collect::<Result<Vec<_>>>()?;
    point_count(&axes).map_err(|refused| reader.refuse(refused))?;
    Ok(NetcdfVolumeReader { reader, name, axes })
}

/// An open variable on a regular grid.
#[derive(Debug)]
pub struct NetcdfVolumeReader {
    reader: NetcdfReader,
    name: String,
    axes: Vec<Axis>,
}

impl VolumeReader for NetcdfVolumeReader {
    fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// # Errors
    /// As [`NetcdfReader::values_f32`].
    fn values(&mut self, window: &Window) -> Result<Vec<f32>> {
        self.reader.window_f32(&self.name, window)
    }
}

/// Name of a variable, and its dimensions, fastest first.
///
/// # Arguments
/// * `several` – text of the error if there are several candidates
/// # Errors
/// As [`open_volume`].
pub(super) fn gridded(
    reader: &NetcdfReader,
    variable: Option<&str>,
    several: &str,
) -> Result<(String, Vec<Dimension>)> {
    let index = match variable {
        Some(name) => reader.index(name)?,
        None => only_variable(reader.dataset(), several).map_err(|refused| reader.refuse(refused))?,
    };
    let variable = &reader.dataset().variables[index];
    let dimensions: Vec<_> = reader.dataset().dimensions_of(variable).rev().cloned().collect();
    if dimensions.is_empty() {
        let expected = "at least one; a single value is not a volume";
        return Err(reader.refuse(Refused::new(format!("number of dimensions of {}", variable.name), 0, expected)));
    }
    if let Some(empty) = dimensions.iter().find(|dimension| dimension.length == 0) {
        let expected = format!("at least 1; {} has no values", shortened(&variable.name));
        return Err(reader.refuse(Refused::new(format!("length of {}", empty.name), 0, expected)));
    }
    Ok((variable.name.clone(), dimensions))
}

/// Index of the only candidate.
fn only_variable(dataset: &Dataset, several: &str) -> Result<usize, Refused> {
    let helpers: Vec<_> = (dataset.variables.iter())
        .flat_map(|variable| ["bounds", "coordinates"].map(|key| variable.text(key).unwrap_or_default()))
        .flat_map(str::split_whitespace)
        .chain(dataset.dimensions.iter().map(|dimension| &*dimension.name))
        .collect();
    let is_meant = |variable: &Variable| {
        let has_numbers = variable.data_type != DataType::Char && !variable.dimensions.is_empty();
        has_numbers && !helpers.contains(&&*variable.name)
    };
    let meant: Vec<_> = (0..).zip(&dataset.variables).filter(|(_, variable)| is_meant(variable)).collect();
    match &meant[..] {
        [(index, _)] => Ok(*index),
        [] => Err(Refused::new("variables", "none with values on a grid", "at least one")),
        all => {
            let described = all.iter().map(|(_, variable)| describe(dataset, variable));
            let list = described.collect::<Vec<_>>().join(", ");
            Err(Refused::new("variables", list, several))
        }
    }
}

/// Formats name and shape, as in `vs(depth = 10, x = 20)`.
fn describe(dataset: &Dataset, variable: &Variable) -> String {
    let dimensions =
        dataset.dimensions_of(variable).map(|dimension| format!("{} = {}", dimension.name, dimension.length));
    format!("{}({})", variable.name, dimensions.collect::<Vec<_>>().join(", "))
}

/// Reads the axis of a dimension.
pub(super) fn axis(reader: &mut NetcdfReader, name: &str, length: u64) -> Result<Axis> {
    let count = length as usize;
    let Some(Coordinates { places, rounding, unit }) = coordinates(reader, name)? else {
        return Ok(Axis::new(count, 0.0, 1.0).named(name, ""));
    };
    let (origin, spacing) = evenly_spaced(name, &places, rounding).map_err(|refused| reader.refuse(refused))?;
    Ok(Axis::new(count, origin, spacing).named(name, &unit))
}

/// Coordinates along a dimension.
pub(super) struct Coordinates {
    pub places: Vec<f64>,
    /// Tolerance of their rounding.
    pub rounding: f64,
    pub unit: String,
}

/// Reads the coordinates along a dimension; `None` if the file has none.
pub(super) fn coordinates(reader: &mut NetcdfReader, name: &str) -> Result<Option<Coordinates>> {
    let Some(variable) = coordinates_of(reader.dataset(), name) else { return Ok(None) };
    let unit = variable.text("units").unwrap_or_default().to_owned();
    let is_single = variable.data_type == DataType::F32;
    let places = reader.values_f64(name)?;
    // Half a unit in the last place of the coordinate, and as much for the ends that determine the spacing.
    let farthest = places.iter().fold(0.0, |most: f64, place| most.max(place.abs()));
    let rounding = if is_single { f64::from(f32::EPSILON) * farthest } else { 0.0 };
    Ok(Some(Coordinates { places, rounding, unit }))
}

/// The coordinate variable of a dimension, which has the same name.
pub(super) fn coordinates_of<'a>(dataset: &'a Dataset, name: &str) -> Option<&'a Variable> {
    let is_own = |variable: &&Variable| {
        variable.name == name && dataset.dimensions_of(variable).map(|dimension| &*dimension.name).eq([name])
    };
    dataset.variables.iter().find(is_own)
}

/// First coordinate and spacing; the spacing of a single coordinate is 1.
///
/// # Arguments
/// * `rounding` – tolerance, if larger than that of [`EVEN`]
pub(super) fn evenly_spaced(name: &str, places: &[f64], rounding: f64) -> Result<(f64, f64), Refused> {
    let [first, .., last] = places else {
        return Ok((places.first().copied().unwrap_or(0.0), 1.0));
    };
    let spacing = (last - first) / (places.len() - 1) as f64;
    for (index, place) in places.iter().enumerate() {
        let even = first + index as f64 * spacing;
        let is_even = (place - even).abs() <= rounding.max(EVEN * spacing.abs());
        if !is_even {
            let expected = format!(
                "{even}, for even steps of {spacing} from {first} to {last}, within {} % of a step; interpolate the \
                 values to even steps",
                100.0 * EVEN
            );
            return Err(Refused::new(format!("coordinate {index} of {name}"), place, expected));
        }
    }
    Ok((*first, spacing))
}
