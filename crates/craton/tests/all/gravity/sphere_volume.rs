//! Density volumes in longitude, latitude and height.

use std::path::Path;

use craton::gravity::check_gravity;
use craton::options::CheckOptions;

use super::bodies::write_in_units;
use super::refusal;
use super::sphere::{EARTH, assert_alike, assert_is_shell, fields, problem, shell_mass};

/// Names and units of the axes of a volume, the fastest last.
const AXES: [(&str, &str); 3] = [("depth", "km"), ("lat", "degrees_north"), ("lon", "degrees_east")];
const VOLUME: &str =
    "volume = { coordinates = 'geographic', reference = 2900.0, density = { file = 'v.nc', variable = 'density' } }";

/// Coordinates of a volume of 2 x 3 x 4 cells, uneven along the depth, and its densities.
fn crust() -> ([Vec<f64>; 3], Vec<f64>) {
    let places = [vec![5.0, 15.0, 35.0], vec![44.0, 45.0, 46.0], vec![9.0, 9.5, 10.0, 10.5]];
    let density = (0..36).map(|n| 2600.0 + 25.0 * f64::from(n * 7 % 23)).collect();
    (places, density)
}

/// The cells of the volume as rows of tesseroids.
fn rows() -> Vec<[f64; 7]> {
    let (_, density) = crust();
    let (depths, south, west) = ([0.0, 10e3, 25e3, 45e3], [43.5, 44.5, 45.5, 46.5], [8.75, 9.25, 9.75, 10.25, 10.75]);
    let row = |n: usize| {
        let (i, j, k) = (n % 4, n / 4 % 3, n / 12);
        [west[i], west[i + 1], south[j], south[j + 1], -depths[k + 1], -depths[k], density[n] - 2900.0]
    };
    (0..36).map(row).collect()
}

fn points() -> [[f64; 3]; 4] {
    [[9.3, 45.2, 4e3], [-350.2, 44.4, 20e3], [12.0, 47.0, 300.0], [9.0, 43.0, 250e3]]
}

#[test]
fn a_volume_equals_its_cells_as_tesseroids() {
    let folder = tempfile::tempdir().expect("a folder");
    let (places, density) = crust();
    write_in_units(&folder.path().join("v.nc"), AXES, &places, &density);
    let of_rows = problem(&format!("tesseroids.rows = {:?}", rows()), &points());
    let expected = fields(folder.path(), &of_rows, &[]);
    assert_alike(&fields(folder.path(), &problem(VOLUME, &points()), &[]), &expected, 1e-12);
    let geodetic = |text: &str| format!("ellipsoid = 'wgs84'\n{text}");
    let of_ellipsoid = fields(folder.path(), &geodetic(&of_rows), &[]);
    assert_alike(&fields(folder.path(), &geodetic(&problem(VOLUME, &points())), &[]), &of_ellipsoid, 1e-12);
    assert!(expected != of_ellipsoid, "the ellipsoid has no effect");
    // Cells with even spacing, whose coordinates are given instead of those of the file; values in single precision.
    let even = [vec![0.0, 1.0, 2.0], vec![0.0, 1.0, 2.0], vec![0.0, 1.0, 2.0, 3.0]];
    write_in_units(&folder.path().join("v.nc"), [("k", "m"), ("j", "m"), ("i", "m")], &even, &density);
    let axes = "axes = ['x', 'y', 'z'], spacing = [0.5, 1.0, 1e4], origin = [9.0, 44.0, -25e3]";
    let given = VOLUME.replace("'density' }", &format!("'density', {axes} }}"));
    let even_rows = rows().into_iter().enumerate().map(|(n, [west, east, south, north, .., density])| {
        let bottom = -30e3 + 10e3 * (n / 12) as f64;
        [west, east, south, north, bottom, bottom + 10e3, density]
    });
    let even_rows = problem(&format!("tesseroids.rows = {:?}", even_rows.collect::<Vec<_>>()), &points());
    let expected = fields(folder.path(), &even_rows, &[]);
    assert_alike(&fields(folder.path(), &problem(&given, &points()), &[]), &expected, 1e-6);
}

#[test]
fn a_volume_around_the_earth_has_the_closed_form_of_a_shell() {
    let folder = tempfile::tempdir().expect("a folder");
    let even = |first: f64, step: f64, count: usize| (0..count).map(|n| first + step * n as f64).collect::<Vec<_>>();
    let points = [[10.3, 47.9, 250e3], [201.7, -33.1, 30e3], [0.0, 90.0, 60e3]];
    let heights = vec![-9000.0, -4000.0];
    let axes = [("height", "m"), ("latitude", "degree"), ("longitude", "degree")];
    // Grid points on the poles and on a meridian twice; then in the middle of cells.
    for (x, y) in [(even(0.0, 15.0, 25), even(-90.0, 15.0, 13)), (even(-172.5, 15.0, 24), even(-82.5, 15.0, 12))] {
        let density = vec![2670.0; 2 * x.len() * y.len()];
        write_in_units(&folder.path().join("v.nc"), axes, &[heights.clone(), y, x], &density);
        let volume = VOLUME.replace("reference = 2900.0, ", "");
        let found = fields(folder.path(), &problem(&volume, &points), &["method.accuracy=1e-7"]);
        let mass = shell_mass([EARTH - 11_500.0, EARTH - 1500.0], 2670.0);
        assert_is_shell(&found, mass, &points, EARTH, 2670.0);
    }
}

