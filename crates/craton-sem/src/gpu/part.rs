//! The parts on the GPUs of this process.

use craton_device::Scalar;
use craton_device::gpu::{Buffer, Gpu, GpuError};
use craton_sim::{Carrier, Endpoint, Failure, Link, Messaging};

use super::copies::DeviceCopy;
use super::operator::GpuOperator;
use crate::fields::{Field, NodePlace};
use crate::part::{Part, Reader};
use crate::parts::PartLayout;
use crate::selection::Selection;
use crate::solid::COMPONENTS;
use crate::team::Team;

impl<T: Scalar> GpuOperator<T> {
    fn failed(&self) -> impl Fn(GpuError) -> Failure + use<T> {
        let step = self.step;
        move |fault| Failure::Device { step, fault }
    }
}

impl<T: Scalar> Endpoint<T> for GpuOperator<T> {
    fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    fn queue(&self) -> &Gpu {
        &self.messages.queue
    }

    fn step(&self) -> u64 {
        self.step
    }

    fn links(&self) -> &[Link] {
        &self.messages.links
    }

    fn outgoing(&self, _round: usize) -> &Buffer<T> {
        &self.messages.outgoing
    }

    fn incoming(&mut self, _round: usize) -> &mut Buffer<T> {
        &mut self.program.slots_mut().values
    }
}

/// Enqueues one step of all parts and exchanges their messages.
fn advance_once<T: Scalar>(parts: &mut [GpuOperator<T>], carrier: &mut Carrier<T>, team: &Team) -> Result<(), Failure> {
    let failed = parts[0].failed();
    let inner = |parts: &[GpuOperator<T>]| parts.iter().try_for_each(GpuOperator::replay_inner).map_err(&failed);
    carrier.open(parts)?;
    parts.iter().try_for_each(GpuOperator::replay_outer).map_err(&failed)?;
    carrier.send(parts)?;
    if team.messaging() == Messaging::Blocking {
        carrier.arrive(parts, team)?;
        inner(parts)?;
    } else {
        inner(parts)?;
        carrier.arrive(parts, team)?;
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
        let mut carrier = Carrier::new(parts, team, 0)?;
        (0..steps).try_for_each(|_| advance_once(parts, &mut carrier, team))
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
        let components = field.components();
        Ok(Box::new(move |place, take| {
            let node = &values[components * self.nodes.number_of(place) as usize..][..components];
            node.iter().for_each(|&value| take(value));
        }))
    }

    fn select(&self, what: &Selection) -> Result<Option<DeviceCopy<T>>, Failure> {
        DeviceCopy::new(&self.gpu, &self.collect, &self.nodes, what, COMPONENTS).map(Some).map_err(self.failed())
    }

    fn fetch(&self, what: &Selection, copy: &DeviceCopy<T>, field: Field) -> Result<Vec<T>, Failure> {
        copy.fetch(&self.nodes, what, self.field(field), field.components()).map_err(self.failed())
    }

    fn number_of(&self, place: NodePlace) -> usize {
        self.nodes.number_of(place) as usize
    }

    fn numbers(&self) -> usize {
        self.nodes.end as usize
    }

    fn replace(&mut self, field: Field, values: &[T]) -> Result<(), Failure> {
        let failed = self.failed();
        self.field_mut(field).write(0..values.len(), values).map_err(failed)
    }

    fn element_memory(&mut self) -> Result<Vec<Vec<T>>, Failure> {
        let failed = self.failed();
        self.element_memory().map_err(failed)
    }

    fn replace_element_memory(&mut self, values: &[Vec<T>]) -> Result<(), Failure> {
        let failed = self.failed();
        self.replace_element_memory(values).map_err(failed)
    }

    fn restore_step(&mut self, step: u64) -> Result<(), Failure> {
        let failed = self.failed();
        self.restore_step(step).map_err(failed)
    }

    fn bytes(&self) -> usize {
        self.device_bytes()
    }
}
