//! Input of surveys: models, geometry and wavelets in every form give the same gathers, and invalid input is refused.

use craton::options::CheckOptions;
use craton::survey::check_survey;
use craton_formats::netcdf::{self, Attribute, DataType, Dataset, Dimension, Variable};
use craton_formats::rsf;
use craton_formats::segy::{self, BinaryHeader, SampleFormat, TextHeader, TraceHeader};
use craton_formats::volume::{Axis, Volume};

use super::*;

/// Points of the models along depth and x, and their spacing [m]; the first are at depth 0 and x = -250 m.
pub const POINTS: [usize; 2] = [17, 9];
const SPACING: [f64; 2] = [50.0, 125.0];

/// Velocities that IBM single precision represents exactly, depth fastest.
pub fn speeds() -> Vec<f32> {
    (0..POINTS[0] * POINTS[1])
        .map(|index| 1500.0 + 25.0 * (index % 17) as f32 + 12.5 * (index / 17 % 3) as f32)
        .collect()
}

/// Velocities of rock, and the densities derived from them.
pub fn rock() -> [Vec<f32>; 2] {
    let vp: Vec<f32> = speeds().into_iter().map(|vp| vp + 100.0).collect();
    let rho = vp.iter().map(|&vp| (310.0 * f64::from(vp).powf(0.25)) as f32).collect();
    [vp, rho]
}

pub fn volume(values: Vec<f32>) -> Volume {
    let [depth, x] = [Axis::new(POINTS[0], 0.0, SPACING[0]), Axis::new(POINTS[1], -250.0, SPACING[1])];
    Volume::new(vec![depth.named("depth", "m"), x.named("x", "m")], values).expect("a volume")
}

pub fn write_segy(path: &Path, format: SampleFormat) {
    let binary = BinaryHeader::new(SPACING[0] / 1e3, POINTS[0], format).expect("a header");
    let trace = |(number, samples): (usize, &[f32])| Trace {
        header: TraceHeader {
            cdp: number as i32 + 1,
            cdp_x: -250 + 125 * number as i32,
            coordinate_scalar: 1,
            coordinate_units: 1,
            ..TraceHeader::default()
        },
        samples: samples.to_vec(),
    };
    let traces: Vec<Trace> = speeds().chunks(POINTS[0]).enumerate().map(trace).collect();
    segy::write(path, &TextHeader::cards(&["A model"]).expect("a text"), &binary, &traces).expect("written");
}

fn write_netcdf(path: &Path) {
    let variable = |name: &str, dimensions: &[usize]| Variable {
        name: name.to_owned(),
        data_type: DataType::F32,
        dimensions: dimensions.to_vec(),
        attributes: if dimensions.len() == 1 { vec![Attribute::text("units", "m")] } else { Vec::new() },
    };
    let dataset = Dataset {
        dimensions: vec![Dimension::new("x", POINTS[1] as u64), Dimension::new("depth", POINTS[0] as u64)],
        variables: vec![variable("x", &[0]), variable("depth", &[1]), variable("vp", &[0, 1])],
        ..Dataset::default()
    };
    let places = |count: usize, first: f64, spacing: f64| (0..count).map(move |index| first + index as f64 * spacing);
    let mut values = [
        places(POINTS[1], -250.0, SPACING[1]).collect::<Vec<_>>(),
        places(POINTS[0], 0.0, SPACING[0]).collect(),
        speeds().into_iter().map(f64::from).collect(),
    ]
    .into_iter();
    netcdf::write(path, &dataset, |slab| slab.write(&values.next().expect("three variables"))).expect("written");
}

/// Writes the coarse survey of the references with a model from a file.
pub fn with_model(folder: &Path, model: &str) {
    let text = free().replace("order = 16", "order = 4").replace("max_frequency = 50.0", "max_frequency = 25.0");
    let (before, rest) = text.split_once("[model.layered]").expect("a table");
    let after = &rest[rest.find("[acquisition").expect("a table")..];
    files(folder, &format!("{before}[model.volume]\n{model}\n{after}"));
}

