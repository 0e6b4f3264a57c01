//! The trait that hides how ranks reach one another.

use crate::agreement;
use crate::error::{CommError, Fault};
use craton_device::gpu::{Lent, LentMut};
use std::fmt::Debug;

/// Largest tag of a message: what every MPI must be able to send.
pub const LARGEST_TAG: u16 = 32_767;

/// The processes (in tests: threads) that compute one run together, seen from one of them.
///
/// All methods are collective unless they say otherwise: every rank calls the same ones in the same order. The results of
/// reductions depend on the number of ranks, never on who was first.
///
/// A rank that fails alone says so and calls [`abort`](Self::abort): the others may be waiting for it. One that is dropped before
/// [`finish`](Self::finish), for instance by a panic, counts as failed.
pub trait Ranks: Send + Sync + Debug {
    /// Number of this rank, from 0. Not collective.
    fn rank(&self) -> usize;

    /// Number of ranks, at least 1. Not collective.
    fn count(&self) -> usize;

    /// Name of the machine that this rank runs on. Not collective.
    fn host(&self) -> String;

    /// Whether this is rank 0, which speaks and writes for all. Not collective.
    fn is_root(&self) -> bool {
        self.rank() == 0
    }

    /// Ranks that may exchange messages between devices without the host's memory, where such a way is built in. Not collective.
    fn on_devices(&self) -> Option<&dyn DeviceRanks> {
        None
    }

    /// Bytes of every rank, by rank, to every rank. Their lengths may differ.
    ///
    /// # Errors
    /// [`CommError::Lost`] when a rank has ended.
    fn all_gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, CommError>;

    /// Bytes of every rank, by rank, to the root; `None` on the others. Their lengths may differ.
    ///
    /// # Errors
    /// [`CommError::Lost`] when a rank has ended.
    fn gather(&self, own: &[u8]) -> Result<Option<Vec<Vec<u8>>>, CommError>;

    /// The bytes of the root to every rank; what `bytes` held on the others is replaced.
    ///
    /// # Errors
    /// [`CommError::Lost`] when the root has ended.
    fn broadcast(&self, bytes: &mut Vec<u8>) -> Result<(), CommError>;

