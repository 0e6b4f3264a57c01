//! Many workers share one journal: every piece is done once, whichever worker dies.

mod damage;
#[cfg(unix)]
mod killed;
mod model;

use craton_run::Journal;
use craton_run::journal::{Claim, ClaimRequest, ClaimResult, Done, Failed, Status};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;

const SURVEY: u64 = 0x0123_4567_89ab_cdef;
const CPU: u8 = 0;
const GPU: u8 = 1;

/// Requests any piece, for a device of this kind.
fn on(device: u8) -> ClaimRequest {
    ClaimRequest { device, one_kind: false, among: 0..u32::MAX }
}

fn open(folder: &Path, pieces: u32) -> Journal {
    Journal::open(folder, SURVEY, pieces).unwrap()
}

/// Numbers of the claimed pieces; empty if none were claimed.
fn numbers(offer: ClaimResult) -> Vec<u32> {
    match offer {
        ClaimResult::Pieces(claims) => claims.iter().map(|claim| claim.piece).collect(),
        _ => Vec::new(),
    }
}

fn take(journal: &Journal, count: usize) -> Vec<u32> {
    numbers(journal.take(count, &on(CPU)).unwrap())
}

/// A made-up result of a piece.
fn done(piece: u32) -> Done {
    Done { piece, checksum: u64::from(piece) * 1_000_003, seconds: 0.5 }
}

fn finish(journal: &Journal, pieces: &[u32]) {
    let done: Vec<Done> = pieces.iter().map(|&piece| done(piece)).collect();
    assert_eq!(journal.finish(&done).unwrap(), [0; 0]);
}

fn fail(journal: &Journal, piece: u32) {
    journal.fail(&[Failed { piece, code: 7, reason: "it became unstable" }]).unwrap();
}

#[test]
fn the_lowest_pieces_are_claimed_first_and_by_one_worker_only() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (open(folder.path(), 10), open(folder.path(), 10));
    assert_eq!((first.worker(), second.worker()), (0, 1));
    assert_eq!(take(&first, 3), [0, 1, 2]);
    assert_eq!(take(&second, 3), [3, 4, 5]);
    assert_eq!(numbers(first.take(9, &ClaimRequest { among: 7..9, ..on(CPU) }).unwrap()), [7, 8]);
    first.release(&[1, 3]).unwrap();
    assert_eq!(take(&second, 9), [1, 6, 9], "pieces of another worker cannot be released");
    assert_eq!(second.take(1, &on(CPU)).unwrap(), ClaimResult::Wait);
    finish(&first, &[0, 2, 7, 8]);
    finish(&second, &[1, 3, 4, 5, 6, 9]);
    assert_eq!(first.take(1, &on(CPU)).unwrap(), ClaimResult::Exhausted);
}

#[test]
fn all_workers_see_results_with_checksum_device_and_time() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (open(folder.path(), 3), open(folder.path(), 3));
    assert_eq!(numbers(first.take(2, &on(GPU)).unwrap()), [0, 1]);
    finish(&first, &[1]);
    let states = second.states().unwrap();
    assert_eq!(states[0].status, Status::Taken { worker: 0, device: GPU });
    let expected = Status::Done { worker: 0, device: GPU, checksum: 1_000_003, seconds: 0.5 };
    assert_eq!(states[1].status, expected);
    let summary = second.summary().unwrap();
    assert_eq!([summary.pieces, summary.free, summary.taken, summary.done, summary.failed], [3, 1, 1, 1, 0]);
    let (_, machine) = summary.workers[0].place.split_once(" on ").expect("a machine with a name");
    assert_eq!(summary.done_on, BTreeMap::from([((machine.to_owned(), GPU), 1)]));
    assert_eq!(summary.seconds, 0.5);
    assert_eq!((summary.workers[0].worker, &summary.workers[0].pieces[..]), (0, &[0][..]));
    assert!(summary.workers[0].place.starts_with(&format!("process {}", std::process::id())));
}

