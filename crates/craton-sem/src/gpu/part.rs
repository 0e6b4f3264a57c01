//! The parts that compute on the GPUs of this process.

use craton_device::Scalar;
use craton_device::gpu::{Fetch, GpuError};
use craton_sim::Failure;

use super::copies::DeviceCopy;
use super::operator::GpuOperator;
use crate::fields::{Field, NodePlace};
use crate::part::{Part, Reader};
use crate::parts::{Link, PartLayout};
use crate::selection::Selection;
use crate::team::{Messaging, Team};

/// A message from one device of this process to another.
struct Route {
    from: usize,
    to: usize,
    /// Its place among the messages of the sender, and of the receiver.
    sent: usize,
    received: usize,
}

impl Route {
    /// All messages between parts of this process.
    fn all<T: Scalar>(parts: &[GpuOperator<T>], team: &Team) -> Vec<Self> {
        let own = team.own();
        let of_part = |from: usize| {
            let links = parts[from].nodes.own.links.iter().enumerate();
            let near = links.filter(|(_, link)| own.contains(&link.part));
            near.map(|(sent, link)| {
                let to = link.part - own.start;
                let back = parts[to].nodes.own.links.iter().position(|back| back.part == own.start + from);
                Self { from, to, sent, received: back.expect("neighbours know each other") }
            })
            .collect::<Vec<_>>()
        };
        (0..parts.len()).flat_map(of_part).collect()
    }

    /// The message may leave once the receiver has read the one before: behind all that is queued there now.
    fn open<T: Scalar>(&self, parts: &[GpuOperator<T>]) -> Result<(), GpuError> {
        parts[self.from].messages.queue.wait_for(&parts[self.to].gpu)
    }

    /// Queues the message behind all that the sender has queued.
    fn send<T: Scalar>(&self, parts: &mut [GpuOperator<T>]) -> Result<(), GpuError> {
        let [from, to] = parts.get_disjoint_mut([self.from, self.to]).expect("two parts");
        let range = from.messages.sent[self.sent].clone();
        let at = to.messages.received[self.received].start;
        from.messages.queue.wait_for(&from.gpu)?;
        to.program.slots_mut().values.copy_from(&from.messages.queue, at, &from.messages.outgoing, range)
    }

    /// The receiver goes on once the message is there.
    fn close<T: Scalar>(&self, parts: &[GpuOperator<T>]) -> Result<(), GpuError> {
        parts[self.to].gpu.wait_for(&parts[self.from].messages.queue)
    }
}

/// Messages to and from the devices of other ranks, by way of the host.
struct Far<T: Scalar> {
    /// Of each part, in values instead of sums.
    links: Vec<Vec<Link>>,
    incoming: Vec<Vec<T>>,
    fetches: Vec<Fetch<T>>,
}

impl<T: Scalar> Far<T> {
    fn new(parts: &[GpuOperator<T>], team: &Team) -> Self {
        let of_part = |part: &GpuOperator<T>| {
            let first = part.program.slots().received;
            let links = part.nodes.own.links.iter().zip(part.messages.sent.iter().zip(&part.messages.received));
            let far = links.filter(|(link, _)| !team.own().contains(&link.part));
            far.map(|(link, (sent, received))| Link {
                part: link.part,
                outgoing: sent.clone(),
                incoming: received.start - first..received.end - first,
            })
            .collect()
        };
        let room = |part: &GpuOperator<T>| {
            vec![T::default(); part.program.slots().values.len() - part.program.slots().received]
        };
        Self {
            links: parts.iter().map(of_part).collect(),
            incoming: parts.iter().map(room).collect(),
            fetches: Vec::with_capacity(parts.len()),
        }
    }

    /// No messages at all.
    fn none() -> Self {
        Self { links: Vec::new(), incoming: Vec::new(), fetches: Vec::new() }
    }

    fn is_empty(&self) -> bool {
        self.links.iter().all(Vec::is_empty)
    }

    /// What has been collected begins to come to the host.
    fn fetch(&mut self, parts: &[GpuOperator<T>]) -> Result<(), Failure> {
        if !self.is_empty() {
            for part in parts {
                self.fetches.push(part.fetch_messages().map_err(part.failed())?);
            }
        }
        Ok(())
    }

    /// From host to host, while the devices compute, and on to the devices.
    fn exchange(&mut self, parts: &mut [GpuOperator<T>], team: &Team) -> Result<(), Failure> {
        if self.is_empty() {
            return Ok(());
        }
        let mut sent = Vec::with_capacity(parts.len());
        for (part, fetch) in parts.iter().zip(&self.fetches) {
            sent.push(fetch.wait().map_err(part.failed())?);
        }
        let links: Vec<&[Link]> = self.links.iter().map(|links| &links[..]).collect();
        team.exchange(&links, &sent, &mut self.incoming, &mut || ())?;
        self.fetches.clear();
        for ((part, links), incoming) in parts.iter_mut().zip(&self.links).zip(&self.incoming) {
            let failed = part.failed();
            part.receive(links, incoming).map_err(failed)?;
        }
        Ok(())
    }
}

