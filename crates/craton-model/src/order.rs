//! Checks that one interface is below another, and the positions at which to check it.

use rayon::prelude::*;

use crate::{ElevationGrid, Interface, ModelError};

/// Number of points above which threads are worth their memory.
pub(crate) const MANY: usize = 100_000;

/// Refuses two interfaces that cross or touch over the domain, reporting the first position where they do.
///
/// # Arguments
/// * `upper_index` – number of the upper layer, from 0
/// * `upper`, `lower` – tops of the upper and the lower layer
/// * `x`, `y` – first and last coordinate of the domain \[m\]
pub(crate) fn check(
    upper_index: usize,
    upper: &Interface,
    lower: &Interface,
    x: [f64; 2],
    y: [f64; 2],
) -> Result<(), ModelError> {
    let columns = places(0, &[upper, lower], x);
    let in_row = |&y: &f64| {
        columns.iter().find_map(|&x| {
            let (above, below) = (upper.elevation(x, y), lower.elevation(x, y));
            let upper_layer = upper_index + 1;
            (below >= above).then_some(ModelError::OutOfOrder { upper_layer, upper: above, lower: below, x, y })
        })
    };
    let rows = places(1, &[upper, lower], y);
    let found = match rows.len() * columns.len() > MANY {
        true => rows.par_iter().find_map_first(in_row),
        false => rows.iter().find_map(in_row),
    };
    match found {
        Some(error) => Err(error),
        None => Ok(()),
    }
}

/// Coordinates at which to compare interfaces along an axis (0 for x, 1 for y): the ends of the domain, all grid points in it, and the
/// midpoints between these.
pub(crate) fn places(axis: usize, interfaces: &[&Interface], [from, to]: [f64; 2]) -> Vec<f64> {
    let mut points = vec![from, to];
    for grid in interfaces.iter().filter_map(|interface| as_grid(interface)) {
        points.extend(grid.coordinates(axis).filter(|c| (from..to).contains(c)));
    }
    points.sort_by(f64::total_cmp);
    points.dedup();
    let halfway = points.windows(2).map(|pair| 0.5 * (pair[0] + pair[1]));
    let mut places: Vec<f64> = halfway.collect();
    places.extend(points);
    places.sort_by(f64::total_cmp);
    places
}

fn as_grid(interface: &Interface) -> Option<&ElevationGrid> {
    match interface {
        Interface::Flat(_) | Interface::Mesh(_) => None,
        Interface::Grid(grid) => Some(grid),
    }
}
