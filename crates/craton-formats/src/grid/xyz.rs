//! Grids given as lines of `x y z`, in any order.

use std::path::Path;

use super::Grid;
use crate::error::Result;
use crate::text::{Place, data_lines, end_of, number, words};

/// Coordinates closer than this fraction of the spacing are equal, since printed coordinates are rounded.
const EQUAL_TOLERANCE: f64 = 0.05;

/// Largest relative deviation of a spacing from the mean.
const SPACING_TOLERANCE: f64 = 0.05;

/// Coordinates of uneven grids that are closer than this fraction of the extent are equal.
const UNEVEN_TOLERANCE: f64 = 1e-9;

/// Parses `x y z` lines (separated by blanks or commas) into a grid; `path` is used in messages.
///
/// The points may be in any order, but must contain every point of a regular grid exactly once. Coordinates may be rounded by up to 5 % of
/// the spacing. The first line may hold only the number of points, as in UBC-GIF topographies.
///
/// # Errors
/// No line; a line without three finite numbers; uneven spacing; a duplicate point; a missing point, with its coordinates.
pub fn parse(text: &str, path: &Path) -> Result<Grid> {
    even(end_of(path, text), &points(text, path)?)
}

/// Like [`parse`], but coordinates may be uneven if they are not rounded.
///
/// # Errors
/// As [`parse`], except for uneven spacing.
pub fn parse_uneven(text: &str, path: &Path) -> Result<Grid> {
    let (end, points) = (end_of(path, text), points(text, path)?);
    let refused = match even(end, &points) {
        Ok(grid) => return Ok(grid),
        Err(refused) => refused,
    };
    let [x, y] = [0, 1].map(|axis| {
        let mut all: Vec<f64> = points.iter().map(|(_, place)| place[axis]).collect();
        all.sort_by(f64::total_cmp);
        let extent = all[all.len() - 1] - all[0];
        distinct(all, UNEVEN_TOLERANCE * extent)
    });
    // Scattered points are no grid.
    let is_grid = x.len() > 1 && y.len() > 1 && x.len().checked_mul(y.len()) == Some(points.len());
    if !is_grid {
        return Err(refused);
    }
    let values = fill(end, &x, &y, &points)?;
    Ok(Grid { x, y, values })
}

/// The points of a text, at least one, with their lines.
fn points<'a>(text: &'a str, path: &'a Path) -> Result<Vec<(Place<'a>, [f64; 3])>> {
    let mut lines: Vec<_> = data_lines(path, text).collect();
    if let [(place, first), others @ ..] = &lines[..] {
        if words(first).all(|word| number(word).is_none()) {
            let hint = "remove it, or start it with #; every line is read as x, y and z in this order";
            return Err(place.layout(format!("`{first}` is not a point"), hint));
        }
        if first.parse() == Ok(others.len()) {
            lines.remove(0);
        }
    }
    let points = lines.into_iter().map(|(place, line)| Ok((place, point(place, line)?))).collect::<Result<Vec<_>>>()?;
    if points.is_empty() {
        return Err(end_of(path, text).layout(
            "the file has no points",
            "a grid needs at least 2 x 2 points, as `x y z` lines, ESRI ascii or netCDF",
        ));
    }
    Ok(points)
}

/// The grid of evenly spaced points.
fn even(end: Place, points: &[(Place, [f64; 3])]) -> Result<Grid> {
    let x = axis(end, "x", points.iter().map(|(_, [x, _, _])| *x).collect())?;
    let y = axis(end, "y", points.iter().map(|(_, [_, y, _])| *y).collect())?;
    let values = fill(end, &x, &y, points)?;
    Ok(Grid { x, y, values })
}

fn point(place: Place, line: &str) -> Result<[f64; 3]> {
    let row: Vec<_> = words(line).collect();
    let [x, y, z] = row[..] else {
        return Err(place.bad_value("point", line, "three numbers, x y z; start comments with #"));
    };
    Ok([place.finite("x", x)?, place.finite("y", y)?, place.finite("z", z)?])
}

/// The distinct coordinates.
///
/// # Arguments
/// * `all` – coordinates, ascending
fn distinct(all: Vec<f64>, tolerance: f64) -> Vec<f64> {
    let mut axis: Vec<f64> = Vec::new();
    for value in all {
        if axis.last().is_none_or(|last| value - last > tolerance) {
            axis.push(value);
        }
    }
    axis
}

/// Returns the distinct coordinates, ascending; an error if there are fewer than two or they are unevenly spaced.
fn axis(end: Place, name: &str, mut all: Vec<f64>) -> Result<Vec<f64>> {
    all.sort_by(f64::total_cmp);
    let widest = all.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
    let axis = distinct(all, EQUAL_TOLERANCE * widest);
    if axis.len() < 2 {
        let problem = format!("the points have {} distinct {name}", axis.len());
        return Err(end.layout(problem, "a grid needs at least 2 x 2 points"));
    }
    let mean = (axis[axis.len() - 1] - axis[0]) / (axis.len() - 1) as f64;
    match axis.windows(2).find(|pair| (pair[1] - pair[0] - mean).abs() > SPACING_TOLERANCE * mean) {
        Some(pair) => Err(end.layout(
            format!(
                "the points are not a regular grid: {name} steps from {} to {}, but the mean step is {mean}",
                pair[0], pair[1]
            ),
            "add the missing points, or resample to even spacing",
        )),
        None => Ok(axis),
    }
}

/// Stores every point at its position in the grid, x fastest.
fn fill(end: Place, x: &[f64], y: &[f64], points: &[(Place, [f64; 3])]) -> Result<Vec<f64>> {
    let mut values = vec![f64::NAN; x.len() * y.len()];
    for &(place, [px, py, z]) in points {
        let value = &mut values[nearest(y, py) * x.len() + nearest(x, px)];
        if !value.is_nan() {
            return Err(place.layout(format!("point x = {px}, y = {py} occurs twice"), "remove one of the two"));
        }
        *value = z;
    }
    match values.iter().position(|value| value.is_nan()) {
        Some(index) => Err(end.layout(
            format!(
                "point x = {}, y = {} of {} x {} points is missing",
                x[index % x.len()],
                y[index / x.len()],
                x.len(),
                y.len()
            ),
            "a regular grid needs every point; add the point, or crop the grid",
        )),
        None => Ok(values),
    }
}

fn nearest(axis: &[f64], value: f64) -> usize {
    let above = axis.partition_point(|&place| place < value).clamp(1, axis.len() - 1);
    let below_is_nearer = value - axis[above - 1] < axis[above] - value;
    if below_is_nearer { above - 1 } else { above }
}
