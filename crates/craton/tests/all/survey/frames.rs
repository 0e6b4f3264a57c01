//! Snapshots of shots match the receivers, do not change traces, and are counted by the check.

use craton::options::CheckOptions;
use craton::survey::check_survey;
use craton_formats::vtk::{read_f32, read_pvd};

use super::*;

const LABEL: &str = "pressure [Pa]";

/// Shots in a plane with cell centres at 5 m, 15 m and so on; receivers are at cell centres.
const PLANE: &str = r#"
title = "Two layers"
duration = 0.4
[domain]
x = [0.0, 900.0]
depth = [0.0, 500.0]
[model.layered]
layers = [{ vp = 1500.0, rho = 1000.0 }, { top = 300.0, vp = 2000.0, rho = 2000.0 }]
[acquisition.fixed]
shot_line = [{ from = [200.0, 0.0, 10.0], to = [700.0, 0.0, 10.0], count = 3 }]
receiver_line = [{ from = [155.0, 0.0, 105.0], to = [745.0, 0.0, 105.0], count = 60 }]
[source]
time_function.ricker = { frequency = 15.0 }
[method.fd]
max_frequency = 30.0
grid_spacing = 10.0
time_step = 0.0005
[output]
directory = "results"
sample_interval = 0.002
snapshots = { shots = [1, 3], times = [0.2, 0.3] }
"#;

fn frame(folder: &Path, name: &str, number: usize) -> Vec<f32> {
    let file = folder.join(format!("results/snapshots/{name}/frame_{number:06}.vti"));
    read_f32(&file, LABEL).expect("a frame")
}

#[test]
fn frames_match_receivers() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("it.toml"), PLANE).expect("written");
    let report = surveyed(folder.path(), &options(folder.path(), &[]));
    let listed = |file: &&String| file.starts_with("snapshots/");
    let expected = ["snapshots/shot_1.pvd (2 frames, with pictures)", "snapshots/shot_3.pvd (2 frames, with pictures)"];
    assert!(report.files.iter().filter(listed).eq(expected.iter()), "{:?}", report.files);
    let found = traces(&report.gathers);
    for (shot, first) in [(1, 0), (3, 120)] {
        let folder = folder.path().join("results/snapshots");
        let times: Vec<f64> =
            read_pvd(&folder.join(format!("shot_{shot}.pvd"))).expect("a list").iter().map(|step| step.time).collect();
        assert_eq!(times, [0.2, 0.3]);
        assert!(folder.join(format!("shot_{shot}/pressure_0002.png")).exists());
        for (number, sample) in [(1, 100), (2, 150)] {
            let values =
                frame(folder.parent().and_then(Path::parent).expect("a folder"), &format!("shot_{shot}"), number);
            assert_eq!(values.len(), 90 * 50);
            // The row of the receivers, counted from the bottom. Traces are corrected for time dispersion, frames are not.
            let row = &values[90 * 39 + 15..90 * 39 + 75];
            let (mut difference, mut size) = (0.0, 0.0);
            for (trace, &value) in found[first..first + 60].iter().zip(row) {
                difference += f64::from(trace.samples[sample] - value).powi(2);
                size += f64::from(trace.samples[sample]).powi(2);
            }
            let misfit = (difference / size).sqrt();
            assert!(misfit < 0.02, "shot {shot}, frame {number}: {misfit}");
        }
    }
    // The gathers equal those of a survey without snapshots.
    let plain = PLANE.replace("snapshots = ", "# ");
    std::fs::write(folder.path().join("it.toml"), plain).expect("written");
    let without = computed(folder.path(), &[]);
    assert!(found.iter().zip(&without).all(|(a, b)| a.samples == b.samples), "frames change the traces");
    assert!(!folder.path().join("results/snapshots").exists(), "frames of the previous survey remain");
}

#[test]
fn a_survey_with_snapshots_may_have_all_receivers_on_the_free_surface() {
    let folder = tempfile::tempdir().expect("a folder");
    let on_top = PLANE.replace("105.0]", "0.0]");
    let check = |text: &str| {
        std::fs::write(folder.path().join("it.toml"), text).expect("written");
        let overrides = vec!["boundaries.top='free'".to_owned()];
        check_survey(&folder.path().join("it.toml"), &CheckOptions { overrides, ..CheckOptions::default() })
    };
    let report = check(&on_top).unwrap_or_else(|error| panic!("{error:?}")).to_string();
    assert!(report.contains("180 receivers on the free surface"), "{report}");
    check(&on_top.replace("snapshots = ", "# ")).expect_err("all receivers record zero");
}

