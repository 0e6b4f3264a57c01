//! Positions of the slowest wave in volumes.

use crate::config::{Method, VolumeAxis};
use crate::extremes::slowest_wave;
use crate::gridding::GridPlan;
use crate::inputs::{Given, Inputs};
use crate::setup::Setup;
use crate::written::Scenario;

/// First coordinate, spacing and number of the points of the volume along x, y and z.
const AXES: [(f64, f64, usize); 3] = [(-1000.0, 100.0, 21), (-1000.0, 200.0, 11), (-1000.0, 250.0, 5)];

/// A volume of which vs increases with the depth, except at one point.
///
/// # Arguments
/// * `slow` – numbers of this point along x, y and z
/// * `method` – the table of the method
fn setup(slow: [usize; 3], method: &str) -> Setup {
    let text = format!(
        r#"
duration = 0.1
[domain]
x = [-1000.0, 1000.0]
y = [-1000.0, 1000.0]
z = [-1000.0, 0.0]
[model.volume]
vp = {{ file = "vp" }}
vs = {{ file = "vs" }}
[[source]]
position = [0.0, 0.0, -500.0]
moment_tensor = {{ xx = 1.0e14, yy = 1.0e14, zz = 1.0e14 }}
time_function.gaussian = {{ sigma = 0.1, centre = 0.5 }}
[receivers]
stations = [{{ code = "XX.A", position = [310.0, -220.0, 0.0] }}]
[method.{method}]
max_frequency = 1.0
[output]
directory = "results"
"#
    );
    let [nx, ny, nz] = AXES.map(|(_, _, count)| count);
    let numbers = |point: usize| [point % nx, point / nx % ny, point / (nx * ny)];
    let vs = |point: usize| match numbers(point) {
        place if place == slow => 600.0,
        [_, _, k] => 2000.0 - 100.0 * k as f32,
    };
    let axes: Vec<_> = [VolumeAxis::X, VolumeAxis::Y, VolumeAxis::Z]
        .into_iter()
        .zip(AXES)
        .map(|(name, (first, spacing, count))| (name, first, spacing, count))
        .collect();
    let given = |values: Vec<f32>| Given::volume(&axes, values).unwrap();
    let points = nx * ny * nz;
    let inputs = Inputs::new().with("vp", given(vec![4000.0; points])).with("vs", given((0..points).map(vs).collect()));
    Setup::new(&Scenario::from_toml(&text, ".", inputs).unwrap()).unwrap()
}

#[test]
fn the_slowest_wave_of_a_volume_is_at_its_point() {
    // Inside the box, on sides, and in the deepest plane.
    for slow in [[3, 9, 2], [16, 1, 1], [0, 5, 4], [20, 10, 3], [11, 7, 0]] {
        let place: [f64; 3] = std::array::from_fn(|axis| {
            let (first, spacing, _) = AXES[axis];
            first + slow[axis] as f64 * spacing
        });
        let near = |found: [f64; 3]| found.iter().zip(place).all(|(found, place)| (found - place).abs() < 1e-6);
        for method in ["fd", "sem"] {
            let setup = setup(slow, method);
            let (speed, found) = slowest_wave(&setup);
            assert!(speed == 600.0 && near(found), "[method.{method}]: {speed} m/s at {found:?} instead of {place:?}");
            if let Method::Fd(fd) = &setup.method {
                let centre = GridPlan::new(&setup, fd).resolution(&setup, fd).centre;
                assert!(near(centre), "{centre:?} instead of {place:?}");
            }
        }
    }
}
