//! Messages between the devices of this process, and with devices of other ranks.

use craton_device::Scalar;
use craton_device::gpu::{Buffer, Gpu, GpuError};

use crate::crew::{Crew, Link};
use crate::far::Far;
use crate::solver::Failure;

/// A device that exchanges messages in one or several *rounds* per step. Each round has its own buffers.
pub trait Post<T: Scalar> {
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

    /// Neighbours, with ranges of sent and received values; the same in all rounds.
    fn links(&self) -> &[Link];

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
    fn all<T: Scalar, P: Post<T>>(posts: &[P], crew: &Crew) -> Vec<Self> {
        let own = crew.own();
        let of_part = |from: usize| {
            let near = posts[from].links().iter().filter(|link| own.contains(&link.part));
            near.map(|sent| {
                let to = sent.part - own.start;
                let back = posts[to].links().iter().find(|back| back.part == own.start + from);
                let received = back.expect("links are symmetric").clone();
                Self { from, to, sent: sent.clone(), received }
            })
            .collect::<Vec<_>>()
        };
        (0..posts.len()).flat_map(of_part).collect()
    }

    /// Enqueues the message after all work that the sender has enqueued.
    fn send<T: Scalar, P: Post<T>>(&self, posts: &mut [P], round: usize) -> Result<(), GpuError> {
        let [from, to] = posts.get_disjoint_mut([self.from, self.to]).expect("two parts");
        from.queue().wait_for(from.packs())?;
        let (at, range) = (self.received.incoming.start, self.sent.outgoing.clone());
        to.incoming(round).copy_from(from.queue(), at, from.outgoing(round), range)
    }

    /// Makes the receiver wait for the message, and the sender too, because it will overwrite the buffer.
    fn close<T: Scalar, P: Post<T>>(&self, posts: &[P]) -> Result<(), GpuError> {
        posts[self.to].arrivals().wait_for(posts[self.from].queue())?;
        posts[self.from].gpu().wait_for(posts[self.from].queue())
    }
}

/// Exchanges the messages of one round of every step.
pub struct Carrier<T: Scalar> {
    round: usize,
    routes: Vec<Route>,
    far: Far<T>,
}

impl<T: Scalar> Carrier<T> {
    /// Prepares the messages of the devices of this process. Does nothing if the crew does not send messages.
    ///
    /// # Errors
    /// Too little memory on a device.
    pub fn new<P: Post<T>>(posts: &mut [P], crew: &Crew, round: usize) -> Result<Self, Failure> {
        let (mut routes, mut far) = (Vec::new(), Far::None);
        if crew.messaging().is_sent() {
            routes = Route::all(posts, crew);
            if crew.ranks().count() > 1 {
                far = Far::new(posts, crew, round)?;
            }
        }
        Ok(Self { round, routes, far })
    }

    /// Makes the next messages wait until their receivers have read the previous ones, which are read by work already enqueued there.
    ///
    /// # Errors
    /// A device that fails.
    pub fn open<P: Post<T>>(&self, posts: &[P]) -> Result<(), Failure> {
        let open = |route: &Route| posts[route.from].queue().wait_for(posts[route.to].gpu());
        self.routes.iter().try_for_each(open).map_err(failed(&posts[0]))
    }

    /// Enqueues the messages after all work that their senders have enqueued.
    ///
    /// # Errors
    /// A device that fails.
    pub fn send<P: Post<T>>(&mut self, posts: &mut [P]) -> Result<(), Failure> {
        self.far.send(posts, self.round)?;
        let failed = failed(&posts[0]);
        self.routes.iter().try_for_each(|route| route.send(posts, self.round)).map_err(failed)
    }

    /// Exchanges the messages with other ranks, and makes [`Post::arrivals`] wait for all messages.
    ///
    /// # Errors
    /// A device that fails, a rank that is lost.
    pub fn arrive<P: Post<T>>(&mut self, posts: &mut [P], crew: &Crew) -> Result<(), Failure> {
        self.far.arrive(posts, crew, self.round)?;
        self.routes.iter().try_for_each(|route| route.close(posts)).map_err(failed(&posts[0]))
    }
}

/// Converts a device error to a failure of the run.
pub(crate) fn failed<T: Scalar, P: Post<T>>(post: &P) -> impl Fn(GpuError) -> Failure + use<T, P> {
    let step = post.step();
    move |fault| Failure::Device { step, fault }
}
