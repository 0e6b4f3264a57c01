//! Regular grids as lines of `x y z`, in any order.

use std::path::Path;

use super::Grid;
use crate::error::Result;
use crate::text::{Place, data_lines, end_of, number, words};

/// Abscissae closer than this part of the spacing are one: printed coordinates are rounded.
const SAME: f64 = 0.05;

/// Largest difference of one spacing from the mean, as a part of it.
const EVEN: f64 = 0.05;

/// Parses `x y z` lines (blanks or commas between) into a grid; `path` is for messages.
///
/// The points may stand in any order, but must be every point of a regular grid, once. Coordinates printed with few
/// digits are accepted up to 5 % of the spacing. The first line may hold their number alone, as in topographies of UBC-GIF.
///
/// # Errors
/// No line; one without three finite numbers; uneven spacing; a point given twice; a point missing, by its coordinates.
pub fn parse(text: &str, path: &Path) -> Result<Grid> {
    let mut lines: Vec<_> = data_lines(path, text).collect();
    if let [(place, first), others @ ..] = &lines[..] {
        if words(first).all(|word| number(word).is_none()) {
            let hint = "remove it, or begin it with #: every line is read as x, y and z in this order";
            return Err(place.layout(format!("`{first}` is no point"), hint));
        }
        if first.parse() == Ok(others.len()) {
            lines.remove(0);
        }
    }
    let points = lines.into_iter().map(|(place, line)| Ok((place, point(place, line)?))).collect::<Result<Vec<_>>>()?;
    let end = end_of(path, text);
    if points.is_empty() {
        return Err(end.layout(
            "the file holds no point",
            "a grid needs at least 2 x 2 points, as `x y z` lines, ESRI ascii or netCDF",
        ));
    }
    let x = axis(end, "x", points.iter().map(|(_, [x, _, _])| *x).collect())?;
    let y = axis(end, "y", points.iter().map(|(_, [_, y, _])| *y).collect())?;
    let values = fill(end, &x, &y, &points)?;
    Ok(Grid { x, y, values })
}

fn point(place: Place, line: &str) -> Result<[f64; 3]> {
    let row: Vec<_> = words(line).collect();
    let [x, y, z] = row[..] else {
        return Err(place.bad_value("point", line, "three numbers, x y z; start comments with #"));
    };
    Ok([place.finite("x", x)?, place.finite("y", y)?, place.finite("z", z)?])
}

/// The distinct coordinates, ascending; an error if they are fewer than two or unevenly spaced.
fn axis(end: Place, name: &str, mut all: Vec<f64>) -> Result<Vec<f64>> {
    all.sort_by(f64::total_cmp);
    let widest = all.windows(2).map(|pair| pair[1] - pair[0]).fold(0.0, f64::max);
    let mut axis: Vec<f64> = Vec::new();
    for value in all {
        if axis.last().is_none_or(|last| value - last > SAME * widest) {
            axis.push(value);
        }
    }
    if axis.len() < 2 {
        let problem = format!("the points have {} distinct {name}", axis.len());
        return Err(end.layout(problem, "a grid needs at least 2 x 2 points"));
    }
    let mean = (axis[axis.len() - 1] - axis[0]) / (axis.len() - 1) as f64;
    match axis.windows(2).find(|pair| (pair[1] - pair[0] - mean).abs() > EVEN * mean) {
        Some(pair) => Err(end.layout(
            format!(
                "the points are no regular grid: {name} steps from {} to {}, the mean step is {mean}",
                pair[0], pair[1]
            ),
            "add the missing points, or resample to even spacing",
        )),
        None => Ok(axis),
    }
}

/// Puts every point at its place on the grid, x fastest.
fn fill(end: Place, x: &[f64], y: &[f64], points: &[(Place, [f64; 3])]) -> Result<Vec<f64>> {
    let mut values = vec![f64::NAN; x.len() * y.len()];
    for &(place, [px, py, z]) in points {
        let value = &mut values[nearest(y, py) * x.len() + nearest(x, px)];
        if !value.is_nan() {
            return Err(place.layout(format!("point x = {px}, y = {py} is given twice"), "remove one of the two"));
        }
        *value = z;
    }
    match values.iter().position(|value| value.is_nan()) {
        Some(index) => Err(end.layout(
            format!(
                "point x = {}, y = {} is missing of {} x {}",
                x[index % x.len()],
                y[index / x.len()],
                x.len(),
                y.len()
            ),
            "a regular grid needs every point; fill the hole, or crop the grid",
        )),
        None => Ok(values),
    }
}

fn nearest(axis: &[f64], value: f64) -> usize {
    let above = axis.partition_point(|&place| place < value).clamp(1, axis.len() - 1);
    let below_is_nearer = value - axis[above - 1] < axis[above] - value;
    if below_is_nearer { above - 1 } else { above }
}
