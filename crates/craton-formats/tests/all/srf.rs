//! Finite faults in the Standard Rupture Format.

use std::path::Path;

use craton_formats::Result;
use craton_formats::srf::{self, SrfFile, SrfPlane, SrfPoint, SrfVersion};

use crate::common::assert_refused;

const TWO_SEGMENTS: &str = "\
2.0
# A comment, 1 2 3.
PLANE 2
  -118.5150  34.3440  2  1   4.00  2.00
  122 40  5.00  1.00  1.50
  -118.4500  34.3000  1  1   2.00  2.00
  130 45  5.00  -999.9  -999.9
POINTS 2
-118.5260 34.3400 5.6428 122 40 4.0e+10 0.5000 1.0e-01 3.2e+05 2.7
 90 20.00 4 -5.0 2 0.00 0
  0.0 1.5e+02
  5.0e+01
  0.0 -25.0 -25.0
# Between points.
-118.5040 34.3300 5.6428 122 40 4.0e+10 0.8000 1.0e-01 -1 -1.0
 95 0.00 0 0.00 0 0.00 0
POINTS 1
-118.4500 34.2900 6.0 130 45 4.0e+10 1.25 0.05 3.0e+05 2.5
 180 0 0 0 0 1.0 3
0 10 10";

fn version_1() -> String {
    let points = ["1.0e-01 3.2e+05 2.7", "1.0e-01 -1 -1.0", "0.05 3.0e+05 2.5"];
    let text = TWO_SEGMENTS.replacen("2.0", "1.0", 1);
    points.iter().fold(text, |text, line| text.replace(line, line.split(' ').next().unwrap()))
}

fn parse(text: &str) -> Result<SrfFile> {
    srf::parse(text.as_bytes(), Path::new("a.srf"))
}

#[test]
fn a_file_has_planes_segments_and_points() {
    let file = parse(TWO_SEGMENTS).unwrap();
    assert_eq!(file.version, SrfVersion::Two);
    assert_eq!(file.segments, [0..2, 2..3]);
    let plane = SrfPlane {
        longitude: -118.515,
        latitude: 34.344,
        along_strike: 2,
        down_dip: 1,
        length_km: 4.0,
        width_km: 2.0,
        strike: 122.0,
        dip: 40.0,
        top_depth_km: 5.0,
        hypocentre_along_strike_km: 1.0,
        hypocentre_down_dip_km: 1.5,
    };
    assert_eq!((file.planes.len(), file.planes[0]), (2, plane));
    let point = SrfPoint {
        longitude: -118.526,
        latitude: 34.34,
        depth_km: 5.6428,
        strike: 122.0,
        dip: 40.0,
        area_cm2: 4e10,
        start: 0.5,
        interval: 0.1,
        vs_cm_s: Some(3.2e5),
        density_g_cm3: Some(2.7),
        rake: 90.0,
        slip_cm: [20.0, -5.0, 0.0],
        counts: [4, 2, 0],
        first_sample: 0,
    };
    assert_eq!(file.points[0], point);
    assert_eq!((file.points[1].vs_cm_s, file.points[1].density_g_cm3, file.points[1].counts), (None, None, [0; 3]));
    assert_eq!((file.points[2].rake, file.points[2].first_sample), (180.0, 6));
}

#[test]
fn slip_rates_belong_to_their_component_and_are_converted_to_si() {
    let file = parse(TWO_SEGMENTS).unwrap();
    let [first, second, third] = &file.points[..] else { panic!("{file:?}") };
    assert_eq!(file.samples, [0.0, 150.0, 50.0, 0.0, -25.0, -25.0, 0.0, 10.0, 10.0]);
    assert_eq!(file.sliprate_cm_s(first, 0), [0.0, 150.0, 50.0, 0.0]);
    assert_eq!(file.sliprate_cm_s(first, 1), [-25.0, -25.0]);
    assert!(file.sliprate_cm_s(first, 2).is_empty() && file.sliprate_cm_s(second, 0).is_empty());
    assert_eq!(file.sliprate_m_s(first, 0).collect::<Vec<_>>(), [0.0, 1.5, 0.5, 0.0]);
    assert_eq!(file.sliprate_m_s(third, 2).collect::<Vec<_>>(), [0.0, 0.1, 0.1]);
    let near = |found: f64, wanted: f64| (found - wanted).abs() <= 1e-12 * wanted.abs();
    assert!(near(first.area_m2(), 4e6) && near(first.depth(), 5642.8));
    assert!(near(first.vs().unwrap(), 3200.0) && near(first.density().unwrap(), 2700.0));
    assert!(first.slip_m().into_iter().zip([0.2, -0.05, 0.0]).all(|(found, wanted)| near(found, wanted)));
    let slip: f64 = file.sliprate_m_s(first, 0).sum::<f64>() * first.interval;
    assert!(near(slip, first.slip_m()[0]), "{slip}");
}

