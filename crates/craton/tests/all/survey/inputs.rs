//! What a survey reads: models, geometry and wavelets of every form make the same gathers, and what cannot be meant is told.

use craton::options::CheckOptions;
use craton::survey::check_survey;
use craton_formats::netcdf::{self, Attribute, DataType, Dataset, Dimension, Variable};
use craton_formats::rsf;
use craton_formats::segy::{self, BinaryHeader, SampleFormat, TextHeader, TraceHeader};
use craton_formats::volume::{Axis, Volume};

use super::*;

/// Points of the models along depth and x, and their distances [m]; the first stand at depth 0 and x = -250 m.
pub const POINTS: [usize; 2] = [17, 9];
const SPACING: [f64; 2] = [50.0, 125.0];

/// Speeds that single precision of IBM holds as well, depth fastest.
pub fn speeds() -> Vec<f32> {
    (0..POINTS[0] * POINTS[1])
        .map(|index| 1500.0 + 25.0 * (index % 17) as f32 + 12.5 * (index / 17 % 3) as f32)
        .collect()
}

/// Speeds of rock, and the densities that follow from them.
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

/// The survey of the references in the model of a file, coarse.
pub fn with_model(folder: &Path, model: &str) {
    let text = free().replace("order = 16", "order = 4").replace("max_frequency = 50.0", "max_frequency = 25.0");
    let (before, rest) = text.split_once("[model.layered]").expect("a table");
    let after = &rest[rest.find("[acquisition").expect("a table")..];
    files(folder, &format!("{before}[model.volume]\n{model}\n{after}"));
}

#[test]
fn a_model_is_the_same_from_every_format() {
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
fn density_follows_from_speed_and_new_cells_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let [vp, rho] = rock();
    rsf::write(&folder.path().join("vp.rsf"), &volume(vp)).expect("written");
    rsf::write(&folder.path().join("rho.rsf"), &volume(rho)).expect("written");
    with_model(folder.path(), "velocity = { file = 'vp.rsf' }\ndensity = { file = 'rho.rsf' }");
    let given = samples(&computed(folder.path(), &["duration=0.3"]));
    with_model(folder.path(), "velocity = { file = 'vp.rsf' }");
    let misfit = misfit(&computed(folder.path(), &["duration=0.3"]), &given);
    // Between the points the speed is linear, and not its root.
    assert!(misfit < 0.005, "relative L2 {misfit}");
    let told = looked_ahead(folder.path(), &[]);
    assert!(line(&told, "model grid spacing").contains("125.000 x 50.000 m"), "{told}");
    assert!(line(&told, "cell size").contains("5.000 x 5.000 m"), "{told}");
    assert!(told.contains("the model has no density"), "{told}");
}

/// What a survey would be, with changes.
pub fn looked_ahead(folder: &Path, changes: &[&str]) -> String {
    let overrides = changes.iter().map(|&change| change.to_owned()).collect();
    let options = CheckOptions { overrides, ..CheckOptions::default() };
    check_survey(&folder.join("it.toml"), &options).unwrap_or_else(|error| panic!("{error:?}")).to_string()
}

/// The line of a look ahead that begins so.
pub fn line(told: &str, name: &str) -> String {
    told.lines().find(|line| line.trim().starts_with(name)).unwrap_or_else(|| panic!("{told}")).to_owned()
}

#[test]
fn axes_and_spacings_that_are_not_those_of_the_ensembles_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    write_segy(&folder.path().join("ieee.segy"), SampleFormat::Ieee);
    let refused = |given: &str| {
        with_model(folder.path(), &format!("velocity = {{ file = 'ieee.segy', {given} }}"));
        told(survey(&folder.path().join("it.toml"), &options(folder.path(), &[])))
    };
    for spacing in ["[50.0, 250.0]", "[50.0, 100.0]"] {
        let said = refused(&format!("spacing = {spacing}"));
        assert!(
            said.contains("velocity.spacing")
                && said.contains("contradicts the ensemble (CDP) coordinates of the file"),
            "{said}"
        );
        assert!(said.contains("x for axis 2, by 125 m") && said.contains("`origin`"), "{said}");
    }
    let said = refused("axes = ['depth', 'y']");
    assert!(
        said.contains("velocity.axes") && said.contains("contradicts the ensemble (CDP) coordinates of the file"),
        "{said}"
    );
    with_model(folder.path(), "velocity = { file = 'ieee.segy', axes = ['depth', 'x'], spacing = [50.0, 125.0] }");
    looked_ahead(folder.path(), &[]);
}

