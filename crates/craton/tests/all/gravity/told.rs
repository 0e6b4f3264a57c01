//! What a user is told of a problem that can be solved, or cannot: points in the ground, prisms that overlap, files that do not fit.

use craton::LookAhead;
use craton::gravity::{check_gravity, is_gravity};
use craton::options::CheckOptions;

use super::{column, refusal, results, run};

const OUTPUT: &str = "[output]\ndirectory = 'results'\n";

pub(super) fn looked_at(problem: &str, files: &[(&str, &str)]) -> LookAhead {
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
    let expected = "2 points inside a layer: the first is point 1 at x = 100, y = 100, z = 79 m";
    assert!(told.iter().any(|warning| warning == expected), "{told:?}");
    let told = looked_at(&problem([81.0, 82.0, 83.0]), &[("ground.asc", ground)]).warnings;
    assert!(!told.iter().any(|warning| warning.contains("inside a layer")), "{told:?}");
}

#[test]
fn points_in_the_sea_are_in_no_layer_and_those_in_steps_of_the_ground_are_told_why() {
    let sea = "0 0 -50\n100 0 -60\n0 100 -70\n100 100 -80\n";
    let problem = "body = [{ layer = { top = 'sea.xyz', bottom = 0.0, density.constant = 2670.0, inverted_density = -1640.0 } }]\n\
        points.list.rows = [[0.0, 0.0, -1.0]]";
    let told = looked_at(problem, &[("sea.xyz", sea)]).warnings;
    assert!(!told.iter().any(|warning| warning.contains("inside a layer")), "{told:?}");
    let ramp = "0 0 0\n100 0 100\n0 100 0\n100 100 100\n";
    let problem = "body = [{ layer = { top = 'ramp.xyz', bottom = -10.0, density.constant = 2670.0 } }]\n\
        points.draped = { surface = 'ramp.xyz', above = 1.0, count = [21, 2] }";
    let told = looked_at(problem, &[("ramp.xyz", ramp)]).warnings;
    let is_told = |words: &str| told.iter().any(|warning| warning.contains(words));
    assert!(
        is_told("points inside a layer")
            && is_told(
                ". Columns have flat tops as wide as the grid spacing: use a finer grid, or points higher above it"
            ),
        "{told:?}"
    );
}

#[test]
fn points_in_the_ground_of_a_scenario_are_told_but_for_its_sensors_and_boreholes() {
    let scenario = include_str!("../../../../../examples/two_layers/two_layers.toml");
    let told = |points: &str| {
        let problem = format!("body = [{{ scenario = {{ file = 'waves.toml', cell = 2000.0 }} }}]\n{points}");
        let warnings = looked_at(&problem, &[("waves.toml", scenario)]).warnings;
        warnings.into_iter().find(|warning| warning.contains("below the surface of a scenario"))
    };
    let told_of_two =
        told("points.list.rows = [[9000.0, 9000.0, 1.0], [9000.0, 9000.0, -5.0], [9000.0, 9000.0, -7.0]]");
    assert!(
        told_of_two.as_ref().is_some_and(|told| told.starts_with("2 points") && told.contains("point 1 ")),
        "{told_of_two:?}"
    );
    assert_eq!(told("points.line = { from = [9000.0, 9000.0, 0.0], to = [9000.0, 9000.0, -90.0], count = 5 }"), None);
    assert_eq!(told("points.receivers.file = 'waves.toml'"), None);
}

#[test]
fn points_in_cells_of_a_mesh_are_told_but_for_those_of_a_borehole() {
    // The upper western cell is air.
    let files = [("cells.msh", "2 1 2\n0 0 0\n2*100\n1*100\n2*50\n"), ("cells.den", "-100\n0.1\n0.2\n0.3\n")];
    let told = |points: &str| {
        let problem = format!("body = [{{ ubc = {{ mesh = 'cells.msh', model = 'cells.den' }} }}]\n{points}");
        let warnings = looked_at(&problem, &files).warnings;
        warnings.into_iter().find(|warning| warning.contains("inside cells"))
    };
    let rows = "points.list.rows = [[50.0, 50.0, -10.0], [50.0, 50.0, -60.0], [150.0, 50.0, 0.0], [150.0, 50.0, -1.0], [250.0, 50.0, -1.0]]";
    let told_of_two = "2 points inside cells of a mesh: the first is point 1 at x = 50, y = 50, z = -60 m";
    assert_eq!(told(rows).as_deref(), Some(told_of_two));
    assert_eq!(told("points.line = { from = [150.0, 50.0, 9.0], to = [150.0, 50.0, -90.0], count = 5 }"), None);
}

