//! Transactions: the journal is locked, read to its end, and changed or not.

use super::entry::{Entry, Head};
use super::ledger::Ledger;
use super::log::{Locked, Log};
use crate::RunError;
use std::path::Path;
use std::time::Instant;

/// A journal file and what its entries add up to, as far as they were read.
#[derive(Debug)]
pub(super) struct Shared {
    log: Log,
    ledger: Ledger,
    /// When the dead were last looked for.
    looked: Option<Instant>,
}

/// The journal inside a transaction: locked, and read to its end.
pub(super) struct Transaction<'a> {
    log: Locked<'a>,
    pub ledger: &'a mut Ledger,
    /// When the dead were last looked for.
    pub looked: &'a mut Option<Instant>,
}

impl Shared {
    /// Opens the file, or creates it with this head.
    ///
    /// # Errors
    /// As [`Log::open`].
    pub fn open(path: &Path, head: Head) -> Result<Self, RunError> {
        Ok(Self { log: Log::open(path, head)?, ledger: Ledger::new(head.pieces), looked: None })
    }

    /// Locks the journal, reads what is new, and lets `run` decide.
    pub fn transaction<T>(&mut self, run: impl FnOnce(&mut Transaction) -> Result<T, RunError>) -> Result<T, RunError> {
        let mut log = self.log.lock()?;
        log.read()?.into_iter().for_each(|entry| self.ledger.apply(entry));
        run(&mut Transaction { log, ledger: &mut self.ledger, looked: &mut self.looked })
    }
}

impl Transaction<'_> {
    /// Makes changes durable, then known here.
    pub fn write(&mut self, entries: Vec<Entry>) -> Result<(), RunError> {
        self.log.append(&entries)?;
        entries.into_iter().for_each(|entry| self.ledger.apply(entry));
        Ok(())
    }
}
