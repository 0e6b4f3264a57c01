//! netCDF-4 files of xarray, h5netcdf and the netCDF library, see `samples/make.py`.

use super::*;
use crate::common::assert_refused;
use craton_formats::grid::Unit;
use craton_formats::netcdf::{read_grid, read_volume};

/// The surface of the samples.
fn elevation(longitude: f64, latitude: f64) -> f64 {
    100.0 * latitude.to_radians().cos() * longitude.to_radians().cos() + 10.0 * latitude
}

#[test]
fn compressed_packed_and_big_endian_grids_are_read() {
    // Packed values are rounded to 0.1; single precision has seven digits.
    for (name, accuracy) in
        [("xarray_packed_nc4.nc", 0.051), ("h5netcdf_nc4.nc", 1e-12), ("netcdf4_big_endian_nc4.nc", 1e-4)]
    {
        let (grid, unit) = read_grid(&sample(name)).unwrap();
        assert_eq!((grid.x.len(), grid.y.len(), unit), (13, 7, Some(Unit::Degrees)), "{name}");
        for (j, &latitude) in grid.y.iter().enumerate() {
            for (i, &longitude) in grid.x.iter().enumerate() {
                let found = grid.value(i, j);
                assert!(
                    (found - elevation(longitude, latitude)).abs() < accuracy,
                    "{name}: {found} at {longitude}, {latitude}"
                );
            }
        }
    }
}

#[test]
fn a_compressed_grid_of_gmt_is_read() {
    let (grid, unit) = read_grid(&sample("gmt_nc4.nc")).unwrap();
    assert_eq!((grid.x.len(), grid.y.len(), unit), (37, 19, Some(Unit::Degrees)));
    assert!((grid.value(9, 14) - elevation(-90.0, 50.0)).abs() < 1e-3);
    assert!((grid.value(18, 9) - elevation(0.0, 0.0)).abs() < 1e-3);
}

#[test]
fn a_compressed_volume_is_read() {
    let volume = read_volume(&sample("xarray_volume_nc4.nc"), None).unwrap();
    let mut reader = NetcdfReader::open(&sample("xarray_volume_nc4.nc")).unwrap();
    let values = reader.values_f64("vp").unwrap();
    assert_eq!(values.len(), 60);
    for (index, value) in values.into_iter().enumerate() {
        let [x, y, z] = [100.0 * (index % 4) as f64, 50.0 * (index / 4 % 3) as f64, -10.0 * (index / 12) as f64];
        assert!((value - (3000.0 + x + 2.0 * y - 3.0 * z)).abs() < 1e-3, "{value} at {x}, {y}, {z}");
    }
    assert_eq!(volume.values().len(), 60);
}

#[test]
fn variables_without_records_are_named() {
    let mut reader = NetcdfReader::open(&sample("netcdf4_no_records_nc4.nc")).unwrap();
    let mut names = reader.without_values().to_vec();
    names.sort_unstable();
    assert_eq!(names, ["x", "y", "z"]);
    assert_eq!(reader.dataset().variables.iter().map(|variable| &*variable.name).collect::<Vec<_>>(), ["density"]);
    assert_refused(reader.values_f64("x"), &["number of values of x = 0; expected at least one"]);
    assert_refused(reader.values_f64("t"), &["variable = t; expected one of the variables of the file: density"]);
    assert!(NetcdfReader::open(&sample("gmt_nc4.nc")).unwrap().without_values().is_empty());
}

#[test]
fn groups_are_refused_by_name() {
    assert_refused(NetcdfReader::open(&sample("netcdf4_groups_nc4.nc")), &["groups = model", "ncks -G"]);
}

#[test]
fn damaged_files_cause_errors_or_wrong_values() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nc");
    let bytes = fs::read(sample("xarray_packed_nc4.nc")).unwrap();
    let read = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        let Ok(mut reader) = NetcdfReader::open(&path) else { return };
        for variable in reader.dataset().variables.clone() {
            let _ = reader.values_f64(&variable.name);
        }
    };
    for length in (0..bytes.len()).step_by(97) {
        read(&bytes[..length]);
    }
    for place in (0..bytes.len()).step_by(5) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 0x41;
        read(&damaged);
    }
}
