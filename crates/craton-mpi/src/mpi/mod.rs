//! Ranks as MPI processes: start, collective operations, end.

mod devices;
mod progress;
mod transfer;

use craton_comm::{CommError, DeviceRanks, Incoming, Outgoing, Ranks, launched_ranks};
use mpi::Threading;
use mpi::datatype::PartitionMut;
use mpi::environment::{Universe, initialize_with_threading, library_version, processor_name};
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Root};
use progress::Progress;
use std::fmt::{self, Debug, Formatter};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

/// Largest piece of a message in bytes: MPI counts with 31 bits.
const LARGEST_PIECE: usize = 1 << 30;

/// Exit code of a run that ends by a panic, as for any Rust program.
const PANICKED: i32 = 101;

/// This process as a rank of an MPI run.
///
/// Only one thread at a time calls MPI: the caller of a method or, while the caller computes in [`Ranks::exchange`], a thread that
/// drives the messages periodically. `MPI_THREAD_SERIALIZED` is therefore sufficient.
///
/// Dropping it before [`Ranks::finish`] ends all ranks, so that none waits for one that has failed. Drop it only after errors
/// have been reported.
pub struct Mpi {
    rank: usize,
    count: usize,
    host: String,
    largest_piece: usize,
    finished: AtomicBool,
    progress: Progress,
    /// Locked by the thread that calls MPI; dropped last, because that finalises MPI
    universe: Arc<Mutex<Universe>>,
}

impl Mpi {
    /// Initialises MPI, once per process and on the thread that will drop the result.
    ///
    /// # Errors
    /// [`CommError::StartedTwice`], [`CommError::Threads`] if this MPI does not support calls from several threads, and
    /// [`CommError::Launcher`] if the numbers of ranks of MPI and of the launcher differ.
    pub fn init() -> Result<Self, CommError> {
        let (universe, level) = initialize_with_threading(Threading::Serialized).ok_or(CommError::StartedTwice)?;
        let library = library_version().unwrap_or_default().trim_matches(['\0', '\n', ' ']).to_owned();
        if level < Threading::Serialized {
            return Err(CommError::Threads { library });
        }
        let (rank, count) = (universe.world().rank() as usize, universe.world().size() as usize);
        if let Some(launched) = launched_ranks().filter(|&launched| launched != count) {
            return Err(CommError::Launcher { launched, found: count, library });
        }
        let universe = Arc::new(Mutex::new(universe));
        Ok(Self {
            rank,
            count,
            host: processor_name().unwrap_or_else(|_| "a host without a name".into()),
            largest_piece: LARGEST_PIECE,
            finished: AtomicBool::new(false),
            progress: Progress::start(Arc::clone(&universe)),
            universe,
        })
    }

    /// Sets the largest size of a piece of a message (default and maximum 2^30); it must be equal on all ranks.
    #[must_use]
    pub fn in_pieces_of(mut self, bytes: usize) -> Self {
        self.largest_piece = bytes.clamp(1, LARGEST_PIECE);
        self
    }

    /// Takes the lock for calling MPI, which is shared with the progress thread.
    fn enter(&self) -> Turn<'_> {
        let universe = self.universe.lock().unwrap_or_else(PoisonError::into_inner);
        Turn { world: universe.world(), _universe: universe }
    }

    /// Gathers bytes of all ranks on one rank or on all ranks; empty on the others.
    ///
    /// All ranks exchange their lengths, and then send in rounds, each of which transfers a share of every rank.
    fn gather_to(&self, target: Target, own: &[u8]) -> Vec<Vec<u8>> {
        let turn = self.enter();
        let mut lengths = vec![0_u64; self.count];
        turn.world.all_gather_into(&(own.len() as u64), &mut lengths[..]);
        let lengths: Vec<usize> = lengths.into_iter().map(|length| length as usize).collect();
        let share = (self.largest_piece / self.count).max(1);
        let receives = target == Target::Everyone || target == Target::Rank(self.rank);
        let mut gathered: Vec<Vec<u8>> = vec![Vec::new(); self.count];
        for start in (0..lengths.iter().copied().max().unwrap_or(0)).step_by(share) {
            let counts: Vec<usize> = lengths.iter().map(|length| length.saturating_sub(start).min(share)).collect();
            let piece = match &own[start.min(own.len())..][..counts[self.rank]] {
                [] => &EMPTY[..0],
                some => some,
            };
            let mut received = vec![0; if receives { counts.iter().sum() } else { 0 }];
            turn.gather_round(target, piece, &counts, &mut received);
            let mut rest = received.as_slice();
            for (bytes, &count) in gathered.iter_mut().zip(&counts).filter(|_| receives) {
                let (piece, remainder) = rest.split_at(count);
                bytes.extend_from_slice(piece);
                rest = remainder;
            }
        }
        gathered
    }
}

