//! Points in longitude, latitude and height above the reference surface.

use super::Reference;
use super::lists::{self, List};
use super::places::{Axes, Places, Shape, counts, even, points_of};
use super::sphere::{Misplaced, check_height, check_place};
use crate::error::Problem;
use crate::gravity::GravityFile;
use crate::gravity::config::{GeographicGrid, GeographicList};
use crate::key_path::KeyPath;
use crate::number::Number;
use crate::setup::findings::Checked;

/// Axes of a grid in longitude and latitude.
const OF_SPHERE: Axes = Axes { names: ["longitude", "latitude"], unit: "degrees" };

/// Points on a grid at constant height.
///
/// # Arguments
/// * `reference` – the surface at height 0
/// # Errors
/// A spacing that does not divide the extent, too many points, a height below the lowest one.
pub fn on_grid(grid: &GeographicGrid, reference: &Reference, path: &KeyPath) -> Checked<Places> {
    let GeographicGrid { longitude, latitude, height, .. } = *grid;
    check_height("height", height, reference).map_err(|Misplaced { allowed, hint, .. }| {
        let message = format!("is {}", reference.too_low());
        let problem = Problem::new(path.key("height"), message).value(Number(height));
        problem.allowed(allowed).hint(hint)
    })?;
    let given = (grid.count, grid.spacing);
    let count = counts(given, [longitude, latitude], &OF_SPHERE, path)?.unwrap_or([2; 2]);
    let axes = [even(longitude, count[0]), even(latitude, count[1])];
    Ok(Places { are_geographic: true, ..Places::on_grid(axes, Some(height), |_, _| height, path)? })
}

/// Points of a list.
///
/// # Errors
/// An unreadable file, or a point outside the range of a coordinate.
pub fn listed(list: &GeographicList, file: &GravityFile, path: &KeyPath) -> Checked<Places> {
    let reference = Reference::of(&file.config);
    for (row, &place) in list.rows.iter().enumerate() {
        check_place(place, &reference).map_err(|misplaced| misplaced.in_row(&path.key("rows").index(row)))?;
    }
    let rows = list.rows.iter().copied();
    let of = |points| Places { are_geographic: true, ..Places::of(points, Shape::List) };
    let Some(name) = &list.file else { return Ok(of(points_of(rows, path)?)) };
    let format = lists::format_of(name, list.format, file.inputs());
    let called = list.columns.clone().unwrap_or_default();
    let read = List { name, format, numbers: called.numbers(), words: called.name.as_deref(), is_geographic: true }
        .read(file, path)?;
    let [longitude, latitude, height] = read.values();
    for row in 0..height.len() {
        let place = [longitude[row], latitude[row], height[row]];
        check_place(place, &reference)
            .map_err(|misplaced| misplaced.in_file(&read.row(row), name, &path.key("file")))?;
    }
    let all = (0..height.len()).map(|row| [longitude[row], latitude[row], height[row]]);
    let points = points_of(rows.chain(all), path)?;
    // Points in the problem itself have no names.
    let before = vec![String::new(); list.rows.len()];
    let names = read.words.map(|words| before.into_iter().chain(words).collect());
    Ok(Places { names, ..of(points) })
}