/// The message about a volume with these axes and coordinates.
fn message(folder: &Path, axes: [(&str, &str); 3], places: &[Vec<f64>; 3], volume: &str) -> String {
    write_in_units(&folder.join("v.nc"), axes, places, &crust().1);
    let file = folder.join("it.toml");
    std::fs::write(&file, problem(volume, &points())).expect("written");
    refusal(&file)
}

#[test]
fn volumes_with_other_coordinates_are_refused_or_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let (places, density) = crust();
    let refused = |axes: [(&str, &str); 3], places: &[Vec<f64>; 3], expected: &str| {
        let message = message(folder.path(), axes, places, VOLUME);
        assert!(message.contains(expected), "`{expected}` is not in\n{message}");
    };
    let expected = "body[0].volume.density.file = \"v.nc\": along `lon` the file has the unit `m` (allowed: degrees";
    refused([AXES[0], AXES[1], ("lon", "m")], &places, expected);
    let expected = "the axes of the file are named e, lat, depth, the fastest first";
    refused([AXES[0], AXES[1], ("e", "degrees_east")], &places, expected);
    let [depth, y, x] = places.clone();
    let expected = "has latitudes from 89 to 91 degrees (allowed: -90 to 90 degrees";
    refused(AXES, &[depth.clone(), vec![89.0, 90.0, 91.0], x.clone()], expected);
    let far = vec![0.0, 300.0, 600.0, 900.0];
    refused(AXES, &[depth.clone(), y.clone(), far], "has longitudes from -150 to 1050 degrees (allowed: -720 to 720");
    let wide = vec![-180.0, 0.0, 180.0, 210.0];
    refused(AXES, &[depth, y.clone(), wide], "v.nc\": has cells over 495 degrees of longitude (allowed: at most 360");
    let deep = vec![100.0, 3000.0, 9000.0];
    refused(AXES, &[deep, y, x], "has heights from -12000000 to 1350000 m (allowed: -6371000 to");
    let metres = VOLUME.replace("coordinates = 'geographic', ", "");
    let text = message(folder.path(), AXES, &places, &metres);
    assert!(text.contains("body[0]: is in metres, but the points are in longitude and latitude"), "{text}");
    write_in_units(&folder.path().join("v.nc"), AXES, &places, &density);
    let inside = problem(VOLUME, &[[10.0, 45.0, -5e3], [370.0, 45.0, -5e3], [-710.0, 45.0, -5e3], [10.0, 45.0, 5.0]]);
    std::fs::write(folder.path().join("it.toml"), inside).expect("written");
    let preview = check_gravity(&folder.path().join("it.toml"), &CheckOptions::default()).expect("a problem");
    let warnings = preview.warnings.join("\n");
    assert!(warnings.contains("3 points inside cells of a mesh: the first is point 0 at"), "{warnings}");
}

#[test]
fn other_axes_than_those_of_netcdf_must_be_given_in_degrees() {
    let folder = tempfile::tempdir().expect("a folder");
    let (places, _) = crust();
    let kilometres = [("k", "m"), ("j", "km"), ("i", "km")];
    let axes = "axes = ['x', 'y', 'z']";
    for (file, keys, missing) in [
        ("v.nc", format!("{axes}, spacing = [0.5, 1.0, 1e4]"), "origin"),
        ("v.nc", format!("{axes}, origin = [9.0, 44.0, -25e3]"), "spacing"),
        ("v.rsf", axes.to_owned(), "spacing"),
        ("v.sgy", format!("{axes}, spacing = [0.5, 1.0, 1e4]"), "origin"),
    ] {
        std::fs::write(folder.path().join(file), "").expect("written");
        let volume = VOLUME.replace("'v.nc'", &format!("'{file}'"));
        let volume = volume.replace("variable = 'density' }", &format!("variable = 'density', {keys} }}"));
        let text = message(folder.path(), kilometres, &places, &volume);
        let expected =
            format!("body[0].volume.density.{missing} = \"{file}\": is missing: only the axes of a netCDF file");
        assert!(text.contains(&expected) && text.contains("(allowed: degrees for x"), "`{expected}` is not in\n{text}");
    }
}
