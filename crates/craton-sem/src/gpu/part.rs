//! The parts on the GPUs of this process.

use craton_device::Scalar;
use craton_device::gpu::{Buffer, Gpu, GpuError};
use craton_sem_kernels::Phase;
use craton_sim::{Carrier, Endpoint, Failure, Link, Messaging};

use super::copies::DeviceCopy;
use super::operator::GpuOperator;
use crate::fields::{Field, NodePlace};
use crate::part::{Part, Reader};
use crate::parts::PartLayout;
use crate::selection::PartSelection;
use crate::substeps::Tick;
use crate::team::Team;

impl<T: Scalar> GpuOperator<T> {
    fn failed(&self) -> impl Fn(GpuError) -> Failure + use<T> {
        let step = self.step;
        move |fault| Failure::Device { step, fault }
    }
}

/// The messages of a phase are a round.
impl<T: Scalar> Endpoint<T> for GpuOperator<T> {
    fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    fn queue(&self) -> &Gpu {
        &self.phases[0].messages.queue
    }

    fn step(&self) -> u64 {
        self.step
    }

    fn links(&self, round: usize) -> &[Link] {
        &self.phases[round].messages.links
    }

    fn outgoing(&self, round: usize) -> &Buffer<T> {
        &self.phases[round].messages.outgoing
    }

    fn incoming(&mut self, round: usize) -> &mut Buffer<T> {
        &mut self.phases[round].program.slots_mut().values
    }
}

/// Enqueues a substep of all parts and exchanges their messages, if nodes that several parts have move at its end.
fn advance_once<T: Scalar>(
    parts: &mut [GpuOperator<T>],
    carriers: &mut [Carrier<T>],
    team: &Team,
    tick: Tick,
) -> Result<(), Failure> {
    let failed = parts[0].failed();
    let inner = |parts: &[GpuOperator<T>]| parts.iter().try_for_each(|part| part.replay_inner(tick)).map_err(&failed);
    carriers.iter().try_for_each(|carrier| carrier.open(parts))?;
    parts.iter().try_for_each(|part| part.replay_outer(tick)).map_err(&failed)?;
    carriers.iter_mut().try_for_each(|carrier| carrier.send(parts))?;
    if team.messaging() == Messaging::Blocking {
        carriers.iter_mut().try_for_each(|carrier| carrier.arrive(parts, team))?;
        inner(parts)?;
    } else {
        inner(parts)?;
        carriers.iter_mut().try_for_each(|carrier| carrier.arrive(parts, team))?;
    }
    parts.iter_mut().try_for_each(|part| part.replay_rest(tick)).map_err(&failed)
}

impl<T: Scalar> Part<T> for GpuOperator<T> {
    fn own(&self, phase: Phase) -> &PartLayout {
        &self.of(phase).nodes.own
    }

    fn step(&self) -> u64 {
        self.step
    }

    fn longest_advance(&self) -> u64 {
        self.longest_advance()
    }

    fn advance_all(parts: &mut [Self], team: &Team, steps: u64) -> Result<(), Failure> {
        if let [alone] = parts
            && !alone.has_neighbours()
        {
            let failed = alone.failed();
            return alone.advance_alone(steps).map_err(failed);
        }
        let failed = parts[0].failed();
        parts.iter_mut().try_for_each(|part| part.record(team.messaging())).map_err(failed)?;
        let rounds = 0..parts[0].phases.len();
        let mut carriers: Vec<Carrier<T>> =
            rounds.map(|round| Carrier::new(parts, team, round)).collect::<Result<_, _>>()?;
        let meeting = parts[0].phases.iter().map(|phase| phase.nodes.own.finest_cut).max().unwrap_or(0);
        let finest = parts[0].plan().finest_level();
        (0..steps).flat_map(|_| Tick::all(finest)).try_for_each(|tick| {
            let carriers = if tick.moves(meeting) { &mut carriers[..] } else { &mut [] };
            advance_once(parts, carriers, team, tick)
        })
    }

    fn take_samples(&mut self) -> Result<Vec<T>, Failure> {
        let failed = self.failed();
        self.take_samples().map_err(failed)
    }

    fn broken_place(&mut self, phase: Phase) -> Result<Option<NodePlace>, Failure> {
        let failed = self.failed();
        let of = self.of_mut(phase);
        let node = of.broken_node().map_err(failed)?;
        Ok(node.and_then(|node| of.nodes.place_of(node)))
    }

    fn reader(&self, field: Field) -> Result<Reader<'_, T>, Failure> {
        let of = self.of(field.phase());
        let values = of.field(field).download().map_err(self.failed())?;
        let components = field.components();
        Ok(Box::new(move |place, take| {
            let node = &values[components * of.nodes.number_of(place) as usize..][..components];
            node.iter().for_each(|&value| take(value));
        }))
    }

    fn value(&self, field: Field, place: NodePlace) -> Result<T, Failure> {
        let of = self.of(field.phase());
        let at = field.components() * of.nodes.number_of(place) as usize;
        Ok(of.field(field).download_range(at..at + 1).map_err(self.failed())?[0])
    }

    fn lower_potential(&mut self, of_nodes: &[u8], by: &[T]) -> Result<(), Failure> {
        let failed = self.failed();
        self.of_mut(Phase::Fluid).lower(of_nodes, by).map_err(failed)
    }

    fn select(&self, what: &PartSelection) -> Result<Option<DeviceCopy<T>>, Failure> {
        let phase = match what {
            PartSelection::Nodes(_) => Phase::Solid,
            PartSelection::Elements(elements) => {
                elements.first().map_or(Phase::Solid, |&first| self.plan().phase_of(first))
            }
        };
        let Some(of) = self.phases.iter().find(|of| of.nodes.phase == phase) else { return Ok(Some(DeviceCopy::All)) };
        let copy = DeviceCopy::new(&self.gpu, &of.collect, &of.nodes, what, phase.components());
        copy.map(Some).map_err(self.failed())
    }

    fn fetch(&self, what: &PartSelection, copy: &DeviceCopy<T>, field: Field) -> Result<Vec<T>, Failure> {
        if what.len(1) == 0 {
            return Ok(Vec::new());
        }
        let of = self.of(field.phase());
        copy.fetch(&of.nodes, what, of.field(field), field.components()).map_err(self.failed())
    }

    fn number_of(&self, phase: Phase, place: NodePlace) -> usize {
        self.of(phase).nodes.number_of(place) as usize
    }

    fn numbers(&self, phase: Phase) -> usize {
        self.of(phase).nodes.end as usize
    }

    fn replace(&mut self, field: Field, values: &[T]) -> Result<(), Failure> {
        let failed = self.failed();
        self.of_mut(field.phase()).field_mut(field).write(0..values.len(), values).map_err(failed)
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
