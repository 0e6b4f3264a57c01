//! What a user is told of a problem that can be solved, or cannot: points in the ground, prisms that overlap, files that do not fit.

use craton::LookAhead;
use craton::gravity::check_gravity;
use craton::options::CheckOptions;

use super::refusal;

const OUTPUT: &str = "[output]\ndirectory = 'results'\n";

fn looked_at(problem: &str, files: &[(&str, &str)]) -> LookAhead {
    let folder = tempfile::tempdir().expect("a folder");
    files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).expect("written"));
    let file = folder.path().join("it.toml");
    std::fs::write(&file, format!("{problem}\n{OUTPUT}")).expect("written");
    check_gravity(&file, &CheckOptions::default()).unwrap_or_else(|error| panic!("{error:?}"))
}

#[test]
fn points_below_the_topography_are_counted_and_the_first_is_named() {
    let ground = "ncols 3\nnrows 3\nxllcenter 0\nyllcenter 0\ncellsize 100\n50 50 50\n50 80 50\n50 50 50\n";
    let problem = |heights: [f64; 3]| {
        let rows = heights.map(|z| format!("[100.0, 100.0, {z:?}]")).join(", ");
        format!(
            "body = [{{ layer = {{ top = 'ground.asc', bottom = 0.0, density.constant = 2670.0 }} }}]\npoints.list.rows = [{rows}]"
        )
    };
    let told = looked_at(&problem([81.0, 79.0, 10.0]), &[("ground.asc", ground)]).warnings;
    let expected = "2 points lie inside a layer, below its top: the first is point 1 at x = 100, y = 100, z = 79 m";
    assert!(told.iter().any(|warning| warning == expected), "{told:?}");
    let told = looked_at(&problem([81.0, 82.0, 83.0]), &[("ground.asc", ground)]).warnings;
    assert!(!told.iter().any(|warning| warning.contains("inside a layer")), "{told:?}");
}

#[test]
fn prisms_that_overlap_are_named_where_that_is_asked_for() {
    let block = |west: f64| {
        format!("block = {{ x = [{west:?}, {:?}], y = [0.0, 9.0], z = [-9.0, 0.0], density = 100.0 }}", west + 10.0)
    };
    let problem = |second: f64, asked: bool| {
        let bodies = [0.0, second].map(|west| format!("{{ {} }}", block(west))).join(", ");
        format!("body = [{bodies}]\npoints.list.rows = [[0.0, 0.0, 9.0]]\nmethod.find_overlaps = {asked}")
    };
    let named =
        |ahead: &LookAhead| ahead.warnings.iter().any(|warning| warning.contains("through all bodies: 0 and 1; "));
    assert!(named(&looked_at(&problem(5.0, true), &[])));
    assert!(!named(&looked_at(&problem(5.0, false), &[])));
    let apart = looked_at(&problem(10.0, true), &[]);
    assert!(apart.warnings.is_empty() && apart.lines.iter().any(|(_, line)| line == "no prisms overlap"), "{apart:?}");
}

#[test]
fn a_model_of_another_mesh_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("written");
    file("cells.msh", "2 2 1\n0 0 0\n2*100\n2*100\n1*100\n");
    let ubc = "body = [{ ubc = { mesh = 'cells.msh', model = 'cells.den' } }]\npoints.list.rows = [[0.0, 0.0, 9.0]]";
    file("it.toml", &format!("{ubc}\n{OUTPUT}"));
    for (densities, words) in
        [("0.1\n0.2\n0.3\n", "the mesh has 2 x 2 x 1 = 4 cells"), ("0.1\n0.2\nnan\n0.3\n", "cells.den:3")]
    {
        file("cells.den", densities);
        let told = refusal(&folder.path().join("it.toml"));
        assert!(told.contains("it.toml:1:") && told.contains("body[0].ubc.model") && told.contains(words), "{told}");
    }
}
