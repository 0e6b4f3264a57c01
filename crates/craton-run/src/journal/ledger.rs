//! State of a job, accumulated from the entries of its journal.

use super::entry::{Change, Entry};
use super::piece::{Claim, Failure, Piece, Status, Summary, WorkerAtWork};
use super::presence::machine;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Number of failed attempts after which a piece is given up.
const FAILURES_ALLOWED: usize = 2;

/// State of all pieces, and of the workers that hold some.
#[derive(Debug)]
pub(super) struct Ledger {
    pieces: Vec<Piece>,
    free: BTreeSet<u32>,
    /// Pieces that each worker holds; workers without pieces have no key.
    held: BTreeMap<u32, BTreeSet<u32>>,
    /// Workers that have joined and not left.
    at_work: BTreeSet<u32>,
    /// Process and machine of every worker that ever joined.
    places: BTreeMap<u32, String>,
    next_worker: u32,
    /// Pieces that are held or done, by kind of device.
    devices: BTreeMap<u8, BTreeSet<u32>>,
}

impl Ledger {
    pub fn new(pieces: u32) -> Self {
        Self {
            pieces: vec![Piece { status: Status::Free, failures: Vec::new() }; pieces as usize],
            free: (0..pieces).collect(),
            held: BTreeMap::new(),
            at_work: BTreeSet::new(),
            places: BTreeMap::new(),
            next_worker: 0,
            devices: BTreeMap::new(),
        }
    }

    /// Applies an entry.
    ///
    /// # Panics
    /// If it refers to a piece that does not exist.
    pub fn apply(&mut self, entry: Entry) {
        let worker = entry.worker;
        match entry.change {
            Change::Joined { place } => {
                self.next_worker = self.next_worker.max(worker + 1);
                self.at_work.insert(worker);
                self.places.insert(worker, place);
            }
            Change::Ended => {
                self.at_work.remove(&worker);
                for piece in self.held.get(&worker).cloned().unwrap_or_default() {
                    self.set(piece, Status::Free);
                }
            }
            Change::Taken { piece, device } => self.set(piece, Status::Taken { worker, device }),
            Change::Done { piece, device, checksum, seconds } => {
                self.set(piece, Status::Done { worker, device, checksum, seconds });
            }
            Change::Failed { piece, device, code, reason } => {
                let failures = &mut self.pieces[piece as usize].failures;
                failures.push(Failure { worker, device, code, reason });
                let again = failures.len() < FAILURES_ALLOWED;
                self.set(piece, if again { Status::Free } else { Status::Failed });
            }
            Change::Released { piece } => self.set(piece, Status::Free),
            Change::Forgotten { piece } => {
                self.pieces[piece as usize].failures.clear();
                self.set(piece, Status::Free);
            }
        }
    }

    /// Changes the status of a piece and updates the indices by status.
    fn set(&mut self, piece: u32, status: Status) {
        let before = std::mem::replace(&mut self.pieces[piece as usize].status, status);
        if before == Status::Free {
            self.free.remove(&piece);
        }
        if let Status::Taken { worker, .. } = before {
            remove(&mut self.held, worker, piece);
        }
        if let Some(device) = before.device() {
            remove(&mut self.devices, device, piece);
        }
        if status == Status::Free {
            self.free.insert(piece);
        }
        if let Status::Taken { worker, .. } = status {
            self.held.entry(worker).or_default().insert(piece);
        }
        if let Some(device) = status.device() {
            self.devices.entry(device).or_default().insert(piece);
        }
    }

    /// A number that no worker has used.
    pub fn next_worker(&self) -> u32 {
        self.next_worker
    }

    /// Whether a worker has joined and not left.
    pub fn is_at_work(&self, worker: u32) -> bool {
        self.at_work.contains(&worker)
    }

    /// The workers that hold pieces.
    pub fn holders(&self) -> impl Iterator<Item = u32> {
        self.held.keys().copied()
    }

    /// Kind of device of a piece that this worker holds; `None` if it does not hold the piece.
    pub fn device_of_held(&self, worker: u32, piece: u32) -> Option<u8> {
        match self.pieces.get(piece as usize)?.status {
            Status::Taken { worker: holder, device } if holder == worker => Some(device),
            _ => None,
        }
    }

    /// Returns a piece that is held or done on another kind of device, and that kind.
    pub fn on_another_kind(&self, device: u8) -> Option<(u32, u8)> {
        let (&other, pieces) = self.devices.iter().find(|(kind, _)| **kind != device)?;
        Some((*pieces.first()?, other))
    }

    /// Returns the lowest free pieces of a range, at most `count`. Pieces that failed on this worker are chosen only if nothing else is
    /// free.
    pub fn choose(&self, worker: u32, count: usize, among: &Range<u32>) -> Vec<Claim> {
        if among.is_empty() {
            return Vec::new();
        }
        let failed_here = |piece: &u32| self.piece(*piece).failures.iter().any(|failure| failure.worker == worker);
        let claim = |piece: u32| Claim { piece, attempt: 1 + self.piece(piece).failures.len() as u32 };
        let free = || self.free.range(among.clone()).copied();
        let chosen: Vec<Claim> = free().filter(|piece| !failed_here(piece)).take(count).map(claim).collect();
        if chosen.is_empty() { free().take(count).map(claim).collect() } else { chosen }
    }

    /// Whether any worker holds a piece of a range.
    pub fn is_any_held(&self, among: &Range<u32>) -> bool {
        !among.is_empty() && self.held.values().any(|pieces| pieces.range(among.clone()).next().is_some())
    }

    fn piece(&self, piece: u32) -> &Piece {
        &self.pieces[piece as usize]
    }

    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    pub fn summary(&self) -> Summary {
        let mut summary = Summary { pieces: self.pieces.len() as u32, ..Summary::default() };
        let mut by_workers = BTreeMap::<(u32, u8), u32>::new();
        for piece in &self.pieces {
            match piece.status {
                Status::Free => summary.free += 1,
                Status::Taken { .. } => summary.taken += 1,
                Status::Failed => summary.failed += 1,
                Status::Done { worker, device, seconds, .. } => {
                    summary.done += 1;
                    summary.seconds += f64::from(seconds);
                    *by_workers.entry((worker, device)).or_default() += 1;
                }
            }
        }
        let place = |worker| self.places.get(worker).cloned().unwrap_or_default();
        for ((worker, device), pieces) in &by_workers {
            *summary.done_on.entry((machine(&place(worker)).to_owned(), *device)).or_default() += pieces;
        }
        let at_work = self.held.iter().map(|(worker, pieces)| WorkerAtWork {
            worker: *worker,
            place: place(worker),
            pieces: pieces.iter().copied().collect(),
        });
        summary.workers = at_work.collect();
        summary
    }
}

/// Removes a piece from the set of a key, and the key if its set is then empty.
fn remove<K: Ord>(sets: &mut BTreeMap<K, BTreeSet<u32>>, key: K, piece: u32) {
    if let Some(set) = sets.get_mut(&key) {
        set.remove(&piece);
        if set.is_empty() {
            sets.remove(&key);
        }
    }
}
