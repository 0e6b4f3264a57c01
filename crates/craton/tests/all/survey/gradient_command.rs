//! The command `craton survey --gradient`: files, interruption and refused input.

use std::fs;
use std::path::{Path, PathBuf};

use craton::options::RunOptions;
use craton::survey::{GradientOptions, GradientReport, survey, survey_gradient};
use craton::{Cancel, Error, RunStatus};
use craton_device::gpu::Gpu;
use craton_formats::rsf;
use craton_formats::segy::{self, SegyReader, Trace};
use craton_formats::volume::{Axis, Volume};
use craton_numerics::misfit::relative_l2;

const SURVEY: &str = r#"
duration = 0.4
model.volume.velocity.file = "MODEL.rsf"
model.volume.density = 2000.0
acquisition.fixed.shot_line = [{ from = [60.0, 0.0, 25.0], to = [240.0, 0.0, 25.0], count = 3 }]
acquisition.fixed.receiver_line = [{ from = [30.0, 0.0, 35.0], to = [270.0, 0.0, 35.0], count = 7 }]
source = { amplitude = 1e6, time_function.ricker = { frequency = 10.0 } }
method.fd = { max_frequency = 25.0, grid_spacing = 10.0, time_step = 0.0015 }
output = { directory = "DIRECTORY", sample_interval = 0.004 }
"#;

/// Points along depth and x.
const POINTS: [usize; 2] = [21, 31];

/// A folder with a true and a smooth model, and the gathers of the true one.
struct Site(tempfile::TempDir);

impl Site {
    fn new() -> Self {
        let site = Self(tempfile::tempdir().unwrap());
        let [nz, nx] = POINTS;
        for (name, size) in [("true", 200.0), ("smooth", 0.0)] {
            let lens =
                |i: usize, k: usize| size * (-((i as f64 - 15.0).powi(2) + (k as f64 - 11.0).powi(2)) / 10.0).exp();
            let values =
                (0..nx * nz).map(|n| (1800.0 + 10.0 * (n % nz) as f64 + lens(n / nz, n % nz)) as f32).collect();
            let axes = vec![Axis::new(nz, 0.0, 10.0).named("depth", "m"), Axis::new(nx, 0.0, 10.0).named("x", "m")];
            rsf::write(&site.path(&format!("{name}.rsf")), &Volume::new(axes, values).unwrap()).unwrap();
            let text = SURVEY.replace("MODEL", name).replace("DIRECTORY", &site.path(name).display().to_string());
            fs::write(site.path(&format!("{name}.toml")), text).unwrap();
        }
        survey(&site.path("true.toml"), &options(2)).unwrap();
        site
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn gradient(&self, observed: &Path, run: &RunOptions) -> Result<GradientReport, Error> {
        survey_gradient(&self.path("smooth.toml"), observed, &GradientOptions::default(), run)
    }
}

/// The device under test; `None` without an emulator.
pub(super) fn device() -> Option<&'static str> {
    if std::env::var("CRATON_TEST_GPU").as_deref() == Ok("cuda") {
        return Some("cuda:0");
    }
    Gpu::emulated_for_tests().map(|_| "emulated")
}

fn options(threads: usize) -> RunOptions {
    RunOptions { device: Some("cpu".parse().unwrap()), threads: Some(threads), ..RunOptions::default() }
}

#[test]
fn an_interrupted_gradient_continues_and_is_bit_identical() {
    let site = Site::new();
    let (folder, observed) = (site.path("smooth_gradient"), site.path("true"));
    let whole = site.gradient(&observed, &options(2)).unwrap();
    assert!(whole.is_whole() && whole.misfit.unwrap().1 > 0.0, "{whole}");
    let expected = ["misfits.csv", "gradient_velocity.rsf", "gradient_velocity.png"];
    assert_eq!(whole.files, expected);
    let read =
        || (rsf::read(&folder.join("gradient_velocity.rsf")).unwrap(), fs::read(folder.join("misfits.csv")).unwrap());
    let found = read();
    assert_eq!(found.0.axes()[0].count, POINTS[0]);
    assert!(found.0.values().iter().any(|value| *value != 0.0));
    // The same command on complete results only reports.
    let again = site.gradient(&observed, &options(2)).unwrap();
    assert_eq!((again.misfit, again.files), (whole.misfit, whole.files));
    assert!(!folder.join("gradients.partial").exists());
    fs::remove_dir_all(&folder).unwrap();
    // One thread computes shot after shot: the interruption is in a later one.
    let stopped = RunOptions { cancel: Some(Cancel::at_poll(6)), ..options(1) };
    let stopped = site.gradient(&observed, &stopped).unwrap();
    assert!(stopped.status == RunStatus::Interrupted && stopped.shots[1] < 3 && stopped.misfit.is_none(), "{stopped}");
    let continued = site.gradient(&observed, &options(2)).unwrap();
    assert_eq!(continued.misfit, whole.misfit);
    assert!(read() == found);
    // Other observed data are another computation.
    let other = RunOptions { overwrite: true, ..options(2) };
    let same = survey_gradient(&site.path("true.toml"), &observed, &GradientOptions::default(), &other).unwrap();
    assert_eq!(same.misfit.unwrap().1, 0.0);
}

