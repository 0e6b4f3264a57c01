//! A variable of a netCDF file as cells between planes, whose sizes may differ.

use std::path::Path;

use super::reader::NetcdfReader;
use super::volume::{EVEN, ONE_BY_NAME, coordinates_of, evenly_spaced, gridded};
use crate::error::{Refused, Result};

/// How far neighbouring cells may be apart or overlap, in their size: bounds are rounded.
const APART: f64 = 1e-6;
/// How far besides, in their distance from 0 but at most [`EVEN`] of their size: bounds may be in single precision.
const ROUNDED: f64 = 4.0 * f32::EPSILON as f64;

/// An axis of cells.
#[derive(Debug, Clone, PartialEq)]
pub struct CellAxis {
    /// Name of the dimension.
    pub label: String,
    /// Unit of the planes, empty if unknown.
    pub unit: String,
    /// Planes between the cells, one more than these, in the order of the file: ascending or descending.
    pub planes: Vec<f64>,
}

/// Cells with a value each.
#[derive(Debug, Clone, PartialEq)]
pub struct Cells {
    /// The axes, the one that runs fastest first.
    pub axes: Vec<CellAxis>,
    /// The values.
    pub values: Vec<f64>,
}

/// Reads a variable whole, in double precision, with the cells around its points.
///
/// First dimensions of one point are left out where there are more than three. Cells are those of the variable that a coordinate names as its `bounds` (CF). Where the file has none a cell reaches half way to the next points, at the ends as far as on the
/// other side; places that are even within 1 % are taken for even, as they are rounded. Points without a coordinate are numbered from 0.
///
/// # Arguments
/// * `variable` – as of [`read_volume`](super::read_volume)
/// # Errors
/// As [`read_volume`](super::read_volume), but for coordinates that are not even; places that neither ascend nor descend, a single one without bounds; bounds that are
/// not two for each cell, or leave gaps between cells; a value that is missing or not finite.
pub fn read_cells(path: &Path, variable: Option<&str>) -> Result<Cells> {
    let mut reader = NetcdfReader::open(path)?;
    let (name, mut dimensions) = gridded(&reader, variable, ONE_BY_NAME)?;
    // Such as the one time of a record.
    while dimensions.len() > 3 && dimensions.last().is_some_and(|slowest| slowest.length == 1) {
        dimensions.pop();
    }
    let axes = dimensions.iter().map(|dimension| axis(&mut reader, &dimension.name, dimension.length as usize));
    let axes = axes.collect::<Result<Vec<_>>>()?;
    let values = reader.values_f64(&name)?;
    match values.iter().position(|value| !value.is_finite()) {
        Some(number) => {
            let expected = "a number; fill what is missing, or cut it off";
            Err(reader.refuse(Refused::new(format!("value {number} of {name}"), values[number], expected)))
        }
        None => Ok(Cells { axes, values }),
    }
}

/// The cells along a dimension.
fn axis(reader: &mut NetcdfReader, name: &str, count: usize) -> Result<CellAxis> {
    let label = name.to_owned();
    let Some(variable) = coordinates_of(reader.dataset(), name) else {
        let numbers: Vec<f64> = (0..count).map(|number| number as f64).collect();
        let planes = around(name, &numbers).map_err(|refused| reader.refuse(refused))?;
        return Ok(CellAxis { label, unit: String::new(), planes });
    };
    let unit = variable.text("units").unwrap_or_default().to_owned();
    // Who cuts a variable out of a file may leave its bounds behind.
    let is_there = |bounds: &&str| reader.index(bounds).is_ok();
    let bounds = variable.text("bounds").filter(is_there).map(str::to_owned);
    let places = reader.values_f64(name)?;
    let planes = match bounds {
        Some(bounds) => between(name, &bounds, count, &reader.values_f64(&bounds)?),
        None => around(name, &places),
    };
    Ok(CellAxis { label, unit, planes: planes.map_err(|refused| reader.refuse(refused))? })
}

/// Planes half way between places.
fn around(name: &str, places: &[f64]) -> Result<Vec<f64>, Refused> {
    let [first, second, ..] = *places else {
        let expected = "two places or more, or a variable of bounds, which says how wide the cell is";
        return Err(Refused::new(format!("coordinates of {name}"), "a single one", expected));
    };
    if let Ok((first, spacing)) = evenly_spaced(name, places, 0.0) {
        return Ok((0..=places.len()).map(|plane| first + (plane as f64 - 0.5) * spacing).collect());
    }
    let goes_on = |pair: &[f64]| (pair[1] - pair[0]) * (second - first) > 0.0;
    if let Some(index) = places.windows(2).position(|pair| !goes_on(pair)) {
        let expected = "places that ascend, or descend, all along";
        return Err(Refused::new(format!("coordinate {} of {name}", index + 1), places[index + 1], expected));
    }
    let last = places.len() - 1;
    let mut planes = vec![first - 0.5 * (second - first)];
    planes.extend(places.windows(2).map(|pair| 0.5 * (pair[0] + pair[1])));
    planes.push(places[last] + 0.5 * (places[last] - places[last - 1]));
    Ok(planes)
}

/// Planes of cells with two bounds each.
fn between(name: &str, of: &str, count: usize, bounds: &[f64]) -> Result<Vec<f64>, Refused> {
    if bounds.len() != 2 * count {
        return Err(Refused::new(
            format!("number of values of {of}"),
            bounds.len(),
            format!("{}, two for each {name}", 2 * count),
        ));
    }
    let cells: Vec<[f64; 2]> =
        bounds.chunks_exact(2).map(|pair| [pair[0].min(pair[1]), pair[0].max(pair[1])]).collect();
    // Each cell begins where the one before it ends.
    let ascends = cells[0][0] <= cells[count - 1][0];
    let ends = |[low, high]: [f64; 2]| if ascends { [low, high] } else { [high, low] };
    let mut planes = vec![ends(cells[0])[0]];
    for (index, &cell) in cells.iter().enumerate() {
        let ([near, far], before) = (ends(cell), planes[index]);
        let width = (far - near).abs();
        let rounding = APART * width + (ROUNDED * near.abs()).min(EVEN * width);
        let fits = (near - before).abs() <= rounding && near != far;
        if !fits {
            let expected = format!("bounds from {before} on, where the cell before it ends, and of some width");
            return Err(Refused::new(format!("cell {index} of {of}"), format!("{near} to {far}"), expected));
        }
        planes.push(far);
    }
    Ok(planes)
}
