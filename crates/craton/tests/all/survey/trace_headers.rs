//! Trace headers of gathers, as the standard defines them.

use craton_formats::segy::TraceHeader;

use super::inputs::with_acquisition;
use super::*;

/// Shot point, surface elevation, source depth, water depths and elevation of the receiver [m], and the offset of each trace.
fn headers(folder: &Path) -> Vec<(f64, [f64; 5], i32)> {
    let of = |trace: Trace| {
        let TraceHeader { offset, energy_source_point, .. } = trace.header;
        let point = trace.header.source_point().expect("a shot point");
        assert_eq!(f64::from(energy_source_point), point.round());
        let found = trace.header.geometry(1.0).expect("places");
        let heights = [
            found.source_surface_elevation,
            found.source_depth,
            found.source_water_depth,
            found.receiver_water_depth,
            found.receiver_elevation,
        ];
        (point, heights, offset)
    };
    let changes = ["duration=0.02", "domain={ x = [-100, 500], depth = [-60, 200] }", "boundaries.top='absorbing'"];
    computed(folder, &changes).into_iter().map(of).collect()
}

/// A record of a point, with its depth, water depth and elevation.
fn record(kind: char, point: f64, x: f64, [depth, water, elevation]: [f64; 3]) -> String {
    format!(
        "{kind}{:10.2}{point:10.2}  1{:6}{depth:4.0}{:6}{water:6.1}{x:9.1}{:10.1}{elevation:6.1}\n",
        1.0, "", "", 0.0
    )
}

#[test]
fn headers_of_sps_surveys_have_depths_elevations_water_and_shot_points() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: String| std::fs::write(folder.path().join(name), text).expect("written");
    let sources = [record('S', 101.0, 0.0, [5.0, 0.0, 20.0]), record('S', 102.5, 50.0, [8.0, 30.0, 0.0])];
    write("it.s", sources.concat());
    let receivers = [(1.0, -40.0, [0.0, 0.0, 20.0]), (2.0, 100.0, [30.0, 30.0, 0.0])];
    write("it.r", receivers.map(|(point, x, heights)| record('R', point, x, heights)).concat());
    let relation = |shot: u32, point: f64| {
        format!("X{:6}{shot:8}1 {:10.2}{point:10.2}1{:5}{:5}1{:10.2}{:10.2}{:10.2}1\n", 1, 1.0, 1, 2, 1.0, 1.0, 2.0)
    };
    write("it.x", relation(7, 101.0) + &relation(8, 102.5));
    with_acquisition(folder.path(), "[acquisition.sps]\nsources = 'it.s'\nreceivers = 'it.r'\nrelations = 'it.x'");
    let expected = [
        (101.0, [20.0, 5.0, 0.0, 0.0, 20.0], -40),
        (101.0, [20.0, 5.0, 0.0, 30.0, -30.0], 100),
        (102.5, [0.0, 8.0, 30.0, 0.0, 20.0], -90),
        (102.5, [0.0, 8.0, 30.0, 30.0, -30.0], 50),
    ];
    write("shots.csv", String::new());
    assert_eq!(headers(folder.path()), expected);
    // Headers that are read give the same headers.
    std::fs::copy(folder.path().join("results/gathers.segy"), folder.path().join("field.segy")).expect("copied");
    with_acquisition(folder.path(), "[acquisition.headers]\nfile = 'field.segy'");
    assert_eq!(headers(folder.path()), expected);
}

#[test]
fn headers_of_land_marine_and_tabulated_surveys_are_standard() {
    let folder = tempfile::tempdir().expect("a folder");
    let land = "[acquisition.land]\nstations = { from = [0.0, 0.0, -20.0], to = [80.0, 0.0, -20.0], count = 5 }\n\
                source_depth = 5.0\nbehind = 1\nahead = 1\nends = 'whole_spreads'";
    with_acquisition(folder.path(), land);
    let found = headers(folder.path());
    assert_eq!(found.len(), 6);
    for pair in found.chunks(2) {
        let heights = [20.0, 5.0, 0.0, 0.0, 20.0];
        assert_eq!(
            [&pair[0], &pair[1]].map(|(_, heights, offset)| (*heights, *offset)),
            [(heights, -20), (heights, 20)]
        );
    }
    let marine = "[acquisition.marine]\nfirst_shot = [200.0, 0.0]\nshots = 2\nshot_interval = 25.0\nsource_depth = 6.0\n\
                  streamer_length = 25.0\ngroup_interval = 25.0\nnear_offset = 50.0\nstreamer_depth = 10.0\nfirst_number = 31";
    with_acquisition(folder.path(), marine);
    let found = headers(folder.path());
    assert_eq!(found[0], (31.0, [0.0, 6.0, 0.0, 0.0, -10.0], -50));
    assert_eq!(found[3], (32.0, [0.0, 6.0, 0.0, 0.0, -10.0], -75));
    with_acquisition(folder.path(), "[acquisition.tables]\nshots = 'shots.csv'\nreceivers = 'receivers.csv'");
    let shots = "shot,x,y,z,elevation,water_depth\n1,0,0,15,20,0\n2,10,0,15,15,3\n";
    std::fs::write(folder.path().join("shots.csv"), shots).expect("written");
    let found = headers(folder.path());
    assert_eq!(found[0], (1.0, [20.0, 5.0, 0.0, 0.0, -150.0], 100));
    assert_eq!(found[4], (2.0, [15.0, 0.0, 3.0, 0.0, -150.0], 90));
    // Without an elevation, the surface is at z = 0, or at the source if that is higher.
    std::fs::write(folder.path().join("shots.csv"), "shot,x,y,z\n1,0,0,15\n2,10,0,-7\n").expect("written");
    let found = headers(folder.path());
    assert_eq!([found[0].1[0], found[0].1[1], found[4].1[0], found[4].1[1]], [15.0, 0.0, 0.0, 7.0]);
}
