//! CMTSOLUTION, FORCESOLUTION and STATIONS: round trips, and errors of invalid files.

use std::path::Path;

use craton_formats::cmtsolution::{self, CmtSource};
use craton_formats::forcesolution::{self, ForceSource, ForceTimeFunction};
use craton_formats::stations::{self, Station};
use craton_formats::{DateTime, FormatError};

use crate::common::assert_refused;

const BOLIVIA: &str = "\
PDE  1994  6  9  0 33 16.40 -13.8300  -67.5600 637.0 6.9 6.8 NORTHERN BOLIVIA
event name:     060994A
time shift:     0.0000
half duration: 20.0000
latorUTM:     -13.8200
longorUTM:    -67.2500
depth:        647.1000
Mrr:      -7.590000e+27
Mtt:       7.750000d+27
Mpp:      -1.600000e+26
Mrt:      -2.503000e+28
Mrp:       4.200000e+26
Mtp:      -2.480000e+27
";

const FORCE: &str = "\
FORCE  001
time shift:     0.5
f0:             10.0      ! Ricker
latorUTM:       67000.0
longorUTM:      -12.5
depth:          0.25
source time function:            1
factor force source:             2.d15
component dir vect source E:     0.d0
component dir vect source N:     3.d0
component dir vect source Z_UP:  -4.d0
";

fn cmt(text: &str) -> Result<Vec<CmtSource>, FormatError> {
    cmtsolution::parse(text, Path::new("DATA/CMTSOLUTION"))
}

fn force(text: &str) -> Result<Vec<ForceSource>, FormatError> {
    forcesolution::parse(text, Path::new("DATA/FORCESOLUTION"))
}

fn station_list(text: &str) -> Result<Vec<Station>, FormatError> {
    stations::parse(text, Path::new("DATA/STATIONS"))
}

fn without_line(text: &str, number: usize) -> String {
    let lines = text.lines().enumerate().filter(|(index, _)| index + 1 != number);
    lines.map(|(_, line)| format!("{line}\n")).collect()
}

#[test]
fn a_moment_tensor_is_read_as_written() {
    let sources = cmt(BOLIVIA).unwrap();
    assert_eq!(sources.len(), 1);
    let source = &sources[0];
    assert_eq!(source.agency, "PDE");
    let origin = DateTime { year: 1994, month: 6, day: 9, hour: 0, minute: 33, second: 16.4 };
    assert_eq!(source.origin, origin);
    assert_eq!(source.catalogue, "-13.8300 -67.5600 637.0 6.9 6.8 NORTHERN BOLIVIA");
    assert_eq!(source.event_name, "060994A");
    assert_eq!((source.time_shift, source.half_duration), (0.0, 20.0));
    assert_eq!((source.latitude_or_y, source.longitude_or_x), (-13.82, -67.25));
    assert_eq!((source.depth_km, source.depth()), (647.1, 647_100.0));
    assert_eq!(source.moment_dyn_cm, [-7.59e27, 7.75e27, -1.6e26, -2.503e28, 4.2e26, -2.48e27]);
}

#[test]
fn a_moment_tensor_is_converted_to_east_north_up_in_newton_metres() {
    let moment = cmt(BOLIVIA).unwrap()[0].moment_newton_metre();
    let expected = [-0.16e20, 7.75e20, -7.59e20, 25.03e20, 0.42e20, 2.48e20];
    for (component, wanted) in moment.iter().zip(expected) {
        assert!((component - wanted).abs() <= 1e-12 * wanted.abs(), "{component} {wanted}");
    }
}

#[test]
fn appended_sources_are_read_in_order() {
    let second = BOLIVIA.replace("time shift:     0.0000", "time shift: 3.5");
    let sources = cmt(&format!("{BOLIVIA}\n{second}")).unwrap();
    let shifts: Vec<f64> = sources.iter().map(|source| source.time_shift).collect();
    assert_eq!(shifts, [0.0, 3.5]);
}

