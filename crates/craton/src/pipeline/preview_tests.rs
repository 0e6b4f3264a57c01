//! Previews of large grids and meshes describe the run.

use std::path::Path;

use super::*;
use crate::config::DeviceNames;

/// Descriptions of a run: by its preview, and by the run.
fn both(example: &str, changes: &[&str]) -> [Preflight; 2] {
    let file = format!("{}/../../{example}", env!("CARGO_MANIFEST_DIR"));
    let changes: Vec<String> = changes.iter().map(|&change| change.to_owned()).collect();
    let computing = Computing { device: Some(DeviceNames::One("cpu".to_owned())), ..Computing::default() };
    [true, false].map(|is_preview| {
        let scenario = Scenario::read(Path::new(&file), &changes).unwrap();
        let session = Session::of(scenario, &computing, &alone()).unwrap();
        let session = if is_preview { session.for_preview() } else { session };
        Prepared::of(session).unwrap().preflight().clone()
    })
}

/// Refuses differences of more than a part of a value.
fn near(preview: f64, run: f64, part: f64) {
    assert!((preview / run - 1.0).abs() <= part, "{preview} of {run}");
}

const LAYERS: &str = "model={ layered = { layers = [{ vp = 4000, vs = 2000, rho = 2600 }, { top = -1013, vp = 6000, vs = 3464, rho = 2700 }] } }";

#[test]
fn a_preview_of_a_large_grid_has_the_time_step_of_the_run() {
    let fine = ["method={ fd = { max_frequency = 10.0, grid_spacing = 32.0 } }", LAYERS];
    let [preview, run] = both("examples/loh1/loh1.toml", &fine);
    assert!(!preview.estimated.is_empty() && run.estimated.is_empty());
    assert_eq!(Preflight { estimated: Vec::new(), ..preview }, run);
}

#[test]
fn a_preview_of_a_grid_with_topography_samples_it() {
    let fine = ["method={ fd = { max_frequency = 2.0, grid_spacing = 45.0 } }"];
    let [preview, run] = both("examples/valley/valley.toml", &fine);
    assert_eq!((preview.estimated.len(), &preview.extent, &preview.warnings), (2, &run.extent, &run.warnings));
    near(preview.time_step.dt, run.time_step.dt, 0.02);
    near(preview.memory.0 as f64, run.memory.0 as f64, 0.02);
}

#[test]
fn a_preview_of_a_large_box_has_the_time_step_of_the_run() {
    let [preview, run] = both("examples/loh1/loh1.toml", &["method.sem.max_frequency=9.0", LAYERS]);
    let Extent::Mesh { elements, .. } = run.extent else { unreachable!("a mesh") };
    assert!(elements > 20_000, "{elements}");
    let Extent::Mesh { elements: counted, nodes: estimated, .. } = preview.extent else { unreachable!("a mesh") };
    let Extent::Mesh { nodes, .. } = run.extent else { unreachable!("a mesh") };
    assert_eq!((counted, preview.time_step.steps, &preview.warnings), (elements, run.time_step.steps, &run.warnings));
    near(preview.time_step.dt, run.time_step.dt, 1e-4);
    near(preview.resolution.points_per_wavelength, run.resolution.points_per_wavelength, 1e-9);
    near(estimated as f64, nodes as f64, 0.01);
    near(preview.memory.0 as f64, run.memory.0 as f64, 0.05);
}

#[test]
fn a_preview_of_the_globe_samples_its_mesh() {
    let [preview, run] = both("examples/globe/globe.toml", &["method.sem.max_frequency=0.008", "output.snapshots={}"]);
    assert_eq!(preview.estimated.len(), 2);
    near(preview.time_step.dt, run.time_step.dt, 0.02);
    near(preview.memory.0 as f64, run.memory.0 as f64, 0.05);
    near(preview.disk.0 as f64, run.disk.0 as f64, 0.1);
    near(preview.resolution.points_per_wavelength, run.resolution.points_per_wavelength, 0.1);
}
