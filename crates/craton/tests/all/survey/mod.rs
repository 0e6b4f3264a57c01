//! Surveys against closed forms, and against equivalent surveys.

mod attenuation;
mod elastic;
mod failed;
mod frames;
mod gradient_command;
mod gradients;
mod grids;
mod inputs;
#[cfg(unix)]
mod links;
mod messages;
mod quantities;
mod signatures;
mod sources;
mod trace_headers;
mod whole;

use std::f64::consts::PI;
use std::path::{Path, PathBuf};

use craton::RunStatus;
use craton::options::RunOptions;
use craton::survey::{SurveyReport, survey};
use craton_device::gpu::Gpu;
use craton_formats::segy::{SegyReader, Trace};
use craton_formats::{ByteOrder, su, table};

/// A source and four hydrophones in water, as in the closed forms: the free surface is 200 m above the source, 150 m above the receivers.
const FREE: &str = r#"
title = "A source in water"
duration = 0.5
[domain]
x = [-250.0, 750.0]
depth = [0.0, 800.0]
[model.layered]
layers = [{ vp = 1500.0, rho = 1000.0 }]
[acquisition.tables]
shots = "shots.csv"
receivers = "receivers.csv"
[source]
time_function.ricker = { frequency = 15.0, centre = 0.1 }
amplitude = AMPLITUDE
[method.fd]
max_frequency = 50.0
order = 16
grid_spacing = 5.0
[output]
directory = "results"
sample_interval = 0.0005
"#;

/// Peak of the source of the references, 2 π² f².
const PEAK: f64 = 4441.321980490211;

fn reference(name: &str) -> table::Table {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../validation/references/acoustic");
    let text = std::fs::read_to_string(folder.join(name)).expect("a reference");
    let rows = text.lines().filter(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n");
    table::parse(&format!("t x100 x200 x300 x400\n{rows}\n"), Path::new(name)).expect("a table")
}

fn free() -> String {
    FREE.replace("AMPLITUDE", &PEAK.to_string())
}

fn files(folder: &Path, survey: &str) {
    std::fs::write(folder.join("it.toml"), survey).expect("written");
    std::fs::write(folder.join("shots.csv"), "shot,x,y,depth\n7,0,0,200\n").expect("written");
    let receivers = "channel,x,y,depth\n1,100,0,150\n2,200,0,150\n3,300,0,150\n4,400,0,150\n";
    std::fs::write(folder.join("receivers.csv"), receivers).expect("written");
}

fn options(folder: &Path, overrides: &[&str]) -> RunOptions {
    let directory = format!("output.directory='{}'", folder.join("results").display());
    let overrides =
        overrides.iter().map(|&change| change.to_owned()).chain([directory, "compute.device='cpu'".to_owned()]);
    // Tests run concurrently, so that more threads would not be faster.
    RunOptions { overrides: overrides.collect(), overwrite: true, threads: Some(1), ..RunOptions::default() }
}

fn surveyed(folder: &Path, options: &RunOptions) -> SurveyReport {
    let report = survey(&folder.join("it.toml"), options).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(report.status, RunStatus::Complete);
    report
}

fn computed(folder: &Path, overrides: &[&str]) -> Vec<Trace> {
    traces(&surveyed(folder, &options(folder, overrides)).gathers)
}

fn traces(file: &Path) -> Vec<Trace> {
    let mut reader = SegyReader::open(file).expect("gathers");
    reader.traces.iter().collect::<Result<_, _>>().expect("traces")
}

/// The options with a GPU, emulated by default; `None` without an emulator.
fn on_gpu(options: RunOptions) -> Option<RunOptions> {
    let device = match std::env::var("CRATON_TEST_GPU").as_deref() {
        Ok("cuda") => "cuda:0",
        _ => Gpu::emulated_for_tests().map(|_| "emulated")?,
    };
    Some(RunOptions { device: Some(device.parse().expect("a device")), ..options })
}

/// Relative L2 misfit over all traces.
fn misfit(found: &[Trace], expected: &[Vec<f64>]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let (mut difference, mut size) = (0.0, 0.0);
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!(found.samples.len(), expected.len());
        for (&a, &b) in found.samples.iter().zip(expected) {
            difference += (f64::from(a) - b).powi(2);
            size += b * b;
        }
    }
    (difference / size).sqrt()
}

