//! A worker: claims pieces and records their results.

use super::entry::{Change, Entry, Head};
use super::ledger::Ledger;
use super::log;
use super::piece::{Claim, ClaimRequest, ClaimResult, Done, Failed, Piece, Status, Summary};
use super::presence::{self, Presence};
use super::transaction::{Shared, Transaction};
use crate::RunError;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// While pieces are free, dead workers are searched for at most once per this interval.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// A worker of a job with a journal. Dropping this value frees the pieces that the worker still holds.
///
/// Threads may share one value. A process may also open the journal several times, for example once per device; a piece that failed on one
/// is then offered to another first.
#[derive(Debug)]
pub struct Journal {
    worker: u32,
    workers: PathBuf,
    shared: Mutex<Shared>,
    _presence: Presence,
}

impl Journal {
    /// Name of the journal file in its folder.
    pub const FILE_NAME: &str = "journal";
    /// Name of the folder with the locks of workers.
    pub(crate) const WORKERS: &str = "workers";

    /// Whether a name is that of the lock of a worker.
    pub(crate) fn is_worker(name: &str) -> bool {
        presence::is_worker(name)
    }

    /// Opens the journal in a folder, or creates it, and joins as a new worker.
    ///
    /// # Arguments
    /// * `folder` – created if it is missing
    /// * `identity` – hash of everything that the results depend on; must equal that of an existing journal
    /// * `pieces` – number of pieces of the job
    /// # Errors
    /// [`RunError::OtherSurvey`] when the folder belongs to another job, [`RunError::DamagedJournal`], [`RunError::JournalLock`] if the
    /// file system does not support locks, [`RunError::Io`].
    pub fn open(folder: &Path, identity: u64, pieces: u32) -> Result<Self, RunError> {
        let workers = folder.join(Self::WORKERS);
        fs::create_dir_all(&workers).map_err(RunError::io("create the folder", &workers))?;
        let mut shared = Shared::open(&folder.join(Self::FILE_NAME), Head { identity, pieces })?;
        // Lock before the journal records the worker, so that no other worker considers it dead.
        let (worker, presence) = shared.transaction(|transaction| {
            let worker = transaction.ledger.next_worker();
            let presence = Presence::announce(&workers, worker)?;
            transaction.write(vec![Entry { worker, change: Change::Joined { place: presence::place() } }])?;
            remove_dead_workers(&workers, worker, transaction)?;
            Ok((worker, presence))
        })?;
        Ok(Self { worker, workers, shared: Mutex::new(shared), _presence: presence })
    }

    /// State of every piece, read without joining or changing anything.
    ///
    /// # Arguments
    /// * `folder`, `identity`, `pieces` – as for [`open`](Self::open)
    /// # Errors
    /// As [`open`](Self::open); [`RunError::Io`] without a journal.
    pub fn read(folder: &Path, identity: u64, pieces: u32) -> Result<Vec<Piece>, RunError> {
        let entries = log::read(&folder.join(Self::FILE_NAME), Head { identity, pieces })?;
        let mut ledger = Ledger::new(pieces);
        entries.into_iter().for_each(|entry| ledger.apply(entry));
        Ok(ledger.pieces().to_vec())
    }

    /// Number of this worker, unique among all workers that ever opened the journal.
    #[must_use]
    pub fn worker(&self) -> u32 {
        self.worker
    }

    /// Claims up to `count` free pieces (at least one), lowest numbers first.
    ///
    /// Pieces of dead workers become free: dead workers are searched for once a second, and whenever nothing is free. A piece that failed
    /// once is offered a second time, and to the worker on which it failed only if nothing else is free.
    ///
    /// # Errors
    /// [`RunError::TakenForDead`] when this worker lost its lock, [`RunError::DamagedJournal`], [`RunError::JournalLock`],
    /// [`RunError::Io`].
    pub fn take(&self, count: usize, request: &ClaimRequest) -> Result<ClaimResult, RunError> {
        self.transaction(|transaction| {
            if !transaction.ledger.is_at_work(self.worker) {
                return Err(RunError::TakenForDead { folder: self.workers.clone() });
            }
            let due = transaction.last_check.is_none_or(|time| time.elapsed() >= CHECK_INTERVAL);
            let mut result = self.choose(transaction.ledger, count, request);
            if due || !matches!(result, ClaimResult::Pieces(_) | ClaimResult::Exhausted) {
                self.free_pieces_of_dead_workers(transaction)?;
                result = self.choose(transaction.ledger, count, request);
            }
            if let ClaimResult::Pieces(claims) = &result {
                let taken = |claim: &Claim| Change::Taken { piece: claim.piece, device: request.device };
                transaction.write(self.entries(claims.iter().map(taken)))?;
            }
            Ok(result)
        })
    }

    /// Whether this worker holds a piece. False if it lost its lock, since the piece then belongs to another worker.
    ///
    /// # Errors
    /// As [`take`](Self::take), except for a lost lock.
    pub fn holds(&self, piece: u32) -> Result<bool, RunError> {
        self.transaction(|transaction| Ok(transaction.ledger.device_of_held(self.worker, piece).is_some()))
    }

    /// Marks pieces as done, in a single transaction, which costs the same for one piece as for a hundred. Their results must be on the
    /// disk.
    ///
    /// # Returns
    /// Pieces that this worker does not hold because it lost its lock; they belong to other workers now and are not marked. Usually empty.
    /// # Errors
    /// As [`take`](Self::take), except for a lost lock.
    pub fn finish(&self, done: &[Done]) -> Result<Vec<u32>, RunError> {
        self.transaction(|transaction| {
            let ledger = &*transaction.ledger;
            let device = |piece| ledger.device_of_held(self.worker, piece);
            let lost = done.iter().map(|done| done.piece).filter(|&piece| device(piece).is_none()).collect();
            let changes = done.iter().filter_map(|&Done { piece, checksum, seconds }| {
                Some(Change::Done { piece, device: device(piece)?, checksum, seconds })
            });
            let entries = self.entries(changes);
            transaction.write(entries)?;
            Ok(lost)
        })
    }

