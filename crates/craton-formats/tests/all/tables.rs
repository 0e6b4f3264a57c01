//! Tables with known columns, and large ones: with or without names, from any system, and with the first bad line reported.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use craton_formats::table::{self, Table};
use craton_formats::velocity_model;
use craton_formats::{FormatError, Result};
use proptest::prelude::*;

use crate::common::assert_refused;

const PRISM: [&str; 4] = ["west", "east", "top", "density"];

fn known(text: &str) -> Result<Table> {
    table::parse_columns(text, Path::new("prisms.csv"), &PRISM)
}

fn named(text: &str) -> Result<Table> {
    table::parse(text, Path::new("prisms.csv"))
}

#[test]
fn messages_do_not_repeat_long_files() {
    let names: Vec<String> = (0..10_000).map(|number| format!("c{number}")).collect();
    let word = "x".repeat(100_000);
    for text in [names.join(","), format!("1 2 3 {word}"), format!("{word} b"), format!("a b\n{word} 1")] {
        for message in [known(&text).map(drop), named(&text).map(drop)].map(|result| result.unwrap_err().to_string()) {
            assert!(message.len() < 3500, "{message}");
        }
    }
}

#[test]
fn known_columns_are_read_with_and_without_names() {
    let wanted = vec![vec![0.0, 10.0], vec![10.0, 20.0], vec![-1.0, -2.0], vec![300.0, -150.5]];
    for text in [
        "0 10 -1 300\n10 20 -2 -150.5\n",
        "# made by hand\n\n0,10,-1,3e2\n10,20,-2,-1.505d2 # the last one",
        "west,east,top,density\n0,10,-1,300\n10,20,-2,-150.5\n",
        "density west top east\n300 0 -1 10\n-150.5 10 -2 20\n",
        "# columns: top density east west\n-1 300 10 0\n-2 -150.5 20 10\n",
        "id,west,east,name,top,density\nP1,0,10,Hill,-1,300\n2,10,20,été,-2,-150.5\n",
    ] {
        let table = known(text).unwrap();
        assert_eq!((table.names().to_vec(), table.row_count()), (PRISM.map(str::to_owned).to_vec(), 2), "{text}");
        assert_eq!(table.column("top"), Some(&[-1.0, -2.0][..]));
        assert_eq!(table.into_columns(), wanted, "{text}");
    }
}

#[test]
fn mixed_commas_and_blanks_are_refused() {
    let mixed = "some of the values are separated by commas, others by blanks; separate all by commas or all by blanks, \
                 and write decimal points, not decimal commas";
    let points = |text: &str| table::parse_columns(text, Path::new("p.txt"), &["x", "y", "z"]);
    for (text, line) in [
        ("1 2 3\n1000,5 2000\n", 2),
        ("x y z\n1 2 3\n1000,5 2000\n", 3),
        ("x,y,z\n1,2,3\n1000,5 2000,7\n", 3),
        ("1,2,3\n1000,5 2000,7\n", 2),
    ] {
        assert_eq!(points(text).unwrap_err().to_string(), format!("p.txt:{line}: {mixed}"), "{text}");
    }
    for text in [
        "1000,5\t2000\n",
        "1000,5 2000\n",
        "1000,5\t2000,5\t10,0\n",
        "x\ty\tz\n1000,5 2000,5 10,0\n",
        "1000,5,2000,5,10,0\n",
    ] {
        assert_refused(points(text), &["decimal points, not decimal commas"]);
    }
    for text in ["1, 2 ,3\n4\t,5 , 6\n", "1 2\t3\n4,5,6\n", "x y z\n1,2,3\n4\t5 6\n", "1,2,3,\n4,5,6\n"] {
        assert_eq!(points(text).unwrap().into_columns(), [[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]], "{text}");
    }
}

#[test]
fn tabs_separate_names_and_words_that_contain_blanks() {
    let text = "Station id\tx (m)\tnote\ty\nKop 1\t1000\t\t20\nKop 2\t2000\tin the shade\t30\n";
    let table = table::parse_columns(text, Path::new("p.txt"), &["y", "x (m)"]).unwrap();
    assert_eq!(table.into_columns(), [[20.0, 30.0], [1000.0, 2000.0]]);
    assert_eq!(table::parse_words(text, Path::new("p.txt"), "Station id").unwrap(), ["Kop 1", "Kop 2"]);
    // Decimal commas are refused.
    let german = table::parse_columns("x\ty\n1000,5\t7\n", Path::new("p.txt"), &["x", "y"]);
    assert_refused(german, &["p.txt:2: x = `1000,5`"]);
}