#[test]
fn an_agency_without_a_blank_before_the_year_is_separated() {
    let source = &cmt(&BOLIVIA.replace("PDE  1994", " PDEW1994")).unwrap()[0];
    assert_eq!((source.agency.as_str(), source.origin.year), ("PDEW", 1994));
}

#[test]
fn sources_and_stations_survive_a_round_trip() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let mut sources = cmt(BOLIVIA).unwrap();
    sources.push(CmtSource { time_shift: 1.25, ..sources[0].clone() });
    cmtsolution::write(&path, &sources).unwrap();
    assert_eq!(cmtsolution::read(&path).unwrap(), sources);
    let forces = force(FORCE).unwrap();
    forcesolution::write(&path, &forces).unwrap();
    assert_eq!(forcesolution::read(&path).unwrap(), forces);
    let list = station_list("A1 XX 1.5 -2.25 100 0\nA2 XX 0.1 0.2 0.3 0.4").unwrap();
    stations::write(&path, &list).unwrap();
    assert_eq!(stations::read(&path).unwrap(), list);
}

#[test]
fn every_missing_line_of_a_moment_tensor_is_reported() {
    let keys = [
        "event name",
        "time shift",
        "half duration",
        "latorUTM",
        "longorUTM",
        "depth",
        "Mrr",
        "Mtt",
        "Mpp",
        "Mrt",
        "Mrp",
        "Mtp",
    ];
    for (index, key) in keys.iter().enumerate() {
        let line = index + 2;
        let place = format!("DATA/CMTSOLUTION:{}: `{key}` is missing", line);
        let hint = format!("expected a line `{key}: ");
        assert_refused(cmt(&without_line(BOLIVIA, line)), &[&place, "found ", &hint]);
    }
}

#[test]
fn the_end_of_the_file_is_reported() {
    assert_refused(
        cmt(""),
        &["DATA/CMTSOLUTION:1: `header` is missing, found the end of the file", "AGENCY year month"],
    );
    assert_refused(
        cmt(&without_line(BOLIVIA, 13)),
        &["DATA/CMTSOLUTION:13: `Mtp` is missing, found the end of the file", "`Mtp: moment [dyn cm]`"],
    );
}

#[test]
fn invalid_values_of_a_moment_tensor_are_refused() {
    for (from, to, fragments) in [
        ("7.750000d+27", "7.75e2x", ["CMTSOLUTION:9: Mtt = `7.75e2x`", "expected a number"]),
        ("7.750000d+27", "NaN", ["CMTSOLUTION:9: Mtt = `NaN`", "no NaN"]),
        ("647.1000", "", ["CMTSOLUTION:7: depth = ``", "expected a number"]),
        ("latorUTM:     -13.8200", "LatitUde: north", ["CMTSOLUTION:5: LatitUde = `north`", "expected a number"]),
        ("latorUTM:", "lat:", ["CMTSOLUTION:5: `latorUTM` is missing, found `lat:", "(or `latitude:`, `y:`)"]),
        ("half duration: 20.0", "half duration: -20.0", ["CMTSOLUTION:4: half duration = `-20.0000`", "at least 0"]),
        ("1994  6  9", "1994  6  31", ["CMTSOLUTION:1: origin time", "a valid date and time"]),
        ("1994  6  9", "1994 June 9", ["CMTSOLUTION:1: header", "AGENCY year month day"]),
    ] {
        assert_refused(cmt(&BOLIVIA.replace(from, to)), &fragments);
    }
}

#[test]
fn a_force_is_read_as_written() {
    let source = &force(FORCE).unwrap()[0];
    let expected = ForceSource {
        id: "001".to_owned(),
        time_shift: 0.5,
        half_duration_or_frequency: 10.0,
        latitude_or_y: 67000.0,
        longitude_or_x: -12.5,
        depth_km: 0.25,
        time_function: Some(ForceTimeFunction::Ricker),
        factor: 2e15,
        direction: [0.0, 3.0, -4.0],
        time_file: None,
    };
    assert_eq!(*source, expected);
}

