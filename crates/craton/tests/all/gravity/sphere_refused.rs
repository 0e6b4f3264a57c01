//! Refused problems in longitude, latitude and height: the value, the allowed range and the hint.

use craton::error::{Error, GravityFailure};
use craton::gravity::gravity;
use craton::options::RunOptions;

use super::refusal;
use super::sphere::GRID;

/// Asserts that the grid problem with `right` replaced by `wrong` is refused with a message.
#[track_caller]
fn assert_refused(right: &str, wrong: &str, files: &[(&str, &str)], expected: &str) {
    assert!(GRID.contains(right), "{right}");
    let folder = tempfile::tempdir().expect("a folder");
    files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).expect("written"));
    let file = folder.path().join("it.toml");
    std::fs::write(&file, GRID.replacen(right, wrong, 1)).expect("written");
    let message = refusal(&file);
    assert!(message.contains(expected), "{wrong}: `{expected}` is not in\n{message}");
}

const ROWS: &str =
    "tesseroids.rows = [[10.0, 11.0, 45.0, 46.0, -30e3, 0.0, 300.0], [11.0, 12.0, 45.0, 46.0, -20e3, -1e3, -200.0]]";
const POINTS: &str = "[points.geographic_grid]\nlongitude = [9.0, 13.0]\nlatitude = [44.0, 47.0]\nspacing = [1.0, 0.5]\nheight = 8000.0\n";

#[test]
fn invalid_tesseroids_and_points_are_refused_with_their_row() {
    let row = |row: &str| format!("tesseroids.rows = [[{row}]]");
    let cases = [
        ("10, 11, 45, 91, -3e4, 0, 300", "body[0].tesseroids.rows[0]: north is 91 (allowed: -90 to 90 degrees"),
        (
            "11, 10, 45, 46, -3e4, 0, 300",
            "west is 11 degrees and east 10 degrees (allowed: west < east; add 360 to east",
        ),
        (
            "10, 11, 45, 46, -7e6, 0, 300",
            "bottom is -7000000 m (allowed: -6371000 to 1e11 m; heights are above a sphere",
        ),
        ("10, 11, 45, 46, 0, -3e4, 300", "(allowed: bottom < top; heights are positive up: negate the values"),
        ("-10, 351, 45, 46, -3e4, 0, 300", "east minus west is 361 degrees (allowed: at most 360 degrees"),
        (
            "500000, 501000, 4e6, 4.1e6, -3e4, 0, 300",
            "west is 500000 (allowed: -720 to 720 degrees; positions are longitude",
        ),
    ];
    cases.into_iter().for_each(|(values, expected)| assert_refused(ROWS, &row(values), &[], expected));
    let crust = [("crust.csv", "west,east,south,north,bottom,top,density\n0,1,0,1,-9e3,0,1\n0,1,95,96,-9e3,0,1\n")];
    let expected = "body[0].tesseroids.file = \"crust.csv\": line 3: south is 95 (allowed: -90 to 90 degrees";
    assert_refused(ROWS, "tesseroids.file = 'crust.csv'", &crust, expected);
    let list = "[points.geographic_list]\nfile = 'stations.csv'\n";
    let metres = [("stations.csv", "longitude,latitude,height\n10.5,45.5,100\n521345.0,5034127.0,100\n")];
    let expected = "points.geographic_list.file = \"stations.csv\": line 3: longitude is 521345 (allowed: -720 to 720 degrees; positions are longitude and latitude in degrees";
    assert_refused(POINTS, list, &metres, expected);
    let deep = [("stations.csv", "longitude,latitude,height\n10.5,45.5,-6.4e6\n")];
    assert_refused(POINTS, list, &deep, "line 2: height is -6400000 m (allowed: -6371000 to 1e11 m");
    let depths = [("stations.csv", "longitude,latitude,depth\n10.5,45.5,100\n")];
    assert_refused(POINTS, &format!("{list}columns.height = 'depth'\n"), &depths, "holds heights, positive up");
}

#[test]
fn invalid_grids_of_points_are_refused() {
    let latitude = "latitude = [44.0, 47.0]";
    assert_refused(latitude, "latitude = [44.0, 94.0]", &[], "points.geographic_grid.latitude[1] = 94.0");
    assert_refused(latitude, "latitude = [47.0, 44.0]", &[], "(allowed: [first, last] in degrees, first < last)");
    let expected = "does not divide the extent of 3 degrees along latitude";
    assert_refused("spacing = [1.0, 0.5]", "spacing = [1.0, 0.7]", &[], expected);
    assert_refused("spacing = [1.0, 0.5]", "", &[], "give the number of points along longitude and latitude");
    let expected = "points.geographic_grid.height = -7000000: is below the centre of the sphere (allowed: -6371000 to";
    assert_refused("height = 8000.0", "height = -7e6", &[], expected);
}

