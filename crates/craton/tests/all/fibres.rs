//! Rotation at receivers, strain along optical fibres, and components in turned boxes.

use std::fs;
use std::path::Path;

use craton::options::RunOptions;
use craton::{Error, Inputs, Memory, Scenario, Setup, Simulation, run};
use craton_formats::segy::SegyReader;
use tempfile::TempDir;

const SCENARIO: &str = r#"
duration = 3.0
[domain]
x = [-3000.0, 3000.0]
y = [-3000.0, 3000.0]
z = [-4000.0, 0.0]
[model.homogeneous]
vp = 5200.0
vs = 3000.0
rho = 2500.0
[[source]]
position = [0.0, 0.0, -2000.0]
moment_tensor = { xx = 1e15, yy = -2e15, zz = 1e15, xy = 3e15, xz = -1e15, yz = 2e15 }
time_function.gaussian = { sigma = 0.15, centre = 0.7 }
[receivers]
RECEIVERS
[method.METHOD]
max_frequency = 2.0
precision = "double"
[output]
directory = "results"
sample_interval = 0.01
"#;

fn scenario(receivers: &str, method: &str) -> Scenario {
    let text = SCENARIO.replace("RECEIVERS", receivers).replace("METHOD", method);
    Scenario::from_toml(&text, ".", Inputs::new()).unwrap_or_else(|error| panic!("{}", error.lines()))
}

fn refusal(error: Error) -> String {
    match error {
        Error::Scenario(errors) => errors.lines(),
        other => other.to_string(),
    }
}

fn completed(receivers: &str, method: &str) -> Memory {
    let mut memory = Memory::new();
    let mut simulation =
        Simulation::new(scenario(receivers, method)).unwrap_or_else(|error| panic!("{}", refusal(error)));
    simulation.run(&mut memory).unwrap();
    memory
}

/// The samples of a trace by the beginning of its name.
fn of<'a>(memory: &'a Memory, name: &str) -> &'a [f64] {
    let found = memory.traces.iter().find(|trace| trace.name.to_string() == name);
    &found.unwrap_or_else(|| panic!("no trace {name}")).samples
}

/// Largest difference relative to the largest value.
fn difference(a: &[f64], b: &[f64]) -> f64 {
    let peak = b.iter().fold(0.0_f64, |peak, value| peak.max(value.abs()));
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / peak
}

/// The time derivative by central differences of fourth order, without two samples at each end.
fn rate(samples: &[f64]) -> Vec<f64> {
    let inner = 2..samples.len() - 2;
    inner.map(|i| (8.0 * (samples[i + 1] - samples[i - 1]) - samples[i + 2] + samples[i - 2]) / 0.12).collect()
}

/// Receivers of strain at a place, with a fibre of one channel along (0.6, 0.48, 0.64) around it.
const ALONG: [f64; 3] = [0.6, 0.48, 0.64];
const ONE_CHANNEL: &str = r#"quantities = ["strain"]
stations = [{ code = "XX.A", position = [900.0, 700.0, -900.0] }]
fibre = [{ name = "one", path = [[894.0, 695.2, -906.4], [906.0, 704.8, -893.6]], gauge_length = 20.0, spacing = 5.0, quantities = ["strain", "strain_rate"] }]"#;

#[test]
fn a_fibre_records_the_strain_along_it() {
    for (method, limit) in [("sem", 2e-3), ("fd", 2e-2)] {
        let memory = completed(ONE_CHANNEL, method);
        let strain = |component: &str| of(&memory, &format!("XX.A.strain.{component}"));
        let [x, y, z] = ALONG;
        let weights = [
            ("XX", x * x),
            ("YY", y * y),
            ("ZZ", z * z),
            ("YZ", 2.0 * y * z),
            ("XZ", 2.0 * x * z),
            ("XY", 2.0 * x * y),
        ];
        let mut expected = vec![0.0; strain("XX").len()];
        for (component, weight) in weights {
            expected.iter_mut().zip(strain(component)).for_each(|(sum, value)| *sum += weight * value);
        }
        let channel = of(&memory, "one.00001.fibre_strain.A");
        assert!(difference(channel, &expected) < limit, "{method}: {:e}", difference(channel, &expected));
        let of_rate = &of(&memory, "one.00001.fibre_strain_rate.A")[2..expected.len() - 2];
        assert!(difference(&rate(channel), of_rate) < 1e-3, "{method}: {:e}", difference(&rate(channel), of_rate));
    }
}

