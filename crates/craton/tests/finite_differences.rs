//! A scenario solved by finite differences: the same seismograms as by spectral elements, and what is refused.

use std::path::{Path, PathBuf};

use craton::options::{CheckOptions, RunOptions};
use craton::traces::{Trace, read_folder};
use craton::{Error, check, run};

/// A layer over a half-space; the sides are so far that nothing comes back from them.
const SCENARIO: &str = r#"
duration = 1.0
[domain]
x = [-1800.0, 1800.0]
y = [-1800.0, 1800.0]
z = [-2600.0, 0.0]
[model.layered]
layers = [{ vp = 3000.0, vs = 1700.0, rho = 2300.0 }, { top = -400.0, vp = 3600.0, vs = 2000.0, rho = 2500.0 }]
[[source]]
position = [0.0, 30.0, -800.0]
moment_tensor = { xx = 1.0e14, zz = -2.0e14, xy = 2.0e14, yz = 0.5e14 }
time_function.gaussian = { sigma = 0.09, centre = 0.36 }
[receivers]
quantities = ["velocity", "strain", "pressure"]
stations = [
    { code = "XX.TOP", position = [310.0, -220.0, 0.0] },
    { code = "XX.IN", position = [-130.0, 275.0, -515.0] },
]
[method.sem]
max_frequency = 5.0
points_per_wavelength = 9.0
[output]
directory = "results"
seismograms = ["text"]
"#;

const BY_FD: &str = "method={ fd = { max_frequency = 5.0, points_per_wavelength = 8.0, order = 8 } }";

struct Case {
    folder: tempfile::TempDir,
}

impl Case {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("box.toml"), SCENARIO).expect("written");
        Self { folder }
    }

    fn file(&self) -> PathBuf {
        self.folder.path().join("box.toml")
    }

    fn run(&self, name: &str, changes: &[&str]) -> Vec<Trace> {
        let results = self.folder.path().join(name);
        let here = format!("output.directory={}", results.display());
        let overrides = changes.iter().map(|&change| change.to_owned()).chain([here]).collect();
        let options = RunOptions { overrides, quiet: true, ..RunOptions::default() };
        run(&self.file(), &options).unwrap_or_else(|error| panic!("{name}: {error}"));
        read_folder(&results).expect("seismograms")
    }

    fn refusal(&self, changes: &[&str]) -> Error {
        let overrides = changes.iter().map(|&change| change.to_owned()).collect();
        check(&self.file(), &CheckOptions { overrides, ..CheckOptions::default() }).expect_err("refused")
    }
}

/// Relative L2 of all components of a quantity at a station.
fn misfit(found: &[Trace], expected: &[Trace], station: &str, quantity: &str) -> f64 {
    let own = |trace: &&Trace| {
        let name = trace.name.to_string();
        name.starts_with(station) && name.contains(quantity)
    };
    let (mut difference, mut size) = (0.0, 0.0);
    let mut count = 0;
    for expected in expected.iter().filter(own) {
        let found = found.iter().find(|trace| trace.name == expected.name).expect("the same trace");
        // Both begin at the same time, but have their own steps: the linear interpolation of the finer one does not show.
        for (index, sample) in expected.samples.iter().enumerate() {
            let at = index as f64 * expected.dt / found.dt;
            let (below, part) = (at as usize, at.fract());
            let Some(pair) = found.samples.get(below..below + 2) else { break };
            difference += ((1.0 - part) * pair[0] + part * pair[1] - sample).powi(2);
            size += sample.powi(2);
        }
        count += 1;
    }
    assert!(count > 0 && size > 0.0, "{station} {quantity}");
    f64::sqrt(difference / size)
}

#[test]
fn the_same_scenario_has_the_same_seismograms_by_both_methods() {
    let case = Case::new();
    let interval = "output.sample_interval=0.002";
    let expected = case.run("sem", &[interval]);
    let found = case.run("fd", &[interval, BY_FD]);
    // At the free surface gradients are one-sided, of first order: 2.7 % here, 1.8 % with 12 points per wavelength.
    for (station, quantity, limit) in [
        ("XX.TOP", "velocity", 0.01),
        ("XX.TOP", "strain", 0.03),
        ("XX.TOP", "pressure", 0.02),
        ("XX.IN", "velocity", 0.01),
        ("XX.IN", "strain", 0.01),
        ("XX.IN", "pressure", 0.01),
    ] {
        let misfit = misfit(&found, &expected, station, quantity);
        assert!(misfit < limit, "{station} {quantity}: {misfit}");
    }
}

