//! Snapshots of finite differences, compared with seismograms and with spectral elements.

use std::fs;
use std::path::{Path, PathBuf};

use craton::options::RunOptions;
use craton::traces::{Trace, read_folder};
use craton_formats::vtk::{read_f32, read_pvd};

/// Cells of 16 2/3 m; the centre of every third cell is a point of a slice through the elements. Both methods represent these sides exactly.
const SCENARIO: &str = r#"
duration = 0.4
[domain]
x = [-400.0, 400.0]
y = [-400.0, 400.0]
z = [-600.0, 0.0]
[boundaries]
sides = "free"
bottom = "rigid"
[model.homogeneous]
vp = 3500.0
vs = 2000.0
rho = 2500.0
[[source]]
position = [310.0, -60.0, -330.0]
moment_tensor = { xx = 1.0e14, yy = 2.0e14, xz = 1.5e14 }
time_function.gaussian = { sigma = 0.05, centre = 0.2 }
[receivers]
quantities = ["displacement", "velocity", "strain", "pressure"]
stations = [
    { code = "XX.IN", position = [0.0, 75.0, -225.0] },
    { code = "XX.TOP", position = [25.0, 175.0, 0.0] },
    { code = "XX.CELL", position = [25.0, 75.0, -225.0] },
]
[method.fd]
max_frequency = 8.0
grid_spacing = 16.666666666666668
time_step = 0.002
precision = "double"
time_dispersion_correction = false
[output]
directory = "results"
[output.snapshots]
surface = { every = 0.1, quantities = ["displacement", "velocity", "pressure"], png = true }
volume = { every = 0.2, quantities = ["velocity", "strain"] }
slices = [
    { x = 0.0, every = 0.1, quantities = ["displacement", "velocity", "strain", "pressure"] },
    { z = -100.0, every = 0.2, png = true },
]
"#;

const BY_SEM: &str = "method={ sem = { max_frequency = 8.0, element_size = 100.0, doubling = false, time_step = 0.002, \
                      precision = 'double', time_dispersion_correction = false } }";

/// Cells along x, y and z.
const CELLS: [usize; 3] = [48, 48, 36];

struct Run {
    folder: tempfile::TempDir,
    traces: Vec<Trace>,
}

impl Run {
    fn new(files: &[(&str, &str)], changes: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("box.toml");
        fs::write(&file, SCENARIO).unwrap();
        for (name, contents) in files {
            fs::write(folder.path().join(name), contents).unwrap();
        }
        let overrides = changes.iter().map(|change| (*change).to_owned());
        let here = format!("output.directory={}", folder.path().join("results").display());
        let options = RunOptions { overrides: overrides.chain([here]).collect(), ..Default::default() };
        craton::run(&file, &options).unwrap();
        let traces = read_folder(&folder.path().join("results")).unwrap();
        Self { folder, traces }
    }

    fn snapshots(&self) -> PathBuf {
        self.folder.path().join("results/snapshots")
    }

    /// Times and files of a series.
    fn frames(&self, series: &str) -> Vec<(f64, PathBuf)> {
        let steps = read_pvd(&self.snapshots().join(format!("{series}.pvd"))).unwrap();
        steps.into_iter().map(|step| (step.time, self.snapshots().join(step.file))).collect()
    }

    /// Compares a value of a frame with the trace at the same position and time, interpolated linearly.
    fn assert_same(&self, name: &str, time: f64, value: f32, tolerance: f64) {
        let named = |trace: &&Trace| trace.name.to_string().starts_with(name);
        let trace = self.traces.iter().find(named).unwrap_or_else(|| panic!("no trace {name}"));
        let sample = (time - trace.start) / trace.dt;
        let (below, part) = (sample as usize, sample.fract());
        let expected = (1.0 - part) * trace.samples[below] + part * trace.samples[below + 1];
        let peak = trace.samples.iter().fold(0.0, |peak, sample| f64::max(peak, sample.abs()));
        let error = (f64::from(value) - expected).abs() / peak;
        assert!(error < tolerance, "{name} at {time} s: {value} in the frame, {expected} in the trace, peak {peak}");
    }
}

/// Index of the cell that contains a coordinate along an axis.
fn cell(axis: usize, coordinate: f64) -> usize {
    let low = [-400.0, -400.0, -600.0][axis];
    ((coordinate - low) * 0.06) as usize
}