#[test]
fn version_1_has_no_medium() {
    let (one, two) = (parse(&version_1()).unwrap(), parse(TWO_SEGMENTS).unwrap());
    assert_eq!(one.version, SrfVersion::One);
    let without = |point: &SrfPoint| SrfPoint { vs_cm_s: None, density_g_cm3: None, ..*point };
    assert_eq!(one.points, two.points.iter().map(without).collect::<Vec<_>>());
    assert_eq!((one.planes, one.samples), (two.planes, two.samples));
}

#[test]
fn line_ends_comments_and_planes_are_optional() {
    let wanted = parse(TWO_SEGMENTS).unwrap();
    assert_eq!(parse(&TWO_SEGMENTS.replace('\n', " \r\n")).unwrap(), wanted);
    assert_eq!(parse(&format!("\u{feff}{TWO_SEGMENTS}\n")).map_err(|_| ()), Err(()));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.srf");
    std::fs::write(&path, format!("\u{feff}{TWO_SEGMENTS}\n")).unwrap();
    assert_eq!(srf::read(&path).unwrap(), wanted);
    let (header, points) = TWO_SEGMENTS.split_at(TWO_SEGMENTS.find("POINTS").unwrap());
    assert!(header.contains("PLANE"));
    let bare = parse(&format!("2.0\n{points}")).unwrap();
    assert!(bare.planes.is_empty() && bare.points == wanted.points);
}

#[test]
fn invalid_files_are_refused_with_their_line() {
    for (old, new, fragments) in [
        ("2.0\n#", "3.0\n#", ["a.srf:1: version = `3.0`", "1.0 or 2.0"]),
        ("2.0\n#", "1.0\n#", ["a.srf:9: the line has more than 8 values", "expected 8: LON LAT"]),
        ("PLANE 2", "PLANES 2", ["a.srf:3: keyword = `PLANES`", "PLANE or POINTS"]),
        ("2  1   4.00", "2  1.5 4.00", ["a.srf:4: NDIP = `1.5`", "an integer from 1"]),
        (
            "122 40  5.00  1.00  1.50",
            "122 40  5.00  1.00",
            ["a.srf:5: the line has 4 values", "STK DIP DTOP SHYP DHYP"],
        ),
        ("POINTS 2", "POINTS 900", ["a.srf:8: number of points = `900`", "the rest of the file can hold"]),
        ("POINTS 2", "POINTS 3", ["a.srf:17: the line has 2 values", "expected 10: LON"]),
        ("34.3400 5.6428", "94.3400 5.6428", ["a.srf:9: LAT = `94.3400`", "-90 to 90"]),
        ("5.6428 122 40", "5.6428 122 140", ["a.srf:9: DIP = `140`", "0 to 90"]),
        ("4.0e+10 0.5000", "-4.0e+10 0.5000", ["a.srf:9: AREA = `-4.0e+10`", "at least 0"]),
        ("0.5000 1.0e-01", "0.5000 0", ["a.srf:9: DT = `0`", "above 0"]),
        ("0.5000 1.0e-01", "inf 1.0e-01", ["a.srf:9: TINIT = `inf`", "finite"]),
        ("20.00 4 -5.0", "20.00 4.5 -5.0", ["a.srf:10: NT1 = `4.5`", "an integer"]),
        ("20.00 4 -5.0", "20.00 4000000000 -5.0", ["a.srf:10: NT1 = `4000000000`", "can hold"]),
        ("20.00 4 -5.0", "20.00 3 -5.0", ["a.srf:13: the line has 1 values", "expected 10: LON"]),
        ("1.5e+02", "1.5f+02", ["a.srf:11: slip rate = `1.5f+02`", "single precision"]),
        ("1.5e+02", "1.5e+42", ["a.srf:11: slip rate = `1.5e+42`", "finite number"]),
        ("0 10 10", "0 10", ["a.srf:20: the file ends after 2 of 3 slip rates", "truncated"]),
        ("0 10 10", "0 10 10 10", ["a.srf:20: keyword = `10`", "correct them"]),
    ] {
        let text = TWO_SEGMENTS.replacen(old, new, 1);
        assert_ne!(text, TWO_SEGMENTS, "{old}");
        assert_refused(parse(&text), &fragments);
    }
    assert_refused(parse(""), &["a.srf:1: version = ``"]);
    assert_refused(parse("1.0\n# nothing\n"), &["a.srf:3: the file has no points", "POINTS"]);
}

#[test]
fn damaged_files_do_not_panic() {
    for text in [TWO_SEGMENTS.to_owned(), version_1()] {
        let bytes = text.into_bytes();
        for place in 0..bytes.len() {
            for wrong in [b'\n', b' ', b'-', b'9', b'e', b'#', 0xC3, 0] {
                let mut damaged = bytes.clone();
                damaged[place] = wrong;
                let _ = srf::parse(&damaged, Path::new("a.srf"));
            }
            let _ = srf::parse(&bytes[..place], Path::new("a.srf"));
            let _ = srf::parse(&bytes[place..], Path::new("a.srf"));
        }
    }
}
