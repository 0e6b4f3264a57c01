//! The parts of a run, their distribution over ranks, and the exchange of their messages.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;
use craton_comm::{CommError, DeviceRanks, Incoming, Outgoing, Ranks, Solo};

/// How parts exchange messages. All modes except the first serve to measure the cost of messages; the last two give wrong results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Messaging {
    /// Messages are exchanged while work that does not need them is computed.
    Overlapped,
    /// Messages are exchanged before the work that would overlap with them.
    Blocking,
    /// Messages are packed, but not sent.
    Unsent,
    /// Messages are neither packed nor sent.
    Silent,
}

impl Messaging {
    /// Whether messages are sent.
    pub fn is_sent(self) -> bool {
        matches!(self, Self::Overlapped | Self::Blocking)
    }
}

/// The messages between a part and one of its neighbours in each step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The neighbour.
    pub part: usize,
    /// Range of the values for this neighbour among all that the part sends.
    pub outgoing: Range<usize>,
    /// Range of the values from this neighbour among all that the part receives.
    pub incoming: Range<usize>,
}

/// The parts of a run, numbered rank by rank, with the same number on every rank.
#[derive(Debug, Clone)]
pub struct PartExchange {
    parts: usize,
    ranks: Arc<dyn Ranks>,
    messaging: Messaging,
    /// Whether messages between ranks stay in the memory of devices.
    in_place: bool,
}

impl PartExchange {
    /// Distributes parts over ranks.
    ///
    /// # Arguments
    /// * `parts` – total number of parts
    ///
    /// # Panics
    /// If the number of parts is not a multiple of the number of ranks.
    pub fn new(parts: usize, ranks: Arc<dyn Ranks>) -> Self {
        assert_eq!(parts % ranks.count(), 0, "the number of parts is a multiple of the number of ranks");
        Self { parts, ranks, messaging: Messaging::Overlapped, in_place: false }
    }

    /// Parts of a single process.
    pub fn solo(parts: usize) -> Self {
        Self::new(parts, Arc::new(Solo))
    }

    /// Sets how messages are exchanged.
    #[must_use]
    pub fn with(self, messaging: Messaging) -> Self {
        Self { messaging, ..self }
    }

    /// Sets whether messages between GPUs of different ranks go directly from device to device. The default is by way of the host.
    #[must_use]
    pub fn in_place(self, in_place: bool) -> Self {
        Self { in_place, ..self }
    }

    /// Interface for messages directly between device memories, if it is built in and enabled by [`Self::in_place`].
    pub fn on_devices(&self) -> Option<&dyn DeviceRanks> {
        self.ranks.on_devices().filter(|_| self.in_place)
    }

    /// How the parts exchange messages.
    pub fn messaging(&self) -> Messaging {
        self.messaging
    }

    /// Total number of parts.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// The ranks.
    pub fn ranks(&self) -> &Arc<dyn Ranks> {
        &self.ranks
    }

    /// Numbers of the parts of this process.
    pub fn own(&self) -> Range<usize> {
        let each = self.parts / self.ranks.count();
        self.ranks.rank() * each..(self.ranks.rank() + 1) * each
    }

    /// The rank of a part.
    pub fn rank_of(&self, part: usize) -> usize {
        part / (self.parts / self.ranks.count())
    }

    /// Whether the neighbour of a link is on another rank.
    pub(crate) fn is_far(&self, link: &Link) -> bool {
        !self.own().contains(&link.part)
    }

    /// Tag that distinguishes the messages between two ranks.
    pub(crate) fn tag(&self, from: usize, to: usize) -> u16 {
        let each = self.own().len();
        (from % each * each + to % each) as u16
    }

    /// Exchanges messages and does the `work` that needs none of them, in the way that [`Self::messaging`] prescribes. The arguments are those of [`Self::exchange`].
    ///
    /// # Errors
    /// A rank that is lost.
    pub fn exchange_during<V: Pod>(
        &self,
        links: &[&[Link]],
        outgoing: &[impl AsRef<[V]>],
        incoming: &mut [Vec<V>],
        work: &mut dyn FnMut(),
    ) -> Result<(), CommError> {
        match self.messaging {
            Messaging::Overlapped => return self.exchange(links, outgoing, incoming, work),
            Messaging::Blocking => self.exchange(links, outgoing, incoming, &mut || ())?,
            Messaging::Unsent | Messaging::Silent => {}
        }
        work();
        Ok(())
    }

    /// Exchanges the messages between the parts of this process and their neighbours while `work` computes.
    ///
    /// # Arguments
    /// * `links` – of each part of this process, in the order of its incoming values
    /// * `outgoing` – values that each part sends
    /// * `incoming` – values that each part receives
    ///
    /// # Errors
    /// A rank that is lost.
    pub fn exchange<V: Pod>(
        &self,
        links: &[&[Link]],
        outgoing: &[impl AsRef<[V]>],
        incoming: &mut [Vec<V>],
        work: &mut dyn FnMut(),
    ) -> Result<(), CommError> {
        self.deliver(links, outgoing, incoming);
        let first = self.own().start;
        let sent = links.iter().zip(outgoing).enumerate().flat_map(|(own, (links, values))| {
            links.iter().filter(|link| self.is_far(link)).map(move |link| Outgoing {
                rank: self.rank_of(link.part),
                tag: self.tag(first + own, link.part),
                bytes: bytemuck::cast_slice(&values.as_ref()[link.outgoing.clone()]),
            })
        });
        let sent: Vec<_> = sent.collect();
        let mut received = Vec::new();
        for (own, (links, values)) in links.iter().zip(incoming).enumerate() {
            let (mut rest, mut passed) = (&mut values[..], 0);
            for link in links.iter().filter(|link| self.is_far(link)) {
                let (values, after) = rest[link.incoming.start - passed..].split_at_mut(link.incoming.len());
                (rest, passed) = (after, link.incoming.end);
                let bytes = bytemuck::cast_slice_mut(values);
                received.push(Incoming { rank: self.rank_of(link.part), tag: self.tag(link.part, first + own), bytes });
            }
        }
        if sent.is_empty() {
            work();
            return Ok(());
        }
        self.ranks.exchange(&sent, &mut received, work)
    }

    /// Copies messages between parts of this process.
    fn deliver<V: Pod>(&self, links: &[&[Link]], outgoing: &[impl AsRef<[V]>], incoming: &mut [Vec<V>]) {
        let own = self.own();
        for (from, values) in own.clone().zip(outgoing) {
            for link in links[from - own.start].iter().filter(|link| own.contains(&link.part)) {
                let to = link.part - own.start;
                let back = links[to].iter().find(|back| back.part == from).expect("links are symmetric");
                incoming[to][back.incoming.clone()].copy_from_slice(&values.as_ref()[link.outgoing.clone()]);
            }
        }
    }
}
