//! Messages among the devices of this process, and by way of the host to those of other ranks.

use craton_device::Scalar;
use craton_device::gpu::{Buffer, Fetch, Gpu, GpuError};

use crate::crew::{Crew, Link};
use crate::solver::Failure;

/// A device that sends messages and receives them, once or several times in a step: each time is a *round* with buffers of its own.
pub trait Post<T: Scalar> {
    /// The queue on which it computes.
    fn gpu(&self) -> &Gpu;

    /// The queue on which its messages travel beside the work.
    fn queue(&self) -> &Gpu;

    /// The queue that goes on when messages are there: the one on which it computes, unless another one takes care of what waits for them.
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
        from.queue().wait_for(from.gpu())?;
        let (at, range) = (self.received.incoming.start, self.sent.outgoing.clone());
        to.incoming(round).copy_from(from.queue(), at, from.outgoing(round), range)
    }

    /// The receiver goes on once the message is there; the sender, too, since it will overwrite what has left.
    fn close<T: Scalar, P: Post<T>>(&self, posts: &[P]) -> Result<(), GpuError> {
        posts[self.to].arrivals().wait_for(posts[self.from].queue())?;
        posts[self.from].gpu().wait_for(posts[self.from].queue())
    }
}

/// What a device tells the devices of other ranks.
struct Far<T: Scalar> {
    /// Neighbours there; ranges of the values on the host.
    links: Vec<Link>,
    /// Values of all messages on the device: the first that leaves, the end, and where each that comes begins.
    outgoing: std::ops::Range<usize>,
    places: Vec<usize>,
    /// What has come, on the device but not yet where it belongs.
    staged: Buffer<T>,
}

impl<T: Scalar> Far<T> {
    fn new<P: Post<T>>(post: &P, crew: &Crew) -> Result<Self, GpuError> {
        let far: Vec<&Link> = post.links().iter().filter(|link| !crew.own().contains(&link.part)).collect();
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
        Ok(Self { links, outgoing: start..end, places, staged: post.queue().zeroed(received)? })
    }

    /// Puts what other ranks have sent where it belongs, beside the work that is under way.
    fn receive<P: Post<T>>(&mut self, post: &mut P, round: usize, values: &[T]) -> Result<(), GpuError> {
        if self.links.is_empty() {
            return Ok(());
        }
        self.staged.write(0..values.len(), values)?;
        let queue = post.queue().clone();
        for (link, &place) in self.links.iter().zip(&self.places) {
            post.incoming(round).copy_from(&queue, place, &self.staged, link.incoming.clone())?;
        }
        post.arrivals().wait_for(&queue)
    }
}

/// Carries the messages of one round of every step.
pub struct Carrier<T: Scalar> {
    round: usize,
    routes: Vec<Route>,
    far: Vec<Far<T>>,
    incoming: Vec<Vec<T>>,
    fetches: Vec<Fetch<T>>,
}

impl<T: Scalar> Carrier<T> {
    /// For the devices of this process; it carries nothing where nothing is sent.
    ///
    /// # Errors
    /// Too little memory on a device.
    pub fn new<P: Post<T>>(posts: &[P], crew: &Crew, round: usize) -> Result<Self, Failure> {
        let (mut routes, mut far, mut incoming) = (Vec::new(), Vec::new(), Vec::new());
        if crew.messaging().is_sent() {
            routes = Route::all(posts, crew);
            if crew.ranks().count() > 1 {
                far = posts.iter().map(|post| Far::new(post, crew).map_err(failed(post))).collect::<Result<_, _>>()?;
            }
            incoming.extend(far.iter().map(|far| vec![T::default(); far.staged.len()]));
        }
        Ok(Self { round, routes, far, incoming, fetches: Vec::with_capacity(posts.len()) })
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
        for (far, post) in self.far.iter().zip(&*posts) {
            let fetch = post.gpu().fetch_start(post.outgoing(self.round), far.outgoing.clone());
            self.fetches.push(fetch.map_err(failed(post))?);
        }
        let failed = failed(&posts[0]);
        self.routes.iter().try_for_each(|route| route.send(posts, self.round)).map_err(failed)
    }

    /// What is queued from now on behind [`Post::arrivals`] finds the messages: those of other ranks are exchanged now, from host to host.
    ///
    /// # Errors
    /// A device that fails, a rank that is lost.
    pub fn arrive<P: Post<T>>(&mut self, posts: &mut [P], crew: &Crew) -> Result<(), Failure> {
        let failed_first = failed(&posts[0]);
        if !self.far.is_empty() {
            let mut sent = Vec::with_capacity(posts.len());
            for fetch in &self.fetches {
                sent.push(fetch.wait().map_err(&failed_first)?);
            }
            let links: Vec<&[Link]> = self.far.iter().map(|far| &far.links[..]).collect();
            crew.exchange(&links, &sent, &mut self.incoming, &mut || ())?;
            self.fetches.clear();
            for ((far, post), values) in self.far.iter_mut().zip(&mut *posts).zip(&self.incoming) {
                let failed = failed(post);
                far.receive(post, self.round, values).map_err(failed)?;
            }
        }
        self.routes.iter().try_for_each(|route| route.close(posts)).map_err(&failed_first)
    }
}

/// A failure of a device as the time loop takes it.
fn failed<T: Scalar, P: Post<T>>(post: &P) -> impl Fn(GpuError) -> Failure + use<T, P> {
    let step = post.step();
    move |fault| Failure::Device { step, fault }
}
