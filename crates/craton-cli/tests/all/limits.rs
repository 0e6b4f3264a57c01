//! Limits of the system and signals of batch systems stop a run cleanly.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::small_run::small_run;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("it.toml"), small_run(2000.0, 1.0)).expect("written");
    folder
}

fn craton(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("craton"));
    command.args(arguments).current_dir(folder).env("NO_COLOR", "1").env("COLUMNS", "200");
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command
}

#[test]
fn a_limit_of_file_sizes_is_an_error_that_names_the_file() {
    let folder = folder();
    let binary = assert_cmd::cargo::cargo_bin("craton");
    let script = format!("ulimit -f 16; exec '{}' run it.toml --quiet --device cpu", binary.display());
    let output = Command::new("sh").args(["-c", &script]).current_dir(folder.path()).output().expect("a shell");
    let said =
        String::from_utf8_lossy(&output.stderr).replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("results/model.png") && said.contains("ulimit -f"), "{said}");
    let names = std::fs::read_dir(folder.path().join("results")).expect("a folder");
    let names: Vec<String> =
        names.map(|entry| entry.expect("a file").file_name().into_string().expect("text")).collect();
    assert!(names.iter().all(|name| !name.starts_with(".tmp") && !name.ends_with(".partial")), "{names:?}");
}

#[test]
fn signals_of_batch_systems_stop_with_a_checkpoint() {
    let folder = folder();
    for (number, signal) in ["-USR1", "-XCPU", "-USR2"].into_iter().enumerate() {
        let arguments = if number == 0 { &["run", "it.toml"][..] } else { &["resume", "results"] };
        let process =
            craton(folder.path(), &[arguments, &["--quiet", "--device", "cpu"]].concat()).spawn().expect("a run");
        let (pictures, begun) = (folder.path().join("results/model.png"), Instant::now());
        while !pictures.exists() {
            assert!(begun.elapsed() < Duration::from_secs(60), "the run has not started");
            std::thread::sleep(Duration::from_millis(5));
        }
        // A limit of CPU time repeats its signal, which must not end the process at once.
        for _ in 0..2 {
            let sent = Command::new("kill").args([signal, &process.id().to_string()]).stderr(Stdio::null()).status();
            sent.expect("kill");
            std::thread::sleep(Duration::from_millis(2));
        }
        let output = process.wait_with_output().expect("ended");
        assert_eq!(output.status.code(), Some(130), "{signal}: {}", String::from_utf8_lossy(&output.stderr));
        let checkpoints = std::fs::read_dir(folder.path().join("results/checkpoints")).expect("a folder");
        assert!(checkpoints.count() > 0, "{signal}");
        std::fs::remove_file(&pictures).expect("a picture");
    }
}
