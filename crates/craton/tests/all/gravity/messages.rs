//! Messages about problems: points in the ground, overlapping prisms, files that do not fit.

use craton::LookAhead;
use craton::gravity::{check_gravity, is_gravity};
use craton::options::CheckOptions;

use super::{column, refusal, results, run};

const OUTPUT: &str = "[output]\ndirectory = 'results'\n";

pub(super) fn checked(problem: &str, files: &[(&str, &str)]) -> LookAhead {
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
    let warnings = checked(&problem([81.0, 79.0, 10.0]), &[("ground.asc", ground)]).warnings;
    let expected = "2 points below the smooth surface of a layer: the first is point 1 at x = 100, y = 100, z = 79 m. The deepest is 70 m below it; \
        the tensor there is that inside the body";
    assert!(warnings.iter().any(|warning| warning == expected), "{warnings:?}");
    let flat = problem([81.0, 79.0, 10.0]).replace("bottom = 0.0,", "bottom = 0.0, tops = 'flat',");
    let warnings = checked(&flat, &[("ground.asc", ground)]).warnings;
    let expected = "2 points inside a layer: the first is point 1 at x = 100, y = 100, z = 79 m";
    assert!(warnings.iter().any(|warning| warning == expected), "{warnings:?}");
    let warnings = checked(&problem([81.0, 82.0, 83.0]), &[("ground.asc", ground)]).warnings;
    assert!(!warnings.iter().any(|warning| warning.contains("of a layer")), "{warnings:?}");
}

#[test]
fn points_in_the_sea_cause_no_warning_and_points_in_steps_of_the_ground_are_explained() {
    let sea = "0 0 -50\n100 0 -60\n0 100 -70\n100 100 -80\n";
    let problem = "body = [{ layer = { top = 'sea.xyz', bottom = 0.0, density.constant = 2670.0, inverted_density = -1640.0 } }]\n\
        points.list.rows = [[0.0, 0.0, -1.0]]";
    let warnings = checked(problem, &[("sea.xyz", sea)]).warnings;
    assert!(!warnings.iter().any(|warning| warning.contains("inside a layer")), "{warnings:?}");
    let ramp = "0 0 0\n100 0 100\n0 100 0\n100 100 100\n";
    let problem = "body = [{ layer = { top = 'ramp.xyz', bottom = -10.0, density.constant = 2670.0 } }]\n\
        points.draped = { surface = 'ramp.xyz', above = 1.0, count = [21, 2] }";
    let smooth = checked(problem, &[("ramp.xyz", ramp)]).warnings;
    assert!(!smooth.iter().any(|warning| warning.contains("layer")), "{smooth:?}");
    let flat = problem.replace("bottom = -10.0,", "bottom = -10.0, tops = 'flat',");
    let warnings = checked(&flat, &[("ramp.xyz", ramp)]).warnings;
    let warns = |words: &str| warnings.iter().any(|warning| warning.contains(words));
    assert!(
        warns("points inside a layer")
            && warns(
                ". Columns have flat tops as wide as the grid spacing: use a finer grid, or points higher above it"
            ),
        "{warnings:?}"
    );
}

#[test]
fn points_below_the_surface_of_a_scenario_cause_a_warning_except_receivers_and_boreholes() {
    let scenario = include_str!("../../../../../examples/two_layers/two_layers.toml");
    let warned = |points: &str| {
        let problem = format!("body = [{{ scenario = {{ file = 'waves.toml', cell = 2000.0 }} }}]\n{points}");
        let warnings = checked(&problem, &[("waves.toml", scenario)]).warnings;
        warnings.into_iter().find(|warning| warning.contains("below the surface of a scenario"))
    };
    let warning_of_two =
        warned("points.list.rows = [[9000.0, 9000.0, 1.0], [9000.0, 9000.0, -5.0], [9000.0, 9000.0, -7.0]]");
    assert!(
        warning_of_two.as_ref().is_some_and(|warning| warning.starts_with("2 points") && warning.contains("point 1 ")),
        "{warning_of_two:?}"
    );
    assert_eq!(warned("points.line = { from = [9000.0, 9000.0, 0.0], to = [9000.0, 9000.0, -90.0], count = 5 }"), None);
    assert_eq!(warned("points.receivers.file = 'waves.toml'"), None);
}

