//! The time step of all parts on the GPUs of this process, replayed from recordings.

use craton_device::Workers;
use craton_device::gpu::{GpuError, Graph};
use craton_sim::{Carrier, Failure, Messaging, PartExchange};

use super::LANES;
use super::part::GpuPart;
use super::probes::{DeviceProbes, merged};
use super::selections::DeviceSelection;
use super::sweep::Region;
use crate::block::Block;
use crate::part::Part;
use crate::saved::Saved;
use crate::selection::Vector;
use crate::sweep::Precision;
use crate::window::Brick;

/// Number of steps of the longer recording: small problems would stall between recordings of one step.
const SEVERAL: u64 = 8;

/// Recordings of a step.
pub enum Graphs {
    /// For a part without neighbours: one step, and [`SEVERAL`] steps.
    Alone([Graph; 2]),
    /// For a part with neighbours.
    Linked(Box<Linked>),
}

/// Recordings of a step of a part with neighbours.
pub struct Linked {
    /// Before each half of the step: sources and boundary conditions.
    before: [Graph; 2],
    /// Packing of messages, concurrent with the inner points.
    pack: [Graph; 2],
    /// Inner points, in each half.
    inner: [Graph; 2],
    /// Unpacking of messages and outer points, concurrent with the inner points.
    outer: [Graph; 2],
    /// End of the step, after the second half.
    end: Graph,
}

impl<T: Precision> GpuPart<T> {
    /// Records the step, unless it is already recorded.
    fn record(&mut self, messaging: Messaging) -> Result<(), GpuError> {
        if self.graphs.is_some() {
            return Ok(());
        }
        let gpu = &self.gpu;
        self.graphs = Some(if self.messages.links.is_empty() {
            let several = || (0..SEVERAL).try_for_each(|_| self.launch_step());
            Graphs::Alone([gpu.record(|| self.launch_step())?, gpu.record(several)?])
        } else {
            let has_messages = messaging != Messaging::Silent;
            let before = |half| gpu.record(|| self.launch_before(half));
            let pack = |half| {
                let messages = &self.messages;
                let packed = || if has_messages { messages.launch_pack(&self.device, half) } else { Ok(()) };
                messages.queue.record(packed)
            };
            let inner = |half| gpu.record(|| self.launch_half(half, Region::Inner));
            let outer = |half| self.queues.outer.record(|| self.launch_last(half, has_messages));
            Graphs::Linked(Box::new(Linked {
                before: [before(0)?, before(1)?],
                pack: [pack(0)?, pack(1)?],
                inner: [inner(0)?, inner(1)?],
                outer: [outer(0)?, outer(1)?],
                end: gpu.record(|| self.launch_end())?,
            }))
        });
        Ok(())
    }

    /// Queues a step of a part without neighbours.
    fn launch_step(&self) -> Result<(), GpuError> {
        for half in [0, 1] {
            self.launch_before(half)?;
            self.launch_half(half, Region::Inner)?;
        }
        self.launch_end()
    }

    /// Queues the work that needs messages.
    fn launch_last(&self, half: usize, has_messages: bool) -> Result<(), GpuError> {
        if has_messages {
            self.messages.launch_unpack(&self.device, half)?;
        }
        self.launch_half(half, Region::Outer)
    }

    /// Queues steps of a part without neighbours.
    fn replay_alone(&mut self, steps: u64) -> Result<(), GpuError> {
        let Some(Graphs::Alone([one, several])) = &self.graphs else { return Ok(()) };
        (0..steps / SEVERAL).try_for_each(|_| several.replay())?;
        (0..steps % SEVERAL).try_for_each(|_| one.replay())?;
        self.step += steps;
        Ok(())
    }

    /// Queues a recording of a part with neighbours.
    fn replay(&self, which: impl FnOnce(&Linked) -> &Graph) -> Result<(), GpuError> {
        if let Some(Graphs::Linked(linked)) = &self.graphs { which(linked).replay() } else { Ok(()) }
    }

    /// Queues the preparation of a half of the step, which messages and outer points wait for.
    fn begin_half(&self, half: usize) -> Result<(), GpuError> {
        self.replay(|linked| &linked.before[half])?;
        self.messages.queue.wait_for(&self.gpu)?;
        self.replay(|linked| &linked.pack[half])?;
        self.queues.outer.wait_for(&self.gpu)
    }

    /// Queues the inner points of a half of the step; after the messages, if they must not overlap.
    fn move_inner(&self, half: usize, messaging: Messaging) -> Result<(), GpuError> {
        if messaging == Messaging::Blocking {
            self.gpu.wait_for(&self.queues.outer)?;
        }
        self.replay(|linked| &linked.inner[half])
    }