#[test]
fn a_model_gives_the_same_gathers_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    std::fs::write(at("vp.bin"), speeds().iter().flat_map(|vp| vp.to_le_bytes()).collect::<Vec<_>>()).expect("written");
    rsf::write(&at("vp.rsf"), &volume(speeds())).expect("written");
    write_segy(&at("ieee.segy"), SampleFormat::Ieee);
    write_segy(&at("ibm.segy"), SampleFormat::Ibm);
    write_netcdf(&at("vp.nc"));
    let gathers = |velocity: &str| {
        with_model(folder.path(), &format!("velocity = {{ {velocity} }}"));
        computed(folder.path(), &["duration=0.3"])
    };
    let raw = gathers("file = 'vp.bin', shape = [17, 9], spacing = [50.0, 125.0], origin = [0.0, -250.0]");
    assert!(raw[0].samples.iter().any(|&sample| sample != 0.0));
    for file in ["vp.rsf", "ieee.segy", "ibm.segy", "vp.nc"] {
        let found = gathers(&format!("file = '{file}'"));
        assert!(found.iter().zip(&raw).all(|(a, b)| a.samples == b.samples), "{file}");
    }
}

#[test]
fn density_is_derived_from_velocity_and_resampling_is_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let [vp, rho] = rock();
    rsf::write(&folder.path().join("vp.rsf"), &volume(vp)).expect("written");
    rsf::write(&folder.path().join("rho.rsf"), &volume(rho)).expect("written");
    with_model(folder.path(), "velocity = { file = 'vp.rsf' }\ndensity = { file = 'rho.rsf' }");
    let given = samples(&computed(folder.path(), &["duration=0.3"]));
    with_model(folder.path(), "velocity = { file = 'vp.rsf' }");
    let misfit = misfit(&computed(folder.path(), &["duration=0.3"]), &given);
    // The velocity is linear between the points, its fourth root is not.
    assert!(misfit < 0.005, "relative L2 {misfit}");
    let report = check_report(folder.path(), &[]);
    assert!(line(&report, "model grid spacing").contains("125.000 x 50.000 m"), "{report}");
    assert!(line(&report, "cell size").contains("5.000 x 5.000 m"), "{report}");
    assert!(report.contains("the model has no density"), "{report}");
}

/// The report of a check of the survey with changes.
pub fn check_report(folder: &Path, changes: &[&str]) -> String {
    let overrides = changes.iter().map(|&change| change.to_owned()).collect();
    let options = CheckOptions { overrides, ..CheckOptions::default() };
    check_survey(&folder.join("it.toml"), &options).unwrap_or_else(|error| panic!("{error:?}")).to_string()
}

/// The line of a check report that begins with `name`.
pub fn line(report: &str, name: &str) -> String {
    report.lines().find(|line| line.trim().starts_with(name)).unwrap_or_else(|| panic!("{report}")).to_owned()
}

#[test]
fn axes_and_spacings_that_contradict_the_ensembles_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    write_segy(&folder.path().join("ieee.segy"), SampleFormat::Ieee);
    let refused = |given: &str| {
        with_model(folder.path(), &format!("velocity = {{ file = 'ieee.segy', {given} }}"));
        error_text(survey(&folder.path().join("it.toml"), &options(folder.path(), &[])))
    };
    for spacing in ["[50.0, 250.0]", "[50.0, 100.0]"] {
        let message = refused(&format!("spacing = {spacing}"));
        assert!(
            message.contains("velocity.spacing")
                && message.contains("contradicts the coordinates in the trace headers"),
            "{message}"
        );
        assert!(message.contains("x for axis 2, by 125 m") && message.contains("`origin`"), "{message}");
    }
    let message = refused("axes = ['depth', 'y']");
    assert!(
        message.contains("velocity.axes") && message.contains("contradicts the coordinates in the trace headers"),
        "{message}"
    );
    with_model(folder.path(), "velocity = { file = 'ieee.segy', axes = ['depth', 'x'], spacing = [50.0, 125.0] }");
    check_report(folder.path(), &[]);
}