#[test]
fn values_of_a_volume_outside_the_box_do_not_count() {
    let folder = tempfile::tempdir().expect("a folder");
    // Rock: its density has no jump at the speed of water, on whose two sides round-off would put cells.
    let [speeds, _] = rock();
    rsf::write(&folder.path().join("vp.rsf"), &volume(speeds.clone())).expect("written");
    with_model(folder.path(), "velocity = { file = 'vp.rsf' }");
    let expected = samples(&computed(folder.path(), &["duration=0.3"]));
    let grid = line(&looked_ahead(folder.path(), &[]), "points per wavelength");
    // The same with air above it, and with zeros, or nothing, that only fill.
    let above = [Axis::new(POINTS[0] + 2, -2.0 * SPACING[0], SPACING[0]), Axis::new(POINTS[1], -250.0, SPACING[1])];
    let above = [above[0].clone().named("depth", "m"), above[1].clone().named("x", "m")];
    for (fill, name) in [(0.0, "0"), (f32::NAN, "NaN")] {
        let padded = speeds.chunks(POINTS[0]).flat_map(|column| [&[fill, 330.0][..], column].concat()).collect();
        let padded = Volume::new(above.to_vec(), padded).expect("a volume");
        rsf::write(&folder.path().join("vp.rsf"), &padded).expect("written");
        let misfit = misfit(&computed(folder.path(), &["duration=0.3"]), &expected);
        assert!(misfit < 1e-5, "relative L2 {misfit}");
        assert_eq!(line(&looked_ahead(folder.path(), &[]), "points per wavelength"), grid);
        let options = options(folder.path(), &["duration=0.3", "domain.depth=[-100, 800]"]);
        let said = told(survey(&folder.path().join("it.toml"), &options));
        assert!(said.contains(&format!("has the value {name} at x = -250, y = 0, z = 100 m")), "{said}");
    }
}

/// The geometry of the references as SPS has it, in a unit of so many metres.
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

/// The survey of the references, coarse, with another table of acquisition.
pub fn with_acquisition(folder: &Path, table: &str) {
    let text = free().replace("order = 16", "order = 4").replace("max_frequency = 50.0", "max_frequency = 25.0");
    let (before, rest) = text.split_once("[acquisition.tables]").expect("a table");
    let after = &rest[rest.find("[source]").expect("a table")..];
    files(folder, &format!("{before}{table}\n{after}"));
}

#[test]
fn a_geometry_is_the_same_from_tables_headers_and_sps() {
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
    let told_of = |told: &str| {
        assert!(
            told.contains(
                "lengths in it.s are in units of 0.5 m according to its headers, and are converted to metres"
            ) && told.contains("lengths in it.r are in units of "),
            "{told}"
        );
    };
    told_of(&looked_ahead(folder.path(), &[]));
    // The unit of the relations counts where neither of the others says one; one alone that says it is refused.
    let cut = |name: &str| {
        let text = std::fs::read_to_string(folder.path().join(name)).expect("a file");
        let (header, rest) = text.split_once('\n').expect("a header");
        std::fs::write(folder.path().join(name), rest).expect("written");
        format!("{header}\n")
    };
    let header = cut("it.r");
    let said = told(survey(&folder.path().join("it.toml"), &options(folder.path(), &[])));
    assert!(said.contains("it.r does not give a unit, but lengths in it.s are in units of 0.5 m"), "{said}");
    cut("it.s");
    let relations = std::fs::read_to_string(folder.path().join("it.x")).expect("a file");
    std::fs::write(folder.path().join("it.x"), header + &relations).expect("written");
    told_of(&looked_ahead(folder.path(), &[]));
    let found = computed(folder.path(), &["duration=0.2"]);
    assert!(found.len() == expected.len() && found.iter().zip(&expected).all(|(a, b)| a == b));
}

