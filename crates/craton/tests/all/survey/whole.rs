//! Complete surveys with every kind of line, wavelet, stencil and sample format: each equals an equivalent survey.

use craton_acquisition::TimeFunction;
use craton_formats::segy::SampleFormat;

use super::inputs::{check_report, with_acquisition};
use super::*;

const SHORT: [&str; 1] = ["duration=0.2"];

const TABLES: &str = "[acquisition.tables]\nshots = 'shots.csv'\nreceivers = 'receivers.csv'";

/// Two shots with a streamer ahead of them.
const AHEAD: &str = "[acquisition.marine]\nfirst_shot = [0.0, 0.0]\nshots = 2\nshot_interval = 50.0\nside = 'ahead'\n\
    source_depth = 200.0\nstreamer_length = 200.0\ngroup_interval = 100.0\nnear_offset = 100.0\nstreamer_depth = 150.0";

/// Three shots with a split spread, which is truncated at the ends of the line.
const LAND: &str = "[acquisition.land]\nstations = { from = [0.0, 0.0, 100.0], to = [400.0, 0.0, 100.0], count = 5 }\n\
    station_step = 2\nsource_depth = 100.0\nbehind = 1\nahead = 1";

/// The gathers of the coarse survey of the references with this acquisition and these tables.
fn gathers(folder: &Path, table: &str, [shots, receivers]: [&str; 2]) -> Vec<Trace> {
    with_acquisition(folder, table);
    std::fs::write(folder.join("shots.csv"), format!("shot,x,y,depth\n{shots}")).expect("written");
    std::fs::write(folder.join("receivers.csv"), receivers).expect("written");
    computed(folder, &SHORT)
}

#[test]
fn lines_equal_the_same_shots_in_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    let ahead = "shot,channel,x,y,depth\n1,1,100,0,150\n1,2,200,0,150\n1,3,300,0,150\n\
                 2,1,150,0,150\n2,2,250,0,150\n2,3,350,0,150\n";
    let land = "shot,channel,x,y,depth\n1,2,100,0,100\n2,1,100,0,100\n2,2,300,0,100\n3,1,300,0,100\n";
    for (line, shots, receivers, count) in
        [(AHEAD, "1,0,0,200\n2,50,0,200\n", ahead, 6), (LAND, "1,0,0,200\n2,200,0,200\n3,400,0,200\n", land, 4)]
    {
        let expected = gathers(folder.path(), TABLES, [shots, receivers]);
        let found = gathers(folder.path(), line, [shots, receivers]);
        assert_eq!(expected.len(), count, "{line}");
        assert!(expected.iter().all(|trace| trace.samples.iter().any(|&sample| sample != 0.0)), "{line}");
        assert!(positions_and_samples(found) == positions_and_samples(expected), "{line}");
    }
}

/// The traces without the headers that refer to the surface: tables have none, and stations of a land line are on it.
fn positions_and_samples(mut traces: Vec<Trace>) -> Vec<Trace> {
    for trace in &mut traces {
        (trace.header.source_surface_elevation, trace.header.source_depth) = (0, 0);
    }
    traces
}

#[test]
fn relations_select_the_channels_of_a_shot() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = "channel,x,y,depth\n1,100,0,150\n2,200,0,150\n3,300,0,150\n4,150,0,150\n5,250,0,150\n6,350,0,150\n";
    std::fs::write(folder.path().join("relations.csv"), "shot,from,to\n1,1,3\n2,4,6\n").expect("written");
    let shots = "1,0,0,200\n2,50,0,200\n";
    let found = gathers(folder.path(), &format!("{TABLES}\nrelations = 'relations.csv'"), [shots, all]);
    let of_line = gathers(folder.path(), AHEAD, [shots, all]);
    let channels: Vec<i32> = found.iter().map(|trace| trace.header.trace_in_record).collect();
    assert_eq!(channels, [1, 2, 3, 4, 5, 6]);
    assert!(
        found.iter().zip(&of_line).all(|(a, b)| a.samples == b.samples && a.header.receiver_x == b.header.receiver_x)
    );
}

#[test]
fn a_gpu_matches_the_cpu_with_apertures() {
    let folder = tempfile::tempdir().expect("a folder");
    with_acquisition(folder.path(), &AHEAD.replace("shots = 2", "shots = 5"));
    let options = options(folder.path(), &["duration=0.1", "method.fd.aperture=100", "method.fd.grid_spacing=10"]);
    let Some(on_gpu) = on_gpu(options.clone()) else { return };
    let found = traces(&surveyed(folder.path(), &on_gpu).gathers);
    let expected = samples(&traces(&surveyed(folder.path(), &options).gathers));
    assert_eq!(found.len(), 15);
    let misfit = misfit(&found, &expected);
    assert!(misfit < 1e-5, "relative L2 {misfit}");
}

#[test]
fn an_ormsby_wavelet_equals_its_samples_from_a_file() {
    let folder = tempfile::tempdir().expect("a folder");
    with_acquisition(folder.path(), TABLES);
    let (corners, centre) = ([2.0, 6.0, 14.0, 22.0], 0.3);
    let wavelet = TimeFunction::ormsby(corners, centre).expect("a wavelet");
    let row = |index: u32| {
        let t = 2e-4 * f64::from(index);
        format!("{t} {}\n", wavelet.value(t))
    };
    std::fs::write(folder.path().join("wavelet.txt"), (0..=2500).map(row).collect::<String>()).expect("written");
    let sent = |time_function: &str| {
        computed(folder.path(), &["duration=0.5", &format!("source.time_function={{ {time_function} }}")])
    };
    let expected = samples(&sent("file = 'wavelet.txt'"));
    let misfit = misfit(&sent(&format!("ormsby = {{ corners = {corners:?}, centre = {centre} }}")), &expected);
    assert!(misfit < 0.002, "relative L2 {misfit}");
}