#[test]
fn additional_columns_require_names() {
    assert_refused(
        known("0 10 -1 300 7\n"),
        &["the row has 5 values", "or the names of all columns on the first line"],
    );
}

#[test]
fn tables_without_the_known_columns_are_refused() {
    for (text, message) in [
        ("", "prisms.csv:1: the file is empty; start it with the names of the columns"),
        (
            "# x\nwest east top rho\n0 1 2 3\n",
            "prisms.csv:2: there is no column `density`, only `west`, `east`, `top`, `rho`; rename or add the column",
        ),
        (
            "0 10 -1\n",
            "prisms.csv:1: the row has 3 values, but the table has 4 columns; \
             write one value for each of `west`, `east`, `top`, `density`",
        ),
        (
            "0 10 -1 300\n0 10 -1 -\n",
            "prisms.csv:2: density = `-`; expected a number, like 1250, -0.5 or 1.2e-3; \
             put column names on the first line, and start comments with #",
        ),
        (
            "west east top density\n0 10 -1 x\n",
            "prisms.csv:2: density = `x`; expected a number, like 1250, -0.5 or 1.2e-3",
        ),
        ("west west\n1 2\n", "prisms.csv:1: name of a column = `west`; expected a unique name"),
        ("0 1 2 inf\n", "prisms.csv:1: density = `inf`; expected a finite number (no NaN, no infinity)"),
    ] {
        assert_eq!(known(text).unwrap_err().to_string(), message);
    }
    let table = known("0 10 -1 300\n# a comment\n\n0 10 -1 7\n").unwrap();
    let message = table.refuse("density", 1, "at least 10").to_string();
    assert_eq!(message, "prisms.csv:4: density = `7`; expected at least 10");
}

#[test]
fn commas_between_names_also_separate_the_values() {
    let wanted = vec![vec![0.0, 10.0], vec![10.0, 20.0], vec![-1.0, -2.0], vec![300.0, -150.5]];
    for text in [
        "Hill name,west,east,top,density\nThe old mill,0,10,-1,300\nB,10,20,-2,-150.5\n",
        ",west,east,top,density\n0,0,10,-1,300\n1,10,20,-2,-150.5\n",
        "\"name\",\"west\",\"east\",\"top\",\"density\"\n\"a, b\",0,10,-1,300\n\"c\",10,20,-2,-150.5\n",
        "west,east,remark,top,density,when\n0,10,,-1,300,\n10,20,see 7,-2,-150.5,2 May\n",
        "west, east, top, density\n0 10 -1 300\n10, 20, -2, -150.5,\n",
    ] {
        assert_eq!(known(text).unwrap().into_columns(), wanted, "{text}");
    }
    let message = known("west,east,top,density\n0,,-1,300\n").unwrap_err().to_string();
    assert_eq!(message, "prisms.csv:2: east = ``; expected a number, like 1250, -0.5 or 1.2e-3");
    let message = known("a hill,west,east,top,density\nA,0 10,-1,300\n").unwrap_err().to_string();
    assert!(message.starts_with("prisms.csv:2: the row has 4 values, but the table has 5 columns; "), "{message}");
    let table = named("depth,vp,\n0,5,\n10,6,\n").unwrap();
    assert_eq!(
        (table.names(), table.column("vp")),
        (&["depth".to_owned(), "vp".to_owned()][..], Some(&[5.0, 6.0][..]))
    );
}

#[test]
fn words_are_read_row_by_row() {
    let words = |text: &str, name| table::parse_words(text, Path::new("stations.csv"), name);
    for text in [
        "name,x\nThe old mill,1\n\n# north\n\"Bridge, \"\"new\"\"\",2\n",
        "x,\"name\",\n1,The old mill,\n2,\"Bridge, \"\"new\"\"\",\n",
    ] {
        assert_eq!(words(text, "name").unwrap(), ["The old mill", "Bridge, \"new\""], "{text}");
    }
    assert_eq!(words("# columns: x name\n1 A ! first\n2 B\n", "name").unwrap(), ["A", "B"]);
    assert_refused(words("x y\n1 2\n", "name"), &["stations.csv:1: there is no column `name`, only `x`, `y`"]);
    assert_refused(words("x name\n1 A\n2\n", "name"), &["stations.csv:3: the row has 1 values"]);
    assert_refused(words("1 2\n", "name"), &["stations.csv:1: name of a column = `1`", "names on the first line"]);
}

