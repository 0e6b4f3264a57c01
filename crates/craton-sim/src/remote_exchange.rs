//! Messages between devices of different ranks: directly between device memories, or by way of the host.

use craton_comm::Message;
use craton_device::Scalar;
use craton_device::gpu::{Buffer, Fetch, GpuError, Lent, LentMut, Mark};

use crate::carrier::{Endpoint, failed};
use crate::part_exchange::{Link, PartExchange};
use crate::solver::Failure;

/// The messages of one round between devices of this process and devices of other ranks.
pub enum RemoteExchange<T: Scalar> {
    /// No messages.
    None,
    /// By way of the host.
    ByHost(ByHost<T>),
    /// Directly between device memories.
    InPlace(InPlace),
}

impl<T: Scalar> RemoteExchange<T> {
    /// Prepares the messages of the devices of this process.
    ///
    /// # Errors
    /// Too little memory on a device.
    pub fn new<P: Endpoint<T>>(endpoints: &mut [P], exchange: &PartExchange, round: usize) -> Result<Self, Failure> {
        Ok(if exchange.on_devices().is_some() {
            Self::InPlace(InPlace::new(endpoints, exchange, round))
        } else {
            Self::ByHost(ByHost::new(endpoints, exchange, round)?)
        })
    }

    /// Enqueues outgoing messages, or marks where they are ready, after all work that the senders have enqueued.
    ///
    /// # Errors
    /// A device that fails.
    pub fn send<P: Endpoint<T>>(&mut self, endpoints: &[P], round: usize) -> Result<(), Failure> {
        match self {
            Self::None => Ok(()),
            Self::ByHost(far) => far.send(endpoints, round),
            Self::InPlace(far) => far.send(endpoints),
        }
    }

    /// Exchanges the messages. Work that is enqueued after [`Endpoint::arrivals`] from now on finds them.
    ///
    /// # Errors
    /// A device that fails, a rank that is lost.
    pub fn arrive<P: Endpoint<T>>(
        &mut self,
        endpoints: &mut [P],
        exchange: &PartExchange,
        round: usize,
    ) -> Result<(), Failure> {
        match self {
            Self::None => Ok(()),
            Self::ByHost(far) => far.arrive(endpoints, exchange, round),
            Self::InPlace(far) => far.arrive(endpoints, exchange),
        }
    }
}

/// Messages that ranks read from and write to device memory directly.
pub struct InPlace {
    outgoing: Vec<Message<Lent>>,
    incoming: Vec<Message<LentMut>>,
    /// Marks in the queues of the senders, after their messages are packed.
    packed: Vec<Mark>,
}

impl InPlace {
    fn new<T: Scalar, P: Endpoint<T>>(endpoints: &mut [P], exchange: &PartExchange, round: usize) -> Self {
        let (mut outgoing, mut incoming) = (Vec::new(), Vec::new());
        for (own, endpoint) in exchange.own().zip(endpoints) {
            let far: Vec<Link> = endpoint.links(round).iter().filter(|link| exchange.is_far(link)).cloned().collect();
            for Link { part, outgoing: sent, incoming: received } in far {
                let rank = exchange.rank_of(part);
                let bytes = endpoint.outgoing(round).lend(sent);
                outgoing.push(Message { rank, tag: exchange.tag(own, part), bytes });
                let bytes = endpoint.incoming(round).lend_mut(received);
                incoming.push(Message { rank, tag: exchange.tag(part, own), bytes });
            }
        }
        Self { outgoing, incoming, packed: Vec::new() }
    }

