//! GCMT catalogues, with events from the published catalogue.

use std::path::Path;

use craton_formats::ndk::{self, Constraint, MomentRate, NdkEvent};
use craton_formats::{DateTime, Result};

use crate::common::assert_refused;

const CHILE: &str = "\
PDEW 2006/04/09 20:50:46.0 -20.45  -70.24  34.6 5.5 5.8 NEAR COAST OF NORTHERN C
C200604092050A   B: 88  166  40 S: 96  189  50 M: 41   52 125 CMT: 1 TRIHD:  1.8
CENTROID:      5.3 0.1 -20.46 0.01  -70.73 0.01  39.0  0.4 FREE S-20060726112355
24  4.180 0.069 -1.700 0.046 -2.480 0.060 -1.050 0.052 -2.410 0.075 -2.280 0.038
V10   4.975 73 100   0.120  8 216  -5.095 15 308   5.035  49 30  106 211 61   81
";
const MARIANA: &str = "\
PDEW 2013/03/01 03:29:46.8  21.76  143.98 153.2 5.3 5.5 MARIANA ISLANDS REGION
C201303010329A   B:111  195  40 S:136  279  50 M:  0    0   0 CMT: 0 TRIHD:  1.3
CENTROID:      1.9 0.1  21.86 0.01  144.22 0.01 152.1  0.7 FREE S-20130603104822
24  0.714 0.023 -1.320 0.027  0.610 0.029  1.010 0.020  1.390 0.020  0.486 0.028
V10   2.364 45 294  -0.620 35  69  -1.740 24 177   2.052 313 38  159  60 77   54
";
const KURIL: &str = "\
PDEW 2013/03/01 13:20:49.9  50.96  157.41  29.0 6.3 6.5 KURIL ISLANDS
C201303011320A   B:145  377  50 S:146  368  50 M:135  259 125 CMT: 2 BOXHD:  4.5
CENTROID:      5.3 0.0  50.68 0.00  157.90 0.00  41.1  0.2 BDY  S-20130603113003
26  0.719 0.004 -0.235 0.003 -0.485 0.003  0.221 0.003  0.273 0.003 -0.353 0.002
V10   0.800 77 313   0.014  2 216  -0.815 13 126   0.807 214 32   87  37 58   92
";
/// The time of the centroid and its standard error touch.
const PHILIPPINES: &str = "\
PDE  1996/11/20 19:42:56.1  10.30  127.43  33.0 5.6 5.3 PHILIPPINE ISLANDS REGIO
B112096E         B: 35   58  45 S:  0    0   0 M:  0    0   0 CMT: 1 BOXHD: 22.0
CENTROID:      1.060.0  10.47 0.03  127.42 0.03  15.0  0.0 BDY  O-00000000000000
24 -4.983 0.133 -0.092 0.153  5.075 0.173 -0.433 0.443  0.715 0.469 -2.898 0.141
V10   6.430  4 246  -1.390  2 156  -5.050 86  45   5.740 338 41  -88 154 49  -92
";

fn parse(text: &str) -> Result<Vec<NdkEvent>> {
    ndk::parse(text, Path::new("a.ndk"))
}

fn catalogue() -> String {
    [CHILE, MARIANA, KURIL].concat()
}

#[test]
fn an_event_has_the_values_of_the_catalogue() {
    let events = parse(CHILE).unwrap();
    let wanted = NdkEvent {
        catalogue: "PDEW".to_owned(),
        origin: DateTime { year: 2006, month: 4, day: 9, hour: 20, minute: 50, second: 46.0 },
        hypocentre_latitude: -20.45,
        hypocentre_longitude: -70.24,
        hypocentre_depth_km: 34.6,
        mb: 5.5,
        ms: 5.8,
        region: "NEAR COAST OF NORTHERN C".to_owned(),
        name: "C200604092050A".to_owned(),
        constraint: Constraint::ZeroTrace,
        moment_rate: MomentRate::Triangle,
        half_duration: 1.8,
        time_shift: 5.3,
        latitude: -20.46,
        longitude: -70.73,
        depth_km: 39.0,
        depth_type: "FREE".to_owned(),
        time_stamp: "S-20060726112355".to_owned(),
        moment_dyn_cm: [4.18e24, -1.7e24, -2.48e24, -1.05e24, -2.41e24, -2.28e24],
        scalar_moment_dyn_cm: 5.035e24,
        nodal_planes: Some([[49.0, 30.0, 106.0], [211.0, 61.0, 81.0]]),
    };
    assert_eq!(events, [wanted]);
    let event = &events[0];
    let wanted = [-2.48e17, -1.7e17, 4.18e17, 1.05e17, -2.41e17, 2.28e17];
    let is_near = |(found, wanted): (f64, f64)| (found - wanted).abs() < 1e-12 * wanted.abs();
    assert!(event.moment_newton_metre().into_iter().zip(wanted).all(is_near), "{:?}", event.moment_newton_metre());
    assert!(is_near((event.scalar_moment(), 5.035e17)) && event.depth() == 39_000.0);
    assert_eq!(event.centroid_time().iso(), "2006-04-09T20:50:51.300000Z");
}