#[test]
fn all_stencils_converge_to_the_same_gathers() {
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path(), &free());
    let of = |method: &[&str]| computed(folder.path(), &[&["duration=0.3"], method].concat());
    let expected = samples(&of(&[]));
    // The misfit decreases with the order; Holberg's error of the group velocity accumulates along the path.
    for (method, most) in [
        (&["method.fd.order=2"][..], 0.08),
        (&["method.fd.order=4"], 0.003),
        (&["method.fd.order=6"], 2e-4),
        (&["method.fd.order=10"], 1e-5),
        (&["method.fd.order=14"], 1e-5),
        (&["method.fd.order=8", "method.fd.holberg=1e-4"], 0.001),
        (&["method.fd.order=8", "method.fd.holberg=1e-5"], 1e-4),
    ] {
        let misfit = misfit(&of(method), &expected);
        assert!(misfit > 0.0 && misfit < most, "{method:?}: relative L2 {misfit}");
    }
}

#[test]
fn absorbing_layers_absorb() {
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path(), &free().replace("order = 16", "order = 8"));
    let of_box = |x: &str, depth: &str| {
        computed(folder.path(), &["duration=0.5", &format!("domain.x={x}"), &format!("domain.depth={depth}")])
    };
    // The sides of the first box are too far away for reflections; those of the second are half a wavelength away.
    let expected = samples(&of_box("[-600, 1000]", "[0, 1000]"));
    let misfit = misfit(&of_box("[-50, 450]", "[0, 300]"), &expected);
    assert!(misfit > 0.0 && misfit < 3e-4, "relative L2 {misfit}");
}

#[test]
fn ibm_samples_equal_ieee_samples_within_their_precision() {
    let folder = tempfile::tempdir().expect("a folder");
    with_acquisition(folder.path(), TABLES);
    let expected = computed(folder.path(), &SHORT);
    let report = surveyed(folder.path(), &options(folder.path(), &[SHORT[0], "output.samples='ibm'"]));
    let format = SegyReader::open(&report.gathers).expect("gathers").binary.sample_format().expect("a format");
    assert_eq!(format, SampleFormat::Ibm);
    let found = traces(&report.gathers);
    assert!(found.iter().zip(&expected).all(|(a, b)| a.header == b.header));
    let misfit = misfit(&found, &samples(&expected));
    assert!(misfit > 0.0 && misfit < 1e-6, "relative L2 {misfit}");
}

#[test]
fn coarse_grids_cause_a_warning_and_unstable_time_steps_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path(), &free());
    let message = check_report(folder.path(), &["method.fd.grid_spacing=20"]);
    assert!(
        message.contains("1.50 points per wavelength") && message.contains("Waves above 12.500 Hz will disperse"),
        "{message}"
    );
    let long = options(folder.path(), &["method.fd.time_step=0.01"]);
    let message = error_text(survey(&folder.path().join("it.toml"), &long));
    assert!(message.contains("0.01") && message.contains("stable"), "{message}");
    // The memory is estimated before anything is written.
    let large = options(folder.path(), &["method.fd.grid_spacing=1e-3"]);
    let message = error_text(survey(&folder.path().join("it.toml"), &large));
    assert!(message.contains("TB of memory") && message.contains("a lower `max_frequency`"), "{message}");
    assert!(!folder.path().join("results").exists());
}

/// A thousand shots of a few cells and steps.
const THOUSAND: &str = r#"
duration = 0.05
[domain]
x = [0.0, 10000.0]
depth = [0.0, 200.0]
[model.layered]
layers = [{ vp = 1500.0, rho = 1000.0 }]
[acquisition.marine]
first_shot = [60.0, 0.0]
shots = 1000
shot_interval = 9.0
side = "ahead"
source_depth = 10.0
streamer_length = 20.0
group_interval = 10.0
near_offset = 10.0
streamer_depth = 10.0
[boundaries]
absorbing = { cells = 4 }
[source]
time_function.gaussian = { sigma = 0.003, centre = 0.01 }
[method.fd]
max_frequency = 60.0
order = 4
aperture = 30.0
[output]
directory = "results"
sample_interval = 0.002
"#;

#[test]
fn a_thousand_shots_are_written_in_order() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("it.toml"), THOUSAND).expect("written");
    let report = surveyed(folder.path(), &RunOptions { threads: None, ..options(folder.path(), &[]) });
    assert!(report.is_whole(), "{report}");
    assert_eq!(report.shares.iter().map(|share| share.shots).sum::<usize>(), 1000);
    let message = report.to_string();
    assert!(message.contains("CPU: 1000 shots (100.0 %), idle "), "{message}");
    let found = traces(&report.gathers);
    let numbers: Vec<[i32; 2]> =
        found.iter().map(|trace| [trace.header.field_record, trace.header.trace_in_record]).collect();
    let expected: Vec<[i32; 2]> = (1..=1000).flat_map(|shot| (1..=3).map(move |channel| [shot, channel])).collect();
    assert!(numbers == expected);
    assert!(found.iter().all(|trace| trace.samples.iter().any(|&sample| sample != 0.0)));
}
