//! Snapshots of a small run: files, times and values, compared with the seismograms of the same run.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use craton::options::{CheckOptions, RunOptions};
use craton::traces::{Trace, read_folder};
use craton_formats::vtk::{read_f32, read_pvd};
use craton_run::RunRecord;

/// Elements of 200 m and degree 4, so that slices have a point every 25 m.
const SCENARIO: &str = r#"
title = "A small box"
duration = 0.5
[domain]
x = [-400.0, 400.0]
y = [-400.0, 400.0]
z = [-600.0, 0.0]
[model.homogeneous]
vp = 3500.0
vs = 2000.0
rho = 2500.0
[[source]]
position = [110.0, -60.0, -330.0]
moment_tensor = { xx = 1.0e14, yy = 2.0e14, xz = 1.5e14 }
time_function.gaussian = { sigma = 0.05, centre = 0.2 }
[receivers]
quantities = ["displacement", "velocity", "strain", "pressure"]
stations = [
    { code = "XX.IN", position = [0.0, 75.0, -225.0] },
    { code = "XX.TOP", position = [0.0, 200.0, 0.0] },
]
[method.sem]
max_frequency = 8.0
element_size = 200.0
doubling = false
precision = "double"
time_dispersion_correction = false
[output]
directory = "results"
[output.snapshots]
surface = { every = 0.05, quantities = ["displacement", "velocity"], png = true }
volume = { every = 0.1, quantities = ["displacement", "pressure"] }
slices = [
    { x = 0.0, every = 0.05, quantities = ["displacement", "velocity", "strain", "pressure"] },
    { z = -100.0, every = 0.25, png = true },
]
"#;

/// A completed run: its folder and its traces by station, quantity and component.
struct Run {
    folder: tempfile::TempDir,
    traces: BTreeMap<String, Trace>,
    dt: f64,
}

impl Run {
    fn new(changes: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("box.toml");
        fs::write(&file, SCENARIO).unwrap();
        let overrides = changes.iter().map(|change| (*change).to_owned());
        let here = format!("output.directory={}", folder.path().join("results").display());
        let options = RunOptions { overrides: overrides.chain([here]).collect(), ..Default::default() };
        craton::run(&file, &options).unwrap();
        let results = folder.path().join("results");
        let traces = read_folder(&results).unwrap().into_iter().map(|trace| (trace.name.to_string(), trace)).collect();
        let dt = RunRecord::read(&results).unwrap().figures["dt_s"].as_f64().unwrap();
        Self { folder, traces, dt }
    }

    fn snapshots(&self) -> PathBuf {
        self.folder.path().join("results/snapshots")
    }

    /// Times and files of a series.
    fn frames(&self, series: &str) -> Vec<(f64, PathBuf)> {
        let steps = read_pvd(&self.snapshots().join(format!("{series}.pvd"))).unwrap();
        steps.into_iter().map(|step| (step.time, self.snapshots().join(step.file))).collect()
    }

    /// The linearly interpolated value of a trace at a time, and its peak.
    fn trace(&self, name: &str, time: f64) -> (f64, f64) {
        let trace = self.traces.iter().find(|(known, _)| known.starts_with(name)).unwrap().1;
        let sample = (time - trace.start) / trace.dt;
        let (below, part) = (sample as usize, sample.fract());
        let value = (1.0 - part) * trace.samples[below] + part * trace.samples[below + 1];
        (value, trace.samples.iter().fold(0.0, |peak, sample| f64::max(peak, sample.abs())))
    }
}

/// Compares a value of a frame with the trace of a receiver at the same position.
fn assert_same(run: &Run, name: &str, time: f64, value: f32, tolerance: f64) {
    let (expected, peak) = run.trace(name, time);
    let error = (f64::from(value) - expected).abs() / peak;
    assert!(error < tolerance, "{name} at {time} s: {value} in the frame, {expected} in the trace, peak {peak}");
}

/// Index of a point of the slice x = 0.
fn index_on_slice(y: f64, z: f64) -> usize {
    let along = |x: f64| (x / 25.0).round() as usize;
    along(y + 400.0) + 33 * along(z + 600.0)
}