/// A place in memory for empty messages: the address of an empty vector is 1, which Open MPI takes for `MPI_IN_PLACE`.
static EMPTY: [u8; 1] = [0];

/// Destination of a gather.
#[derive(Clone, Copy, PartialEq)]
enum Target {
    Everyone,
    Rank(usize),
}

/// Exclusive access to MPI, held while it is called.
struct Turn<'a> {
    world: SimpleCommunicator,
    _universe: MutexGuard<'a, Universe>,
}

impl Turn<'_> {
    /// Gathers `piece`, of which rank r has `counts[r]` bytes, one after the other into `received`.
    fn gather_round(&self, target: Target, piece: &[u8], counts: &[usize], received: &mut [u8]) {
        let counts: Vec<i32> = counts.iter().map(|&count| count as i32).collect();
        let starts: Vec<i32> = counts
            .iter()
            .scan(0, |end, count| {
                *end += count;
                Some(*end - count)
            })
            .collect();
        let Target::Rank(rank) = target else {
            return self.world.all_gather_varcount_into(piece, &mut PartitionMut::new(received, counts, starts));
        };
        let receiver = self.world.process_at_rank(rank as i32);
        if receiver.is_self() {
            receiver.gather_varcount_into_root(piece, &mut PartitionMut::new(received, counts, starts));
        } else {
            receiver.gather_varcount_into(piece);
        }
    }
}

impl Ranks for Mpi {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.count
    }

    fn host(&self) -> String {
        self.host.clone()
    }

    fn on_devices(&self) -> Option<&dyn DeviceRanks> {
        Some(self)
    }

    fn all_gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, CommError> {
        Ok(self.gather_to(Target::Everyone, own))
    }

    fn gather_on(&self, rank: usize, own: &[u8]) -> Result<Option<Vec<Vec<u8>>>, CommError> {
        let gathered = self.gather_to(Target::Rank(rank), own);
        Ok((self.rank == rank).then_some(gathered))
    }

    fn broadcast_from(&self, rank: usize, bytes: &mut Vec<u8>) -> Result<(), CommError> {
        let turn = self.enter();
        let sender = turn.world.process_at_rank(rank as i32);
        let mut length = bytes.len() as u64;
        sender.broadcast_into(&mut length);
        bytes.resize(length as usize, 0);
        bytes.chunks_mut(self.largest_piece).for_each(|piece| sender.broadcast_into(piece));
        Ok(())
    }

    fn exchange(
        &self,
        outgoing: &[Outgoing<'_>],
        incoming: &mut [Incoming<'_>],
        work: &mut dyn FnMut(),
    ) -> Result<(), CommError> {
        self.exchange_on_host(outgoing, incoming, work)
    }

    fn abort(&self, status: i32) -> ! {
        // Another thread may block in MPI indefinitely: after 100 ms, abort without the lock.
        let _turn = (0..100).find_map(|_| match self.universe.try_lock() {
            Ok(turn) => Some(turn),
            Err(TryLockError::Poisoned(turn)) => Some(turn.into_inner()),
            Err(TryLockError::WouldBlock) => {
                std::thread::sleep(Duration::from_millis(1));
                None
            }
        });
        SimpleCommunicator::world().abort(status)
    }

    fn finish(&self) -> Result<(), CommError> {
        self.gather_to(Target::Everyone, &[]);
        self.finished.store(true, Ordering::Release);
        Ok(())
    }
}

impl Drop for Mpi {
    fn drop(&mut self) {
        if !self.finished.load(Ordering::Acquire) {
            self.abort(if std::thread::panicking() { PANICKED } else { 1 });
        }
    }
}

impl Debug for Mpi {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "Mpi({} of {} on {})", self.rank, self.count, self.host)
    }
}