#[test]
fn a_catalogue_has_any_number_of_events_with_any_line_ends() {
    let events = parse(&catalogue()).unwrap();
    assert_eq!(
        events.iter().map(|event| event.name.as_str()).collect::<Vec<_>>(),
        ["C200604092050A", "C201303010329A", "C201303011320A"]
    );
    let [_, mariana, kuril] = &events[..] else { panic!("{events:?}") };
    assert_eq!((mariana.constraint, kuril.constraint), (Constraint::General, Constraint::DoubleCouple));
    assert_eq!((mariana.moment_rate, kuril.moment_rate), (MomentRate::Triangle, MomentRate::Boxcar));
    assert_eq!((mariana.depth_km, mariana.longitude, kuril.half_duration), (152.1, 144.22, 4.5));
    assert_eq!(kuril.moment_dyn_cm, [7.19e25, -2.35e25, -4.85e25, 2.21e25, 2.73e25, -3.53e25]);
    for other in [
        catalogue().replace('\n', "\r\n"),
        catalogue().replace('\n', "   \n"),
        format!("\n{}", catalogue().replace("V10", "\nV10")),
        catalogue().trim_end().to_owned(),
    ] {
        assert_eq!(parse(&other).unwrap(), events);
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.ndk");
    std::fs::write(&path, catalogue()).unwrap();
    assert_eq!(ndk::read(&path).unwrap(), events);
}

#[test]
fn numbers_that_touch_are_cut_at_their_columns() {
    let touching = CHILE
        .replace("24  4.180 0.069 -1.700", "24-14.18010.069-11.700")
        .replace("-20.46 0.01  -70.73 0.01  39.0", "-20.46 0.01 -170.7310.01 639.0");
    let event = &parse(PHILIPPINES).unwrap()[0];
    assert_eq!((event.time_shift, event.latitude, event.longitude, event.depth_km), (1.0, 10.47, 127.42, 15.0));
    assert_eq!(event.nodal_planes, Some([[338.0, 41.0, -88.0], [154.0, 49.0, -92.0]]));
    let event = &parse(&touching).unwrap()[0];
    assert_eq!(event.moment_dyn_cm, [-14.18e24, -11.7e24, -2.48e24, -1.05e24, -2.41e24, -2.28e24]);
    assert_eq!((event.latitude, event.longitude, event.depth_km), (-20.46, -170.73, 639.0));
}

#[test]
fn second_60_and_a_quick_solution_without_planes_are_read() {
    let text = CHILE.replace("20:50:46.0", "20:50:60.0").replace("S-2006", "Q-2006");
    let text = text.replace("  49 30  106 211 61   81", "");
    let event = &parse(&text).unwrap()[0];
    assert_eq!((event.origin.second, event.nodal_planes), (60.0, None));
    assert_eq!(event.centroid_time().iso(), "2006-04-09T20:51:05.300000Z");
    assert_eq!(event.time_stamp, "Q-20060726112355");
}

/// Two events written by the format, as in the list of quick solutions; ObsPy 1.5.1 reads the same values from them.
const QUICK: &str = "\
PDEQ 2024/02/29 23:59:58.5 -21.25  -70.50  10.0 0.0 0.0 NORTHERN CHILE
C202402292359A   B:  0    0   0 S: 41   66  50 M:  0    0   0 CMT: 1 TRIHD:  0.7
CENTROID:      3.0 0.4 -21.30 0.03  -70.61 0.04  12.0  0.0 FIX  Q-20240301023000
23  1.250 0.400 -0.500 0.300 -0.750 0.350  0.100 0.900 -2.000 0.800  0.250 0.150
V10   2.400 68  85  -0.300  2 350  -2.100 22 259   2.250 345 23   85 170 67   92
SWEQ 2024/03/01 00:10:16.0  51.00  179.75  12.0 0.0 5.1
S202403010010A   B:  0    0   0 S: 30   45  50 M:  0    0   0 CMT: 1 TRIHD:  0.9
CENTROID:     -1.2 0.4  51.10 0.03  179.60 0.04  15.5  1.0 FREE Q-20240301040000
23 -1.250 0.400  0.500 0.300  0.750 0.350  0.100 0.900 -2.000 0.800  0.250 0.150
V10   2.100 22 259   0.300  2 350  -2.400 68  85   2.250 345 23   85 170 67   92
";

#[test]
fn quick_solutions_are_read() {
    let events = parse(QUICK).unwrap();
    assert!(events.iter().all(NdkEvent::is_quick) && !parse(CHILE).unwrap()[0].is_quick());
    let places: Vec<_> = events.iter().map(|event| [event.latitude, event.longitude, event.depth()]).collect();
    assert_eq!(places, [[-21.3, -70.61, 12_000.0], [51.1, 179.6, 15_500.0]]);
    let times: Vec<_> = events.iter().map(|event| event.centroid_time().iso()).collect();
    assert_eq!(times, ["2024-03-01T00:00:01.500000Z", "2024-03-01T00:10:14.800000Z"]);
    let moments: Vec<_> = events.iter().map(|event| (event.moment_dyn_cm[0], event.scalar_moment_dyn_cm)).collect();
    assert_eq!(moments, [(1.25e23, 2.25e23), (-1.25e23, 2.25e23)]);
    assert_eq!((&*events[1].catalogue, &*events[1].region, events[1].half_duration), ("SWEQ", "", 0.9));
    assert_eq!(events[0].nodal_planes, Some([[345.0, 23.0, 85.0], [170.0, 67.0, 92.0]]));
}

#[test]
fn fields_that_a_quick_solution_lacks_are_blank() {
    // Without magnitudes, region, type of the depth, time stamp, version and planes.
    let text = QUICK.replace(" 0.0 0.0 NORTHERN CHILE", "").replace("FIX  Q-20240301023000", "").replace("V10", "   ");
    let text = text.replace(" 345 23   85 170 67   92", "");
    let [bare, _] = &parse(&text).unwrap()[..] else { panic!("two events") };
    let [full, _] = &parse(QUICK).unwrap()[..] else { panic!("two events") };
    let blank = NdkEvent {
        region: String::new(),
        depth_type: String::new(),
        time_stamp: String::new(),
        nodal_planes: None,
        ..full.clone()
    };
    assert_eq!(*bare, blank);
}

#[test]
fn invalid_fields_are_refused_with_their_line() {
    for (old, new, fragments) in [
        ("03/01 03", "14/01 03", ["a.ndk:6: reference time", "2006/04/09 20:50:46.0 in columns 6 to 26"]),
        (" 21.76 ", " AA.76 ", ["a.ndk:6: latitude of the hypocentre = `AA.76`", "a number"]),
        (" 21.76 ", " 99.45 ", ["a.ndk:6: latitude of the hypocentre = `99.45`", "-90 to 90"]),
        ("153.2 5.3", "153.2 x.3", ["a.ndk:6: mb = `x.3`", "a number"]),
        ("C201303010329A", "              ", ["a.ndk:7: event name = ``", "columns 1 to 16"]),
        ("CMT: 0", "CMT: 3", ["a.ndk:7: type of the source = `CMT: 3`", "CMT: 0, CMT: 1 or CMT: 2"]),
        ("TRIHD:  1.3", "TRAPZ:  1.3", ["a.ndk:7: moment rate = `TRAPZ:  1.3`", "TRIHD: or BOXHD:"]),
        ("TRIHD:  1.3", "TRIHD: -1.3", ["a.ndk:7: half duration = `-1.3`", "at least 0"]),
        ("CENTROID:      1.9", "CENTRE:        1.9", ["a.ndk:8: this is not the line of a centroid", "missing"]),
        (" 144.22", " 944.22", ["a.ndk:8: longitude of the centroid = `944.22`", "-180 to 360"]),
        ("24  0.714", "2x  0.714", ["a.ndk:9: exponent = `2x`", "columns 1 and 2"]),
        ("24  0.714", "24  0.7e4", ["a.ndk:9: Mrr = `0.7e4`", "without an exponent"]),
        ("2.052 313", "2.x52 313", ["a.ndk:10: scalar moment = `2.x52`", "a number"]),
    ] {
        let text = catalogue().replacen(old, new, 1);
        assert_ne!(text, catalogue(), "{old}");
        assert_refused(parse(&text), &fragments);
    }
}

#[test]
fn an_incomplete_catalogue_is_refused() {
    assert_refused(parse("\n"), &["a.ndk:2: the file has no events", "five lines"]);
    let lines: Vec<_> = MARIANA.lines().take(3).collect();
    assert_refused(parse(&[CHILE, &lines.join("\n")].concat()), &["a.ndk:9: the last event has 3 lines", "truncated"]);
    let missing = catalogue().replacen(CHILE.lines().nth(3).unwrap(), "", 1);
    assert_refused(parse(&missing), &["a.ndk:5: exponent = `V1`"]);
}

#[test]
fn damaged_catalogues_do_not_panic() {
    let bytes = catalogue().into_bytes();
    for place in 0..bytes.len() {
        for wrong in [b'\n', b' ', b'-', b'9', b'e', 0xC3, 0] {
            let mut damaged = bytes.clone();
            damaged[place] = wrong;
            let _ = parse(&String::from_utf8_lossy(&damaged));
        }
        let _ = parse(&String::from_utf8_lossy(&bytes[..place]));
        let _ = parse(&String::from_utf8_lossy(&bytes[place..]));
    }
}