#[test]
fn densities_of_another_unit_are_told_with_the_key_that_helps_if_there_is_one() {
    let told = |body: &str| {
        let problem = format!("body = [{{ {body} }}]\npoints.list.rows = [[0.0, 0.0, 9.0]]");
        looked_at(&problem, &[]).warnings.into_iter().find(|warning| warning.contains("g/cm3")).expect("a warning")
    };
    let rows = told("prisms.rows = [[0.0, 9.0, 0.0, 9.0, -9.0, 0.0, 2.67]]");
    assert!(rows.ends_with("If so, set density_factor = 1000"), "{rows}");
    let block = told("block = { x = [0.0, 9.0], y = [0.0, 9.0], z = [-9.0, 0.0], density = 2.67 }");
    assert!(block.ends_with("If so, multiply it by 1000"), "{block}");
}

#[test]
fn bodies_without_any_density_are_told() {
    let told = |density: f64| {
        let body = format!("prisms.rows = [[0.0, 9.0, 0.0, 9.0, -9.0, 0.0, {density:?}]]");
        looked_at(&format!("body = [{{ {body} }}]\npoints.list.rows = [[0.0, 0.0, 9.0]]"), &[]).warnings
    };
    assert_eq!(told(0.0), ["all densities of body 0 are 0, so that it has no effect"]);
    assert_eq!(told(-300.0), [""; 0]);
}

#[test]
fn places_that_look_like_degrees_are_told() {
    let warned = |scale: f64, heights: [f64; 2]| {
        // The first column is another one than all others: on a shore it is low, or it is a needle among plates.
        let [first, others] = heights;
        let height = |column: usize| if column == 0 { first } else { others };
        let row = |column: usize| [column % 4, column / 4].map(|place| 0.01 * scale * place as f64);
        let rows = (0..16).map(|column| (row(column), height(column)));
        let surface: String = rows.map(|([x, y], height)| format!("{x} {y} {height}\n")).collect();
        let problem = "body = [{ layer = { top = 'ground.xyz', bottom = 0.0, density.constant = 2670.0 } }]\n\
            points.draped = { surface = 'ground.xyz', above = 10.0 }";
        let told = looked_at(problem, &[("ground.xyz", &surface)]).warnings;
        told.iter().any(|warning| {
            warning.contains(" times as tall as wide. Check the coordinates, which must be in metres, not degrees")
        })
    };
    assert_eq!([1.0, 1e5, 3e4].map(|scale| warned(scale, [0.001, 4010.0])), [true, false, false]);
    assert!(warned(1.0, [0.0, 4010.0]) && !warned(1.0, [9000.0, 0.1]) && !warned(1.0, [0.0, 0.1]));
}

#[test]
fn densities_of_two_units_in_one_table_are_told() {
    let warned = |densities: &str| {
        let rows = densities.split(' ').enumerate();
        let rows: Vec<String> =
            rows.map(|(n, density)| format!("[{n}.0, {}.0, 0.0, 9.0, -9.0, 0.0, {density}]", n + 1)).collect();
        let problem =
            format!("body = [{{ prisms.rows = [{}] }}]\npoints.list.rows = [[0.0, 0.0, 9.0]]", rows.join(", "));
        looked_at(&problem, &[]).warnings.iter().find(|told| told.contains("g/cm3")).cloned()
    };
    let told = warned("2670.0 2.67 2400.0 -2.5").expect("a warning");
    assert!(told.starts_with("2 of 4 densities of body 0 are between 1.5 and 30 kg/m3"), "{told}");
    assert_eq!(warned("2670.0 1.2 1000.0 2400.0"), None, "air is no rock in g/cm3");
    assert_eq!(warned("-300.0 -120.0 -20.0 4.0 0.1"), None, "differences of any size");
}

