//! Scenarios solved by finite differences: agreement with spectral elements, and refused scenarios.

use std::path::{Path, PathBuf};

use craton::options::{CheckOptions, RunOptions};
use craton::traces::{Trace, read_folder};
use craton::{Error, check, run};

/// A layer over a half-space; the sides are so far that no reflections return in time.
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
        let options = RunOptions { overrides, ..RunOptions::default() };
        run(&self.file(), &options).unwrap_or_else(|error| panic!("{name}: {error}"));
        read_folder(&results).expect("seismograms")
    }

    fn refusal(&self, changes: &[&str]) -> Error {
        let overrides = changes.iter().map(|&change| change.to_owned()).collect();
        check(&self.file(), &CheckOptions { overrides, ..CheckOptions::default() }).expect_err("refused")
    }
}

/// Relative L2 misfit over all components of a quantity at a station.
fn misfit(found: &[Trace], expected: &[Trace], station: &str, quantity: &str) -> f64 {
    let own = |trace: &&Trace| {
        let name = trace.name.to_string();
        name.starts_with(station) && name.contains(quantity)
    };
    let (mut difference, mut size) = (0.0, 0.0);
    let mut count = 0;
    for expected in expected.iter().filter(own) {
        let found = found.iter().find(|trace| trace.name == expected.name).expect("the same trace");
        // Both begin at the same time, but have different steps; the error of linear interpolation is negligible.
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
fn both_methods_give_the_same_seismograms() {
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

/// Writes a volume that is constant along x and y, with depth fastest as in SEG-Y.
///
/// # Arguments
/// * first depth [m], spacing [m] and number of the points
/// * `of` – vp, vs and density at a depth
fn volume(case: &Case, (first, spacing, count): (f64, f64, usize), of: impl Fn(f64) -> [f64; 3]) -> String {
    let placed =
        format!("shape = [{count}, 2, 2], spacing = [{spacing}, 3600, 3600], origin = [{first}, -1800, -1800]");
    let file = |(property, name): (usize, &str)| {
        let line = (0..count).map(|point| of(first + point as f64 * spacing)[property] as f32);
        let bytes: Vec<u8> = (0..4).flat_map(|_| line.clone()).flat_map(f32::to_le_bytes).collect();
        std::fs::write(case.folder.path().join(name), bytes).expect("written");
        format!("{name} = {{ file = '{name}', {placed} }}")
    };
    let files = ["vp", "vs", "rho"].into_iter().enumerate().map(file);
    format!("model={{ volume = {{ {} }} }}", files.collect::<Vec<_>>().join(", "))
}

#[test]
fn a_volume_gives_the_seismograms_of_the_equivalent_model() {
    let case = Case::new();
    let line =
        |depth: f64| [(3000.0, 600.0), (1700.0, 300.0), (2300.0, 200.0)].map(|(top, more)| top + more * depth / 2600.0);
    let volume_of_lines = volume(&case, (0.0, 130.0, 21), line);
    let table = "model={ depth_table = { rows = [[0, 3000, 1700, 2300], [2600, 3600, 2000, 2500]] } }";
    let by_fd = "method={ fd = { max_frequency = 3.0, points_per_wavelength = 8.0, order = 8 } }";
    let ways = [("fd", by_fd), ("sem", "method={ sem = { max_frequency = 3.0, points_per_wavelength = 8.0 } }")];
    let [differences, elements] = ways.map(|(by, method)| {
        let run = |(name, model): (&str, &str)| case.run(&format!("{by}_{name}"), &[model, method, "duration=0.6"]);
        [("of_volume", &*volume_of_lines), ("of_table", table)].map(run)
    });
    for quantity in ["velocity", "pressure"] {
        let own = misfit(&differences[0], &differences[1], "XX.TOP", quantity);
        assert!(own < 1e-5, "{quantity} by finite differences: {own:e}");
        // Element sizes follow bounds of the wave speeds.
        let own = misfit(&elements[0], &elements[1], "XX.TOP", quantity);
        assert!(own < 1e-2, "{quantity} by spectral elements: {own:e}");
    }
    // Sea over rock, with points at the centres of cells.
    let sea = |depth: f64| if depth < 400.0 { [1500.0, 0.0, 1000.0] } else { [3600.0, 2000.0, 2500.0] };
    let volume_of_sea = volume(&case, (25.0, 50.0, 52), sea);
    let layers = "model={ layered = { layers = [{ vp = 1500.0, vs = 0.0, rho = 1000.0 }, \
                  { top = -400.0, vp = 3600.0, vs = 2000.0, rho = 2500.0 }] } }";
    let grid = "method={ fd = { max_frequency = 3.0, grid_spacing = 50.0 } }";
    let [found, expected] = [("sea_of_volume", &*volume_of_sea), ("sea_of_layers", layers)]
        .map(|(name, model)| case.run(name, &[model, grid, "duration=0.8"]));
    for station in ["XX.TOP", "XX.IN"] {
        let own = misfit(&found, &expected, station, "velocity");
        assert!(own < 1e-6, "the sea at {station}: {own:e}");
    }
}

#[test]
fn a_volume_with_water_equals_its_layers() {
    let case = Case::new();
    let sea = |depth: f64| if depth < 400.0 { [1500.0, 0.0, 1000.0] } else { [3600.0, 2000.0, 2500.0] };
    let volume_of_sea = volume(&case, (25.0, 50.0, 52), sea);
    let layers = "model={ layered = { layers = [{ vp = 1500.0, vs = 0.0, rho = 1000.0 }, \
                  { top = -400.0, vp = 3600.0, vs = 2000.0, rho = 2500.0 }] } }";
    let elements = "method={ sem = { max_frequency = 3.0 } }";
    let [found, expected] = [("volume", &*volume_of_sea), ("layers", layers)]
        .map(|(name, model)| case.run(name, &[model, elements, "duration=0.8"]));
    for station in ["XX.TOP", "XX.IN"] {
        let own = misfit(&found, &expected, station, "velocity");
        assert!(own < 1e-4, "the sea at {station}: {own:e}");
    }
}

#[test]
fn an_explosion_in_water_has_its_pressure_by_both_methods() {
    let case = Case::new();
    // The sides of spectral elements absorb less.
    let methods = [
        ("grid", "method={ fd = { max_frequency = 5.0, grid_spacing = 50.0, order = 8 } }", 900.0),
        ("elements", "method={ sem = { max_frequency = 6.0 } }", 1200.0),
    ];
    for (name, method, width) in methods {
        // 0.8 % with cells of 40 m.
        let misfit = pressure_misfit(&case, name, method, width);
        assert!(misfit < 0.02, "{name}: {misfit}");
    }
}

/// Misfit of the pressure of an explosion in water below a free surface.
fn pressure_misfit(case: &Case, name: &str, method: &str, width: f64) -> f64 {
    let water = "model={ layered = { layers = [{ vp = 1500.0, vs = 0.0, rho = 1000.0 }, \
                 { top = -1400.0, vp = 3600.0, vs = 2000.0, rho = 2500.0 }] } }";
    let traces = case.run(
        name,
        &[
            water,
            // No reflection from the rock arrives in time.
            "duration=1.3",
            &format!("domain={{ x = [-{width}, {width}], y = [-{width}, {width}], z = [-2000.0, 0.0] }}"),
            "source[0].moment_tensor={ xx = 1.0e14, yy = 1.0e14, zz = 1.0e14 }",
            "receivers={ quantities = ['pressure'], stations = [{ code = 'XX.SEA', position = [200.0, 100.0, -190.0] }] }",
            method,
        ],
    );
    // The explosion, and its image above the surface: p = M''(t - r/c) / (4 pi c^2 r).
    let (sigma, centre, c) = (0.09, 0.36, 1500.0);
    let slope = |t: f64| {
        let x = (t - centre) / sigma;
        -x * (-0.5 * x * x).exp() / (sigma * sigma * std::f64::consts::TAU.sqrt())
    };
    let wave = |height: f64, t: f64| {
        let r = f64::hypot(f64::hypot(200.0, 70.0), height);
        1e14 * slope(t - r / c) / (4.0 * std::f64::consts::PI * c * c * r)
    };
    let [Trace { samples, start, dt, .. }] = &traces[..] else { panic!("{} traces", traces.len()) };
    let (mut difference, mut size) = (0.0, 0.0);
    for (index, sample) in samples.iter().enumerate() {
        let t = start + index as f64 * dt;
        let exact = wave(610.0, t) - wave(990.0, t);
        difference += (sample - exact).powi(2);
        size += exact.powi(2);
    }
    f64::sqrt(difference / size)
}

#[test]
fn a_station_on_the_sea_bottom_is_moved_into_the_rock_of_the_grid() {
    let case = Case::new();
    let water = "model={ layered = { layers = [{ vp = 1500.0, vs = 0.0, rho = 1000.0 }, \
                 { top = -270.0, vp = 3600.0, vs = 2000.0, rho = 2500.0 }] } }";
    let coarse = "method={ fd = { max_frequency = 1.5, grid_spacing = 100.0, absorbing.cpml.cells = 5 } }";
    let station = "receivers.stations=[{ code = 'XX.OBS', position = [200.0, 100.0, -270.0] }]";
    let overrides = [water, coarse, station].map(str::to_owned).to_vec();
    let report =
        check(&case.file(), &CheckOptions { overrides, ..CheckOptions::default() }).expect("a grid").to_string();
    let expected = "XX.OBS is beyond the staircase interface of water and rock, and Craton moves it by 30.000 m";
    assert!(report.contains(expected), "{report}");
}

#[test]
fn shear_and_forces_in_fluids_are_refused() {
    let case = Case::new();
    let water = "model={ layered = { layers = [{ vp = 1500.0, vs = 0.0, rho = 1000.0 }, \
                 { top = -1000.0, vp = 3600.0, vs = 2000.0, rho = 2500.0 }] } }";
    let force = "source=[{ position = [0.0, 0.0, -500.0], force = [0.0, 0.0, 1.0e9], time_function = { ricker = { frequency = 2.0 } } }]";
    for (changes, words) in [
        (&[water][..], "source[0]: source 1 has shear components in a fluid"),
        (&[water, force], "source[0]: source 1 is a force in a fluid"),
    ] {
        let Error::Scenario(errors) = case.refusal(changes) else { panic!("{changes:?}") };
        assert!(errors.lines().to_string().contains(words), "{changes:?}");
    }
}

#[test]
fn scenarios_unsupported_by_finite_differences_are_refused_with_the_key() {
    let case = Case::new();
    let by_fd = |keys: &str| format!("method={{ fd = {{ max_frequency = 5.0, {keys} }} }}");
    let water = "model={ layered = { layers = [{ vp = 1500.0, vs = 0.0, rho = 1000.0 }, \
                 { top = -1000.0, vp = 3600.0, vs = 2000.0, rho = 2500.0 }] } }";
    let in_layer = "receivers.stations=[{ code = 'XX.L', position = [1750.0, 0.0, -500.0] }]";
    let source_in_layer = "source[0].position=[1750.0, 0.0, -500.0]";
    let cases: [(Vec<String>, &str); 17] = [
        (vec![BY_FD.into(), "model={ homogeneous = { vp = 3000.0, vs = 1700.0, rho = 2300.0, thomsen = { epsilon = 0.1, delta = 0.05, gamma = 0.1 } } }".into()], "anisotropic"),
        (vec![by_fd("order = 5")], "order"),
        (vec![by_fd("time_step = 0.1")], "method.fd.time_step = 0.1 s is unstable"),
        (vec![by_fd("grid_spacing = 40.0, absorbing = { cpml = { cells = 45, inside = true } }")], "the absorbing layers fill the whole width of domain."),
        (vec![by_fd("grid_spacing = 40.0, absorbing = { cpml = { cells = 42, inside = true } }")], "absorbing layer"),
        (vec![by_fd("sponge = { sides = [] }")], "has no side"),
        (vec![by_fd("grid_spacing = 1e-6")], "is too small for the box"),
        (vec![by_fd("absorbing = { cpml = { reflection = 1e-13 } }")], "method.fd.absorbing.cpml.reflection = 1e-13: is out of range (allowed: >= 1e-12 and <= 0.5"),
        (vec![by_fd("absorbing = { cpml = {}, paraxial = {} }")], "method.fd.absorbing.paraxial: conflicts with `cpml` for all sides (remove one"),
        (vec![by_fd("absorbing = { top = { cpml = {} } }")], "method.fd.absorbing.top: boundaries.top is not absorbing (set boundaries.top = \"absorbing\""),
        (
            vec![by_fd("grid_spacing = 40.0, absorbing = { x_min = { cpml = { cells = 90, inside = true } } }")],
            "method.fd.absorbing.x_min.cpml.cells = 90: the absorbing layers fill the whole width of domain.x",
        ),
        (vec![by_fd("grid_spacing = 40.0, absorbing = { cpml = { inside = true } }"), in_layer.into()], "XX.L at x = 1750"),
        (
            vec![by_fd("grid_spacing = 40.0, absorbing = { cpml = { inside = true } }"), source_in_layer.into()],
            "source 1 at x = 1750, y = 0, z = -500 m is in an absorbing layer",
        ),
        (
            // The wavelength results in cells of 40 m.
            vec![by_fd("order = 8, points_per_wavelength = 8.5, absorbing = { cpml = { cells = 45, inside = true } }")],
            "the absorbing layers across x take 90 of 90 cells",
        ),
        (vec![BY_FD.into(), "compute.partition=metis".into()], "compute.partition = metis: applies to meshes, but method.fd has a grid"),
        (vec![BY_FD.into(), "compute.partition=slices".into()], "compute.partition = slices: applies to meshes, but method.fd has a grid"),
        (vec![BY_FD.into(), water.into()], "source[0]: source 1 has shear components in a fluid"),
    ];
    for (changes, words) in cases {
        let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
        let error = case.refusal(&changes);
        let message = match &error {
            Error::Scenario(errors) => errors.lines().to_string(),
            other => other.to_string(),
        };
        assert!(message.contains(words), "{changes:?}: {message}");
        assert!(error.is_bad_input(), "{message}");
    }
    assert!(!Path::new("results").exists());
}

#[test]
fn a_coarse_grid_a_fast_source_and_a_wide_sponge_cause_warnings() {
    let case = Case::new();
    let report = |keys: &str, source: &str| {
        let fd = format!("method={{ fd = {{ max_frequency = 5.0, grid_spacing = 150.0{keys} }} }}");
        let overrides = vec![fd, source.to_owned()];
        check(&case.file(), &CheckOptions { overrides, ..CheckOptions::default() }).expect("a grid").to_string()
    };
    let slow = "source[0].time_function.gaussian.sigma=0.09";
    let coarse = report("", slow);
    assert!(coarse.contains("the grid resolves only ") && coarse.contains("method.fd.max_frequency"), "{coarse}");
    assert!(!coarse.contains("radiates") && !coarse.contains("sponge"), "{coarse}");
    let fast = report("", "source[0].time_function.gaussian.sigma=0.02");
    assert!(fast.contains("source 1 radiates up to 19.4") && fast.contains("max_frequency = 5 Hz"), "{fast}");
    let wide = report(", sponge = { sides = ['top'], cells = 400 }", slow);
    assert!(wide.contains("method.fd.sponge.cells = 400 covers all"), "{wide}");
}

/// A coarse grid for fast tests.
const COARSE: &str = "method={ fd = { max_frequency = 5.0, grid_spacing = 60.0, absorbing.cpml.cells = 5 } }";

#[test]
fn time_dispersion_is_corrected() {
    let case = Case::new();
    let run = |courant: &str, correct: &str| {
        let keys = [COARSE, "duration=0.8", "output.sample_interval=0.004", courant, correct];
        case.run(&format!("{courant}{correct}"), &keys)
    };
    let [long, short] = ["method.fd.courant=0.95", "method.fd.courant=0.3"];
    let differ = |correct: &str| misfit(&run(long, correct), &run(short, correct), "XX.IN", "velocity");
    let [uncorrected, corrected] =
        ["false", "true"].map(|word| differ(&format!("method.fd.time_dispersion_correction={word}")));
    // The rest is from the absorbing layers, whose recursion differs from that of the waves.
    assert!(corrected < 1e-3 && uncorrected > 5.0 * corrected, "{uncorrected} {corrected}");
}

#[test]
fn a_solid_with_negative_lambda_agrees_with_spectral_elements() {
    let case = Case::new();
    let shared = ["model={ homogeneous = { vp = 3000.0, vs = 2400.0, rho = 2300.0 } }", "output.sample_interval=0.004"];
    let expected = case.run("sem", &shared);
    let found = case.run("fd", &[&shared[..], &[BY_FD]].concat());
    // The pressure is small compared with the shear stress. Strain is discontinuous between elements and requires more of them than velocity.
    let [velocity, pressure] = ["velocity", "pressure"].map(|what| misfit(&found, &expected, "XX.IN", what));
    assert!(velocity < 0.005 && pressure < 0.02, "{velocity} {pressure}");
}

/// The report for the scenario on ground that falls from 0 m in the west to `low` in the east.
fn on_a_slope(low: f64, changes: &[&str]) -> Result<String, Error> {
    let case = Case::new();
    let heights = (0..3).map(|_| format!("0.0 {} {low}\n", 0.5 * low)).collect::<String>();
    let grid = format!("ncols 3\nnrows 3\nxllcorner -3000.0\nyllcorner -3000.0\ncellsize 2000.0\n{heights}");
    std::fs::write(case.folder.path().join("slope.asc"), grid).expect("written");
    let shared =
        ["domain.topography='slope.asc'", "model={ homogeneous = { vp = 3000.0, vs = 1700.0, rho = 2300.0 } }", COARSE];
    let overrides = shared.iter().chain(changes).map(|&change| change.to_owned()).collect();
    check(&case.file(), &CheckOptions { overrides, ..CheckOptions::default() }).map(|report| report.to_string())
}

#[test]
fn receivers_above_the_staircase_are_reported_with_their_distance_and_those_without_ground_are_refused() {
    // A metre below the ground, over more than one step of the staircase.
    let place = |i: i32| {
        let x = f64::from(100 * i - 200);
        format!("{{ code = 'XX.B{i}', position = [{x:?}, 0.0, {:?}] }}", -0.15 * (x + 2000.0) - 1.0)
    };
    let places: Vec<String> = (0..8).map(place).collect();
    let report = on_a_slope(-600.0, &[&format!("receivers.stations=[{}]", places.join(", "))]).expect("a grid");
    assert!(report.contains("is above the staircase ground of the grid, and Craton moves it down by"), "{report}");
    let east = "receivers={ stations = [{ code = 'XX.E', position = [1790.0, 0.0, 0.0] }], snap_to_surface = true }";
    let deep = "source[0].position=[-1200.0, 30.0, -1500.0]";
    let refused = on_a_slope(-2730.0, &[east, deep]).expect_err("no ground");
    assert!(refused.to_string().contains("XX.E") && refused.to_string().contains("no ground below it"), "{refused}");
    assert!(refused.is_bad_input());
}
