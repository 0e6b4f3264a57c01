//! The file of a journal: changes are appended under a lock and never rewritten.

use super::entry::{BLOCK, Block, Entry, Head, first_of_transaction, is_sealed};
use crate::RunError;
use craton_formats::atomic::{replace_link, sync_name};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// An open journal file and the position up to which it has been read.
#[derive(Debug)]
pub(super) struct Log {
    path: PathBuf,
    file: File,
    pieces: u32,
    /// Number of the first block that has not been read or written yet.
    next: u64,
}

/// The journal file, locked against other processes and threads; dropping this value releases the lock.
pub(super) struct Locked<'a>(&'a mut Log);

/// Reads all entries of a journal without changing it; an incomplete transaction at the end is ignored.
///
/// # Errors
/// As [`Log::open`]; a journal that does not exist.
pub(super) fn read(path: &Path, head: Head) -> Result<Vec<Entry>, RunError> {
    let file = File::open(path).map_err(RunError::io("read", path))?;
    file.lock_shared().map_err(RunError::journal_lock(path))?;
    let mut log = Log { path: path.to_owned(), file, pieces: head.pieces, next: 1 };
    let locked = Locked(&mut log);
    Ok(if locked.has_head(head)? { locked.intact()?.entries } else { Vec::new() })
}

/// The entries after the last one that has been read.
struct Intact {
    entries: Vec<Entry>,
    /// Whether an incomplete transaction follows.
    is_torn: bool,
}

impl Log {
    /// Opens the file, or creates it with this head.
    ///
    /// # Errors
    /// [`RunError::OtherSurvey`] when it has another head, [`RunError::DamagedJournal`], [`RunError::JournalLock`], [`RunError::Io`].
    pub fn open(path: &Path, head: Head) -> Result<Self, RunError> {
        replace_link(path).map_err(RunError::io("open", path))?;
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
        let file = file.map_err(RunError::io("open", path))?;
        let mut log = Self { path: path.to_owned(), file, pieces: head.pieces, next: 1 };
        log.lock()?.begin(head)?;
        Ok(log)
    }

    /// Locks the file, waiting until no other transaction is running.
    pub fn lock(&mut self) -> Result<Locked<'_>, RunError> {
        self.file.lock().map_err(RunError::journal_lock(&self.path))?;
        Ok(Locked(self))
    }

    fn damaged(&self, byte: u64, reason: String) -> RunError {
        RunError::DamagedJournal { path: self.path.clone(), byte, reason }
    }

    fn cut(&self, blocks: u64) -> io::Result<()> {
        self.file.set_len(blocks * BLOCK as u64)
    }
}

impl Drop for Locked<'_> {
    fn drop(&mut self) {
        // If unlocking fails, closing the file releases the lock.
        let _ = self.0.file.unlock();
    }
}

