//! Several recorded quantities: the file of each equals that of a survey of this quantity alone.

use craton::options::RunOptions;

use super::*;

/// Nodes just above the sea floor.
const NODES: &str = r#"
duration = 0.3
[domain]
x = [0.0, 600.0]
y = [0.0, 500.0]
depth = [0.0, 400.0]
[model.layered]
layers = [{ vp = 1500.0, rho = 1000.0 }, { top = 250.0, vp = 2000.0, rho = 2000.0 }]
[[acquisition.fixed.shot_line]]
from = [200.0, 200.0, 10.0]
to = [400.0, 300.0, 10.0]
count = 2
[[acquisition.fixed.receiver_line]]
from = [100.0, 260.0, 245.0]
to = [500.0, 240.0, 245.0]
count = 5
[boundaries]
absorbing = { cells = 8 }
[source]
time_function.ricker = { frequency = 10.0 }
[method.fd]
max_frequency = 15.0
order = 4
points_per_wavelength = 4
[output]
directory = "results"
sample_interval = 0.004
"#;

const ALL: &str = "receivers.quantities=['pressure', 'velocity_z', 'velocity_x', 'velocity_y']";

fn nodes(folder: &Path) {
    std::fs::write(folder.join("it.toml"), NODES).expect("written");
}

fn file(folder: &Path, name: &str) -> PathBuf {
    folder.join("results/gathers").join(name)
}

#[test]
fn several_quantities_equal_surveys_of_one_each() {
    let folder = tempfile::tempdir().expect("a folder");
    nodes(folder.path());
    let codes = [("pressure", 11, 1), ("velocity_z", 12, 6), ("velocity_x", 14, 6), ("velocity_y", 13, 6)];
    let alone = codes.map(|(name, ..)| computed(folder.path(), &[&format!("receivers.quantities=['{name}']")]));
    let report = surveyed(folder.path(), &options(folder.path(), &[ALL]));
    assert_eq!(report.gathers, folder.path().join("results/gathers"));
    for ((name, code, unit), alone) in codes.into_iter().zip(&alone) {
        assert!(report.files.iter().any(|file| *file == format!("shot_1_{name}.png")), "{:?}", report.files);
        let found = traces(&file(folder.path(), &format!("{name}.segy")));
        assert_eq!(found.len(), 10);
        for (found, alone) in found.iter().zip(alone) {
            assert!(found.samples == alone.samples && found.samples.iter().any(|&sample| sample != 0.0), "{name}");
            assert_eq!((found.header.trace_id, found.header.measurement_unit), (code, unit), "{name}");
            assert_eq!(alone.header.trace_id, 1);
            assert_eq!(found.header.field_record, alone.header.field_record);
            assert_eq!(found.header.receiver_y, alone.header.receiver_y);
        }
    }
    // In the other format, overwriting existing files.
    surveyed(folder.path(), &options(folder.path(), &[ALL, "output.format='su'"]));
    assert!(!file(folder.path(), "pressure.segy").exists());
    let mut reader = su::open(&file(folder.path(), "velocity_y.su")).expect("gathers");
    for (found, alone) in reader.iter().zip(&alone[3]) {
        let found = found.expect("a trace");
        assert!(found.samples == alone.samples && found.header.trace_id == 13);
    }
}

#[test]
fn a_gpu_records_the_same_quantities() {
    let folder = tempfile::tempdir().expect("a folder");
    nodes(folder.path());
    let names = ["pressure", "velocity_z", "velocity_x", "velocity_y"].map(|name| format!("{name}.segy"));
    let found = |options: &RunOptions| {
        surveyed(folder.path(), options);
        names.each_ref().map(|name| traces(&file(folder.path(), name)))
    };
    let options = options(folder.path(), &[ALL]);
    let Some(on_gpu) = on_gpu(options.clone()) else { return };
    for (found, expected) in found(&on_gpu).iter().zip(&found(&options)) {
        let expected: Vec<Vec<f64>> =
            expected.iter().map(|trace| trace.samples.iter().map(|&x| f64::from(x)).collect()).collect();
        let misfit = misfit(found, &expected);
        assert!(misfit < 1e-5, "relative L2 {misfit}");
    }
}

/// ρ ∂v/∂t = -∂p/∂x, with a difference of four hydrophones around the receiver.
#[test]
fn velocity_follows_from_the_pressure_gradient() {
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path(), &free().replace("order = 16", "order = 8"));
    // Hydrophones 5 and 15 m on either side of a receiver, and the receiver itself.
    let hydrophones = "channel,x,y,depth\n1,285,0,150\n2,295,0,150\n3,305,0,150\n4,315,0,150\n5,300,0,150\n";
    std::fs::write(folder.path().join("receivers.csv"), hydrophones).expect("written");
    let overrides = ["duration=0.45", "receivers.quantities=['pressure', 'velocity_x']"];
    surveyed(folder.path(), &options(folder.path(), &overrides));
    let pressure = traces(&file(folder.path(), "pressure.segy"));
    let velocity = traces(&file(folder.path(), "velocity_x.segy"));
    let (dt, rho, spacing) = (0.0005, 1000.0, 10.0);
    let slope = |sample: usize| {
        let p = |trace: usize| f64::from(pressure[trace].samples[sample]);
        (9.0 / 8.0 * (p(2) - p(1)) - 1.0 / 24.0 * (p(3) - p(0))) / spacing
    };
    let mut sum = 0.0;
    let expected: Vec<f64> = (0..velocity[4].samples.len())
        .map(|sample| {
            sum -= if sample == 0 { 0.0 } else { 0.5 * dt / rho * (slope(sample - 1) + slope(sample)) };
            sum
        })
        .collect();
    let misfit = misfit(&velocity[4..], &[expected]);
    assert!(misfit < 0.01, "relative L2 {misfit}");
}

#[test]
fn invalid_quantities_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    nodes(folder.path());
    let cases: [(&[&str], &str); 3] = [
        (&["receivers.quantities=['pressure', 'velocity_z', 'pressure']"], "receivers.quantities[2]"),
        (&["receivers.quantities=[]"], "receivers.quantities"),
        (&["receivers.quantity='pressure'"], "quantities"),
    ];
    for (overrides, word) in cases {
        let message = error_text(survey(&folder.path().join("it.toml"), &options(folder.path(), overrides)));
        assert!(message.contains(word), "{message}");
    }
}
