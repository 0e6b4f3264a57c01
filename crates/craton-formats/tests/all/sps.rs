//! SPS 2.1: fixed columns according to the standard, and errors that name the columns.

use std::path::Path;

use craton_formats::Result;
use craton_formats::sps::{self, Point, Relation, Sps};
use proptest::prelude::*;

use crate::common::assert_refused;

/// A marine shot, two receivers of which one has only the required fields, and a relation.
const SURVEY: &str = "\
H00 SPS format version num.     SPS 2.1, JAN2006
H26      1         2         3         4         5         6         7         8
H26 5678901234567890123456789012345678901234567890123456789012345678901234567890
S   1201.00    505.50  2A1 -12 7.5 -20 3  85.4 601234.5 5432100.3  -1.5172093015
R     17.00      1.00                          601240.0 5432100.0

R     17.00      2.00  1G1                     601265.0 5432100.0 -60.0
X   T42    10011    1201.00    505.502    1    2      17.00      1.00      2.001
";

fn parse(text: &str) -> Result<Sps> {
    sps::parse(text, Path::new("a.sps"))
}

/// The survey with other text at a column of a line, both from 1.
fn with(line: usize, column: usize, text: &str) -> Result<Sps> {
    let mut lines: Vec<_> = SURVEY.lines().map(str::to_owned).collect();
    lines[line - 1].replace_range(column - 1..column - 1 + text.len(), text);
    parse(&lines.join("\n"))
}

#[test]
fn points_are_read_from_the_columns_of_the_standard() {
    let Sps { sources, receivers, .. } = parse(SURVEY).unwrap();
    let source = Point {
        line: 1201.0,
        point: 505.5,
        index: 2,
        code: "A1".to_owned(),
        static_correction_ms: Some(-12.0),
        depth: Some(7.5),
        datum: Some(-20.0),
        uphole_time_ms: Some(3.0),
        water_depth: Some(85.4),
        easting: 601_234.5,
        northing: 5_432_100.3,
        elevation: Some(-1.5),
        day: Some(172),
        time: "093015".to_owned(),
    };
    assert_eq!(sources, [source]);
    let bare = Point {
        line: 17.0,
        point: 1.0,
        index: 1,
        code: String::new(),
        static_correction_ms: None,
        depth: None,
        datum: None,
        uphole_time_ms: None,
        water_depth: None,
        easting: 601_240.0,
        northing: 5_432_100.0,
        elevation: None,
        day: None,
        time: String::new(),
    };
    let full = Point { point: 2.0, code: "G1".to_owned(), easting: 601_265.0, elevation: Some(-60.0), ..bare.clone() };
    assert_eq!(receivers, [bare, full]);
}

#[test]
fn relations_are_read_from_the_columns_of_the_standard() {
    let relation = Relation {
        row: 8,
        tape: "T42".to_owned(),
        record: 1001,
        record_increment: 1,
        instrument: String::new(),
        source_line: 1201.0,
        source_point: 505.5,
        source_index: 2,
        from_channel: 1,
        to_channel: 2,
        channel_increment: 1,
        receiver_line: 17.0,
        from_receiver: 1.0,
        to_receiver: 2.0,
        receiver_index: 1,
    };
    assert_eq!(parse(SURVEY).unwrap().relations, [relation]);
}

#[test]
fn invalid_records_are_reported_with_their_columns() {
    for (read, fragments) in [
        (with(4, 47, "  6O1234."), ["a.sps:4: easting (columns 47-55) = `6O1234.`", "a number, like"]),
        (with(5, 56, "          "), ["a.sps:5: northing (columns 56-65) = ``", "a number"]),
        (with(4, 24, "x"), ["point index (column 24) = `x`", "an integer"]),
        (with(8, 8, "    -100"), ["a.sps:8: field record (columns 8-15) = `-100`", "an integer"]),
        (with(8, 39, "    5"), ["to channel (columns 44-48) = `2`", "at least 5, the first channel"]),
        (with(8, 49, "0"), ["channel increment (column 49) = `0`", "1 to 9"]),
        (with(1, 33, "SPS001,94"), ["a.sps:1: version = `H00", "export the file in revision 2.1"]),
        (with(1, 33, "SPS001,12.1.2004"), ["a.sps:1: version = `H00", "export the file in revision 2.1"]),
        (with(4, 1, "T"), ["a.sps:4: record = `T ", "starts with H, S, R or X"]),
        (parse("H26\n"), ["a.sps:2: the file has no records", "sources start with S"]),
    ] {
        assert_refused(read, &fragments);
    }
}

proptest! {
    #[test]
    fn the_reader_never_panics(text in "[SRX][ -~é\n]{0,100}", column in 1_usize..60) {
        let _ = parse(&text);
        let _ = with(4, column, "é");
    }
}

