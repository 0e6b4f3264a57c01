//! A netCDF variable over x and y, as a surface.

use std::path::Path;

use super::cells::check_monotonic;
use super::reader::NetcdfReader;
use super::types::{Dataset, Variable};
use super::volume::{Coordinates, axis, coordinates, coordinates_of, evenly_spaced, gridded};
use crate::error::{Refused, Result};
use crate::grid::{Grid, Unit, ascends};
use crate::volume::{Axis, metres_per, point_count};

/// Criteria for an axis to point east, or north: its name or CF attributes.
const DIRECTIONS: [Words; 2] = [
    Words {
        names: &["x", "easting", "east", "longitude", "lon"],
        standard_names: &["projection_x_coordinate", "longitude"],
        axis: "X",
        geographic: &["longitude", "lon"],
        rotated: "grid_longitude",
        degrees: ["east", "e"],
    },
    Words {
        names: &["y", "northing", "north", "latitude", "lat"],
        standard_names: &["projection_y_coordinate", "latitude"],
        axis: "Y",
        geographic: &["latitude", "lat"],
        rotated: "grid_latitude",
        degrees: ["north", "n"],
    },
];

/// Hint if the surface is not the only variable.
const SEPARATE_FILE: &str = "write the surface to a separate file, as its only variable";

/// Names and attributes of one direction.
struct Words {
    names: &'static [&'static str],
    standard_names: &'static [&'static str],
    axis: &'static str,
    /// Names and standard names of geographic coordinates, in degrees.
    geographic: &'static [&'static str],
    /// Standard name with a rotated pole.
    rotated: &'static str,
    /// Suffixes after `degrees_` in units.
    degrees: [&'static str; 2],
}

/// Reads the surface of a file: its only variable, over two axes in either order, ascending or descending.
///
/// Axes are identified by their names (case-insensitive) or by the attributes `axis`, `standard_name` and `units`, and must have even
/// coordinates. Axes of length one, such as a time, are dropped. Kilometres and feet are converted to metres; degrees are kept.
///
/// # Returns
/// The grid, and the unit of its coordinates: from their `units`, or else degrees if they are named longitude or latitude; `None` if
/// unknown.
/// # Errors
/// As [`super::read_volume`]; another number of axes; axes of unknown direction or without coordinates, with a rotated pole, or only one of
/// them in degrees; values whose unit is not a length, or without units and named like a density; depths, identified by the attributes
/// `positive` and `standard_name`; a value that is missing or not finite, with its position.
///
/// # Source
/// NetCDF Climate and Forecast (CF) Metadata Conventions, chapters 4 and 5.
pub fn read_grid(path: &Path) -> Result<(Grid, Option<Unit>)> {
    read(path, None, false)
}

/// Like [`read_grid`], but values that are missing or not finite are NaN, and coordinates may be uneven. Coordinates that are even within
/// 1 % are treated as even, since they are rounded.
///
/// # Errors
/// As [`read_grid`], except for missing values and uneven coordinates; coordinates that are not monotonic.
pub fn read_grid_with_gaps(path: &Path) -> Result<(Grid, Option<Unit>)> {
    read(path, None, true)
}

/// Reads any variable over two axes, by its name, in its own unit; values that are missing or not finite are NaN, and coordinates may be
/// uneven.
///
/// # Errors
/// As [`read_grid_with_gaps`], except for the unit; a variable that is missing.
pub fn read_variable(path: &Path, variable: &str) -> Result<(Grid, Option<Unit>)> {
    read(path, Some(variable), true)
}

