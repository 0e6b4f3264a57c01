//! Messages about a survey before it is computed, or about a file of another format.

use craton_formats::rsf;
use craton_formats::volume::{Axis, Volume};

use super::inputs::{check_report, line, rock, volume, with_model};
use super::*;

#[test]
fn cell_size_and_time_step_depend_only_on_the_box() {
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path(), &free().replace("grid_spacing = 5.0\n", ""));
    let sizes = |layers: &str| {
        let report = check_report(folder.path(), &[&format!("model.layered.layers=[{layers}]")]);
        ["cell size", "time step", "points per wavelength"].map(|name| line(&report, name))
    };
    let water = sizes("{ vp = 1500.0, rho = 1000.0 }");
    let deep = sizes("{ vp = 1500.0, rho = 1000.0 }, { top = 5000.0, vp = 150.0, rho = 1000.0 }");
    let high = sizes("{ vp = 330.0, rho = 100.0 }, { top = 0.0, vp = 1500.0, rho = 1000.0 }");
    assert_eq!([deep, high], [water.clone(), water.clone()]);
    let inside = sizes("{ vp = 1500.0, rho = 1000.0 }, { top = 799.0, vp = 750.0, rho = 1000.0 }");
    assert_ne!(inside, water);
}

/// Headers store intervals as signed 16-bit numbers of microseconds.
#[test]
fn sample_intervals_that_headers_cannot_store_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path(), &free());
    let run = |interval: &str| {
        let change = format!("output.sample_interval={interval}");
        survey(
            &folder.path().join("it.toml"),
            &options(folder.path(), &["duration=0.3", "method.fd.max_frequency=12", &change]),
        )
    };
    for interval in ["0.032768", "0.04", "0.065535"] {
        let message = error_text(run(interval));
        assert!(message.contains("output.sample_interval") && message.contains("<= 0.032767"), "{message}");
    }
    assert!(run("0.032767").expect("the largest interval").is_whole());
}

#[test]
fn density_may_be_constant() {
    let folder = tempfile::tempdir().expect("a folder");
    let [vp, _] = rock();
    rsf::write(&folder.path().join("rho.rsf"), &volume(vec![1800.0; vp.len()])).expect("written");
    rsf::write(&folder.path().join("vp.rsf"), &volume(vp)).expect("written");
    let with_density = |density: &str| {
        with_model(folder.path(), &format!("velocity = {{ file = 'vp.rsf' }}\ndensity = {density}"));
    };
    let refused = || error_text(survey(&folder.path().join("it.toml"), &options(folder.path(), &[])));
    for (density, words) in [
        ("1.8", ["\"model.volume.density\", message: \"is out of range\"", ">= 100 and <= 100000"]),
        ("{ fil = 'rho.rsf' }", ["\"model.volume.density.fil\", message: \"unknown key\"", "did you mean `file`?"]),
        ("'rho.rsf'", ["\"model.volume.density\"", "expected a number or a table, found a string"]),
    ] {
        with_density(density);
        let message = refused();
        assert!(words.iter().all(|word| message.contains(word)), "{message}");
    }
    with_density("{ file = 'rho.rsf' }");
    let expected = samples(&computed(folder.path(), &["duration=0.3"]));
    with_density("1800");
    let misfit = misfit(&computed(folder.path(), &["duration=0.3"]), &expected);
    assert!(misfit < 1e-5, "relative L2 {misfit}");
    assert!(!check_report(folder.path(), &[]).contains("the model has no density"));
}

#[test]
fn an_early_source_and_receivers_near_it_cause_warnings() {
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path(), &free());
    let report = check_report(folder.path(), &[]);
    assert!(
        !report.contains("before time 0") && !report.contains(" with the receiver closer to the source than "),
        "{report}"
    );
    // Cells of 5 m; shot 7 is at x = 0 and a depth of 200 m.
    let receivers = "channel,x,y,depth\n1,30,0,180\n2,39,0,200\n3,41,0,200\n4,300,0,150\n";
    std::fs::write(folder.path().join("receivers.csv"), receivers).expect("written");
    let centre = "source.time_function={ ricker = { frequency = 15.0, centre = 0.03 } }";
    let report = check_report(folder.path(), &[centre]);
    assert!(report.contains("the source starts before time 0, the start of the shots, and is truncated there. Shift it with `centre`, or change the times of its file"), "{report}");
    let near =
        "2 traces with the receiver closer to the source than 8 cells of 5 m: the direct wave is in error by up to 6 %";
    assert!(report.contains(near), "{report}");
    let report = check_report(folder.path(), &["receivers.quantities=['velocity_x']"]);
    assert!(
        report.contains("3 traces with") && report.contains("than 12 cells of 5 m") && report.contains("is unreliable"),
        "{report}"
    );
    // The distance of an array is that of its nearest element.
    let array = "source.array=[{ at = [-20.0, 0.0, 0.0] }, { at = [20.0, 0.0, 0.0] }]";
    assert!(check_report(folder.path(), &[array]).contains("3 traces with the receiver closer"));
    // Both on points of the grid.
    std::fs::write(folder.path().join("shots.csv"), "shot,x,y,depth\n7,2.5,0,202.5\n").expect("written");
    std::fs::write(folder.path().join("receivers.csv"), "channel,x,y,depth\n1,7.5,0,202.5\n").expect("written");
    assert!(!check_report(folder.path(), &[]).contains(" with the receiver closer to the source than "));
}

