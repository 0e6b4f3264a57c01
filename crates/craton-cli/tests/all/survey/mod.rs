//! A survey gives the same file after interruptions, and errors are reported.

mod damage;
mod many_files;

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Twelve shots in a plane, a few hundredths of a second each.
const SURVEY: &str = r#"
duration = 0.5
[domain]
x = [0.0, 1000.0]
depth = [0.0, 600.0]
[model.layered]
layers = [{ vp = 1500.0, rho = 1000.0 }, { top = 300.0, vp = 2000.0, rho = 2000.0 }]
[acquisition.fixed]
shot_line = [{ from = [100.0, 0.0, 10.0], to = [900.0, 0.0, 10.0], count = 12 }]
receiver_line = [{ from = [50.0, 0.0, 20.0], to = [950.0, 0.0, 20.0], count = 31 }]
[source]
time_function.ricker = { frequency = 15.0 }
[method.fd]
max_frequency = 40.0
[output]
directory = "results"
sample_interval = 0.004
[compute]
threads = 2
device = "cpu"
"#;

fn craton(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("craton"));
    command.args(["survey", "it.toml"]).args(arguments).current_dir(folder).env("NO_COLOR", "1").env("COLUMNS", "200");
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

fn survey_in(folder: &Path) {
    std::fs::write(folder.join("it.toml"), SURVEY).expect("written");
}

fn finished(folder: &Path, arguments: &[&str]) {
    let output = craton(folder, arguments).output().expect("a process");
    assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));
}

fn stderr_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).replace("\n  │ ", " ")
}

fn gathers(folder: &Path) -> Vec<u8> {
    std::fs::read(folder.join("results/gathers.segy")).expect("gathers")
}

/// The error output of a survey that fails because no file may exceed 100 blocks, as on a full disk.
#[cfg(unix)]
fn on_full_disk(folder: &Path, words: &str) -> String {
    let binary = assert_cmd::cargo::cargo_bin("craton");
    let script = format!("trap '' XFSZ; ulimit -f 100; exec '{}' survey it.toml {words}", binary.display());
    let full = Command::new("sh").args(["-c", &script]).current_dir(folder).output().expect("a shell");
    assert_eq!(full.status.code(), Some(1), "{}", stderr_of(&full));
    stderr_of(&full)
}

/// The file of an uninterrupted survey, computed once.
fn uninterrupted() -> &'static [u8] {
    static GATHERS: OnceLock<Vec<u8>> = OnceLock::new();
    GATHERS.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        survey_in(folder.path());
        finished(folder.path(), &["--quiet"]);
        gathers(folder.path())
    })
}

/// Waits until the length of the journal shows that shots are done.
fn wait_for_shots(folder: &Path) {
    let begun = Instant::now();
    let length = || std::fs::metadata(folder.join("results/journal/journal")).map_or(0, |found| found.len());
    while length() < 1200 {
        assert!(begun.elapsed() < Duration::from_secs(60), "no shot is done");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn progress_and_report_contain_shots_rate_time_left_and_shares() {
    let folder = tempfile::tempdir().expect("a folder");
    survey_in(folder.path());
    let output = craton(folder.path(), &[]).stdout(Stdio::piped()).output().expect("a process");
    let progress = stderr_of(&output);
    for words in ["computing on CPU", "shot 12/12", " left", " shots/s", " points/s"] {
        assert!(progress.contains(words), "{words}: {progress}");
    }
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(report.contains("CPU: 12 shots (100.0 %), idle "), "{report}");
    assert!(!report.contains("all processes"), "{report}");
}

#[test]
fn processes_share_a_survey() {
    let folder = tempfile::tempdir().expect("a folder");
    survey_in(folder.path());
    let start = || craton(folder.path(), &["--quiet", "--threads", "1"]).spawn().expect("a process");
    let processes = [start(), start(), start()];
    for process in processes {
        let output = process.wait_with_output().expect("ended");
        assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));
    }
    assert!(gathers(folder.path()) == uninterrupted(), "three processes must not change the survey");
    // Repeated, the command has nothing left to do.
    finished(folder.path(), &[]);
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_completed_shots_and_the_same_command_continues() {
    let folder = tempfile::tempdir().expect("a folder");
    survey_in(folder.path());
    let process = craton(folder.path(), &[]).spawn().expect("a process");
    wait_for_shots(folder.path());
    let signal = Command::new("kill").args(["-INT", &process.id().to_string()]).status().expect("kill");
    assert!(signal.success());
    let output = process.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(130), "{}", stderr_of(&output));
    assert!(!folder.path().join("results/gathers.segy").exists(), "the survey ended before it was stopped");
    let mut resume = Command::new(assert_cmd::cargo::cargo_bin("craton"));
    let resumed = resume.args(["resume", "results"]).current_dir(folder.path()).output().expect("a process");
    assert_eq!(resumed.status.code(), Some(2), "{}", stderr_of(&resumed));
    assert!(stderr_of(&resumed).contains("run the command that started it again"), "{}", stderr_of(&resumed));
    finished(folder.path(), &[]);
    assert!(gathers(folder.path()) == uninterrupted());
}

