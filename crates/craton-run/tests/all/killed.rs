//! A process killed at any moment leaves intact files on the disk.
//!
//! The test binary starts itself again as the process to kill: the tests named `child_...` do nothing unless [`FOLDER`] is set.
#![cfg(unix)]

use craton_run::{Cancel, Checkpoint, CheckpointStore, SectionForm};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const FOLDER: &str = "CRATON_RUN_TEST_FOLDER";
const SCENARIO: u64 = 42;
const VALUES: usize = 1 << 18;

fn start(role: &str, folder: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &format!("killed::{role}"), "--test-threads=1"]).env(FOLDER, folder);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// The newest checkpoint.
fn newest(store: &CheckpointStore) -> Option<Checkpoint> {
    store.checkpoint(store.paths().unwrap().first()?).ok()
}

fn wait_until(what: &str, mut happened: impl FnMut() -> bool) {
    let start = Instant::now();
    while !happened() {
        assert!(start.elapsed() < Duration::from_secs(60), "timed out waiting for {what}");
        sleep(Duration::from_millis(2));
    }
}

#[test]
fn child_writes_checkpoints_for_ever() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let store = CheckpointStore::open(Path::new(&folder), SCENARIO).unwrap();
    let first = newest(&store).map_or(0, |checkpoint| checkpoint.step());
    for step in first + 1.. {
        let state = vec![step as f32; VALUES];
        let mut draft = store.draft(step, &[SectionForm::new::<f32>("state", &[VALUES], &[VALUES])]).unwrap();
        draft.write(0, 0, &state).unwrap();
        draft.finish().unwrap();
    }
}

#[test]
fn child_stops_when_asked() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return;
    };
    let cancel = Cancel::on_signals().unwrap();
    std::fs::write(Path::new(&folder).join("ready"), "").unwrap();
    wait_until("a signal", || cancel.is_cancelled());
    std::fs::write(Path::new(&folder).join("stopped"), "").unwrap();
    // Waits until a second signal ends the process.
    sleep(Duration::from_secs(60));
}

#[test]
fn kill_9_at_any_moment_leaves_an_intact_checkpoint() {
    let folder = tempfile::tempdir().unwrap();
    let store = CheckpointStore::open(folder.path(), SCENARIO).unwrap();
    let mut last_step = 0;
    for round in 0..12_u64 {
        let mut child = start("child_writes_checkpoints_for_ever", folder.path());
        // The child may remove a checkpoint before it is opened.
        let step = || newest(&store).map_or(0, |checkpoint| checkpoint.step());
        wait_until("a first checkpoint", || step() > last_step);
        // Spread the kills over the duration of one checkpoint, a few milliseconds.
        sleep(Duration::from_micros(round * 1370 % 9000));
        child.kill().unwrap();
        child.wait().unwrap();
        let checkpoint = newest(&store).expect("a checkpoint survives");
        checkpoint.verify().unwrap();
        assert!(checkpoint.step() > last_step);
        last_step = checkpoint.step();
        let state: Vec<f32> = checkpoint.read("state").unwrap();
        assert!(state.len() == VALUES && state.iter().all(|&value| value == last_step as f32));
    }
}

#[test]
fn the_first_signal_requests_a_stop_and_the_second_ends_the_process() {
    for signal in ["-INT", "-TERM"] {
        let folder = tempfile::tempdir().unwrap();
        let mut child = start("child_stops_when_asked", folder.path());
        let send = || assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
        wait_until("the handler", || folder.path().join("ready").exists());
        send();
        wait_until("the request", || folder.path().join("stopped").exists());
        send();
        assert_eq!(child.wait().unwrap().code(), Some(130));
    }
}