#[test]
fn densities_of_a_mesh_whose_unit_is_known_may_be_small_but_not_too_large() {
    let problem =
        "body = [{ ubc = { mesh = 'cells.msh', model = 'cells.den' } }]\npoints.list.rows = [[0.0, 0.0, 9.0]]";
    let told = |densities: &str| {
        let files = [("cells.msh", "2 1 1\n0 0 0\n2*100\n1*100\n1*100\n"), ("cells.den", densities)];
        looked_at(problem, &files).warnings
    };
    assert_eq!(told("0.01\n-0.02\n"), [""; 0], "differences in g/cm3");
    let told = told("2670\n2400\n");
    assert!(told.iter().any(|told| told.contains("which exceeds the density of any rock")), "{told:?}");
}

#[test]
fn a_law_without_a_density_at_its_depths_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("top.xyz"), "0 0 0\n100 0 0\n0 100 0\n100 100 0\n").expect("written");
    let file = folder.path().join("it.toml");
    for (law, slices) in [
        ("exponential = { shallow = 2000.0, scale = 1.0, datum = -1000.0 }", ""),
        ("exponential = { shallow = 2000.0, scale = 1.0, datum = -1000.0 }", "slices = 3, "),
        ("polynomial = { coefficients = [0.0, 1e30], datum = 1e9 }", ""),
    ] {
        let layer = format!("layer = {{ top = 'top.xyz', bottom = -100.0, {slices}density = {{ {law} }} }}");
        let problem = format!("body = [{{ {layer} }}]\npoints.list.rows = [[0.0, 0.0, 9.0]]\n{OUTPUT}");
        std::fs::write(&file, problem).expect("written");
        let told = refusal(&file);
        assert!(told.contains("body[0].layer.density") && told.contains("kg/m3 at depth"), "{told}");
        assert!(told.contains("depth is `datum` - z, or depth below the top of each column without `datum`. Check its sign, and that `scale` and coefficients are in metres"), "{told}");
    }
}

#[test]
fn what_slices_leave_out_is_told_where_their_number_is_given() {
    let problem = |slices: usize, accuracy: &str| {
        format!(
            "body = [{{ layer = {{ top = 'top.xyz', bottom = -1500.0, slices = {slices}, density.polynomial.coefficients = [-600.0, 0.3] }} }}]\n\
             points.list.rows = [[0.0, 0.0, 1.0]]\n{accuracy}"
        )
    };
    let top = "0 0 0\n1000 0 0\n0 1000 0\n1000 1000 0\n";
    let looked_at = |slices: usize, accuracy: &str| looked_at(&problem(slices, accuracy), &[("top.xyz", top)]);
    let words = "The slicing error is about ";
    let coarse = looked_at(1, "method.accuracy = 1e-9");
    let told = coarse.warnings.iter().find(|warning| warning.contains(words)).expect("a warning");
    assert!(told.contains("thickest column is 1.") && told.contains("exceeds the accuracy of 1e-9"), "{told}");
    for ahead in [looked_at(1, ""), looked_at(200, "method.accuracy = 1e-3")] {
        assert!(!ahead.warnings.iter().any(|warning| warning.contains(words)), "{ahead:?}");
        assert!(ahead.lines.iter().any(|(_, line)| line.contains(words)), "{ahead:?}");
    }
}

#[test]
fn every_way_to_the_sums_tells_its_time() {
    for way in ["direct", "tree", "convolution"] {
        let problem = format!(
            "body = [{{ block = {{ x = [0.0, 100.0], y = [0.0, 100.0], z = [-90.0, 0.0], density = 300.0 }} }}]\n\
             points.grid = {{ x = [0.0, 900.0], y = [0.0, 900.0], count = [10, 10], z = 5.0 }}\n\
             method = {{ path = '{way}', accuracy = 1e-5 }}\ncompute.device = 'cpu'"
        );
        let lines = looked_at(&problem, &[]).lines;
        let is_told = |line: &str| line.starts_with("about") && line.ends_with(", plus pictures");
        assert!(lines.iter().any(|(name, line)| *name == "time" && is_told(line)), "{way}: {lines:?}");
    }
}