/// Reads the surface of a file, or a variable of any unit.
///
/// # Arguments
/// * `is_lenient` – whether values may be missing and coordinates uneven
fn read(path: &Path, variable: Option<&str>, is_lenient: bool) -> Result<(Grid, Option<Unit>)> {
    let mut reader = NetcdfReader::open(path)?;
    let (name, dimensions) = gridded(&reader, variable, &format!("one; {SEPARATE_FILE}"))?;
    let axes = dimensions.iter().filter(|dimension| dimension.length != 1);
    let axes = axes.map(|dimension| match is_lenient {
        true => any_axis(&mut reader, &dimension.name, dimension.length),
        false => axis(&mut reader, &dimension.name, dimension.length).map(|axis| (axis, None)),
    });
    let (axes, uneven): (Vec<Axis>, Vec<_>) = axes.collect::<Result<Vec<_>>>()?.into_iter().unzip();
    let across = strides(reader.dataset(), &name, &axes).map_err(|refused| reader.refuse(refused))?;
    let metres = match variable {
        Some(_) => 1.0,
        None => metres_of(reader.dataset(), &name).map_err(|refused| reader.refuse(refused))?,
    };
    let unit = unit_of(reader.dataset(), across.map(|(axis, _)| axis)).map_err(|refused| reader.refuse(refused))?;
    let stored = reader.values_f64(&name)?;
    let own = |axis: &Axis| {
        axes.iter().zip(&uneven).find(|(known, _)| known.label == axis.label).and_then(|(_, own)| own.as_deref())
    };
    let [x, y] = across.map(|(axis, _)| places(axis, own(axis)));
    for (places, (axis, _)) in [&x, &y].into_iter().zip(across) {
        if !ascends(places) {
            let found = format!("{} points from {} by {}", axis.count, axis.origin, axis.spacing);
            let expected = "finite coordinates that differ in double precision";
            return Err(reader.refuse(Refused::new(format!("coordinates of {}", axis.label), found, expected)));
        }
    }
    let number = |index: usize, (axis, stride): (&Axis, usize)| {
        stride * if axis.spacing > 0.0 { index } else { axis.count - 1 - index }
    };
    let mut values = Vec::with_capacity(stored.len());
    for j in 0..y.len() {
        values.extend((0..x.len()).map(|i| metres * stored[number(i, across[0]) + number(j, across[1])]));
    }
    if is_lenient {
        values.iter_mut().filter(|value| !value.is_finite()).for_each(|value| *value = f64::NAN);
    } else if let Some(hole) = values.iter().position(|value| !value.is_finite()) {
        let what = format!("{name} at x = {}, y = {}", x[hole % x.len()], y[hole / x.len()]);
        let refused = Refused::new(what, values[hole], "a number; fill the missing values, or crop the grid");
        return Err(reader.refuse(refused));
    }
    Ok((Grid { x, y, values }, unit))
}