#[test]
fn rotation_is_half_the_curl_of_displacement() {
    let places = [("P", [1.0, 0.0, 0.0]), ("Q", [0.0, 1.0, 0.0]), ("R", [0.0, 0.0, 1.0])];
    let mut stations = String::from("{ code = \"XX.O\", position = [900.0, 700.0, -900.0] }");
    for (name, along) in places {
        for (sign, side) in [(-20.0, "M"), (20.0, "L")] {
            let [x, y, z] = [900.0 + sign * along[0], 700.0 + sign * along[1], -900.0 + sign * along[2]];
            stations += &format!(", {{ code = \"XX.{name}{side}\", position = [{x:.1}, {y:.1}, {z:.1}] }}");
        }
    }
    let receivers = format!(
        "quantities = [\"displacement\", \"rotation\", \"rotation_rate\"]\ncomponents = [\"axes\", \"radial\"]\nstations = [{stations}]"
    );
    for (method, limit) in [("sem", 2e-3), ("fd", 2e-2)] {
        let memory = completed(&receivers, method);
        // Derivative of a component of displacement along an axis.
        let derivative = |component: &str, axis: &str| -> Vec<f64> {
            let [low, high] = ["M", "L"].map(|side| of(&memory, &format!("XX.{axis}{side}.displacement.{component}")));
            low.iter().zip(high).map(|(low, high)| (high - low) / 40.0).collect()
        };
        let curl = |a: [&str; 2], b: [&str; 2]| -> Vec<f64> {
            derivative(a[0], a[1]).iter().zip(derivative(b[0], b[1])).map(|(a, b)| 0.5 * (a - b)).collect()
        };
        let expected = [curl(["Z", "Q"], ["Y", "R"]), curl(["X", "R"], ["Z", "P"]), curl(["Y", "P"], ["X", "Q"])];
        let peak = expected.iter().flatten().fold(0.0_f64, |peak, value| peak.max(value.abs()));
        let close = |a: &[f64], b: &[f64], what: &str| {
            let error = a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max) / peak;
            assert!(error < limit, "{method} {what}: {error:e}");
        };
        for (component, expected) in ["X", "Y", "Z"].into_iter().zip(&expected) {
            close(of(&memory, &format!("XX.O.rotation.{component}")), expected, component);
            let rotation = of(&memory, &format!("XX.O.rotation.{component}"));
            let of_rate = &of(&memory, &format!("XX.O.rotation_rate.{component}"))[2..rotation.len() - 2];
            assert!(difference(&rate(rotation), of_rate) < 1e-3, "{method} rate of {component}");
        }
        // The radial axis points away from the source, the transverse one to its right.
        let (sin, cos) = 900.0_f64.atan2(700.0).sin_cos();
        let mixed =
            |a: f64, b: f64| -> Vec<f64> { expected[0].iter().zip(&expected[1]).map(|(x, y)| a * x + b * y).collect() };
        close(of(&memory, "XX.O.rotation.R"), &mixed(sin, cos), "R");
        close(of(&memory, "XX.O.rotation.T"), &mixed(cos, -sin), "T");
    }
}

/// A bent fibre near the surface and one in a well, in two parts or one.
const TWO: &str = r#"stations = [{ code = "XX.A", position = [900.0, 700.0, -100.0] }]
[[receivers.fibre]]
name = "road"
path = [[-800.0, 300.0, 0.0], [400.0, 300.0, 0.0], [400.0, 900.0, 0.0]]
depth = 0.5
gauge_length = 10.0
spacing = 25.0
[[receivers.fibre]]
name = "well"
file = "well.csv"
gauge_length = 40.0
spacing = 50.0
quantities = ["strain"]
"#;

const WELL: &str = "number,x,y,z\n1,500,500,-100\n2,500,520,-1100\n";

