//! The interface of ranks, independent of their means of communication.

use crate::agreement;
use crate::error::{CommError, Fault};
use craton_device::gpu::{Lent, LentMut};
use std::fmt::Debug;

/// Largest tag of a message, which the MPI standard guarantees.
pub const LARGEST_TAG: u16 = 32_767;

/// The processes (in tests: threads) of a run, as seen from one of them.
///
/// All methods are collective unless stated otherwise: every rank calls the same methods in the same order. The results of
/// reductions depend on the number of ranks, but not on timing.
///
/// A rank that fails alone reports its error and calls [`abort`](Self::abort), because the others may be waiting for it. A rank that is dropped
/// before [`finish`](Self::finish), for instance by a panic, counts as failed.
pub trait Ranks: Send + Sync + Debug {
    /// Number of this rank, from 0. Not collective.
    fn rank(&self) -> usize;

    /// Number of ranks, at least 1. Not collective.
    fn count(&self) -> usize;

    /// Name of the machine that this rank runs on. Not collective.
    fn host(&self) -> String;

    /// Whether this is rank 0, which prints and writes files for all. Not collective.
    fn is_root(&self) -> bool {
        self.rank() == 0
    }

    /// Interface for messages directly between device memories, if it is built in. Not collective.
    fn on_devices(&self) -> Option<&dyn DeviceRanks> {
        None
    }

    /// Gathers bytes of every rank, by rank, on every rank. Their lengths may differ.
    ///
    /// # Errors
    /// [`CommError::Lost`] when a rank has ended.
    fn all_gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, CommError>;

    /// Gathers bytes of every rank, by rank, on one of them; `None` on the others. Their lengths may differ.
    ///
    /// # Errors
    /// [`CommError::Lost`] when a rank has ended.
    fn gather_on(&self, rank: usize, own: &[u8]) -> Result<Option<Vec<Vec<u8>>>, CommError>;

    /// Broadcasts the bytes of a rank, which replace `bytes` on the other ranks.
    ///
    /// # Errors
    /// [`CommError::Lost`] when the rank has ended.
    fn broadcast_from(&self, rank: usize, bytes: &mut Vec<u8>) -> Result<(), CommError>;

    /// Gathers on the root, as [`gather_on`](Self::gather_on).
    ///
    /// # Errors
    /// [`CommError::Lost`] when a rank has ended.
    fn gather(&self, own: &[u8]) -> Result<Option<Vec<Vec<u8>>>, CommError> {
        self.gather_on(0, own)
    }

    /// Broadcasts from the root, as [`broadcast_from`](Self::broadcast_from).
    ///
    /// # Errors
    /// [`CommError::Lost`] when the root has ended.
    fn broadcast(&self, bytes: &mut Vec<u8>) -> Result<(), CommError> {
        self.broadcast_from(0, bytes)
    }

    /// Sends and receives messages while `work` computes.
    ///
    /// Starts all messages, runs `work` on the calling thread, and returns when the send buffers may be reused and all of
    /// `incoming` is filled. Messages make progress while `work` runs, even if it never calls this library. `work`
    /// must not call methods of this rank.
    ///
    /// This is point-to-point communication, not collective: only the two partners need to call it, each naming the other. Messages
    /// with the same sender and tag arrive in the order in which they were sent. A rank may send to itself.
    ///
    /// # Arguments
    /// * `outgoing` – messages that this rank sends
    /// * `incoming` – receive buffers; each must have the length of its message
    /// * `work` – computation that overlaps with the exchange; may be empty
    ///
    /// # Errors
    /// [`CommError::Length`], [`CommError::NoSuchRank`], [`CommError::Tag`], [`CommError::Lost`]. After an error the state of the
    /// other messages is undefined: end the run.
    fn exchange(
        &self,
        outgoing: &[Outgoing<'_>],
        incoming: &mut [Incoming<'_>],
        work: &mut dyn FnMut(),
    ) -> Result<(), CommError>;

    /// Ends all ranks immediately, with `status` as exit code. Not collective: a rank that fails ends the others.
    ///
    /// Report the error before the call, because the other ranks cannot.
    fn abort(&self, status: i32) -> !;

    /// Ends communication normally: waits until all ranks call it.
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

    /// Sums each value of `own`, which has the same length on all ranks, over the ranks in ascending order, so that rounding is
    /// reproducible.
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

    /// Checks that all ranks have the same names and values: scenario, version, build.
    ///
    /// # Errors
    /// [`CommError::Disagreement`] on all ranks, with the first name that differs, the ranks and their hosts.
    fn agree(&self, facts: &[(&str, String)]) -> Result<(), CommError> {
        agreement::agree(self, facts)
    }

    /// Reports the failure of any rank to all ranks, so that they stop together with a single message.
    ///
    /// # Arguments
    /// * `own` – the failure of this rank, if any
    ///
    /// # Errors
    /// [`CommError::Failed`] on all ranks, with the first rank that gave a message.
    fn confirm(&self, own: Result<(), Fault>) -> Result<(), CommError> {
        agreement::confirm(self, own)
    }
}

/// Ranks that can exchange messages in device memory.
pub trait DeviceRanks {
    /// Whether MPI reports that it can access the memory of CUDA devices; false if that cannot be determined. Ranks with different
    /// MPIs may differ.
    fn reach_devices(&self) -> bool;

    /// Sends and receives messages in device memory; otherwise as [`Ranks::exchange`]. The buffers of the partner may be in host
    /// memory.
    ///
    /// The caller must check [`Self::reach_devices`]; otherwise the process may crash. The accesses are not ordered with the queues of
    /// devices: see [`Lent`] and [`LentMut`].
    ///
    /// # Errors
    /// As [`Ranks::exchange`].
    fn exchange_in_place(&self, outgoing: &[Message<Lent>], incoming: &mut [Message<LentMut>])
    -> Result<(), CommError>;
}

/// A message between this rank and another.
#[derive(Debug, Clone, Copy)]
pub struct Message<M> {
    /// The other rank
    pub rank: usize,
    /// Tag, at most [`LARGEST_TAG`], which distinguishes messages between the same two ranks
    pub tag: u16,
    /// Bytes to send, or receive buffer of the length of the message
    pub bytes: M,
}

/// A message that this rank sends.
pub type Outgoing<'a> = Message<&'a [u8]>;

/// A message that this rank receives.
pub type Incoming<'a> = Message<&'a mut [u8]>;

/// Checks ranks and tags of messages; the first step of every [`Ranks::exchange`].
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
    /// Copies a received message into the buffer.
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
    /// The same message with another representation of its bytes.
    pub fn with<B>(&self, bytes: B) -> Message<B> {
        Message { rank: self.rank, tag: self.tag, bytes }
    }

    /// Checks that a message of `found` bytes fills its buffer of `expected` bytes.
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