#[test]
fn bodies_and_points_have_the_same_kind_of_coordinates() {
    let block = "block = { x = [0.0, 1.0], y = [0.0, 1.0], z = [-2.0, -1.0], density = 1.0 }";
    assert_refused(ROWS, block, &[], "body[0]: is in metres, but the points are in longitude and latitude");
    let list = "[points.list]\nrows = [[10.0, 45.0, 8e3]]\n";
    assert_refused(POINTS, list, &[], "body[0]: is in longitude and latitude, but the points are in metres");
    let ground = [("top.asc", "ncols 2\nnrows 2\nxllcenter 5000\nyllcenter 0\ncellsize 50\n1 2\n3 4\n")];
    let layer = "layer = { top = 'top.asc', bottom = -9.0, density.constant = 1.0 }";
    assert_refused(
        ROWS,
        layer,
        &ground,
        "(allowed: tesseroids, or a layer or volume with coordinates = \"geographic\"",
    );
    let layer = "layer = { coordinates = 'geographic', top = 'top.asc', bottom = -9.0, density.constant = 1.0 }";
    assert_refused(ROWS, layer, &ground, "has longitudes from 5000 to 5050 (allowed: longitude from -720 to 720");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("it.toml");
    let flat = "fields = ['g_d']\n[[body]]\nblock = { x = [0, 1], y = [0, 1], z = [-2, -1], density = 1.0 }\n\
                [points.list]\nrows = [[1, 1, 1]]\n[sphere]\n[output]\ndirectory = 'results'\n";
    std::fs::write(&file, flat).expect("written");
    assert!(refusal(&file).contains("sphere: applies only to positions in longitude and latitude"));
    std::fs::write(&file, flat.replace("[sphere]", "").replace("fields", "ellipsoid = 'wgs84'\nfields"))
        .expect("written");
    assert!(refusal(&file).contains("ellipsoid: applies only to positions in longitude and latitude"));
    let both =
        "[points.geographic_grid]\nlongitude = [9.0, 13.0]\nlatitude = [44.0, 47.0]\ncount = [2, 2]\nheight = 8e3\n";
    let text = format!("ellipsoid = 'grs80'\n[sphere]\n[[body]]\n{ROWS}\n{both}[output]\ndirectory = 'results'\n");
    std::fs::write(&file, &text).expect("written");
    assert!(refusal(&file).contains("sphere: has no effect with `ellipsoid`"));
    std::fs::write(&file, text.replace("[sphere]\n", "").replace("8e3", "-6.1e6")).expect("written");
    let message = refusal(&file);
    assert!(message.contains("is below the lowest geodetic height (allowed: -6000000 to"), "{message}");
}

#[test]
fn a_layer_around_the_whole_sphere_and_more_is_refused() {
    let lines: String = [0, 90, 180, 270, 350].iter().flat_map(|x| [0, 10].map(|y| format!("{x} {y} 5\n"))).collect();
    let layer = "layer = { coordinates = 'geographic', top = 'top.xyz', bottom = -9.0, density.constant = 1.0 }";
    let expected = "has columns over 435 degrees of longitude (allowed: at most 360 degrees";
    assert_refused(ROWS, layer, &[("top.xyz", &lines)], expected);
    let smooth = layer.replace("bottom", "tops = 'smooth', bottom");
    let expected = "body[0].layer.tops = \"smooth\": is not available for a layer in longitude and latitude";
    assert_refused(ROWS, &smooth, &[("top.xyz", &lines)], expected);
}

#[test]
fn methods_without_tesseroids_are_refused() {
    assert_refused(
        "[output]",
        "[method]\npath = 'convolution'\naccuracy = 1e-5\n[output]",
        &[],
        "method.path = \"convolution\": requires prisms",
    );
    assert_refused("[output]", "[method]\nfind_overlaps = true\n[output]", &[], "is not available for tesseroids");
    assert_refused("'npy'", "'ubc'", &[], "output.formats[2] = \"ubc\": requires points in metres");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("it.toml");
    std::fs::write(&file, GRID).expect("written");
    let refused = |change: &[&str]| {
        let device = Some("cuda".parse().expect("a device"));
        let directory = format!("output.directory='{}'", folder.path().join("results").display());
        let overrides = change.iter().map(|&change| change.to_owned()).chain([directory]).collect();
        gravity(&file, &RunOptions { overrides, device, ..RunOptions::default() }).expect_err("GPUs do not support it")
    };
    let single = refused(&["method.precision='single'"]);
    assert!(matches!(single, Error::Gravity(GravityFailure::SingleTesseroids)), "{single:?}");
    let tree = refused(&["method.path='tree'", "method.accuracy=1e-5"]);
    assert!(matches!(tree, Error::Gravity(GravityFailure::Path { path: "tree", .. })), "{tree:?}");
    assert!(!folder.path().join("results").exists());
}
