//! Messages between the devices of this process, and with devices of other ranks.

use craton_device::Scalar;
use craton_device::gpu::{Buffer, Gpu, GpuError};

use crate::part_exchange::{Link, PartExchange};
use crate::remote_exchange::RemoteExchange;
use crate::solver::Failure;

/// A device that exchanges messages in one or several *rounds* per step. Each round has its own buffers.
pub trait Endpoint<T: Scalar> {
    /// The compute queue.
    fn gpu(&self) -> &Gpu;

    /// The queue that copies messages, concurrently with the compute queue.
    fn queue(&self) -> &Gpu;

    /// The queue that packs messages. The default is the compute queue.
    fn packs(&self) -> &Gpu {
        self.gpu()
    }

    /// The queue that waits for incoming messages. The default is the compute queue; otherwise the compute queue must wait for this queue before the next
    /// messages are sent.
    fn arrivals(&self) -> &Gpu {
        self.gpu()
    }

    /// Number of enqueued steps.
    fn step(&self) -> u64;

    /// Neighbours in a round, with ranges of sent and received values.
    fn links(&self, round: usize) -> &[Link];

    /// Values to send in a round.
    fn outgoing(&self, round: usize) -> &Buffer<T>;

    /// Buffer for the values received in a round.
    fn incoming(&mut self, round: usize) -> &mut Buffer<T>;
}

/// A message from one device of this process to another.
struct Route {
    from: usize,
    to: usize,
    /// Link of the sender.
    sent: Link,
    /// Link of the receiver.
    received: Link,
}

impl Route {
    /// All messages between parts of this process.
    fn all<T: Scalar, P: Endpoint<T>>(endpoints: &[P], exchange: &PartExchange, round: usize) -> Vec<Self> {
        let own = exchange.own();
        let of_part = |from: usize| {
            let near = endpoints[from].links(round).iter().filter(|link| own.contains(&link.part));
            near.map(|sent| {
                let to = sent.part - own.start;
                let back = endpoints[to].links(round).iter().find(|back| back.part == own.start + from);
                let received = back.expect("links are symmetric").clone();
                Self { from, to, sent: sent.clone(), received }
            })
            .collect::<Vec<_>>()
        };
        (0..endpoints.len()).flat_map(of_part).collect()
    }

    /// Enqueues the message after all work that the sender has enqueued.
    fn send<T: Scalar, P: Endpoint<T>>(&self, endpoints: &mut [P], round: usize) -> Result<(), GpuError> {
        let [from, to] = endpoints.get_disjoint_mut([self.from, self.to]).expect("two parts");
        from.queue().wait_for(from.packs())?;
        let (at, range) = (self.received.incoming.start, self.sent.outgoing.clone());
        to.incoming(round).copy_from(from.queue(), at, from.outgoing(round), range)
    }

    /// Makes the receiver wait for the message, and the sender too, because it will overwrite the buffer.
    fn close<T: Scalar, P: Endpoint<T>>(&self, endpoints: &[P]) -> Result<(), GpuError> {
        endpoints[self.to].arrivals().wait_for(endpoints[self.from].queue())?;
        endpoints[self.from].gpu().wait_for(endpoints[self.from].queue())
    }
}

/// Exchanges the messages of one round of every step.
pub struct Carrier<T: Scalar> {
    round: usize,
    routes: Vec<Route>,
    far: RemoteExchange<T>,
}

impl<T: Scalar> Carrier<T> {
    /// Prepares the messages of the devices of this process. Does nothing if the exchange does not send messages.
    ///
    /// # Errors
    /// Too little memory on a device.
    pub fn new<P: Endpoint<T>>(endpoints: &mut [P], exchange: &PartExchange, round: usize) -> Result<Self, Failure> {
        let (mut routes, mut far) = (Vec::new(), RemoteExchange::None);
        if exchange.messaging().is_sent() {
            routes = Route::all(endpoints, exchange, round);
            if exchange.ranks().count() > 1 {
                far = RemoteExchange::new(endpoints, exchange, round)?;
            }
        }
        Ok(Self { round, routes, far })
    }

    /// Makes the next messages wait until their receivers have read the previous ones, which are read by work already enqueued there.
    ///
    /// # Errors
    /// A device that fails.
    pub fn open<P: Endpoint<T>>(&self, endpoints: &[P]) -> Result<(), Failure> {
        let open = |route: &Route| endpoints[route.from].queue().wait_for(endpoints[route.to].gpu());
        self.routes.iter().try_for_each(open).map_err(failed(&endpoints[0]))
    }

    /// Enqueues the messages after all work that their senders have enqueued.
    ///
    /// # Errors
    /// A device that fails.
    pub fn send<P: Endpoint<T>>(&mut self, endpoints: &mut [P]) -> Result<(), Failure> {
        self.far.send(endpoints, self.round)?;
        let failed = failed(&endpoints[0]);
        self.routes.iter().try_for_each(|route| route.send(endpoints, self.round)).map_err(failed)
    }

    /// Exchanges the messages with other ranks, and makes [`Endpoint::arrivals`] wait for all messages.
    ///
    /// # Errors
    /// A device that fails, a rank that is lost.
    pub fn arrive<P: Endpoint<T>>(&mut self, endpoints: &mut [P], exchange: &PartExchange) -> Result<(), Failure> {
        self.far.arrive(endpoints, exchange, self.round)?;
        self.routes.iter().try_for_each(|route| route.close(endpoints)).map_err(failed(&endpoints[0]))
    }
}

/// Converts a device error to a failure of the run.
pub(crate) fn failed<T: Scalar, P: Endpoint<T>>(endpoint: &P) -> impl Fn(GpuError) -> Failure + use<T, P> {
    let step = endpoint.step();
    move |fault| Failure::Device { step, fault }
}
