//! Point-to-point messages in pieces, in any kind of memory.

use super::{Mpi, PANICKED};
use craton_comm::{CommError, Incoming, Message, Outgoing, Ranks, check_addresses};
use mpi::request::{RequestCollection, multiple_scope};
use mpi::traits::{Buffer, BufferMut, Communicator, Destination, Equivalence, Source};
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

impl Mpi {
    /// [`Ranks::exchange`] in host memory.
    pub(super) fn exchange_on_host(
        &self,
        outgoing: &[Outgoing<'_>],
        incoming: &mut [Incoming<'_>],
        work: &mut dyn FnMut(),
    ) -> Result<(), CommError> {
        check_addresses(self.count, outgoing, incoming)?;
        if outgoing.is_empty() && incoming.is_empty() {
            work();
            return Ok(());
        }
        let sent: Vec<Message<&[u8]>> = outgoing
            .iter()
            .flat_map(|message| self.pieces(message.bytes.len()).map(|piece| message.with(&message.bytes[piece])))
            .collect();
        let mut awaited = Vec::new();
        for message in incoming.iter_mut() {
            let (rank, tag, mut rest) = (message.rank, message.tag, &mut *message.bytes);
            for piece in self.pieces(rest.len()) {
                let (bytes, remainder) = rest.split_at_mut(piece.len());
                awaited.push(Message { rank, tag, bytes });
                rest = remainder;
            }
        }
        let received = self.transfer(sent, awaited, &mut || self.progress.during(work));
        self.check_lengths(incoming.iter().map(|message| message.with(message.bytes.len())), received)
    }

    /// The pieces of a message of `bytes` bytes. An empty message is one piece, so that a receiver that expects more detects the difference.
    pub(super) fn pieces(&self, bytes: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let largest = self.largest_piece;
        (0..bytes.max(1)).step_by(largest).map(move |start| start..bytes.min(start + largest))
    }

    /// Starts all messages, receives first, runs `work` and waits for all; returns the bytes of each received piece in order.
    pub(super) fn transfer<'a, D: Buffer + BufferMut + ?Sized>(
        &self,
        outgoing: Vec<Message<&'a D>>,
        incoming: Vec<Message<&'a mut D>>,
        work: &mut dyn FnMut(),
    ) -> Vec<usize> {
        multiple_scope(outgoing.len() + incoming.len(), |scope, requests| {
            let turn = self.enter();
            for place in incoming {
                let from = turn.world.process_at_rank(place.rank as i32);
                requests.add(from.immediate_receive_into_with_tag(scope, place.bytes, i32::from(place.tag)));
            }
            for message in outgoing {
                let to = turn.world.process_at_rank(message.rank as i32);
                requests.add(to.immediate_send_with_tag(scope, message.bytes, i32::from(message.tag)));
            }
            drop(turn);
            self.complete(requests, work)
        })
    }

    /// Runs `work`, then waits for all messages; returns the bytes of each in the order of their start.
    fn complete<D: ?Sized>(&self, requests: &mut RequestCollection<'_, D>, work: &mut dyn FnMut()) -> Vec<usize> {
        // A panic must not unwind past memory that MPI still writes to.
        if catch_unwind(AssertUnwindSafe(work)).is_err() {
            self.abort(PANICKED);
        }
        let mut done = Vec::new();
        let mut are_done = || {
            let _turn = self.enter();
            requests.test_all(&mut done)
        };
        while !are_done() {
            std::thread::yield_now();
        }
        done.iter().map(|(_, status, _)| status.count(u8::equivalent_datatype()) as usize).collect()
    }

    /// Checks that received messages, in pieces of `received` bytes, have the lengths of their buffers.
    pub(super) fn check_lengths(
        &self,
        places: impl Iterator<Item = Message<usize>>,
        received: Vec<usize>,
    ) -> Result<(), CommError> {
        let mut received = received.into_iter();
        for place in places {
            let n_pieces = self.pieces(place.bytes).count();
            place.check_length(place.bytes, received.by_ref().take(n_pieces).sum())?;
        }
        Ok(())
    }
}
