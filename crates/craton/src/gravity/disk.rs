//! Upper bound of the size of the results.

use craton_run::Bytes;

use super::config::OutputFormat;
use super::results::formats;
use super::setup::{Places, Setup, Shape};
use super::values::Values;

/// Longest number in a table, with its separator [bytes]: a sign, 17 digits, a point, four leading zeros or an exponent.
const NUMBER: u64 = 26;
/// Longest number in ESRI grids and UBC-GIF files, which have no exponents: leading zeros of tensor components in SI units and of their products.
const WITHOUT_EXPONENT: u64 = 64;
/// Largest size of a picture [bytes].
const PICTURE: u64 = 2_000_000;
/// Header and attributes of a column in netCDF, or its name in a table [bytes].
const COLUMN: u64 = 1000;
/// Head of a file, the journal without its pieces, and the record without the problem [bytes].
const HEADS: u64 = 100_000;
/// Entries of the journal for a piece [bytes]: taken, released and taken again, done.
const PIECE: u64 = 4 * 128;

/// Upper bound of the size of all files, including the intermediate file.
///
/// # Arguments
/// * `values` – the intermediate file
/// * `problem` – text of the copy of the problem
pub fn bytes(setup: &Setup, values: &Values, problem: &str) -> Bytes {
    let Places { points, names, .. } = &setup.places;
    let (points, columns) = (points.len() as u64, setup.quantities.len() as u64);
    // Quotes are doubled.
    let longest = names.iter().flatten().map(|name| 2 * name.len() as u64 + 3).max().unwrap_or(0);
    let of_format = |format: OutputFormat| match format {
        OutputFormat::Csv => points * (longest + NUMBER * (3 + columns)) + COLUMN * columns,
        OutputFormat::Npy => points * 8 * (3 + columns),
        OutputFormat::Netcdf => points * (longest + 8 * (3 + columns)) + COLUMN * (columns + 8),
        OutputFormat::Esri => columns * (points * WITHOUT_EXPONENT + COLUMN),
        // The positions are in both files.
        OutputFormat::Ubc => points * WITHOUT_EXPONENT * (6 + columns),
    };
    let all: u64 = formats(setup).into_iter().map(of_format).sum();
    let axes = if let Shape::Grid { x, y, .. } = &setup.places.shape { 8 * (x.len() + y.len()) as u64 } else { 0 };
    let pictures = if setup.output.pictures { 3 * PICTURE } else { 0 };
    // Positions, latitude, height and nine terms, after a head.
    let reduction = if setup.reduced.is_some() { points * (longest + NUMBER * 14) + 3 * COLUMN } else { 0 };
    let others = 2 * problem.len() as u64 + HEADS + PIECE * values.pieces().len() as u64;
    Bytes(values.bytes() + all + axes + pictures + reduction + others)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::super::gravity;
    use super::super::session::Session;
    use super::*;
    use crate::options::{CheckOptions, RunOptions};

    fn written(folder: &Path) -> u64 {
        let size = |entry: std::fs::DirEntry| match entry.path().is_dir() {
            true => written(&entry.path()),
            false => entry.metadata().expect("a file").len(),
        };
        std::fs::read_dir(folder).expect("a folder").map(|entry| size(entry.expect("an entry"))).sum()
    }

    #[test]
    fn the_bound_exceeds_what_is_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, results) = (folder.path().join("it.toml"), folder.path().join("results"));
        let grid = "[points.grid]\nx = [-150.3, 350.1]\ny = [-100.7, 299.62]\ncount = [61, 61]\nz = 40.0";
        let grid = grid.replace("299.62", "399.7");
        let list = "[points.list]\nfile = 'points.csv'";
        let rows: String = (0..2000).map(|row| format!("\"station {row}\",{},{}.123456789,7.5\n", row, row)).collect();
        std::fs::write(folder.path().join("points.csv"), format!("name,x,y,z\n{rows}")).expect("written");
        for (points, formats, units) in [
            (grid.as_str(), "'csv', 'npy', 'netcdf', 'esri', 'ubc'", "si"),
            (list, "'csv', 'npy', 'netcdf', 'ubc'", "geophysical"),
        ] {
            let problem = format!(
                "fields = ['g_d', 'g_ee', 'g_en', 'g_dd', 'invariant3']\n[[body]]\n\
                 block = {{ x = [-20.0, 30.0], y = [-15.0, 10.0], z = [-80.0, -30.0], density = 1000.0 }}\n{points}\n\
                 [output]\ndirectory = 'unused'\nformats = [{formats}]\nunits = '{units}'\n"
            );
            std::fs::write(&file, problem).expect("written");
            let overrides = vec![format!("output.directory='{}'", results.display())];
            let options = RunOptions { overrides: overrides.clone(), overwrite: true, ..RunOptions::default() };
            gravity(&file, &options).unwrap_or_else(|error| panic!("{error:?}"));
            let session = Session::for_check(&file, &CheckOptions { overrides, ..CheckOptions::default() });
            let session = session.unwrap_or_else(|error| panic!("{error:?}"));
            let count = session.setup.places.points.len();
            let values = Values::new(&results, session.fields, std::iter::once(0..count).collect());
            let (bound, found) = (session.disk(&values).0, written(&results) + values.bytes());
            assert!(found <= bound, "{points}: {found} of {bound}");
        }
    }
}
