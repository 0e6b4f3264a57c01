//! The parts on the CPU cores of this process, and their messages.

use std::sync::Arc;

use craton_device::Scalar;
use craton_sem_kernels::Phase;
use craton_sim::{Failure, Link};

use crate::fields::{Field, NodePlace};
use crate::gpu::DeviceCopy;
use crate::operator::{PhaseState, SemOperator};
use crate::part::{Part, Reader};
use crate::parts::PartLayout;
use crate::selection::PartSelection;
use crate::step::{Node, PatchState};
use crate::substeps::Tick;
use crate::team::Team;

impl<T: Scalar> Part<T> for SemOperator<T> {
    fn own(&self, phase: Phase) -> &PartLayout {
        &self.of(phase).own
    }

    fn step(&self) -> u64 {
        self.step
    }

    fn longest_advance(&self) -> u64 {
        self.samples.capacity() as u64
    }

    fn advance_all(parts: &mut [Self], team: &Team, steps: u64) -> Result<(), Failure> {
        if let [alone] = parts
            && team.parts().count() == 1
        {
            alone.advance_alone(steps);
            return Ok(());
        }
        let workers = Arc::clone(&parts[0].workers);
        let phases: Vec<Phase> = parts[0].plan.phases().collect();
        let mut mail: Vec<Mail<T>> = phases.into_iter().map(|phase| Mail::new(phase, parts)).collect();
        let meeting = parts[0].phases.iter().map(|phase| phase.own.finest_cut).max().unwrap_or(0);
        let finest = parts[0].plan.finest_level();
        for tick in (0..steps).flat_map(|_| Tick::all(finest)) {
            workers.run(|| parts.iter_mut().for_each(|part| part.advance_outer(tick, team.messaging())));
            let meets = tick.moves(meeting);
            let mail = if meets { &mut mail[..] } else { &mut [] };
            mail.iter_mut().for_each(|mail| mail.swap(parts));
            let mut inner = || workers.run(|| parts.iter_mut().for_each(|part| part.advance_inner(tick)));
            match meets {
                // The inner patches advance during the first exchange.
                true => exchange(mail, team, &mut inner)?,
                false => inner(),
            }
            mail.iter_mut().for_each(|mail| mail.swap(parts));
            workers.run(|| parts.iter_mut().for_each(|part| part.finish_substep(tick)));
        }
        Ok(())
    }

    fn take_samples(&mut self) -> Result<Vec<T>, Failure> {
        Ok(self.take_samples())
    }

    fn broken_place(&mut self, phase: Phase) -> Result<Option<NodePlace>, Failure> {
        Ok(self.workers.run(|| self.first_broken(phase)))
    }

    fn reader(&self, field: Field) -> Result<Reader<'_, T>, Failure> {
        Ok(Box::new(move |place, take| self.node(place, field).iter().for_each(|&value| take(value))))
    }

    fn value(&self, field: Field, place: NodePlace) -> Result<T, Failure> {
        Ok(self.node(place, field)[0])
    }

    fn lower_potential(&mut self, of_nodes: &[u8], by: &[T]) -> Result<(), Failure> {
        let PhaseState { patches, shared, .. } = &mut self.phases[Phase::Fluid as usize];
        let inner = patches.iter_mut().flat_map(|patch| Field::Potential.inner_mut(patch));
        let values = inner.chain(Field::Potential.shared_mut(shared));
        values.zip(of_nodes).for_each(|(value, &fluid)| *value = *value - by[usize::from(fluid)]);
        Ok(())
    }

    fn select(&self, _what: &PartSelection) -> Result<Option<DeviceCopy<T>>, Failure> {
        Ok(None)
    }

    fn number_of(&self, phase: Phase, place: NodePlace) -> usize {
        let own = self.own(phase);
        match place {
            NodePlace::Inner { patch, node } => own.first_inner[patch as usize] + node as usize,
            NodePlace::Shared(node) => own.first_inner[own.patches.len()] + node as usize,
        }
    }

    fn numbers(&self, phase: Phase) -> usize {
        let own = self.own(phase);
        own.first_inner[own.patches.len()] + own.layout.shared
    }

    fn replace(&mut self, field: Field, values: &[T]) -> Result<(), Failure> {
        let PhaseState { patches, shared, .. } = &mut self.phases[field.phase() as usize];
        let inner = patches.iter_mut().map(|patch| field.inner_mut(patch));
        let nodes = inner.chain([field.shared_mut(shared)]).flat_map(|all| all.chunks_exact_mut(field.width()));
        for (node, values) in nodes.zip(values.chunks_exact(field.components())) {
            node[..values.len()].copy_from_slice(values);
        }
        Ok(())
    }

    fn element_memory(&mut self) -> Result<Vec<Vec<T>>, Failure> {
        let of_patch =
            |patch: &PatchState<T>| patch.memory_places(self.isa).map(|at| patch.memory.variables[at]).collect();
        Ok(self.phases.iter().flat_map(|phase| &phase.patches).map(of_patch).collect())
    }

    fn replace_element_memory(&mut self, values: &[Vec<T>]) -> Result<(), Failure> {
        for (patch, values) in self.phases.iter_mut().flat_map(|phase| &mut phase.patches).zip(values) {
            let places: Vec<usize> = patch.memory_places(self.isa).collect();
            places.into_iter().zip(values).for_each(|(at, &value)| patch.memory.variables[at] = value);
        }
        Ok(())
    }

    fn restore_step(&mut self, step: u64) -> Result<(), Failure> {
        // Samples of steps that are undone are lost.
        self.samples.take();
        self.step = step;
        Ok(())
    }

    fn bytes(&self) -> usize {
        self.memory().total()
    }
}

/// Exchanges the messages of the phases, one after the other.
///
/// # Arguments
/// * `work` – what the parts do during the first exchange
fn exchange<T: Scalar>(mail: &mut [Mail<T>], team: &Team, work: &mut dyn FnMut()) -> Result<(), Failure> {
    let mut waiting = true;
    mail.iter_mut().try_for_each(|mail| {
        let is_first = std::mem::take(&mut waiting);
        mail.exchange(team, &mut || {
            if is_first {
                work()
            }
        })
    })
}

/// The messages of a phase of all parts of this process.
struct Mail<T> {
    phase: Phase,
    own: Vec<Arc<PartLayout>>,
    outgoing: Vec<Vec<Node<T>>>,
    incoming: Vec<Vec<Node<T>>>,
}

impl<T: Scalar> Mail<T> {
    fn new(phase: Phase, parts: &[SemOperator<T>]) -> Self {
        let own = parts.iter().map(|part| Arc::clone(&part.of(phase).own)).collect();
        Self { phase, own, outgoing: vec![Vec::new(); parts.len()], incoming: vec![Vec::new(); parts.len()] }
    }

    /// Swaps the message buffers of the parts with these.
    fn swap(&mut self, parts: &mut [SemOperator<T>]) {
        for ((part, outgoing), incoming) in parts.iter_mut().zip(&mut self.outgoing).zip(&mut self.incoming) {
            let of = &mut part.phases[self.phase as usize];
            std::mem::swap(&mut of.outgoing, outgoing);
            std::mem::swap(&mut of.shared.received, incoming);
        }
    }

    fn exchange(&mut self, team: &Team, work: &mut dyn FnMut()) -> Result<(), Failure> {
        let links: Vec<&[Link]> = self.own.iter().map(|own| &own.links[..]).collect();
        Ok(team.exchange_during(&links, &self.outgoing, &mut self.incoming, work)?)
    }
}
