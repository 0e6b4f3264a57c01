//! Gravity in longitude, latitude and height: tesseroids, layers on a sphere, and stations.

use std::f64::consts::PI;
use std::path::Path;

use craton::gravity::{check_gravity, gravity};
use craton::options::{CheckOptions, RunOptions};
use craton::{Cancel, RunStatus};
use craton_device::{Isa, Workers};
use craton_formats::netcdf::NetcdfReader;
use craton_gravity::{Ellipsoid, Field, Fields, GRAVITATIONAL_CONSTANT, Gravity, Stations, Tesseroid, Tesseroids};

use super::{assert_close, column, results, run};

/// Mean radius of the Earth [m], the default of `[sphere]`.
pub(super) const EARTH: f64 = 6_371_000.0;
const FIELDS: &str = "fields = ['potential', 'g_e', 'g_n', 'g_u', 'g_ee', 'g_en', 'g_eu', 'g_nn', 'g_nu', 'g_uu']\n";
const OUTPUT: &str = "[output]\ndirectory = 'results'\nformats = ['csv']\npictures = false\nunits = 'si'\n";
const COLUMNS: [&str; 10] = [
    "potential_m2_per_s2",
    "g_e_m_per_s2",
    "g_n_m_per_s2",
    "g_u_m_per_s2",
    "g_ee_per_s2",
    "g_en_per_s2",
    "g_eu_per_s2",
    "g_nn_per_s2",
    "g_nu_per_s2",
    "g_uu_per_s2",
];

/// A problem with all fields at points of a list.
pub(super) fn problem(body: &str, points: &[[f64; 3]]) -> String {
    format!("{FIELDS}[[body]]\n{body}\n[points.geographic_list]\nrows = {points:?}\n{OUTPUT}")
}

/// All fields of a problem, `[field][point]`.
pub(super) fn fields(folder: &Path, problem: &str, overrides: &[&str]) -> Vec<Vec<f64>> {
    run(folder, problem, overrides);
    let results = results(folder);
    COLUMNS.map(|name| column(&results, name)).to_vec()
}

/// Rows of a table, with its column names.
fn table(rows: &[[f64; 7]]) -> String {
    let line = |row: &[f64; 7]| row.map(|value| value.to_string()).join(",") + "\n";
    format!("west,east,south,north,bottom,top,density\n{}", rows.iter().map(line).collect::<String>())
}

/// Asserts that fields agree within a fraction of the largest value of each.
#[track_caller]
pub(super) fn assert_alike(found: &[Vec<f64>], expected: &[Vec<f64>], tolerance: f64) {
    for ((found, expected), name) in found.iter().zip(expected).zip(COLUMNS) {
        let peak = expected.iter().fold(0.0_f64, |peak, value| peak.max(value.abs()));
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() <= tolerance * peak, "{name}: {found:e} instead of {expected:e}");
        }
    }
}

/// Cells of a degree with hills and hollows: west, east, south, north, bottom, top, density.
fn hills() -> Vec<[f64; 7]> {
    let cell = |number: usize| {
        let (i, j) = (number % 12, number / 12);
        let (west, south) = (355.0 + i as f64, 40.0 + j as f64);
        let top = 900.0 * (0.7 * i as f64).sin() * (0.4 * j as f64).cos() + 1200.0;
        [west, west + 1.0, south, south + 1.0, -30_000.0, top, 2600.0 + number as f64]
    };
    (0..144).map(cell).collect()
}

/// The tesseroids of rows.
fn tesseroids(rows: &[[f64; 7]], gradient: f64) -> Tesseroids {
    let of_row = |&[west, east, south, north, bottom, top, density]: &[f64; 7]| {
        let [bottom, top] = [EARTH + bottom, EARTH + top];
        Tesseroid { west, east, south, north, bottom, top, density, gradient }
    };
    Tesseroids::new(rows.iter().map(of_row)).expect("tesseroids")
}

/// Fields of tesseroids at points (longitude, latitude, height) by the library.
fn of_library(tesseroids: &Tesseroids, points: &[[f64; 3]], accuracy: f64) -> Vec<Vec<f64>> {
    let stations = Stations::new(points.iter().map(|[x, y, z]| [*x, *y, EARTH + z])).expect("stations");
    let workers = Workers::new(Some(2)).expect("two threads");
    let gravity: Gravity = tesseroids.forward(&stations, Fields::ALL, accuracy, &workers, Isa::detect());
    Field::ALL.map(|field| gravity.get(field).expect("a field").to_vec()).to_vec()
}

