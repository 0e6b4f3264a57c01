//! Values of windows of files, compared with interpolation in the whole file.

use std::path::Path;

use tempfile::TempDir;

use super::*;
use crate::written::Scenario;

/// A scenario next to the files; only its folder is used.
const SCENARIO: &str = r#"duration = 1.0
[domain]
x = [0.0, 4000.0]
y = [0.0, 4000.0]
z = [-4000.0, 0.0]
[model.layered]
layers = [{ vp = 4000.0, vs = 2000.0, rho = 2600.0 }]
[[source]]
position = [2000.0, 2000.0, -2000.0]
moment_tensor = { xy = 1.0e18 }
time_function.gaussian = { sigma = 0.1 }
[receivers]
stations = [{ code = "XX.A", position = [2000.0, 2000.0, 0.0] }]
[method.sem]
max_frequency = 5.0
[output]
directory = "results"
"#;

/// Numbers of points along the axes of the file.
const SHAPE: [usize; 3] = [7, 6, 5];

/// Limits along x, y and z: at points, between points, beyond the file on one side, beyond it on both, and none.
const LIMITS: [[Option<[f64; 2]>; 3]; 5] = [
    [Some([200.0, 400.0]), Some([100.0, 300.0]), Some([-300.0, -100.0])],
    [Some([130.0, 270.0]), Some([210.0, 230.0]), Some([-333.0, -111.0])],
    [Some([-500.0, 120.0]), Some([350.0, 9000.0]), Some([-4000.0, -250.0])],
    [Some([900.0, 1000.0]), Some([-20.0, -10.0]), Some([-4000.0, 100.0])],
    [None, Some([150.0, 160.0]), None],
];

fn value(point: usize) -> f32 {
    ((point * 7919) % 1009) as f32 + 0.3
}

fn folder() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let count: usize = SHAPE.iter().product();
    let bytes: Vec<u8> = (0..count).flat_map(|point| value(point).to_le_bytes()).collect();
    std::fs::write(folder.path().join("a.raw"), bytes).expect("a file of the test");
    folder
}

fn read(folder: &Path, keys: &str, within: [Option<[f64; 2]>; 3]) -> Checked<Sampled> {
    let scenario = Scenario::parse("it.toml", SCENARIO, folder.to_owned(), &[]).expect("a good scenario");
    let file: VolumeFile = toml::from_str(keys).expect("a good file");
    Sampled::read(&file, &scenario, within, 0.0..=2000.0, &KeyPath::default())
}

fn keys(axes: [&str; 3]) -> String {
    format!(
        "file = \"a.raw\"\naxes = {axes:?}\nshape = {SHAPE:?}\nspacing = [100, 100, 100]\norigin = [0, 0, 0]\nfactor = 1.1\n"
    )
}

/// Interpolation among all values, of which only those in the ranges of points are used.
fn interpolated(whole: &Sampled, kept: &[Range<usize>; 3], position: [f64; 3]) -> f64 {
    let mut around = [(0, 0, 0.0); 3];
    for axis in 0..3 {
        let (first, spacing, _) = whole.axes[axis];
        let Range { start, end } = kept[axis].clone();
        let along = ((position[axis] - first) / spacing).clamp(start as f64, (end - 1) as f64);
        let lower = (along as usize).min(end.saturating_sub(2).max(start));
        let step = if end - start > 1 { whole.strides[axis] } else { 0 };
        around[axis] = (lower * whole.strides[axis], step, along - lower as f64);
    }
    let mut sum = 0.0;
    for number in 0..8 {
        let is_upper = |axis: usize| number >> axis & 1 == 1;
        let at: usize = (0..3).map(|axis| around[axis].0 + if is_upper(axis) { around[axis].1 } else { 0 }).sum();
        let part = |axis: usize| if is_upper(axis) { around[axis].2 } else { 1.0 - around[axis].2 };
        let weight = (0..3).fold(1.0, |weight, axis| weight * part(axis));
        if weight > 0.0 {
            sum += weight * f64::from(whole.values[at]);
        }
    }
    sum
}

#[test]
fn a_window_gives_the_values_of_the_whole_file() {
    let folder = folder();
    for axes in [["x", "y", "z"], ["depth", "x", "y"], ["y", "depth", "x"], ["z", "y", "x"]] {
        let whole = read(folder.path(), &keys(axes), [None; 3]).expect("a good file");
        for within in LIMITS {
            let part = read(folder.path(), &keys(axes), within).expect("a good file");
            let kept = [0, 1, 2].map(|axis| counting(whole.axes[axis], within[axis]));
            assert_eq!((part.axes, part.kept.clone()), (whole.axes, kept.clone()));
            assert_eq!(part.values.len(), kept.iter().map(Range::len).product::<usize>());
            for number in 0..2000_usize {
                // Inside and around the file.
                let position = [4001, 3121, 1777].map(|prime| (number * prime % 1601) as f64 * 0.75 - 300.0);
                let position = [position[0], position[1], -position[2]];
                let wanted = interpolated(&whole, &kept, position);
                assert_eq!(part.at(position).to_bits(), wanted.to_bits(), "{axes:?} {within:?} {position:?}");
            }
        }
    }
}

#[test]
fn the_points_of_a_window_ascend() {
    let folder = folder();
    let [x, y, z] = LIMITS[1];
    let part = read(folder.path(), &keys(["depth", "x", "y"]), [x, y, z]).expect("a good file");
    let (axes, values) = part.points();
    assert_eq!(axes, [(100.0, 100.0, 3), (200.0, 100.0, 2), (-400.0, 100.0, 4)]);
    for (number, found) in values.into_iter().enumerate() {
        let [i, j, k] = [1 + number % 3, 2 + number / 3 % 2, 4 - number / 6];
        let wanted = value((j * SHAPE[1] + i) * SHAPE[0] + k);
        assert_eq!(found, (f64::from(wanted) * 1.1) as f32, "{i} {j} {k}");
    }
    assert_eq!(part.ends(0), Some([-50.0, 550.0]), "the limits are those of the file");
}

#[test]
fn only_values_of_the_window_are_checked_and_reported_with_their_position() {
    let folder = folder();
    let path = folder.path().join("a.raw");
    let mut bytes = std::fs::read(&path).expect("a file of the test");
    // x = 300, y = 400 and depth 200 m.
    let place = 4 * ((4 * SHAPE[1] + 3) * SHAPE[0] + 2);
    bytes[place..place + 4].copy_from_slice(&5000_f32.to_le_bytes());
    std::fs::write(&path, bytes).expect("a file of the test");
    let read = |y| read(folder.path(), &keys(["depth", "x", "y"]), [Some([210.0, 500.0]), Some(y), None]);
    let problem = read([250.0, 310.0]).expect_err("a value beyond the range");
    assert!(problem.message.contains("has the value 5500 at x = 300, y = 400, z = -200 m"), "{problem:?}");
    read([150.0, 300.0]).expect("good values within the limits");
}
