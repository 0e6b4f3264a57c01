//! Ranks as threads of one process, for tests of several ranks without MPI.

use crate::error::CommError;
use crate::ranks::{Incoming, Outgoing, Ranks, check_addresses};
use std::fmt::{self, Debug, Formatter};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

/// One rank among threads.
///
/// Ranks that wait for one that has been dropped, for instance by a panic, receive [`CommError::Lost`].
pub struct ThreadRank {
    rank: usize,
    /// Channels to all ranks, including this one
    senders: Vec<Sender<Envelope>>,
    inbox: Mutex<Inbox>,
}

/// A message between threads, with its sender and label.
struct Envelope {
    from: usize,
    label: Label,
    bytes: Vec<u8>,
}

/// Purpose of a message.
#[derive(Clone, Copy, PartialEq)]
enum Label {
    Collective,
    Tagged(u16),
    End,
}

/// Creates `count` ranks, each to be moved to its own thread.
pub fn thread_ranks(count: usize) -> Vec<ThreadRank> {
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..count).map(|_| channel()).unzip();
    let inbox = |receiver| Inbox { receiver, waiting: Vec::new(), ended: vec![false; count] };
    let own = |(rank, receiver)| ThreadRank { rank, senders: senders.clone(), inbox: Mutex::new(inbox(receiver)) };
    receivers.into_iter().enumerate().map(own).collect()
}

/// Runs `body` on `count` ranks, each on a thread, and returns the results by rank.
///
/// # Panics
/// When one of them panics.
pub fn on_threads<T: Send>(count: usize, body: impl Fn(ThreadRank) -> T + Sync) -> Vec<T> {
    let body = &body;
    std::thread::scope(|scope| {
        let start = |rank: ThreadRank| scope.spawn(move || body(rank));
        let threads: Vec<_> = thread_ranks(count).into_iter().map(start).collect();
        let join = |thread: std::thread::ScopedJoinHandle<'_, T>| match thread.join() {
            Ok(value) => value,
            Err(panic) => std::panic::resume_unwind(panic),
        };
        threads.into_iter().map(join).collect()
    })
}

impl ThreadRank {
    fn send(&self, to: usize, label: Label, bytes: &[u8]) -> Result<(), CommError> {
        let envelope = Envelope { from: self.rank, label, bytes: bytes.to_vec() };
        self.senders[to].send(envelope).map_err(|_| CommError::Lost { rank: to })
    }

    /// Receives the next message with a label from a rank.
    fn take(&self, from: usize, label: Label) -> Result<Vec<u8>, CommError> {
        self.inbox.lock().unwrap_or_else(PoisonError::into_inner).take(from, label)
    }

    fn others(&self) -> impl Iterator<Item = usize> {
        let own = self.rank;
        (0..self.senders.len()).filter(move |&rank| rank != own)
    }

    /// Notifies all other ranks that no more messages follow; ranks that have ended are skipped.
    fn notify_end(&self) {
        for rank in self.others() {
            let _ = self.send(rank, Label::End, &[]);
        }
    }

    /// Receives the bytes of all other ranks, and returns those of all ranks.
    fn collect(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, CommError> {
        let bytes = |rank| if rank == self.rank { Ok(own.to_vec()) } else { self.take(rank, Label::Collective) };
        (0..self.senders.len()).map(bytes).collect()
    }
}

/// Received messages.
struct Inbox {
    receiver: Receiver<Envelope>,
    /// Messages that have not been taken yet, in order of arrival
    waiting: Vec<Envelope>,
    /// Ranks that have ended
    ended: Vec<bool>,
}

impl Inbox {
    fn take(&mut self, from: usize, label: Label) -> Result<Vec<u8>, CommError> {
        loop {
            if let Some(at) = self.waiting.iter().position(|envelope| envelope.from == from && envelope.label == label)
            {
                return Ok(self.waiting.remove(at).bytes);
            }
            if self.ended[from] {
                return Err(CommError::Lost { rank: from });
            }
            let envelope = self.receiver.recv().expect("a rank holds a channel to itself");
            match envelope.label {
                Label::End => self.ended[envelope.from] = true,
                Label::Collective | Label::Tagged(_) => self.waiting.push(envelope),
            }
        }
    }
}

impl Ranks for ThreadRank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn count(&self) -> usize {
        self.senders.len()
    }

    fn host(&self) -> String {
        format!("thread {}", self.rank)
    }

    fn all_gather(&self, own: &[u8]) -> Result<Vec<Vec<u8>>, CommError> {
        self.others().try_for_each(|rank| self.send(rank, Label::Collective, own))?;
        self.collect(own)
    }

    fn gather_on(&self, rank: usize, own: &[u8]) -> Result<Option<Vec<Vec<u8>>>, CommError> {
        if self.rank == rank {
            return self.collect(own).map(Some);
        }
        self.send(rank, Label::Collective, own)?;
        Ok(None)
    }

    fn broadcast_from(&self, rank: usize, bytes: &mut Vec<u8>) -> Result<(), CommError> {
        if self.rank == rank {
            return self.others().try_for_each(|rank| self.send(rank, Label::Collective, bytes));
        }
        *bytes = self.take(rank, Label::Collective)?;
        Ok(())
    }

    fn exchange(
        &self,
        outgoing: &[Outgoing<'_>],
        incoming: &mut [Incoming<'_>],
        work: &mut dyn FnMut(),
    ) -> Result<(), CommError> {
        check_addresses(self.count(), outgoing, incoming)?;
        for message in outgoing {
            self.send(message.rank, Label::Tagged(message.tag), message.bytes)?;
        }
        work();
        for place in incoming {
            place.fill(&self.take(place.rank, Label::Tagged(place.tag))?)?;
        }
        Ok(())
    }

    fn abort(&self, status: i32) -> ! {
        self.notify_end();
        panic!("rank {} ended the run with status {status}", self.rank)
    }
}

impl Drop for ThreadRank {
    fn drop(&mut self) {
        self.notify_end();
    }
}

impl Debug for ThreadRank {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "ThreadRank({} of {})", self.rank, self.senders.len())
    }
}