fn stations() -> Vec<[f64; 3]> {
    (0..150).map(|n| [-6.0 + 0.1 * n as f64, 39.0 + 0.37 * n as f64 % 14.0, 2500.0 + 700.0 * n as f64]).collect()
}

#[test]
fn a_table_of_tesseroids_equals_the_library() {
    let folder = tempfile::tempdir().expect("a folder");
    let (rows, points) = (hills(), stations());
    std::fs::write(folder.path().join("crust.csv"), table(&rows)).expect("written");
    let text = problem("tesseroids.file = 'crust.csv'", &points);
    for (accuracy, overrides) in [(0.0, &[][..]), (1e-5, &["method.accuracy=1e-5"][..])] {
        let expected = of_library(&tesseroids(&rows, 0.0), &points, accuracy);
        assert_alike(&fields(folder.path(), &text, overrides), &expected, 1e-13);
    }
    let exact = fields(folder.path(), &text, &[]);
    assert!(fields(folder.path(), &text, &["compute.threads=1"]) == exact, "results depend on the number of threads");
    let by_rows = problem(&format!("tesseroids.rows = {rows:?}"), &points);
    assert!(fields(folder.path(), &by_rows, &[]) == exact, "rows and a table differ");
    let direct = fields(folder.path(), &text, &["method.accuracy=1e-5", "method.path='direct'"]);
    assert!(direct == exact, "direct sums depend on the accuracy");
}

#[test]
fn densities_may_be_linear_and_in_other_units() {
    let folder = tempfile::tempdir().expect("a folder");
    let (rows, points) = (hills(), stations());
    let line = |row: &[f64; 7]| {
        let [west, east, south, north, bottom, top, density] = row;
        format!("{west} {east} {south} {north} {bottom} {top} {} -5e-5\n", density / 1000.0)
    };
    let text: String = rows.iter().map(line).collect();
    let names = "w e s n bottom top rho slope\n";
    std::fs::write(folder.path().join("crust.txt"), format!("{names}{text}")).expect("written");
    let columns = "{ west = 'w', east = 'e', south = 's', north = 'n', density = 'rho', gradient = 'slope' }";
    let body = format!("tesseroids = {{ file = 'crust.txt', density_factor = 1000.0, columns = {columns} }}");
    let expected = of_library(&tesseroids(&rows, -0.05), &points, 0.0);
    assert_alike(&fields(folder.path(), &problem(&body, &points), &[]), &expected, 1e-12);
}

#[test]
fn geodetic_positions_equal_the_library() {
    let folder = tempfile::tempdir().expect("a folder");
    let (rows, points) = (hills(), stations());
    let cells = rows.iter().map(|&[west, east, south, north, bottom, top, density]| Tesseroid {
        west,
        east,
        south,
        north,
        bottom,
        top,
        density,
        gradient: 0.0,
    });
    let cells = Tesseroids::geodetic(cells, &Ellipsoid::GRS80).expect("cells");
    let stations = Stations::geodetic(points.iter().copied(), &Ellipsoid::GRS80).expect("stations");
    let workers = Workers::new(Some(2)).expect("two threads");
    let gravity = cells.forward(&stations, Fields::ALL, 0.0, &workers, Isa::detect());
    let expected = Field::ALL.map(|field| gravity.get(field).expect("a field").to_vec());
    let text = format!("ellipsoid = 'grs80'\n{}", problem(&format!("tesseroids.rows = {rows:?}"), &points));
    assert_alike(&fields(folder.path(), &text, &[]), &expected, 1e-13);
    // A layer of the same columns, with the sphere as another reference.
    let grid: String = rows.iter().map(|row| format!("{} {} {}\n", row[0] + 0.5, row[2] + 0.5, row[5])).collect();
    std::fs::write(folder.path().join("top.xyz"), grid).expect("written");
    let layer = "layer = { coordinates = 'geographic', top = 'top.xyz', bottom = -3e4, density.constant = 2600.0 }";
    let constant: Vec<[f64; 7]> =
        rows.iter().map(|row| [row[0], row[1], row[2], row[3], row[4], row[5], 2600.0]).collect();
    let [of_layer, of_rows] = [layer.to_owned(), format!("tesseroids.rows = {constant:?}")]
        .map(|body| fields(folder.path(), &format!("ellipsoid = 'wgs84'\n{}", problem(&body, &points)), &[]));
    assert_alike(&of_layer, &of_rows, 1e-12);
    let on_sphere = fields(folder.path(), &problem(layer, &points), &[]);
    let changes = of_layer[3].iter().zip(&on_sphere[3]).map(|(a, b)| (a / b - 1.0).abs()).fold(0.0, f64::max);
    assert!((1e-4..0.05).contains(&changes), "{changes}");
}