#[test]
fn points_in_cells_of_a_mesh_cause_a_warning_except_in_boreholes() {
    // The upper western cell is air.
    let files = [("cells.msh", "2 1 2\n0 0 0\n2*100\n1*100\n2*50\n"), ("cells.den", "-100\n0.1\n0.2\n0.3\n")];
    let warned = |points: &str| {
        let problem = format!("body = [{{ ubc = {{ mesh = 'cells.msh', model = 'cells.den' }} }}]\n{points}");
        let warnings = checked(&problem, &files).warnings;
        warnings.into_iter().find(|warning| warning.contains("inside cells"))
    };
    let rows = "points.list.rows = [[50.0, 50.0, -10.0], [50.0, 50.0, -60.0], [150.0, 50.0, 0.0], [150.0, 50.0, -1.0], [250.0, 50.0, -1.0]]";
    let expected = "2 points inside cells of a mesh: the first is point 1 at x = 50, y = 50, z = -60 m";
    assert_eq!(warned(rows).as_deref(), Some(expected));
    assert_eq!(warned("points.line = { from = [150.0, 50.0, 9.0], to = [150.0, 50.0, -90.0], count = 5 }"), None);
}

#[test]
fn warnings_about_density_units_name_the_key_if_there_is_one() {
    let warned = |body: &str| {
        let problem = format!("body = [{{ {body} }}]\npoints.list.rows = [[0.0, 0.0, 9.0]]");
        checked(&problem, &[]).warnings.into_iter().find(|warning| warning.contains("g/cm3")).expect("a warning")
    };
    let rows = warned("prisms.rows = [[0.0, 9.0, 0.0, 9.0, -9.0, 0.0, 2.67]]");
    assert!(rows.ends_with("If so, set density_factor = 1000"), "{rows}");
    let block = warned("block = { x = [0.0, 9.0], y = [0.0, 9.0], z = [-9.0, 0.0], density = 2.67 }");
    assert!(block.ends_with("If so, multiply it by 1000"), "{block}");
}

#[test]
fn bodies_without_density_cause_a_warning() {
    let warnings = |density: f64| {
        let body = format!("prisms.rows = [[0.0, 9.0, 0.0, 9.0, -9.0, 0.0, {density:?}]]");
        checked(&format!("body = [{{ {body} }}]\npoints.list.rows = [[0.0, 0.0, 9.0]]"), &[]).warnings
    };
    assert_eq!(warnings(0.0), ["all densities of body 0 are 0, so that it has no effect"]);
    assert_eq!(warnings(-300.0), [""; 0]);
}

#[test]
fn coordinates_that_look_like_degrees_cause_a_warning() {
    let warned = |scale: f64, heights: [f64; 2]| {
        // The first column differs from all others: low on a shore, or a needle among plates.
        let [first, others] = heights;
        let height = |column: usize| if column == 0 { first } else { others };
        let row = |column: usize| [column % 4, column / 4].map(|place| 0.01 * scale * place as f64);
        let rows = (0..16).map(|column| (row(column), height(column)));
        let surface: String = rows.map(|([x, y], height)| format!("{x} {y} {height}\n")).collect();
        let problem = "body = [{ layer = { top = 'ground.xyz', bottom = 0.0, density.constant = 2670.0 } }]\n\
            points.draped = { surface = 'ground.xyz', above = 10.0 }";
        let warnings = checked(problem, &[("ground.xyz", &surface)]).warnings;
        warnings.iter().any(|warning| {
            warning.contains(" times as tall as wide. Check the coordinates, which must be in metres, not degrees")
        })
    };
    assert_eq!([1.0, 1e5, 3e4].map(|scale| warned(scale, [0.001, 4010.0])), [true, false, false]);
    assert!(warned(1.0, [0.0, 4010.0]) && !warned(1.0, [9000.0, 0.1]) && !warned(1.0, [0.0, 0.1]));
}

