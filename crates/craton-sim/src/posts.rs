//! Messages among the devices of this process, and to those of other ranks.

use craton_device::Scalar;
use craton_device::gpu::{Buffer, Gpu, GpuError};

use crate::crew::{Crew, Link};
use crate::far::Far;
use crate::solver::Failure;

/// A device that sends messages and receives them, once or several times in a step: each time is a *round* with buffers of its own.
pub trait Post<T: Scalar> {
    /// The queue on which it computes.
    fn gpu(&self) -> &Gpu;

    /// The queue on which its messages travel beside the work.
    fn queue(&self) -> &Gpu;

    /// The queue on which messages are packed: the one on which it computes, unless they are packed where they travel.
    fn packs(&self) -> &Gpu {
        self.gpu()
    }

    /// The queue that goes on when messages are there: the one on which it computes, unless another one takes care of what waits for them. Before the
    /// next messages leave, the one on which it computes has waited for it.
    fn arrivals(&self) -> &Gpu {
        self.gpu()
    }

    /// Steps asked for.
    fn step(&self) -> u64;

    /// Its neighbours: values of what it sends and receives, the same in all rounds.
    fn links(&self) -> &[Link];

    /// What it sends.
    fn outgoing(&self, round: usize) -> &Buffer<T>;

    /// What it receives.
    fn incoming(&mut self, round: usize) -> &mut Buffer<T>;
}

/// A message from one device of this process to another.
struct Route {
    from: usize,
    to: usize,
    /// The link of the sender, and that of the receiver.
    sent: Link,
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
                let received = back.expect("neighbours know each other").clone();
                Self { from, to, sent: sent.clone(), received }
            })
            .collect::<Vec<_>>()
        };
        (0..posts.len()).flat_map(of_part).collect()
    }

    /// Queues the message behind all that the sender has queued.
    fn send<T: Scalar, P: Post<T>>(&self, posts: &mut [P], round: usize) -> Result<(), GpuError> {
        let [from, to] = posts.get_disjoint_mut([self.from, self.to]).expect("two parts");
        from.queue().wait_for(from.packs())?;
        let (at, range) = (self.received.incoming.start, self.sent.outgoing.clone());
        to.incoming(round).copy_from(from.queue(), at, from.outgoing(round), range)
    }

    /// The receiver goes on once the message is there; the sender, too, since it will overwrite what has left.
    fn close<T: Scalar, P: Post<T>>(&self, posts: &[P]) -> Result<(), GpuError> {
        posts[self.to].arrivals().wait_for(posts[self.from].queue())?;
        posts[self.from].gpu().wait_for(posts[self.from].queue())
    }
}

/// Carries the messages of one round of every step.
pub struct Carrier<T: Scalar> {
    round: usize,
    routes: Vec<Route>,
    far: Far<T>,
}

impl<T: Scalar> Carrier<T> {
    /// For the devices of this process; it carries nothing where nothing is sent.
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

    /// Messages may leave once their receivers have read the ones before: behind all that is queued there now.
    ///
    /// # Errors
    /// A device that fails.
    pub fn open<P: Post<T>>(&self, posts: &[P]) -> Result<(), Failure> {
        let open = |route: &Route| posts[route.from].queue().wait_for(posts[route.to].gpu());
        self.routes.iter().try_for_each(open).map_err(failed(&posts[0]))
    }

    /// Queues the messages behind all that their senders have queued.
    ///
    /// # Errors
    /// A device that fails.
    pub fn send<P: Post<T>>(&mut self, posts: &mut [P]) -> Result<(), Failure> {
        self.far.send(posts, self.round)?;
        let failed = failed(&posts[0]);
        self.routes.iter().try_for_each(|route| route.send(posts, self.round)).map_err(failed)
    }

    /// What is queued from now on behind [`Post::arrivals`] finds the messages: those of other ranks are exchanged now.
    ///
    /// # Errors
    /// A device that fails, a rank that is lost.
    pub fn arrive<P: Post<T>>(&mut self, posts: &mut [P], crew: &Crew) -> Result<(), Failure> {
        self.far.arrive(posts, crew, self.round)?;
        self.routes.iter().try_for_each(|route| route.close(posts)).map_err(failed(&posts[0]))
    }
}

/// A failure of a device as the time loop takes it.
pub(crate) fn failed<T: Scalar, P: Post<T>>(post: &P) -> impl Fn(GpuError) -> Failure + use<T, P> {
    let step = post.step();
    move |fault| Failure::Device { step, fault }
}