#[test]
fn frames_of_a_grid_agree_with_its_seismograms() {
    let run = Run::new(&[], &[]);
    let vectors = ["displacement", "velocity"];
    // Halfway between two steps, linear interpolation of displacement is exact. Velocity is defined there, and its trace contains means of
    // neighbouring values.
    let tolerance = |quantity: &str| if quantity == "velocity" { 2e-2 } else { 1e-6 };
    let components = ["X", "Y", "Z"].into_iter().enumerate();
    let tensor = ["XX", "YY", "ZZ", "XY", "YZ", "XZ"].into_iter().enumerate();
    let on_slice = cell(1, 75.0) + CELLS[1] * cell(2, -225.0);
    let on_top = cell(0, 25.0) + CELLS[0] * cell(1, 175.0);
    let in_volume = cell(0, 25.0) + CELLS[0] * (cell(1, 75.0) + CELLS[1] * cell(2, -225.0));
    let compare_vectors = |file: &Path, time, station: &str, index: usize, quantities: &[&str]| {
        for quantity in quantities {
            let unit = if *quantity == "velocity" { "m/s" } else { "m" };
            let values = read_f32(file, &format!("{quantity} [{unit}]")).unwrap();
            for (c, component) in components.clone() {
                let name = format!("{station}.{quantity}.{component}");
                run.assert_same(&name, time, values[3 * index + c], tolerance(quantity));
            }
        }
    };
    let compare_strain = |file: &Path, time, station: &str, index: usize| {
        let strain = read_f32(file, "strain").unwrap();
        for (c, component) in tensor.clone() {
            run.assert_same(&format!("{station}.strain.{component}"), time, strain[6 * index + c], 1e-6);
        }
    };
    for (time, file) in run.frames("slice_x_0") {
        compare_vectors(&file, time, "XX.IN", on_slice, &vectors);
        compare_strain(&file, time, "XX.IN", on_slice);
        let pressure = read_f32(&file, "pressure [Pa]").unwrap();
        assert_eq!(pressure.len(), CELLS[1] * CELLS[2]);
        run.assert_same("XX.IN.pressure.P", time, pressure[on_slice], 1e-6);
    }
    for (time, file) in run.frames("surface") {
        compare_vectors(&file, time, "XX.TOP", on_top, &vectors);
        let pressure = read_f32(&file, "pressure [Pa]").unwrap();
        run.assert_same("XX.TOP.pressure.P", time, pressure[on_top], 1e-6);
    }
    for (time, file) in run.frames("volume") {
        compare_vectors(&file, time, "XX.CELL", in_volume, &["velocity"]);
        compare_strain(&file, time, "XX.CELL", in_volume);
    }
    check_files(&run);
}

/// Checks the numbers of frames, a time and the pictures.
fn check_files(run: &Run) {
    let count = |series: &str| run.frames(series).len();
    assert_eq!([count("surface"), count("slice_x_0"), count("slice_z_-100"), count("volume")], [4, 4, 2, 2]);
    assert!((run.frames("surface")[0].0 - 0.099).abs() < 1e-12, "half a step before step 50");
    for (series, frames) in [("surface", 4), ("slice_z_-100", 2)] {
        for frame in 1..=frames {
            let picture = run.snapshots().join(series).join(format!("velocity_{frame:04}.png"));
            assert!(fs::metadata(&picture).unwrap().len() > 10_000, "{}", picture.display());
        }
    }
}

