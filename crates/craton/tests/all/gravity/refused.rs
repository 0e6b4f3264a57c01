//! Error messages about invalid problems: the value, how to write it, and no mention of scenarios or surveys.

use craton::error::{Error, GravityFailure};
use craton::gravity::{check_gravity, gravity};
use craton::options::{CheckOptions, RunOptions};
use craton::{Cancel, RunStatus};
use craton_formats::netcdf::{self, Attribute, DataType, Dataset, Dimension, Variable};

use super::{refusal, run};

const GOOD: &str = "\
fields = ['g_d']
[[body]]
block = { x = [0.0, 100.0], y = [0.0, 100.0], z = [-80.0, -20.0], density = 300.0 }
[points.grid]
x = [0.0, 100.0]
y = [0.0, 200.0]
count = [3, 5]
z = 10.0
[output]
directory = 'results'
pictures = false
";

/// Files in the folder of the problem, with their contents.
type Files<'a> = &'a [(&'a str, &'a str)];

/// Asserts that the good problem with `right` replaced by `wrong` is refused with the message `expected`.
#[track_caller]
fn assert_refused(right: &str, wrong: &str, files: Files, expected: &str) {
    assert!(GOOD.contains(right), "{right}");
    let folder = tempfile::tempdir().expect("a folder");
    files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).expect("written"));
    let file = folder.path().join("it.toml");
    std::fs::write(&file, GOOD.replacen(right, wrong, 1)).expect("written");
    let message = refusal(&file);
    assert!(message.contains(expected), "{wrong}: `{expected}` is not in\n{message}");
    // The path of the folder may contain these words.
    let own = message.replace(&folder.path().display().to_string(), "");
    assert!(!own.contains("scenario") && !own.contains("survey"), "{own}");
}

const BLOCK: &str = "block = { x = [0.0, 100.0], y = [0.0, 100.0], z = [-80.0, -20.0], density = 300.0 }";
const GRID: &str = "[points.grid]\nx = [0.0, 100.0]\ny = [0.0, 200.0]\ncount = [3, 5]\nz = 10.0\n";

#[test]
fn type_errors_show_the_correct_form() {
    let layer = "layer = { top = 'top.xyz', bottom = 0.0, density = 2670 }";
    assert_refused(BLOCK, layer, &[], "found an integer (write density.constant = 2670)");
    assert_refused(BLOCK, "volume = { density = 2670 }", &[], "(as in density = { file = \"vp.segy\" })");
    assert_refused("count = [3, 5]", "count = 11", &[], "(write count = [11, 11])");
    assert_refused("[[body]]", "[body]", &[], "(write each item as a table under its own heading [[body]])");
    assert_refused("pictures = false", "formats = 'csv'", &[], "(write formats = [\"csv\"])");
    assert_refused("density = 300.0", "density = '300 kg/m3'", &[], "(write the number without unit: density = 300)");
    assert_refused("density = 300.0", "density = '0.3 g/cm3'", &[], "(write a number without unit, in kg/m3)");
    assert_refused("density = 300.0", "density = '300'", &[], "(write the number without quotes: 300)");
    assert_refused("density = 300.0", "density = '.5'", &[], "(write the number without quotes: 0.5)");
    let list = "[points.list]\nrows = [17.0, 3.0, 5.0]\n";
    assert_refused(GRID, list, &[], "(rows is a list of lists: write rows = [[17.0, ...], ...])");
    assert_refused("density = 300.0", "density = true", &[], "(as in density = 300.0)");
    assert_refused("density = 300.0", "density = 1e31", &[], "check the unit: values are in SI units");
}

#[test]
fn unknown_fields_are_reported_with_similar_ones() {
    for (word, meant) in [
        ("gz", "u (z, up) and d (down): did you mean \"g_d\" or \"g_u\"?"),
        ("g_z", "did you mean \"g_d\" or \"g_u\"?"),
        ("Gxz", "did you mean \"g_ed\" or \"g_eu\"?"),
        ("G_D", "did you mean \"g_d\"?"),
        ("guu", "did you mean \"g_uu\"?"),
    ] {
        assert_refused("'g_d'", &format!("'{word}'"), &[], meant);
    }
}