/// The points of a VTU file.
fn points(file: &Path) -> Vec<[f64; 3]> {
    let bytes = fs::read(file).unwrap();
    let mark = b"<AppendedData encoding=\"raw\">\n_";
    let start = bytes.windows(mark.len()).position(|window| window == mark).unwrap() + mark.len();
    let head = String::from_utf8_lossy(&bytes[..start]);
    let line = head.lines().find(|line| line.contains("Name=\"Points\"")).unwrap();
    let offset: usize = line.split("offset=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
    let size = u64::from_le_bytes(bytes[start + offset..][..8].try_into().unwrap()) as usize;
    let (words, _) = bytes[start + offset + 8..][..size].as_chunks();
    let numbers: Vec<f64> = words.iter().map(|&word| f64::from_le_bytes(word)).collect();
    numbers.as_chunks().0.to_vec()
}

fn index_of(points: &[[f64; 3]], place: [f64; 3]) -> usize {
    let found: Vec<usize> = (0..points.len())
        .filter(|&index| (0..3).all(|axis| (points[index][axis] - place[axis]).abs() < 1e-6))
        .collect();
    assert_eq!(found.len(), 1, "one node at {place:?}");
    found[0]
}

#[test]
fn frames_agree_with_seismograms_at_the_same_position_and_time() {
    let run = Run::new(&[]);
    let inside = index_on_slice(75.0, -225.0);
    for (time, file) in run.frames("slice_x_0") {
        let field = |name: &str| read_f32(&file, name).unwrap();
        let (displacement, velocity) = (field("displacement [m]"), field("velocity [m/s]"));
        let (strain, pressure) = (field("strain"), field("pressure [Pa]"));
        for (c, component) in ["X", "Y", "Z"].into_iter().enumerate() {
            // Halfway between two steps, linear interpolation of displacement is exact.
            assert_same(&run, &format!("XX.IN.displacement.{component}"), time, displacement[3 * inside + c], 1e-6);
            // Velocity is defined there, and its trace contains means of neighbouring values.
            assert_same(&run, &format!("XX.IN.velocity.{component}"), time, velocity[3 * inside + c], 2e-2);
            let top = index_on_slice(200.0, 0.0);
            assert_same(&run, &format!("XX.TOP.displacement.{component}"), time, displacement[3 * top + c], 1e-6);
        }
        for (c, component) in ["XX", "YY", "ZZ", "XY", "YZ", "XZ"].into_iter().enumerate() {
            assert_same(&run, &format!("XX.IN.strain.{component}"), time, strain[6 * inside + c], 1e-6);
        }
        assert_same(&run, "XX.IN.pressure.P", time, pressure[inside], 1e-6);
    }
    for series in ["surface", "volume"] {
        for (time, file) in run.frames(series) {
            let top = index_of(&points(&file), [0.0, 200.0, 0.0]);
            let displacement = read_f32(&file, "displacement [m]").unwrap();
            for (c, component) in ["X", "Y", "Z"].into_iter().enumerate() {
                assert_same(&run, &format!("XX.TOP.displacement.{component}"), time, displacement[3 * top + c], 1e-6);
            }
        }
    }
    check_files(&run);
}

/// Checks the numbers of frames, points and cells, the times and the pictures.
fn check_files(run: &Run) {
    let count = |series: &str| run.frames(series).len();
    assert_eq!([count("surface"), count("slice_x_0"), count("slice_z_-100"), count("volume")], [10, 10, 2, 5]);
    let steps = (0.05 / run.dt) as usize;
    for (index, (time, file)) in run.frames("surface").into_iter().enumerate() {
        let expected = ((index + 1) * steps) as f64 * run.dt - 0.5 * run.dt;
        assert!((time - expected).abs() < 1e-12, "{time} {expected}");
        assert!(file.ends_with(format!("surface/frame_{:06}.vtu", index + 1)));
    }
    let (_, surface) = &run.frames("surface")[0];
    assert_eq!(points(surface).len(), 17 * 17);
    let (_, volume) = &run.frames("volume")[0];
    assert_eq!(points(volume).len(), 17 * 17 * 13);
    assert_eq!(read_f32(volume, "pressure [Pa]").unwrap().len(), 4 * 4 * 3 * 64);
    let pictures = [("surface", vec!["displacement", "velocity"], 10), ("slice_z_-100", vec!["velocity"], 2)];
    for (series, quantities, frames) in pictures {
        for quantity in quantities {
            for frame in 1..=frames {
                check_png(&run.snapshots().join(series).join(format!("{quantity}_{frame:04}.png")));
            }
        }
    }
    assert!(!run.snapshots().join("slice_x_0/velocity_0001.png").exists());
    for picture in ["model.png", "seismograms_velocity.png", "seismograms_pressure.png"] {
        check_png(&run.folder.path().join("results").join(picture));
    }
    let manifest = fs::read_to_string(run.folder.path().join("results/.craton-files")).unwrap();
    assert!(manifest.lines().any(|line| line == "snapshots/volume/frame_000005.vtu"));
}

fn check_png(file: &Path) {
    let decoder = png::Decoder::new(std::io::BufReader::new(fs::File::open(file).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    assert!(frame.width >= 1000 && frame.height >= 400, "{frame:?}");
    assert!(pixels.iter().any(|&byte| byte < 128) && pixels.contains(&255), "{}", file.display());
}

#[test]
fn periodic_sides_have_equal_values_at_both_ends() {
    let changes = ["boundaries.sides=\"periodic\"", "output.snapshots.slices=[]", "duration=0.25"];
    let run = Run::new(&changes);
    let (_, file) = run.frames("volume").pop().unwrap();
    let points = points(&file);
    assert_eq!(points.len(), 17 * 17 * 13);
    let displacement = read_f32(&file, "displacement [m]").unwrap();
    let ends = [[-400.0, 100.0, -300.0], [400.0, 100.0, -300.0]].map(|place| index_of(&points, place));
    assert_eq!(displacement[3 * ends[0]..][..3], displacement[3 * ends[1]..][..3]);
    assert!(displacement[3 * ends[0]] != 0.0);
}

#[test]
fn a_slice_in_the_air_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("box.toml");
    let low = "ncols 2\nnrows 2\nxllcenter -400\nyllcenter -400\ncellsize 800\n-50 -50\n-50 -50\n";
    fs::write(folder.path().join("low.asc"), low).unwrap();
    fs::write(&file, SCENARIO).unwrap();
    let overrides = [
        "domain.topography=\"low.asc\"",
        "receivers.stations=[]",
        "output.snapshots.slices=[{z=-10.0,every=0.1}]",
        &format!("output.directory={}", folder.path().join("results").display()),
    ];
    let overrides = overrides.map(str::to_owned).to_vec();
    let error = craton::run(&file, &RunOptions { overrides, ..Default::default() }).unwrap_err();
    assert_eq!(error.to_string(), "output.snapshots.slices: the plane z = -10 m does not intersect the Earth");
    assert!(error.is_bad_input());
}

#[test]
fn the_estimated_time_includes_snapshots() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("box.toml");
    fs::write(&file, SCENARIO).unwrap();
    let seconds = |change: &str| {
        let overrides = vec![change.to_owned(), "output.directory=none".to_owned()];
        let options = CheckOptions { overrides, threads: Some(1), ..Default::default() };
        let report = craton::check(&file, &options).unwrap();
        let snapshots = report.preflight.snapshots;
        assert_eq!(report.seconds(), report.time_loop.0 + snapshots.seconds);
        (snapshots.seconds, report.to_string())
    };
    let (without, report) = seconds("output.snapshots={}");
    assert_eq!(without, 0.0);
    assert!(!report.contains("snapshots"), "{report}");
    let (frames, report) = seconds("output.snapshots={ surface = { every = 0.05 } }");
    assert!(report.contains("for 10 frames: "), "{report}");
    assert!(frames > 0.01, "{report}");
    let (drawn, report) = seconds("output.snapshots={ surface = { every = 0.05, png = true } }");
    assert!(report.contains("for 10 frames and 10 pictures: "), "{report}");
    assert!((0.3..3.0).contains(&(drawn - frames)), "{report}");
    let (often, report) = seconds("output.snapshots={ surface = { every = 0.025, png = true } }");
    assert!(report.contains("for 23 frames and 23 pictures: ") && often > 1.9 * drawn, "{report}");
    let volume = |name: &str| {
        seconds(&format!("output.snapshots={{ volume = {{ every = 0.1, quantities = [\"{name}\"] }} }}")).0
    };
    assert!(volume("pressure") > 1.3 * volume("velocity"));
}
