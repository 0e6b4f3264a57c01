//! A step of all parts on the GPUs of this process, as a list of what was recorded.

use craton_device::Workers;
use craton_device::gpu::{GpuError, Graph};
use craton_sim::{Carrier, Crew, Failure, Messaging};

use super::LANES;
use super::part::GpuPart;
use super::sweep::Region;
use crate::block::Block;
use crate::part::Part;
use crate::sweep::Precision;

/// Steps of the longer recording: small problems would wait between recordings of one.
const SEVERAL: u64 = 8;

/// A step as it was recorded.
pub enum Graphs {
    /// Of a part without neighbours: one step, and [`SEVERAL`].
    Alone([Graph; 2]),
    /// Of a part with neighbours.
    Linked {
        /// Points that need no message, in each half of the step.
        inner: [Graph; 2],
        /// What comes before the first half, between the halves, and after the second: messages are packed at the ends of the first two, and
        /// unpacked where the last two begin, before the points that have waited for them move.
        around: [Graph; 3],
    },
}

impl<T: Precision> GpuPart<T> {
    /// Records the step, if that has not been done.
    fn record(&mut self, messaging: Messaging) -> Result<(), GpuError> {
        if self.graphs.is_some() {
            return Ok(());
        }
        let gpu = &self.gpu;
        self.graphs = Some(if self.messages.links.is_empty() {
            let several = || (0..SEVERAL).try_for_each(|_| self.launch_step());
            Graphs::Alone([gpu.record(|| self.launch_step())?, gpu.record(several)?])
        } else {
            let inner = |half| gpu.record(|| self.launch_half(half, Region::Inner));
            let around = |place| gpu.record(|| self.launch_around(place, messaging != Messaging::Silent));
            Graphs::Linked { inner: [inner(0)?, inner(1)?], around: [around(0)?, around(1)?, around(2)?] }
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

    /// Queues what comes before the first half of the step (0), between the halves (1), after the second (2).
    fn launch_around(&self, place: usize, has_messages: bool) -> Result<(), GpuError> {
        if let Some(half) = place.checked_sub(1) {
            if has_messages {
                self.messages.launch_unpack(&self.device, half)?;
            }
            self.launch_half(half, Region::Outer)?;
        }
        if place == 2 {
            return self.launch_end();
        }
        self.launch_before(place)?;
        if has_messages { self.messages.launch_pack(&self.device, place) } else { Ok(()) }
    }

    /// Queues steps of a part without neighbours.
    fn replay_alone(&mut self, steps: u64) -> Result<(), GpuError> {
        let Some(Graphs::Alone([one, several])) = &self.graphs else { return Ok(()) };
        (0..steps / SEVERAL).try_for_each(|_| several.replay())?;
        (0..steps % SEVERAL).try_for_each(|_| one.replay())?;
        self.step += steps;
        Ok(())
    }

    fn replay_inner(&self, half: usize) -> Result<(), GpuError> {
        if let Some(Graphs::Linked { inner, .. }) = &self.graphs { inner[half].replay() } else { Ok(()) }
    }

    fn replay_around(&self, place: usize) -> Result<(), GpuError> {
        if let Some(Graphs::Linked { around, .. }) = &self.graphs { around[place].replay() } else { Ok(()) }
    }
}

/// One step of all parts.
fn advance_once<T: Precision>(
    parts: &mut [GpuPart<T>],
    carriers: &mut [Carrier<T>; 2],
    crew: &Crew,
) -> Result<(), Failure> {
    let failed = parts[0].failure();
    carriers.iter().try_for_each(|carrier| carrier.open(parts))?;
    parts.iter().try_for_each(|part| part.replay_around(0)).map_err(&failed)?;
    for (half, carrier) in carriers.iter_mut().enumerate() {
        let inner = |parts: &[GpuPart<T>]| parts.iter().try_for_each(|part| part.replay_inner(half)).map_err(&failed);
        carrier.send(parts)?;
        if crew.messaging() == Messaging::Blocking {
            carrier.arrive(parts, crew)?;
            inner(parts)?;
        } else {
            inner(parts)?;
            carrier.arrive(parts, crew)?;
        }
        parts.iter().try_for_each(|part| part.replay_around(half + 1)).map_err(&failed)?;
    }
    parts.iter_mut().for_each(|part| part.step += 1);
    Ok(())
}

impl<T: Precision> Part<T> for GpuPart<T> {
    const LANES: usize = LANES;

    fn step(&self) -> u64 {
        self.step
    }

    fn advance_all(parts: &mut [Self], crew: &Crew, _workers: &Workers, steps: u64) -> Result<(), Failure> {
        let failed = parts[0].failure();
        parts.iter_mut().try_for_each(|part| part.record(crew.messaging())).map_err(&failed)?;
        if let [alone] = parts
            && alone.messages.links.is_empty()
        {
            return alone.replay_alone(steps).map_err(failed);
        }
        let mut carriers = [Carrier::new(parts, crew, 0)?, Carrier::new(parts, crew, 1)?];
        (0..steps).try_for_each(|_| advance_once(parts, &mut carriers, crew))
    }

    fn take_samples(&mut self) -> Result<Vec<T>, Failure> {
        let first = std::mem::replace(&mut self.first_sample, self.step);
        self.probes.ring.read(first, self.step).map_err(self.failure())
    }

    fn broken_cell(&mut self, _workers: &Workers) -> Result<Option<[usize; 3]>, Failure> {
        let failed = self.failure();
        self.find_broken().map_err(failed)
    }

    fn load(&mut self, array: usize) -> Result<(), Failure> {
        self.download(array).map_err(self.failure())
    }

    fn loaded(&mut self) -> &mut Block<T> {
        &mut self.block
    }

    fn unload(&mut self, array: usize, changed: bool) -> Result<(), Failure> {
        let stored = if changed { self.upload(array) } else { Ok(()) };
        self.release_state();
        stored.map_err(self.failure())
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