/// The results of a gradient: values, and misfits.
fn results(folder: &Path) -> (Vec<f64>, Vec<u8>) {
    let gradient = rsf::read(&folder.join("gradient_velocity.rsf")).unwrap();
    (gradient.values().iter().map(|&value| f64::from(value)).collect(), fs::read(folder.join("misfits.csv")).unwrap())
}

#[test]
fn a_gradient_on_gpus_agrees_with_that_on_cores_and_is_bit_identical() {
    let Some(device) = device() else { return };
    let site = Site::new();
    let (folder, observed) = (site.path("smooth_gradient"), site.path("true"));
    let on_cores = site.gradient(&observed, &options(2)).unwrap();
    let (expected, _) = results(&folder);
    let on = |device: &str| RunOptions { device: Some(device.parse().unwrap()), overwrite: true, ..options(2) };
    let whole = site.gradient(&observed, &on(device)).unwrap();
    let (found, misfits) = results(&folder);
    // Rounding in single precision.
    let difference = relative_l2(&[&found], &[&expected]).unwrap();
    assert!(difference < 5e-6, "{difference:e}");
    let [own, of_cores] = [&whole, &on_cores].map(|report| report.misfit.unwrap().1);
    assert!((own - of_cores).abs() < 1e-5 * of_cores, "{own:e} {of_cores:e}");
    let record = fs::read_to_string(folder.join("run.json")).unwrap();
    let name = if device == "emulated" { "the emulated GPU" } else { "NVIDIA" };
    assert!(record.contains(&format!("\"device\": \"{name}")), "{record}");
    // Again, interrupted, and on two devices.
    let stopped = RunOptions { cancel: Some(Cancel::at_poll(6)), ..on(device) };
    let stopped = site.gradient(&observed, &stopped).unwrap();
    assert!(stopped.status == RunStatus::Interrupted && stopped.misfit.is_none(), "{stopped}");
    site.gradient(&observed, &RunOptions { overwrite: false, ..on(device) }).unwrap();
    assert!(results(&folder) == (found.clone(), misfits.clone()));
    if device == "emulated" {
        site.gradient(&observed, &on("emulated,emulated")).unwrap();
        assert!(results(&folder) == (found, misfits));
    }
}

#[test]
fn observed_gathers_that_do_not_match_are_refused() {
    let site = Site::new();
    let message = |observed: &Path, overrides: &[&str]| {
        let run = RunOptions { overrides: overrides.iter().map(|&one| one.to_owned()).collect(), ..options(1) };
        let error = site.gradient(observed, &run).unwrap_err();
        assert_eq!(error.exit_code(), 2, "{error}");
        error.to_string()
    };
    let observed = site.path("true");
    for (overrides, expected) in [
        (&["duration=0.5"][..], "traces have 101 samples instead of 126"),
        (&["output.sample_interval=0.002"], "traces have 101 samples instead of 201"),
        (&["duration=0.2", "output.sample_interval=0.002"], "the sample interval is 0.004 s instead of 0.002 s"),
        (&["acquisition.fixed.shot_line[0].count=4"], "channel 1 of shot 2 has its source at"),
        (&["acquisition.fixed.receiver_line[0].count=9"], "channel 2 of shot 1 has its receiver at"),
        (&["receivers.quantities=['pressure', 'velocity_z']"], "whose misfits have different units"),
    ] {
        let found = message(&observed, overrides);
        assert!(found.contains(expected), "{overrides:?}: {found}");
    }
    let found = message(&site.path(""), &[]);
    assert!(found.contains("there is no gathers.segy or gathers.su in this folder"), "{found}");
}

/// Copies the observed gathers with other traces.
fn changed(site: &Site, change: impl Fn(&mut Vec<Trace>)) -> PathBuf {
    let SegyReader { mut traces, binary, text, .. } =
        SegyReader::open(&site.path("true").join("gathers.segy")).unwrap();
    let mut all: Vec<Trace> = traces.iter().collect::<Result<_, _>>().unwrap();
    change(&mut all);
    let path = site.path("changed.segy");
    segy::write(&path, &text, &binary, &all).unwrap();
    path
}