#[test]
fn densities_in_two_units_in_one_table_cause_a_warning() {
    let warned = |densities: &str| {
        let rows = densities.split(' ').enumerate();
        let rows: Vec<String> =
            rows.map(|(n, density)| format!("[{n}.0, {}.0, 0.0, 9.0, -9.0, 0.0, {density}]", n + 1)).collect();
        let problem =
            format!("body = [{{ prisms.rows = [{}] }}]\npoints.list.rows = [[0.0, 0.0, 9.0]]", rows.join(", "));
        checked(&problem, &[]).warnings.iter().find(|warning| warning.contains("g/cm3")).cloned()
    };
    let warning = warned("2670.0 2.67 2400.0 -2.5").expect("a warning");
    assert!(warning.starts_with("2 of 4 densities of body 0 are between 1.5 and 30 kg/m3"), "{warning}");
    assert_eq!(warned("2670.0 1.2 1000.0 2400.0"), None, "air is not rock in g/cm3");
    assert_eq!(warned("-300.0 -120.0 -20.0 4.0 0.1"), None, "differences of any size");
}

#[test]
fn mesh_densities_in_a_known_unit_may_be_small_but_not_too_large() {
    let problem =
        "body = [{ ubc = { mesh = 'cells.msh', model = 'cells.den' } }]\npoints.list.rows = [[0.0, 0.0, 9.0]]";
    let warnings = |densities: &str| {
        let files = [("cells.msh", "2 1 1\n0 0 0\n2*100\n1*100\n1*100\n"), ("cells.den", densities)];
        checked(problem, &files).warnings
    };
    assert_eq!(warnings("0.01\n-0.02\n"), [""; 0], "differences in g/cm3");
    let warnings = warnings("2670\n2400\n");
    assert!(warnings.iter().any(|warning| warning.contains("which exceeds the density of any rock")), "{warnings:?}");
}

#[test]
fn a_density_law_that_overflows_is_refused() {
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
        let message = refusal(&file);
        assert!(message.contains("body[0].layer.density") && message.contains("kg/m3 at depth"), "{message}");
        assert!(message.contains("depth is `datum` - z, or depth below the top of each column without `datum`. Check its sign, and that `scale` and coefficients are in metres"), "{message}");
    }
}

#[test]
fn a_slicing_error_above_the_accuracy_causes_a_warning() {
    let problem = |slices: usize, accuracy: &str| {
        format!(
            "body = [{{ layer = {{ top = 'top.xyz', bottom = -1500.0, slices = {slices}, density.polynomial.coefficients = [-600.0, 0.3] }} }}]\n\
             points.list.rows = [[0.0, 0.0, 1.0]]\n{accuracy}"
        )
    };
    let top = "0 0 0\n1000 0 0\n0 1000 0\n1000 1000 0\n";
    let checked = |slices: usize, accuracy: &str| checked(&problem(slices, accuracy), &[("top.xyz", top)]);
    let words = "The slicing error is about ";
    let coarse = checked(1, "method.accuracy = 1e-9");
    let warning = coarse.warnings.iter().find(|warning| warning.contains(words)).expect("a warning");
    assert!(warning.contains("thickest column is 1.") && warning.contains("exceeds the accuracy of 1e-9"), "{warning}");
    for ahead in [checked(1, ""), checked(200, "method.accuracy = 1e-3")] {
        assert!(!ahead.warnings.iter().any(|warning| warning.contains(words)), "{ahead:?}");
        assert!(ahead.lines.iter().any(|(_, line)| line.contains(words)), "{ahead:?}");
    }
}

#[test]
fn every_method_reports_its_time() {
    for path in ["direct", "tree", "convolution"] {
        let problem = format!(
            "body = [{{ block = {{ x = [0.0, 100.0], y = [0.0, 100.0], z = [-90.0, 0.0], density = 300.0 }} }}]\n\
             points.grid = {{ x = [0.0, 900.0], y = [0.0, 900.0], count = [10, 10], z = 5.0 }}\n\
             method = {{ path = '{path}', accuracy = 1e-5 }}\ncompute.device = 'cpu'"
        );
        let lines = checked(&problem, &[]).lines;
        let is_time = |line: &str| line.starts_with("about") && line.ends_with(", plus pictures");
        assert!(lines.iter().any(|(name, line)| *name == "time" && is_time(line)), "{path}: {lines:?}");
    }
}

