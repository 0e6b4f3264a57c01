//! Seismograms: round trips, and errors of invalid files.

use std::fs;
use std::path::Path;

use craton_formats::sac::{self, SacQuantity, SacTrace};
use craton_formats::text_trace::{self, TextTrace};
use craton_formats::{DateTime, Result};
use proptest::prelude::*;

use crate::common::assert_refused;

fn full_sac() -> SacTrace {
    SacTrace {
        location: "00".to_owned(),
        unit: "m/s".to_owned(),
        quantity: SacQuantity::Velocity,
        origin: Some(0.0),
        pick: Some((29.0, "centroid".to_owned())),
        reference: Some(DateTime { year: 2024, month: 12, day: 31, hour: 23, minute: 59, second: 58.125 }),
        station_latitude: Some(-13.82),
        station_longitude: Some(-67.25),
        station_elevation: Some(3600.0),
        station_depth: Some(2.5),
        event_latitude: Some(1.5),
        event_longitude: Some(170.25),
        event_depth_km: Some(647.1),
        event_name: "NORTHERN BOLIVIA".to_owned(),
        distance_km: Some(7150.5),
        event_azimuth: Some(243.25),
        back_azimuth: Some(112.5),
        arc: Some(64.375),
        azimuth: Some(90.0),
        inclination: Some(90.0),
        user: std::array::from_fn(|index| (index % 2 == 0).then_some(index as f64)),
        ..SacTrace::new(["XX", "S10", "HXE"], -0.36, 0.01, vec![0.0, 1.5e-9, -2.25, 3.0e7])
    }
}

fn written(trace: &SacTrace) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sac");
    sac::write(&path, trace).unwrap();
    fs::read(path).unwrap()
}

fn parse_sac(bytes: &[u8]) -> Result<SacTrace> {
    sac::parse(bytes, Path::new("a.sac"))
}

fn parse_text(text: &str) -> Result<TextTrace> {
    text_trace::parse(text, Path::new("a.txt"))
}

#[test]
fn a_sac_trace_survives_a_round_trip_with_its_header() {
    assert_eq!(parse_sac(&written(&full_sac())).unwrap(), full_sac());
    let bare = SacTrace::new(["", "A", "Z"], 0.0, 0.25, vec![1.0]);
    assert_eq!(parse_sac(&written(&bare)).unwrap(), bare);
    assert_eq!(&written(&bare)[440..464], b"A       -12345          ");
}

#[test]
fn the_fields_of_sac_are_at_the_documented_positions() {
    let bytes = written(&full_sac());
    let float = |word: usize| f32::from_le_bytes(bytes[4 * word..][..4].try_into().unwrap());
    let integer = |word: usize| i32::from_le_bytes(bytes[4 * word..][..4].try_into().unwrap());
    assert_eq!(bytes.len(), 632 + 4 * 4);
    assert_eq!([float(0), float(5), float(6)], [0.01, -0.36, -0.33]);
    assert_eq!([float(1), float(2), float(56)], [-2.25, 3.0e7, 7_499_999.5]);
    assert_eq!([float(31), float(38), float(57), float(3)], [-13.82, 647.1, 90.0, -12345.0]);
    assert_eq!([70, 71, 72, 73, 74, 75].map(integer), [2024, 366, 23, 59, 58, 125]);
    assert_eq!([76, 79, 85, 86, 87, 105, 108].map(integer), [6, 4, 1, 7, 11, 1, 1]);
    assert_eq!([50, 51, 52, 53].map(float), [7150.5, 243.25, 112.5, 64.375]);
    assert_eq!(&bytes[440..464], b"S10     NORTHERN BOLIVIA");
    assert_eq!(&bytes[600..616], b"HXE     XX      ");
}

#[test]
fn either_byte_order_is_read() {
    let mut bytes = written(&full_sac());
    let text = 440..632;
    for word in (0..text.start).chain(text.end..bytes.len()).step_by(4).collect::<Vec<_>>() {
        bytes[word..word + 4].reverse();
    }
    assert_eq!(parse_sac(&bytes).unwrap(), full_sac());
}