#[test]
fn a_version_may_have_a_name() {
    let versions = [
        "SPS 2.1,JAN2006",
        "SPS2.1,12.1.2006",
        "SPS-V2.1",
        "2.1",
        "SPS Rev.2.1",
        "SPS_2.1",
        "SPS 2.1.",
        "SPS2.1;12.1.06",
    ];
    for version in versions {
        assert!(with(1, 33, &format!("{version:16}")).is_ok(), "{version}");
    }
}

#[test]
fn non_ascii_characters_are_refused_except_in_headers() {
    let accent = SURVEY.replace("R     17.00      1.00   ", "R     17.00      1.00 é ");
    assert_refused(parse(&accent), &["a.sps:5", "ASCII"]);
    parse(&SURVEY.replace("JAN2006", "J\u{e4}n2006")).unwrap();
}

/// A source and a receiver after these headers.
fn in_unit(headers: &str) -> Result<Sps> {
    parse(&format!("{headers}{SURVEY}"))
}

const FEET: &str = "H20 Description of grid units   FEET;\n";

#[test]
fn lengths_are_converted_to_metres_from_the_unit_of_the_headers() {
    let name = |unit: &str| format!("H200Description of grid units   {unit};     \n");
    let factor = |factor: &str| format!("H201Factor to metre             {factor};     \n");
    let survey_foot = 1200.0 / 3937.0;
    for (headers, metres) in [
        (FEET.to_owned(), Some(0.3048)),
        (name("International Feet"), Some(0.3048)),
        (name("American Feet") + &factor("0.30480061"), Some(0.304_800_61)),
        (name("U.S. SURVEY FEET"), Some(survey_foot)),
        (name("ftUS"), Some(survey_foot)),
        (name("Mts"), Some(1.0)),
        (name("METRIC"), Some(1.0)),
        (name("METRES") + &factor("1.00000000"), Some(1.0)),
        (name("N/A") + &factor("N/A"), None),
        (name("n/a"), None),
        (name("None"), None),
        (name("CHAINS") + &factor("20.1168"), Some(20.1168)),
        (factor("0.001") + &name("millimetres"), Some(0.001)),
        (String::new(), None),
    ] {
        let read = in_unit(&headers).unwrap_or_else(|error| panic!("{headers}: {error}"));
        assert_eq!(read.metres_per_unit, metres, "{headers}");
        let metres = metres.unwrap_or(1.0);
        let source = &read.sources[0];
        let lengths = [source.depth, source.datum, source.water_depth, source.elevation].map(Option::unwrap);
        assert_eq!(lengths, [7.5, -20.0, 85.4, -1.5].map(|length| length * metres), "{headers}");
        assert_eq!([source.easting, source.northing], [601_234.5 * metres, 5_432_100.3 * metres], "{headers}");
        assert_eq!((source.static_correction_ms, source.uphole_time_ms, source.line), (Some(-12.0), Some(3.0), 1201.0));
        assert_eq!(read.receivers[1].elevation, Some(-60.0 * metres), "{headers}");
        assert_eq!(read.receivers[0].elevation, None, "{headers}");
    }
}

#[test]
fn unknown_and_contradictory_units_are_refused() {
    let factor = |factor: &str| format!("{FEET}H201Factor to metre             {factor};\n");
    for (headers, fragments) in [
        (FEET.replace("FEET", "CHAINS"), ["a.sps:1: unit of the grid = `CHAINS`", "a header H201"]),
        (factor("1.00000000"), ["a.sps:2: factor to metre = `1.00000000`", "0.3048, since the unit is `FEET`"]),
        (factor("0.0"), ["a.sps:2: factor to metre = `0.0`", "0.001 to 2000"]),
        (factor("0.3O48"), ["a.sps:2: factor to metre = `0.3O48`", "a number"]),
    ] {
        assert_refused(in_unit(&headers), &fragments);
    }
}

#[test]
fn a_point_at_two_positions_is_refused_with_both_lines() {
    let record = |kind: char, index: u32, x: f64| {
        format!("{kind}{:10.2}{:10.2}  {index}{:22}{x:9.1}{:10.1}{:6.1}\n", 1.0, 2.0, "", 0.0, 0.0)
    };
    for kind in ['S', 'R'] {
        let other = if kind == 'S' { 'R' } else { 'S' };
        let good = record(kind, 1, 10.0) + &record(kind, 2, 20.0) + &record(other, 1, 30.0) + &record(kind, 1, 10.0);
        let read = sps::parse(&good, Path::new("a.sps")).unwrap();
        assert_eq!(read.sources.len() + read.receivers.len(), 4);
        let said = ["a.sps:5: line 1, point 2, index 1 is on line 1 of the file at another position", "its own index"];
        assert_refused(sps::parse(&(good + &record(kind, 1, 11.0)), Path::new("a.sps")), &said);
    }
}