#[test]
fn column_names_are_read_without_the_rows() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("stations.csv");
    let names = |text: &str| {
        fs::write(&path, text).unwrap();
        table::column_names(&path).unwrap()
    };
    let some = |names: [&str; 2]| Some(names.map(str::to_owned).to_vec());
    assert_eq!(names("# old\nStation name,Easting (m)\n"), some(["Station name", "Easting (m)"]));
    assert_eq!(names("# columns: x y\n1 2\n"), some(["x", "y"]));
    assert_eq!(names("1 2\n"), None);
}

#[test]
fn semicolons_between_values_are_reported() {
    let expected = "the values are separated by semicolons; \
                separate them by blanks or commas, and write decimal points, not decimal commas";
    for (text, line) in [
        ("west;east;top;density\n0;10;-1;300\n", 1),
        ("0;10;-1;300\n", 1),
        ("0,5;10,5;-1;300\n", 1),
        ("0; 10; -1; 300\n", 1),
        ("west east top density\n0 10 -1 300\n0;10;-1;300\n", 3),
    ] {
        assert_eq!(known(text).unwrap_err().to_string(), format!("prisms.csv:{line}: {expected}"), "{text}");
    }
    for text in ["vp;vs\n1;2\n", "vp;vs\n1,5;2,5\n", "vp; vs\n1; 2\n", "vp;vs\n1 2\n"] {
        assert_eq!(named(text).unwrap_err().to_string(), format!("prisms.csv:2: {expected}"), "{text}");
    }
}

#[test]
fn names_may_be_in_a_comment_below_the_rows() {
    let table = named("0 1\n# columns: t u\n2 3\n").unwrap();
    assert_eq!((table.column("t"), table.column("u")), (Some(&[0.0, 2.0][..]), Some(&[1.0, 3.0][..])));
    assert_refused(table.require("v").map(<[f64]>::len), &["prisms.csv:2: there is no column `v`, only `t`, `u`"]);
}

/// Lines of 7 numbers, enough for several pieces of a large file.
fn many_rows(rows: usize, end: &str) -> String {
    let mut text = String::from("west,east,south,north,bottom,top,density");
    text += end;
    for row in 0..rows {
        if row % 50_000 == 49_999 {
            write!(text, "# another tile{end}{end}").unwrap();
        }
        write!(text, "{row}.25,{row}.75,0,1e1,-5,-0.125,{}{end}", row % 97).unwrap();
    }
    text
}

const ROWS: usize = 400_000;
const SEVEN: [&str; 7] = ["west", "east", "south", "north", "bottom", "top", "density"];

#[test]
fn large_tables_are_read_with_byte_order_marks_and_crlf() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prisms.csv");
    fs::write(&path, format!("\u{feff}{}", many_rows(ROWS, "\r\n"))).unwrap();
    assert!(fs::metadata(&path).unwrap().len() > 3 << 22, "the file must take several pieces");
    let table = table::read(&path).unwrap();
    assert_eq!(table.row_count(), ROWS);
    let (west, density) = (table.require("west").unwrap(), table.require("density").unwrap());
    assert!((0..ROWS).all(|row| west[row] == row as f64 + 0.25 && density[row] == (row % 97) as f64));
    for row in [0, 49_998, 49_999, 50_000, 123_456, ROWS - 1] {
        let line = 2 + row + 2 * ((row + 1) / 50_000);
        assert!(table.refuse("top", row, "x").to_string().contains(&format!("prisms.csv:{line}: top = `-0.125`")));
    }
    let columns = table::read_columns(&path, &SEVEN).unwrap().into_columns();
    assert_eq!(columns, table.into_columns());
}