#[test]
fn the_name_of_a_source_time_file_may_follow_a_source() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("SOLUTION");
    let named = |text: &str| format!("{}\n./DATA/stf_001.txt\n", text.trim_end());
    let sources = cmt(&named(BOLIVIA).repeat(2)).unwrap();
    assert_eq!(
        sources.iter().map(|source| source.time_file.as_deref()).collect::<Vec<_>>(),
        [Some("./DATA/stf_001.txt"); 2]
    );
    cmtsolution::write(&path, &sources).unwrap();
    assert_eq!(cmtsolution::read(&path).unwrap(), sources);
    let forces = force(&[named(FORCE), FORCE.to_owned()].concat()).unwrap();
    let files: Vec<_> = forces.iter().map(|force| force.time_file.as_deref()).collect();
    assert_eq!(files, [Some("./DATA/stf_001.txt"), None]);
    forcesolution::write(&path, &forces).unwrap();
    assert_eq!(forcesolution::read(&path).unwrap(), forces);
    // Anything else is a source with an error.
    assert_refused(cmt(&format!("{BOLIVIA}\nPDE 1994 6 9\n")), &["CMTSOLUTION:15: header", "AGENCY year month day"]);
    assert_refused(force(&format!("{FORCE}\nFORCE002\n")), &["`time shift` is missing", "end of the file"]);
}

#[test]
fn a_force_is_finite_even_if_the_squares_of_its_direction_are_not() {
    let source = &force(FORCE).unwrap()[0];
    for (direction, expected) in [([0.0, 3e200, -4e200], [0.0, 0.6, -0.8]), ([0.0, 0.0, 1e308], [0.0, 0.0, 1.0])] {
        let extreme = forcesolution::ForceSource { direction, factor: 1e15, ..source.clone() };
        for (component, expected) in extreme.force().into_iter().zip(expected) {
            assert!((component / 1e15 - expected).abs() < 1e-15, "{component} instead of {expected}");
        }
    }
}

#[test]
fn the_direction_of_a_force_is_normalised() {
    let [x, y, z] = force(FORCE).unwrap()[0].force();
    assert_eq!(x, 0.0);
    assert!((y / 1.2e15 - 1.0).abs() < 1e-15 && (z / -1.6e15 - 1.0).abs() < 1e-15, "{y} {z}");
}

#[test]
fn older_forces_have_no_time_function() {
    let new = force(FORCE).unwrap();
    let older = without_line(&FORCE.replace("f0:  ", "hdur:"), 7);
    let found = force(&older.repeat(2)).unwrap();
    assert_eq!(found, vec![ForceSource { time_function: None, ..new[0].clone() }; 2]);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("FORCESOLUTION");
    forcesolution::write(&path, &found).unwrap();
    assert_eq!(forcesolution::read(&path).unwrap(), found);
}

#[test]
fn invalid_forces_are_refused() {
    let flat = FORCE.replace("3.d0", "0.d0").replace("-4.d0", "0");
    assert_refused(force(&flat), &["FORCESOLUTION:11: the three components", "give the force a direction"]);
    let unknown = FORCE.replace("function:            1", "function: 7");
    assert_refused(force(&unknown), &["FORCESOLUTION:7: source time function = `7`", "0 Gaussian, 1 Ricker"]);
    let east = FORCE.replace("source E:     0.d0", "source E:     east");
    assert_refused(force(&east), &["FORCESOLUTION:9: component dir vect source E = `east`", "expected a number"]);
    assert_refused(
        force(&without_line(FORCE, 11)),
        &[
            "FORCESOLUTION:11: `component dir vect source Z_UP` is missing, found the end of the file",
            "upward component",
        ],
    );
    let other = FORCE.replace("source time function", "time function");
    assert_refused(force(&other), &["FORCESOLUTION:7: `source time function` is missing, found `time", "0 to 6"]);
    assert_refused(force(BOLIVIA), &["FORCESOLUTION:1: header", "`FORCE id`"]);
}

