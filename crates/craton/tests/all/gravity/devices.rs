//! Sums on GPUs match those of a CPU, do not depend on the number of devices, and are refused if unsupported. Devices are emulated; with
//! CRATON_TEST_GPU=cuda they are GPUs.

use std::path::Path;

use craton::Error;
use craton::config::DeviceNames;
use craton::gravity::{check_gravity, gravity};
use craton::options::{CheckOptions, RunOptions};
use craton_device::gpu::Gpu;

use super::{CELLS, Results, column, results};

/// More prisms than a run of a device, in two bodies, and more points than a piece, some of them on faces of cells.
const PROBLEM: &str = r#"
fields = ["potential", "g_e", "g_n", "g_u", "g_ee", "g_en", "g_eu", "g_nn", "g_nu", "g_uu"]
[[body]]
ball = { centre = [30.0, 20.0, -610.0], radius = 600.0, cell = 110.0, density = 600.0 }
[[body]]
block = { x = [-300.0, 200.0], y = [-100.0, 300.0], z = [-90.0, 10.0], density = -450.0 }
[points.grid]
x = [-400.0, 700.0]
y = [-300.0, 500.0]
count = [23, 17]
z = 10.0
[output]
directory = "results"
formats = ["csv"]
pictures = false
"#;

/// The device under test; `None` without an emulator.
pub(super) fn device() -> Option<&'static str> {
    if std::env::var("CRATON_TEST_GPU").as_deref() == Ok("cuda") {
        return Some("cuda:0");
    }
    Gpu::emulated_for_tests().map(|_| "emulated")
}

fn options(folder: &Path, device: &str, overrides: &[&str]) -> RunOptions {
    let directory = format!("output.directory='{}'", folder.join("results").display());
    let overrides = overrides.iter().map(|&change| change.to_owned()).chain([directory]).collect();
    let device: DeviceNames = device.parse().expect("a device");
    RunOptions { overrides, device: Some(device), overwrite: true, ..RunOptions::default() }
}

fn run(folder: &Path, problem: &str, device: &str, overrides: &[&str]) -> Results {
    let file = folder.join("it.toml");
    std::fs::write(&file, problem).expect("written");
    gravity(&file, &options(folder, device, overrides)).unwrap_or_else(|error| panic!("{device}: {error:?}"));
    results(folder)
}

fn refused(folder: &Path, problem: &str, options: &RunOptions) -> Error {
    let file = folder.join("it.toml");
    std::fs::write(&file, problem).expect("written");
    gravity(&file, options).expect_err("the problem is refused")
}

/// Largest values and largest differences of potential, attraction and tensor, over all points.
fn compare(found: &Results, expected: &Results) -> [(f64, f64); 3] {
    let kinds: [&[&str]; 3] = [
        &["potential_m2_per_s2"],
        &["g_e_mgal", "g_n_mgal", "g_u_mgal"],
        &["g_ee_eotvos", "g_en_eotvos", "g_eu_eotvos", "g_nn_eotvos", "g_nu_eotvos", "g_uu_eotvos"],
    ];
    kinds.map(|names| {
        let (mut peak, mut error) = (0.0_f64, 0.0_f64);
        for name in names {
            for (found, expected) in column(found, name).into_iter().zip(column(expected, name)) {
                assert_eq!(found.is_nan(), expected.is_nan(), "{name}");
                if !expected.is_nan() {
                    (peak, error) = (peak.max(expected.abs()), error.max((found - expected).abs()));
                }
            }
        }
        (peak, error)
    })
}

#[test]
fn gpu_sums_match_cpu_sums_in_both_precisions() {
    let Some(device) = device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let exact = run(folder.path(), PROBLEM, "cpu", &[]);
    for (precision, least, scalar) in [("double", 1e-11, "f64"), ("single", 1e-6, "f32")] {
        let precise = format!("method.precision='{precision}'");
        let found = run(folder.path(), PROBLEM, device, &[&precise]);
        let kinds = compare(&found, &exact);
        assert!(kinds[1].0 > 8.0 && kinds[2].0 > 100.0, "{kinds:?}");
        for (peak, error) in kinds {
            assert!(error <= least * peak, "{precision}: {error:e} of {peak:e}");
        }
        assert!(kinds[2].1 > 0.0, "device results must differ by round-off");
        let record = std::fs::read_to_string(folder.path().join("results/run.json")).expect("a record");
        let entries = [format!("direct sum on GPUs in {precision} precision"), format!("\"precision\": \"{scalar}\"")];
        entries.iter().for_each(|entry| assert!(record.contains(entry), "{entry} is not in {record}"));
    }
}

