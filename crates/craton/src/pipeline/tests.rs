//! A run gives the same results on all devices. The GPU is emulated; with CRATON_TEST_GPU=cuda it is a real one.

use std::fs;
use std::path::Path;

use craton_acquisition::Quantity;
use craton_comm::thread_ranks;
use craton_device::gpu::Gpu;
use craton_formats::vtk::{read_f32, read_pvd};
use craton_run::{Cancel, RunStatus};

use super::*;
use crate::options::GraphPartitioner;
use crate::traces::{Trace, read_folder};

/// All quantities, all kinds of sides, and a source that is active from the first step on.
const SCENARIO: &str = r#"
duration = 0.25
[domain]
x = [-400.0, 400.0]
y = [-400.0, 400.0]
z = [-600.0, 0.0]
[boundaries]
bottom = "rigid"
[model.homogeneous]
vp = 3500.0
vs = 2000.0
rho = 2500.0
[[source]]
position = [110.0, -60.0, -330.0]
moment_tensor = { xx = 1.0e14, yy = 2.0e14, xz = 1.5e14 }
time_function.gaussian = { sigma = 0.05, centre = 0.1 }
[receivers]
quantities = ["displacement", "velocity", "acceleration", "strain", "pressure"]
stations = [
    { code = "XX.IN", position = [20.0, 75.0, -225.0] },
    { code = "XX.TOP", position = [0.0, 130.0, 0.0] },
]
[method.sem]
max_frequency = 8.0
element_size = 200.0
doubling = false
[output]
directory = "results"
seismograms = ["sac", "text"]
[output.snapshots]
surface = { every = 0.06, quantities = ["displacement", "velocity", "pressure"] }
volume = { every = 0.12, quantities = ["velocity", "pressure"] }
slices = [{ x = 10.0, every = 0.06, quantities = ["displacement", "velocity", "strain", "pressure"] }]
"#;

const QUANTITIES: [Quantity; 5] =
    [Quantity::Displacement, Quantity::Velocity, Quantity::Acceleration, Quantity::Strain, Quantity::Pressure];

/// A run of a few steps.
const SHORT: [&str; 2] = ["duration=0.05", "output.snapshots={}"];

/// The name of the GPU under test, if there is one.
pub(super) fn gpu() -> Option<&'static str> {
    match std::env::var("CRATON_TEST_GPU").as_deref() {
        Ok("cuda") => Some("cuda"),
        _ => Gpu::emulated_for_tests().map(|_| "emulated"),
    }
}

/// A folder with the scenario, and the overrides.
pub(super) struct Case {
    pub(super) folder: tempfile::TempDir,
    changes: Vec<String>,
}

impl Case {
    pub(super) fn new(changes: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("box.toml"), SCENARIO).unwrap();
        Self { folder, changes: changes.iter().map(|&change| change.to_owned()).collect() }
    }

    /// A run on a device, or on several as in `"cpu*2"`.
    pub(super) fn session(&self, device: &str, results: &Path, ranks: &Arc<dyn Ranks>) -> Session {
        let here = format!("output.directory={}", results.display());
        let overrides = self.changes.iter().cloned().chain([here]).collect();
        let (device, devices) = device.split_once('*').unwrap_or((device, "1"));
        let (device, devices) = (Some(device.parse().unwrap()), Some(devices.parse().unwrap()));
        let partitioner = Some(GraphPartitioner(craton_metis::metis_partition));
        let options = RunOptions { overrides, device, devices, partitioner, ..RunOptions::default() };
        Session::new(&self.folder.path().join("box.toml"), &options, ranks).unwrap()
    }

    /// A complete run.
    pub(super) fn run(&self, device: &str) -> PathBuf {
        let results = self.folder.path().join(device);
        assert_eq!(solved(self.session(device, &results, &alone())), Some(RunStatus::Complete));
        results
    }

    /// A complete run on several ranks with these devices.
    pub(super) fn run_on(&self, count: usize, device: &str) -> PathBuf {
        let results = self.folder.path().join(format!("{count}_ranks_{device}"));
        std::thread::scope(|scope| {
            for rank in thread_ranks(count) {
                let ranks: Arc<dyn Ranks> = Arc::new(rank);
                let results = &results;
                scope.spawn(move || {
                    let status = solved(self.session(device, results, &ranks));
                    assert_eq!(status, ranks.is_root().then_some(RunStatus::Complete));
                    ranks.finish().unwrap();
                });
            }
        });
        results
    }

    /// A run that is interrupted after a step or two on each of the devices, and completed on the last.
    pub(super) fn run_over(&self, devices: &[&str]) -> PathBuf {
        let results = self.folder.path().join(format!("over_{}", devices.join("_")));
        assert_eq!(solved(stopped(self.session(devices[0], &results, &alone()))), Some(RunStatus::Interrupted));
        for (leg, device) in devices.iter().enumerate().skip(1) {
            let device = Some(device.parse().unwrap());
            let options = ResumeOptions { device, ..ResumeOptions::default() };
            let session = Session::resumed(&results, &options, &alone()).unwrap();
            if leg + 1 < devices.len() {
                assert_eq!(solved(stopped(session)), Some(RunStatus::Interrupted));
            } else {
                assert_eq!(solved(session), Some(RunStatus::Complete));
            }
        }
        results
    }
}

