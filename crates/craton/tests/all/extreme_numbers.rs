//! Extreme numbers: each is either refused at its key with a readable message, or used.

use std::path::PathBuf;

use craton::options::{CheckOptions, MeshOptions};
use craton::{Error, Scenario, Setup};

/// A scenario with every kind of number.
const SCENARIO: &str = r#"
duration = 0.1
[domain]
x = [0.0, 1000.0]
y = [0.0, 1000.0]
z = [-1000.0, 0.0]
[model.layered]
layers = [ { vp = 4000.0, vs = 2000.0, rho = 2600.0 }, { top = -500.0, vp = 5000.0, vs = 2500.0, rho = 2700.0, thomsen = { epsilon = 0.1, delta = 0.05, gamma = 0.1, tilt = 10.0, azimuth = 20.0 } } ]
[[source]]
position = [500.0, 500.0, -200.0]
moment_tensor = { xy = 1.0e14 }
time_function.gaussian = { sigma = 0.1, centre = 0.5 }
[[source]]
position = [500.0, 500.0, -200.0]
force = [1e12,0.0,0.0]
time_function.ricker = { frequency = 2.0, centre = 0.8 }
[[source]]
position = [500.0, 500.0, -200.0]
double_couple = { strike = 30.0, dip = 60.0, rake = 45.0, magnitude = 4.6 }
time_function.brune = { corner_frequency = 1.0, onset = 0.0 }
[[source]]
position = [500.0, 500.0, -200.0]
double_couple = { strike = 30.0, dip = 60.0, rake = 45.0, moment = 1e16 }
time_function.error_function = { width = 0.1, centre = 0.45 }
delay = 0.1
[[source]]
position = [500.0, 500.0, -200.0]
moment_tensor = { xx = 1.0e14, yy = 1.0e14, zz = 1.0e14, yz = 1.0e14, xz = 1.0e14, xy = 1.0e14 }
time_function.triangle = { half_duration = 0.5, centre = 0.5 }
[receivers]
stations = [{ code = "XX.S10", position = [800.0, 600.0, 0.0] }]
[[receivers.line]]
code = "XX.L"
from = [0.0,0.0,0.0]
to = [900.0,0.0,0.0]
count = 10
[[receivers.grid]]
code = "XX.G"
x = [0.0,900.0]
y = [0.0,900.0]
z = 0.0
count = [3,3]
[method.sem]
max_frequency = 5.0
element_size = 500.0
courant = 0.9
points_per_wavelength = 4.0
degree = 3
control_nodes = 8
[output]
directory = "results"
sample_interval = 0.01
checkpoint_interval = 600.0
[output.snapshots]
surface = { every = 0.05 }
slices = [ { x = 500.0, every = 0.05 } ]
volume = { every = 0.05 }
[compute]
threads = 1
"#;

const LAYERS: [&str; 9] = [
    "[0].rho",
    "[0].vp",
    "[0].vs",
    "[1].top",
    "[1].thomsen.epsilon",
    "[1].thomsen.delta",
    "[1].thomsen.gamma",
    "[1].thomsen.tilt",
    "[1].thomsen.azimuth",
];

const SOURCES: [&str; 18] = [
    "[0].position[0]",
    "[0].position[2]",
    "[0].moment_tensor.xy",
    "[0].time_function.gaussian.sigma",
    "[0].time_function.gaussian.centre",
    "[1].force[0]",
    "[1].time_function.ricker.frequency",
    "[1].time_function.ricker.centre",
    "[2].double_couple.strike",
    "[2].double_couple.magnitude",
    "[2].time_function.brune.corner_frequency",
    "[2].time_function.brune.onset",
    "[3].double_couple.moment",
    "[3].time_function.error_function.width",
    "[3].time_function.error_function.centre",
    "[3].delay",
    "[4].time_function.triangle.half_duration",
    "[4].time_function.triangle.centre",
];

const OTHERS: [&str; 24] = [
    "duration",
    "domain.x[0]",
    "domain.y[1]",
    "domain.z[0]",
    "domain.z[1]",
    "receivers.stations[0].position[0]",
    "receivers.line[0].to[0]",
    "receivers.line[0].count",
    "receivers.grid[0].x[1]",
    "receivers.grid[0].z",
    "receivers.grid[0].count[0]",
    "method.sem.max_frequency",
    "method.sem.element_size",
    "method.sem.courant",
    "method.sem.points_per_wavelength",
    "method.sem.degree",
    "method.sem.control_nodes",
    "method.sem.time_step",
    "output.sample_interval",
    "output.checkpoint_interval",
    "output.snapshots.surface.every",
    "output.snapshots.slices[0].x",
    "output.snapshots.volume.every",
    "compute.threads",
];