#[test]
fn values_of_a_volume_outside_the_box_are_ignored() {
    let folder = tempfile::tempdir().expect("a folder");
    // Rock, because the derived density jumps at the velocity of water, where round-off would matter.
    let [speeds, _] = rock();
    rsf::write(&folder.path().join("vp.rsf"), &volume(speeds.clone())).expect("written");
    with_model(folder.path(), "velocity = { file = 'vp.rsf' }");
    let expected = samples(&computed(folder.path(), &["duration=0.3"]));
    let grid = line(&check_report(folder.path(), &[]), "points per wavelength");
    // The same with air above the box, and with padding by zeros or NaN.
    let above = [Axis::new(POINTS[0] + 2, -2.0 * SPACING[0], SPACING[0]), Axis::new(POINTS[1], -250.0, SPACING[1])];
    let above = [above[0].clone().named("depth", "m"), above[1].clone().named("x", "m")];
    for (fill, name) in [(0.0, "0"), (f32::NAN, "NaN")] {
        let padded = speeds.chunks(POINTS[0]).flat_map(|column| [&[fill, 330.0][..], column].concat()).collect();
        let padded = Volume::new(above.to_vec(), padded).expect("a volume");
        rsf::write(&folder.path().join("vp.rsf"), &padded).expect("written");
        let misfit = misfit(&computed(folder.path(), &["duration=0.3"]), &expected);
        assert!(misfit < 1e-5, "relative L2 {misfit}");
        assert_eq!(line(&check_report(folder.path(), &[]), "points per wavelength"), grid);
        let options = options(folder.path(), &["duration=0.3", "domain.depth=[-100, 800]"]);
        let message = error_text(survey(&folder.path().join("it.toml"), &options));
        assert!(message.contains(&format!("has the value {name} at x = -250, y = 0, z = 100 m")), "{message}");
    }
}

/// Writes the geometry of the references as SPS files with lengths in a unit of `unit` metres.
fn write_sps(folder: &Path, unit: f64) {
    let header = if unit == 1.0 { String::new() } else { format!("H201Factor to metre             {unit:.8};\n") };
    let point = |kind: char, line: f64, point: f64, x: f64, z: f64| {
        let [x, z] = [x, z].map(|length| length / unit);
        format!("{kind}{line:10.2}{point:10.2}  1{:6}{:4.0}{:12}{x:9.1}{:10.1}{:6.1}\n", "", -z, "", 0.0, 0.0)
    };
    std::fs::write(folder.join("it.s"), format!("{header}{}", point('S', 1.0, 7.0, 0.0, -200.0))).expect("written");
    let receivers: String = (1..=4).map(|n| point('R', 2.0, f64::from(n), 100.0 * f64::from(n), -150.0)).collect();
    std::fs::write(folder.join("it.r"), format!("{header}{receivers}")).expect("written");
    let relation =
        format!("X{:6}{:8}1 {:10.2}{:10.2}1{:5}{:5}1{:10.2}{:10.2}{:10.2}1\n", 1, 7, 1.0, 7.0, 1, 4, 2.0, 1.0, 4.0);
    std::fs::write(folder.join("it.x"), relation).expect("written");
}

/// Writes the coarse survey of the references with another acquisition table.
pub fn with_acquisition(folder: &Path, table: &str) {
    let text = free().replace("order = 16", "order = 4").replace("max_frequency = 50.0", "max_frequency = 25.0");
    let (before, rest) = text.split_once("[acquisition.tables]").expect("a table");
    let after = &rest[rest.find("[source]").expect("a table")..];
    files(folder, &format!("{before}{table}\n{after}"));
}

