//! Finite faults: their points are point sources with slip rates of their own.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use craton::options::RunOptions;
use craton::traces::{Trace, read_folder};
use craton::{Error, Scenario, Setup, run};
use tempfile::TempDir;

const SCENARIO: &str = r#"
duration = 7.0
[domain]
projection.utm = { zone = 32, origin = { longitude = 11.0, latitude = 46.0 } }
x = [-3500.0, 3500.0]
y = [-3000.0, 3000.0]
z = [-4500.0, 0.0]
[model.homogeneous]
vp = 5200.0
vs = 3000.0
rho = 2500.0
[[source]]
SOURCE
[[receivers.stations]]
code = "XX.A"
position = [2300.0, 2000.0, 0.0]
[[receivers.stations]]
code = "XX.B"
position = [-2000.0, 1000.0, -1500.0]
[method.METHOD]
max_frequency = 1.5
precision = "double"
[output]
directory = "results"
seismograms = ["sac"]
"#;

/// A slip rate [cm/s] without frequencies above that of the run, at intervals of 0.02 s.
fn rates() -> Vec<f64> {
    (0..180).map(|k| 40.0 * (-0.5 * ((0.02 * f64::from(k) - 1.8) / 0.35_f64).powi(2)).exp()).collect()
}

/// A file with points 0.3 s and 200 m apart that slip along u1 and u2.
fn srf(points: usize, version: &str) -> String {
    let rates: Vec<String> = rates().iter().map(|rate| format!("{rate:.9e}")).collect();
    let mut text = format!("{version}\nPOINTS {points}\n");
    for point in 0..points {
        let medium = if version == "2.0" { " 3.0e5 2.5" } else { "" };
        let (longitude, start) = (11.0 + 0.0026 * point as f64, 1.5 + 0.3 * point as f64);
        let _ = writeln!(text, "{longitude} 46.001 2.0 40 60 4.0e8 {start} 0.02{medium}");
        let _ = writeln!(text, "30 0 {n} 0 {n} 0 0\n{}\n{0}", rates.join(" "), n = rates.len());
    }
    text
}

/// The same as sources of the scenario.
fn sources(points: usize, folder: &Path) -> String {
    let total: f64 = 0.02 * rates().iter().sum::<f64>();
    let mut function = String::from("0.0 0.0\n");
    (1..).zip(rates()).for_each(|(k, rate)| writeln!(function, "{:.2} {}", 0.02 * f64::from(k), rate / total).unwrap());
    fs::write(folder.join("rate.txt"), function + "3.62 0.0\n").unwrap();
    let moment = 2500.0 * 3000.0_f64.powi(2) * 4.0e4 * total / 100.0;
    let source = |(point, rake): (usize, f64)| {
        let (longitude, delay) = (11.0 + 0.0026 * point as f64, 1.48 + 0.3 * point as f64);
        format!(
            "longitude = {longitude}\nlatitude = 46.001\ndepth = 2000.0\ndouble_couple = {{ strike = 40, dip = 60, rake = {rake}, moment = {moment} }}\n\
             time_function.file = \"rate.txt\"\ndelay = {delay}"
        )
    };
    let all: Vec<String> = (0..points).flat_map(|point| [(point, 30.0), (point, 120.0)]).map(source).collect();
    all.join("\n[[source]]\n")
}

/// Writes a scenario with a source; returns its file.
fn scenario(folder: &Path, source: &str, method: &str) -> PathBuf {
    let file = folder.join("scenario.toml");
    fs::write(&file, SCENARIO.replace("SOURCE", source).replace("METHOD", method)).unwrap();
    file
}

fn seismograms(folder: &Path, source: &str, method: &str, settings: &[&str]) -> Vec<Trace> {
    let results = TempDir::new().unwrap();
    let mut overrides: Vec<String> = settings.iter().map(|&setting| setting.to_owned()).collect();
    overrides.push(format!("output.directory={}", results.path().join("out").display()));
    let options = RunOptions { overrides, ..RunOptions::default() };
    run(&scenario(folder, source, method), &options).unwrap_or_else(|error| panic!("{}", refusal(error)));
    read_folder(&results.path().join("out/seismograms")).unwrap()
}

fn refusal(error: Error) -> String {
    match error {
        Error::Scenario(errors) => errors.lines(),
        other => other.to_string(),
    }
}

/// Largest difference of two sets of traces, relative to the largest value.
fn difference(a: &[Trace], b: &[Trace]) -> f64 {
    assert_eq!(a.len(), b.len());
    let peak = b.iter().flat_map(|trace| &trace.samples).fold(0.0_f64, |peak, value| peak.max(value.abs()));
    let differences = a.iter().zip(b).flat_map(|(a, b)| a.samples.iter().zip(&b.samples).map(|(a, b)| (a - b).abs()));
    differences.fold(0.0, f64::max) / peak
}

