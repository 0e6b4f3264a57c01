//! netCDF: files written by other programs, round trips, and errors of invalid or damaged files.

use std::fs;
use std::path::{Path, PathBuf};

use craton_formats::Result;
use craton_formats::netcdf::{self, Attribute, DataType, Dataset, Dimension, NetcdfReader, Variable};
use tempfile::TempDir;

mod damage;
mod grid;
mod netcdf4;
mod reading;
mod volume;
mod writing;

/// A file written by another program, see `samples/make.py`.
fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/netcdf/samples").join(name)
}

fn variable(name: &str, data_type: DataType, dimensions: &[usize]) -> Variable {
    Variable { name: name.to_owned(), data_type, dimensions: dimensions.to_vec(), attributes: Vec::new() }
}

/// Writes one list of values per variable; a list may have the wrong length.
fn written(dataset: &Dataset, values: &[&[f64]]) -> Result<(TempDir, PathBuf)> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nc");
    netcdf::write(&path, dataset, |slab| {
        let values = values[slab.index()];
        if !slab.variable().dimensions.first().is_some_and(|&first| dataset.dimensions[first].is_unlimited) {
            return slab.write(values);
        }
        let count = slab.count() as usize;
        slab.write(&values[slab.record() as usize * count..][..count])
    })?;
    Ok((folder, path))
}

/// Opens bytes as a file.
fn open(bytes: &[u8]) -> Result<NetcdfReader> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nc");
    fs::write(&path, bytes).unwrap();
    NetcdfReader::open(&path)
}

/// Asserts equality, where NaN equals NaN.
fn assert_same(found: &[f64], wanted: &[f64]) {
    let same = |(a, b): (&f64, &f64)| a == b || a.is_nan() && b.is_nan();
    assert!(found.len() == wanted.len() && found.iter().zip(wanted).all(same), "{found:?} instead of {wanted:?}");
}
