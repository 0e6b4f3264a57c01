use std::fmt::Write as _;

use super::*;
use crate::volume::Axis;

fn read_text(text: &str, column: Option<&str>) -> Result<Volume> {
    parse(text, Path::new("a.xyz"), column)
}

fn refused(text: &str, column: Option<&str>) -> String {
    read_text(text, column).expect_err("this input must be refused").to_string()
}

fn assert_refused(text: &str, column: Option<&str>, fragments: &[&str]) {
    let message = refused(text, column);
    for fragment in fragments {
        assert!(message.contains(fragment), "`{fragment}` is not in: {message}");
    }
}

/// Lines of a grid of 3 x 2 x 2 points, x fastest; the value is 100 i + 10 j + k.
fn points(after: &str) -> Vec<String> {
    let mut lines = Vec::new();
    for (k, z) in [-20.0, -10.0].into_iter().enumerate() {
        for (j, y) in [5.0, 10.0].into_iter().enumerate() {
            for (i, x) in [1000.0, 1500.0, 2000.0].into_iter().enumerate() {
                lines.push(format!("{x} {y} {z} {}{after}", 100 * i + 10 * j + k));
            }
        }
    }
    lines
}

fn wanted(z: &str) -> Volume {
    let axis = |count, origin, spacing, label| Axis::new(count, origin, spacing).named(label, "m");
    let axes = vec![axis(3, 1000.0, 500.0, "x"), axis(2, 5.0, 5.0, "y"), axis(2, -20.0, 10.0, z)];
    let values = [0, 100, 200, 10, 110, 210, 1, 101, 201, 11, 111, 211].map(|value| value as f32);
    Volume::new(axes, values.to_vec()).unwrap()
}

fn model(lines: &[String]) -> String {
    format!("# made\n1000 5 -20 2000 10 -10\n500 5 10 # steps\n\n3 2 2\n0 300 0 1 1 2\n{}\n", lines.join("\n"))
}

#[test]
fn a_tomographic_model_has_the_grid_of_its_header() {
    let text = model(&points(" 1.5 2.5d0"));
    assert_eq!(read_text(&text, Some("vp")).unwrap(), wanted("elevation"));
    assert_eq!(read_text(&text, Some("VS")).unwrap().values(), [1.5; 12]);
    assert_eq!(read_text(&text, Some("6")).unwrap().values(), [2.5; 12]);
    assert_eq!(read_text(&text, Some("density")).unwrap().values(), [2.5; 12]);
    assert_refused(&text, Some("qp"), &["there is no column `qp`", "`x`, `y`, `z`, `vp`, `vs`, `rho`"]);
    assert_refused(&text, None, &["the file has 3 columns of values", "select one"]);
    let text = model(&points(" 1 2 80 40"));
    assert_eq!(read_text(&text, Some("qs")).unwrap().values(), [40.0; 12]);
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), &text).unwrap();
    assert_eq!(columns(file.path()).unwrap(), ["x", "y", "z", "vp", "vs", "rho", "qp", "qs"]);
    let header = tomography(file.path()).unwrap().unwrap();
    assert_eq!((header.counts, header.vp, header.rho), ([3, 2, 2], [0.0, 300.0], [1.0, 2.0]));
    assert_eq!((header.origin, header.spacing), ([1000.0, 5.0, -20.0], [500.0, 5.0, 10.0]));
}