/// Potential, upward attraction and its upward derivative of a point mass at the centre.
fn of_mass(mass: f64, radius: f64) -> [f64; 3] {
    let potential = GRAVITATIONAL_CONSTANT * mass / radius;
    [potential, -potential / radius, 2.0 * potential / (radius * radius)]
}

/// Asserts that the field outside a shell is that of a point mass.
#[track_caller]
pub(super) fn assert_is_shell(found: &[Vec<f64>], mass: f64, points: &[[f64; 3]], radius: f64, density: f64) {
    for (point, [.., height]) in points.iter().enumerate() {
        let [potential, up, _] = of_mass(mass, radius + height);
        assert_close(found[0][point], potential, 1e-6);
        assert_close(found[3][point], up, 5e-6);
        assert!(found[1][point].hypot(found[2][point]) < 5e-6 * up.abs(), "{}, {}", found[1][point], found[2][point]);
        let tensor = of_mass(mass, radius + height)[2];
        // The tensor of a thin shell is what remains of those of its cells.
        let scale = 4.0 * PI * GRAVITATIONAL_CONSTANT * density;
        assert!((found[9][point] - tensor).abs() < 1e-4 * scale, "{} instead of {tensor}", found[9][point]);
    }
}

pub(super) fn shell_mass([bottom, top]: [f64; 2], density: f64) -> f64 {
    4.0 / 3.0 * PI * density * (top.powi(3) - bottom.powi(3))
}

#[test]
fn a_shell_of_tesseroids_has_its_closed_form() {
    let folder = tempfile::tempdir().expect("a folder");
    let cell = |number: usize| {
        let (west, south) = (10.0 * (number % 36) as f64 - 180.0, 10.0 * (number / 36) as f64 - 90.0);
        [west, west + 10.0, south, south + 10.0, -10_000.0, 2000.0, 2670.0]
    };
    let rows: Vec<[f64; 7]> = (0..36 * 18).map(cell).collect();
    std::fs::write(folder.path().join("shell.csv"), table(&rows)).expect("written");
    let points = [[10.3, 47.9, 250e3], [201.7, -33.1, 10e3], [0.0, 90.0, 30e3], [-179.9, 0.1, 400e3]];
    let text = problem("tesseroids.file = 'shell.csv'", &points);
    let mass = |radius: f64| shell_mass([radius - 10_000.0, radius + 2000.0], 2670.0);
    assert_is_shell(&fields(folder.path(), &text, &["method.accuracy=1e-7"]), mass(EARTH), &points, EARTH, 2670.0);
    let moon = 1_737_400.0;
    let of_moon = fields(folder.path(), &text, &["method.accuracy=1e-7", "sphere.radius=1737400.0"]);
    assert_is_shell(&of_moon, mass(moon), &points, moon, 2670.0);
}

#[test]
fn a_global_layer_has_the_closed_form_of_a_shell() {
    let folder = tempfile::tempdir().expect("a folder");
    let points = [[10.3, 47.9, 250e3], [201.7, -33.1, 30e3], [0.0, 90.0, 60e3]];
    // Grid points on both ends, which share a meridian, and on the poles; then in the middle of cells.
    let nodes = |x: &[f64], y: &[f64]| {
        let lines = y.iter().flat_map(|y| x.iter().map(move |x| format!("{x} {y} 2000\n")));
        lines.collect::<String>()
    };
    let even = |first: f64, step: f64, count: usize| (0..count).map(|n| first + step * n as f64).collect::<Vec<_>>();
    for (x, y) in [(even(0.0, 15.0, 25), even(-90.0, 15.0, 13)), (even(-172.5, 15.0, 24), even(-82.5, 15.0, 12))] {
        std::fs::write(folder.path().join("top.xyz"), nodes(&x, &y)).expect("written");
        let layer =
            "layer = { coordinates = 'geographic', top = 'top.xyz', bottom = -10e3, density.constant = 2670.0 }";
        let found = fields(folder.path(), &problem(layer, &points), &["method.accuracy=1e-7"]);
        let mass = shell_mass([EARTH - 10_000.0, EARTH + 2000.0], 2670.0);
        assert_is_shell(&found, mass, &points, EARTH, 2670.0);
    }
}