#[test]
fn gpu_sums_of_tesseroids_match_cpu_sums_for_any_number_of_devices() {
    let Some(device) = device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let rows: Vec<[f64; 7]> = (0..600_u32)
        .map(|n| {
            let [west, south] = [n % 30, n / 30].map(|n| 0.2 * f64::from(n));
            [
                west,
                west + 0.2,
                45.0 + south,
                45.2 + south,
                -3e4,
                10.0 * f64::from(n % 17),
                f64::from(n % 13) * 25.0 - 90.0,
            ]
        })
        .collect();
    let points = "[points.geographic_grid]\nlongitude = [-1.0, 7.0]\nlatitude = [44.0, 50.0]\ncount = [13, 11]\nheight = 160.0\n";
    let (head, tail) =
        (PROBLEM.split("[[body]]").next().expect("a head"), PROBLEM.split("[output]").nth(1).expect("a tail"));
    let problem = format!("{head}[[body]]\ntesseroids.rows = {rows:?}\n{points}[output]{tail}");
    let exact = run(folder.path(), &problem, "cpu", &[]);
    let file = folder.path().join("it.toml");
    // With an accuracy, GPUs compute direct sums.
    for (devices, change) in [(1, "method.path='auto'"), (2, "method.accuracy=1e-5")] {
        let options = RunOptions {
            devices: (device == "emulated").then_some(devices),
            ..options(folder.path(), device, &[change])
        };
        let report = gravity(&file, &options).unwrap_or_else(|error| panic!("{error:?}"));
        assert!(report.way.starts_with("direct sum of tesseroids on GPUs"), "{}", report.way);
        assert!(report.computes.contains("GPU") || device != "emulated", "{}", report.computes);
        for (peak, error) in compare(&results(folder.path()), &exact) {
            assert!(error <= 1e-10 * peak, "{error:e} of {peak:e}");
        }
    }
    // A CPU does not continue what a GPU started, if it divides the points differently, as for this emulated device.
    if device != "emulated" {
        return;
    }
    std::fs::remove_file(folder.path().join("results/gravity.csv")).expect("removed");
    let again = RunOptions { overwrite: false, ..options(folder.path(), "cpu", &["method.accuracy=1e-5"]) };
    let error = gravity(&file, &again).expect_err("another kind of device");
    assert_eq!(error.to_string(), "this computation was started on another kind of device, not on the CPU");
}

#[test]
fn results_are_bit_identical_for_any_number_of_devices() {
    let Some(device) = device().filter(|&device| device == "emulated") else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let bytes = |devices: usize, precision: &str| {
        let file = folder.path().join("it.toml");
        std::fs::write(&file, PROBLEM).expect("written");
        let precision = format!("method.precision='{precision}'");
        let options = RunOptions { devices: Some(devices), ..options(folder.path(), device, &[&precision]) };
        let report = gravity(&file, &options).unwrap_or_else(|error| panic!("{error:?}"));
        assert!(report.pieces[1] > 2 && report.pieces[0] == report.pieces[1], "{:?}", report.pieces);
        assert!(report.computes.contains("the emulated GPU"), "{}", report.computes);
        std::fs::read(folder.path().join("results/gravity.csv")).expect("results")
    };
    for precision in ["double", "single"] {
        let one = bytes(1, precision);
        assert!(bytes(2, precision) == one, "two devices, {precision}");
        assert!(bytes(3, precision) == one, "three devices, {precision}");
    }
}

#[test]
fn a_computation_continues_only_on_its_kind_of_device() {
    let Some(device) = device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    let found = run(folder.path(), PROBLEM, device, &[]);
    // A complete computation is reported from its record, on any device.
    let again = RunOptions { overwrite: false, ..options(folder.path(), "cpu", &[]) };
    let report = gravity(&folder.path().join("it.toml"), &again).unwrap_or_else(|error| panic!("{error:?}"));
    assert!(report.was_complete && report.way.starts_with("direct sum on GPUs"), "{report:?}");
    // An incomplete one continues only on its kind of device, which divides the points differently, as this emulated one: here the results and their values
    // are missing.
    if device != "emulated" {
        return;
    }
    std::fs::remove_file(folder.path().join("results/gravity.csv")).expect("removed");
    let error = gravity(&folder.path().join("it.toml"), &again).expect_err("another kind of device");
    assert_eq!(error.to_string(), "this computation was started on another kind of device, not on the CPU");
    assert_eq!(error.exit_code(), 2);
    let on_device = RunOptions { overwrite: false, ..options(folder.path(), device, &[]) };
    gravity(&folder.path().join("it.toml"), &on_device).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(found.columns[5], results(folder.path()).columns[5]);
}