fn folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("well.csv"), WELL).unwrap();
    folder
}

fn written(folder: &Path, receivers: &str, method: &str, settings: &[&str]) -> std::path::PathBuf {
    let file = folder.join("scenario.toml");
    fs::write(&file, SCENARIO.replace("RECEIVERS", receivers).replace("METHOD", method)).unwrap();
    let results = folder.join("out");
    let mut overrides: Vec<String> = settings.iter().map(|&setting| setting.to_owned()).collect();
    overrides.push(format!("output.directory={}", results.display()));
    let options = RunOptions { overrides, overwrite: true, ..RunOptions::default() };
    run(&file, &options).unwrap_or_else(|error| panic!("{}", refusal(error)));
    results
}

#[test]
fn files_of_a_fibre_contain_its_channels() {
    let folder = folder();
    let settings =
        ["output.fibres=[\"segy\", \"hdf5\"]", "duration=1.5", "method.sem.max_frequency=4.0", "compute.device=cpu"];
    let results = written(folder.path(), TWO, "sem", &settings);
    let seismograms = results.join("seismograms");
    for picture in ["fibre_road_strain_rate.png", "fibre_well_strain.png"] {
        assert!(results.join(picture).exists(), "{picture}");
    }
    // The fibres have no other files.
    let mut files: Vec<String> =
        fs::read_dir(&seismograms).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    files.sort();
    assert_eq!(files.len(), 7, "{files:?}");
    let traces = |file: &str| {
        let mut reader = SegyReader::open(&seismograms.join(file)).unwrap().traces;
        (0..reader.count()).map(|trace| reader.trace(trace).unwrap()).collect::<Vec<_>>()
    };
    let road = traces("fibre_road_strain_rate.sgy");
    assert_eq!(road.len(), 72);
    assert_eq!(traces("fibre_well_strain.sgy").len(), 20);
    let peak = |samples: &[f32]| samples.iter().fold(0.0_f32, |peak, value| peak.max(value.abs()));
    assert!(road.iter().all(|trace| peak(&trace.samples) > 0.0));
    // Two parts give the same channels.
    let again = written(folder.path(), TWO, "sem", &[&settings[..], &["compute.devices=2"]].concat());
    assert_eq!(again, results);
    let in_parts = traces("fibre_road_strain_rate.sgy");
    assert!(road.iter().zip(&in_parts).all(|(one, other)| one.samples == other.samples));
}

#[test]
fn a_fibre_follows_the_ground_at_its_depth() {
    let folder = folder();
    let file = folder.path().join("scenario.toml");
    let grid: Vec<String> = (0..13).map(|j| (0..13).map(|i| format!("{} ", -40 * ((i + j) % 3))).collect()).collect();
    let header = "ncols 13\nnrows 13\nxllcorner -3250\nyllcorner -3250\ncellsize 500\n";
    fs::write(folder.path().join("hills.asc"), format!("{header}{}\n", grid.join("\n"))).unwrap();
    let text = SCENARIO.replace("RECEIVERS", TWO).replace("METHOD", "sem");
    fs::write(&file, text.replace("[domain]", "[domain]\ntopography = \"hills.asc\"")).unwrap();
    let setup = Setup::new(&Scenario::read(&file, &[]).unwrap()).unwrap_or_else(|error| panic!("{}", refusal(error)));
    let road = &setup.fibres[0];
    let lowest = road.fibre.points.iter().map(|point| point[2]).fold(0.0, f64::min);
    assert!(lowest < -50.0, "{lowest}");
    for [x, y, z] in &road.fibre.points {
        assert!((setup.model.surface().elevation(*x, *y) - 0.5 - z).abs() < 1e-6);
    }
    // Longer than on the map.
    assert!(road.fibre.channels.len() >= 72);
}