impl Locked<'_> {
    /// Checks that the head equals `head`, or writes it into an empty file.
    fn begin(&mut self, head: Head) -> Result<(), RunError> {
        if self.has_head(head)? {
            return Ok(());
        }
        let Log { file, path, .. } = &*self.0;
        write_at(file, 0, &head.to_block()).and_then(|()| sync_name(path)).map_err(RunError::io("write", path))
    }

    /// Checks that the head equals `head`; false without a complete head.
    fn has_head(&self, head: Head) -> Result<bool, RunError> {
        let log = &*self.0;
        let mut bytes = Vec::new();
        (&log.file).take(BLOCK as u64 + 1).read_to_end(&mut bytes).map_err(RunError::io("read", &log.path))?;
        if Head::is_incomplete(&bytes) {
            return Ok(false);
        }
        let (block, _) = bytes
            .split_first_chunk::<BLOCK>()
            .ok_or_else(|| log.damaged(0, format!("it is shorter than the head of a journal, {BLOCK} bytes")))?;
        let found = Head::from_block(block).map_err(|reason| log.damaged(0, reason))?;
        if found != head {
            return Err(RunError::OtherSurvey {
                path: log.path.clone(),
                found: found.identity,
                found_pieces: found.pieces,
                expected: head.identity,
                expected_pieces: head.pieces,
            });
        }
        Ok(true)
    }

    /// Reads the entries appended since the last read, and removes an incomplete transaction from the end of the file.
    ///
    /// # Errors
    /// [`RunError::DamagedJournal`], [`RunError::Io`].
    pub fn read(&mut self) -> Result<Vec<Entry>, RunError> {
        let Intact { entries, is_torn } = self.intact()?;
        let log = &mut *self.0;
        let next = log.next + entries.len() as u64;
        if is_torn {
            log.cut(next).map_err(RunError::io("cut off the incomplete end of", &log.path))?;
        }
        log.next = next;
        Ok(entries)
    }

    /// The entries appended since the last read.
    fn intact(&self) -> Result<Intact, RunError> {
        let log = &*self.0;
        let start = log.next * BLOCK as u64;
        let failed = |error| RunError::io("read", &log.path)(error);
        let length = log.file.metadata().map_err(failed)?.len();
        if length < start {
            return Err(log.damaged(length, "it has become shorter".to_owned()));
        }
        let mut bytes = Vec::new();
        if length > start {
            (&log.file).seek(SeekFrom::Start(start)).map_err(failed)?;
            (&log.file).read_to_end(&mut bytes).map_err(failed)?;
        }
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        let intact = self.count_intact(blocks)?;
        let entries = blocks[..intact].iter().zip(log.next..).map(|(block, number)| {
            Entry::from_block(block, log.pieces).map_err(|reason| log.damaged(number * BLOCK as u64, reason))
        });
        let is_torn = intact < blocks.len() || !rest.is_empty();
        Ok(Intact { entries: entries.collect::<Result<_, _>>()?, is_torn })
    }

    /// Number of blocks before the first invalid one.
    ///
    /// A transaction starts only after all earlier blocks were found intact. So if a later transaction follows, the invalid block was
    /// damaged after it was written; if none follows, its transaction was never completed and nothing depends on it.
    fn count_intact(&self, blocks: &[Block]) -> Result<usize, RunError> {
        let next = self.0.next;
        let numbered = || blocks.iter().zip(next..);
        let Some(torn) = numbered().position(|(block, number)| !is_sealed(block, number)) else {
            return Ok(blocks.len());
        };
        let place = next + torn as u64;
        let mut after = numbered().skip(torn + 1).filter(|(block, number)| is_sealed(block, *number));
        if after.any(|(block, _)| first_of_transaction(block) > place) {
            let reason = "the hash of an entry does not match, and intact entries follow".to_owned();
            return Err(self.0.damaged(place * BLOCK as u64, reason));
        }
        Ok(torn)
    }

    /// Appends a transaction; it is on the disk when this returns. All earlier entries must have been read.
    ///
    /// # Errors
    /// [`RunError::Io`], for example when the disk is full. The file is then unchanged, unless truncating it also fails.
    pub fn append(&mut self, entries: &[Entry]) -> Result<(), RunError> {
        if entries.is_empty() {
            return Ok(());
        }
        let log = &mut *self.0;
        let blocks: Vec<Block> =
            entries.iter().zip(log.next..).map(|(entry, number)| entry.to_block(number, log.next)).collect();
        if let Err(error) = write_at(&log.file, log.next * BLOCK as u64, blocks.as_flattened()) {
            // If truncating fails, the next reader sees either an incomplete transaction, which it removes, or the complete one.
            let _ = log.cut(log.next);
            return Err(RunError::io("write", &log.path)(error));
        }
        log.next += blocks.len() as u64;
        Ok(())
    }
}

/// Writes bytes at a position of a file and flushes them to the disk.
fn write_at(mut file: &File, position: u64, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(position))?;
    file.write_all(bytes)?;
    file.sync_data()
}