#[test]
fn the_first_bad_line_of_a_large_table_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("prisms.csv");
    let mut text = many_rows(ROWS, "\n");
    for row in [150_000, 250_000, 390_000] {
        text = text.replacen(&format!("\n{row}.25,"), &format!("\n{row}.2.5,"), 1);
    }
    fs::write(&path, text).unwrap();
    let message = table::read(&path).unwrap_err().to_string();
    let expected = "prisms.csv:150008: west = `150000.2.5`; expected a number, like 1250, -0.5 or 1.2e-3";
    assert!(message.ends_with(expected), "{message}");
}

#[test]
fn missing_files_are_reported() {
    assert_refused(table::read(Path::new("nowhere.csv")), &["nowhere.csv: cannot read the file", "check the path"]);
    assert_refused(table::read(Path::new(".")), &[".: cannot read the file"]);
}

/// The rows as found by a simple reference parser.
fn plainly(text: &str) -> Option<Vec<Vec<f64>>> {
    let rows = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let split = |row: &'_ str| -> Option<Vec<f64>> {
        let data = row.split(['!', '#']).next().unwrap();
        let words = data.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty());
        words.map(|word| word.replace(['d', 'D'], "e").parse().ok().filter(|value: &f64| value.is_finite())).collect()
    };
    let rows: Vec<_> = rows.map(split).collect::<Option<_>>()?;
    rows.iter().all(|row| row.len() == 2).then_some(rows)
}

/// A row as printed by many programs, an invalid row, a comment, or nothing.
const LINE: &str = concat!(
    "( |,|\t)?(-?[0-9]{1,3}(\\.[0-9]{0,18})?((e|D)-?[0-9]{1,2})?|x)?",
    "( |,|\u{2003}| , )[0-9]{1,20}(,|!|# 7|\r)?|#.{0,5}|"
);

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn rows_agree_with_a_simple_reference_parser(
        lines in prop::collection::vec(LINE, 1..8),
    ) {
        let text = format!("a b\n{}", lines.join("\n"));
        let rows = plainly(&text[4..]).filter(|rows| !rows.is_empty());
        let found = named(&text).ok().map(|table| {
            let columns = table.clone().into_columns();
            (0..table.row_count()).map(|row| vec![columns[0][row], columns[1][row]]).collect::<Vec<_>>()
        });
        prop_assert_eq!(found, rows);
    }

    #[test]
    fn tables_of_known_columns_never_panic(text in "[ -~\n\u{e9}]{0,200}") {
        let refused: std::result::Result<Table, FormatError> = known(&text);
        if let Err(error) = refused {
            prop_assert!(error.to_string().starts_with("prisms.csv:"));
        }
    }
}

#[test]
fn velocity_models_are_tables_in_kilometres() {
    let read = |text: &str, name: &str| velocity_model::parse(text, Path::new(name));
    let tvel = "model - P\nmodel - S\n 0.000 5.8 3.36 2.72\n20.0 5.8 3.36 2.72 # crust\n20.0 6.5 3.75 2.92\n";
    let table = read(tvel, "a.tvel").unwrap();
    assert_eq!(table.names(), ["depth_km", "vp_km_s", "vs_km_s", "rho_g_cm3"]);
    assert_eq!(table.column("vp_km_s").unwrap(), [5.8, 5.8, 6.5]);
    assert_eq!(table.line(2), 5);
    let nd = "0. 5.8 3.2 2.6 1456. 600. // crust\n24.4 5.8 3.2 2.6 1456 600\nmantle\n24.4 8.1 4.4 3.38 1446 600\n\nouter-core\n2891 8.06 0 9.9 57822 0\n";
    let table = read(nd, "a.ND").unwrap();
    assert_eq!(table.names().last().unwrap(), "qs");
    assert_eq!(table.column("qs").unwrap(), [600.0, 600.0, 600.0, 0.0]);
    assert_eq!(table.column("depth_km").unwrap()[2], 24.4);
    assert!(velocity_model::is_named(Path::new("x/prem.nd")) && !velocity_model::is_named(Path::new("prem.txt")));
    let ragged = read("0 5.8 3.2 2.6\nmoho\n24.4 8.1 4.4\n", "a.nd").unwrap_err().to_string();
    assert!(ragged.contains("a.nd:3"), "{ragged}");
    assert!(read("title\ntitle\n", "a.tvel").is_err() && read("mantle\n", "a.nd").is_err());
}