/// The same scenario by finite differences, which do not support anisotropy.
const BY_FD: [&str; 2] = [
    "model={ homogeneous = { vp = 4000.0, vs = 2000.0, rho = 2600.0 } }",
    "method={ fd = { max_frequency = 5.0, order = 8, holberg = 0.001, points_per_wavelength = 6.0, grid_spacing = 50.0, courant = 0.9, \
     absorbing = { cpml = { cells = 5, reflection = 1e-4, max_stretch = 2.0, inside = true }, bottom = { cpml = { cells = 4 } } }, \
     sponge = { sides = ['x_min'], cells = 5, factor = 0.02, x_max = { cells = 4, factor = 0.01 } } } }",
];

const OF_FD: [&str; 16] = [
    "max_frequency",
    "order",
    "holberg",
    "points_per_wavelength",
    "grid_spacing",
    "courant",
    "time_step",
    "absorbing.cpml.cells",
    "absorbing.cpml.reflection",
    "absorbing.cpml.max_stretch",
    "absorbing.bottom.cpml.cells",
    "absorbing.bottom.cpml.reflection",
    "sponge.cells",
    "sponge.factor",
    "sponge.x_max.cells",
    "sponge.x_max.factor",
];

const VALUES: [&str; 15] = [
    "0",
    "-1",
    "nan",
    "inf",
    "-inf",
    "1e300",
    "-1e300",
    "1e-300",
    "1e38",
    "1e-38",
    "1e12",
    "1e-12",
    "-1e30",
    "9223372036854775807",
    "5e-324",
];

fn set_up(changes: &[String]) -> Result<Setup, Error> {
    Setup::new(&Scenario::parse("it.toml", SCENARIO, PathBuf::new(), changes)?)
}

/// The warnings, or the errors, of the scenario with some keys changed.
fn messages(changes: &[String]) -> Result<String, String> {
    match set_up(changes) {
        Ok(setup) => Ok(setup.warnings.join("\n")),
        Err(Error::Scenario(errors)) => Err(errors.lines()),
        Err(other) => panic!("{changes:?}: {other}"),
    }
}

/// Length of the longest run of digits.
fn longest_number(text: &str) -> usize {
    text.split(|c: char| !c.is_ascii_digit()).map(str::len).max().unwrap_or(0)
}

#[test]
fn the_scenario_is_valid() {
    set_up(&[]).expect("a valid scenario");
}

#[test]
fn every_extreme_number_is_refused_at_its_key_or_used() {
    let layers = LAYERS.map(|key| format!("model.layered.layers{key}"));
    let keys: Vec<String> =
        OTHERS.map(str::to_owned).into_iter().chain(layers).chain(SOURCES.map(|key| format!("source{key}"))).collect();
    sweep(&keys, &[]);
}

#[test]
fn every_extreme_number_of_finite_differences_is_refused_at_its_key_or_used() {
    let by_fd = BY_FD.map(str::to_owned);
    set_up(&by_fd).expect("a valid scenario");
    sweep(&OF_FD.map(|key| format!("method.fd.{key}")), &by_fd);
}

#[test]
fn extreme_numbers_of_finite_differences_do_not_fail_in_the_grid() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("it.toml");
    std::fs::write(&file, SCENARIO).expect("written");
    // Outside the absorbing layers, which are inside the domain.
    let others =
        ["receivers={ stations = [{ code = 'XX.A', position = [510.0, 520.0, -300.0] }] }", "compute.device=cpu"];
    let shared: Vec<String> = BY_FD.into_iter().chain(others).map(str::to_owned).collect();
    let mut computed = 0;
    for key in OF_FD {
        for value in VALUES {
            let overrides = [&shared[..], &[format!("method.fd.{key}={value}")]].concat();
            match craton::check(&file, &CheckOptions { overrides, ..Default::default() }) {
                Ok(report) => {
                    computed += 1;
                    assert!(longest_number(&report.to_string()) <= 19, "{key} = {value}: {report}");
                }
                Err(error) => assert!(error.is_bad_input(), "{key} = {value}: {error}"),
            }
        }
    }
    assert!(computed > 4, "{computed}");
}

