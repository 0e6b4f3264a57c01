//! A run by finite differences gives the same bytes however it is cut.

use std::path::PathBuf;

use super::tests::{Case, bytes_in};

#[test]
fn finite_differences_give_the_same_bytes_in_parts_and_after_stops() {
    let by_fd = "method={ fd = { max_frequency = 8.0, points_per_wavelength = 5.0, sponge = { sides = [\"x_min\"], cells = 4 } } }";
    let case = Case::new(&[by_fd, "output.snapshots={}", "boundaries.y_max=free"]);
    let seismograms = |results: PathBuf| bytes_in(&results, &["seismograms"]);
    let expected = seismograms(case.run("cpu"));
    assert!(expected.len() > 40, "{}", expected.len());
    for found in [case.run("cpu*2"), case.run("cpu*3"), case.run_over(&["cpu*2", "cpu", "cpu"])] {
        assert!(seismograms(found.clone()) == expected, "{}", found.display());
    }
    let record = craton_run::RunRecord::read(&case.folder.path().join("cpu")).unwrap();
    assert!(record.figures["cells"].as_f64() > Some(1000.0) && record.figures.contains_key("cells_per_s"));
}