#[test]
fn invalid_sac_files_are_refused() {
    let good = written(&full_sac());
    let with = |word: usize, value: [u8; 4]| {
        let mut bytes = good.clone();
        bytes[4 * word..4 * word + 4].copy_from_slice(&value);
        bytes
    };
    for (bytes, fragments) in [
        (
            good[..100].to_vec(),
            ["a.sac: header version NVHDR = none, since the file has 100 bytes", "is not SAC or was truncated"],
        ),
        (with(76, 9_i32.to_le_bytes()), ["NVHDR = 9", "expected 6"]),
        (good[..640].to_vec(), ["a.sac: size in bytes = 640", "648 for NPTS = 4"]),
        (with(79, (-1_i32).to_le_bytes()), ["NPTS = -1", "at least 1"]),
        (with(105, 0_i32.to_le_bytes()), ["LEVEN = 0", "evenly sampled"]),
        (with(85, 2_i32.to_le_bytes()), ["IFTYPE = 2", "a time series"]),
        (with(0, 0.0_f32.to_le_bytes()), ["DELTA = 0", "above 0"]),
        (with(5, f32::NAN.to_le_bytes()), ["B = absent or not finite", "seconds"]),
        (with(159, f32::NAN.to_le_bytes()), ["a.sac: sample 1 = NaN", "finite"]),
    ] {
        assert_refused(parse_sac(&bytes), &fragments);
    }
}

#[test]
fn sac_header_values_that_are_not_finite_are_absent() {
    let mut bytes = written(&full_sac());
    for (word, value) in [(7, f32::NAN), (31, f32::INFINITY), (40, f32::NEG_INFINITY)] {
        bytes[4 * word..4 * word + 4].copy_from_slice(&value.to_le_bytes());
    }
    let trace = parse_sac(&bytes).unwrap();
    assert_eq!((trace.origin, trace.station_latitude, trace.user[0]), (None, None, None));
    assert_eq!(trace.station_longitude, full_sac().station_longitude);
}

#[test]
fn traces_that_sac_cannot_represent_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.sac");
    let bad_day = DateTime { year: 2023, month: 2, day: 29, hour: 0, minute: 0, second: 0.0 };
    for (trace, fragments) in [
        (
            SacTrace { station: "A23456789".to_owned(), ..full_sac() },
            ["a.sac: not written: station = A23456789", "8 ASCII"],
        ),
        (SacTrace { event_name: "A".repeat(17), ..full_sac() }, ["event name = AAAA", "at most 16 ASCII"]),
        (SacTrace { network: "Ä".to_owned(), ..full_sac() }, ["network = Ä", "ASCII"]),
        (SacTrace { samples: vec![0.0, f32::NAN], ..full_sac() }, ["sample 1 = NaN", "expected finite samples"]),
        (SacTrace { samples: vec![], ..full_sac() }, ["number of samples = 0", "1 to"]),
        (SacTrace { delta: 0.0, ..full_sac() }, ["sampling interval = 0", "above 0"]),
        (SacTrace { begin: f64::NAN, ..full_sac() }, ["begin = NaN", "finite"]),
        (SacTrace { delta: 1e-60, ..full_sac() }, ["sampling interval = 0.000", "above 0"]),
        (SacTrace { station_depth: Some(1e60), ..full_sac() }, ["station depth = 1000", "single precision"]),
        (SacTrace { azimuth: Some(f64::INFINITY), ..full_sac() }, ["azimuth = inf", "finite"]),
        (SacTrace { reference: Some(bad_day), ..full_sac() }, ["reference time", "a valid date"]),
    ] {
        assert_refused(sac::write(&path, &trace), &fragments);
        assert!(!path.exists());
    }
}

fn full_text() -> TextTrace {
    TextTrace {
        header: vec![("station".to_owned(), "XX.S10".to_owned()), ("unit".to_owned(), "m/s".to_owned())],
        start_time: -0.36,
        dt: 0.007_654_321_987_654_321,
        samples: (0..1000).map(|index| f64::from((index as f32 * 0.1).sin() * 1e-9)).collect(),
    }
}

#[test]
fn a_text_trace_survives_a_round_trip_to_single_precision() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    text_trace::write(&path, &full_text()).unwrap();
    let read = text_trace::read(&path).unwrap();
    assert_eq!((&read.header, read.start_time, read.dt), (&full_text().header, -0.36, full_text().dt));
    assert_eq!(read.value("unit"), Some("m/s"));
    let single = |trace: &TextTrace| trace.samples.iter().map(|&sample| sample as f32).collect::<Vec<_>>();
    assert_eq!(single(&read), single(&full_text()));
}