#[test]
fn requests_that_gpus_do_not_support_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let message_of = |device: &str, overrides: &[&str]| {
        let error = refused(folder.path(), PROBLEM, &options(folder.path(), device, overrides));
        assert_eq!(error.exit_code(), 2);
        assert!(!folder.path().join("results").exists(), "a refused problem must not create a folder");
        format!("{error:?}")
    };
    for path in ["tree", "convolution"] {
        let path = format!("method.path='{path}'");
        let message = message_of("cuda", &[&path, "method.accuracy=1e-5"]);
        assert!(
            message.contains("GPUs support only direct sums, but compute.device or --device requests GPUs"),
            "{message}"
        );
    }
    let message = message_of("auto", &["method.precision='single'", "method.accuracy=1e-5"]);
    assert!(
        message.contains("method.precision") && message.contains("remove it, or remove accuracy = 1e-5"),
        "{message}"
    );
    let message = message_of("auto", &["compute.device='gpu'"]);
    assert!(message.contains("\\\"gpu\\\" is not a device") && message.contains("cuda:0"), "{message}");
    let message = message_of("auto", &["compute.device=['cpu', 'cuda:0']"]);
    assert!(message.contains(" cannot be in a list: list numbered GPUs only"), "{message}");
    if craton_device::gpu::devices().is_err() {
        let message = message_of("cuda", &[]);
        assert!(message.contains("Driver") || message.contains("NoDevice"), "{message}");
    }
}

#[test]
fn check_reports_devices_and_their_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("it.toml");
    std::fs::write(&file, PROBLEM).expect("written");
    let check = |device: Option<&str>, overrides: &[&str]| {
        let overrides = overrides.iter().map(|&change| change.to_owned()).collect();
        let device = device.map(|device| device.parse().expect("a device"));
        let ahead = check_gravity(&file, &CheckOptions { overrides, device, ..CheckOptions::default() });
        ahead.unwrap_or_else(|error| panic!("{error:?}")).to_string()
    };
    let report = check(None, &[]);
    assert!(
        report.contains("CPU, ") && report.contains("direct sum: ten digits for each prism and point"),
        "too little work for a GPU: {report}"
    );
    if craton_device::gpu::devices().is_err() {
        let large = ["body[0].ball.cell=11.0", "points.grid.count=[1000, 1000]"];
        let report = check(None, &large);
        assert!(report.contains("no GPU: ") && report.contains("CPU, "), "{report}");
    }
    let Some(device) = device() else { return };
    let report = check(Some(device), &[]);
    assert!(
        report.contains("direct sum on GPUs in double precision: ten digits for each prism and point")
            && report.contains(" of each GPU"),
        "{report}"
    );
    assert!(!folder.path().join("results").exists());
    assert!(
        check(Some("cpu"), &["method.precision='single'"]).contains("direct sum: ten digits for each prism and point")
    );
}

#[test]
fn gpu_results_at_singular_points_match_the_cpu() {
    let Some(device) = device() else { return };
    let folder = tempfile::tempdir().expect("a folder");
    // Points on faces, edges and corners.
    let body = "[[body]]\nblock = { x = [0.0, 100.0], y = [0.0, 200.0], z = [-200.0, 40.0], density = 300.0 }";
    let problem = CELLS.replace("BODY", body);
    let exact = run(folder.path(), &problem, "cpu", &[]);
    for precision in ["double", "single"] {
        let found = run(folder.path(), &problem, device, &[&format!("method.precision='{precision}'")]);
        for (name, expected) in exact.names.iter().zip(&exact.columns) {
            let peak =
                expected.iter().filter(|value| value.is_finite()).fold(0.0_f64, |peak, value| peak.max(value.abs()));
            for (found, expected) in column(&found, name).into_iter().zip(expected) {
                assert_eq!(found.is_nan(), expected.is_nan(), "{name}, {precision}");
                let limit = if precision == "double" { 1e-10 } else { 2e-4 };
                assert!(
                    expected.is_nan() || (found - expected).abs() <= limit * peak,
                    "{name}: {found} and {expected}"
                );
            }
        }
        assert!(exact.columns.iter().flatten().any(|value| value.is_nan()), "points on edges have no value");
    }
}