#[test]
fn gathers_match_the_closed_form_below_a_free_surface() {
    let folder = tempfile::tempdir().expect("a folder");
    let expected = reference("p2d_free.txt");
    let columns = ["x100", "x200", "x300", "x400"].map(|name| expected.column(name).expect("a column").to_vec());
    files(folder.path(), &free());
    let duration = expected.column("t").expect("times").last().expect("a time").to_string();
    let found = computed(folder.path(), &[&format!("duration={duration}")]);
    let misfit = misfit(&found, &columns);
    assert!(misfit < 0.005, "relative L2 {misfit}");
    assert_eq!(found[2].header.field_record, 7);
    assert_eq!(found[2].header.trace_in_record, 3);
    let geometry = found[2].header.geometry(1.0).expect("places");
    assert_eq!((geometry.receiver[0], geometry.source_depth, geometry.receiver_elevation), (300.0, 200.0, -150.0));
}

#[test]
fn the_spatial_error_below_a_free_surface_converges_at_its_order() {
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path(), &free());
    let receivers = "channel,x,y,depth\n1,200,0,100\n2,300,0,100\n3,400,0,100\n";
    std::fs::write(folder.path().join("receivers.csv"), receivers).expect("written");
    let pulse = |t: f64| {
        let angle = (PI * 8.0 * (t - 0.15)).powi(2);
        (1.0 - 2.0 * angle) * (-angle).exp()
    };
    // The source at a depth of 200 m, and its image above the surface.
    let pressure = |x: f64, t: f64| {
        let [direct, ghost] = [x.hypot(100.0), x.hypot(300.0)].map(|r| pulse(t - r / 1500.0) / (4.0 * PI * r));
        direct - ghost
    };
    let trace = |x| (0..=250).map(|sample| pressure(x, 0.002 * f64::from(sample))).collect();
    let expected: Vec<Vec<f64>> = [200.0, 300.0, 400.0].map(trace).to_vec();
    let error = |order: u32, spacing: f64| {
        let fd = format!("method.fd={{ max_frequency = 20.0, order = {order}, grid_spacing = {spacing:?} }}");
        let source = "source={ time_function.ricker = { frequency = 8.0, centre = 0.15 } }";
        let domain = "domain={ x = [-200.0, 500.0], y = [-200.0, 200.0], depth = [0.0, 400.0] }";
        misfit(&computed(folder.path(), &[&fd, source, domain, "output.sample_interval=0.002"]), &expected)
    };
    for (order, [coarse, fine]) in [(2, [20.0, 12.5]), (4, [25.0, 20.0])] {
        let found = (error(order, coarse) / error(order, fine)).ln() / (coarse / fine).ln();
        assert!((found - f64::from(order)).abs() < 0.25, "order {order}: {found}");
    }
}

/// Writes a grid of water as raw numbers in km/s.
fn water(folder: &Path) {
    let values: Vec<u8> = (0..5 * 9).flat_map(|_| 1.5_f32.to_le_bytes()).collect();
    std::fs::write(folder.join("vp.bin"), values).expect("written");
}

const VOLUME: &str = r#"
[model.volume]
velocity = { file = "vp.bin", shape = [5, 9], spacing = [200.0, 125.0], origin = [0.0, -250.0], factor = 1000.0 }
"#;

#[test]
fn a_volume_of_water_equals_a_layer_of_water() {
    let folder = tempfile::tempdir().expect("a folder");
    let layered = free().replace("rho = 1000.0", "rho = 1025.0").replace("order = 16", "order = 8");
    files(folder.path(), &layered);
    let expected = computed(folder.path(), &["duration=0.3"]);
    let (before, after) = layered.split_once("[model.layered]").expect("a table");
    let after = &after[after.find("[acquisition").expect("a table")..];
    files(folder.path(), &format!("{before}{VOLUME}{after}"));
    water(folder.path());
    let found = computed(folder.path(), &["duration=0.3"]);
    for (found, expected) in found.iter().zip(&expected) {
        assert!(found.samples == expected.samples);
    }
}