    fn send<T: Scalar, P: Endpoint<T>>(&mut self, endpoints: &[P]) -> Result<(), Failure> {
        let mark = |endpoint: &P| endpoint.packs().mark().map_err(failed(endpoint));
        self.packed = endpoints.iter().map(mark).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// Receive buffers may be overwritten once the marks are reached: each device unpacks the previous messages before it packs new ones.
    fn arrive<T: Scalar, P: Endpoint<T>>(&mut self, endpoints: &[P], exchange: &PartExchange) -> Result<(), Failure> {
        self.packed.drain(..).try_for_each(|mark| mark.wait()).map_err(failed(&endpoints[0]))?;
        let ranks = exchange.on_devices().expect("ranks with access to device memory, checked on creation");
        Ok(ranks.exchange_in_place(&self.outgoing, &mut self.incoming)?)
    }
}

/// Messages that are copied to the host, exchanged there, and copied to the devices.
pub struct ByHost<T: Scalar> {
    /// One for each device.
    ways: Vec<Way<T>>,
    incoming: Vec<Vec<T>>,
    fetches: Vec<Fetch<T>>,
}

impl<T: Scalar> ByHost<T> {
    fn new<P: Endpoint<T>>(endpoints: &[P], exchange: &PartExchange, round: usize) -> Result<Self, Failure> {
        let way = |endpoint| Way::new(endpoint, exchange, round).map_err(failed(endpoint));
        let ways: Vec<Way<T>> = endpoints.iter().map(way).collect::<Result<_, _>>()?;
        let incoming = ways.iter().map(|way| vec![T::default(); way.staged.len()]).collect();
        Ok(Self { ways, incoming, fetches: Vec::with_capacity(endpoints.len()) })
    }

    fn send<P: Endpoint<T>>(&mut self, endpoints: &[P], round: usize) -> Result<(), Failure> {
        for (way, endpoint) in self.ways.iter().zip(endpoints) {
            let fetch = endpoint.packs().fetch_start(endpoint.outgoing(round), way.outgoing.clone());
            self.fetches.push(fetch.map_err(failed(endpoint))?);
        }
        Ok(())
    }

    fn arrive<P: Endpoint<T>>(
        &mut self,
        endpoints: &mut [P],
        exchange: &PartExchange,
        round: usize,
    ) -> Result<(), Failure> {
        let mut sent = Vec::with_capacity(endpoints.len());
        for fetch in &self.fetches {
            sent.push(fetch.wait().map_err(failed(&endpoints[0]))?);
        }
        let links: Vec<&[Link]> = self.ways.iter().map(|way| &way.links[..]).collect();
        exchange.exchange(&links, &sent, &mut self.incoming, &mut || ())?;
        self.fetches.clear();
        for ((way, endpoint), values) in self.ways.iter_mut().zip(endpoints).zip(&self.incoming) {
            let failed = failed(endpoint);
            way.receive(endpoint, round, values).map_err(failed)?;
        }
        Ok(())
    }
}

/// Messages between one device and the devices of other ranks.
struct Way<T: Scalar> {
    /// Neighbours on other ranks, with ranges of the values on the host.
    links: Vec<Link>,
    /// Range of all outgoing values on the device.
    outgoing: std::ops::Range<usize>,
    /// Start of each incoming message on the device.
    places: Vec<usize>,
    /// Device buffer for received values.
    staged: Buffer<T>,
}

impl<T: Scalar> Way<T> {
    fn new<P: Endpoint<T>>(endpoint: &P, exchange: &PartExchange, round: usize) -> Result<Self, GpuError> {
        let far: Vec<&Link> = endpoint.links(round).iter().filter(|link| exchange.is_far(link)).collect();
        let start = far.iter().map(|link| link.outgoing.start).min().unwrap_or(0);
        let end = far.iter().map(|link| link.outgoing.end).max().unwrap_or(0);
        let mut received = 0;
        let on_host = |link: &&Link| {
            let first = received;
            received += link.incoming.len();
            let outgoing = link.outgoing.start - start..link.outgoing.end - start;
            Link { part: link.part, outgoing, incoming: first..received }
        };
        let links = far.iter().map(on_host).collect();
        let places = far.iter().map(|link| link.incoming.start).collect();
        Ok(Self { links, outgoing: start..end, places, staged: endpoint.queue().zeroed(received)? })
    }

    /// Copies received values to their destinations, concurrently with enqueued work.
    fn receive<P: Endpoint<T>>(&mut self, endpoint: &mut P, round: usize, values: &[T]) -> Result<(), GpuError> {
        if self.links.is_empty() {
            return Ok(());
        }
        self.staged.write(0..values.len(), values)?;
        let queue = endpoint.queue().clone();
        for (link, &place) in self.links.iter().zip(&self.places) {
            endpoint.incoming(round).copy_from(&queue, place, &self.staged, link.incoming.clone())?;
        }
        endpoint.arrivals().wait_for(&queue)
    }
}