    /// Marks pieces as failed. Pieces that this worker does not hold are ignored.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn fail(&self, failed: &[Failed]) -> Result<(), RunError> {
        self.change_held(failed.iter().map(|failed| failed.piece), |index, piece, device| Change::Failed {
            piece,
            device,
            code: failed[index].code,
            reason: failed[index].reason.to_owned(),
        })
    }

    /// Releases pieces without a result. Pieces that this worker does not hold are ignored.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn release(&self, pieces: &[u32]) -> Result<(), RunError> {
        self.change_held(pieces.iter().copied(), |_, piece, _| Change::Released { piece })
    }

    /// Makes pieces that are done, or failed permanently, free again and forgets their failures: use it when a result is damaged, or when
    /// the cause of the failures is gone. Pieces that are free or held are unchanged.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn forget(&self, pieces: &[u32]) -> Result<(), RunError> {
        self.transaction(|transaction| {
            let over = |piece: &&u32| {
                let piece = transaction.ledger.pieces().get(**piece as usize);
                piece.is_some_and(|piece| matches!(piece.status, Status::Done { .. } | Status::Failed))
            };
            let entries = self.entries(pieces.iter().filter(over).map(|&piece| Change::Forgotten { piece }));
            transaction.write(entries)
        })
    }

    /// State of every piece, by number.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn states(&self) -> Result<Vec<Piece>, RunError> {
        self.inspect(|ledger| ledger.pieces().to_vec())
    }

    /// Progress of the job.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn summary(&self) -> Result<Summary, RunError> {
        self.inspect(Ledger::summary)
    }

    fn inspect<T>(&self, read: impl FnOnce(&Ledger) -> T) -> Result<T, RunError> {
        self.transaction(|transaction| {
            self.free_pieces_of_dead_workers(transaction)?;
            Ok(read(transaction.ledger))
        })
    }

    /// Determines the result of a request without changing the journal.
    fn choose(&self, ledger: &Ledger, count: usize, request: &ClaimRequest) -> ClaimResult {
        if let Some((piece, device)) = ledger.on_another_kind(request.device).filter(|_| request.one_kind) {
            return ClaimResult::OtherKind { piece, device };
        }
        let claims = ledger.choose(self.worker, count.max(1), &request.among);
        match (claims.is_empty(), ledger.is_any_held(&request.among)) {
            (false, _) => ClaimResult::Pieces(claims),
            (true, true) => ClaimResult::Wait,
            (true, false) => ClaimResult::Exhausted,
        }
    }

    /// Frees the pieces held by workers whose process is gone.
    fn free_pieces_of_dead_workers(&self, transaction: &mut Transaction) -> Result<(), RunError> {
        let mut dead = Vec::new();
        for worker in transaction.ledger.holders().filter(|&worker| worker != self.worker) {
            if presence::is_gone(&self.workers, worker)? {
                dead.push(worker);
            }
        }
        transaction.write(dead.iter().map(|&worker| Entry { worker, change: Change::Ended }).collect())?;
        dead.iter().for_each(|&worker| presence::clear(&self.workers, worker));
        *transaction.last_check = Some(Instant::now());
        Ok(())
    }

    /// Records a change for each of the pieces that this worker holds. `change` receives the index in `pieces`, the number and the device.
    fn change_held(
        &self,
        pieces: impl Iterator<Item = u32>,
        change: impl Fn(usize, u32, u8) -> Change,
    ) -> Result<(), RunError> {
        self.transaction(|transaction| {
            let mut seen = BTreeSet::new();
            let held = pieces.enumerate().filter(|(_, piece)| seen.insert(*piece)).filter_map(|(index, piece)| {
                let device = transaction.ledger.device_of_held(self.worker, piece)?;
                Some(change(index, piece, device))
            });
            let entries = self.entries(held);
            transaction.write(entries)
        })
    }

    fn entries(&self, changes: impl Iterator<Item = Change>) -> Vec<Entry> {
        changes.map(|change| Entry { worker: self.worker, change }).collect()
    }

    fn transaction<T>(&self, run: impl FnOnce(&mut Transaction) -> Result<T, RunError>) -> Result<T, RunError> {
        self.shared.lock().expect("no transaction panics").transaction(run)
    }
}

/// Removes the files of all workers whose process is gone, and frees the pieces that they held.
fn remove_dead_workers(folder: &Path, own: u32, transaction: &mut Transaction) -> Result<(), RunError> {
    let mut dead = Vec::new();
    for worker in presence::known(folder)?.into_iter().filter(|&worker| worker != own) {
        if presence::is_gone(folder, worker)? {
            dead.push(worker);
        }
    }
    let at_work = dead.iter().filter(|&&worker| transaction.ledger.is_at_work(worker));
    transaction.write(at_work.map(|&worker| Entry { worker, change: Change::Ended }).collect())?;
    dead.iter().for_each(|&worker| presence::clear(folder, worker));
    Ok(())
}

impl Drop for Journal {
    fn drop(&mut self) {
        // If this cannot be written, the released lock tells other workers that this one has left.
        if let Ok(mut shared) = self.shared.lock() {
            let ended = self.entries(std::iter::once(Change::Ended));
            let _ = shared.transaction(|transaction| {
                transaction.write(ended)?;
                remove_dead_workers(&self.workers, self.worker, transaction)
            });
        }
    }
}