#[test]
fn gpu_frames_match_cpu_frames() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("it.toml"), PLANE).expect("written");
    let frames = |options: &RunOptions| {
        surveyed(folder.path(), options);
        [("shot_1", 1), ("shot_1", 2), ("shot_3", 1), ("shot_3", 2)]
            .map(|(name, number)| frame(folder.path(), name, number))
    };
    let short =
        ["duration=0.16", "method.fd.time_step=0.001", "output.snapshots={ shots = [1, 3], times = [0.1, 0.15] }"];
    let options = options(folder.path(), &short);
    let Some(on_gpu) = on_gpu(options.clone()) else { return };
    for (found, expected) in frames(&on_gpu).iter().zip(&frames(&options)) {
        let square = |values: &[f32]| values.iter().map(|&x| f64::from(x).powi(2)).sum::<f64>();
        let difference: Vec<f32> = found.iter().zip(expected).map(|(a, b)| a - b).collect();
        assert!(square(&difference) < 1e-10 * square(expected), "the frame of the GPU differs");
    }
}

/// A box with cells of 20 m, and slices at cell centres, between them, and outside the cells of the shot.
const SPACE: &str = r#"
duration = 0.25
[domain]
x = [0.0, 600.0]
y = [0.0, 400.0]
depth = [0.0, 400.0]
[boundaries]
top = "absorbing"
[model.layered]
layers = [{ vp = 2000.0, rho = 1000.0 }]
[acquisition.fixed]
shot_line = [{ from = [300.0, 190.0, 190.0], to = [300.0, 190.0, 190.0], count = 1 }]
receiver_line = [{ from = [250.0, 190.0, 110.0], to = [350.0, 190.0, 110.0], count = 2 }]
[source]
time_function.ricker = { frequency = 12.0 }
[method.fd]
max_frequency = 20.0
grid_spacing = 20.0
[output]
directory = "results"
sample_interval = 0.002
[output.snapshots]
shots = [1]
times = [0.2]
slices = [{ y = 190.0 }, { y = 170.0 }, { y = 180.0 }, { depth = 190.0 }, { x = 310.0 }, { x = 590.0 }]
"#;

#[test]
fn slices_are_planes_of_one_field() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("it.toml"), SPACE).expect("written");
    // Cells 5 to 23 along x, and all along y.
    let report = surveyed(folder.path(), &options(folder.path(), &["method.fd.aperture=160"]));
    let own: Vec<&String> = report.files.iter().filter(|file| file.starts_with("snapshots/")).collect();
    assert_eq!(own.len(), 5, "{own:?}");
    let field = |name: &str| frame(folder.path(), name, 1);
    let along_x = |name: &str| field(name).len() / 20;
    let nx = along_x("shot_1_y_190");
    assert_eq!(field("shot_1_depth_190").len() % nx, 0);
    let [middle, other, between] = ["190", "170", "180"].map(|y| field(&format!("shot_1_y_{y}")));
    assert!(middle.iter().any(|&p| p.abs() > 1e-6));
    for ((a, b), c) in middle.iter().zip(&other).zip(&between) {
        assert!((0.5 * (a + b) - c).abs() <= 1e-6 * (a.abs() + b.abs()), "{a} {b} {c}");
    }
    // Planes have the same values where they intersect: the rows at a depth of 190 m and at y = 190 m.
    let level = field("shot_1_depth_190");
    let ny = level.len() / nx;
    let row = middle.chunks(nx).nth(10).expect("a row");
    assert!(level.chunks(nx).any(|other| other == row), "{ny} rows of {nx}");
    let warned = surveyed(
        folder.path(),
        &options(folder.path(), &["method.fd.aperture=160", "output.snapshots.slices=[{ x = 590.0 }]"]),
    );
    assert!(warned.files.iter().all(|file| !file.starts_with("snapshots/")));
}

#[test]
fn a_check_counts_frames_and_refuses_invalid_ones() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("it.toml");
    std::fs::write(&file, PLANE).expect("written");
    let ahead = check_survey(&file, &CheckOptions::default()).expect("a survey").to_string();
    assert!(ahead.contains("4 frames and as many pictures"), "{ahead}");
    let cases = [
        (PLANE, "output.snapshots.shots=[1, 4]", "output.snapshots.shots[1]"),
        (PLANE, "output.snapshots.times=[0.2, 0.5]", "output.snapshots.times[1]"),
        (PLANE, "output.snapshots.times=[0.0]", "output.snapshots.times[0]"),
        (PLANE, "output.snapshots.times=[]", "output.snapshots.times"),
        (PLANE, "output.snapshots.slices=[{ depth = 100.0 }]", "output.snapshots.slices"),
        (SPACE, "output.snapshots.slices=[]", "output.snapshots.slices"),
        (SPACE, "output.snapshots.slices=[{ depth = 401.0 }]", "output.snapshots.slices[0].depth"),
        (SPACE, "output.snapshots.slices=[{ x = 1.0, y = 2.0 }]", "output.snapshots.slices[0]"),
        (SPACE, "output.snapshots.slices=[{ x = 1.0 }, { x = 1.0 }]", "output.snapshots.slices[1]"),
    ];
    for (text, change, word) in cases {
        std::fs::write(&file, text).expect("written");
        let message = error_text(survey(&file, &options(folder.path(), &[change])));
        assert!(message.contains(word), "{change}: {message}");
        assert!(!folder.path().join("results").exists(), "{change}");
    }
}
