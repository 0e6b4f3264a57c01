//! Incomplete ends are removed, damage is reported.

use super::{SURVEY, finish, on, open, take};
use craton_run::journal::ClaimResult;
use craton_run::{Journal, RunError};
use std::fs;
use std::path::{Path, PathBuf};

/// Bytes of the head and of every entry.
const BLOCK: usize = 128;

fn file(folder: &Path) -> PathBuf {
    folder.join(Journal::FILE_NAME)
}

/// Writes a journal of ten pieces, three of them done in a single transaction. Blocks: head, joined, 3 taken, 3 done, and ended when the
/// worker left.
fn leave_journal(folder: &Path) -> Vec<u8> {
    let journal = open(folder, 10);
    assert_eq!(take(&journal, 3), [0, 1, 2]);
    finish(&journal, &[0, 1, 2]);
    drop(journal);
    let bytes = fs::read(file(folder)).unwrap();
    assert_eq!(bytes.len(), 9 * BLOCK);
    bytes
}

#[test]
fn a_truncated_journal_keeps_its_intact_transactions() {
    let folder = tempfile::tempdir().unwrap();
    let whole = leave_journal(folder.path());
    for length in 0..whole.len() {
        fs::write(file(folder.path()), &whole[..length]).unwrap();
        let journal = open(folder.path(), 10);
        let done = (length / BLOCK).saturating_sub(5).min(3) as u32;
        assert_eq!(journal.summary().unwrap().done, done, "{length} bytes");
        assert_eq!(take(&journal, 1), [done], "pieces held by a dead process are free");
    }
}

#[test]
fn a_transaction_written_out_of_order_is_cut_at_its_first_gap() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = leave_journal(folder.path());
    // Remove the last transaction (the worker left); in the one before, the middle entry never reached the disk.
    bytes.truncate(8 * BLOCK);
    bytes[6 * BLOCK..7 * BLOCK].fill(0);
    fs::write(file(folder.path()), &bytes).unwrap();
    let journal = open(folder.path(), 10);
    assert_eq!(journal.summary().unwrap().done, 1);
    assert_eq!(fs::read(file(folder.path())).unwrap()[..6 * BLOCK], bytes[..6 * BLOCK]);
    assert_eq!(take(&journal, 9), [1, 2, 3, 4, 5, 6, 7, 8, 9]);
}

#[test]
fn every_flipped_byte_before_the_last_transaction_is_reported_with_its_block() {
    let folder = tempfile::tempdir().unwrap();
    let whole = leave_journal(folder.path());
    for position in 0..8 * BLOCK {
        let mut damaged = whole.clone();
        damaged[position] ^= 0x10;
        fs::write(file(folder.path()), &damaged).unwrap();
        let error = Journal::open(folder.path(), SURVEY, 10).unwrap_err();
        let message = error.to_string();
        assert!(message.contains("is damaged at byte") && message.contains("restore it from a copy"), "{message}");
        let RunError::DamagedJournal { byte, .. } = error else { panic!("{message}") };
        assert_eq!(byte as usize, position / BLOCK * BLOCK);
        assert_eq!(fs::read(file(folder.path())).unwrap(), damaged, "a damaged file is not changed");
    }
}

#[test]
fn a_misplaced_entry_is_damage() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = leave_journal(folder.path());
    let (front, back) = bytes.split_at_mut(6 * BLOCK);
    front[5 * BLOCK..].swap_with_slice(&mut back[..BLOCK]);
    fs::write(file(folder.path()), &bytes).unwrap();
    let error = Journal::open(folder.path(), SURVEY, 10).unwrap_err();
    assert!(matches!(error, RunError::DamagedJournal { byte, .. } if byte as usize == 5 * BLOCK), "{error}");
}

#[test]
fn a_file_that_is_not_a_journal_is_refused_and_unchanged() {
    let folder = tempfile::tempdir().unwrap();
    for content in ["my own journal".to_owned(), "x".repeat(1000)] {
        fs::write(file(folder.path()), &content).unwrap();
        assert!(matches!(Journal::open(folder.path(), SURVEY, 10), Err(RunError::DamagedJournal { byte: 0, .. })));
        assert_eq!(fs::read_to_string(file(folder.path())).unwrap(), content);
    }
}

#[test]
fn a_journal_that_shrinks_while_it_is_open_is_reported() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path(), 10);
    assert_eq!(take(&journal, 3), [0, 1, 2]);
    fs::OpenOptions::new().write(true).open(file(folder.path())).unwrap().set_len(2 * BLOCK as u64).unwrap();
    for _ in 0..2 {
        let message = journal.take(1, &on(0)).unwrap_err().to_string();
        assert!(message.contains("damaged at byte 256: it has become shorter"), "{message}");
    }
}

#[test]
fn one_transaction_records_a_hundred_results() {
    let folder = tempfile::tempdir().unwrap();
    let journal = open(folder.path(), 100);
    let pieces = take(&journal, 100);
    finish(&journal, &pieces);
    let bytes = fs::read(file(folder.path())).unwrap();
    let firsts = bytes.chunks_exact(BLOCK).skip(102).map(|entry| u64::from_le_bytes(entry[24..32].try_into().unwrap()));
    assert_eq!(firsts.collect::<Vec<_>>(), vec![102; 100]);
    assert_eq!(journal.take(1, &on(0)).unwrap(), ClaimResult::Exhausted);
}