#[test]
fn water_over_rock_is_solved_by_finite_differences_alone() {
    let case = Case::new();
    let water = "model={ layered = { layers = [{ vp = 1500.0, vs = 0.0, rho = 1000.0 }, \
                 { top = -400.0, vp = 3600.0, vs = 2000.0, rho = 2500.0 }] } }";
    let coarse = "method={ fd = { max_frequency = 5.0, grid_spacing = 50.0 } }";
    let in_water = "receivers.stations=[{ code = 'XX.SEA', position = [200.0, 100.0, -190.0] }]";
    let traces = case.run("water", &[water, coarse, in_water]);
    let peak = |component: &str| {
        let own = |trace: &&Trace| trace.name.to_string().contains(component);
        let samples = traces.iter().filter(own).flat_map(|trace| &trace.samples);
        samples.fold(0.0, |peak: f64, sample| peak.max(sample.abs()))
    };
    let [pressure, velocity] = ["pressure", "velocity"].map(peak);
    assert!(pressure > 0.0 && pressure.is_finite() && velocity > 0.0 && velocity.is_finite(), "{pressure} {velocity}");
    let refused = case.refusal(&[water]);
    assert!(
        matches!(&refused, Error::Scenario(errors) if errors.lines().to_string().contains("is a fluid")),
        "{refused}"
    );
}

#[test]
fn what_finite_differences_cannot_solve_is_refused_with_the_key() {
    let case = Case::new();
    let by_fd = |keys: &str| format!("method={{ fd = {{ max_frequency = 5.0, {keys} }} }}");
    let cases: [(Vec<String>, &str); 7] = [
        (vec![BY_FD.into(), "model={ homogeneous = { vp = 3000.0, vs = 1700.0, rho = 2300.0, thomsen = { epsilon = 0.1, delta = 0.05, gamma = 0.1 } } }".into()], "anisotropic"),
        (vec![by_fd("order = 5")], "order"),
        (vec![by_fd("time_step = 0.1")], "method.fd.time_step = 0.1 s is not stable"),
        (vec![by_fd("grid_spacing = 40.0, absorbing = { cpml = { cells = 45, inside = true } }")], "leave nothing of domain"),
        (vec![by_fd("grid_spacing = 40.0, absorbing = { cpml = { cells = 42, inside = true } }")], "absorbing layer"),
        (vec![by_fd("sponge = { sides = [] }")], "names no side"),
        (vec![by_fd("grid_spacing = 1e-6")], "tiny part of the box"),
    ];
    for (changes, words) in cases {
        let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
        let error = case.refusal(&changes);
        let told = match &error {
            Error::Scenario(errors) => errors.lines().to_string(),
            other => other.to_string(),
        };
        assert!(told.contains(words), "{changes:?}: {told}");
        assert!(error.is_bad_input(), "{told}");
    }
    assert!(!Path::new("results").exists());
}

#[test]
fn a_coarse_grid_and_a_fast_source_are_told_of() {
    let case = Case::new();
    let coarse = "method={ fd = { max_frequency = 5.0, grid_spacing = 150.0 } }";
    let overrides = vec![coarse.to_owned()];
    let report = check(&case.file(), &CheckOptions { overrides, ..CheckOptions::default() }).expect("a grid");
    assert!(
        report.to_string().contains("the grid resolves up to")
            && report.to_string().contains("method.fd.max_frequency"),
        "{report}"
    );
    let wide =
        "method={ fd = { max_frequency = 5.0, grid_spacing = 150.0, sponge = { sides = ['top'], cells = 400 } } }";
    let report = check(&case.file(), &CheckOptions { overrides: vec![wide.to_owned()], ..CheckOptions::default() })
        .expect("a grid");
    assert!(report.to_string().contains("method.fd.sponge.cells = 400"), "{report}");
    assert!(report.to_string().contains("cells"), "{report}");
}