#[test]
fn a_shot_is_accurate_within_its_aperture() {
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path(), &free().replace("order = 16", "order = 8"));
    let whole = computed(folder.path(), &["duration=0.3", "domain.x=[-1000, 1500]"]);
    let part = computed(folder.path(), &["duration=0.3", "domain.x=[-1000, 1500]", "method.fd.aperture=150"]);
    let whole: Vec<Vec<f64>> =
        whole.iter().map(|trace| trace.samples.iter().map(|&x| f64::from(x)).collect()).collect();
    let misfit = misfit(&part, &whole);
    assert!(misfit > 0.0 && misfit < 0.005, "relative L2 {misfit}: reflections of the absorbing layers");
}

#[test]
fn seismic_unix_files_contain_the_same_samples() {
    let folder = tempfile::tempdir().expect("a folder");
    files(
        folder.path(),
        &free().replace("order = 16", "order = 4").replace("max_frequency = 50.0", "max_frequency = 25.0"),
    );
    let expected = computed(folder.path(), &["duration=0.2"]);
    for (byte_order, order) in [("", ByteOrder::Big), ("output.byte_order='little'", ByteOrder::Little)] {
        let changes: Vec<&str> = ["duration=0.2", "output.format='su'", byte_order]
            .into_iter()
            .filter(|change| !change.is_empty())
            .collect();
        let report = surveyed(folder.path(), &options(folder.path(), &changes));
        let mut reader = su::open(&report.gathers).expect("gathers");
        assert_eq!(reader.order(), order);
        for (found, expected) in reader.iter().zip(&expected) {
            let found = found.expect("a trace");
            assert!(found.samples == expected.samples);
            assert_eq!(found.header.receiver_x, expected.header.receiver_x);
        }
    }
    let text =
        error_text(survey(&folder.path().join("it.toml"), &options(folder.path(), &["output.byte_order='little'"])));
    assert!(text.contains("output.byte_order") && text.contains("Craton writes SEG-Y big-endian"), "{text}");
}

/// The error of a refused survey.
fn error_text(outcome: Result<SurveyReport, craton::error::Error>) -> String {
    let Err(error) = outcome else { panic!("the survey was accepted") };
    format!("{error:?} {error}")
}

/// The examples, overrides that make them coarse, and their numbers of traces.
const EXAMPLES: [(&str, &[&str], usize); 5] = [
    ("gas_cloud", &["method.fd.grid_spacing=45"], 12 * 81),
    ("land_line", &["method.fd.grid_spacing=20", "duration=0.6"], 480),
    ("marine_line", &["method.fd.grid_spacing=45"], 12 * 81),
    ("salt", &["method.fd.grid_spacing=90"], 12 * 121),
    ("ocean_bottom", &["method.fd.grid_spacing=70", "duration=0.6"], 6 * 147),
];

#[test]
fn every_example_writes_gathers_of_all_shots() {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, coarse, count) in EXAMPLES {
        let file =
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).join(format!("{name}.toml"));
        let report = survey(&file, &options(folder.path(), coarse)).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        assert!(report.is_whole(), "{name}: {report}");
        assert!(report.files.iter().any(|file| file == "model.png"), "{name}: {:?}", report.files);
        let mut files = vec![report.gathers.clone()];
        if report.gathers.is_dir() {
            files = std::fs::read_dir(&report.gathers)
                .expect("a folder")
                .map(|file| file.expect("a file").path())
                .collect();
        }
        for file in files {
            let found = traces(&file);
            assert_eq!(found.len(), count, "{name}");
            let is_nonzero = |trace: &Trace| trace.samples.iter().any(|&sample| sample != 0.0);
            // By symmetry, a receiver may have no velocity along a horizontal axis.
            let is_across = ["velocity_x", "velocity_y"].iter().any(|name| file.ends_with(format!("{name}.segy")));
            let are_nonzero = if is_across { found.iter().any(is_nonzero) } else { found.iter().all(is_nonzero) };
            assert!(are_nonzero, "{}: a trace is zero", file.display());
        }
    }
}

/// Samples of all traces.
fn samples(traces: &[Trace]) -> Vec<Vec<f64>> {
    traces.iter().map(|trace| trace.samples.iter().map(|&sample| f64::from(sample)).collect()).collect()
}
