//! Results of finite differences are bit-identical for every partition; impossible partitions are reported.

use std::sync::Arc;

use craton_comm::{Ranks, thread_ranks};

use super::session::alone;
use super::solve;
use super::tests::{Case, assert_same_frames, assert_same_traces, bytes, bytes_in, gpu};
use crate::config::Method;
use crate::gridding::GridPlan;
use crate::snapshots::Needs;
use crate::time_axis::TimeAxis;

const BY_FD: &str = "method={ fd = { max_frequency = 8.0, points_per_wavelength = 5.0, absorbing.cpml.cells = 5, \
                     sponge = { sides = [\"x_min\"], cells = 4 } } }";

/// All kinds of sides, and a sponge; snapshots of everything.
fn case() -> Case {
    Case::new(&[BY_FD, "boundaries.y_max=free"])
}

#[test]
fn a_gpu_gives_the_traces_and_frames_of_the_cpu_and_continues_its_run() {
    let Some(gpu) = gpu() else { return };
    let case = case();
    let expected = case.run("cpu");
    for found in [case.run(gpu), case.run_over(&["cpu", gpu, "cpu"])] {
        assert_same_traces(&found, &expected, 1e-5);
        assert_same_frames(&found, &expected, 1e-5);
    }
}

#[test]
fn finite_differences_give_the_same_bytes_in_parts_and_after_interruptions() {
    let case = case();
    let expected = bytes(&case.run("cpu"));
    for found in [case.run("cpu*2"), case.run("cpu*3"), case.run_over(&["cpu*2", "cpu", "cpu"])] {
        assert!(bytes(&found) == expected, "{}", found.display());
    }
    let record = craton_run::RunRecord::read(&case.folder.path().join("cpu")).unwrap();
    assert!(record.figures["cells"].as_f64() > Some(1000.0) && record.figures.contains_key("cells_per_s"));
}

#[test]
fn ranks_and_devices_give_the_same_bytes() {
    let case = case();
    let expected = bytes(&case.run("cpu"));
    for (ranks, device) in [(2, "cpu"), (4, "cpu"), (2, "cpu*2")] {
        assert!(bytes(&case.run_on(ranks, device)) == expected, "{ranks} ranks, {device}");
    }
    if gpu() == Some("emulated") {
        let expected = bytes(&case.run("emulated"));
        assert!(bytes(&case.run("emulated*2")) == expected);
        assert!(bytes(&case.run_on(2, "emulated*2")) == expected);
    }
}

#[test]
fn the_estimate_of_frames_matches_their_size() {
    let case = case();
    let results = case.run("cpu");
    let setup = case.session("cpu", &case.folder.path().join("none"), &alone()).setup;
    let Method::Fd(fd) = &setup.method else { panic!("finite differences") };
    let plan = GridPlan::new(&setup, fd);
    let needs = Needs::of_cells(&setup, fd, &plan, 4);
    let record = craton_run::RunRecord::read(&results).unwrap();
    let dt = record.figures["dt_s"].as_f64().unwrap();
    let steps = record.figures["steps"].as_u64().unwrap();
    let axis = TimeAxis {
        start: setup.start,
        lead: 0,
        end: setup.end,
        dt,
        steps,
        guard: 0,
        corrected: true,
        fourth_order: false,
    };
    let folders = ["snapshots/surface", "snapshots/slice_x_10", "snapshots/volume"];
    let found: u64 = bytes_in(&results, &folders).iter().map(|(_, contents)| contents.len() as u64).sum();
    let estimate = needs.disk(&axis);
    assert!((found / 2..2 * found).contains(&estimate), "{estimate} estimated, {found} bytes in files");
    // Three sums per cell of the volume, of the planes next to a slice, and of the planes near the ground.
    let cells = plan.cells() as u64;
    assert!(needs.saved() > 12 * cells && needs.saved() < 48 * cells, "{} of {cells} cells", needs.saved());
    assert!(needs.device() > needs.saved() && needs.memory() > needs.device());
}

#[test]
fn the_end_of_a_layer_without_cells_is_in_the_layer() {
    let bare = "method={ fd = { max_frequency = 8.0, points_per_wavelength = 5.0, absorbing.cpml.cells = 0 } }";
    for (method, at_sides) in [(bare, true), (BY_FD, false)] {
        let case = Case::new(&[method, "output.snapshots={}"]);
        let setup = case.session("cpu", &case.folder.path().join("none"), &alone()).setup;
        let Method::Fd(fd) = &setup.method else { panic!("{method} is finite differences") };
        let plan = GridPlan::new(&setup, fd);
        let found = [-400.0, 400.0].map(|x| plan.is_in_layer([x, 0.0, -100.0]));
        assert_eq!(found, [at_sides; 2], "{method}");
        assert!(!plan.is_in_layer([399.0, 0.0, -100.0]) && !plan.is_in_layer([-399.0, 0.0, 0.0]), "{method}");
        // Beyond the absorbing layers of the box, or at their outer edge.
        assert!(at_sides || plan.is_in_layer([401.0, 0.0, -100.0]), "{method}");
    }
}

#[test]
fn more_parts_than_cells_are_rejected_on_all_ranks() {
    let case = case();
    std::thread::scope(|scope| {
        for rank in thread_ranks(2) {
            let ranks: Arc<dyn Ranks> = Arc::new(rank);
            let case = &case;
            scope.spawn(move || {
                let results = case.folder.path().join("ranks");
                let error = solve(case.session("cpu*1009", &results, &ranks), &mut ()).unwrap_err();
                assert!(error.to_string().contains("use fewer parts"), "{error}");
                assert!(error.is_known_to_all_ranks() && error.exit_code() == crate::exit_code::BAD_INPUT, "{error}");
                assert!(!results.exists());
            });
        }
    });
}