#[test]
fn geometry_that_cannot_be_meant_is_told_with_shot_and_trace() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    with_acquisition(path, "[acquisition.headers]\nfile = 'field.segy'");
    let survey_it = |changes: &[&str]| told(survey(&path.join("it.toml"), &options(path, changes)));
    // A file whose second trace says it has another number of samples, and one that was cut.
    write_segy(&path.join("field.segy"), SampleFormat::Ieee);
    let whole = std::fs::read(path.join("field.segy")).expect("a file");
    let mut other = whole.clone();
    other[3600 + 240 + 4 * 17 + 115] = 99;
    std::fs::write(path.join("field.segy"), other).expect("written");
    let said = survey_it(&[]);
    assert!(said.contains("trace 2") && said.contains("different lengths"), "{said}");
    std::fs::write(path.join("field.segy"), &whole[..whole.len() - 10]).expect("written");
    assert!(survey_it(&[]).contains("truncated"), "{}", survey_it(&[]));
    // Shots that stand twice, and a channel that does.
    with_acquisition(path, "[acquisition.tables]\nshots = 'shots.csv'\nreceivers = 'receivers.csv'");
    std::fs::write(path.join("shots.csv"), "shot,x,y,depth\n7,0,0,200\n8,5,0,200\n7,9,0,200\n").expect("written");
    let said = survey_it(&[]);
    assert!(said.contains("the number 7") && said.contains("shots.csv"), "{said}");
    std::fs::write(path.join("shots.csv"), "shot,x,y,depth\n7,0,0,200\n").expect("written");
    std::fs::write(path.join("receivers.csv"), "channel,x,y,depth\n1,0,0,9\n1,5,0,9\n").expect("written");
    let said = survey_it(&[]);
    assert!(said.contains("channel 1") && said.contains("receivers.csv"), "{said}");
    // An interval that leads backwards.
    let marine = "[acquisition.marine]\nfirst_shot = [0.0, 0.0]\nshots = 2\nshot_interval = -25.0\nsource_depth = 10.0\n\
                  streamer_length = 100.0\ngroup_interval = 25.0\nnear_offset = 25.0\nstreamer_depth = 10.0";
    with_acquisition(path, marine);
    let said = survey_it(&[]);
    assert!(said.contains("acquisition.marine.shot_interval") && said.contains("-25"), "{said}");
}

#[test]
fn dead_traces_are_no_receivers_and_numbers_are_those_of_headers() {
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
    // The second trace is dead, and says nothing else that holds.
    put(29, &2_i16.to_be_bytes());
    put(9, &(-5_i32).to_be_bytes());
    let found = computed(path, &["duration=0.1"]);
    let without: Vec<&Trace> = expected.iter().filter(|trace| trace.header.trace_in_record != 2).collect();
    assert_eq!(found.len(), 3);
    assert!(found.iter().zip(without).all(|(a, b)| a.samples == b.samples));
    assert!(looked_ahead(path, &[]).contains("1 trace of field.segy left out because"), "{}", looked_ahead(path, &[]));
    // It is the signature of a gun, and all that there is of its shot.
    put(29, &10_i16.to_be_bytes());
    put(9, &8_i32.to_be_bytes());
    let said = looked_ahead(path, &[]);
    assert!(
        said.contains(
            " left out because they are dead or auxiliary (codes 2 to 10), including all traces of field record 8"
        ),
        "{said}"
    );
    put(9, &(-5_i32).to_be_bytes());
    put(29, &1_i16.to_be_bytes());
    let said = told(survey(&path.join("it.toml"), &options(path, &[])));
    assert!(said.contains("field record (bytes 9-12) of trace 2 = -5"), "{said}");
    // A number that four bytes do not hold, in a table.
    with_acquisition(path, tables);
    std::fs::write(path.join("receivers.csv"), "channel,x,y,depth\n3000000000,100,0,150\n").expect("written");
    let said = told(survey(&path.join("it.toml"), &options(path, &[])));
    assert!(said.contains("receivers.csv:2: channel = `3000000000`") && said.contains("0 to 2147483647"), "{said}");
}

#[test]
fn relations_that_cannot_be_meant_are_told_with_their_line() {
    let folder = tempfile::tempdir().expect("a folder");
    with_acquisition(folder.path(), "[acquisition.sps]\nsources = 'it.s'\nreceivers = 'it.r'\nrelations = 'it.x'");
    write_sps(folder.path(), 1.0);
    let relation = std::fs::read_to_string(folder.path().join("it.x"))
        .expect("write one relation per field record, with the increment 1");
    // Column 16 is the increment of the record, 28 to 37 are the point of the source.
    for (columns, text, words) in [(15..16, "3", "increment 3"), (27..37, "     99.00", ", which has no S record")] {
        let mut changed = relation.clone();
        changed.replace_range(columns, text);
        std::fs::write(folder.path().join("it.x"), format!("{relation}{changed}")).expect("written");
        let said = told(survey(&folder.path().join("it.toml"), &options(folder.path(), &[])));
        assert!(said.contains("it.x:2: field record 7") && said.contains(words), "{said}");
    }
}