/// A session that is interrupted at the first event of its time loop, after the checks of its earlier stages.
pub(super) fn stopped(mut session: Session) -> Session {
    let stages = if matches!(session.setup.method, Method::Fd(_)) { 3 } else { 2 };
    session.cancel = Cancel::at_poll(stages + 1);
    session
}

fn solved(session: Session) -> Option<RunStatus> {
    solve(session, &mut ()).unwrap().map(|report| report.status)
}

/// Relative L2 of all values.
fn misfit(found: impl IntoIterator<Item = f64>, expected: impl IntoIterator<Item = f64>) -> f64 {
    let (mut difference, mut size) = (0.0, 0.0);
    for (found, expected) in found.into_iter().zip(expected) {
        difference += (found - expected).powi(2);
        size += expected.powi(2);
    }
    assert!(size > 0.0, "something moves");
    f64::sqrt(difference / size)
}

pub(super) fn assert_same_traces(found: &Path, expected: &Path, limit: f64) {
    let [found, expected]: [Vec<Trace>; 2] = [found, expected].map(|results| read_folder(results).unwrap());
    assert_eq!(found.len(), 2 * (3 + 3 + 3 + 6 + 1));
    for station in ["XX.IN", "XX.TOP"] {
        for quantity in QUANTITIES {
            let own = |traces: &[Trace]| -> Vec<f64> {
                let own = |trace: &&Trace| trace.name.station == station && trace.name.quantity == Some(quantity);
                traces.iter().filter(own).flat_map(|trace| trace.samples.clone()).collect()
            };
            let (found, expected) = (own(&found), own(&expected));
            assert_eq!(found.len(), expected.len());
            let misfit = misfit(found, expected);
            // The difference of adjacent velocities amplifies their round-off.
            let limit = if quantity == Quantity::Acceleration { 5.0 * limit } else { limit };
            assert!(misfit < limit, "{station} {quantity:?}: {misfit:e}");
        }
    }
}

pub(super) fn assert_same_frames(found: &Path, expected: &Path, limit: f64) {
    let nodal = ["displacement [m]", "velocity [m/s]"];
    let all = [&nodal[..], &["strain", "pressure [Pa]"]].concat();
    let series = [
        ("surface", [&nodal[..], &["pressure [Pa]"]].concat()),
        ("slice_x_10", all),
        ("volume", vec!["velocity [m/s]", "pressure [Pa]"]),
    ];
    for (name, fields) in series {
        let frames = |results: &Path| read_pvd(&results.join("snapshots").join(format!("{name}.pvd"))).unwrap();
        let (found_frames, expected_frames) = (frames(found), frames(expected));
        assert!(found_frames.len() >= 2 && found_frames == expected_frames, "{found_frames:?} {expected_frames:?}");
        for field in &fields {
            let read = |results: &Path| -> Vec<f32> {
                let frame = |file: &PathBuf| read_f32(&results.join("snapshots").join(file), field).unwrap();
                found_frames.iter().flat_map(|step| frame(&step.file)).collect()
            };
            let (found, expected) = (read(found), read(expected));
            assert_eq!(found.len(), expected.len());
            assert!(found.iter().zip(&expected).all(|(a, b)| a.is_nan() == b.is_nan()));
            let numbers = |values: Vec<f32>| values.into_iter().filter(|x| !x.is_nan()).map(f64::from);
            let misfit = misfit(numbers(found), numbers(expected));
            assert!(misfit < limit, "{name} {field}: {misfit:e}");
        }
    }
}

/// The bytes of all seismograms and frames.
pub(super) fn bytes(results: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let files = bytes_in(results, &["seismograms", "snapshots/surface", "snapshots/slice_x_10", "snapshots/volume"]);
    assert!(files.len() > 40, "{}", files.len());
    files
}

/// The bytes of all files in some subfolders of the results.
pub(super) fn bytes_in(results: &Path, folders: &[&str]) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files = Vec::new();
    for folder in folders {
        let mut names: Vec<_> = fs::read_dir(results.join(folder)).unwrap().map(|file| file.unwrap().path()).collect();
        names.sort();
        files.extend(names.into_iter().map(|name| {
            let contents = fs::read(&name).unwrap();
            (name.strip_prefix(results).unwrap().to_owned(), contents)
        }));
    }
    files
}