#[test]
fn unfinished_pieces_are_free_when_their_worker_leaves_and_finished_ones_stay_done() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (open(folder.path(), 4), open(folder.path(), 4));
    assert_eq!(take(&first, 4), [0, 1, 2, 3]);
    finish(&first, &[2]);
    let known = first.summary().unwrap().done_on;
    drop(first);
    assert_eq!(take(&second, 4), [0, 1, 3]);
    assert_eq!(second.summary().unwrap().done_on, known, "the machine is known after its worker has left");
    let locks = std::fs::read_dir(folder.path().join("workers")).unwrap();
    assert_eq!(locks.count(), 1, "a worker that leaves removes its lock");
}

#[test]
fn files_of_dead_workers_are_removed_and_those_of_live_ones_stay() {
    let folder = tempfile::tempdir().unwrap();
    let workers = folder.path().join("workers");
    let names = || {
        let entries =
            std::fs::read_dir(&workers).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        entries.collect::<BTreeSet<String>>()
    };
    let live = open(folder.path(), 4);
    // Left by processes that the journal knows, or that were in a journal that has been moved away.
    for name in ["000007", "123456"] {
        std::fs::write(workers.join(name), "").unwrap();
    }
    std::fs::write(workers.join("notes.txt"), "mine").unwrap();
    let next = open(folder.path(), 4);
    assert_eq!(names(), ["000000", "000001", "notes.txt"].map(str::to_owned).into());
    std::fs::write(workers.join("000009"), "").unwrap();
    drop((live, next));
    assert_eq!(names(), ["notes.txt".to_owned()].into());
}

#[test]
fn a_journal_is_read_without_joining_or_changing_it() {
    let folder = tempfile::tempdir().unwrap();
    let error = Journal::read(folder.path(), SURVEY, 4).unwrap_err().to_string();
    assert!(error.contains("cannot read"), "{error}");
    let journal = open(folder.path(), 4);
    assert_eq!(take(&journal, 2), [0, 1]);
    finish(&journal, &[1]);
    let file = folder.path().join(Journal::FILE_NAME);
    let mut bytes = std::fs::read(&file).unwrap();
    bytes.extend([1; 77]);
    std::fs::write(&file, &bytes).unwrap();
    let states = Journal::read(folder.path(), SURVEY, 4).unwrap();
    assert_eq!(std::fs::read(&file).unwrap(), bytes, "an incomplete end stays");
    assert_eq!(states, journal.states().unwrap());
    assert!(matches!(Journal::read(folder.path(), 1, 4), Err(craton_run::RunError::OtherSurvey { .. })));
}

#[test]
fn another_survey_is_refused_with_both_identities() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path(), 10));
    let identity = Journal::open(folder.path(), 1, 10).unwrap_err();
    assert!(identity.is_bad_input());
    let message = identity.to_string();
    assert!(
        message.contains("0123456789abcdef") && message.contains("0000000000000001") && message.contains("name"),
        "{message}"
    );
    let message = Journal::open(folder.path(), SURVEY, 11).unwrap_err().to_string();
    assert!(message.contains("10 pieces") && message.contains("11 pieces"), "{message}");
    open(folder.path(), 10);
}

#[test]
fn a_failed_piece_is_offered_once_more_and_to_another_worker_first() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (open(folder.path(), 3), open(folder.path(), 3));
    assert_eq!(take(&first, 1), [0]);
    fail(&first, 0);
    assert_eq!(take(&first, 1), [1], "other pieces come before the one that failed here");
    assert_eq!(second.take(1, &on(GPU)).unwrap(), ClaimResult::Pieces(vec![Claim { piece: 0, attempt: 2 }]));
    fail(&second, 0);
    assert_eq!(take(&second, 9), [2]);
    finish(&first, &[1]);
    finish(&second, &[2]);
    assert_eq!(first.take(1, &on(CPU)).unwrap(), ClaimResult::Exhausted, "failed twice: not offered again");
    let piece = &first.states().unwrap()[0];
    assert_eq!(piece.status, Status::Failed);
    let devices: Vec<u8> = piece.failures.iter().map(|failure| failure.device).collect();
    assert_eq!(devices, [CPU, GPU]);
    assert_eq!((piece.failures[0].code, &piece.failures[0].reason[..]), (7, "it became unstable"));
    assert_eq!(first.summary().unwrap().failed, 1);
}