    /// Sends and receives messages while `work` computes.
    ///
    /// Starts all messages, runs `work` on the calling thread, and returns when what was sent may be overwritten and all of
    /// `incoming` is filled. Messages go on their way while `work` runs, even if it never returns to this library. `work`
    /// must not call this rank's methods itself.
    ///
    /// Point to point, so not collective: only partners need to call it, each naming the other. Messages from one rank with
    /// one tag arrive in the order in which they were sent. A rank may send to itself.
    ///
    /// # Arguments
    /// * `outgoing` – what leaves this rank
    /// * `incoming` – places for what comes; each must have the length of its message
    /// * `work` – what to compute meanwhile; returns at once when there is nothing
    ///
    /// # Errors
    /// [`CommError::Length`], [`CommError::NoSuchRank`], [`CommError::Tag`], [`CommError::Lost`]. After an error nothing is
    /// known of the other messages: end the run.
    fn exchange(
        &self,
        outgoing: &[Outgoing<'_>],
        incoming: &mut [Incoming<'_>],
        work: &mut dyn FnMut(),
    ) -> Result<(), CommError>;

    /// Ends all ranks at once, with `status` as exit code. Not collective: one that fails takes the others down.
    ///
    /// Say first what has failed: the others do not know.
    fn abort(&self, status: i32) -> !;

    /// The good end: waits for all ranks, after which none needs the others any more.
    ///
    /// # Errors
    /// [`CommError::Lost`] when a rank has ended.
    fn finish(&self) -> Result<(), CommError> {
        self.all_gather(&[]).map(drop)
    }

    /// Smallest of the values of all ranks; NaN if one of them is.
    ///
    /// # Errors
    /// As [`all_gather`](Self::all_gather).
    fn least(&self, own: f64) -> Result<f64, CommError> {
        let values = agreement::gather_values(self, &[own])?;
        Ok(values
            .iter()
            .flatten()
            .copied()
            .fold(f64::INFINITY, |least, value| if least.is_nan() || least < value { least } else { value }))
    }

    /// Largest of the values of all ranks; NaN if one of them is.
    ///
    /// # Errors
    /// As [`all_gather`](Self::all_gather).
    fn greatest(&self, own: f64) -> Result<f64, CommError> {
        Ok(-self.least(-own)?)
    }

    /// Sums over all ranks of each of `own`, which has the same length everywhere; added by rank, so that the rounding is the
    /// same every time.
    ///
    /// # Errors
    /// As [`all_gather`](Self::all_gather), and [`CommError::NotUnderstood`] when lengths differ.
    fn sums(&self, own: &[f64]) -> Result<Vec<f64>, CommError> {
        let mut sums = vec![0.0; own.len()];
        for values in agreement::gather_values(self, own)? {
            sums.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
        Ok(sums)
    }

    /// Checks that all ranks have the same values of the same names: scenario, version, build.
    ///
    /// # Errors
    /// [`CommError::Disagreement`] on all ranks, with the first name that differs, the ranks and their hosts.
    fn agree(&self, facts: &[(&str, String)]) -> Result<(), CommError> {
        agreement::agree(self, facts)
    }

    /// Lets all ranks know whether one of them has failed, so that they stop together and one message is enough.
    ///
    /// # Arguments
    /// * `own` – what failed on this rank, if anything did
    ///
    /// # Errors
    /// [`CommError::Failed`] on all ranks, with the first rank that gave a message.
    fn confirm(&self, own: Result<(), Fault>) -> Result<(), CommError> {
        agreement::confirm(self, own)
    }
}

/// Ranks whose messages may stand in the memory of devices.
pub trait DeviceRanks {
    /// Whether they say that they reach the memory of CUDA devices; false where that is not known. The same on all ranks only if they
    /// have the same MPI.
    fn reach_devices(&self) -> bool;

    /// Sends and receives messages, as [`Ranks::exchange`], from the memory of devices to that of others. The partner may have its own
    /// on the host.
    ///
    /// Nobody checks that devices are reached: where they are not, the process may crash. No queue of a device knows of what is read and
    /// written: see [`Lent`] and [`LentMut`].
    ///
    /// # Errors
    /// As [`Ranks::exchange`].
    fn exchange_in_place(&self, outgoing: &[Message<Lent>], incoming: &mut [Message<LentMut>])
    -> Result<(), CommError>;
}

/// A message between this rank and another one.
#[derive(Debug, Clone, Copy)]
pub struct Message<M> {
    /// The other rank
    pub rank: usize,
    /// Tells messages between the same two ranks apart, at most [`LARGEST_TAG`]
    pub tag: u16,
    /// What is sent, or the place for what comes, as long as the message
    pub bytes: M,
}

/// A message that leaves this rank.
pub type Outgoing<'a> = Message<&'a [u8]>;

/// A message that this rank waits for.
pub type Incoming<'a> = Message<&'a mut [u8]>;

/// Checks the addresses of messages before the first one leaves: what every [`Ranks::exchange`] begins with.
///
/// # Arguments
/// * `count` – number of ranks
///
/// # Errors
/// [`CommError::NoSuchRank`], [`CommError::Tag`].
pub fn check_addresses(
    count: usize,
    outgoing: &[Message<impl Sized>],
    incoming: &[Message<impl Sized>],
) -> Result<(), CommError> {
    let sent = outgoing.iter().map(|message| (message.rank, message.tag));
    let awaited = incoming.iter().map(|message| (message.rank, message.tag));
    for (rank, tag) in sent.chain(awaited) {
        if rank >= count {
            return Err(CommError::NoSuchRank { rank, count });
        }
        if tag > LARGEST_TAG {
            return Err(CommError::Tag { tag });
        }
    }
    Ok(())
}

impl Incoming<'_> {
    /// Takes a message that has come.
    ///
    /// # Errors
    /// [`CommError::Length`].
    pub(crate) fn fill(&mut self, message: &[u8]) -> Result<(), CommError> {
        self.check_length(self.bytes.len(), message.len())?;
        self.bytes.copy_from_slice(message);
        Ok(())
    }
}

impl<M> Message<M> {
    /// The same message with its bytes told otherwise.
    pub fn with<B>(&self, bytes: B) -> Message<B> {
        Message { rank: self.rank, tag: self.tag, bytes }
    }

    /// Checks that a message of `found` bytes fills its place of `expected` bytes.
    ///
    /// # Errors
    /// [`CommError::Length`].
    pub fn check_length(&self, expected: usize, found: usize) -> Result<(), CommError> {
        if found != expected {
            return Err(CommError::Length { rank: self.rank, tag: self.tag, expected, found });
        }
        Ok(())
    }
}