#[test]
fn a_grid_requires_either_count_or_spacing() {
    let folder = tempfile::tempdir().expect("a folder");
    let values = |grid: &str| {
        run(folder.path(), &GOOD.replace("count = [3, 5]", grid), &[]);
        std::fs::read(folder.path().join("results/gravity.csv")).expect("results")
    };
    assert!(values("count = [3, 5]") == values("spacing = [50.0, 50.0]"));
    assert_refused(
        "count = [3, 5]",
        "spacing = [30.0, 50.0]",
        &[],
        "does not divide the extent of 100 m along x (change the end of x to 90, or give `count`)",
    );
    assert_refused(
        "count = [3, 5]",
        "count = [3, 5]\nspacing = [50.0, 50.0]",
        &[],
        "conflicts with `count`: give exactly one of them",
    );
    assert_refused(
        "count = [3, 5]",
        "",
        &[],
        "points.grid.count: is missing (give the number of points along x and y, or `spacing`",
    );
    assert_refused("count = [3, 5]", "spacing = 50.0", &[], "(write spacing = [50.0, 50.0])");
    assert_refused("count = [3, 5]", "spacing = [1e-5, 1e-5]", &[], "at most 100000000 in total");
    let endless = GRID.replace("100.0", "1e30").replace("count = [3, 5]", "spacing = [1e-6, 1.0]");
    assert_refused(GRID, &endless, &[], "at most 100000000 in total");
}

#[test]
fn points_outside_a_surface_and_missing_values_are_counted_and_the_first_is_named() {
    let flat = ("flat.xyz", "0 0 5\n100 0 5\n0 100 5\n100 100 5\n");
    let draped = |keys: &str| format!("[points.draped]\nsurface = 'flat.xyz'\nabove = 1.0\n{keys}\n");
    // The ends of a single line of points coincide.
    let line =
        format!("{}above = 1.0\nx = [50.0, 50.0]\nspacing = [25.0, 50.0]\n", "[points.draped]\nsurface = 'flat.xyz'\n");
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("flat.xyz"), flat.1).expect("written");
    run(folder.path(), &GOOD.replace(GRID, &line), &[]);
    let table = std::fs::read_to_string(folder.path().join("results/gravity.csv")).expect("results");
    assert_eq!(table.lines().count(), 1 + 3, "{table}");
    let beyond = ": 3 of 15 points are outside, the first at x = -25, y = 0 m (allowed: within [0, 100]";
    assert_refused(GRID, &draped("x = [-25.0, 75.0]\ncount = [5, 3]"), &[flat], beyond);
    assert_refused(GRID, &draped("x = [-25.0, 75.0]\nspacing = [25.0, 50.0]"), &[flat], beyond);
    assert_refused(
        GRID,
        &draped("y = [0.0, 300.0]\ncount = [3, 4]"),
        &[flat],
        ": 6 of 12 points are outside, the first at x = 0, y = 200 m",
    );
    let holes = "ncols 3\nnrows 3\nxllcorner 0\nyllcorner 0\ncellsize 50\nNODATA_value -9\n5 5 5\n5 -9 -9\n5 5 5\n";
    let draped = "[points.draped]\nsurface = 'holes.asc'\nabove = 1.0\n";
    assert_refused(
        GRID,
        draped,
        &[("holes.asc", holes)],
        "the first of 2 such values, at x = 75, y = 75; fill or crop",
    );
}