#[test]
fn a_source_outside_the_traces_is_refused_and_a_truncated_one_causes_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path(), &free());
    let centred =
        |centre: f64| format!("source.time_function={{ ricker = {{ frequency = 15.0, centre = {centre:?} }} }}");
    for centre in [-5.0, 5.0] {
        let message = error_text(survey(&folder.path().join("it.toml"), &options(folder.path(), &[&centred(centre)])));
        assert!(
            message.contains("source.time_function") && message.contains("is zero from time 0 to `duration`"),
            "{message}"
        );
    }
    // Truncated, minimum phase of a truncated one, and truncated with its peak after the end of the traces.
    let cut = centred(0.03);
    for changes in [&[&*cut][..], &[&cut, "source.minimum_phase=true"], &[&cut, "duration=0.02"]] {
        let report = check_report(folder.path(), changes);
        assert!(report.contains("the source starts before time 0, the start of the shots, and is truncated there. Shift it with `centre`, or change the times of its file"), "{changes:?}: {report}");
    }
}

#[test]
fn lengths_in_feet_cause_a_warning_about_the_unit_of_velocities() {
    let folder = tempfile::tempdir().expect("a folder");
    let (axes, speeds) = volume(rock()[0].clone()).into_parts();
    let in_feet = |axis: Axis| Axis {
        origin: axis.origin / 0.3048,
        spacing: axis.spacing / 0.3048,
        unit: "ft".to_owned(),
        ..axis
    };
    let feet = Volume::new(axes.into_iter().map(in_feet).collect(), speeds).expect("a volume");
    rsf::write(&folder.path().join("vp.rsf"), &feet).expect("written");
    with_model(folder.path(), "velocity = { file = 'vp.rsf' }");
    let report = check_report(folder.path(), &[]);
    assert!(line(&report, "model grid spacing").contains("125.000 x 50.000 m"), "{report}");
    assert!(report.contains("vp.rsf is in feet") && report.contains("factor = 0.3048"), "{report}");
    let report = check_report(folder.path(), &["model.volume.velocity.factor=1.01"]);
    assert!(!report.contains("is in feet"), "{report}");
    let report = check_report(folder.path(), &["model.volume.velocity.factor=1.0"]);
    assert!(!report.contains("is in feet"), "{report}");
}

#[test]
fn a_position_outside_the_model_is_refused_with_a_hint_about_its_unit() {
    let folder = tempfile::tempdir().expect("a folder");
    let (axes, speeds) = volume(rock()[0].clone()).into_parts();
    let bare = |axis: Axis| Axis { unit: String::new(), spacing: 1e-3 * axis.spacing, origin: 0.0, ..axis };
    let kilometres = Volume::new(axes.into_iter().map(bare).collect(), speeds).expect("a volume");
    rsf::write(&folder.path().join("vp.rsf"), &kilometres).expect("written");
    with_model(folder.path(), "velocity = { file = 'vp.rsf' }");
    let text = std::fs::read_to_string(folder.path().join("it.toml")).expect("a survey");
    let (before, rest) = text.split_once("[domain]").expect("a table");
    let after = &rest[rest.find("[model").expect("a table")..];
    std::fs::write(folder.path().join("it.toml"), format!("{before}{after}")).expect("written");
    let message = error_text(survey(&folder.path().join("it.toml"), &options(folder.path(), &[])));
    assert!(message.contains("check the unit of the model: metres"), "{message}");
}

#[test]
fn a_file_of_another_format_is_refused_with_its_command() {
    let scenario = include_str!("../../../../../examples/loh1/loh1.toml");
    let survey = include_str!("../../../../../examples/marine_line/marine_line.toml");
    let gravity = include_str!("../../../../../examples/seven_balls/seven_balls.toml");
    let as_scenario = |text| craton::Scenario::parse("it.toml", text, std::path::PathBuf::new(), &[]).map(drop);
    let as_survey = |text| craton::survey::SurveyFile::parse("it.toml", text, std::path::PathBuf::new(), &[]).map(drop);
    let as_gravity =
        |text| craton::gravity::GravityFile::parse("it.toml", text, std::path::PathBuf::new(), &[]).map(drop);
    // An incomplete survey with a misspelt key.
    let (begun, _) = survey.split_once("[acquisition").expect("an acquisition");
    let begun = format!("{begun}\n[aquisition.fixed]\n");
    for (read, expected) in [
        (as_survey(&begun), Some("aquisition: ")),
        (as_survey(&begun), Some("source: ")),
        (as_scenario(scenario), None),
        (as_survey(survey), None),
        (as_gravity(gravity), None),
        (
            as_scenario(survey),
            Some("acquisition: this key belongs to a survey, not to a scenario (use `craton survey`"),
        ),
        (
            as_scenario(gravity),
            Some("body: this key belongs to a gravity problem, not to a scenario (use `craton gravity`"),
        ),
        (as_survey(scenario), Some("model: this key belongs to a scenario, not to a survey (use `craton run`")),
        (
            as_survey(gravity),
            Some("body: this key belongs to a gravity problem, not to a survey (use `craton gravity`"),
        ),
        (
            as_gravity(scenario),
            Some("model: this key belongs to a scenario, not to a gravity problem (add a table [gravity]"),
        ),
        (
            as_gravity(survey),
            Some("acquisition: this key belongs to a survey, not to a gravity problem (use `craton survey`"),
        ),
    ] {
        let lines = read.err().map(|errors| errors.lines());
        let matches = lines.as_deref().map(|lines| expected.is_some_and(|expected| lines.contains(expected)));
        assert_eq!(matches, expected.map(|_| true), "{lines:?} instead of {expected:?}");
    }
}

#[test]
fn an_empty_output_directory_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    files(folder.path(), &free());
    let mut options = options(folder.path(), &[]);
    options.overrides.push("output.directory=''".to_owned());
    let message = error_text(survey(&folder.path().join("it.toml"), &options));
    assert!(message.contains("output.directory") && message.contains("give a folder for the results"), "{message}");
}