#[test]
fn a_gpu_precision_on_a_cpu_causes_a_warning() {
    let problem = "body = [{ block = { x = [0.0, 9.0], y = [0.0, 9.0], z = [-9.0, 0.0], density = 300.0 } }]\n\
        points.list.rows = [[0.0, 0.0, 9.0]]\ncompute.device = 'cpu'";
    let warned = |more: &str| {
        let warnings = checked(&format!("{problem}\n{more}"), &[]).warnings;
        warnings.iter().any(|warning| {
            warning.contains(
                "method.precision = \"single\" applies only to GPUs; the sums on this CPU are in double precision",
            )
        })
    };
    assert!(warned("method.precision = 'single'") && !warned(""));
}

#[test]
fn the_density_factor_applies_to_rows() {
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
fn points_on_faces_are_reported_only_for_the_tensor() {
    let reported = |field: &str| {
        let problem = format!(
            "fields = ['{field}']\nbody = [{{ block = {{ x = [0.0, 9.0], y = [0.0, 9.0], z = [-9.0, 0.0], density = 300.0 }} }}]\n\
             points.list.rows = [[5.0, 5.0, 0.0]]"
        );
        checked(&problem, &[]).lines.iter().any(|(_, line)| line.starts_with("1 point on faces"))
    };
    assert!(reported("g_dd") && reported("dimensionality") && !reported("g_d") && !reported("potential"));
}

#[test]
fn overlapping_prisms_are_named_on_request() {
    let block = |west: f64| {
        format!("block = {{ x = [{west:?}, {:?}], y = [0.0, 9.0], z = [-9.0, 0.0], density = 100.0 }}", west + 10.0)
    };
    let problem = |second: f64, requested: bool| {
        let bodies = [0.0, second].map(|west| format!("{{ {} }}", block(west))).join(", ");
        format!("body = [{bodies}]\npoints.list.rows = [[0.0, 0.0, 9.0]]\nmethod.find_overlaps = {requested}")
    };
    let named =
        |ahead: &LookAhead| ahead.warnings.iter().any(|warning| warning.contains("over all bodies): 0 and 1. "));
    assert!(named(&checked(&problem(5.0, true), &[])));
    assert!(!named(&checked(&problem(5.0, false), &[])));
    let apart = checked(&problem(10.0, true), &[]);
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
        [("0.1\n0.2\n0.3\n", "the mesh has 2 x 2 x 1 = 4 cells"), ("0.1\n0.2\ninf\n0.3\n", "line 3: density = `inf`")]
    {
        file("cells.den", densities);
        let message = refusal(&folder.path().join("it.toml"));
        assert!(
            message.contains("it.toml:1:") && message.contains("body[0].ubc.model") && message.contains(words),
            "{message}"
        );
    }
}

#[test]
fn points_under_a_body_are_reported_as_an_error_of_a_gravity_problem() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("it.toml");
    let body = "[[body]]\nball = { centre = [0.0, 0.0, -9.0], radius = 5.0, cell = 1.0, density = 300.0 }\n";
    std::fs::write(&file, format!("{body}points.list.rows = [[0.0, 0.0, 1.0]]\n{OUTPUT}")).expect("written");
    assert!(is_gravity(&file), "`craton check` takes it for a scenario");
    let message = refusal(&file);
    assert!(message.contains("body[0].points: unknown key") && message.contains("points: is missing"), "{message}");
}

#[test]
fn all_missing_files_are_reported_at_once() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("it.toml");
    let problem = "body = [{ prisms.file = 'ore.csv' }, { layer = { top = 'hill.asc', bottom = 0.0, density.constant = 300.0 } }]\n\
        points.list.file = 'stations.csv'";
    std::fs::write(&file, format!("{problem}\n{OUTPUT}")).expect("written");
    let message = refusal(&file);
    let lines: Vec<&str> = message.lines().filter(|line| line.contains("cannot be read")).collect();
    assert_eq!(lines.len(), 3, "{message}");
    for name in ["stations.csv", "ore.csv", "hill.asc"] {
        assert!(message.contains(name), "{name} is not in\n{message}");
    }
}

#[test]
fn one_prism_is_reported_in_the_singular() {
    let block = "body = [{ block = { x = [0.0, 9.0], y = [0.0, 9.0], z = [-9.0, 0.0], density = 300.0 } }]";
    let ahead = checked(&format!("{block}\npoints.list.rows = [[0.0, 0.0, 9.0]]"), &[]);
    assert!(
        ahead.lines.iter().any(|(_, line)| line.starts_with("body 0, a block: 1 prism, x 0 to 9")),
        "{:?}",
        ahead.lines
    );
}