#[test]
fn a_plain_trace_has_two_columns_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("XX.S10.HXX.semv");
    text_trace::write_plain(&path, &full_text()).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.lines().count(), 1000);
    assert!(text.starts_with("-3.600000000000e-1 0.000000000e0\n"), "{}", &text[..60]);
    let read = text_trace::read(&path).unwrap();
    assert!((read.dt / full_text().dt - 1.0).abs() < 1e-12, "{}", read.dt);
    assert!(read.header.is_empty());
}

#[test]
fn times_in_single_precision_count_as_even() {
    let line = |index: i32| format!("  {} 0.5\n", (f64::from(index) * 0.001 - 1.2) as f32);
    let text: String = (0..60_000).map(line).collect();
    let trace = parse_text(&text).unwrap();
    assert!((trace.dt - 0.001).abs() < 1e-9, "{}", trace.dt);
}

#[test]
fn invalid_text_traces_are_refused() {
    for (text, fragments) in [
        ("# a\n0 1\n", ["a.txt:3: the trace has 1 samples", "at least 2"]),
        ("0 1\n0.1 1 2\n", ["a.txt:2: sample = `0.1 1 2`", "two numbers"]),
        ("0 1\n0.1 NaN\n", ["a.txt:2: value = `NaN`", "no NaN"]),
        ("0 1\nx 1\n", ["a.txt:2: time = `x`", "expected a number"]),
        ("0 1\n0.1 1\n0.3 1\n0.4 1\n", ["a.txt:2: time = `0.1`", "even steps of"]),
        ("1 1\n0 1\n", ["a.txt:2: time = `0`", "increase"]),
        ("-1e308 1\n1e308 1\n", ["a.txt:2: time = `1000", "increase"]),
        ("# start_time: 0\n# dt: 0.2\n0 1\n0.1 1\n", ["a.txt:4: time = `0.1`", "even steps of 0.2 s"]),
    ] {
        assert_refused(parse_text(text), &fragments);
    }
}

#[test]
fn the_error_of_a_refused_sample_has_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    fs::write(&path, "# a comment\n0 1\n\n0.1 1e300\n").unwrap();
    let refused = text_trace::refuse(&path, 1, "at most 1e30").to_string();
    assert!(refused.ends_with("a.txt:4: value = `1e300`; expected at most 1e30"), "{refused}");
}

#[test]
fn invalid_text_traces_are_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    let header = |key: &str, value: &str| vec![(key.to_owned(), value.to_owned())];
    for (trace, fragments) in [
        (
            TextTrace { samples: vec![0.0, f64::NAN], ..full_text() },
            ["a.txt: not written: sample 1 = NaN", "expected finite samples"],
        ),
        (TextTrace { dt: -1.0, ..full_text() }, ["start time and sampling interval = -0.36 and -1", "above 0 s"]),
        (TextTrace { header: header("a:b", "c"), ..full_text() }, ["header line = a:b: c", "without a colon"]),
        (TextTrace { header: header("a", "b\nc"), ..full_text() }, ["header line", "no line break"]),
        (TextTrace { header: header("dt", "1"), ..full_text() }, ["header line = dt: 1", "a key"]),
    ] {
        assert_refused(text_trace::write(&path, &trace), &fragments);
        assert!(!path.exists());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_finite_samples_survive_a_round_trip_through_sac(
        samples in prop::collection::vec(prop::num::f32::NORMAL | prop::num::f32::ZERO, 1..50),
    ) {
        let trace = SacTrace::new(["N", "S", "Z"], 0.5, 0.125, samples);
        prop_assert_eq!(parse_sac(&written(&trace)).unwrap(), trace);
    }

    #[test]
    fn readers_of_traces_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..700), text in "[ -~\n]{0,100}") {
        let _ = parse_sac(&bytes);
        let mut header = written(&full_sac());
        let count = bytes.len().min(300);
        header[..count].copy_from_slice(&bytes[..count]);
        let _ = parse_sac(&header);
        let _ = parse_text(&text);
    }
}