    /// Queues the outer points of a half of the step; all later work waits for them and for the packing.
    fn end_half(&self, half: usize) -> Result<(), GpuError> {
        self.replay(|linked| &linked.outer[half])?;
        self.gpu.wait_for(&self.queues.outer)?;
        self.gpu.wait_for(&self.messages.queue)
    }
}

/// Advances all parts by one step.
fn advance_once<T: Precision>(
    parts: &mut [GpuPart<T>],
    carriers: &mut [Carrier<T>; 2],
    exchange: &PartExchange,
) -> Result<(), Failure> {
    let (failed, messaging) = (parts[0].failure(), exchange.messaging());
    let all = |parts: &[GpuPart<T>], what: &dyn Fn(&GpuPart<T>) -> Result<(), GpuError>| {
        parts.iter().try_for_each(what).map_err(&failed)
    };
    carriers.iter().try_for_each(|carrier| carrier.open(parts))?;
    for (half, carrier) in carriers.iter_mut().enumerate() {
        all(parts, &|part| part.begin_half(half))?;
        carrier.send(parts)?;
        if messaging == Messaging::Blocking {
            carrier.arrive(parts, exchange)?;
            all(parts, &|part| part.move_inner(half, messaging))?;
        } else {
            all(parts, &|part| part.move_inner(half, messaging))?;
            carrier.arrive(parts, exchange)?;
        }
        all(parts, &|part| part.end_half(half))?;
    }
    all(parts, &|part| part.replay(|linked| &linked.end))?;
    parts.iter_mut().for_each(|part| part.step += 1);
    Ok(())
}

impl<T: Precision> Part<T> for GpuPart<T> {
    const LANES: usize = LANES;

    fn step(&self) -> u64 {
        self.step
    }

    fn advance_all(parts: &mut [Self], exchange: &PartExchange, _workers: &Workers, steps: u64) -> Result<(), Failure> {
        let failed = parts[0].failure();
        parts.iter_mut().try_for_each(|part| part.record(exchange.messaging())).map_err(&failed)?;
        if let [alone] = parts
            && alone.messages.links.is_empty()
        {
            return alone.replay_alone(steps).map_err(failed);
        }
        let mut carriers = [Carrier::new(parts, exchange, 0)?, Carrier::new(parts, exchange, 1)?];
        (0..steps).try_for_each(|_| advance_once(parts, &mut carriers, exchange))
    }

    fn take_samples(&mut self) -> Result<Vec<T>, Failure> {
        let first = std::mem::replace(&mut self.first_sample, self.step);
        let read = |probes: &DeviceProbes<T>| probes.ring.read(first, self.step).map_err(self.failure());
        Ok(merged(&self.halves, [read(&self.probes[0])?, read(&self.probes[1])?]))
    }

    fn broken_cell(&mut self, _workers: &Workers) -> Result<Option<[usize; 3]>, Failure> {
        let failed = self.failure();
        self.find_broken().map_err(failed)
    }

    fn load(&mut self, array: Saved) -> Result<(), Failure> {
        self.download(array).map_err(self.failure())
    }

    fn loaded(&mut self) -> &mut Block<T> {
        &mut self.block
    }

    fn unload(&mut self, array: Saved, changed: bool) -> Result<(), Failure> {
        let stored = if changed { self.upload(array) } else { Ok(()) };
        self.release_state();
        stored.map_err(self.failure())
    }

    fn select(&mut self, bricks: Vec<Brick>, is_summed: bool) -> Result<(), Failure> {
        let share = DeviceSelection::new(&self.gpu, &self.block.layout, &bricks, is_summed);
        self.selections.push(share.map_err(self.failure())?);
        // The existing recordings do not sum its displacement.
        self.graphs = None;
        Ok(())
    }

    fn read(&self, selection: usize, vector: Vector) -> Result<Vec<T>, Failure> {
        self.selections[selection].read(&self.share_kernels, &self.device, vector).map_err(self.failure())
    }

    fn replace_sums(&mut self, selection: usize, sums: &[T]) -> Result<(), Failure> {
        let failed = self.failure();
        self.selections[selection].replace(sums).map_err(failed)
    }

    fn restore_step(&mut self, step: u64) -> Result<(), Failure> {
        self.counter.write(0..1, &[step as u32]).map_err(self.failure())?;
        (self.step, self.first_sample) = (step, step);
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.gpu.bytes_held()
    }
}
