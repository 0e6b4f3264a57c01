//! Gravity computations give identical results after interruptions, and invalid input is reported.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A few seconds of work in several pieces.
const PROBLEM: &str = r#"
fields = ["g_d", "g_dd"]
[[body]]
ball = { centre = [0.0, 0.0, -1500.0], radius = 1000.0, cell = 50.0, density = 300.0 }
[points.grid]
x = [-3000.0, 3000.0]
y = [-3000.0, 3000.0]
count = [81, 81]
z = 10.0
[output]
directory = "results"
pictures = false
formats = ["csv", "esri"]
"#;

fn craton(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("craton"));
    command.args(["gravity", "it.toml"]).args(arguments).current_dir(folder).env("NO_COLOR", "1").env("COLUMNS", "200");
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn problem_in(folder: &Path) {
    std::fs::write(folder.join("it.toml"), PROBLEM).expect("written");
}

fn stderr_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).replace("\n  │ ", " ")
}

fn finished(folder: &Path, arguments: &[&str]) {
    let output = craton(folder, arguments).output().expect("a process");
    assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));
}

fn results(folder: &Path) -> Vec<u8> {
    std::fs::read(folder.join("results/gravity.csv")).expect("results")
}

/// The results of an uninterrupted command, computed once.
fn uninterrupted() -> &'static [u8] {
    static RESULTS: OnceLock<Vec<u8>> = OnceLock::new();
    RESULTS.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        problem_in(folder.path());
        finished(folder.path(), &["--quiet"]);
        results(folder.path())
    })
}

/// Waits until the length of the journal shows that pieces are done.
fn wait_for_pieces(folder: &Path) {
    let begun = Instant::now();
    let length = || std::fs::metadata(folder.join("results/journal/journal")).map_or(0, |found| found.len());
    while length() < 700 {
        assert!(begun.elapsed() < Duration::from_secs(60), "no piece is done");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn sums_killed_repeatedly_and_shared_by_processes_are_identical() {
    let expected = uninterrupted();
    let folder = tempfile::tempdir().expect("a folder");
    problem_in(folder.path());
    // A pseudorandom sequence, the same in every run of the test.
    let mut state = 12345_u64;
    for _ in 0..6 {
        let mut process = craton(folder.path(), &["--quiet"]).stderr(Stdio::null()).spawn().expect("a process");
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_millis((state >> 33) % 150));
        process.kill().expect("killed");
        process.wait().expect("dead");
    }
    let start = || craton(folder.path(), &["--quiet", "--threads", "1"]).spawn().expect("a process");
    for process in [start(), start(), start()] {
        let output = process.wait_with_output().expect("ended");
        assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));
    }
    assert!(results(folder.path()) == expected, "killed and shared sums must not change the results");
    assert!(!folder.path().join("results/gravity.values").exists(), "the intermediate file must be removed");
    // Repeated, the command has nothing left to do.
    finished(folder.path(), &[]);
    let resumed = Command::new(assert_cmd::cargo::cargo_bin("craton"))
        .args(["resume", "results"])
        .current_dir(folder.path())
        .output();
    let resumed = resumed.expect("a process");
    assert_eq!(resumed.status.code(), Some(2), "{}", stderr_of(&resumed));
    assert!(stderr_of(&resumed).contains("the command that started it"), "{}", stderr_of(&resumed));
    let other = craton(folder.path(), &["--set", "points.grid.z=20"]).output().expect("a process");
    assert_eq!(other.status.code(), Some(2), "{}", stderr_of(&other));
    let words = stderr_of(&other).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("--overwrite"), "{words}");
    assert!(words.contains("the results of another problem: points.grid.z was 10.0 and is"), "{words}");
    finished(folder.path(), &["--set", "points.grid.z=20", "--overwrite"]);
    assert!(results(folder.path()) != expected);
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_completed_pieces_and_the_same_command_continues() {
    let folder = tempfile::tempdir().expect("a folder");
    problem_in(folder.path());
    let process = craton(folder.path(), &[]).stdout(Stdio::piped()).spawn().expect("a process");
    wait_for_pieces(folder.path());
    let signal = Command::new("kill").args(["-INT", &process.id().to_string()]).status().expect("kill");
    assert!(signal.success());
    let output = process.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(130), "{}", stderr_of(&output));
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(report.contains(" pieces are done. Repeat the command to continue"), "{report}");
    assert!(!folder.path().join("results/gravity.csv").exists());
    std::fs::remove_file(folder.path().join("results/gravity.values")).expect("removed");
    // The pieces of the removed file are recomputed.
    finished(folder.path(), &["--quiet"]);
    assert!(results(folder.path()) == uninterrupted(), "interrupted sums must not change the results");
}

