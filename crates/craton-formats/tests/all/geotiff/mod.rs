//! GeoTIFF: elevations written by GDAL, and errors of unsupported or damaged files.

use std::fs;
use std::path::{Path, PathBuf};

use craton_formats::Result;
use craton_formats::grid::{self, Grid, Unit, geotiff};

use crate::common::assert_refused;

mod damage;

/// A file written by GDAL, see `samples/make.py`.
fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/all/geotiff/samples").join(name)
}

/// The elevation of `samples/make.py` at column `i` and row `j`.
fn elevation(i: usize, j: usize) -> f64 {
    let (column, row) = (i as f64 + 0.5, j as f64 + 0.5);
    1000.0 + 2.0 * column - 3.0 * row + 0.5 * column * row
}

/// Asserts coordinates from the first, by a step, and elevations with rows from the north.
fn assert_grid(grid: &Grid, [x, y]: [(f64, f64); 2], [columns, rows]: [usize; 2], exact: impl Fn(f64) -> f64) {
    let axis = |(first, step), count| (0..count).map(move |index| first + step * index as f64);
    for (found, wanted) in [(&grid.x, axis(x, columns)), (&grid.y, axis(y, rows))] {
        assert_eq!(found.len(), wanted.len());
        let worst = found.iter().zip(wanted).map(|(found, wanted)| (found - wanted).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-9, "{found:?}");
    }
    for (j, i) in (0..rows).flat_map(|j| (0..columns).map(move |i| (j, i))) {
        assert_eq!(grid.value(i, j), exact(elevation(i, rows - 1 - j)), "column {i} of row {j}");
    }
}

#[test]
fn tiles_of_floats_with_a_predictor_are_read_in_degrees() {
    let (grid, unit) = grid::read(&sample("geographic_f32_deflate_tiled.tif")).unwrap();
    assert_eq!(unit, Some(Unit::Degrees));
    assert_grid(&grid, [(10.125, 0.25), (37.75, 0.5)], [37, 21], |value| f64::from(value as f32));
}

#[test]
fn a_big_endian_file_of_doubles_is_read_in_metres() {
    let (grid, unit) = grid::read(&sample("utm_south_f64_big_endian.tif")).unwrap();
    assert_eq!(unit, Some(Unit::Metres));
    assert_grid(&grid, [(300_050.0, 100.0), (5_999_825.0, 50.0)], [5, 4], |value| value);
}

#[test]
fn padded_tiles_of_integers_are_read_from_lzw() {
    let (grid, _) = grid::read(&sample("utm_u16_lzw_tiled_big_endian.tif")).unwrap();
    assert_grid(&grid, [(500_015.0, 30.0), (5_298_905.0, 30.0)], [53, 37], f64::trunc);
}

#[test]
fn points_have_the_coordinates_of_the_tie_and_no_data_is_a_gap() {
    let path = sample("utm_i16_lzw_point.tif");
    assert_refused(
        grid::read(&path),
        &[
            "utm_i16_lzw_point.tif: value at x = 500015, y = 5299805 = no data",
            "the first of 2 such values; fill or crop the grid",
        ],
    );
    let (mut grid, unit) = geotiff::read_with_gaps(&path).unwrap();
    assert_eq!(unit, Some(Unit::Metres));
    for (i, j) in [(3, 2), (0, 6)] {
        assert!(grid.value(i, 6 - j).is_nan());
        grid.values[(6 - j) * 9 + i] = elevation(i, j).round_ties_even();
    }
    assert_grid(&grid, [(500_015.0, 30.0), (5_299_805.0, 30.0)], [9, 7], f64::round_ties_even);
}

#[test]
fn bigtiff_and_rows_from_the_south_are_read() {
    let (grid, unit) = grid::read(&sample("bigtiff_u8_packbits.tif")).unwrap();
    assert_eq!(unit, Some(Unit::Metres));
    assert_eq!(grid.values, [8.0, 9.0, 10.0, 11.0, 4.0, 5.0, 6.0, 7.0, 0.0, 1.0, 2.0, 3.0]);
    let (grid, _) = grid::read(&sample("south_up_i32.tif")).unwrap();
    assert_eq!([grid.x[0], grid.x[3], grid.y[0], grid.y[2]], [1015.0, 1105.0, 2015.0, 2075.0]);
    assert_eq!([grid.value(0, 0), grid.value(3, 2)], [elevation(0, 0), elevation(3, 2)].map(f64::trunc));
}

#[test]
fn feet_are_converted_to_metres_and_values_are_scaled() {
    let (grid, unit) = grid::read(&sample("survey_feet_u16_scaled.tif")).unwrap();
    let (foot, survey_foot) = (0.3048, 1200.0 / 3937.0);
    assert_eq!(unit, Some(Unit::Metres));
    assert!((grid.x[0] - 2_000_005.0 * survey_foot).abs() < 1e-6 && (grid.y[1] - 699_995.0 * survey_foot).abs() < 1e-6);
    let wanted = [3.0, 4.0, 5.0, 0.0, 1.0, 2.0].map(|stored| (0.1 * stored - 5.0) * foot);
    assert!(grid.values.iter().zip(wanted).all(|(found, wanted)| (found - wanted).abs() < 1e-12), "{:?}", grid.values);
}

#[test]
fn half_floats_without_a_coordinate_system_have_no_unit() {
    let (grid, unit) = grid::read(&sample("no_system_f16.tif")).unwrap();
    assert_eq!(unit, None);
    // Half floats of this size are multiples of 0.5, to which GDAL truncates.
    assert!((0..3).all(|i| (grid.value(i, 1) - elevation(i, 0)).abs() < 0.5), "{:?}", grid.values);
}

#[test]
fn missing_tiles_are_gaps() {
    let path = sample("sparse_f32_tiled.tif");
    let (grid, _) = geotiff::read_with_gaps(&path).unwrap();
    let is_written = |index: usize| index % 32 >= 16 && index / 32 >= 16;
    let is_right = |(index, &value): (usize, &f64)| if is_written(index) { value == 7.0 } else { value.is_nan() };
    assert!(grid.values.iter().enumerate().all(is_right));
    assert_refused(geotiff::read(&path), &["no data", "the first of 768 such values"]);
}

#[test]
fn unsupported_images_are_refused_with_a_remedy() {
    let read = |name: &str| grid::read(&sample(name));
    assert_refused(read("rotated.tif"), &["rotated.tif: ModelTransformation = ", "gdalwarp"]);
    assert_refused(read("zstd.tif"), &["zstd.tif: Compression = 50000", "COMPRESS=DEFLATE"]);
    assert_refused(read("two_bands.tif"), &["number of bands = 2", "gdal_translate -b 1"]);
}
