//! Transactions on the journal: lock, read to the end, decide, append.

use super::entry::{Entry, Head};
use super::ledger::Ledger;
use super::log::{Locked, Log};
use crate::RunError;
use std::path::Path;
use std::time::Instant;

/// A journal file and the state accumulated from the entries read so far.
#[derive(Debug)]
pub(super) struct Shared {
    log: Log,
    ledger: Ledger,
    /// When workers were last checked for liveness.
    last_check: Option<Instant>,
}

/// The journal during a transaction: locked, and read to its end.
pub(super) struct Transaction<'a> {
    log: Locked<'a>,
    pub ledger: &'a mut Ledger,
    /// When workers were last checked for liveness.
    pub last_check: &'a mut Option<Instant>,
}

impl Shared {
    /// Opens the file, or creates it with this head.
    ///
    /// # Errors
    /// As [`Log::open`].
    pub fn open(path: &Path, head: Head) -> Result<Self, RunError> {
        Ok(Self { log: Log::open(path, head)?, ledger: Ledger::new(head.pieces), last_check: None })
    }

    /// Locks the journal, reads new entries, then calls `run`.
    pub fn transaction<T>(&mut self, run: impl FnOnce(&mut Transaction) -> Result<T, RunError>) -> Result<T, RunError> {
        let mut log = self.log.lock()?;
        log.read()?.into_iter().for_each(|entry| self.ledger.apply(entry));
        run(&mut Transaction { log, ledger: &mut self.ledger, last_check: &mut self.last_check })
    }
}

impl Transaction<'_> {
    /// Writes entries to the disk, then applies them to the ledger.
    pub fn write(&mut self, entries: Vec<Entry>) -> Result<(), RunError> {
        self.log.append(&entries)?;
        entries.into_iter().for_each(|entry| self.ledger.apply(entry));
        Ok(())
    }
}