#[test]
fn the_points_of_a_fault_are_point_sources() {
    let folder = TempDir::new().unwrap();
    for version in ["2.0", "1.0"] {
        fs::write(folder.path().join(format!("{version}.srf")), srf(3, version)).unwrap();
    }
    for (method, finer) in [("sem", "4.0"), ("fd", "2.2")] {
        let points = seismograms(folder.path(), &sources(3, folder.path()), method, &[]);
        let fault = seismograms(folder.path(), "srf = \"2.0.srf\"", method, &[]);
        let error = difference(&fault, &points);
        assert!(error < 2e-4, "{method}: {error:e}");
        // Without a rigidity in the file, that of the model.
        assert!(difference(&seismograms(folder.path(), "srf = \"1.0.srf\"", method, &[]), &fault) < 1e-6);
        let finer = [&format!("method.{method}.max_frequency={finer}")[..], "duration=4.0"];
        let whole = seismograms(folder.path(), "srf = \"2.0.srf\"", method, &finer);
        let parts = [&finer[..], &["compute.device=cpu", "compute.devices=2"]].concat();
        let in_parts = seismograms(folder.path(), "srf = \"2.0.srf\"", method, &parts);
        assert_eq!(difference(&in_parts, &whole), 0.0, "{method}");
        // Without the correction of time dispersion, histories are exact at the steps.
        let uncorrected = [format!("method.{method}.time_dispersion_correction=false")];
        let settings: Vec<&str> = uncorrected.iter().map(String::as_str).collect();
        let one = seismograms(folder.path(), "srf = \"2.0.srf\"", method, &settings);
        let other = seismograms(folder.path(), &sources(3, folder.path()), method, &settings);
        assert!(difference(&one, &other) < 1e-5, "{method}: {:e}", difference(&one, &other));
    }
}

#[test]
fn a_delay_moves_a_fault_and_its_beginning() {
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("a.srf"), srf(2, "2.0")).unwrap();
    let setup = |delay: f64| {
        let source = format!("srf = \"a.srf\"\ndelay = {delay:.1}");
        Setup::new(&Scenario::read(&scenario(folder.path(), &source, "sem"), &[]).unwrap()).unwrap()
    };
    let (early, late) = (setup(-4.0), setup(1.0));
    assert!((early.start + 2.52).abs() < 1e-9, "{}", early.start);
    assert_eq!(late.start, 0.0);
    let [x, _, z] = late.event.position.unwrap();
    assert!(x.abs() < 50.0 && z == -2000.0, "{x} {z}");
    let description = late.faults[0].description();
    assert!(description.starts_with("a.srf: 4 points, slip from 2.4800 to 6.4000 s, moment "), "{description}");
}

#[test]
fn bad_faults_are_refused() {
    let folder = TempDir::new().unwrap();
    let refused = |file: &str, source: &str| {
        fs::write(folder.path().join("a.srf"), file).unwrap();
        match Scenario::read(&scenario(folder.path(), source, "sem"), &[]).and_then(|scenario| Setup::new(&scenario)) {
            Ok(_) => panic!("{source} was accepted"),
            Err(error) => refusal(error),
        }
    };
    let outside = refused(&srf(1, "2.0").replace(" 46.001 2.0 ", " 46.1 2.0 "), "srf = \"a.srf\"");
    assert!(outside.contains("point 1 of the fault") && outside.contains("latitude from 45.9"), "{outside}");
    let in_metres = SCENARIO.lines().filter(|line| !line.starts_with("projection")).collect::<Vec<_>>().join("\n");
    fs::write(
        folder.path().join("metres.toml"),
        in_metres.replace("SOURCE", "srf = \"a.srf\"").replace("METHOD", "sem"),
    )
    .unwrap();
    let flat = Scenario::read(&folder.path().join("metres.toml"), &[]).and_then(|scenario| Setup::new(&scenario));
    let flat = refusal(flat.unwrap_err());
    assert!(flat.contains("requires a projection"), "{flat}");
    let twice = refused(&srf(1, "2.0"), "srf = \"a.srf\"\ntime_function.gaussian = { sigma = 0.3 }");
    assert!(twice.contains("have their own slip rates"), "{twice}");
    let silent = refused("1.0\nPOINTS 1\n11 46 2.0 40 60 4.0e8 1.5 0.1\n30 0 2 0 0 0 0\n0 0\n", "srf = \"a.srf\"");
    assert!(silent.contains("no point of the file slips"), "{silent}");
}
