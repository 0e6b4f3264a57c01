//! A variable of a netCDF file with its coordinates, as values on a regular grid.

use std::path::Path;

use super::reader::NetcdfReader;
use super::types::{DataType, Dataset, Dimension, Variable};
use crate::error::{Refused, Result};
use crate::volume::{Axis, Volume};

/// Largest distance of a coordinate from its even place, in spacings: coordinates are rounded.
pub(super) const EVEN: f64 = 0.01;

/// What is expected of several variables where one may be named.
pub(super) const ONE_BY_NAME: &str = "one; say which of them is meant, or give it a file of its own";

/// Reads a variable whole, with the places of its points; missing values are NaN.
///
/// The axes are the dimensions, the last one first, as it is the fastest; first dimensions of one point are left out. A
/// variable of the name of a dimension holds its coordinates: they must be even, each within 1 % of the spacing that
/// lies between the first and the last, or what single precision rounds off where they are stored so, and give the axis origin, spacing and unit. Without one, points are numbered
/// from 0. The label is the name of the dimension.
///
/// # Arguments
/// * `path` – the file
/// * `variable` – name of the variable; none where only one can be meant: coordinates, what they name as their `bounds`,
///   variables that others name as their `coordinates`, text and single values are not
/// # Errors
/// As [`NetcdfReader::open`] and [`NetcdfReader::values_f32`]; no variable that can be meant, or several; one without
/// dimensions or records; coordinates that are not even.
pub fn read_volume(path: &Path, variable: Option<&str>) -> Result<Volume> {
    let mut reader = NetcdfReader::open(path)?;
    let (name, dimensions) = gridded(&reader, variable, ONE_BY_NAME)?;
    let last = dimensions.iter().rposition(|dimension| dimension.length != 1).unwrap_or(0);
    let dimensions = &dimensions[..=last];
    let axes = dimensions.iter().map(|dimension| axis(&mut reader, &dimension.name, dimension.length));
    let axes = axes.collect::<Result<Vec<_>>>()?;
    let values = reader.values_f32(&name)?;
    Volume::new(axes, values).map_err(|refused| reader.refuse(refused))
}

/// Name of a variable, and its dimensions, the one that runs fastest first.
///
/// # Arguments
/// * `several` – what is expected where several can be meant
/// # Errors
/// As [`read_volume`].
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
        let expected = format!("at least 1; {} has no values", variable.name);
        return Err(reader.refuse(Refused::new(format!("length of {}", empty.name), 0, expected)));
    }
    Ok((variable.name.clone(), dimensions))
}

/// The one variable that can be meant.
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

/// Name and shape, as in `vs(depth = 10, x = 20)`.
fn describe(dataset: &Dataset, variable: &Variable) -> String {
    let dimensions =
        dataset.dimensions_of(variable).map(|dimension| format!("{} = {}", dimension.name, dimension.length));
    format!("{}({})", variable.name, dimensions.collect::<Vec<_>>().join(", "))
}

/// The axis of a dimension.
pub(super) fn axis(reader: &mut NetcdfReader, name: &str, length: u64) -> Result<Axis> {
    let count = length as usize;
    let Some(variable) = coordinates_of(reader.dataset(), name) else {
        return Ok(Axis::new(count, 0.0, 1.0).named(name, ""));
    };
    let unit = variable.text("units").unwrap_or_default().to_owned();
    let is_single = variable.data_type == DataType::F32;
    let places = reader.values_f64(name)?;
    // Half a digit of the place, and as much of the ends that the spacing is made of.
    let farthest = places.iter().fold(0.0, |most: f64, place| most.max(place.abs()));
    let rounding = if is_single { f64::from(f32::EPSILON) * farthest } else { 0.0 };
    let (origin, spacing) = evenly_spaced(name, &places, rounding).map_err(|refused| reader.refuse(refused))?;
    Ok(Axis::new(count, origin, spacing).named(name, &unit))
}

/// The variable of the coordinates of a dimension, which has its name.
pub(super) fn coordinates_of<'a>(dataset: &'a Dataset, name: &str) -> Option<&'a Variable> {
    let is_own = |variable: &&Variable| {
        variable.name == name && dataset.dimensions_of(variable).map(|dimension| &*dimension.name).eq([name])
    };
    dataset.variables.iter().find(is_own)
}

/// The first place and the distance of neighbours; 1 for that of a single place.
///
/// # Arguments
/// * `rounding` – how far places may be off, if that is more than [`EVEN`]
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
                "{even}, by even steps of {spacing} from {first} to {last}, within {} % of a step; interpolate the \
                 values to even places",
                100.0 * EVEN
            );
            return Err(Refused::new(format!("coordinate {index} of {name}"), place, expected));
        }
    }
    Ok((*first, spacing))
}