/// Heights at grid points of a degree, as `x y z` lines, and the columns around them.
fn hills_on_a_grid(bottom: f64) -> (String, Vec<[f64; 7]>) {
    let height = |i: usize, j: usize| 150.0 * (i as f64 - 2.0) + 90.0 * j as f64 + 10.0;
    let places: Vec<(usize, usize)> = (0..4).flat_map(|j| (0..6).map(move |i| (i, j))).collect();
    let lines = places.iter().map(|&(i, j)| format!("{} {} {}\n", 7.5 + i as f64, 44.5 + j as f64, height(i, j)));
    let column = |&(i, j): &(usize, usize)| {
        let (west, south, top) = (7.0 + i as f64, 44.0 + j as f64, height(i, j));
        let density = if top > bottom { 2670.0 } else { -1640.0 };
        [west, west + 1.0, south, south + 1.0, bottom.min(top), bottom.max(top), density]
    };
    (lines.collect(), places.iter().map(column).collect())
}

#[test]
fn a_layer_equals_the_same_tesseroids_in_a_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let points: Vec<[f64; 3]> = (0..40).map(|n| [6.0 + 0.2 * n as f64, 43.0 + 0.15 * n as f64, 5e3]).collect();
    let (grid, columns) = hills_on_a_grid(0.0);
    std::fs::write(folder.path().join("ground.xyz"), grid).expect("written");
    std::fs::write(folder.path().join("columns.csv"), table(&columns)).expect("written");
    let expected = fields(folder.path(), &problem("tesseroids.file = 'columns.csv'", &points), &[]);
    let layer = "layer = { coordinates = 'geographic', top = 'ground.xyz', bottom = 0.0, density.constant = 2670.0, \
                 inverted_density = -1640.0 }";
    assert_alike(&fields(folder.path(), &problem(layer, &points), &[]), &expected, 1e-12);
    // A density for each column.
    let lines: String =
        (0..24).map(|n| format!("{} {} {}\n", 7.5 + (n % 6) as f64, 44.5 + (n / 6) as f64, 2000 + n)).collect();
    std::fs::write(folder.path().join("density.xyz"), lines).expect("written");
    let dense = |(n, row): (usize, &[f64; 7])| {
        let [west, east, south, north, _, top, _] = *row;
        [west, east, south, north, -9000.0, top, 2000.0 + n as f64]
    };
    let tall: Vec<[f64; 7]> = hills_on_a_grid(-9000.0).1.iter().enumerate().map(dense).collect();
    std::fs::write(folder.path().join("columns.csv"), table(&tall)).expect("written");
    let expected = fields(folder.path(), &problem("tesseroids.file = 'columns.csv'", &points), &[]);
    let layer = "layer = { coordinates = 'geographic', top = 'ground.xyz', bottom = -9000.0, \
                 density.columns.file = 'density.xyz' }";
    assert_alike(&fields(folder.path(), &problem(layer, &points), &[]), &expected, 1e-12);
}

#[test]
fn a_linear_density_needs_no_slices_and_other_laws_have_some() {
    let folder = tempfile::tempdir().expect("a folder");
    let points: Vec<[f64; 3]> = (0..20).map(|n| [6.0 + 0.4 * n as f64, 43.0 + 0.3 * n as f64, 6e3]).collect();
    let (grid, columns) = hills_on_a_grid(-5000.0);
    std::fs::write(folder.path().join("ground.xyz"), grid).expect("written");
    let linear = |row: &[f64; 7]| {
        let [west, east, south, north, bottom, top, _] = *row;
        // 2500 kg/m3 at height 0, and 0.1 kg/m3 more for each metre of depth.
        [west, east, south, north, bottom, top, 2500.0 - 0.1 * 0.5 * (bottom + top)]
    };
    let rows: Vec<[f64; 7]> = columns.iter().map(linear).collect();
    let expected = of_library(&tesseroids(&rows, -0.1), &points, 0.0);
    let layer = |density: &str| {
        format!("layer = {{ coordinates = 'geographic', top = 'ground.xyz', bottom = -5000.0, density = {density} }}")
    };
    let law = layer("{ polynomial = { coefficients = [2500.0, 0.1], datum = 0.0 } }");
    assert_alike(&fields(folder.path(), &problem(&law, &points), &[]), &expected, 1e-11);
    // Nearly the same law, which is not linear.
    let law = layer("{ polynomial = { coefficients = [2500.0, 0.1, 1e-12], datum = 0.0 } }");
    assert_alike(&fields(folder.path(), &problem(&law, &points), &[]), &expected, 1e-4);
}

