//! NonLinLoc's hypocentre-phase files, written by hand; their origins are compared with those that ObsPy 1.5.1 reads.

use std::fs;
use std::path::{Path, PathBuf};

use craton_formats::nonlinloc::{self, Mechanism, NllEvent, Status};
use craton_formats::{DateTime, Result};

use crate::common::assert_refused;

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/all/nonlinloc/samples/{name}.hyp"))
}

fn summary() -> String {
    fs::read_to_string(sample("north.sum.grid0.loc")).unwrap()
}

fn parse(text: &str) -> Result<Vec<NllEvent>> {
    nonlinloc::parse(text, Path::new("a.hyp"))
}

#[test]
fn a_summary_has_the_origins_that_obspy_reads() {
    let events = nonlinloc::read(&sample("north.sum.grid0.loc")).unwrap();
    let of = |event: &NllEvent| (event.origin.iso(), [event.latitude, event.longitude, event.depth()]);
    let wanted = [
        ("2024-02-29T23:59:56.750000Z".to_owned(), [-21.125, -70.0625, 12_500.0]),
        ("2024-03-01T00:11:03.500000Z".to_owned(), [-21.5, -179.75, -562.5]),
        ("2024-03-01T00:20:01.250000Z".to_owned(), [-21.0, -71.0, 35_000.0]),
    ];
    assert_eq!(events.iter().map(of).collect::<Vec<_>>(), wanted);
    assert_eq!(events.iter().map(|event| &*event.public_id).collect::<Vec<_>>(), ["smi:local/event/1", "", ""]);
    let status = [Status::Located, Status::Located, Status::Rejected];
    assert_eq!(events.iter().map(|event| event.status).collect::<Vec<_>>(), status);
}

#[test]
fn magnitudes_and_mechanisms_are_read_if_they_are_known() {
    let events = parse(&summary()).unwrap();
    let magnitudes: Vec<_> = events.iter().map(|event| (event.amplitude_magnitude, event.magnitude())).collect();
    assert_eq!(magnitudes, [(Some(4.1), Some(4.1)), (None, Some(2.25)), (None, None)]);
    // The file has the dip direction, 90 degrees clockwise from the strike.
    let mechanism = |strike, dip, rake| Some(Mechanism { strike, dip, rake });
    let wanted = [mechanism(30.0, 35.0, -90.0), None, mechanism(300.0, 90.0, 180.0)];
    assert_eq!(events.iter().map(|event| event.mechanism).collect::<Vec<_>>(), wanted);
    let names: Vec<_> = events.iter().map(|event| (event.line, &*event.name)).collect();
    assert_eq!(names, [(1, "north.20240229.235956"), (19, "north.20240301.001000"), (37, "north.20240301.002000")]);
}

#[test]
fn arrivals_are_skipped() {
    let events = nonlinloc::read(&sample("phases")).unwrap();
    // A station has the name of a line.
    assert_eq!((events.len(), events[0].magnitude(), &*events[0].name), (1, Some(4.1), "20240229.235956"));
    let refused = events[0].refuse(Path::new("a.hyp"), "has no focal mechanism", "give one");
    assert_eq!(refused.to_string(), "a.hyp:1: event `20240229.235956` has no focal mechanism; give one");
}

#[test]
fn line_ends_negative_seconds_and_missing_lines_are_read() {
    let events = parse(&summary()).unwrap();
    assert_eq!(parse(&summary().replace('\n', "\r\n")).unwrap(), events);
    let early = &parse(&summary().replacen("59 56.75", "59 -3.25", 1)).unwrap()[0];
    assert_eq!(early.origin.iso(), "2024-02-29T23:58:56.750000Z");
    let short = "NLLOC \"a\" \"LOCATED\" \"\"\nGEOGRAPHIC OT 2000 1 1 0 0 0.5 Lat 1 Long 359 Depth 3\nEND_NLLOC";
    let origin = DateTime { year: 2000, month: 1, day: 1, hour: 0, minute: 0, second: 0.5 };
    let event = &parse(short).unwrap()[0];
    assert_eq!((&*event.name, event.origin, event.magnitude(), event.mechanism), ("a", origin, None, None));
    let aborted = format!("NLLOC \"b\" \"ABORTED\" \"no observations\"\nEND_NLLOC\n{short}");
    assert_eq!(parse(&aborted).unwrap().len(), 1);
}

#[test]
fn invalid_fields_are_refused_with_their_line() {
    for (old, new, fragments) in [
        ("02 29  23", "02 30  23", ["a.hyp:8: origin time = `2024 02 30 23 59 56.75`", "a valid date and time"]),
        ("OT 2024 02 29", "2024 02 29", ["a.hyp:8: origin time", "after OT"]),
        ("Lat -21.125", "Lat 5323.28", ["a.hyp:8: Lat of GEOGRAPHIC = `5323.28`", "-90 to 90 degrees; locate with"]),
        ("Long -70.0625 D", "Long inf D", ["a.hyp:8: Long of GEOGRAPHIC = `inf`", "finite"]),
        ("Depth 12.5", "Depth", ["a.hyp:8: Depth of GEOGRAPHIC = ``", "a number"]),
        ("Mamp 4.10", "Mamp x", ["a.hyp:9: Mamp = `x`", "a number"]),
        ("Mech  120 35", "Mech  120 95", ["a.hyp:16: dip = `95`", "0 to 90 degrees"]),
        ("Mech  120 35 -90", "Mech", ["a.hyp:16: dip direction = `mf`", "a number"]),
        ("\"LOCATED\"", "\"FOUND\"", ["a.hyp:1: status = `FOUND`", "LOCATED, REJECTED, ABORTED or IGNORED"]),
        ("GEOGRAPHIC", "GEO", ["a.hyp:1: the event has no GEOGRAPHIC line", "truncated"]),
        ("END_NLLOC", "", ["a.hyp:19: the event before this line has no END_NLLOC", "truncated"]),
    ] {
        let text = summary().replacen(old, new, 1);
        assert_ne!(text, summary(), "{old}");
        assert_refused(parse(&text), &fragments);
    }
    assert_refused(parse("# none\n"), &["a.hyp:2: the file has no locations", "NLLOC, GEOGRAPHIC and END_NLLOC"]);
    let text = summary();
    assert_refused(parse(text.trim_end().strip_suffix("END_NLLOC").unwrap()), &["no END_NLLOC"]);
}

#[test]
fn damaged_files_do_not_panic() {
    let bytes = fs::read(sample("phases")).unwrap();
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
