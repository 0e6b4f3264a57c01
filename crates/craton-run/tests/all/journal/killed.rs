//! Processes that share a journal may be killed at any moment.
//!
//! The test binary starts itself again as the processes to kill: the tests named `child_...` do nothing unless [`FOLDER`] is set.

use super::{CPU, done, fail, finish, on, open, take};
use craton_run::journal::{Claim, ClaimResult, Status};
use craton_run::{Journal, RunError};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const FOLDER: &str = "CRATON_RUN_TEST_JOURNAL";
const PIECES: u32 = 240;
const KILLS: u32 = 48;
const PROCESSES: usize = 3;
/// Pieces whose first attempt fails.
const FAILS_ONCE: fn(u32) -> bool = |piece| piece % 7 == 3;

fn child_folder() -> Option<PathBuf> {
    std::env::var_os(FOLDER).map(PathBuf::from)
}

fn role(name: &str) -> [String; 3] {
    ["--exact".to_owned(), format!("journal::killed::{name}"), "--test-threads=1".to_owned()]
}

fn start(name: &str, folder: &Path) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(role(name)).env(FOLDER, folder);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn wait_until(what: &str, mut happened: impl FnMut() -> bool) {
    let start = Instant::now();
    while !happened() {
        assert!(start.elapsed() < Duration::from_secs(120), "timed out waiting for {what}");
        sleep(Duration::from_millis(2));
    }
}

#[test]
fn child_does_pieces_until_all_are_done() {
    let Some(folder) = child_folder() else {
        return;
    };
    // Opened before the journal, so that the system releases these locks before that of the worker.
    let in_hand = |piece| File::create(folder.join(format!("piece-{piece}"))).unwrap();
    let in_hand: Vec<File> = (0..PIECES).map(in_hand).collect();
    let journal = open(&folder, PIECES);
    loop {
        match journal.take(4, &on(CPU)).unwrap() {
            ClaimResult::Pieces(claims) => {
                for claim in &claims {
                    if in_hand[claim.piece as usize].try_lock().is_err() {
                        fs::write(folder.join("held twice"), "").unwrap();
                    }
                }
                sleep(Duration::from_millis(1));
                claims.iter().for_each(|claim| in_hand[claim.piece as usize].unlock().unwrap());
                let (bad, good): (Vec<Claim>, Vec<Claim>) =
                    claims.into_iter().partition(|claim| claim.attempt == 1 && FAILS_ONCE(claim.piece));
                bad.iter().for_each(|claim| fail(&journal, claim.piece));
                finish(&journal, &good.iter().map(|claim| claim.piece).collect::<Vec<_>>());
            }
            ClaimResult::Wait => sleep(Duration::from_millis(2)),
            _ => return,
        }
    }
}

#[test]
fn child_holds_what_it_takes() {
    let Some(folder) = child_folder() else {
        return;
    };
    let journal = open(&folder, 10);
    let pieces = take(&journal, 4);
    finish(&journal, &pieces[..1]);
    fs::write(folder.join("ready"), "").unwrap();
    sleep(Duration::from_secs(120));
}

#[test]
fn child_fills_the_disk() {
    let Some(folder) = child_folder() else {
        return;
    };
    let journal = open(&folder, 10_000);
    let mut held = Vec::new();
    let error = loop {
        match journal.take(100, &on(CPU)) {
            Ok(ClaimResult::Pieces(claims)) => held.extend(claims),
            Ok(other) => panic!("{other:?}"),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, RunError::Io { action: "write", .. }), "{error}");
    // Unchanged: pieces taken before are still held, and the next attempt fails again.
    assert_eq!(journal.summary().unwrap().taken as usize, held.len());
    assert!(journal.take(100, &on(CPU)).is_err());
    fs::write(folder.join("held"), held.len().to_string()).unwrap();
}

/// Reads the file of a journal and follows the state of every piece, using only the documented byte layout.
///
/// # Returns
/// How often each piece was done.
fn audit(folder: &Path) -> Vec<u32> {
    let bytes = fs::read(folder.join(Journal::FILE_NAME)).unwrap();
    let mut holder = vec![None; PIECES as usize];
    let mut times_done = vec![0; PIECES as usize];
    for entry in bytes.chunks_exact(128).skip(1) {
        let number = |at: usize| u32::from_le_bytes(entry[at..at + 4].try_into().unwrap());
        let (piece, worker) = (number(4) as usize, number(8));
        match entry[0] {
            1 => {}
            2 => holder.iter_mut().filter(|holder| **holder == Some(worker)).for_each(|holder| *holder = None),
            3 => {
                assert!(holder[piece].replace(worker).is_none() && times_done[piece] == 0, "piece {piece} was not free")
            }
            4 | 5 => {
                assert_eq!(holder[piece].take(), Some(worker), "piece {piece} was not this worker's");
                times_done[piece] += u32::from(entry[0] == 4);
            }
            other => panic!("an entry of kind {other}, which no process wrote"),
        }
    }
    times_done
}

#[test]
fn kill_9_at_any_moment_neither_loses_nor_repeats_a_piece() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path(), PIECES);
    let start_one = || start("child_does_pieces_until_all_are_done", folder.path());
    let mut children: Vec<Child> = (0..PROCESSES).map(|_| start_one()).collect();
    for kill in 0..KILLS {
        wait_until("progress", || journal.summary().unwrap().done >= kill * PIECES / (KILLS + 8));
        // Spread the kills over the duration of a few transactions.
        sleep(Duration::from_micros(u64::from(kill) * 1370 % 9000));
        let child = &mut children[kill as usize % PROCESSES];
        child.kill().unwrap();
        child.wait().unwrap();
        *child = start_one();
    }
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    assert!(!folder.path().join("held twice").exists());
    assert_eq!(audit(folder.path()), vec![1; PIECES as usize]);
    for (number, piece) in (0..).zip(journal.states().unwrap()) {
        let checksum = done(number).checksum;
        assert!(matches!(piece.status, Status::Done { checksum: found, .. } if found == checksum), "{piece:?}");
        assert_eq!(piece.failures.len(), usize::from(FAILS_ONCE(number)), "piece {number}");
    }
}

#[test]
fn another_process_does_the_pieces_of_a_killed_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut child = start("child_holds_what_it_takes", folder.path());
    wait_until("the child", || folder.path().join("ready").exists());
    let journal = open(folder.path(), 10);
    assert_eq!(take(&journal, 9), [4, 5, 6, 7, 8, 9]);
    assert_eq!(journal.take(9, &on(CPU)).unwrap(), ClaimResult::Wait, "a live worker keeps its pieces");
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(take(&journal, 9), [1, 2, 3], "at once, since nothing else is free");
    assert_eq!(journal.summary().unwrap().done, 1);
}

#[test]
fn a_full_disk_is_reported_and_leaves_the_journal_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    // The file-size limit of the child falls within a transaction; the signal SIGXFSZ is ignored.
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script]).arg(std::env::current_exe().unwrap()).args(role("child_fills_the_disk"));
    let output = command.env(FOLDER, folder.path()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let held: u32 = fs::read_to_string(folder.path().join("held")).unwrap().parse().unwrap();
    assert!(held > 0 && held.is_multiple_of(100));
    let length = fs::metadata(folder.path().join(Journal::FILE_NAME)).unwrap().len();
    assert_eq!(length % (100 * 128), 3 * 128, "head, joined, complete transactions, ended");
    let journal = open(folder.path(), 10_000);
    assert_eq!(take(&journal, 2), [0, 1], "pieces held by the process are free");
}
