//! Positions in lines and grids.

use crate::AcquisitionError;
use crate::error::check;

/// Returns `count` equally spaced positions on a straight line, including both ends.
///
/// # Arguments
/// * `from`, `to` – both ends, x, y, z \[m\]
/// * `count` – number of positions; a single one is at `from`
/// # Errors
/// A count of zero.
pub fn line(from: [f64; 3], to: [f64; 3], count: usize) -> Result<Vec<[f64; 3]>, AcquisitionError> {
    at_least_one("number of positions of a line", count)?;
    let position = |index| std::array::from_fn(|axis| spread([from[axis], to[axis]], index, count));
    Ok((0..count).map(position).collect())
}

/// Positions on a horizontal grid, row by row, x fastest.
///
/// # Arguments
/// * `x`, `y` – first and last coordinate \[m\]
/// * `count` – number along x and along y; a single one is at the first coordinate
/// * `z` – height of all of them \[m\]
/// # Errors
/// A count of zero.
pub fn grid(x: [f64; 2], y: [f64; 2], count: [usize; 2], z: f64) -> Result<Vec<[f64; 3]>, AcquisitionError> {
    at_least_one("number of positions of a grid along x", count[0])?;
    at_least_one("number of positions of a grid along y", count[1])?;
    let position = |index| [spread(x, index % count[0], count[0]), spread(y, index / count[0], count[1]), z];
    Ok((0..count[0] * count[1]).map(position).collect())
}

/// Coordinate `index` of `count` equally spaced ones; both ends are exact.
fn spread([from, to]: [f64; 2], index: usize, count: usize) -> f64 {
    match index {
        0 => from,
        _ if index + 1 == count => to,
        _ => from + (to - from) * index as f64 / (count - 1) as f64,
    }
}

fn at_least_one(what: &str, count: usize) -> Result<f64, AcquisitionError> {
    check(count > 0, what, count as f64, "1 or more", "remove the line or grid if it should have no positions")
}
