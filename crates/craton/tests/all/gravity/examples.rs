//! The examples, computed by every method.

use std::path::Path;

use craton::gravity::gravity;
use craton::options::RunOptions;

use super::{Results, assert_close, column, results};

fn example(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name).join(format!("{name}.toml"))
}

fn run_example(folder: &Path, name: &str, changes: &[&str]) -> Results {
    let directory = format!("output.directory='{}'", folder.join("results").display());
    let overrides = changes.iter().map(|&change| change.to_owned()).chain([directory]).collect();
    let options = RunOptions { overrides, overwrite: true, ..RunOptions::default() };
    gravity(&example(name), &options).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    results(folder)
}

#[test]
fn every_method_meets_its_accuracy_for_the_example() {
    let folder = tempfile::tempdir().expect("a folder");
    let small = "points.grid={ x = [0.0, 14000.0], y = [0.0, 9000.0], count = [15, 10], z = 100.0 }";
    let exact = run_example(folder.path(), "seven_balls", &[small, "method.path='direct'"]);
    for (path, accuracy, limit) in [("tree", "1e-5", 1e-5), ("tree", "1e-9", 1e-9), ("convolution", "1e-5", 1e-11)] {
        let changes = [small, &format!("method.path='{path}'"), &format!("method.accuracy={accuracy}")];
        let found = run_example(folder.path(), "seven_balls", &changes);
        let record = std::fs::read_to_string(folder.path().join("results/run.json")).expect("a record");
        let entry = if path == "tree" { "tree, accuracy " } else { "round-off below" };
        assert!(record.contains(entry), "{path} to {accuracy}: {record}");
        for (names, unit) in [(["e", "n", "u"].as_slice(), "mgal"), (&["ee", "en", "eu", "nn", "nu", "uu"], "eotvos")] {
            let field = |results: &Results| {
                names.iter().map(|name| column(results, &format!("g_{name}_{unit}"))).collect::<Vec<_>>()
            };
            let (exact, found) = (field(&exact), field(&found));
            let norm = |of: &dyn Fn(usize, usize) -> f64| {
                let at = |point: usize| (0..names.len()).map(|part| of(part, point).powi(2)).sum::<f64>().sqrt();
                (0..150).map(at).fold(0.0, f64::max)
            };
            let peak = norm(&|part, point| exact[part][point]);
            let error = norm(&|part, point| exact[part][point] - found[part][point]);
            assert!(error <= limit * peak, "{path} to {accuracy}: {error:e} of {peak:e} {unit}");
        }
    }
    // Far from the balls, only their total mass matters.
    let far = run_example(
        folder.path(),
        "seven_balls",
        &["points={ list = { rows = [[9000.0, 4000.0, 900000.0]] } }", "fields=['g_d']"],
    );
    let balls = [
        (36137.0, 600.0),
        (36137.0, -450.0),
        (36000.0, 300.0),
        (36032.0, 400.0),
        (35880.0, -300.0),
        (35880.0, 500.0),
        (35880.0, -200.0),
    ];
    let mass: f64 = balls.iter().map(|(cells, density)| cells * density * 50.0_f64.powi(3)).sum();
    assert_close(column(&far, "g_d_mgal")[0], 1e5 * 6.6743e-11 * mass / 901_800.0_f64.powi(2), 1e-3);
}

#[test]
fn the_basin_example_has_low_gravity_over_the_basin_and_high_gravity_on_hills() {
    let folder = tempfile::tempdir().expect("a folder");
    let found = run_example(folder.path(), "basin", &["method.accuracy=1e-3", "points.draped.count=[25, 20]"]);
    let (x, y, down) = (column(&found, "x_m"), column(&found, "y_m"), column(&found, "g_d_mgal"));
    let nearest = |place: [f64; 2]| {
        let far = |point: &usize| (x[*point] - place[0]).hypot(y[*point] - place[1]);
        (0..x.len()).min_by(|a, b| far(a).total_cmp(&far(b))).expect("there are points")
    };
    assert!((-35.0..-15.0).contains(&down[nearest([16_000.0, 12_500.0])]), "above the basin");
    assert!((30.0..60.0).contains(&down[nearest([6_200.0, 4_100.0])]), "on the highest hill");
    // The trace of the tensor is zero outside masses.
    let trace = |point: usize| {
        ["ee", "nn", "dd"].iter().map(|name| column(&found, &format!("g_{name}_eotvos"))[point]).sum::<f64>()
    };
    assert!((0..x.len()).all(|point| trace(point).abs() < 0.6), "{:?}", (0..x.len()).map(trace).fold(0.0, f64::max));
}