/// A grid of points above two tesseroids.
pub(super) const GRID: &str = "fields = ['g_d', 'g_dd']
[[body]]
tesseroids.rows = [[10.0, 11.0, 45.0, 46.0, -30e3, 0.0, 300.0], [11.0, 12.0, 45.0, 46.0, -20e3, -1e3, -200.0]]
[points.geographic_grid]
longitude = [9.0, 13.0]
latitude = [44.0, 47.0]
spacing = [1.0, 0.5]
height = 8000.0
[output]
directory = 'results'
formats = ['csv', 'netcdf', 'npy']
pictures = true
";

#[test]
fn results_have_longitude_latitude_and_height() {
    let folder = tempfile::tempdir().expect("a folder");
    run(folder.path(), GRID, &[]);
    let text = std::fs::read_to_string(folder.path().join("results/gravity.csv")).expect("results");
    assert!(text.starts_with("longitude_deg,latitude_deg,height_m,g_d_mgal,g_dd_eotvos\n9,44,8000,"), "{text}");
    let expected = column(&results(folder.path()), "g_d_mgal");
    let mut dataset = NetcdfReader::open(&folder.path().join("results/gravity.nc")).expect("results");
    assert_eq!(dataset.values_f64("g_d_mgal").expect("a field"), expected);
    assert_eq!(dataset.values_f64("longitude").expect("an axis"), [9.0, 10.0, 11.0, 12.0, 13.0]);
    assert_eq!(dataset.values_f64("height").expect("a height"), [8000.0]);
    let unit = |name: &str| {
        let variables = &dataset.dataset().variables;
        variables
            .iter()
            .find(|variable| variable.name == name)
            .and_then(|variable| variable.text("units"))
            .map(str::to_owned)
    };
    assert_eq!(unit("latitude").as_deref(), Some("degrees_north"));
    assert!(folder.path().join("results/gravity.png").exists());
    // The table of the results is a list of points.
    std::fs::copy(folder.path().join("results/gravity.csv"), folder.path().join("stations.csv")).expect("copied");
    let begin = GRID.find("[points").expect("points");
    let end = GRID.find("[output]").expect("output");
    let list = format!("{}[points.geographic_list]\nfile = 'stations.csv'\n{}", &GRID[..begin], &GRID[end..]);
    run(folder.path(), &list, &[]);
    assert_eq!(column(&results(folder.path()), "g_d_mgal"), expected);
}

#[test]
fn complete_results_are_kept_and_other_formats_follow_from_them() {
    let folder = tempfile::tempdir().expect("a folder");
    run(folder.path(), GRID, &["output.formats=['csv']"]);
    let directory = format!("output.directory='{}'", folder.path().join("results").display());
    let overrides = vec![directory, "output.formats=['csv', 'netcdf']".to_owned()];
    let options = RunOptions { overrides, ..RunOptions::default() };
    let report = gravity(&folder.path().join("it.toml"), &options).unwrap_or_else(|error| panic!("{error:?}"));
    assert!(report.was_complete && report.files.iter().any(|file| file == "gravity.nc"), "{report}");
}

#[test]
fn an_interrupted_computation_continues() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, directory) = (folder.path().join("it.toml"), folder.path().join("results"));
    run(folder.path(), GRID, &[]);
    let expected = std::fs::read(directory.join("gravity.csv")).expect("results");
    std::fs::remove_dir_all(&directory).expect("removed");
    let options = |cancel: &Cancel| RunOptions {
        overrides: vec![format!("output.directory='{}'", directory.display())],
        cancel: Some(cancel.clone()),
        ..RunOptions::default()
    };
    let cancel = Cancel::new();
    cancel.cancel();
    let report = gravity(&file, &options(&cancel)).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(report.status, RunStatus::Interrupted);
    let report = gravity(&file, &options(&Cancel::new())).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(report.status, RunStatus::Complete);
    assert!(std::fs::read(directory.join("gravity.csv")).expect("results") == expected);
}

#[test]
fn the_preview_counts_tesseroids() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("it.toml"), GRID).expect("written");
    for overrides in [vec![], vec!["method.accuracy=1e-5".to_owned()]] {
        let options = CheckOptions { overrides, ..CheckOptions::default() };
        let ahead = check_gravity(&folder.path().join("it.toml"), &options).unwrap_or_else(|error| panic!("{error:?}"));
        let line = |key: &str| ahead.lines.iter().find(|(known, _)| *known == key).map(|(_, text)| text.clone());
        assert_eq!(line("tesseroids").as_deref(), Some("2"));
        assert!(line("sums").is_some_and(|text| text.contains("tesseroids")) && line("memory").is_some());
        assert!(ahead.warnings.iter().all(|warning| !warning.contains("metres")), "{:?}", ahead.warnings);
    }
}