#[test]
fn depths_given_as_heights_and_models_of_air_are_refused() {
    let hint = "z is positive up: negate the values if they are depths, otherwise swap them";
    assert_refused(BLOCK, "prisms.rows = [[0.0, 1.0, 0.0, 1.0, 10.0, 2.0, 100.0]]", &[], hint);
    assert_refused("z = [-80.0, -20.0]", "z = [20.0, -80.0]", &[], hint);
    assert_refused(BLOCK, "prisms.file = 'p.csv'", &[("p.csv", "0 1 0 1 10 2 100\n")], hint);
    let flat = "line 2: bottom is 2 m and top 2 m (allowed: bottom < top; remove it: a flat prism has no mass)";
    assert_refused(BLOCK, "prisms.file = 'p.csv'", &[("p.csv", "0 1 0 1 1 2 100\n0 1 0 1 2 2 100\n")], flat);
    let hint = "remove it: a flat prism has no mass";
    assert_refused(BLOCK, "prisms.rows = [[0.0, 1.0, 0.0, 1.0, 2.0, 2.0, 100.0]]", &[], hint);
    let surfaces = [("top.xyz", "0 0 5\n9 0 5\n0 9 5\n9 9 5\n")];
    assert_refused(
        BLOCK,
        "layer = { top = 'top.xyz', bottom = 90.0, density.constant = 1.0 }",
        &surfaces,
        "z is positive up: negate depths. For intended inverted columns, set `inverted_density` to the contrast of water to rock, or to 0 to ignore them",
    );
    let files = [("c.msh", "2 1 1\n0 0 0\n2*10\n10\n10\n"), ("c.den", "-100 -100\n")];
    let air = "body[0].ubc.model = \"c.den\": has no density: of 2 cells, 2 are air and all others are 0 (check `air`, which is -100";
    assert_refused(BLOCK, "ubc = { mesh = 'c.msh', model = 'c.den' }", &files, air);
}

#[test]
fn columns_that_differ_in_case_are_suggested() {
    let list = "[points.list]\nfile = 's.csv'\n";
    assert_refused(
        GRID,
        list,
        &[("s.csv", "X,Y,Z\n1,2,3\n")],
        "did you mean columns = { x = \"X\", y = \"Y\", z = \"Z\" }?",
    );
    assert_refused(
        GRID,
        list,
        &[("s.csv", "lon,lat,z\n1,2,3\n")],
        ". Coordinates must be in metres: project longitude and latitude first",
    );
    assert_refused(
        GRID,
        list,
        &[("s.csv", "a,b,c\n1,2,3\n")],
        "add or rename the column, or give its name with columns = { x = \"...\" })",
    );
}

#[test]
fn results_without_a_folder_are_refused() {
    let expected = "it.toml:10:13: output.directory = \"\": is empty (give a folder for the results)";
    assert_refused("directory = 'results'", "directory = ''", &[], expected);
}

#[test]
fn errors_about_missing_files_name_the_base_folder() {
    assert_refused(
        BLOCK,
        "prisms.file = 'no.csv'",
        &[],
        "paths of input files are relative to the folder of the configuration file",
    );
}

#[test]
fn a_file_without_keys_is_refused_with_the_required_keys() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("it.toml");
    std::fs::write(&file, "# nothing yet\n").expect("written");
    let message = refusal(&file);
    assert!(message.contains("the file has no keys and is not a ") && message.contains("a scenario requires [domain] and [model]; a survey requires [acquisition]; a gravity problem requires [[body]] and [points]; see examples/, and `craton reference` for all keys"), "{message}");
}

#[test]
fn variables_of_netcdf_in_other_units_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let variable = |name: &str, unit: &str| Variable {
        name: name.to_owned(),
        data_type: DataType::F64,
        dimensions: vec![0],
        attributes: vec![Attribute::text("units", unit)],
    };
    let file = folder.path().join("it.toml");
    let metres = GOOD.replace(GRID, "[points.list]\nfile = 's.nc'\n");
    let degrees = "[[body]]\ntesseroids.rows = [[10, 11, 45, 46, -3e4, 0, 300]]\n[points.geographic_list]\nfile = 's.nc'\n[output]\ndirectory = 'results'\n";
    let cases = [
        (
            &*metres,
            [("x", "degrees_east"), ("y", "degrees_north"), ("z", "m")],
            "`x` in degrees_east (allowed: coordinates in metres",
        ),
        (&*metres, [("x", "m"), ("y", "m"), ("z", "km")], "`z` in km (allowed: coordinates in metres"),
        (
            degrees,
            [("longitude", "degrees_east"), ("latitude", "radians"), ("height", "m")],
            "`latitude` in radians (allowed: degrees",
        ),
    ];
    for (problem, variables, expected) in cases {
        std::fs::write(&file, problem).expect("written");
        let dataset = Dataset {
            dimensions: vec![Dimension::new("station", 1)],
            variables: variables.map(|(name, unit)| variable(name, unit)).to_vec(),
            ..Dataset::default()
        };
        netcdf::write(&folder.path().join("s.nc"), &dataset, |slab| slab.write(&[1.0])).expect("written");
        let message = refusal(&file);
        assert!(message.contains("file = \"s.nc\": has ") && message.contains(expected), "{message}");
    }
}