#[test]
fn a_precision_of_gpus_is_told_where_a_cpu_computes() {
    let problem = "body = [{ block = { x = [0.0, 9.0], y = [0.0, 9.0], z = [-9.0, 0.0], density = 300.0 } }]\n\
        points.list.rows = [[0.0, 0.0, 9.0]]\ncompute.device = 'cpu'";
    let told = |more: &str| {
        let warnings = looked_at(&format!("{problem}\n{more}"), &[]).warnings;
        warnings.iter().any(|warning| {
            warning.contains(
                "method.precision = \"single\" applies only to GPUs; the sums on this CPU are in double precision",
            )
        })
    };
    assert!(told("method.precision = 'single'") && !told(""));
}

#[test]
fn the_factor_on_densities_is_that_of_rows_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let problem = |factor: f64, density: f64| {
        format!(
            "fields = ['g_d']\nbody = [{{ prisms = {{ rows = [[0.0, 10.0, 0.0, 10.0, -10.0, 0.0, {density:?}]], density_factor = {factor:?} }} }}]\n\
             points.list.rows = [[5.0, 5.0, 0.0]]\n[output]\ndirectory = 'results'\npictures = false\n"
        )
    };
    let value = |factor: f64, density: f64| {
        run(folder.path(), &problem(factor, density), &[]);
        column(&results(folder.path()), "g_d_mgal")[0]
    };
    let expected = value(1.0, 2670.0);
    assert!(expected > 0.1, "{expected}");
    assert_eq!(value(1000.0, 2.67), expected);
}

#[test]
fn points_on_faces_matter_to_the_tensor_alone() {
    let told = |field: &str| {
        let problem = format!(
            "fields = ['{field}']\nbody = [{{ block = {{ x = [0.0, 9.0], y = [0.0, 9.0], z = [-9.0, 0.0], density = 300.0 }} }}]\n\
             points.list.rows = [[5.0, 5.0, 0.0]]"
        );
        looked_at(&problem, &[]).lines.iter().any(|(_, line)| line.starts_with("1 point on faces"))
    };
    assert!(told("g_dd") && told("dimensionality") && !told("g_d") && !told("potential"));
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
        |ahead: &LookAhead| ahead.warnings.iter().any(|warning| warning.contains("over all bodies): 0 and 1. "));
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
        [("0.1\n0.2\n0.3\n", "the mesh has 2 x 2 x 1 = 4 cells"), ("0.1\n0.2\ninf\n0.3\n", "cells.den:3")]
    {
        file("cells.den", densities);
        let told = refusal(&folder.path().join("it.toml"));
        assert!(told.contains("it.toml:1:") && told.contains("body[0].ubc.model") && told.contains(words), "{told}");
    }
}

#[test]
fn points_among_the_keys_of_a_body_leave_a_gravity_problem() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("it.toml");
    let body = "[[body]]\nball = { centre = [0.0, 0.0, -9.0], radius = 5.0, cell = 1.0, density = 300.0 }\n";
    std::fs::write(&file, format!("{body}points.list.rows = [[0.0, 0.0, 1.0]]\n{OUTPUT}")).expect("written");
    assert!(is_gravity(&file), "`craton check` takes it for a scenario");
    let told = refusal(&file);
    assert!(told.contains("body[0].points: unknown key") && told.contains("points: is missing"), "{told}");
}

#[test]
fn wrong_files_of_points_and_of_bodies_are_told_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("it.toml");
    let problem = "body = [{ prisms.file = 'ore.csv' }, { layer = { top = 'hill.asc', bottom = 0.0, density.constant = 300.0 } }]\n\
        points.list.file = 'stations.csv'";
    std::fs::write(&file, format!("{problem}\n{OUTPUT}")).expect("written");
    let told = refusal(&file);
    let lines: Vec<&str> = told.lines().filter(|line| line.contains("cannot read")).collect();
    assert_eq!(lines.len(), 3, "{told}");
    for name in ["stations.csv", "ore.csv", "hill.asc"] {
        assert!(told.contains(name), "{name} is not in\n{told}");
    }
}

#[test]
fn one_prism_is_told_as_one() {
    let block = "body = [{ block = { x = [0.0, 9.0], y = [0.0, 9.0], z = [-9.0, 0.0], density = 300.0 } }]";
    let told = looked_at(&format!("{block}\npoints.list.rows = [[0.0, 0.0, 9.0]]"), &[]);
    assert!(
        told.lines.iter().any(|(_, line)| line.starts_with("body 0, a block: 1 prism, x 0 to 9")),
        "{:?}",
        told.lines
    );
}
