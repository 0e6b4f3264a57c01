//! A variable of a netCDF file over x and y, as a surface.

use std::path::Path;

use super::reader::NetcdfReader;
use super::types::{Dataset, Variable};
use super::volume::{axis, coordinates_of, gridded};
use crate::error::{Refused, Result};
use crate::grid::{Grid, Unit};
use crate::volume::{Axis, metres_per, point_count};

/// What says that an axis runs to the east, or to the north: its name, or what CF has for it.
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

/// What to do with a surface that is not the only variable.
const A_FILE_OF_ITS_OWN: &str = "write the surface that is meant into a file of its own, as its only variable";

/// The words for one direction.
struct Words {
    names: &'static [&'static str],
    standard_names: &'static [&'static str],
    axis: &'static str,
    /// Names, and standard ones, of what is measured in degrees.
    geographic: &'static [&'static str],
    /// The standard name where the pole is another one.
    rotated: &'static str,
    /// What follows `degrees_` in units.
    degrees: [&'static str; 2],
}

/// Reads the surface of a file: its only variable, over two axes in either order, ascending or descending.
///
/// Axes are known by their names, whatever the case, or by the attributes `axis`, `standard_name` and `units`, and have even coordinates. Axes of
/// one point, such as a time, are left out. Kilometres and feet become metres; degrees are left as they are.
///
/// # Returns
/// The grid, and what its places are: by their units, or else degrees where they are called longitudes or latitudes; `None` where nothing
/// says it.
/// # Errors
/// As [`super::read_volume`]; another number of axes; axes of unknown direction or without coordinates, of a rotated pole, or one of them
/// in degrees; units that are no lengths, or a density by its name where there are none; depths, by the attributes `positive` and `standard_name`; a value that is missing or not finite, by its place.
///
/// # Source
/// NetCDF Climate and Forecast (CF) Metadata Conventions, chapters 4 and 5.
pub fn read_grid(path: &Path) -> Result<(Grid, Option<Unit>)> {
    let mut reader = NetcdfReader::open(path)?;
    let (name, dimensions) = gridded(&reader, None, &format!("one; {A_FILE_OF_ITS_OWN}"))?;
    let axes = dimensions.iter().filter(|dimension| dimension.length != 1);
    let axes = axes.map(|dimension| axis(&mut reader, &dimension.name, dimension.length));
    let axes = axes.collect::<Result<Vec<_>>>()?;
    let across = strides(reader.dataset(), &name, &axes).map_err(|refused| reader.refuse(refused))?;
    let metres = metres_of(reader.dataset(), &name).map_err(|refused| reader.refuse(refused))?;
    let unit = unit_of(reader.dataset(), across.map(|(axis, _)| axis)).map_err(|refused| reader.refuse(refused))?;
    let stored = reader.values_f64(&name)?;
    let [x, y] = across.map(|(axis, _)| places(axis));
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
    Ok((Grid { x, y, values }, unit))
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

/// What an attribute of a variable says, without blanks around it; nothing where it is missing.
fn told<'a>(variable: Option<&'a Variable>, key: &str) -> &'a str {
    variable.and_then(|variable| variable.text(key)).unwrap_or_default().trim()
}

/// Which direction an axis has, of [`DIRECTIONS`].
fn direction(dataset: &Dataset, axis: &Axis) -> Option<usize> {
    let coordinates = coordinates_of(dataset, &axis.label);
    let label = axis.label.to_lowercase();
    DIRECTIONS.iter().position(|words| {
        let standard_name = told(coordinates, "standard_name");
        words.names.contains(&&*label)
            || words.standard_names.contains(&standard_name)
            || words.rotated == standard_name
            || told(coordinates, "axis") == words.axis
            || after_degrees(&axis.unit).is_some_and(|way| words.degrees.contains(&&*way))
    })
}

/// What follows `degrees` in a unit, as in `degree_east`, `degrees_E` and `degreesN`: `east`, `e`, `n`.
fn after_degrees(unit: &str) -> Option<String> {
    let unit = unit.trim().to_lowercase();
    let after = unit.strip_prefix("degree")?;
    Some(after.strip_prefix('s').unwrap_or(after).trim_start_matches(['_', ' ']).to_owned())
}

/// Metres in the unit of the values.
fn metres_of(dataset: &Dataset, name: &str) -> Result<f64, Refused> {
    let variable = dataset.variables.iter().find(|variable| variable.name == name);
    let refuse =
        |key: &str, expected: &str| Err(Refused::new(format!("{key} of {name}"), told(variable, key), expected));
    if told(variable, "positive").eq_ignore_ascii_case("down") {
        return refuse("positive", "up; change the sign of the values, for a surface has elevations");
    }
    if told(variable, "standard_name").contains("depth") {
        return refuse(
            "standard_name",
            "that of a height; change the sign of the values, for a surface has elevations",
        );
    }
    let written = name.to_lowercase();
    match told(variable, "units") {
        "" if written.contains("density") || written == "rho" => {
            let expected = format!("that of heights; {A_FILE_OF_ITS_OWN}, or give these their `units`");
            Err(Refused::new("name of the only variable", name, expected))
        }
        "" => Ok(1.0),
        unit => {
            let expected = format!("m, km or ft, for a surface has heights; {A_FILE_OF_ITS_OWN}");
            metres_per(unit).ok_or_else(|| Refused::new(format!("units of {name}"), unit, expected))
        }
    }
}

/// What the places along both axes are.
fn unit_of(dataset: &Dataset, axes: [&Axis; 2]) -> Result<Option<Unit>, Refused> {
    let mut units = [None; 2];
    for ((unit, axis), words) in units.iter_mut().zip(axes).zip(&DIRECTIONS) {
        let standard_name = told(coordinates_of(dataset, &axis.label), "standard_name");
        if standard_name == words.rotated {
            let expected = "places on a map, or longitudes and latitudes; resample what is on a rotated pole";
            return Err(Refused::new(format!("standard_name of {}", axis.label), standard_name, expected));
        }
        let is_geographic =
            [&*axis.label.to_lowercase(), standard_name].iter().any(|name| words.geographic.contains(name));
        let is_degrees = after_degrees(&axis.unit).is_some_and(|way| way.is_empty() || words.degrees.contains(&&*way));
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

/// Places along an axis, ascending, in metres or degrees.
fn places(axis: &Axis) -> Vec<f64> {
    let metres = metres_per(&axis.unit).unwrap_or(1.0);
    let mut places: Vec<f64> = (0..axis.count).map(|index| metres * axis.place(index)).collect();
    if axis.spacing < 0.0 {
        places.reverse();
    }
    places
}
