//! Simple shapes built from cells, for tests and teaching.

use crate::Prism;

/// A ball built from cubes: the cells of a lattice whose centres lie inside it.
///
/// The planes of the lattice lie at multiples of `cell`, so that balls with the same cell size share one lattice. The relative error of the volume is about
/// `(cell / radius)^1.5`.
///
/// # Arguments
/// * `centre` – (x, y, z) [m]
/// * `radius`, `cell` – radius and edge of a cell [m]
/// * `density` – [kg/m³]
pub fn ball(centre: [f64; 3], radius: f64, cell: f64, density: f64) -> impl Iterator<Item = Prism> {
    let range = move |middle: f64, half: f64| {
        let [first, last] = [(middle - half) / cell - 0.5, (middle + half) / cell - 0.5];
        first.ceil() as i64..=last.floor() as i64
    };
    let offset = move |index: i64, axis: usize| (index as f64 + 0.5) * cell - centre[axis];
    range(centre[2], radius).flat_map(move |k| {
        let left2 = radius * radius - offset(k, 2).powi(2);
        range(centre[1], left2.max(0.0).sqrt()).flat_map(move |j| {
            let left2 = left2 - offset(j, 1).powi(2);
            let row = if left2 < 0.0 { None } else { Some(range(centre[0], left2.sqrt())) };
            row.into_iter().flatten().map(move |i| cube([i, j, k], cell, density))
        })
    })
}

/// Cell `index` of the lattice whose planes lie at multiples of the cell size.
fn cube(index: [i64; 3], cell: f64, density: f64) -> Prism {
    let [[west, east], [south, north], [bottom, top]] = index.map(|i| [i as f64 * cell, (i + 1) as f64 * cell]);
    Prism { west, east, south, north, bottom, top, density }
}