#[test]
fn rotation_is_not_dropped_by_specfem_file_names() {
    let receivers = "quantities = [\"velocity\", \"rotation\"]\nstations = [{ code = \"XX.A\", position = [900.0, 700.0, -100.0] }]";
    let text = SCENARIO.replace("RECEIVERS", receivers).replace("METHOD", "sem");
    let errors = |formats: &str| {
        let text = text.replace("sample_interval", &format!("seismograms = [{formats}]\nsample_interval"));
        Scenario::from_toml(&text, ".", Inputs::new()).err().map(|errors| errors.lines())
    };
    let found = errors("\"specfem\"").unwrap();
    assert!(found.contains("rotation is recorded, but SPECFEM file names cannot represent it"), "{found}");
    assert!(errors("\"specfem\", \"text\"").is_none() && errors("\"miniseed\"").is_none());
}

#[test]
fn impossible_fibres_are_refused() {
    let refused = |from: &str, to: &str| {
        let receivers = ONE_CHANNEL.replace(from, to);
        assert_ne!(receivers, ONE_CHANNEL, "{from}");
        let text = SCENARIO.replace("RECEIVERS", &receivers).replace("METHOD", "sem");
        match Scenario::from_toml(&text, ".", Inputs::new()) {
            Err(errors) => errors.lines(),
            Ok(scenario) => refusal(Setup::new(&scenario).unwrap_err()),
        }
    };
    let cases = [
        ("gauge_length = 20.0", "gauge_length = 21.0", "length"),
        ("gauge_length = 20.0", "gauge_length = 0.0", "gauge_length"),
        ("-906.4", "-5000.0", "outside"),
        ("name = \"one\"", "name = \"a/b\"", "is not a valid name"),
        ("name = \"one\",", "name = \"one\", file = \"a.csv\",", "exclude each other"),
        ("spacing = 5.0", "spacing = -5.0", "spacing"),
        ("path = [[894.0, 695.2, -906.4], [906.0, 704.8, -893.6]],", "", "requires one of `path`, `file`"),
        (
            "fibre = [{",
            "fibre = [{ name = \"one\", path = [[0.0, 0.0, -1.0], [50.0, 0.0, -1.0]], gauge_length = 20.0, spacing = 5.0 }, {",
            "another fibre",
        ),
    ];
    for (from, to, expected) in cases {
        let message = refused(from, to);
        assert!(message.contains(expected), "{from} -> {to}: {message}");
    }
}

#[test]
fn a_turned_box_gives_the_same_seismograms() {
    // Far from all sides, the same places give the same waves in all boxes.
    let completed = |azimuth: f64, method: &str, frequency: f64| {
        let text = SCENARIO
            .replace("x = [-3000.0, 3000.0]\ny = [-3000.0, 3000.0]", &format!("region = {{ centre = {{ longitude = 11.0, latitude = 46.0 }}, widths = [6000.0, 6000.0], azimuth = {azimuth:.1} }}"))
            .replace("position = [0.0, 0.0, -2000.0]", "longitude = 11.002\nlatitude = 45.999\ndepth = 2000.0")
            .replace("RECEIVERS", "stations = [{ code = \"XX.A\", longitude = 11.009, latitude = 46.006, depth = 900.0 }]")
            .replace("duration = 3.0", "duration = 1.4")
            .replace("max_frequency = 2.0\nprecision = \"double\"", &format!("max_frequency = {frequency:.1}"))
            .replace("METHOD", method);
        let scenario =
            Scenario::from_toml(&text, ".", Inputs::new()).unwrap_or_else(|error| panic!("{}", error.lines()));
        let mut memory = Memory::new();
        Simulation::new(scenario).unwrap_or_else(|error| panic!("{}", refusal(error))).run(&mut memory).unwrap();
        memory
    };
    for (method, frequency, limit) in [("sem", 4.0, 0.015), ("fd", 2.5, 0.03)] {
        let [straight, turned] = [0.0, 35.0].map(|azimuth| completed(azimuth, method, frequency));
        let peak =
            straight.traces.iter().flat_map(|trace| &trace.samples).fold(0.0_f64, |peak, value| peak.max(value.abs()));
        for (one, other) in straight.traces.iter().zip(&turned.traces) {
            assert_eq!(one.name, other.name);
            let worst = one.samples.iter().zip(&other.samples).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(worst < limit * peak, "{method} {:?}: {:e}", one.name, worst / peak);
        }
        assert!(straight.traces.iter().any(|trace| trace.name.component == "N"));
    }
}
