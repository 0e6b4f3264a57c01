//! A netCDF variable as cells between planes, with any cell sizes.

use std::path::Path;

use super::reader::NetcdfReader;
use super::volume::{EVEN, ONE_VARIABLE, coordinates_of, evenly_spaced, gridded};
use crate::error::{Refused, Result};
use crate::escape::shortened;

/// Tolerance for gaps and overlaps between neighbouring cells, relative to the cell size, since bounds are rounded.
const GAP_TOLERANCE: f64 = 1e-6;
/// Additional tolerance, relative to the distance from 0 and at most [`EVEN`] times the cell size, since bounds may be in single precision.
const SINGLE_ROUNDING: f64 = 4.0 * f32::EPSILON as f64;

/// An axis of cells.
#[derive(Debug, Clone, PartialEq)]
pub struct CellAxis {
    /// Name of the dimension.
    pub label: String,
    /// Unit of the planes, empty if unknown.
    pub unit: String,
    /// Planes between the cells, one more than the number of cells, in the order of the file: ascending or descending.
    pub planes: Vec<f64>,
}

/// Values of cells.
#[derive(Debug, Clone, PartialEq)]
pub struct Cells {
    /// The axes, fastest first.
    pub axes: Vec<CellAxis>,
    /// The values.
    pub values: Vec<f64>,
}

/// Reads a complete variable in double precision, with the cells around its points.
///
/// Leading dimensions of length one are dropped if there are more than three. Cells are those of the CF `bounds` variable of a coordinate.
/// Without one, cell boundaries are halfway between points, and symmetric about the first and last point; coordinates that are even within
/// 1 % are treated as even, since they are rounded. Points without a coordinate variable are numbered from 0.
///
/// # Arguments
/// * `variable` – as for [`read_volume`](super::read_volume)
/// # Errors
/// As [`read_volume`](super::read_volume), except that coordinates may be uneven; coordinates that are not monotonic, or a single one
/// without bounds; bounds that are not two per cell, or leave gaps between cells; a value that is missing or not finite.
pub fn read_cells(path: &Path, variable: Option<&str>) -> Result<Cells> {
    let mut reader = NetcdfReader::open(path)?;
    let (name, mut dimensions) = gridded(&reader, variable, ONE_VARIABLE)?;
    // For example, the time of a single record.
    while dimensions.len() > 3 && dimensions.last().is_some_and(|slowest| slowest.length == 1) {
        dimensions.pop();
    }
    let axes = dimensions.iter().map(|dimension| axis(&mut reader, &dimension.name, dimension.length as usize));
    let axes = axes.collect::<Result<Vec<_>>>()?;
    let values = reader.values_f64(&name)?;
    match values.iter().position(|value| !value.is_finite()) {
        Some(number) => {
            let expected = "a number; fill the missing values, or crop the grid";
            Err(reader.refuse(Refused::new(format!("value {number} of {name}"), values[number], expected)))
        }
        None => Ok(Cells { axes, values }),
    }
}

/// Reads the cells along a dimension.
fn axis(reader: &mut NetcdfReader, name: &str, count: usize) -> Result<CellAxis> {
    let label = name.to_owned();
    let Some(variable) = coordinates_of(reader.dataset(), name) else {
        let numbers: Vec<f64> = (0..count).map(|number| number as f64).collect();
        let planes = around(name, &numbers).map_err(|refused| reader.refuse(refused))?;
        return Ok(CellAxis { label, unit: String::new(), planes });
    };
    let unit = variable.text("units").unwrap_or_default().to_owned();
    // Tools that extract a variable from a file may drop its bounds.
    let is_there = |bounds: &&str| reader.index(bounds).is_ok();
    let bounds = variable.text("bounds").filter(is_there).map(str::to_owned);
    let places = reader.values_f64(name)?;
    let planes = match bounds {
        Some(bounds) => between(name, &bounds, count, &reader.values_f64(&bounds)?),
        None => around(name, &places),
    };
    let planes = planes.and_then(|planes| monotonic(name, planes)).map_err(|refused| reader.refuse(refused))?;
    Ok(CellAxis { label, unit, planes })
}

/// Refuses planes that are not finite or are equal in double precision.
fn monotonic(name: &str, planes: Vec<f64>) -> Result<Vec<f64>, Refused> {
    let is_monotonic = planes.is_sorted_by(|a, b| a < b) || planes.is_sorted_by(|a, b| a > b);
    if is_monotonic && planes.iter().all(|plane| plane.is_finite()) {
        return Ok(planes);
    }
    let ends = [planes.first(), planes.last()].map(|plane| plane.copied().unwrap_or(f64::NAN));
    let found = format!("{} planes from {} to {}", planes.len(), ends[0], ends[1]);
    Err(Refused::new(format!("coordinates of {name}"), found, "finite coordinates that ascend or descend"))
}

/// Planes halfway between points.
fn around(name: &str, places: &[f64]) -> Result<Vec<f64>, Refused> {
    let [first, second, ..] = *places else {
        let expected = "two or more, or a bounds variable with the width of the cell";
        return Err(Refused::new(format!("coordinates of {name}"), "a single one", expected));
    };
    if let Ok((first, spacing)) = evenly_spaced(name, places, 0.0) {
        return Ok((0..=places.len()).map(|plane| first + (plane as f64 - 0.5) * spacing).collect());
    }
    check_monotonic(name, places)?;
    let last = places.len() - 1;
    let mut planes = vec![first - 0.5 * (second - first)];
    planes.extend(places.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])));
    planes.push(places[last] + 0.5 * (places[last] - places[last - 1]));
    Ok(planes)
}

/// Refuses coordinates that neither ascend nor descend.
pub(super) fn check_monotonic(name: &str, places: &[f64]) -> Result<(), Refused> {
    let direction = places.get(1).map_or(0.0, |second| second - places[0]);
    let continues = |pair: &[f64]| (pair[1] - pair[0]) * direction > 0.0;
    match places.windows(2).position(|pair| !continues(pair)) {
        Some(index) => {
            let expected = "monotonic coordinates";
            Err(Refused::new(format!("coordinate {} of {name}", index + 1), places[index + 1], expected))
        }
        None => Ok(()),
    }
}

/// Planes from the two bounds of each cell.
fn between(name: &str, of: &str, count: usize, bounds: &[f64]) -> Result<Vec<f64>, Refused> {
    if bounds.len() != 2 * count {
        return Err(Refused::new(
            format!("number of values of {of}"),
            bounds.len(),
            format!("{}, two for each {}", 2 * count, shortened(name)),
        ));
    }
    let cells: Vec<[f64; 2]> =
        bounds.chunks_exact(2).map(|pair| [pair[0].min(pair[1]), pair[0].max(pair[1])]).collect();
    // Each cell starts where the previous one ends.
    let ascends = cells[0][0] <= cells[count - 1][0];
    let ends = |[low, high]: [f64; 2]| if ascends { [low, high] } else { [high, low] };
    let mut planes = vec![ends(cells[0])[0]];
    for (index, &cell) in cells.iter().enumerate() {
        let ([near, far], before) = (ends(cell), planes[index]);
        let width = (far - near).abs();
        let rounding = GAP_TOLERANCE * width + (SINGLE_ROUNDING * near.abs()).min(EVEN * width);
        let fits = (near - before).abs() <= rounding && near != far;
        if !fits {
            let expected = format!("bounds that start at {before}, the end of the previous cell, and a width above 0");
            return Err(Refused::new(format!("cell {index} of {of}"), format!("{near} to {far}"), expected));
        }
        planes.push(far);
    }
    Ok(planes)
}