/// The axes to the east and to the north, each with its stride in the values.
fn strides<'a>(dataset: &Dataset, name: &str, axes: &'a [Axis]) -> Result<[(&'a Axis, usize); 2], Refused> {
    let [fast, slow] = axes else {
        let expected = "two, each with at least two points";
        return Err(Refused::new(format!("number of axes of {name}"), axes.len(), expected));
    };
    point_count(axes)?;
    for axis in axes {
        if coordinates_of(dataset, &axis.label).is_none() {
            let expected = "a variable of this name with the coordinates of the points";
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

/// Text of an attribute, trimmed; empty if it is missing.
fn attribute_text<'a>(variable: Option<&'a Variable>, key: &str) -> &'a str {
    variable.and_then(|variable| variable.text(key)).unwrap_or_default().trim()
}

/// Index in [`DIRECTIONS`] of the direction of an axis.
fn direction(dataset: &Dataset, axis: &Axis) -> Option<usize> {
    let coordinates = coordinates_of(dataset, &axis.label);
    let label = axis.label.to_lowercase();
    DIRECTIONS.iter().position(|words| {
        let standard_name = attribute_text(coordinates, "standard_name");
        words.names.contains(&&*label)
            || words.standard_names.contains(&standard_name)
            || words.rotated == standard_name
            || attribute_text(coordinates, "axis") == words.axis
            || after_degrees(&axis.unit).is_some_and(|direction| words.degrees.contains(&&*direction))
    })
}

/// Suffix after `degrees` in a unit, as in `degree_east`, `degrees_E` and `degreesN`: `east`, `e`, `n`.
fn after_degrees(unit: &str) -> Option<String> {
    let unit = unit.trim().to_lowercase();
    let after = unit.strip_prefix("degree")?;
    Some(after.strip_prefix('s').unwrap_or(after).trim_start_matches(['_', ' ']).to_owned())
}

/// Metres per unit of the values.
fn metres_of(dataset: &Dataset, name: &str) -> Result<f64, Refused> {
    let variable = dataset.variables.iter().find(|variable| variable.name == name);
    let refuse = |key: &str, expected: &str| {
        Err(Refused::new(format!("{key} of {name}"), attribute_text(variable, key), expected))
    };
    if attribute_text(variable, "positive").eq_ignore_ascii_case("down") {
        return refuse("positive", "up; change the sign of the values, since a surface has elevations");
    }
    if attribute_text(variable, "standard_name").contains("depth") {
        return refuse(
            "standard_name",
            "that of a height; change the sign of the values, since a surface has elevations",
        );
    }
    let written = name.to_lowercase();
    match attribute_text(variable, "units") {
        "" if written.contains("density") || written == "rho" => {
            let expected = format!("a name of heights; {SEPARATE_FILE}, or give the values `units`");
            Err(Refused::new("name of the only variable", name, expected))
        }
        "" => Ok(1.0),
        unit => {
            let expected = format!("m, km or ft, since a surface has elevations; {SEPARATE_FILE}");
            metres_per(unit).ok_or_else(|| Refused::new(format!("units of {name}"), unit, expected))
        }
    }
}

/// Unit of the coordinates along both axes.
fn unit_of(dataset: &Dataset, axes: [&Axis; 2]) -> Result<Option<Unit>, Refused> {
    let mut units = [None; 2];
    for ((unit, axis), words) in units.iter_mut().zip(axes).zip(&DIRECTIONS) {
        let standard_name = attribute_text(coordinates_of(dataset, &axis.label), "standard_name");
        if standard_name == words.rotated {
            let expected = "map coordinates, or longitudes and latitudes; resample from the rotated pole";
            return Err(Refused::new(format!("standard_name of {}", axis.label), standard_name, expected));
        }
        let is_geographic =
            [&*axis.label.to_lowercase(), standard_name].iter().any(|name| words.geographic.contains(name));
        let is_degrees = after_degrees(&axis.unit)
            .is_some_and(|direction| direction.is_empty() || words.degrees.contains(&&*direction));
        *unit = match axis.unit.trim() {
            "" => is_geographic.then_some(Unit::Degrees),
            _ if is_degrees => Some(Unit::Degrees),
            written => {
                let expected = "m, km, ft or degrees";
                let refused = || Refused::new(format!("units of {}", axis.label), written, expected);
                metres_per(written).map(|_| Some(Unit::Metres)).ok_or_else(refused)?
            }
        };
    }
    let [x, y] = units;
    if x != y && units.contains(&Some(Unit::Degrees)) {
        let [x, y] = axes.map(|axis| format!("{} [{}]", axis.label, axis.unit));
        return Err(Refused::new("units of the axes", format!("{x} and {y}"), "both lengths, or both degrees"));
    }
    Ok(x.or(y))
}

/// Coordinates along an axis, ascending, in metres or degrees.
///
/// # Arguments
/// * `uneven` – coordinates as written, unless they are even
fn places(axis: &Axis, uneven: Option<&[f64]>) -> Vec<f64> {
    let metres = metres_per(&axis.unit).unwrap_or(1.0);
    let place = |index: usize| uneven.map_or_else(|| axis.place(index), |places| places[index]);
    let mut places: Vec<f64> = (0..axis.count).map(|index| metres * place(index)).collect();
    if axis.spacing < 0.0 {
        places.reverse();
    }
    places
}

/// Reads the axis of a dimension, with its mean spacing, and its coordinates if they are uneven.
fn any_axis(reader: &mut NetcdfReader, name: &str, length: u64) -> Result<(Axis, Option<Vec<f64>>)> {
    let Some(Coordinates { places, rounding, unit }) = coordinates(reader, name)? else {
        return axis(reader, name, length).map(|axis| (axis, None));
    };
    let made = |origin, spacing| Axis::new(length as usize, origin, spacing).named(name, &unit);
    if let Ok((origin, spacing)) = evenly_spaced(name, &places, rounding) {
        return Ok((made(origin, spacing), None));
    }
    check_monotonic(name, &places).map_err(|refused| reader.refuse(refused))?;
    let spacing = (places[places.len() - 1] - places[0]) / (places.len() - 1) as f64;
    Ok((made(places[0], spacing), Some(places)))
}
