//! Surfaces and densities on grids, on a map or on a sphere.

use std::path::Path;

use craton_formats::grid::{Grid, Unit};

use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config::Coordinates;
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::{Checked, of_file};

/// Largest longitude and latitude of a grid point [degrees].
const MOST_DEGREES: [f64; 2] = [720.0, 90.0];
/// Ratio of the largest and smallest spacing from which on a grid is reported as uneven.
const UNEVEN: f64 = 1.05;
/// Tolerance of the poles [degrees], since coordinates are rounded.
const ROUNDING: f64 = 1e-6;

/// A surface on a map, and whether its file gives metres as its unit.
///
/// # Errors
/// An unreadable file, or one in degrees.
pub fn surface(name: &Path, file: &GravityFile, path: &KeyPath) -> Checked<(Grid, bool)> {
    in_metres(file.surface(name, path)?, name, path)
}

/// Values on a grid with any ascending coordinates, with gaps as NaN, and whether its file gives metres as their unit.
///
/// # Arguments
/// * `variable` – name of a netCDF variable, if it is given
/// # Errors
/// An unreadable file, or one with other coordinates.
pub fn grid_of(
    name: &Path,
    variable: Option<&str>,
    coordinates: Coordinates,
    file: &GravityFile,
    path: &KeyPath,
) -> Checked<(Grid, bool)> {
    let read = file.grid_of(name, variable, path)?;
    match coordinates {
        Coordinates::Metres => in_metres(read, name, path),
        Coordinates::Geographic => in_degrees(read, name, path),
    }
}

/// A horizontal position of a grid in words.
pub fn position(coordinates: Coordinates, [x, y]: [f64; 2]) -> String {
    let [x, y] = [x, y].map(Number);
    match coordinates {
        Coordinates::Metres => format!("x = {x}, y = {y} m"),
        Coordinates::Geographic => format!("longitude = {x}, latitude = {y}"),
    }
}

/// The note about a grid with uneven spacing, for example because a line of points is missing; `None` if it is even.
pub fn spacing_note(coordinates: Coordinates, [x, y]: [&[f64]; 2]) -> Option<String> {
    let names = match coordinates {
        Coordinates::Metres => ["x", "y"],
        Coordinates::Geographic => ["longitude", "latitude"],
    };
    let of_axis = |(name, places): (&str, &[f64])| {
        let steps = places.windows(2).map(|pair| pair[1] - pair[0]);
        let [least, most] =
            steps.fold([f64::INFINITY, 0.0_f64], |[least, most], step| [least.min(step), most.max(step)]);
        (most > UNEVEN * least).then(|| format!("from {} to {} along {name}", Number(least), Number(most)))
    };
    let uneven: Vec<String> = names.into_iter().zip([x, y]).filter_map(of_axis).collect();
    let note =
        || format!("the spacing of the grid varies {}; columns end halfway between points", uneven.join(" and "));
    (!uneven.is_empty()).then(note)
}

/// Rejects a grid in degrees.
fn in_metres((grid, unit): (Grid, Option<Unit>), name: &Path, path: &KeyPath) -> Checked<(Grid, bool)> {
    if unit == Some(Unit::Degrees) {
        let problem = Problem::new(path, "is over longitude and latitude").allowed("coordinates in metres");
        return Err(of_file(
            problem.hint("project it, or set units = \"m\" of its coordinates if they are in metres"),
            name,
        ));
    }
    Ok((grid, unit.is_some()))
}

/// Rejects a grid in metres, and one that extends beyond the poles.
fn in_degrees((grid, unit): (Grid, Option<Unit>), name: &Path, path: &KeyPath) -> Checked<(Grid, bool)> {
    let problem = |message: String| Problem::new(path, message);
    let allowed = "longitude from -720 to 720 and latitude from -90 to 90 degrees";
    let hint = "give a grid in degrees, or leave out coordinates = \"geographic\"";
    if unit == Some(Unit::Metres) {
        let problem = problem("has coordinates in metres".to_owned());
        return Err(of_file(problem.allowed(allowed).hint(hint), name));
    }
    for ((places, most), what) in [&grid.x, &grid.y].into_iter().zip(MOST_DEGREES).zip(["longitudes", "latitudes"]) {
        let ends = [places[0], places[places.len() - 1]];
        if ends.iter().any(|end| end.abs() > most + ROUNDING) {
            let [first, last] = ends.map(Number);
            let problem = problem(format!("has {what} from {first} to {last}"));
            return Err(of_file(problem.allowed(allowed).hint(hint), name));
        }
    }
    Ok((grid, false))
}
