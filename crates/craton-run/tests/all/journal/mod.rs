//! Many workers, one journal: every piece is done once, whoever dies.

mod damage;
#[cfg(unix)]
mod killed;
mod model;

use craton_run::Journal;
use craton_run::journal::{Claim, Done, Failed, Offer, Status, Wish};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;

const SURVEY: u64 = 0x0123_4567_89ab_cdef;
const CPU: u8 = 0;
const GPU: u8 = 1;

/// Any piece, on a device of this kind.
fn on(device: u8) -> Wish {
    Wish { device, one_kind: false, among: 0..u32::MAX }
}

fn open(folder: &Path, pieces: u32) -> Journal {
    Journal::open(folder, SURVEY, pieces).unwrap()
}

/// Numbers of the pieces of an offer; none where it has none.
fn numbers(offer: Offer) -> Vec<u32> {
    match offer {
        Offer::Pieces(claims) => claims.iter().map(|claim| claim.piece).collect(),
        _ => Vec::new(),
    }
}

fn take(journal: &Journal, count: usize) -> Vec<u32> {
    numbers(journal.take(count, &on(CPU)).unwrap())
}

/// The result of a piece, in place of a computation.
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
fn pieces_are_offered_lowest_first_and_to_one_worker_only() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (open(folder.path(), 10), open(folder.path(), 10));
    assert_eq!((first.worker(), second.worker()), (0, 1));
    assert_eq!(take(&first, 3), [0, 1, 2]);
    assert_eq!(take(&second, 3), [3, 4, 5]);
    assert_eq!(numbers(first.take(9, &Wish { among: 7..9, ..on(CPU) }).unwrap()), [7, 8]);
    first.release(&[1, 3]).unwrap();
    assert_eq!(take(&second, 9), [1, 6, 9], "what another holds cannot be released");
    assert_eq!(second.take(1, &on(CPU)).unwrap(), Offer::Wait);
    finish(&first, &[0, 2, 7, 8]);
    finish(&second, &[1, 3, 4, 5, 6, 9]);
    assert_eq!(first.take(1, &on(CPU)).unwrap(), Offer::Over);
}

#[test]
fn results_are_known_to_all_with_checksum_device_and_time() {
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
fn what_a_worker_held_is_free_when_it_leaves_and_done_when_it_finished() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (open(folder.path(), 4), open(folder.path(), 4));
    assert_eq!(take(&first, 4), [0, 1, 2, 3]);
    finish(&first, &[2]);
    let known = first.summary().unwrap().done_on;
    drop(first);
    assert_eq!(take(&second, 4), [0, 1, 3]);
    assert_eq!(second.summary().unwrap().done_on, known, "where it was done is known when its worker has left");
    let locks = std::fs::read_dir(folder.path().join("workers")).unwrap();
    assert_eq!(locks.count(), 1, "a worker that has left leaves no lock");
}

#[test]
fn another_survey_is_refused_and_both_are_named() {
    let folder = tempfile::tempdir().unwrap();
    drop(open(folder.path(), 10));
    let identity = Journal::open(folder.path(), 1, 10).unwrap_err();
    assert!(identity.is_bad_input());
    let told = identity.to_string();
    assert!(told.contains("0123456789abcdef") && told.contains("0000000000000001") && told.contains("name"), "{told}");
    let told = Journal::open(folder.path(), SURVEY, 11).unwrap_err().to_string();
    assert!(told.contains("10 pieces") && told.contains("11 pieces"), "{told}");
    open(folder.path(), 10);
}

#[test]
fn a_piece_that_failed_once_is_offered_once_more_to_another_first() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (open(folder.path(), 3), open(folder.path(), 3));
    assert_eq!(take(&first, 1), [0]);
    fail(&first, 0);
    assert_eq!(take(&first, 1), [1], "others come before the one that failed here");
    assert_eq!(second.take(1, &on(GPU)).unwrap(), Offer::Pieces(vec![Claim { piece: 0, attempt: 2 }]));
    fail(&second, 0);
    assert_eq!(take(&second, 9), [2]);
    finish(&first, &[1]);
    finish(&second, &[2]);
    assert_eq!(first.take(1, &on(CPU)).unwrap(), Offer::Over, "failed twice: not offered any more");
    let piece = &first.states().unwrap()[0];
    assert_eq!(piece.status, Status::Failed);
    let devices: Vec<u8> = piece.failures.iter().map(|failure| failure.device).collect();
    assert_eq!(devices, [CPU, GPU]);
    assert_eq!((piece.failures[0].code, &piece.failures[0].reason[..]), (7, "it became unstable"));
    assert_eq!(first.summary().unwrap().failed, 1);
}

#[test]
fn a_lone_worker_tries_what_failed_again_in_the_end() {
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
    assert_eq!(states[2].status, Status::Taken { worker: 0, device: CPU }, "what is being done stays");
}

#[test]
fn one_kind_of_device_does_all_pieces_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (open(folder.path(), 4), open(folder.path(), 4));
    let one_kind = |device| Wish { one_kind: true, ..on(device) };
    assert_eq!(numbers(first.take(1, &one_kind(GPU)).unwrap()), [0]);
    assert_eq!(second.take(1, &one_kind(CPU)).unwrap(), Offer::OtherKind { piece: 0, device: GPU });
    assert_eq!(numbers(second.take(1, &one_kind(GPU)).unwrap()), [1]);
    finish(&first, &[0]);
    second.release(&[1]).unwrap();
    assert_eq!(second.take(1, &one_kind(CPU)).unwrap(), Offer::OtherKind { piece: 0, device: GPU });
    second.forget(&[0]).unwrap();
    assert_eq!(numbers(second.take(1, &one_kind(CPU)).unwrap()), [0]);
}

#[test]
fn threads_share_a_journal_and_do_every_piece_once() {
    const PIECES: u32 = 200;
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (open(folder.path(), PIECES), open(folder.path(), PIECES));
    let times_done = Mutex::new(vec![0; PIECES as usize]);
    std::thread::scope(|scope| {
        for journal in [&first, &second, &first, &second] {
            scope.spawn(|| {
                loop {
                    match journal.take(7, &on(CPU)).unwrap() {
                        Offer::Pieces(claims) => {
                            let pieces: Vec<u32> = claims.iter().map(|claim| claim.piece).collect();
                            pieces.iter().for_each(|&piece| times_done.lock().unwrap()[piece as usize] += 1);
                            finish(journal, &pieces);
                        }
                        Offer::Wait => std::thread::yield_now(),
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
fn workers_that_begin_a_journal_together_agree_on_it() {
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
fn a_worker_whose_lock_was_lost_is_told_and_marks_nothing_done() {
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (open(folder.path(), 2), open(folder.path(), 2));
    assert_eq!(take(&first, 2), [0, 1]);
    std::fs::remove_file(folder.path().join("workers/000000")).unwrap();
    assert!(first.holds(0).unwrap() && !second.holds(0).unwrap());
    assert_eq!(take(&second, 1), [0]);
    assert!(second.holds(0).unwrap() && !first.holds(0).unwrap());
    assert_eq!(first.finish(&[done(0), done(1)]).unwrap(), [0, 1]);
    let told = first.take(1, &on(CPU)).unwrap_err().to_string();
    assert!(told.contains("taken for dead") && told.contains("start this process again"), "{told}");
    assert_eq!(second.summary().unwrap().done, 0);
}