pub fn samples(traces: &[Trace]) -> Vec<Vec<f64>> {
    traces.iter().map(|trace| trace.samples.iter().map(|&sample| f64::from(sample)).collect()).collect()
}

const QUICK: [&str; 2] = ["duration=0.3", "method.fd.max_frequency=40"];

#[test]
fn arrays_of_sources_and_receivers_are_the_sums_of_their_points() {
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path(), &free());
    let found = |array: &str| samples(&computed(folder.path(), &[&QUICK[..], &[array]].concat()));
    let sum = |a: Vec<Vec<f64>>, b: Vec<Vec<f64>>| -> Vec<Vec<f64>> {
        let both = |(a, b): (Vec<f64>, Vec<f64>)| a.into_iter().zip(b).map(|(a, b)| a + b).collect();
        a.into_iter().zip(b).map(both).collect()
    };
    for table in ["source", "receivers"] {
        let [one, other] = ["{ at = [12.0, 0.0, 3.0], weight = 0.7 }", "{ at = [-20.0, 0.0, -4.0], weight = 0.4 }"];
        let expected = sum(found(&format!("{table}.array=[{one}]")), found(&format!("{table}.array=[{other}]")));
        let both = computed(folder.path(), &[&QUICK[..], &[&format!("{table}.array=[{one}, {other}]")]].concat());
        let misfit = misfit(&both, &expected);
        assert!(misfit < 1e-5, "{table}: relative L2 {misfit}");
    }
}

/// A force f along an axis makes the pressure of sources f / h half a metre ahead and -f / h as much behind, h one metre.
#[test]
fn a_force_is_a_pair_of_sources() {
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path(), &free());
    for (kind, [ahead, behind]) in
        [("force_z", ["0.0, 0.0, 0.5", "0.0, 0.0, -0.5"]), ("force_x", ["0.5, 0.0, 0.0", "-0.5, 0.0, 0.0"])]
    {
        let pair = format!("source.array=[{{ at = [{ahead}], weight = 1.0 }}, {{ at = [{behind}], weight = -1.0 }}]");
        let expected = samples(&computed(folder.path(), &[&QUICK[..], &[&pair]].concat()));
        let force = computed(folder.path(), &[&QUICK[..], &[&format!("source.kind='{kind}'")]].concat());
        let misfit = misfit(&force, &expected);
        assert!(misfit < 0.01, "{kind}: relative L2 {misfit}");
    }
}

#[test]
fn wavelets_come_from_files_and_with_minimum_phase() {
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path(), &free());
    let ricker = samples(&computed(folder.path(), &QUICK));
    let row = |index: u32| {
        let t = 5e-4 * f64::from(index);
        let x = (std::f64::consts::PI * 15.0 * (t - 0.1)).powi(2);
        format!("{t} {}\n", (1.0 - 2.0 * x) * (-x).exp())
    };
    std::fs::write(folder.path().join("wavelet.txt"), (0..=400).map(row).collect::<String>()).expect("written");
    let file = "source.time_function={ file = 'wavelet.txt' }";
    let found = computed(folder.path(), &[&QUICK[..], &[file]].concat());
    let same = misfit(&found, &ricker);
    assert!(same < 0.002, "relative L2 {same}");
    let early = samples(&computed(folder.path(), &[&QUICK[..], &["source.minimum_phase=true"]].concat()));
    // Half of the energy has come after so many samples.
    let middle = |trace: &[f64]| {
        let energy = |until: usize| trace[..until].iter().map(|sample| sample * sample).sum::<f64>();
        (0..trace.len()).find(|&until| energy(until) > 0.5 * energy(trace.len())).expect("a trace that moves")
    };
    assert!(middle(&early[0]) + 50 < middle(&ricker[0]), "{} and {}", middle(&early[0]), middle(&ricker[0]));
}