#[cfg(unix)]
#[test]
fn ctrl_c_stops_the_construction_of_a_tree() {
    let folder = tempfile::tempdir().expect("a folder");
    let large =
        PROBLEM.replace("cell = 50.0", "cell = 14.0").replace("[output]", "[method]\naccuracy = 1e-5\n[output]");
    std::fs::write(folder.path().join("it.toml"), large).expect("written");
    let process = craton(folder.path(), &[]).stdout(Stdio::piped()).spawn().expect("a process");
    let begun = Instant::now();
    while !folder.path().join("results/run.json").exists() {
        assert!(begun.elapsed() < Duration::from_secs(120), "the computation has not started");
        std::thread::sleep(Duration::from_millis(2));
    }
    let signal = Command::new("kill").args(["-INT", &process.id().to_string()]).status().expect("kill");
    assert!(signal.success());
    let output = process.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(130), "{}", stderr_of(&output));
    assert!(stderr_of(&output).contains("building a tree of 1526320 prisms"), "{}", stderr_of(&output));
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(report.contains(" of 2 pieces are done. Repeat the command to continue"), "{report}");
}

#[test]
fn many_processes_at_once_write_the_results_once() {
    for _ in 0..2 {
        let folder = tempfile::tempdir().expect("a folder");
        let tiny = PROBLEM.replace("cell = 50.0", "cell = 500.0").replace("[81, 81]", "[60, 60]");
        std::fs::write(folder.path().join("it.toml"), tiny).expect("written");
        let start = |_| craton(folder.path(), &["--quiet", "--threads", "1"]).spawn().expect("a process");
        for process in (0..6).map(start).collect::<Vec<_>>() {
            let output = process.wait_with_output().expect("ended");
            assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));
        }
        let record = std::fs::read_to_string(folder.path().join("results/run.json")).expect("a record");
        assert!(record.contains("\"status\": \"complete\""), "{record}");
        assert!(!folder.path().join("results/gravity.values").exists());
        // Removed results are restored.
        let expected = results(folder.path());
        std::fs::remove_file(folder.path().join("results/gravity.csv")).expect("removed");
        finished(folder.path(), &["--quiet", "--set", "title='Again'"]);
        assert!(results(folder.path()) == expected);
    }
}

#[test]
fn processes_with_devices_share_pieces_and_continue_a_killed_run() {
    let small = PROBLEM.replace("cell = 50.0", "cell = 250.0").replace("[81, 81]", "[31, 31]");
    let begin = || {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("it.toml"), &small).expect("written");
        folder
    };
    let folder = begin();
    finished(folder.path(), &["--quiet", "--device", "emulated"]);
    let expected = results(folder.path());
    let folder = begin();
    let start = |devices: &str| {
        craton(folder.path(), &["--quiet", "--device", "emulated", "--devices", devices]).spawn().expect("a process")
    };
    let mut killed = start("2");
    wait_for_pieces(folder.path());
    killed.kill().expect("killed");
    killed.wait().expect("dead");
    for process in [start("1"), start("3")] {
        let output = process.wait_with_output().expect("ended");
        assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));
    }
    assert!(results(folder.path()) == expected, "shared devices must not change the results");
    // The CPU does not continue a computation of GPUs.
    std::fs::remove_file(folder.path().join("results/gravity.csv")).expect("removed");
    let output = craton(folder.path(), &["--quiet", "--device", "cpu"]).output().expect("a process");
    assert_eq!(output.status.code(), Some(2), "{}", stderr_of(&output));
    assert!(stderr_of(&output).contains("on another kind of device, not on the CPU"), "{}", stderr_of(&output));
}

/// The error message for the problem with one line replaced.
fn refusal(right: &str, wrong: &str, files: &[(&str, &str)]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(PROBLEM.contains(right), "{right}");
    std::fs::write(folder.path().join("it.toml"), PROBLEM.replacen(right, wrong, 1)).expect("written");
    files.iter().for_each(|(name, text)| std::fs::write(folder.path().join(name), text).expect("written"));
    let output = craton(folder.path(), &[]).output().expect("a process");
    assert_eq!(output.status.code(), Some(2), "{}", stderr_of(&output));
    assert!(!folder.path().join("results").exists(), "a refused problem must not create a folder");
    stderr_of(&output)
}

/// A line, its replacement, additional files with their texts, and words of the message.
type Case<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)], &'a [&'a str]);