#[test]
fn a_lone_worker_retries_its_failed_pieces_last() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path(), 2);
    assert_eq!(take(&journal, 1), [0]);
    fail(&journal, 0);
    assert_eq!(take(&journal, 9), [1]);
    assert_eq!(take(&journal, 9), [0]);
}

#[test]
fn forgotten_results_and_failures_are_free_again() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path(), 3);
    assert_eq!(take(&journal, 3), [0, 1, 2]);
    finish(&journal, &[0]);
    fail(&journal, 1);
    assert_eq!(take(&journal, 3), [1]);
    fail(&journal, 1);
    journal.forget(&[0, 1, 2, 99]).unwrap();
    let states = journal.states().unwrap();
    assert_eq!([states[0].status, states[1].status], [Status::Free; 2]);
    assert!(states[1].failures.is_empty());
    assert_eq!(states[2].status, Status::Taken { worker: 0, device: CPU }, "a held piece is unchanged");
}

#[test]
fn one_kind_of_device_does_all_pieces_when_required() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (open(folder.path(), 4), open(folder.path(), 4));
    let one_kind = |device| ClaimRequest { one_kind: true, ..on(device) };
    assert_eq!(numbers(first.take(1, &one_kind(GPU)).unwrap()), [0]);
    assert_eq!(second.take(1, &one_kind(CPU)).unwrap(), ClaimResult::OtherKind { piece: 0, device: GPU });
    assert_eq!(numbers(second.take(1, &one_kind(GPU)).unwrap()), [1]);
    finish(&first, &[0]);
    second.release(&[1]).unwrap();
    assert_eq!(second.take(1, &one_kind(CPU)).unwrap(), ClaimResult::OtherKind { piece: 0, device: GPU });
    second.forget(&[0]).unwrap();
    assert_eq!(numbers(second.take(1, &one_kind(CPU)).unwrap()), [0]);
}

#[test]
fn threads_that_share_a_journal_do_every_piece_once() {
    const PIECES: u32 = 200;
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (open(folder.path(), PIECES), open(folder.path(), PIECES));
    let times_done = Mutex::new(vec![0; PIECES as usize]);
    std::thread::scope(|scope| {
        for journal in [&first, &second, &first, &second] {
            scope.spawn(|| {
                loop {
                    match journal.take(7, &on(CPU)).unwrap() {
                        ClaimResult::Pieces(claims) => {
                            let pieces: Vec<u32> = claims.iter().map(|claim| claim.piece).collect();
                            pieces.iter().for_each(|&piece| times_done.lock().unwrap()[piece as usize] += 1);
                            finish(journal, &pieces);
                        }
                        ClaimResult::Wait => std::thread::yield_now(),
                        _ => break,
                    }
                }
            });
        }
    });
    assert_eq!(*times_done.lock().unwrap(), vec![1; PIECES as usize]);
    assert_eq!(first.summary().unwrap().done, PIECES);
}

#[test]
fn workers_that_create_a_journal_concurrently_agree_on_it() {
    let folder = tempfile::tempdir().unwrap();
    let opened: Vec<Journal> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| open(folder.path(), 8))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let workers: BTreeSet<u32> = opened.iter().map(Journal::worker).collect();
    assert_eq!(workers, (0..8).collect());
    let taken: BTreeSet<u32> = opened.iter().flat_map(|journal| take(journal, 1)).collect();
    assert_eq!(taken, (0..8).collect());
}

#[test]
fn a_worker_that_lost_its_lock_gets_an_error_and_marks_nothing_done() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (open(folder.path(), 2), open(folder.path(), 2));
    assert_eq!(take(&first, 2), [0, 1]);
    std::fs::remove_file(folder.path().join("workers/000000")).unwrap();
    assert!(first.holds(0).unwrap() && !second.holds(0).unwrap());
    assert_eq!(take(&second, 1), [0]);
    assert!(second.holds(0).unwrap() && !first.holds(0).unwrap());
    assert_eq!(first.finish(&[done(0), done(1)]).unwrap(), [0, 1]);
    let message = first.take(1, &on(CPU)).unwrap_err().to_string();
    assert!(message.contains("lost its lock") && message.contains("start this process again"), "{message}");
    assert_eq!(second.summary().unwrap().done, 0);
}