#[test]
fn tables_headers_and_sps_give_the_same_geometry() {
    let folder = tempfile::tempdir().expect("a folder");
    let same = "[acquisition.tables]\nshots = 'shots.csv'\nreceivers = 'receivers.csv'";
    with_acquisition(folder.path(), same);
    let expected = computed(folder.path(), &["duration=0.2"]);
    std::fs::copy(folder.path().join("results/gathers.segy"), folder.path().join("field.segy")).expect("copied");
    let sps = "[acquisition.sps]\nsources = 'it.s'\nreceivers = 'it.r'\nrelations = 'it.x'";
    for (table, unit) in [("[acquisition.headers]\nfile = 'field.segy'", 1.0), (sps, 1.0), (sps, 0.5)] {
        write_sps(folder.path(), unit);
        with_acquisition(folder.path(), table);
        let found = computed(folder.path(), &["duration=0.2"]);
        assert_eq!(found.len(), expected.len(), "{table}");
        assert!(found.iter().zip(&expected).all(|(a, b)| a == b), "{table}");
    }
    let assert_units = |report: &str| {
        assert!(
            report.contains(
                "lengths in it.s are in units of 0.5 m according to its headers, and are converted to metres"
            ) && report.contains("lengths in it.r are in units of "),
            "{report}"
        );
    };
    assert_units(&check_report(folder.path(), &[]));
    // The unit of the relations applies if the other files give none; a unit in only one of those is refused.
    let cut = |name: &str| {
        let text = std::fs::read_to_string(folder.path().join(name)).expect("a file");
        let (header, rest) = text.split_once('\n').expect("a header");
        std::fs::write(folder.path().join(name), rest).expect("written");
        format!("{header}\n")
    };
    let header = cut("it.r");
    let message = error_text(survey(&folder.path().join("it.toml"), &options(folder.path(), &[])));
    assert!(message.contains("it.r does not give a unit, but lengths in it.s are in units of 0.5 m"), "{message}");
    cut("it.s");
    let relations = std::fs::read_to_string(folder.path().join("it.x")).expect("a file");
    std::fs::write(folder.path().join("it.x"), header + &relations).expect("written");
    assert_units(&check_report(folder.path(), &[]));
    let found = computed(folder.path(), &["duration=0.2"]);
    assert!(found.len() == expected.len() && found.iter().zip(&expected).all(|(a, b)| a == b));
}

#[test]
fn invalid_geometry_is_reported_with_shot_and_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    with_acquisition(path, "[acquisition.headers]\nfile = 'field.segy'");
    let error_of = |changes: &[&str]| error_text(survey(&path.join("it.toml"), &options(path, changes)));
    // A file whose second trace has another number of samples, and a truncated file.
    write_segy(&path.join("field.segy"), SampleFormat::Ieee);
    let whole = std::fs::read(path.join("field.segy")).expect("a file");
    let mut other = whole.clone();
    other[3600 + 240 + 4 * 17 + 115] = 99;
    std::fs::write(path.join("field.segy"), other).expect("written");
    let message = error_of(&[]);
    assert!(message.contains("trace 2") && message.contains("different lengths"), "{message}");
    std::fs::write(path.join("field.segy"), &whole[..whole.len() - 10]).expect("written");
    assert!(error_of(&[]).contains("truncated"), "{}", error_of(&[]));
    // A duplicate shot, and a duplicate channel.
    with_acquisition(path, "[acquisition.tables]\nshots = 'shots.csv'\nreceivers = 'receivers.csv'");
    std::fs::write(path.join("shots.csv"), "shot,x,y,depth\n7,0,0,200\n8,5,0,200\n7,9,0,200\n").expect("written");
    let message = error_of(&[]);
    assert!(message.contains("the number 7") && message.contains("shots.csv"), "{message}");
    std::fs::write(path.join("shots.csv"), "shot,x,y,depth\n7,0,0,200\n").expect("written");
    std::fs::write(path.join("receivers.csv"), "channel,x,y,depth\n1,0,0,9\n1,5,0,9\n").expect("written");
    let message = error_of(&[]);
    assert!(message.contains("channel 1") && message.contains("receivers.csv"), "{message}");
    // A negative shot interval.
    let marine = "[acquisition.marine]\nfirst_shot = [0.0, 0.0]\nshots = 2\nshot_interval = -25.0\nsource_depth = 10.0\n\
                  streamer_length = 100.0\ngroup_interval = 25.0\nnear_offset = 25.0\nstreamer_depth = 10.0";
    with_acquisition(path, marine);
    let message = error_of(&[]);
    assert!(message.contains("acquisition.marine.shot_interval") && message.contains("-25"), "{message}");
}