#[test]
fn trace_headers_that_do_not_match_are_refused() {
    let site = Site::new();
    let refused = |change: &dyn Fn(&mut Vec<Trace>), expected: &str| {
        let observed = changed(&site, change);
        let error = site.gradient(&observed, &options(1)).unwrap_err();
        let found = error.to_string();
        assert!(error.exit_code() == 2 && found.contains(expected) && found.contains("changed.segy"), "{found}");
        assert!(!site.path("smooth_gradient").exists());
    };
    refused(
        &|all| all[8].header.trace_id = 12,
        "channel 2 of shot 2 is not pressure: its trace identification code (bytes 29-30) is 12 instead of 1 or 11",
    );
    refused(
        &|all| all[0].header.measurement_unit = 6,
        "the code of its unit (bytes 203-204) is 6 instead of 1, Pa, or 0",
    );
    refused(&|all| all[1].header.delay = 100, "channel 2 of shot 1 starts at 100 ms (bytes 109-110) instead of 0 ms");
    refused(
        &|all| all[1].header.trace_in_record = 1,
        "channel 1 of shot 1 is both trace 1 and trace 2 of the file; its header has 1 in bytes 9-12 and 1 in bytes 13-16",
    );
    refused(
        &|all| drop(all.pop()),
        "channel 7 of shot 3 is missing; its header has 3 in bytes 9-12 and 7 in bytes 13-16",
    );
    refused(
        &|all| {
            // Units of a centimetre: a shift beyond 1 % of a cell is refused.
            let header = &mut all[2].header;
            header.coordinate_scalar = -100;
            header.source_x *= 100;
            header.receiver_x *= 100;
            header.receiver_x += 11;
        },
        "channel 3 of shot 1 has its receiver at x = 110.11",
    );
}

#[test]
fn rounded_positions_are_accepted_and_dead_traces_enter_no_misfit() {
    let site = Site::new();
    let misfit = |change: &dyn Fn(&mut Vec<Trace>)| {
        let run = RunOptions { overwrite: true, ..options(2) };
        site.gradient(&changed(&site, change), &run).unwrap().misfit.unwrap().1
    };
    let whole = misfit(&|_| ());
    let is_near = |all: &mut Vec<Trace>| {
        for Trace { header, .. } in all {
            // Whole tens of metres: 30 to 270 every 40 m is exact, and 35 m deep is half a unit off.
            (header.elevation_scalar, header.source_depth, header.receiver_elevation) = (10, 2, -4);
        }
    };
    assert_eq!(misfit(&is_near), whole);
    let dead = |all: &mut Vec<Trace>| {
        for trace in [3, 9] {
            all[trace].header.trace_id = 2;
            all[trace].samples.fill(1e6);
        }
    };
    let without = misfit(&dead);
    assert!(without > 0.0 && without < whole, "{without:e} {whole:e}");
}

#[test]
fn observed_gathers_have_the_time_zero_of_the_survey() {
    let site = Site::new();
    let peak = |name: &str| {
        let overrides =
            vec!["output.time_zero='peak'".to_owned(), format!("output.directory='{}'", site.path(name).display())];
        RunOptions { overrides, ..options(2) }
    };
    survey(&site.path("true.toml"), &peak("true_peak")).unwrap();
    let report = site.gradient(&site.path("true_peak"), &peak("smooth_peak")).unwrap();
    assert!(report.is_whole() && report.misfit.unwrap().1 > 0.0, "{report}");
    // The Ricker wavelet of 10 Hz begins 0.16 s before its peak.
    let refused = |overrides: &[&str]| {
        let overrides = overrides.iter().map(|&change| change.to_owned()).collect();
        let run = RunOptions { overrides, ..options(2) };
        site.gradient(&site.path("true_peak"), &run).unwrap_err().to_string()
    };
    let message = refused(&[]);
    assert!(message.contains("traces have 141 samples instead of 101"), "{message}");
    let message = refused(&["duration=0.56"]);
    assert!(message.contains("channel 1 of shot 1 starts at -160 ms (bytes 109-110) instead of 0 ms"), "{message}");
}

#[test]
fn a_slash_after_the_folder_does_not_matter() {
    let site = Site::new();
    let directory = format!("output.directory='{}/'", site.path("smooth").display());
    let run = RunOptions { overrides: vec![directory], ..options(2) };
    let report = site.gradient(&site.path("true"), &run).unwrap();
    assert!(report.is_whole() && site.path("smooth_gradient").join("gradient_velocity.rsf").is_file(), "{report}");
}