#[cfg(unix)]
#[test]
fn a_file_removed_during_a_survey_is_reported_and_restored() {
    let folder = tempfile::tempdir().expect("a folder");
    survey_in(folder.path());
    let process = craton(folder.path(), &["--threads", "1"]).spawn().expect("a process");
    wait_for_shots(folder.path());
    std::fs::remove_file(folder.path().join("results/gathers.segy.partial")).expect("removed");
    let output = process.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(1), "{}", stderr_of(&output));
    assert!(
        stderr_of(&output).contains("results/gathers.segy.partial was removed or truncated"),
        "{}",
        stderr_of(&output)
    );
    assert!(stderr_of(&output).contains("epeat the command"), "{}", stderr_of(&output));
    finished(folder.path(), &[]);
    assert!(gathers(folder.path()) == uninterrupted());
}

#[test]
fn shots_with_changed_bytes_are_recomputed() {
    let folder = tempfile::tempdir().expect("a folder");
    survey_in(folder.path());
    let mut process = craton(folder.path(), &["--quiet"]).spawn().expect("a process");
    wait_for_shots(folder.path());
    process.kill().expect("killed");
    process.wait().expect("dead");
    let partial = folder.path().join("results/gathers.segy.partial");
    let mut bytes = std::fs::read(&partial).expect("a partial file");
    let first_shot = 3600 + 1000..3600 + 1400;
    bytes[first_shot].fill(7);
    std::fs::write(&partial, bytes).expect("written");
    finished(folder.path(), &["--quiet"]);
    assert!(gathers(folder.path()) == uninterrupted());
}

#[test]
fn a_different_survey_in_the_folder_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    survey_in(folder.path());
    finished(folder.path(), &["--quiet"]);
    let before = gathers(folder.path());
    let other = craton(folder.path(), &["--set", "source.amplitude=2"]).output().expect("a process");
    assert_eq!(other.status.code(), Some(2), "{}", stderr_of(&other));
    assert!(stderr_of(&other).contains("belongs to another survey"), "{}", stderr_of(&other));
    assert!(gathers(folder.path()) == before, "a refused survey must not change the file");
    finished(folder.path(), &["--quiet", "--overwrite", "--set", "source.amplitude=2"]);
    assert!(gathers(folder.path()) != before);
}

#[test]
fn a_different_survey_is_refused_while_one_is_running() {
    let folder = tempfile::tempdir().expect("a folder");
    survey_in(folder.path());
    let first = craton(folder.path(), &["--quiet", "--threads", "1"]).spawn().expect("a process");
    wait_for_shots(folder.path());
    let other = craton(folder.path(), &["--set", "source.amplitude=2"]).output().expect("a process");
    assert_eq!(other.status.code(), Some(2), "{}", stderr_of(&other));
    assert!(stderr_of(&other).contains("belongs to another survey"), "{}", stderr_of(&other));
    let output = first.wait_with_output().expect("ended");
    assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));
    assert!(gathers(folder.path()) == uninterrupted(), "a refused survey must not change the running one");
}

#[cfg(unix)]
#[test]
fn a_full_disk_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    survey_in(folder.path());
    let full = on_full_disk(folder.path(), "");
    assert!(full.contains("gathers.segy.partial"), "{full}");
    finished(folder.path(), &["--quiet"]);
    assert!(gathers(folder.path()) == uninterrupted());
}

/// The shot number and the trace number in the file, for each trace.
fn numbers(bytes: &[u8]) -> Vec<[i32; 2]> {
    let word = |at: &[u8]| i32::from_be_bytes(at.try_into().expect("four bytes"));
    let samples = usize::from(u16::from_be_bytes([bytes[3220], bytes[3221]]));
    bytes[3600..].chunks(240 + 4 * samples).map(|trace| [word(&trace[8..12]), word(&trace[4..8])]).collect()
}

/// Three shots from a table, the second with this source weight.
fn three_shots_in(folder: &Path, weight: &str) {
    let start = SURVEY.find("[acquisition.fixed]").expect("a table");
    let end = SURVEY.find("[source]").expect("a table");
    let tables = "[acquisition.tables]\nshots = \"shots.csv\"\nreceivers = \"receivers.csv\"\n";
    let survey =
        format!("{}{tables}{}", &SURVEY[..start], &SURVEY[end..]).replace("[method", "amplitude = 1e10\n[method");
    let survey = survey.replace("max_frequency = 40.0", "max_frequency = 20.0");
    std::fs::write(folder.join("it.toml"), &survey).expect("written");
    let shots = format!("shot,x,y,depth,weight\n3,300,0,10,1\n5,500,0,10,{weight}\n8,700,0,10,1\n");
    std::fs::write(folder.join("shots.csv"), shots).expect("written");
    std::fs::write(folder.join("receivers.csv"), "channel,x,y,depth\n1,200,0,20\n2,800,0,20\n").expect("written");
}