/// Sets every key to every value, after some changes.
fn sweep(keys: &[String], changes: &[String]) {
    for key in keys {
        for value in VALUES {
            let outcome = messages(&[changes, &[format!("{key}={value}")]].concat());
            let text = outcome.as_ref().unwrap_or_else(|text| text);
            assert!(longest_number(text) <= 19, "{key} = {value}: {text}");
            let Err(text) = outcome else { continue };
            // An error may name another key that conflicts with this one.
            let table = key.split(['.', '[']).next().expect("a key");
            assert!(
                text.contains(table)
                    || text.contains(key.as_str())
                    || text.contains("domain")
                    || text.contains("in a fluid"),
                "{key} = {value}: {text}"
            );
            let has_help = |line: &str| line.contains("(") || line.contains("expected an integer");
            assert!(text.lines().all(has_help), "{key} = {value}: {text}");
        }
    }
}

#[test]
fn numbers_outside_single_precision_are_refused_with_their_range() {
    for (change, expected) in [
        ("model.layered.layers[0].rho=1e300", "rho = 1e300: is out of range (allowed: > 0 and <= 1000000)"),
        ("model.layered.layers[0].vp=1e300", "vp = 1e300: is out of range (allowed: > 0 and <= 1000000)"),
        (
            "model.layered.layers[0].vs=1e-300",
            "vs = 1e-300: is too small (allowed: >= 1e-15; check the unit: values are in SI units",
        ),
        ("duration=1e300", "duration = 1e300: is out of range (allowed: > 0 and <= 1e9)"),
        ("domain.x[1]=1e300", "domain.x[1] = 1e300: is out of range (allowed: >= -1e9 and <= 1e9)"),
        ("source[1].force[0]=-1e300", "source[1].force[0] = -1e300: is too large (allowed: at most 1e30 in magnitude;"),
        (
            "method.sem.max_frequency=1e11",
            "method.sem.max_frequency = 1e11: the slowest wave of 2000 m/s requires elements of 1.5e-8 m in a box of 1000 m (allowed: <= 1500000.0000 Hz in this box;",
        ),
        (
            "method.sem.element_size=1e-12",
            "method.sem.element_size = 1e-12: is too small for the box (allowed: >= 0.0010 m in this box;",
        ),
        (
            "output.sample_interval=1e-14",
            "output.sample_interval = 1e-14: results in 1.000e13 samples per seismogram (allowed: >= 1e-10 s, which results in 1e9 samples;",
        ),
        (
            "receivers.grid[0].count=[5000,5000]",
            "receivers.grid[0].count = [5000, 5000]: results in 25000000 receivers (allowed: at most 1000000)",
        ),
        ("domain.z=[-1e-9,0]", "domain.z = [-1e-9, 0]: the box is too thin along this axis (allowed: at least 1e-6 m;"),
    ] {
        let text = messages(&[change.to_owned()]).expect_err(change);
        assert!(text.contains(expected), "{change}: {text}");
    }
}

#[test]
fn too_many_steps_are_refused_with_the_duration_and_the_step() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("it.toml");
    std::fs::write(&file, SCENARIO).expect("written");
    let options = CheckOptions { overrides: vec!["method.sem.courant=1e-15".to_owned()], ..Default::default() };
    let error = craton::check(&file, &options).expect_err("a quadrillion steps");
    assert!(error.is_bad_input());
    let message = error.to_string();
    assert!(message.starts_with("duration = 0.1 s: starting at 0 s, this requires 9.9"), "{message}");
    assert!(message.ends_with("e-17 s. At most 1e12 are possible"), "{message}");
}

#[test]
fn a_mesh_larger_than_memory_is_refused_before_meshing() {
    let loh1 = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples/loh1/loh1.toml");
    let overrides = vec!["method.sem.max_frequency=20000".to_owned(), "compute.device=cpu".to_owned()];
    let check = CheckOptions { overrides: overrides.clone(), ..CheckOptions::default() };
    let write = MeshOptions { overrides, ..MeshOptions::default() };
    let refusals = [craton::check(&loh1, &check).map(drop), craton::write_mesh(&loh1, &write).map(drop)];
    for refusal in refusals {
        let error = refusal.expect_err("10^13 elements");
        assert!(error.is_bad_input(), "{error}");
        let craton::Error::Scenario(errors) = error else { panic!("{error}") };
        let message = errors.lines();
        assert!(
            message.contains("method.sem.max_frequency = 20000") && message.contains(" PB of memory and "),
            "{message}"
        );
        assert!(message.contains("the slowest wave of 2000.0000 m/s near x = "), "{message}");
    }
}