#[test]
fn the_terrain_example_finds_the_sphere_below_the_summit() {
    let folder = tempfile::tempdir().expect("a folder");
    run_example(folder.path(), "terrain", &["output.pictures=false"]);
    let stations = std::fs::read_to_string(example("terrain").with_file_name("stations.csv")).expect("stations");
    let sphere = stations.lines().skip(1).map(|line| line.rsplit(',').next().and_then(|word| word.parse::<f64>().ok()));
    let reduced = std::fs::read_to_string(folder.path().join("results/reduction.csv")).expect("anomalies");
    let rows = reduced.lines().filter(|line| !line.starts_with('#')).skip(1);
    let complete = rows.map(|line| line.rsplit(',').next().and_then(|word| word.parse::<f64>().ok()));
    let pairs: Vec<(f64, f64)> =
        complete.zip(sphere).map(|(a, b)| (a.expect("a number"), b.expect("a number"))).collect();
    assert_eq!(pairs.len(), 142);
    // The spherical caps of the script are sums of 400 terms.
    let worst = pairs.iter().map(|(complete, sphere)| (complete - sphere).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-4, "{worst} mGal");
    assert!(pairs.iter().any(|(complete, _)| *complete < -6.0), "a station near the summit");
}

#[test]
fn the_magnetics_example_has_the_anomalies_of_both_bodies() {
    let folder = tempfile::tempdir().expect("a folder");
    let found = run_example(folder.path(), "magnetics", &["output.pictures=false"]);
    let (x, y, anomaly) = (column(&found, "x_m"), column(&found, "y_m"), column(&found, "tfa_nt"));
    let largest = |from: [f64; 2]| {
        let is_near = |point: &usize| (x[*point] - from[0]).hypot(y[*point] - from[1]) < 800.0;
        (0..x.len()).filter(is_near).map(|point| anomaly[point].abs()).fold(0.0, f64::max)
    };
    assert!(largest([1275.0, 0.0]) > 300.0, "the dyke: {} nT", largest([1275.0, 0.0]));
    assert!(largest([-1500.0, 800.0]) > 20.0, "the intrusion: {} nT", largest([-1500.0, 800.0]));
    assert!(largest([-4000.0, -3000.0]) < 50.0, "far from both: {} nT", largest([-4000.0, -3000.0]));
}

#[test]
fn the_root_of_the_mountains_example_nearly_compensates_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let above = |found: &Results| {
        let (longitude, latitude) = (column(found, "longitude_deg"), column(found, "latitude_deg"));
        let point = (0..longitude.len()).find(|&point| longitude[point] == 10.0 && latitude[point] == 47.0);
        column(found, "g_d_mgal")[point.expect("a point above the range")]
    };
    // Sums of point masses, with 2 x 2 of them for each column and two along its height.
    let both = run_example(folder.path(), "mountains", &["output.pictures=false"]);
    assert_close(above(&both), 138.512 - 117.172, 0.02);
    let range = "body=[{ layer = { coordinates = 'geographic', top = 'topography.asc', bottom = 0.0, density.constant = 2670.0 } }]";
    let range = run_example(folder.path(), "mountains", &[range, "output.pictures=false"]);
    assert_close(above(&range), 138.512, 0.002);
    // The same positions above an ellipsoid are at other distances, but bodies and points move alike.
    let geodetic = run_example(folder.path(), "mountains", &["ellipsoid='wgs84'", "output.pictures=false"]);
    let change = above(&geodetic) / above(&both) - 1.0;
    assert!((1e-5..0.02).contains(&change.abs()), "{change}");
    let vertical = column(&both, "g_dd_eotvos");
    assert!(vertical.iter().all(|value| value.abs() < 2.0), "{vertical:?}");
}