#[test]
fn a_descending_model_keeps_its_direction() {
    let text = "0 0 0 10 0 -40\n10 0 -20\n2 1 3\n1 9 1 9 1 9\n0 0 0 1 1 1\n10 0 0 2 1 1\n0 0 -20 3 1 1\n\
                10 0 -20 4 1 1\n0 0 -40 5 1 1\n10 0 -40 6 1 1\n";
    let volume = read_text(text, Some("vp")).unwrap();
    assert_eq!(volume.values(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!((volume.axes()[2].origin, volume.axes()[2].spacing), (0.0, -20.0));
    assert_eq!((volume.axes()[1].count, volume.axes()[1].spacing), (1, 1.0));
}

#[test]
fn damaged_models_are_refused() {
    let lines = points(" 1.5 2.5");
    assert_refused(
        &model(&lines[..7]),
        Some("vp"),
        &["a.xyz:14: the header announces 3 x 2 x 2 points, of which at least 5 are missing"],
    );
    let mut gap = lines.clone();
    gap[4] = "# lost".to_owned();
    let fragments = ["a.xyz:19: ", "of which 1 are missing, the first at x = 1500, y = 10, z = -20"];
    assert_refused(&model(&gap), Some("vp"), &fragments);
    let mut twice = lines.clone();
    twice.push(lines[1].clone());
    assert_refused(&model(&twice), Some("vp"), &["a.xyz:19: the point x = 1500, y = 5, z = -20 occurs twice"]);
    let mut off = lines.clone();
    off[2] = "2010 5 -20 1 1 1".to_owned();
    assert_refused(
        &model(&off),
        Some("vp"),
        &["a.xyz:9: x = `2010`; expected one of 3 values from 1000 to 2000 by 500"],
    );
    let mut short = lines.clone();
    short[3] = "1000 10 -20 1".to_owned();
    assert_refused(&model(&short), Some("vp"), &["a.xyz:10: the row has 4 values, but the table has 6 columns"]);
    let head = "0 0 0 1 1 1\n1 1 1\n";
    assert_refused(head, Some("vp"), &["a.xyz:3: the file ends within the header"]);
    assert_refused(
        &format!("{head}2 2\n1 2 1 2 1 2\n0 0 0 1 1 1"),
        None,
        &["a.xyz:3: the line has 2 values", "`NX NY NZ`"],
    );
    assert_refused(&format!("{head}2 2 0.5\n1 2 1 2 1 2\n0 0 0 1 1 1"), None, &["a.xyz:3: NZ = `0.5`"]);
    assert_refused(&format!("{head}2 2 2\n1 2 1 2 1 2\n0 0 0 1 1"), None, &["a.xyz:5: the first point has 5 values"]);
    let huge = format!("{head}1e9 1e9 1e9\n1 2 1 2 1 2\n0 0 0 1 1 1");
    assert_refused(&huge, Some("vp"), &["1000000000 x 1000000000 x 1000000000 points"]);
    assert_refused("0 0 0 1 1 1\n0 1 1\n2 2 2\n1 2 1 2 1 2\n0 0 0 1 1 1", None, &["a.xyz:2: SPACING_X = `0`"]);
}

#[test]
fn a_table_in_any_order_is_a_grid() {
    let mut lines = points("");
    for step in [1, 5, 7, 11] {
        lines = (0..12).map(|index| lines[index * step % 12].clone()).collect();
        let text = lines.join("\n");
        assert_eq!(read_text(&text, None).unwrap(), wanted("elevation"));
        assert_eq!(read_text(&text, Some("4")).unwrap(), wanted("elevation"));
        assert_eq!(
            read_text(&format!("x,y,depth,vp\n{}", text.replace(' ', ",")), Some("vp")).unwrap(),
            wanted("depth")
        );
        assert_eq!(
            read_text(&format!("# easting northing (m) elev_m vp(m/s)\n# and\n{text}\n"), Some("Vp")).unwrap(),
            wanted("elevation")
        );
        for piece in [1, 7, 40] {
            let source = Source::of_text(Path::new("a"), &text).in_pieces_of(piece);
            assert_eq!(TextReader::new(source, None).unwrap().read_whole().unwrap(), wanted("elevation"));
        }
    }
}

#[test]
fn coordinates_are_converted_to_metres() {
    let volume = read_text("vp x[km] y_km depth(ft)\n1 0 0 10\n2 1.5 0 10\n", None).unwrap();
    let axes: Vec<_> = volume.axes().iter().map(|axis| (axis.count, axis.origin, axis.spacing, &*axis.label)).collect();
    assert_eq!(axes, [(2, 0.0, 1500.0, "x"), (1, 0.0, 1.0, "y"), (1, 3.048, 1.0, "depth")]);
    let volume = read_text("lon lat z vp\n-118.2 34 0 1\n-118.1 34 0 2\n-118.0 34 0 3", None).unwrap();
    assert_eq!((&*volume.axes()[0].label, &*volume.axes()[0].unit), ("longitude", "degrees"));
    assert_eq!(volume.values(), [1.0, 2.0, 3.0]);
}

#[test]
fn names_and_units_are_those_of_the_file() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let cases: [(&str, &[&str], &[&str]); 3] = [
        (
            "# columns: X Y Z Vp(km/s) rho_g/cm3\n1 2 3 4 5\n",
            &["x", "y", "z", "vp", "rho"],
            &["", "", "", "km/s", "g/cm3"],
        ),
        ("# a comment in five words\n1 2 3 4 5\n", &["x", "y", "z", "4", "5"], &[""; 5]),
        ("\"id\",\"x (m)\",\"y (m)\",\"depth (km)\"\nP1,1,2,3\n", &["id", "x", "y", "depth"], &["", "m", "m", "km"]),
    ];
    for (text, names, of_names) in cases {
        std::fs::write(file.path(), text).unwrap();
        assert_eq!(columns(file.path()).unwrap(), names);
        assert_eq!(units(file.path()).unwrap(), of_names);
        assert_eq!(tomography(file.path()).unwrap(), None);
    }
}

#[test]
fn damaged_tables_are_refused() {
    let lines = points("");
    assert_refused(
        &lines[..11].join("\n"),
        None,
        &["a.xyz:12: the points belong to a grid of 3 x 2 x 2 points, of which at least 1 are missing"],
    );
    let mut twice = lines.clone();
    twice[11] = lines[0].clone();
    assert_refused(&twice.join("\n"), None, &["a.xyz:12: the point x = 1000, y = 5, z = -20 occurs twice"]);
    let mut off = lines.clone();
    off[1] = "1501 5 -20 3".to_owned();
    assert_refused(
        &off.join("\n"),
        None,
        &["a.xyz:2: the points are not a regular grid: x is 1501 instead of 1500, for even steps of 500;"],
    );
    let gap: Vec<String> = (0..4).map(|index| format!("{} 0 0 1", [0, 1, 2, 4][index])).collect();
    assert_refused(&gap.join("\n"), None, &["a.xyz:4: ", "x steps from 2 to 4, but the mean step is 1.33"]);
    let mut bad = lines.clone();
    bad[6] = "1000 5 -10 nan".to_owned();
    assert_refused(&bad.join("\n"), None, &["a.xyz:7: 4 = `nan`; expected a finite number"]);
    bad[6] = "1000 5 -10 1e39".to_owned();
    assert_refused(&bad.join("\n"), None, &["a.xyz:7: value = `1", "below 3.4e38"]);
    assert_refused("", None, &["the file has no points"]);
    assert_refused("x y z vp\n", None, &["a.xyz:2: the file has no points"]);
    assert_refused("1 2 3\n", None, &["a.xyz:1: the first point has 3 values"]);
    assert_refused("a b z vp\n1 2 3 4", None, &["there is no column `x` or `longitude` among `a`, `b`, `z`, `vp`"]);
    assert_refused("x y z depth vp\n1 2 3 4 5", None, &["there are both `z` and `depth`"]);
    assert_refused("x(s) y z vp\n1 2 3 4", None, &["`x` has the unit `s` instead of m, km or ft"]);
    assert_refused("x y z vp vp\n1 2 3 4 5", Some("vp"), &["the column `vp` occurs 2 times"]);
    assert_refused("x y z vp\n1 2 3 4", Some("9"), &["there is no column 9"]);
    assert_refused("0 0 0 1\n1e308 0 0 1\n-1e308 0 0 1", None, &["not a regular grid"]);
}

#[test]
fn rounded_coordinates_are_even() {
    let mut text = String::new();
    for index in 0..1000 {
        writeln!(text, "{:.1} 4000000.{} 0 {index}", 500_000.0 + f64::from(index) * 1000.0 / 3.0, index % 2).unwrap();
    }
    // The last digits of y differ by as much as two points.
    assert_refused(&text, None, &["a grid of 1000 x 2 x 1 points"]);
    let volume = read_text(&text.replace(".1 0", ".0 0"), None).unwrap();
    assert!((volume.axes()[0].spacing - 1000.0 / 3.0).abs() < 1e-4);
    assert_eq!(volume.values()[999], 999.0);
}

#[test]
fn mutated_bytes_never_panic() {
    let table = format!("# x y z vp\n{}\n", points("").join("\n"));
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for text in [table, model(&points(" 1 2")), format!("x,y,depth(km),rho\n{}", points("").join("\n"))] {
        for _ in 0..4000 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..=next(3) {
                let at = next(bytes.len().max(1));
                match next(if bytes.is_empty() { 1 } else { 3 }) {
                    0 if bytes.is_empty() => bytes.push(b'1'),
                    0 => bytes[at] = b"0123456789.-+eEdD \t\n,#!()\"xyz\xC3\xFF"[next(30)],
                    1 => drop(bytes.remove(at)),
                    _ => bytes.truncate(at + 1),
                }
            }
            let text = String::from_utf8_lossy(&bytes);
            for column in [None, Some("vp"), Some("4")] {
                match read_text(&text, column) {
                    Ok(volume) => assert!(volume.values().iter().all(|value| value.is_finite())),
                    Err(error) => assert!(error.to_string().len() < 3500),
                }
            }
        }
    }
}
