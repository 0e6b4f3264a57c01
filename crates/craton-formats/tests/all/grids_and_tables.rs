//! Surfaces and tables: round trips, and errors that name file and line.

use std::path::Path;

use craton_formats::grid::{self, Grid, esri, xyz};
use craton_formats::table::{self, Table};
use craton_formats::{FormatError, Result};
use proptest::prelude::*;

use crate::common::assert_refused;

const ASC: &str = "\
ncols 3
nrows 2
xllcorner 1000
yllcorner -50
cellsize 100
NODATA_value -9999
7 8 9
4 5 6
";

fn asc(text: &str) -> Result<Grid> {
    esri::parse(text, Path::new("top.asc"))
}

fn points(text: &str) -> Result<Grid> {
    xyz::parse(text, Path::new("top.xyz"))
}

fn tab(text: &str) -> std::result::Result<Table, FormatError> {
    table::parse(text, Path::new("model.txt"))
}

#[test]
fn an_esri_grid_has_values_at_cell_centres_from_south_to_north() {
    let grid = asc(ASC).unwrap();
    assert_eq!(grid.x, [1050.0, 1150.0, 1250.0]);
    assert_eq!(grid.y, [0.0, 100.0]);
    assert_eq!(grid.values, [4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    assert_eq!(grid.value(2, 1), 9.0);
}

#[test]
fn an_esri_grid_may_have_a_centre_and_two_spacings() {
    let text = ASC.replace("xllcorner", "XLLCENTER").replace("cellsize 100", "dx 100\ndy 200");
    let grid = asc(&text).unwrap();
    assert_eq!(grid.x, [1000.0, 1100.0, 1200.0]);
    assert_eq!(grid.y, [50.0, 250.0]);
}

#[test]
fn invalid_esri_grids_are_refused() {
    for (from, to, fragments) in [
        ("nrows 2\n", "", ["top.asc:6: `nrows` is missing", "`nrows number`"]),
        ("cellsize 100", "", ["top.asc:7: `cellsize` is missing", "`cellsize` or `dx number`"]),
        ("cellsize 100", "cellsize 1e308", ["top.asc:1: 3 coordinates along x", "correct the corner"]),
        ("cellsize 100", "cellsize 1e-20", ["do not ascend", "cell size"]),
        ("cellsize 100", "cellsize -1", ["top.asc:5: cellsize = `-1`", "above 0"]),
        ("ncols 3", "ncols 2.5", ["top.asc:1: ncols = `2.5`", "an integer"]),
        ("ncols 3", "ncols 2000000000", ["top.asc:1: ncols = `2000000000`", "from 2 to 1000000000"]),
        ("nrows 2", "nrows 2\nncols 4", ["top.asc:3: ncols = `4`", "each key once; it is also on line 1"]),
        ("ncols 3\nnrows 2", "ncols 999999999\nnrows 999999999", ["the file ends with 6 values", "999999999 rows"]),
        ("ncols 3", "ncols three", ["top.asc:1: ncols = `three`", "expected a number"]),
        ("NODATA_value", "colour", ["top.asc:6: colour = `-9999`", "one of the keys ncols"]),
        (
            "5",
            "-9999",
            ["top.asc:8: value in row 2, column 2 = `-9999`", "NODATA, the first of 1 such values, at x = "],
        ),
        ("7", "nan", ["top.asc:7: value in row 1, column 1 = `nan`", "no NaN"]),
        ("8", "x", ["top.asc:7: value in row 1, column 2 = `x`", "expected a number"]),
        (" 6", "", ["top.asc:9: the file ends with 5 values", "2 rows of 3 are 6"]),
        ("6", "6 7", ["top.asc:8: more than 2 rows of 3 values", "correct ncols"]),
    ] {
        let text = replace_last(ASC, from, to);
        assert_refused(asc(&text), &fragments);
    }
}

fn replace_last(text: &str, from: &str, to: &str) -> String {
    let at = text.rfind(from).unwrap();
    format!("{}{to}{}", &text[..at], &text[at + from.len()..])
}

#[test]
fn grids_that_esri_cannot_represent_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.asc");
    let grid = asc(ASC).unwrap();
    let uneven = Grid { x: vec![0.0, 1.0, 3.0], ..grid.clone() };
    assert_refused(esri::write(&path, &uneven), &["a.asc: not written: spacing", "resample"]);
    let endless = Grid { values: vec![1.0, 2.0, 3.0, f64::INFINITY, 5.0, 6.0], ..grid.clone() };
    assert_refused(
        esri::write(&path, &endless),
        &["value at x = 1050, y = 100 = inf", "finite number, or NaN for a gap"],
    );
    let short = Grid { values: vec![1.0], ..grid };
    assert_refused(esri::write(&path, &short), &["number of values = 1", "3 x 2"]);
    assert!(!path.exists());
}

#[test]
fn gaps_of_esri_grids_are_nodata() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.asc");
    let written = |values: [f64; 6]| {
        esri::write(&path, &Grid { values: values.to_vec(), ..asc(ASC).unwrap() }).unwrap();
        std::fs::read_to_string(&path).unwrap()
    };
    let text = written([1.0, 2.0, 3.0, f64::NAN, 5.0, 6.0]);
    assert!(text.ends_with("cellsize 100\nNODATA_value -9999\n-9999 5 6\n1 2 3\n"), "{text}");
    let read = esri::read_with_gaps(&path).unwrap();
    assert!(read.values[3].is_nan());
    assert_eq!([&read.values[..3], &read.values[4..]].concat(), [1.0, 2.0, 3.0, 5.0, 6.0]);
    assert_refused(grid::read(&path), &["a.asc:7: value in row 1, column 1 = `-9999`", "fill or crop the grid"]);
    // A value equal to the usual NODATA value is kept.
    let text = written([-9999.0, 2.0, 3.0, f64::NAN, 5.0, 6.0]);
    assert!(text.ends_with("NODATA_value -99999\n-99999 5 6\n-9999 2 3\n"), "{text}");
    assert_eq!(esri::read_with_gaps(&path).unwrap().values[0], -9999.0);
    assert!(!written([1.0; 6]).contains("NODATA"));
}

