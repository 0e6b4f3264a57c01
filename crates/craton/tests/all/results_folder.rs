//! Results and scenarios in a results folder are never lost.

use std::fs;
use std::path::{Path, PathBuf};

use craton::options::{CheckOptions, RunOptions};
use craton::{Error, check, run};

/// Eight elements and a few steps.
const SCENARIO: &str = r#"# eight elements
duration = 0.05
[domain]
x = [0.0, 400.0]
y = [0.0, 400.0]
z = [-400.0, 0.0]
[model.homogeneous]
vp = 3500.0
vs = 2000.0
rho = 2500.0
[[source]]
position = [150.0, 150.0, -200.0]
force = [0.0, 0.0, 1.0e9]
time_function.gaussian = { sigma = 0.1, centre = 0.3 }
[receivers]
stations = [{ code = "XX.S1", position = [200.0, 300.0, 0.0] }]
[method.sem]
max_frequency = 4.0
element_size = 200.0
degree = 2
[output]
directory = "results"
[compute]
device = "cpu"
"#;

/// A scenario in a folder that is also its results folder.
fn scenario_in_results_folder(name: &str) -> (tempfile::TempDir, PathBuf, Vec<String>) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join(name);
    fs::write(&file, SCENARIO).expect("written");
    let here = format!("output.directory={}", folder.path().display());
    (folder, file, vec![here])
}

fn text(file: &Path) -> String {
    fs::read_to_string(file).expect("a file")
}

#[test]
fn a_scenario_in_its_results_folder_is_refused() {
    let (_folder, file, overrides) = scenario_in_results_folder("scenario.toml");
    for overwrite in [false, true] {
        let options = RunOptions { overrides: overrides.clone(), overwrite, ..RunOptions::default() };
        let error = run(&file, &options).expect_err("its own folder");
        assert!(matches!(error, Error::OwnFolder { .. }) && error.is_bad_input(), "{error}");
        let help = miette::Diagnostic::help(&error).expect("help").to_string();
        assert!(help.contains("--set output.directory=FOLDER") && !help.contains("--overwrite"), "{help}");
        assert!(!error.to_string().contains("--overwrite"), "{error}");
        assert_eq!(text(&file), SCENARIO);
    }
    let report = check(&file, &CheckOptions { overrides, ..CheckOptions::default() }).expect("a valid scenario");
    assert!(report.warnings.iter().any(|warning| warning.contains(" belongs to the results folder ")), "{report}");
}

#[test]
fn a_scenario_next_to_its_results_is_kept() {
    let (folder, file, overrides) = scenario_in_results_folder("box.toml");
    let options = |overwrite| RunOptions { overrides: overrides.clone(), overwrite, ..RunOptions::default() };
    let error = run(&file, &options(false)).expect_err("a folder that is not empty");
    assert!(error.to_string().contains("\"box.toml\"") && error.to_string().contains("--overwrite"), "{error}");
    for _ in 0..2 {
        run(&file, &options(true)).expect("a run");
        assert_eq!(text(&file), SCENARIO);
        assert!(folder.path().join("scenario.toml").is_file());
    }
}

#[test]
fn the_saved_scenario_is_the_file_or_lists_its_overrides() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("box.toml");
    let scenario =
        SCENARIO.replace("\"results\"", &format!("{:?}", folder.path().join("results"))).replace('\n', "\r\n");
    fs::write(&file, &scenario).expect("written");
    let mut options = RunOptions { overwrite: true, ..RunOptions::default() };
    run(&file, &options).expect("a run");
    let saved = folder.path().join("results/scenario.toml");
    assert_eq!(text(&saved), scenario);

    options.overrides = vec!["title=Two\nlayers".to_owned(), "duration=0.1".to_owned()];
    run(&file, &options).expect("a run");
    let changed = text(&saved);
    let head = format!(
        "# The values of the scenario {}, changed by\n#   --set title=Two\\nlayers\n#   --set duration=0.1\n\n",
        file.display()
    );
    assert!(changed.starts_with(&head), "{changed}");
    options.overrides.clear();
    options.overwrite = false;
    let again = folder.path().join("again.toml");
    fs::write(&again, &changed).expect("written");
    let error = run(&again, &options).expect_err("a folder that is not empty");
    assert!(error.to_string().contains("--overwrite"), "{error}");
}

#[test]
fn a_complete_run_leaves_no_checkpoints() {
    let (folder, file, overrides) = scenario_in_results_folder("box.toml");
    let results = folder.path().join("results");
    let more = [format!("output.directory={}", results.display()), "output.checkpoint_interval=1e-9".to_owned()];
    let options = RunOptions { overrides: [overrides, more.to_vec()].concat(), ..RunOptions::default() };
    run(&file, &options).expect("a run");
    let remaining: Vec<PathBuf> = fs::read_dir(results.join("checkpoints"))
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert!(remaining.is_empty(), "{remaining:?}");
}