#[test]
fn a_slice_agrees_with_spectral_elements() {
    let slice = "output.snapshots={ slices=[{ x=-200.0, every=0.1, quantities=['displacement','velocity','strain','pressure'] }] }";
    let (grid, elements) = (Run::new(&[], &[slice]), Run::new(&[], &[slice, BY_SEM]));
    let frames = [grid.frames("slice_x_-200"), elements.frames("slice_x_-200")];
    // Elements have points every 12.5 m along y and 25 m along z; common points are 50 m apart, starting 25 m from the sides.
    let common: Vec<[usize; 2]> = (0..12)
        .flat_map(|k| (0..16).map(move |j| [1 + 3 * j + CELLS[1] * (1 + 3 * k), 2 + 4 * j + 65 * (1 + 2 * k)]))
        .collect();
    // The static field of the source, spread over several cells, differs most: by 2 % of displacement at a distance of 300 m, and its gradients by
    // more. Here the distance is 500 m; the pressure is small.
    for (label, components, limit) in
        [("displacement [m]", 3, 0.01), ("velocity [m/s]", 3, 0.01), ("strain", 6, 0.02), ("pressure [Pa]", 1, 0.03)]
    {
        let (mut difference, mut size) = (0.0, 0.0);
        for ((time, grid), (same_time, elements)) in frames[0].iter().zip(&frames[1]) {
            assert_eq!(time, same_time);
            let [grid, elements] = [grid, elements].map(|file| read_f32(file, label).unwrap());
            for (index, &[of_grid, of_elements]) in
                common.iter().flat_map(|pair| (0..components).map(move |c| (c, pair)))
            {
                let [found, expected] =
                    [grid[components * of_grid + index], elements[components * of_elements + index]].map(f64::from);
                difference += (found - expected).powi(2);
                size += expected.powi(2);
            }
        }
        let misfit = f64::sqrt(difference / size);
        assert!(size > 0.0 && misfit < limit, "{label}: {misfit}");
    }
}

#[test]
fn air_is_nan_and_the_surface_follows_the_ground() {
    // Ground that descends from 0 at x = -400 m to -200 m at x = 400 m.
    let slope = "ncols 2\nnrows 2\nxllcenter -400\nyllcenter -400\ncellsize 800\n0 -200\n0 -200\n";
    let changes = [
        "domain.topography=\"slope.asc\"",
        "receivers.stations=[{ code='XX.IN', position=[0.0, 75.0, -225.0] }]",
        "duration=0.2",
        "output.snapshots={ surface={ every=0.2 }, slices=[{ y=10.0, every=0.2 }], volume={ every=0.2 } }",
    ];
    let run = Run::new(&[("slope.asc", slope)], &changes);
    let velocity = |series: &str| {
        let (_, file) = run.frames(series).pop().unwrap();
        read_f32(&file, "velocity [m/s]").unwrap()
    };
    let is_air = |i: usize, k: usize| {
        let [x, z] = [-400.0 + (i as f64 + 0.5) / 0.06, -600.0 + (k as f64 + 0.5) / 0.06];
        z > -0.25 * (x + 400.0)
    };
    let (slice, volume) = (velocity("slice_y_10"), velocity("volume"));
    for (i, k) in (0..CELLS[2]).flat_map(|k| (0..CELLS[0]).map(move |i| (i, k))) {
        assert_eq!(slice[3 * (i + CELLS[0] * k)].is_nan(), is_air(i, k), "{i} {k}");
        let cell = i + CELLS[0] * (5 + CELLS[1] * k);
        assert_eq!(volume[3 * cell + 2].is_nan(), is_air(i, k), "{i} {k}");
    }
    let ground = velocity("surface");
    assert_eq!(ground.len(), 3 * CELLS[0] * CELLS[1]);
    assert!(ground.iter().all(|value| value.is_finite()) && ground.iter().any(|value| value.abs() > 1e-9));
}

#[test]
fn a_surface_below_absorbing_layers_is_the_top_of_the_domain() {
    let changes = ["boundaries.top='absorbing'", "output.snapshots={ surface={ every=0.2 } }"];
    let run = Run::new(&[], &changes);
    let on_top = cell(0, 25.0) + CELLS[0] * cell(1, 175.0);
    let frames = run.frames("surface");
    assert_eq!(frames.len(), 2);
    for (time, file) in frames {
        let velocity = read_f32(&file, "velocity [m/s]").unwrap();
        for (c, component) in ["X", "Y", "Z"].into_iter().enumerate() {
            run.assert_same(&format!("XX.TOP.velocity.{component}"), time, velocity[3 * on_top + c], 2e-2);
        }
    }
    let moves = |trace: &Trace| trace.samples.iter().any(|sample| sample.abs() > 1e-9);
    let of_top = |trace: &&Trace| trace.name.to_string().starts_with("XX.TOP.velocity");
    assert!(run.traces.iter().filter(of_top).all(moves), "a receiver at the top of the domain must move");
}