#[test]
fn changes_since_the_computation_began_are_reported() {
    let folder = tempfile::tempdir().expect("a folder");
    let table = |density: &str| {
        let prism = format!("0 100 0 100 -80 -20 {density}\n");
        std::fs::write(folder.path().join("ore.csv"), prism).expect("written");
    };
    let problem = GOOD.replace(BLOCK, "prisms.file = 'ore.csv'");
    table("300");
    run(folder.path(), &problem, &[]);
    table("200");
    let directory = format!("output.directory='{}'", folder.path().join("results").display());
    let changed = ["fields=['g_d', 'g_u']", "method.accuracy=1e-5", "points.grid.count[1]=6", "title='Another'"];
    let overwrite_warning = |changes: &[&str]| {
        let overrides = changes.iter().map(|&change| change.to_owned()).chain([directory.clone()]).collect();
        let options = CheckOptions { overrides, ..CheckOptions::default() };
        let ahead = check_gravity(&folder.path().join("it.toml"), &options).unwrap_or_else(|error| panic!("{error:?}"));
        ahead.warnings.into_iter().find(|warning| warning.contains("`craton gravity` requires --overwrite here: "))
    };
    table("300");
    assert_eq!(overwrite_warning(&["title='Another'"]), None);
    table("200");
    let warning = overwrite_warning(&changed);
    let overrides = changed.iter().map(|&change| change.to_owned()).chain([directory.clone()]).collect();
    let options = RunOptions { overrides, ..RunOptions::default() };
    let message = gravity(&folder.path().join("it.toml"), &options).expect_err("another problem").to_string();
    let expected = "fields was [\"g_d\"] and is now [\"g_d\", \"g_u\"]; points.grid.count was [3, 5] and is now [3, 6]; \
        method = { accuracy = 0.00001 } has been added; the contents of ore.csv have changed";
    assert!(message.ends_with(expected), "{message}");
    assert!(warning.as_ref().is_some_and(|warning| warning.ends_with(&message)), "{warning:?}");
    // A folder that is not a run is not overwritten either.
    std::fs::remove_dir_all(folder.path().join("results")).expect("removed");
    assert_eq!(overwrite_warning(&[]), None);
    std::fs::create_dir(folder.path().join("results")).expect("a folder");
    std::fs::write(folder.path().join("results/letter.txt"), "own").expect("written");
    let warning = overwrite_warning(&[]);
    assert!(warning.as_ref().is_some_and(|warning| warning.contains("letter.txt")), "{warning:?}");
}

#[test]
fn component_names_of_other_conventions_get_suggestions() {
    let folder = tempfile::tempdir().expect("a folder");
    let message = |name: &str| {
        let file = folder.path().join("it.toml");
        let problem = GOOD;
        std::fs::write(&file, problem.replace("['g_d']", &format!("['{name}']"))).expect("written");
        refusal(&file)
    };
    for (name, meant) in
        [("g_ez", "\"g_ed\" or \"g_eu\""), ("Tzz", "\"g_dd\" or \"g_uu\""), ("g_un", "\"g_nu\""), ("Vxy", "\"g_en\"")]
    {
        assert!(message(name).contains(&format!("did you mean {meant}?")), "{}", message(name));
    }
}

#[test]
fn a_cancel_flag_stops_the_sums() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("it.toml");
    std::fs::write(&file, GOOD).expect("written");
    let directory = format!("output.directory='{}'", folder.path().join("results").display());
    let options = |cancel: &Cancel| RunOptions {
        overrides: vec![directory.clone()],
        cancel: Some(cancel.clone()),
        ..RunOptions::default()
    };
    let cancel = Cancel::new();
    cancel.cancel();
    let stopped = gravity(&file, &options(&cancel));
    let is_stopped = stopped.as_ref().map_or_else(
        |error| matches!(error, Error::Gravity(GravityFailure::Stopped)),
        |report| report.status == RunStatus::Interrupted,
    );
    assert!(is_stopped, "{stopped:?}");
    let report = gravity(&file, &options(&Cancel::new())).unwrap_or_else(|error| panic!("{error:?}"));
    assert_eq!(report.status, RunStatus::Complete);
}