#[test]
fn a_failed_shot_is_reported_and_omitted() {
    // An emulated device computes the first two shots concurrently.
    for device in ["cpu", "emulated"] {
        let (folder, whole) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
        // The weight exceeds single precision.
        three_shots_in(folder.path(), "1e30");
        three_shots_in(whole.path(), "1");
        finished(whole.path(), &["--quiet", "--device", device]);
        let arguments = ["--device", device];
        let output = craton(folder.path(), &arguments).stdout(Stdio::piped()).output().expect("a process");
        assert_eq!(output.status.code(), Some(1), "{device}: {}", stderr_of(&output));
        let report = String::from_utf8_lossy(&output.stdout);
        assert!(report.contains("shot 5 failed twice and is left out"), "{device}: {report}");
        assert!(!report.contains("shot 3 failed") && report.contains("--retry-failed"), "{device}: {report}");
        let (found, expected) = (gathers(folder.path()), gathers(whole.path()));
        assert_eq!(numbers(&expected), [[3, 1], [3, 2], [5, 3], [5, 4], [8, 5], [8, 6]]);
        assert_eq!(numbers(&found), [[3, 1], [3, 2], [8, 3], [8, 4]], "{device}");
        let trace = (expected.len() - 3600) / 6;
        let samples =
            |bytes: &[u8], index: usize| bytes[3600 + index * trace + 240..3600 + (index + 1) * trace].to_vec();
        for (kept, known) in [(0, 0), (1, 1), (2, 4), (3, 5)] {
            assert!(samples(&found, kept) == samples(&expected, known), "{device}: trace {kept} has other samples");
        }
        assert!(!folder.path().join("results/gathers.segy.partial").exists());
    }
}

#[test]
fn invalid_surveys_are_refused_before_anything_is_written() {
    let folder = tempfile::tempdir().expect("a folder");
    survey_in(folder.path());
    // A truncated model of 45 points.
    std::fs::write(folder.path().join("vp.bin"), [0; 100]).expect("written");
    let cut = "model={ volume = { velocity = { file = 'vp.bin', shape = [5, 9], spacing = [200.0, 125.0] } } }";
    let su = "output={ directory='results', sample_interval=0.004, format='su', samples='ibm' }";
    let tops = "model.layered.layers=[{ top = -10.0, vp = 1500.0 }, { top = -20.0, vp = 2000.0 }]";
    let on_top = "acquisition.fixed.receiver_line=[{ from = [50.0, 0.0, 0.0], to = [950.0, 0.0, 0.0], count = 31 }]";
    let cases: [(&str, &[&str]); 11] = [
        (cut, &["vp.bin", "180"]),
        ("acquisition.fixed.receiver_line[0].to=[1900, 0, 20]", &["receiver of shot 1, channel"]),
        ("acquisition.fixed.shot_line[0].from=[-100, 0, 10]", &["source of shot 1"]),
        ("acquisition.fixed.shot_line[0].from=[100, 0, 0]", &["source of shot 1", "free surface", "below the top"]),
        (
            on_top,
            &["all receivers are on the free surface, where the pressure is zero", "velocity_z", "boundaries.top"],
        ),
        ("acquisition.fixed.shot_line[0].count=2000000000", &["1000000"]),
        ("model.layered.layers[0].vp=1.5", &["1.5", ">= 100"]),
        ("output.pictures=[77]", &["77", "1 or 12"]),
        (su, &["output.samples", "ibm", "format = \"segy\""]),
        (tops, &["layers[1].top", "-20", "> -10 m"]),
        ("model.layered.layers[0].top=200", &["layers[0].top", "200", "domain.depth[0]"]),
    ];
    for (change, words) in cases {
        let output = craton(folder.path(), &["--set", change]).output().expect("a process");
        assert_eq!(output.status.code(), Some(2), "{change}: {}", stderr_of(&output));
        let message = stderr_of(&output).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(words.iter().all(|word| message.contains(word)), "{change}: {message}");
        assert!(!folder.path().join("results").exists(), "{change}");
    }
    let mut run = Command::new(assert_cmd::cargo::cargo_bin("craton"));
    let output = run.args(["run", "it.toml"]).current_dir(folder.path()).output().expect("a process");
    assert_eq!(output.status.code(), Some(2), "{}", stderr_of(&output));
    assert!(stderr_of(&output).contains("craton survey"), "{}", stderr_of(&output));
}

#[test]
fn a_reproducible_survey_keeps_its_kind_of_device() {
    let folder = tempfile::tempdir().expect("a folder");
    survey_in(folder.path());
    let mut process = craton(folder.path(), &["--quiet", "--reproducible"]).spawn().expect("a process");
    wait_for_shots(folder.path());
    process.kill().expect("killed");
    process.wait().expect("dead");
    let other = craton(folder.path(), &["--reproducible", "--device", "emulated"]).output().expect("a process");
    assert_eq!(other.status.code(), Some(2), "{}", stderr_of(&other));
    assert!(
        stderr_of(&other)
            .contains("compute.reproducible = true: this survey was started on another kind of device, not on "),
        "{}",
        stderr_of(&other)
    );
    finished(folder.path(), &["--quiet", "--reproducible"]);
    assert!(gathers(folder.path()) == uninterrupted());
}
