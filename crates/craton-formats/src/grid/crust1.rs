//! The boundaries of the crust of CRUST1.0 as published: `crust1.bnds`.

use std::path::Path;

use super::Grid;
use crate::error::Result;
use crate::text::{data_lines, end_of, words};

/// Columns of the file: the top of the water, the bottoms of water, ice, three layers of sediment and three of crust [km].
const COLUMNS: usize = 9;
/// Cells of one degree along longitude, from west to east, and along latitude, from north to south.
const CELLS: [usize; 2] = [360, 180];
const METRES: f64 = 1000.0;

/// Whether a line has as many columns as the file.
pub(super) fn has_columns(line: &str) -> bool {
    words(line).count() == COLUMNS
}

/// Parses the file and returns the height of the Moho \[m\], its last column, at the centres of the cells \[degrees\].
///
/// # Errors
/// A line without nine finite numbers; other than 64,800 lines.
pub fn parse(text: &str, path: &Path) -> Result<Grid> {
    let [across, along] = CELLS;
    let mut moho = Vec::with_capacity(across * along);
    for (place, line) in data_lines(path, text) {
        let last = words(line).last().filter(|_| has_columns(line));
        let Some(last) = last else {
            return Err(place.bad_value("boundaries", line, "nine numbers, as in crust1.bnds of CRUST1.0"));
        };
        moho.push(METRES * place.finite("Moho", last)?);
    }
    if moho.len() != across * along {
        let problem = format!("the file has {} lines of nine numbers", moho.len());
        return Err(end_of(path, text)
            .layout(problem, "crust1.bnds of CRUST1.0 has 64800 lines, one per cell of 1 by 1 degree"));
    }
    let values = moho.chunks_exact(across).rev().flatten().copied().collect();
    let centres = |count: usize, first: f64| (0..count).map(|index| first + index as f64).collect();
    Ok(Grid { x: centres(across, -179.5), y: centres(along, -89.5), values })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_run_from_the_north_west_and_the_last_column_is_the_moho() {
        let row =
            |index: usize| format!("0.00 -3.00 -3.00 -3.5 -3.5 -3.5 -5.0 -7.0 {:.2}\n", -10.0 - index as f64 * 1e-2);
        let text: String = (0..64_800).map(row).collect();
        let grid = parse(&text, Path::new("crust1.bnds")).unwrap();
        assert_eq!([grid.x[0], grid.x[359], grid.y[0], grid.y[179]], [-179.5, 179.5, -89.5, 89.5]);
        assert!((grid.value(1, 179) + 10_010.0).abs() < 1e-6 && (grid.value(0, 178) + 13_600.0).abs() < 1e-6);
        let error = parse(&row(1), Path::new("crust1.bnds")).unwrap_err().to_string();
        assert!(error.contains("has 1 lines of nine numbers"), "{error}");
    }
}