#[test]
fn comments_between_stations_are_skipped() {
    let text = "# name net lat lon elev burial\n\nX20 DB  67000.00  22732.14 0.0 5.0 # far\n";
    let expected = Station {
        name: "X20".to_owned(),
        network: "DB".to_owned(),
        latitude_or_y: 67000.0,
        longitude_or_x: 22732.14,
        elevation: 0.0,
        burial: 5.0,
    };
    assert_eq!(station_list(text).unwrap(), [expected]);
}

#[test]
fn stations_may_have_commas_and_more_columns() {
    let plain = station_list("LPAZ GT -16.2879 -68.1307 4095 0").unwrap();
    for line in [
        "LPAZ,GT,-16.2879,-68.1307,4095,0",
        "LPAZ\tGT\t-16.2879\t-68.1307\t4095\t0\r",
        "LPAZ GT -16.2879 -68.1307 4095.0 0.0 La Paz, Bolivia 1993-10-19T00:00:00",
        "LPAZ GT -16.2879 -68.1307 4095.0 0.0 # pier|vault",
    ] {
        assert_eq!(station_list(line).unwrap(), plain, "{line}");
    }
}

#[test]
fn the_network_before_the_name_of_a_station_is_not_repeated() {
    let plain = station_list("AAA XX 1 2 3 4\nBBB.10 XX 1 2 3 4").unwrap();
    assert_eq!(station_list("XX.AAA XX 1 2 3 4\nXX.BBB.10 XX 1 2 3 4").unwrap(), plain);
    assert_eq!(station_list("XX.AAA YY 1 2 3 4").unwrap()[0].name, "XX.AAA");
    assert_refused(
        station_list("XX.AAA XX 1 2 3 4\nAAA XX 1 2 3 4"),
        &["STATIONS:2: station XX.AAA is also on line 1", "overwrite each other"],
    );
}

#[test]
fn the_error_of_a_refused_station_has_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("STATIONS");
    std::fs::write(&path, "# a comment\nA XX 1 2 3 4\n\nB XX 1 2 3 4\n").unwrap();
    let refused = stations::refuse(&path, 1, "station XX.B is strange", "leave it out").to_string();
    assert!(refused.ends_with("STATIONS:4: station XX.B is strange; leave it out"), "{refused}");
}

#[test]
fn invalid_stations_are_refused() {
    assert_refused(station_list("# none\n"), &["STATIONS:2: the file has no stations", "name network"]);
    assert_refused(station_list("A XX 1 2 3\n"), &["STATIONS:1: station with 5 of 6 words", "burial"]);
    assert_refused(station_list("A\n"), &["STATIONS:1: station = `A`", "burial"]);
    assert_refused(
        station_list("#Network|Station|Latitude\nIU|AFI|-13.9|-171.8|706.0|Afiamalu, Samoa|1993-07-24|\n"),
        &["STATIONS:2: the line is in the text format of a web service", "format=xml"],
    );
    assert_refused(station_list("\nA XX 1 inf 3 4\n"), &["STATIONS:2: longitude (or x) = `inf`", "finite"]);
    assert_refused(
        station_list("A XX 1 2 3 4\nB XX 1 2 1e30 4\n"),
        &["STATIONS:2: elevation = `1e30`", "-100000 to 100000 m"],
    );
    assert_refused(station_list("S 10 XX 1 2 3 4\n"), &["STATIONS:1: latitude (or y) = `XX`", "a number"]);
    assert_refused(
        station_list("A XX 1 2 3 4\nB XX 1 2 3 4\nA XX 5 6 7 8"),
        &["STATIONS:3: station XX.A is also on line 1", "overwrite each other"],
    );
}

#[test]
fn a_missing_file_is_reported() {
    assert_refused(
        cmtsolution::read(Path::new("no/such/CMTSOLUTION")),
        &["no/such/CMTSOLUTION: cannot read the file", "check the path"],
    );
}
