//! A good scenario, changes of it, and the resulting errors.

use std::path::{Path, PathBuf};

use craton::{Error, Scenario, Setup};
use tempfile::TempDir;

const GOOD: &str = r#"duration = 9.0
[domain]
x = [-4000.0, 14000.0]
y = [-4000.0, 14000.0]
z = [-12000.0, 0.0]
[model.layered]
layers = [
    { vp = 4000.0, vs = 2000.0, rho = 2600.0 },
    { top = -1000.0, vp = 6000.0, vs = 3464.0, rho = 2700.0 },
]
[[source]]
position = [0.0, 0.0, -2000.0]
moment_tensor = { xy = 1.0e18 }
time_function.gaussian = { sigma = 0.1 }
[receivers]
stations = [{ code = "XX.S10", position = [8000.0, 6000.0, 0.0] }]
[method.sem]
max_frequency = 5.0
[output]
directory = "results"
"#;

/// The set-up of an example.
pub fn example(name: &str) -> Setup {
    let examples = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let file = examples.join(name).join(format!("{name}.toml"));
    Setup::new(&Scenario::read(&file, &[]).expect("an example")).expect("an example")
}

/// A folder with files.
pub fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder for the test");
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).expect("a file of the test");
    }
    folder
}

/// The set-up of the good scenario with some texts replaced.
pub fn set_up(folder: &Path, changes: &[(&str, &str)]) -> Result<Setup, Error> {
    let text = changes.iter().fold(GOOD.to_owned(), |text, (right, other)| {
        assert!(text.contains(right), "{right}");
        text.replacen(right, other, 1)
    });
    let scenario = Scenario::parse("it.toml", &text, folder.to_owned(), &[]);
    Setup::new(&scenario?)
}

/// The errors of the good scenario with some texts replaced, without the name of the folder.
pub fn errors(folder: &Path, changes: &[(&str, &str)]) -> String {
    match set_up(folder, changes) {
        Ok(setup) => panic!("{changes:?} was accepted: {setup:?}"),
        Err(Error::Scenario(errors)) => {
            errors.lines().replace(&format!("{}/", folder.display()), "").trim_end().to_owned()
        }
        Err(other) => panic!("{other}"),
    }
}

/// Asserts the errors of the good scenario with some texts replaced, in a folder with some files.
#[track_caller]
pub fn assert_errors(files: &[(&str, &str)], changes: &[(&str, &str)], expected: &str) {
    assert_eq!(errors(folder(files).path(), changes), expected);
}

/// An ESRI grid of a function.
pub fn grid(columns: usize, rows: usize, corner: [f64; 2], spacing: f64, z: impl Fn(f64, f64) -> f64) -> String {
    let [x, y] = corner;
    let header = format!("ncols {columns}\nnrows {rows}\nxllcenter {x}\nyllcenter {y}\ncellsize {spacing}\n");
    let line = |row: usize| {
        let y = y + spacing * (rows - 1 - row) as f64;
        let values: Vec<String> = (0..columns).map(|column| z(x + spacing * column as f64, y).to_string()).collect();
        values.join(" ") + "\n"
    };
    header + &(0..rows).map(line).collect::<String>()
}

/// A grid over the whole domain of the good scenario.
pub fn whole_grid(z: impl Fn(f64, f64) -> f64) -> String {
    grid(19, 19, [-4000.0, -4000.0], 1000.0, z)
}

/// Change of the good scenario: a topography below 1000 m.
pub const TOPOGRAPHY: (&str, &str) = ("z = [-12000.0, 0.0]", "z = [-12000.0, 1000.0]\ntopography = \"top.asc\"");
/// Change: the receiver moved to the surface.
pub const SURFACE_STATION: (&str, &str) =
    ("position = [8000.0, 6000.0, 0.0] }]", "position = [8000.0, 6000.0, 0.0] }]\nsnap_to_surface = true");

/// Change: a projection whose origin is in the domain.
pub const UTM: (&str, &str) = (
    "z = [-12000.0, 0.0]",
    "z = [-12000.0, 0.0]\nprojection.utm = { zone = 19, south = true, origin = { longitude = -67.25, latitude = -13.82 } }",
);
/// Change: a chunk of the Earth instead of the box.
pub const CHUNK: (&str, &str) = (
    "x = [-4000.0, 14000.0]\ny = [-4000.0, 14000.0]\nz = [-12000.0, 0.0]",
    "chunk = { centre = { longitude = -67.25, latitude = -13.82 }, widths = [16, 16], depth = 600000, rotation = 20 }",
);
/// Change: periods long enough for the mesh of a chunk.
pub const LONG_PERIODS: (&str, &str) = ("max_frequency = 5.0", "max_frequency = 0.02");
/// Change: receivers from a file.
pub const STATIONS: (&str, &str) =
    ("stations = [{ code = \"XX.S10\", position = [8000.0, 6000.0, 0.0] }]", "stations_file = \"STATIONS\"");
/// Change: the source from a file.
pub const CMT: (&str, &str) = (
    "position = [0.0, 0.0, -2000.0]\nmoment_tensor = { xy = 1.0e18 }\ntime_function.gaussian = { sigma = 0.1 }",
    "cmtsolution = \"CMTSOLUTION\"",
);
/// A solution file whose source is in the domain of [`UTM`].
pub const CMTSOLUTION: &str = "PDE  1994  6  9  0 33 16.40 -13.8300  -67.5600 637.0 6.9 6.8 NORTHERN BOLIVIA
event name:     060994A
time shift:     3.0000
half duration:  0.5000
latorUTM:     -13.8000
longorUTM:    -67.2000
depth:        6.5000
Mrr:      -7.590000e+27
Mtt:       7.750000e+27
Mpp:      -1.600000e+26
Mrt: -2.503000e+28
Mrp:       4.200000e+26
Mtp:      -2.480000e+27
";

/// Asserts that two positions agree within micrometres.
#[track_caller]
pub fn assert_near(found: [f64; 3], expected: [f64; 3]) {
    let distance = (0..3).map(|axis| (found[axis] - expected[axis]).powi(2)).sum::<f64>().sqrt();
    assert!(distance < 2e-6, "{found:?} instead of {expected:?}");
}

/// Change: a depth table instead of the layers.
pub const TABLE: (&str, &str) = (
    "[model.layered]\nlayers = [\n    { vp = 4000.0, vs = 2000.0, rho = 2600.0 },\n    { top = -1000.0, vp = 6000.0, vs = 3464.0, rho = 2700.0 },\n]",
    "[model.depth_table]\nfile = \"crust.txt\"",
);