#[test]
fn bad_input_is_refused_with_file_line_and_value() {
    let ball = "ball = { centre = [0.0, 0.0, -1500.0], radius = 1000.0, cell = 50.0, density = 300.0 }";
    let list = "prisms.file = 'p.csv'";
    let header = "west,east,south,north,bottom,top,density\n0,1,0,1,-2,-1,100\n";
    let with = |row: &str| format!("{header}{row}\n");
    let turned = with("5,4,0,1,-2,-1,100");
    let no_number = with("0,1,0,1,nan,-1,100");
    let cases: [Case; 15] = [
        (
            ball,
            list,
            &[("p.csv", &turned)],
            &["line 3: west", "west is 5 m and east 4 m", "west < east", "swap the two values"],
        ),
        (ball, list, &[("p.csv", &no_number)], &["p.csv\": line 3", "nan"]),
        (ball, list, &[("p.csv", "west,east\n0,1\n")], &["p.csv", "south"]),
        (ball, list, &[], &["p.csv", "cannot be read"]),
        ("cell = 50.0", "cell = 0.01", &[], &["cell", "results in", "at least"]),
        (
            "cell = 50.0",
            "cell = 5000.0",
            &[],
            &["cell", "is too large: the sphere contains no cell centre", "less than the radius"],
        ),
        (ball, "prisms.rows = []", &[], &["has no prisms", "`file`, or `rows`"]),
        (
            ball,
            "block = { x = [1.0, 0.0], y = [0.0, 1.0], z = [0.0, 1.0], density = 1.0 }",
            &[],
            &["[1, 0]", "first < last"],
        ),
        ("[\"g_d\", \"g_dd\"]", "[\"g_d\", \"g_d\"]", &[], &["fields[1]", "is a duplicate"]),
        ("x = [-3000.0, 3000.0]", "x = [3000.0, -3000.0]", &[], &["[3000, -3000]", "first < last"]),
        ("[output]", "[method]\npath = 'tree'\n[output]", &[], &["method.path", "accuracy"]),
        ("pictures = false", "formats = ['esri', 'tiff']", &[], &["tiff", "csv"]),
        ("count = [81, 81]", "count = [81, 41]", &[], &["square cells", "150 m along y"]),
        (
            "x = [-3000.0, 3000.0]\ny = [-3000.0, 3000.0]\ncount = [81, 81]",
            "x = [0.0, 0.0]\ny = [-3000.0, 3000.0]\ncount = [1, 81]",
            &[],
            &["1 x 81 points", "at least two points along x and along y"],
        ),
        ("[\"csv\", \"esri\"]", "[\"csv\", \"csv\"]", &[], &["formats[1]", "is a duplicate"]),
    ];
    for (right, wrong, files, words) in cases {
        let message = refusal(right, wrong, files);
        let joined = message.split_whitespace().collect::<Vec<_>>().join(" ");
        words.iter().for_each(|word| assert!(joined.contains(word), "{wrong}: `{word}` is not in\n{message}"));
    }
}

/// The message of a refused command, in one line.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("craton"));
    let output = command.args(arguments).current_dir(folder).env("NO_COLOR", "1").env("COLUMNS", "200").output();
    let output = output.expect("a process");
    assert_eq!(output.status.code(), Some(2), "{}", stderr_of(&output));
    stderr_of(&output).split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn the_system_error_appears_once_in_a_message() {
    let folder = tempfile::tempdir().expect("a folder");
    for command in ["gravity", "check"] {
        let words = refused(folder.path(), &[command, "missing.toml"]);
        assert_eq!(words.matches("os error 2").count(), 1, "{words}");
    }
}

#[test]
fn an_empty_file_is_reported_with_the_required_tables() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("it.toml"), "").expect("written");
    let words = refused(folder.path(), &["check", "it.toml"]);
    assert!(
        words.contains("the file has no keys and is not a ") && words.contains("a scenario requires [domain] and [model]; a survey requires [acquisition]; a gravity problem requires [[body]] and [points]; see examples/, and `craton reference` for all keys"),
        "{words}"
    );
    // A file without bodies is recognised by its points.
    std::fs::write(folder.path().join("it.toml"), "[points]\n").expect("written");
    let words = refused(folder.path(), &["check", "it.toml"]);
    assert!(words.contains("body: is missing") && !words.contains("duration"), "{words}");
}

#[test]
fn seismogram_commands_refer_to_the_pictures_of_gravity() {
    let folder = tempfile::tempdir().expect("a folder");
    let small = PROBLEM.replace("cell = 50.0", "cell = 500.0").replace("[81, 81]", "[3, 3]");
    std::fs::write(folder.path().join("it.toml"), small).expect("written");
    finished(folder.path(), &["--quiet"]);
    for arguments in [&["plot", "results"][..], &["compare", "results", "results"]] {
        let words = refused(folder.path(), arguments);
        assert!(words.contains("it has results of gravity, not seismograms"), "{words}");
        assert!(words.contains("gravity.png and gradient.png"), "{words}");
    }
}

#[test]
fn densities_in_another_unit_cause_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("it.toml"), PROBLEM.replace("density = 300.0", "density = 2.67"))
        .expect("written");
    let output = Command::new(assert_cmd::cargo::cargo_bin("craton"))
        .args(["check", "it.toml"])
        .current_dir(folder.path())
        .output()
        .expect("a process");
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));
    assert!(report.contains("g/cm3") && report.contains("2.67"), "{report}");
    assert!(report.contains("81 x 81") && report.contains("direct"), "{report}");
}