#[test]
fn dead_traces_are_left_out_and_numbers_come_from_headers() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let tables = "[acquisition.tables]\nshots = 'shots.csv'\nreceivers = 'receivers.csv'";
    with_acquisition(path, tables);
    let expected = computed(path, &["duration=0.1"]);
    let mut bytes = std::fs::read(path.join("results/gathers.segy")).expect("gathers");
    let trace = (bytes.len() - 3600) / 4;
    let mut put = |at: usize, number: &[u8]| {
        bytes[3600 + trace + at - 1..][..number.len()].copy_from_slice(number);
        std::fs::write(path.join("field.segy"), &bytes).expect("written");
    };
    with_acquisition(path, "[acquisition.headers]\nfile = 'field.segy'");
    // The second trace is dead, and its field record is invalid.
    put(29, &2_i16.to_be_bytes());
    put(9, &(-5_i32).to_be_bytes());
    let found = computed(path, &["duration=0.1"]);
    let without: Vec<&Trace> = expected.iter().filter(|trace| trace.header.trace_in_record != 2).collect();
    assert_eq!(found.len(), 3);
    assert!(found.iter().zip(without).all(|(a, b)| a.samples == b.samples));
    assert!(check_report(path, &[]).contains("1 trace of field.segy left out because"), "{}", check_report(path, &[]));
    // It is a gun signature, the only trace of its shot.
    put(29, &10_i16.to_be_bytes());
    put(9, &8_i32.to_be_bytes());
    let message = check_report(path, &[]);
    assert!(
        message.contains(
            " left out because they are dead or auxiliary (codes 2 to 10), including all traces of field record 8"
        ),
        "{message}"
    );
    put(9, &(-5_i32).to_be_bytes());
    put(29, &1_i16.to_be_bytes());
    let message = error_text(survey(&path.join("it.toml"), &options(path, &[])));
    assert!(message.contains("field record (bytes 9-12) of trace 2 = -5"), "{message}");
    // A number in a table that exceeds four bytes.
    with_acquisition(path, tables);
    std::fs::write(path.join("receivers.csv"), "channel,x,y,depth\n3000000000,100,0,150\n").expect("written");
    let message = error_text(survey(&path.join("it.toml"), &options(path, &[])));
    assert!(message.contains("line 2: channel = `3000000000`") && message.contains("0 to 2147483647"), "{message}");
}

#[test]
fn invalid_relations_are_reported_with_their_line() {
    let folder = tempfile::tempdir().expect("a folder");
    with_acquisition(folder.path(), "[acquisition.sps]\nsources = 'it.s'\nreceivers = 'it.r'\nrelations = 'it.x'");
    write_sps(folder.path(), 1.0);
    let relation = std::fs::read_to_string(folder.path().join("it.x")).expect("relations");
    // Column 16 is the increment of the record, 28 to 37 are the point of the source.
    for (columns, text, words) in [(15..16, "3", "increment 3"), (27..37, "     99.00", ", which has no S record")] {
        let mut changed = relation.clone();
        changed.replace_range(columns, text);
        std::fs::write(folder.path().join("it.x"), format!("{relation}{changed}")).expect("written");
        let message = error_text(survey(&folder.path().join("it.toml"), &options(folder.path(), &[])));
        assert!(
            message.contains("it.x") && message.contains("line 2: field record 7") && message.contains(words),
            "{message}"
        );
    }
}
