//! The parts of a run and where they are: in this process, and on other ranks.

use std::ops::Range;
use std::sync::Arc;

use bytemuck::Pod;
use craton_comm::{CommError, DeviceRanks, Incoming, Outgoing, Ranks, Solo};

/// How parts exchange messages. All but the first are there to measure what messages cost; the last two give wrong results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Messaging {
    /// Messages travel while what needs none of them is computed.
    Overlapped,
    /// Messages travel first.
    Blocking,
    /// Messages are brought together, but not sent.
    Unsent,
    /// There are no messages.
    Silent,
}

impl Messaging {
    /// Whether what is brought together leaves.
    pub fn is_sent(self) -> bool {
        matches!(self, Self::Overlapped | Self::Blocking)
    }
}

/// What a part and one of its neighbours tell each other at each step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// The neighbour.
    pub part: usize,
    /// Values for it, among all that the part sends.
    pub outgoing: Range<usize>,
    /// Values from it, among all that the part receives.
    pub incoming: Range<usize>,
}

/// The parts of a run, the same number on every rank: those of the first rank come first.
#[derive(Debug, Clone)]
pub struct Crew {
    parts: usize,
    ranks: Arc<dyn Ranks>,
    messaging: Messaging,
    /// Whether messages between ranks stay in the memory of devices.
    in_place: bool,
}

impl Crew {
    /// So many parts on all ranks together.
    ///
    /// # Panics
    /// If they cannot be dealt evenly.
    pub fn new(parts: usize, ranks: Arc<dyn Ranks>) -> Self {
        assert_eq!(parts % ranks.count(), 0, "as many parts on each rank");
        Self { parts, ranks, messaging: Messaging::Overlapped, in_place: false }
    }

    /// So many parts of one process.
    pub fn solo(parts: usize) -> Self {
        Self::new(parts, Arc::new(Solo))
    }

    /// The same with another way to exchange messages.
    #[must_use]
    pub fn with(self, messaging: Messaging) -> Self {
        Self { messaging, ..self }
    }

    /// The same with messages that go from device to device where parts of different ranks compute on GPUs, or by way of the host, as without this.
    #[must_use]
    pub fn in_place(self, in_place: bool) -> Self {
        Self { in_place, ..self }
    }

    /// Ranks that exchange messages between devices without the host's memory, if those of this crew shall.
    pub fn on_devices(&self) -> Option<&dyn DeviceRanks> {
        self.ranks.on_devices().filter(|_| self.in_place)
    }

    /// How its parts exchange messages.
    pub fn messaging(&self) -> Messaging {
        self.messaging
    }

    /// Parts of all ranks.
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// The processes.
    pub fn ranks(&self) -> &Arc<dyn Ranks> {
        &self.ranks
    }

    /// Parts of this process.
    pub fn own(&self) -> Range<usize> {
        let each = self.parts / self.ranks.count();
        self.ranks.rank() * each..(self.ranks.rank() + 1) * each
    }

    /// The rank of a part.
    pub fn rank_of(&self, part: usize) -> usize {
        part / (self.parts / self.ranks.count())
    }

    /// Whether a neighbour belongs to another rank.
    pub(crate) fn is_far(&self, link: &Link) -> bool {
        !self.own().contains(&link.part)
    }

    /// Tells the messages between two ranks apart.
    pub(crate) fn tag(&self, from: usize, to: usize) -> u16 {
        let each = self.own().len();
        (from % each * each + to % each) as u16
    }

    /// Brings what the parts of this process send to their neighbours, and what these send to them, while `work` is done.
    ///
    /// # Arguments
    /// * `links` – of each part of this process, in the order of what they receive
    /// * `outgoing` – what each sends
    /// * `incoming` – what each receives
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

    /// Copies what goes from one part of this process to another.
    fn deliver<V: Pod>(&self, links: &[&[Link]], outgoing: &[impl AsRef<[V]>], incoming: &mut [Vec<V>]) {
        let own = self.own();
        for (from, values) in own.clone().zip(outgoing) {
            for link in links[from - own.start].iter().filter(|link| own.contains(&link.part)) {
                let to = link.part - own.start;
                let back = links[to].iter().find(|back| back.part == from).expect("neighbours know each other");
                incoming[to][back.incoming.clone()].copy_from_slice(&values.as_ref()[link.outgoing.clone()]);
            }
        }
    }
}
