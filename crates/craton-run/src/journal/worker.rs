//! A worker: takes pieces and tells what became of them.

use super::entry::{Change, Entry, Head};
use super::ledger::Ledger;
use super::piece::{Claim, Done, Failed, Offer, Piece, Status, Summary, Wish};
use super::presence::{self, Presence};
use super::transaction::{Shared, Transaction};
use crate::RunError;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// While pieces are free, the dead are looked for no more often than this.
const BETWEEN_LOOKS: Duration = Duration::from_secs(1);

/// A worker's hold on the journal of a job. What it still holds when this value goes is free again.
///
/// One value may be shared by threads. A process may also open the journal several times, once per device: then a piece that failed on one
/// is offered to another first.
#[derive(Debug)]
pub struct Journal {
    worker: u32,
    workers: PathBuf,
    shared: Mutex<Shared>,
    _presence: Presence,
}

impl Journal {
    /// Name of the file in its folder.
    pub const FILE_NAME: &str = "journal";

    /// Joins the journal in a folder, or begins it.
    ///
    /// # Arguments
    /// * `folder` – created where it is missing
    /// * `identity` – hash of all that the results depend on; another one is refused
    /// * `pieces` – number of pieces, numbered from 0
    /// # Errors
    /// [`RunError::OtherSurvey`] when the folder belongs to another job, [`RunError::DamagedJournal`], [`RunError::JournalLock`] where the
    /// file system has no locks, [`RunError::Io`].
    pub fn open(folder: &Path, identity: u64, pieces: u32) -> Result<Self, RunError> {
        let workers = folder.join("workers");
        fs::create_dir_all(&workers).map_err(RunError::io("create the folder", &workers))?;
        let mut shared = Shared::open(&folder.join(Self::FILE_NAME), Head { identity, pieces })?;
        // The lock is held before the journal names the worker: no one ever takes it for dead.
        let (worker, presence) = shared.transaction(|transaction| {
            let worker = transaction.ledger.next_worker();
            let presence = Presence::announce(&workers, worker)?;
            transaction.write(vec![Entry { worker, change: Change::Joined { place: presence::place() } }])?;
            Ok((worker, presence))
        })?;
        Ok(Self { worker, workers, shared: Mutex::new(shared), _presence: presence })
    }

    /// Number of this worker: no other that ever opened the journal has it.
    #[must_use]
    pub fn worker(&self) -> u32 {
        self.worker
    }

    /// Takes free pieces, lowest numbers first, `count` at most; no less than one is ever asked for.
    ///
    /// What dead workers held is free: they are looked for once a second, and always when nothing is free. A piece that failed once is
    /// offered once more, to the worker it failed with only when nothing else is free.
    ///
    /// # Errors
    /// [`RunError::TakenForDead`] when this worker's lock was lost, [`RunError::DamagedJournal`], [`RunError::JournalLock`],
    /// [`RunError::Io`].
    pub fn take(&self, count: usize, wish: &Wish) -> Result<Offer, RunError> {
        self.transaction(|transaction| {
            if !transaction.ledger.is_at_work(self.worker) {
                return Err(RunError::TakenForDead { folder: self.workers.clone() });
            }
            let due = transaction.looked.is_none_or(|time| time.elapsed() >= BETWEEN_LOOKS);
            let mut offer = self.offer(transaction.ledger, count, wish);
            if due || !matches!(offer, Offer::Pieces(_) | Offer::Over) {
                self.bury_the_dead(transaction)?;
                offer = self.offer(transaction.ledger, count, wish);
            }
            if let Offer::Pieces(claims) = &offer {
                let taken = |claim: &Claim| Change::Taken { piece: claim.piece, device: wish.device };
                transaction.write(self.entries(claims.iter().map(taken)))?;
            }
            Ok(offer)
        })
    }

    /// Whether this worker holds a piece: not one whose lock was lost, which is another's now.
    ///
    /// # Errors
    /// As [`take`](Self::take), but for a lost lock.
    pub fn holds(&self, piece: u32) -> Result<bool, RunError> {
        self.transaction(|transaction| Ok(transaction.ledger.device_of_held(self.worker, piece).is_some()))
    }

    /// Notes that pieces are done, all in one transaction: a hundred cost what one does. Their results must be on the disk.
    ///
    /// # Returns
    /// Those that this worker did not hold, which are not noted: its lock was lost, and they are another's now. Usually none.
    /// # Errors
    /// As [`take`](Self::take), but for a lost lock.
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

    /// Notes that pieces could not be done. Those that this worker does not hold are left out.
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

    /// Gives pieces back undone. Those that this worker does not hold are left out.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn release(&self, pieces: &[u32]) -> Result<(), RunError> {
        self.change_held(pieces.iter().copied(), |_, piece, _| Change::Released { piece })
    }

    /// Makes pieces that are done, or failed for good, free again, their failures forgotten: a result was found damaged, or the reason of
    /// the failures is gone. Those that are free or held stay as they are.
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

    /// Where every piece stands now, by number.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn states(&self) -> Result<Vec<Piece>, RunError> {
        self.look(|ledger| ledger.pieces().to_vec())
    }

    /// Where the job stands now.
    ///
    /// # Errors
    /// As [`finish`](Self::finish).
    pub fn summary(&self) -> Result<Summary, RunError> {
        self.look(Ledger::summary)
    }

    fn look<T>(&self, see: impl FnOnce(&Ledger) -> T) -> Result<T, RunError> {
        self.transaction(|transaction| {
            self.bury_the_dead(transaction)?;
            Ok(see(transaction.ledger))
        })
    }

    /// What would be offered, as things stand.
    fn offer(&self, ledger: &Ledger, count: usize, wish: &Wish) -> Offer {
        if let Some((piece, device)) = ledger.on_another_kind(wish.device).filter(|_| wish.one_kind) {
            return Offer::OtherKind { piece, device };
        }
        let claims = ledger.choose(self.worker, count.max(1), &wish.among);
        match (claims.is_empty(), ledger.is_any_held(&wish.among)) {
            (false, _) => Offer::Pieces(claims),
            (true, true) => Offer::Wait,
            (true, false) => Offer::Over,
        }
    }

    /// Frees what workers hold whose process is gone.
    fn bury_the_dead(&self, transaction: &mut Transaction) -> Result<(), RunError> {
        let mut dead = Vec::new();
        for worker in transaction.ledger.holders().filter(|&worker| worker != self.worker) {
            if presence::is_gone(&self.workers, worker)? {
                dead.push(worker);
            }
        }
        transaction.write(dead.iter().map(|&worker| Entry { worker, change: Change::Ended }).collect())?;
        dead.iter().for_each(|&worker| presence::clear(&self.workers, worker));
        *transaction.looked = Some(Instant::now());
        Ok(())
    }

    /// Notes a change of those of the pieces that this worker holds, made of their index, number and device.
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

impl Drop for Journal {
    fn drop(&mut self) {
        // Where this cannot be written, the lock that goes with this value says it.
        if let Ok(mut shared) = self.shared.lock() {
            let ended = self.entries(std::iter::once(Change::Ended));
            let _ = shared.transaction(|transaction| transaction.write(ended));
        }
    }
}