#[test]
fn a_gpu_gives_the_traces_and_snapshots_of_the_cpu() {
    let Some(gpu) = gpu() else { return };
    for changes in [&[][..], &["method.sem.degree=3", "method.sem.control_nodes=27"]] {
        let case = Case::new(changes);
        let (found, expected) = (case.run(gpu), case.run("cpu"));
        assert_same_traces(&found, &expected, 1e-5);
        assert_same_frames(&found, &expected, 1e-5);
    }
    let case = Case::new(&["method.sem.degree=2", "method.sem.precision=double"]);
    let (found, expected) = (case.run(gpu), case.run("cpu"));
    // The round-off of files in single precision.
    assert_same_traces(&found, &expected, 1e-7);
    assert_same_frames(&found, &expected, 1e-7);
}

#[test]
fn an_interrupted_run_continues_on_another_device() {
    let Some(gpu) = gpu() else { return };
    let case = Case::new(&[]);
    let expected = case.run("cpu");
    for devices in [["cpu", gpu, "cpu", gpu, "cpu", gpu], [gpu, "cpu", gpu, "cpu", gpu, "cpu"]] {
        let found = case.run_over(&devices);
        assert_same_traces(&found, &expected, 1e-5);
        assert_same_frames(&found, &expected, 1e-5);
    }
}

#[test]
fn parts_and_ranks_give_the_same_bytes() {
    let case = Case::new(&["method.sem.element_size=45.0", "duration=0.13"]);
    let sliced = Case::new(&["method.sem.element_size=45.0", "duration=0.13", "compute.partition=slices"]);
    let expected = bytes(&case.run("cpu"));
    let (halves, quarters) = (case.run_on(2, "cpu"), case.run_on(2, "cpu*2"));
    for found in [case.run("cpu*2"), case.run("cpu*3"), halves, quarters, sliced.run("cpu*4")] {
        assert!(bytes(&found) == expected, "{}", found.display());
    }
    let Some(gpu) = gpu().filter(|gpu| *gpu == "emulated") else { return };
    let case = Case::new(&["method.sem.element_size=130.0", "duration=0.13"]);
    let expected = bytes(&case.run(gpu));
    assert!(bytes(&case.run(&format!("{gpu}*2"))) == expected);
    assert!(bytes(&case.run_on(2, gpu)) == expected);
}

#[test]
fn an_interrupted_and_resumed_run_gives_the_same_bytes() {
    for device in ["cpu"].into_iter().chain(gpu()) {
        let case = Case::new(&[]);
        let (whole, resumed) = (case.run(device), case.run_over(&[device; 4]));
        for ((name, expected), (_, found)) in bytes(&whole).iter().zip(&bytes(&resumed)) {
            assert!(found == expected, "{} on {device}", name.display());
        }
    }
}

#[test]
fn an_interruption_before_the_time_loop_is_reported() {
    let case = Case::new(&SHORT);
    let results = case.folder.path().join("results");
    for (poll, stage) in [(1, "mesh"), (2, "elements")] {
        let mut session = case.session("cpu", &results, &alone());
        session.cancel = Cancel::at_poll(poll);
        let error = solve(session, &mut ()).map(|_| ()).expect_err("stopped");
        assert!(error.is_stop() && error.to_string().contains(stage), "{error}");
        assert!(!results.exists(), "the results folder is not created");
    }
}

#[test]
fn record_and_preview_name_the_device() {
    let Some(gpu) = gpu() else { return };
    let case = Case::new(&SHORT);
    let results = case.run(gpu);
    let record = craton_run::RunRecord::read(&results).unwrap();
    let name = record.figures["device"].as_str().unwrap();
    assert!(name == "the emulated GPU" || name.ends_with(", cuda:0"), "{name}");
    assert!(record.figures["device_memory_bytes"].as_u64().unwrap() > 100_000);
    let options =
        CheckOptions { overrides: case.changes.clone(), device: Some(gpu.parse().unwrap()), ..CheckOptions::default() };
    let report = check(&case.folder.path().join("box.toml"), &options).unwrap().to_string();
    assert!(report.contains(&format!("  device                 {name}\n")), "{report}");
    assert!(report.contains("  device memory          "), "{report}");
}

