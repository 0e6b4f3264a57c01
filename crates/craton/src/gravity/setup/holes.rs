//! Grid points of a layer without a value.

use std::collections::VecDeque;

use crate::error::Problem;
use crate::gravity::config::Holes;
use crate::key_path::KeyPath;
use crate::setup::findings::Checked;

/// Fills the gaps (NaN) of values on a grid with the value of the nearest point along the grid, in place.
///
/// # Arguments
/// * `width` – number of points along x; `key` – of the file
/// # Returns
/// Indices of the filled points, ascending.
/// # Errors
/// Only gaps.
pub fn fill(values: &mut [f64], width: usize, key: &KeyPath) -> Checked<Vec<usize>> {
    let gaps: Vec<usize> = (0..values.len()).filter(|&at| values[at].is_nan()).collect();
    if gaps.len() == values.len() {
        return Err(Problem::new(key, "has no values: all of its grid points are gaps").into());
    }
    if gaps.is_empty() {
        return Ok(gaps);
    }
    // From all known points outwards, so that the order is that of the distance.
    let mut known: VecDeque<usize> = (0..values.len()).filter(|&at| !values[at].is_nan()).collect();
    while let Some(at) = known.pop_front() {
        let column = at % width;
        let beside = [(column > 0).then(|| at - 1), (column + 1 < width).then(|| at + 1)];
        let across = [at.checked_sub(width), Some(at + width).filter(|&next| next < values.len())];
        for next in beside.into_iter().chain(across).flatten() {
            if values[next].is_nan() {
                values[next] = values[at];
                known.push_back(next);
            }
        }
    }
    Ok(gaps)
}

/// The note about gaps; `None` without gaps.
pub fn note(count: usize, holes: Holes) -> Option<String> {
    let treatment = match holes {
        Holes::Air => "their columns are air; holes = \"fill\" fills them",
        Holes::Fill => "filled with the value of the nearest grid point",
    };
    (count > 0).then(|| format!("grid points without a value: {count}, {treatment}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gaps_take_the_nearest_value_along_the_grid() {
        let nan = f64::NAN;
        let mut values = vec![1.0, nan, nan, 2.0, nan, nan, nan, nan];
        assert_eq!(fill(&mut values, 4, &KeyPath::default()).expect("has values"), [1, 2, 4, 5, 6, 7]);
        assert_eq!(values, [1.0, 1.0, 2.0, 2.0, 1.0, 1.0, 2.0, 2.0]);
        assert!(fill(&mut [nan; 4], 2, &KeyPath::default()).is_err());
    }
}