impl<T: Scalar> GpuOperator<T> {
    fn failed(&self) -> impl Fn(GpuError) -> Failure + use<T> {
        let step = self.step;
        move |fault| Failure::Device { step, fault }
    }

    /// Puts what other ranks have sent among the sums, beside the work that is under way.
    fn receive(&mut self, links: &[Link], incoming: &[T]) -> Result<(), GpuError> {
        let queue = &self.messages.queue;
        let slots = self.program.slots_mut();
        for link in links {
            let staged = queue.upload(&incoming[link.incoming.clone()])?;
            slots.values.copy_from(queue, slots.received + link.incoming.start, &staged, 0..staged.len())?;
        }
        self.gpu.wait_for(queue)
    }
}

/// One step of all parts, as a list.
fn advance_once<T: Scalar>(
    parts: &mut [GpuOperator<T>],
    routes: &[Route],
    far: &mut Far<T>,
    team: &Team,
) -> Result<(), Failure> {
    let failed = parts[0].failed();
    routes.iter().try_for_each(|route| route.open(parts)).map_err(&failed)?;
    parts.iter().try_for_each(GpuOperator::replay_outer).map_err(&failed)?;
    far.fetch(parts)?;
    routes.iter().try_for_each(|route| route.send(parts)).map_err(&failed)?;
    let (mut arrive, inner) = (
        |parts: &mut [GpuOperator<T>]| {
            far.exchange(parts, team)?;
            routes.iter().try_for_each(|route| route.close(parts)).map_err(&failed)
        },
        |parts: &[GpuOperator<T>]| parts.iter().try_for_each(GpuOperator::replay_inner).map_err(&failed),
    );
    if team.messaging() == Messaging::Blocking {
        arrive(parts)?;
        inner(parts)?;
    } else {
        inner(parts)?;
        arrive(parts)?;
    }
    parts.iter_mut().try_for_each(GpuOperator::replay_rest).map_err(&failed)
}

impl<T: Scalar> Part<T> for GpuOperator<T> {
    fn own(&self) -> &PartLayout {
        &self.nodes.own
    }

    fn step(&self) -> u64 {
        self.step
    }

    fn longest_advance(&self) -> u64 {
        self.longest_advance()
    }

    fn advance_all(parts: &mut [Self], team: &Team, steps: u64) -> Result<(), Failure> {
        if let [alone] = parts
            && alone.nodes.own.links.is_empty()
        {
            let failed = alone.failed();
            return alone.advance_alone(steps).map_err(failed);
        }
        let failed = parts[0].failed();
        parts.iter_mut().try_for_each(|part| part.record(team.messaging())).map_err(failed)?;
        let is_sent = !matches!(team.messaging(), Messaging::Unsent | Messaging::Silent);
        let routes = if is_sent { Route::all(parts, team) } else { Vec::new() };
        let mut far = if is_sent { Far::new(parts, team) } else { Far::none() };
        (0..steps).try_for_each(|_| advance_once(parts, &routes, &mut far, team))
    }

    fn take_samples(&mut self) -> Result<Vec<T>, Failure> {
        let failed = self.failed();
        self.take_samples().map_err(failed)
    }

    fn broken_place(&mut self) -> Result<Option<NodePlace>, Failure> {
        let failed = self.failed();
        let node = self.broken_node().map_err(failed)?;
        Ok(node.and_then(|node| self.nodes.place_of(node)))
    }

    fn reader(&self, field: Field) -> Result<Reader<'_, T>, Failure> {
        let values = self.field(field).download().map_err(self.failed())?;
        Ok(Box::new(move |place| {
            let first = 3 * self.nodes.number_of(place) as usize;
            [values[first], values[first + 1], values[first + 2]]
        }))
    }

    fn select(&self, what: &Selection) -> Result<Option<DeviceCopy<T>>, Failure> {
        DeviceCopy::new(&self.gpu, &self.collect, &self.nodes, what).map(Some).map_err(self.failed())
    }

    fn fetch(&self, what: &Selection, copy: &DeviceCopy<T>, field: Field) -> Result<Vec<T>, Failure> {
        copy.fetch(&self.nodes, what, self.field(field)).map_err(self.failed())
    }

    fn number_of(&self, place: NodePlace) -> usize {
        self.nodes.number_of(place) as usize
    }

    fn numbers(&self) -> usize {
        self.nodes.end as usize
    }

    fn replace(&mut self, field: Field, values: Vec<[T; 3]>) -> Result<(), Failure> {
        let failed = self.failed();
        self.field_mut(field).write(0..3 * values.len(), values.as_flattened()).map_err(failed)
    }

    fn restore_step(&mut self, step: u64) -> Result<(), Failure> {
        let failed = self.failed();
        self.restore_step(step).map_err(failed)
    }

    fn bytes(&self) -> usize {
        self.device_bytes()
    }
}