#[test]
fn points_in_any_order_make_the_same_grid() {
    let grid = points("# x y z\n0 0 1\n10 0 2\n0 20 3\n10 20 4\n").unwrap();
    assert_eq!(grid, points("10,20,4\n0,0,1\n0,20,3\n10,0,2").unwrap());
    assert_eq!((grid.x, grid.y), (vec![0.0, 10.0], vec![0.0, 20.0]));
    assert_eq!(grid.values, [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn points_printed_with_few_digits_are_a_grid() {
    let mut text = String::new();
    for j in 0..40 {
        for i in 0..40 {
            text += &format!("{:.4} {:.4} {}\n", -70.0 + f64::from(i) / 120.0, f64::from(j) / 120.0, i + j);
        }
    }
    let grid = points(&text).unwrap();
    assert_eq!((grid.x.len(), grid.y.len()), (40, 40));
    assert_eq!(grid.value(39, 2), 41.0);
}

#[test]
fn points_that_are_not_a_grid_are_refused() {
    for (text, fragments) in [
        ("0 0 1\n1 0 2\n0 1 3\n", ["top.xyz:4: point x = 1, y = 1 of 2 x 2 points is missing", "add the point"]),
        ("0 0 1\n1 0 2\n0 1 3\n1 1 4\n1 0 9\n", ["top.xyz:5: point x = 1, y = 0 occurs twice", "remove one"]),
        (
            "0 0 1\n1 0 2\n3 0 3\n0 1 1\n1 1 2\n3 1 3",
            ["top.xyz:7: the points are not a regular grid: x steps from", "resample"],
        ),
        ("0 0 1\n0 1 2\n", ["top.xyz:3: the points have 1 distinct x", "at least 2 x 2"]),
        ("", ["top.xyz:1: the file has no points", "at least 2 x 2"]),
        ("0 0 1\n0 1 nan\n", ["top.xyz:2: z = `nan`", "no NaN"]),
        ("0 0\n", ["top.xyz:1: point = `0 0`", "three numbers"]),
        ("x y z\n0 0 1\n", ["top.xyz:1: `x y z` is not a point", "start it with #"]),
        ("5\n0 0 1\n", ["top.xyz:1: point = `5`", "three numbers"]),
    ] {
        assert_refused(points(text), &fragments);
    }
}

#[test]
fn the_kind_of_a_grid_is_detected_from_its_first_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("surface.txt");
    std::fs::write(&path, ASC).unwrap();
    assert_eq!(grid::read(&path).unwrap().0.x.len(), 3);
    std::fs::write(&path, "# top\n0 0 1\n10 0 2\n0 20 3\n10 20 4\n").unwrap();
    assert_eq!(grid::read(&path).unwrap().0.x.len(), 2);
}

#[test]
fn text_from_other_systems_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("surface.txt");
    let text = format!("\u{feff}{}", ASC.replace('\n', "\r\n"));
    std::fs::write(&path, text).unwrap();
    assert_eq!(grid::read(&path).unwrap().0, asc(ASC).unwrap());
    std::fs::write(&path, b"# M\xfcnchen\n0 0 1\n10 0 2\n0 20 3\n10 20 4\n").unwrap();
    assert_eq!(grid::read(&path).unwrap().0.values, [1.0, 2.0, 3.0, 4.0]);
}

#[test]
fn a_table_is_read_by_the_names_of_its_columns() {
    let text = "# PREM\ndepth vp, vs rho\n\n24400 8110 4491 3381 # Moho\n40000, 8106, 4485, 3379\n";
    let table = tab(text).unwrap();
    assert_eq!(table.names(), ["depth", "vp", "vs", "rho"]);
    assert_eq!(table.row_count(), 2);
    assert_eq!(table.require("vs").unwrap(), [4491.0, 4485.0]);
    assert_eq!(table.column("q_mu"), None);
}

#[test]
fn column_names_may_be_in_a_comment() {
    let table = tab("# velocity\n# columns: t N E U\n0 1 2 3\n0.1 4 5 6\n").unwrap();
    assert_eq!(table.column("E"), Some(&[2.0, 5.0][..]));
}

#[test]
fn invalid_tables_are_refused() {
    for (text, fragments) in [
        ("", ["model.txt:1: the file is empty", "names of the columns"]),
        ("depth vp\n", ["model.txt:2: the table has no rows", "below the names"]),
        ("0 8110\n", ["model.txt:1: name of a column = `0`", "like `depth vp vs rho`"]),
        ("vp vp\n1 2", ["model.txt:1: name of a column = `vp`", "a unique name"]),
        ("depth vp\n0 1\n1 2 3\n", ["model.txt:3: the row has 3 values, but the table has 2 columns", "`depth`, `vp`"]),
        ("depth vp\n0 NaN\n", ["model.txt:2: vp = `NaN`", "no NaN"]),
    ] {
        assert_refused(tab(text), &fragments);
    }
    let table = tab("depth vp\n0 1\n# deeper\n10 -2\n").unwrap();
    assert_refused(
        table.require("rho").map(<[f64]>::len),
        &["model.txt:1: there is no column `rho`, only `depth`, `vp`"],
    );
    let message = table.refuse("vp", 1, "a speed above 0 m/s").to_string();
    assert_eq!(message, "model.txt:4: vp = `-2`; expected a speed above 0 m/s");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn any_square_grid_survives_esri(
        (columns, rows) in (2_usize..6, 2_usize..6),
        first in -1e6_f64..1e6,
        spacing in 0.1_f64..1e4,
        seed in prop::collection::vec(-1e4_f64..1e4, 25),
    ) {
        let axis = |count: usize| (0..count).map(|index| first + index as f64 * spacing).collect::<Vec<_>>();
        let values = seed[..columns * rows].to_vec();
        let grid = Grid { x: axis(columns), y: axis(rows), values };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("grid.asc");
        esri::write(&path, &grid).unwrap();
        let read = grid::read(&path).unwrap().0;
        prop_assert_eq!(&read.values, &grid.values);
        for (a, b) in read.x.iter().chain(&read.y).zip(grid.x.iter().chain(&grid.y)) {
            prop_assert!((a - b).abs() <= 1e-9 * spacing + 1e-9);
        }
    }

    #[test]
    fn any_order_of_points_makes_the_grid(order in Just((0..20).collect::<Vec<usize>>()).prop_shuffle()) {
        let line = |index: usize| format!("{} {} {index}\n", 100 * (index % 5), 250 * (index / 5));
        let text: String = order.iter().map(|&index| line(index)).collect();
        let grid = points(&text).unwrap();
        prop_assert_eq!(grid.values, (0..20).map(f64::from).collect::<Vec<_>>());
    }

    #[test]
    fn readers_of_text_never_panic(text in "[ -~\n]{0,200}") {
        let _ = points(&text);
        let _ = asc(&format!("ncols 2\n{text}"));
        let _ = tab(&text);
    }
}

#[test]
fn a_topography_of_ubc_may_start_with_its_number_of_points() {
    let bare = "0 0 1\n1 0 2\n0 1 3\n1 1 4\n";
    assert_eq!(points(&format!("4\n{bare}")).unwrap(), points(bare).unwrap());
}

#[test]
fn binary_files_are_refused_with_their_kind() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("it.xyz");
    for (bytes, message) in [
        (&b"PK\x03\x04abc"[..], ["an archive (zip", "separate file"]),
        (b"II*\0abc", ["GeoTIFF", "gdal_translate"]),
        (b"\xff\xfe1\0", ["UTF-16", "UTF-8"]),
        (b"\x93NUMPY\x01\0", ["NumPy", ".npy"]),
        (b"1 2 3\n\0\0\x01", ["binary", "as text"]),
        (b"DSAA\n2 2\n", ["Surfer", "ESRI"]),
    ] {
        std::fs::write(&path, bytes).unwrap();
        if !bytes.starts_with(b"II") {
            assert_refused(grid::read(&path), &message);
        }
        if !bytes.starts_with(b"DSAA") {
            assert_refused(table::read(&path), &message);
        }
    }
}

#[test]
fn nodata_of_an_esri_grid_may_be_nan() {
    let text =
        |values: &str| format!("ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value nan\n{values}");
    let grid = esri::parse(&text("3 4\n1 2\n"), Path::new("a.asc")).unwrap();
    assert_eq!(grid.values, [1.0, 2.0, 3.0, 4.0]);
    assert_refused(
        esri::parse(&text("3 4\nNaN 2\n"), Path::new("a.asc")),
        &["row 2, column 1", "NODATA, the first of 1"],
    );
}