#[test]
fn record_and_preview_report_the_residual_of_time_dispersion() {
    const FIGURE: &str = "time_dispersion_residual";
    let mut case = Case::new(&["output.snapshots={}"]);
    let look = |case: &Case| {
        let options = CheckOptions { overrides: case.changes.clone(), ..CheckOptions::default() };
        check(&case.folder.path().join("box.toml"), &options).unwrap()
    };
    // The pulse starts with a nonzero value, so that a residual remains.
    let report = look(&case);
    let left = report.preflight.time_dispersion.clone().unwrap();
    assert!(left.residual > 0.0 && left.residual < 1.0, "{left:?}");
    assert!(report.to_string().contains(&format!("residual at most {:.1e} (source 1)", left.residual)), "{report}");
    let record = craton_run::RunRecord::read(&case.run("cpu")).unwrap();
    assert_eq!(record.figures[FIGURE].as_f64(), Some(left.residual));
    case.changes.push("method.sem.time_dispersion_correction=false".to_owned());
    assert!(!look(&case).to_string().contains("dispersion"));
    let results = case.folder.path().join("uncorrected");
    solved(case.session("cpu", &results, &alone()));
    assert!(!craton_run::RunRecord::read(&results).unwrap().figures.contains_key(FIGURE));
}

#[test]
fn the_mesh_for_paraview_contains_the_material() {
    let material = |change: &str| {
        let case = Case::new(&[]);
        let folder = case.folder.path().join("mesh");
        let options = MeshOptions { overrides: vec![change.to_owned()], directory: Some(folder.clone()) };
        let elements = write_mesh(&case.folder.path().join("box.toml"), &options).unwrap().elements;
        ["vp [m/s]", "vs [m/s]", "rho [kg/m^3]"].map(|name| {
            let values = read_f32(&folder.join("mesh.vtu"), name).unwrap();
            assert_eq!(values.len(), elements);
            values
        })
    };
    let table = "model={ depth_table = { rows = [[0, 3000, 1500, 2400], [600, 6000, 3000, 2700]] } }";
    let [vp, vs, rho] = material(table);
    // Speeds increase by 5 /s with depth; centres are half way between the top and the bottom of the box.
    for ((vp, vs), rho) in vp.iter().zip(&vs).zip(&rho) {
        let depth = (vp - 3000.0) / 5.0;
        assert!((20.0..580.0).contains(&depth), "{depth}");
        assert!((vs - 0.5 * vp).abs() < 1e-3 && (rho - 2400.0 - 0.5 * depth).abs() < 1e-3, "{vp} {vs} {rho}");
    }
    assert!(vp.iter().any(|&speed| speed != vp[0]));
    let layers = "model={ layered = { layers = [{ vp = 3000, vs = 1500, rho = 2400 }, { top = -400, vp = 6000, vs = 3000, rho = 2700 }] } }";
    let [vp, vs, rho] = material(layers);
    for known in [[3000.0, 1500.0, 2400.0], [6000.0, 3000.0, 2700.0]] {
        assert!((0..vp.len()).any(|element| [vp[element], vs[element], rho[element]] == known));
    }
    assert!(vp.iter().all(|speed| [3000.0, 6000.0].contains(speed)));
}

#[test]
fn a_mesh_too_large_for_a_gpu_is_rejected_with_the_size_that_fits() {
    if Gpu::emulated_for_tests().is_none() {
        return;
    }
    let case = Case::new(&[]);
    let overrides = ["method.sem.degree=10", "method.sem.element_size=10.0", "method.sem.max_frequency=400.0"];
    let options = CheckOptions {
        overrides: overrides.map(str::to_owned).to_vec(),
        device: Some("emulated".parse().unwrap()),
        ..CheckOptions::default()
    };
    let error = check(&case.folder.path().join("box.toml"), &options).unwrap_err();
    let Error::DeviceMemory { elements, fit, devices: Some(devices), .. } = &error else { panic!("{error}") };
    assert!(*fit > 10_000 && fit < elements && (elements / fit..=elements / fit + 1).contains(devices), "{error}");
    assert!(error.is_bad_input());
    assert!(error.to_string().contains(&format!("at most {fit} elements fit")), "{error}");
}

#[test]
fn a_missing_device_is_rejected_and_auto_reports_why_it_uses_the_cpu() {
    let case = Case::new(&SHORT);
    let file = case.folder.path().join("box.toml");
    let look = |device: &str| {
        let device = Some(device.parse().unwrap());
        check(&file, &CheckOptions { overrides: case.changes.clone(), device, ..CheckOptions::default() })
    };
    let error = look("cuda:99").unwrap_err();
    assert!(error.is_bad_input(), "{error}");
    if craton_device::gpu::devices().is_err() {
        assert!(look("cuda").unwrap_err().is_bad_input());
        let report = look("auto").unwrap();
        assert!(report.preflight.device.starts_with("CPU, "), "{report}");
        assert!(report.to_string().contains("note: no GPU: no CUDA driver"), "{report}");
        assert!(!look("cpu").unwrap().to_string().contains("note:"));
    }
}
