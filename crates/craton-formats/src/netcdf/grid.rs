//! A variable of a netCDF file over x and y, as a surface.

use std::path::Path;

use super::reader::NetcdfReader;
use super::types::Dataset;
use super::volume::{axis, coordinates_of, gridded};
use crate::error::{Refused, Result};
use crate::grid::Grid;
use crate::volume::{Axis, metres_per, point_count};

/// What says that an axis runs to the east, or to the north: its name, or what CF has for it.
const DIRECTIONS: [Words; 2] = [
    Words {
        names: &["x", "easting", "east", "longitude", "lon"],
        standard_names: &["projection_x_coordinate", "longitude"],
        axis: "X",
        degrees: "degrees_east",
    },
    Words {
        names: &["y", "northing", "north", "latitude", "lat"],
        standard_names: &["projection_y_coordinate", "latitude"],
        axis: "Y",
        degrees: "degrees_north",
    },
];

/// The words for one direction.
struct Words {
    names: &'static [&'static str],
    standard_names: &'static [&'static str],
    axis: &'static str,
    degrees: &'static str,
}

/// Reads the surface of a file: its only variable, over two axes in either order, ascending or descending.
///
/// Axes are known by their names, whatever the case, or by the attributes `axis`, `standard_name` and `units`, and have even coordinates. Axes of
/// one point, such as a time, are left out. Kilometres and feet become metres; degrees are left as they are.
///
/// # Errors
/// As [`super::read_volume`]; another number of axes; axes of unknown direction or without coordinates; units that are no lengths;
/// depths, by the attribute `positive`; a value that is missing or not finite, by its place.
///
/// # Source
/// NetCDF Climate and Forecast (CF) Metadata Conventions, chapters 4 and 5.
pub fn read_grid(path: &Path) -> Result<Grid> {
    let mut reader = NetcdfReader::open(path)?;
    let (name, dimensions) = gridded(&reader, None)?;
    let axes = dimensions.iter().filter(|dimension| dimension.length != 1);
    let axes = axes.map(|dimension| axis(&mut reader, &dimension.name, dimension.length));
    let axes = axes.collect::<Result<Vec<_>>>()?;
    let across = strides(reader.dataset(), &name, &axes).map_err(|refused| reader.refuse(refused))?;
    let metres = metres_of(reader.dataset(), &name).map_err(|refused| reader.refuse(refused))?;
    let stored = reader.values_f64(&name)?;
    let along = |(axis, _)| places(axis).map_err(|refused| reader.refuse(refused));
    let (x, y) = (along(across[0])?, along(across[1])?);
    let number = |index: usize, (axis, stride): (&Axis, usize)| {
        stride * if axis.spacing > 0.0 { index } else { axis.count - 1 - index }
    };
    let mut values = Vec::with_capacity(stored.len());
    for j in 0..y.len() {
        values.extend((0..x.len()).map(|i| metres * stored[number(i, across[0]) + number(j, across[1])]));
    }
    if let Some(hole) = values.iter().position(|value| !value.is_finite()) {
        let what = format!("{name} at x = {}, y = {}", x[hole % x.len()], y[hole / x.len()]);
        let refused = Refused::new(what, values[hole], "a number; fill what is missing, or crop the grid");
        return Err(reader.refuse(refused));
    }
    Ok(Grid { x, y, values })
}

/// The axes to the east and to the north, with the distance of neighbours among the values.
fn strides<'a>(dataset: &Dataset, name: &str, axes: &'a [Axis]) -> Result<[(&'a Axis, usize); 2], Refused> {
    let [fast, slow] = axes else {
        let expected = "two, each of two points or more: a surface";
        return Err(Refused::new(format!("number of axes of {name}"), axes.len(), expected));
    };
    point_count(axes)?;
    for axis in axes {
        if coordinates_of(dataset, &axis.label).is_none() {
            let expected = "a variable of this name along it, with the places of the points";
            return Err(Refused::new(format!("coordinates of {}", axis.label), "missing", expected));
        }
    }
    match [fast, slow].map(|axis| direction(dataset, axis)) {
        [Some(0), Some(1)] => Ok([(fast, 1), (slow, fast.count)]),
        [Some(1), Some(0)] => Ok([(slow, fast.count), (fast, 1)]),
        _ => {
            let found = format!("{} and {}", slow.label, fast.label);
            let [east, north] =
                DIRECTIONS.map(|words| format!("{} (or axis = \"{}\")", words.names.join(", "), words.axis));
            Err(Refused::new(
                format!("axes of {name}"),
                found,
                format!("one of {east}, and one of {north}; rename them"),
            ))
        }
    }
}

/// Which direction an axis has, of [`DIRECTIONS`].
fn direction(dataset: &Dataset, axis: &Axis) -> Option<usize> {
    let told =
        |key: &str| coordinates_of(dataset, &axis.label).and_then(|variable| variable.text(key)).unwrap_or_default();
    let label = axis.label.to_lowercase();
    DIRECTIONS.iter().position(|words| {
        words.names.contains(&&*label)
            || words.standard_names.contains(&told("standard_name"))
            || told("axis") == words.axis
            || axis.unit == words.degrees
    })
}

/// Metres in the unit of the values.
fn metres_of(dataset: &Dataset, name: &str) -> Result<f64, Refused> {
    let variable = dataset.variables.iter().find(|variable| variable.name == name);
    let told = |key: &str| variable.and_then(|variable| variable.text(key)).unwrap_or_default();
    if told("positive") == "down" {
        let expected = "up; change the sign of the values, for a surface has elevations";
        return Err(Refused::new(format!("positive of {name}"), "down", expected));
    }
    metres_per(told("units")).ok_or_else(|| Refused::new(format!("units of {name}"), told("units"), "m, km or ft"))
}

/// Places along an axis, ascending, in metres or degrees.
fn places(axis: &Axis) -> Result<Vec<f64>, Refused> {
    let is_degrees = axis.unit.to_lowercase().starts_with("degree");
    let Some(metres) = metres_per(&axis.unit).or(is_degrees.then_some(1.0)) else {
        return Err(Refused::new(format!("units of {}", axis.label), &axis.unit, "m, km, ft or degrees"));
    };
    let mut places: Vec<f64> = (0..axis.count).map(|index| metres * axis.place(index)).collect();
    if axis.spacing < 0.0 {
        places.reverse();
    }
    Ok(places)
}
