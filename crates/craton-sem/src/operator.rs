//! Spectral elements on the CPU cores of this process.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use craton_device::{Isa, Scalar, Workers};
use craton_mesh::HexMesh;
use craton_numerics::gll::Gll;
use craton_sem_kernels::{Memory, Scratch};
use craton_sim::{Failure, Link, Messaging, SampleRing};
use rayon::prelude::*;

use crate::discretisation::Discretisation;
use crate::fields::{Field, NodePlace};
use crate::gpu::DeviceCopy;
use crate::kernels::Kernels;
use crate::part::{Part, Reader};
use crate::parts::PartLayout;
use crate::plan::Plan;
use crate::probes::{Probe, ProbeReader};
use crate::selection::Selection;
use crate::solid::{Node, PatchState, SharedBlock, SharedForces, SharedState, Step};
use crate::sources::PointSource;
use crate::team::Team;

/// Number of shared nodes that a thread updates at a time.
const SHARED_BLOCK: usize = 1024;

/// A part that is advanced on the CPU: displacement at whole steps, velocity at half steps.
pub struct SemOperator<T: Scalar> {
    pub(crate) plan: Arc<Plan>,
    pub(crate) own: Arc<PartLayout>,
    kernels: Kernels<T>,
    isa: Isa,
    workers: Arc<Workers>,
    pub(crate) scratches: Vec<Mutex<Scratch<T>>>,
    pub(crate) patches: Vec<PatchState<T>>,
    pub(crate) shared: SharedState<T>,
    /// Force sums for other parts, in message order.
    outgoing: Vec<Node<T>>,
    histories: Vec<Vec<T>>,
    probes: Vec<ProbeReader>,
    samples: SampleRing<T>,
    step: u64,
    dt: f64,
}

impl<T: Scalar> SemOperator<T> {
    /// Creates the operator at rest at step 0.
    ///
    /// # Arguments
    /// * `dt` – time step [s], at most the stable step of the discretisation
    /// * `sources` – point sources, whose histories have one value per step; sources in other parts are ignored
    /// * `probes` – points that are sampled after each step; probes in other parts are ignored
    pub fn new(
        on: Discretisation<T>,
        dt: f64,
        sources: &[PointSource],
        probes: &[Probe],
        workers: Arc<Workers>,
    ) -> Self {
        let probes: Vec<_> = probes.iter().filter_map(|probe| ProbeReader::new(&on, probe)).collect();
        let mut in_patches: Vec<Vec<_>> = on.patches.iter().map(|_| Vec::new()).collect();
        let mut histories = Vec::new();
        for source in sources {
            if let Some((patch, own)) = source.in_patch(&on, histories.len()) {
                in_patches[patch].push(own);
                histories.push(source.history.iter().map(|&f| T::from_f64(f)).collect());
            }
        }
        let scratch = || Mutex::new(Scratch::new(on.gll().points.len(), on.isa));
        let scratches = (0..workers.threads()).map(|_| scratch()).collect();
        let layout = &on.own.layout;
        let shared = SharedState::new(Arc::clone(layout), &on.shared_mass, &on.damping, on.own.incoming.len(), dt);
        let (along, rates) = (on.gll().points.len(), on.rates.clone());
        // The threads allocate these arrays, in memory that each has freed after building elements.
        let parts = on.patches.into_par_iter().zip(&layout.patches).zip(on.inner_mass).zip(in_patches);
        let at_rest = parts.map(|(((elements, nodes), mass), sources)| {
            let memory = Memory::new(&elements, along, &rates, dt);
            PatchState::new((elements, memory, nodes.elements.len()), nodes.shared.clone(), &mass, sources, dt)
        });
        let patches = workers.run(|| at_rest.collect());
        Self {
            plan: on.plan,
            kernels: on.kernels,
            isa: on.isa,
            workers,
            scratches,
            patches,
            shared,
            outgoing: vec![[T::default(); 4]; on.own.outgoing.len()],
            own: on.own,
            histories,
            samples: SampleRing::new(probes.iter().map(ProbeReader::channels).sum()),
            probes,
            step: 0,
            dt,
        }
    }

    /// Time step [s].
    pub fn dt(&self) -> f64 {
        self.dt
    }

    /// The plan, which all parts share.
    pub fn plan(&self) -> &Arc<Plan> {
        &self.plan
    }

    /// The mesh, with its elements in the order of the solver.
    pub fn mesh(&self) -> &HexMesh {
        &self.plan.mesh
    }

    /// The Gauss-Lobatto-Legendre rule of the elements.
    pub fn gll(&self) -> &Gll {
        &self.plan.gll
    }

    /// Advances a part without neighbours by `steps` steps, at most the capacity of the sample ring.
    pub fn advance_alone(&mut self, steps: u64) {
        let workers = Arc::clone(&self.workers);
        workers.run(|| {
            for _ in 0..steps {
                self.advance_patches(0..self.patches.len());
                self.finish_step();
            }
        });
    }

    /// Takes the samples since the last call, `[step][channel]`: velocity [m/s] half a step before each whole step, or its gradient [1/s],
    /// probe by probe.
    pub fn take_samples(&mut self) -> Vec<T> {
        self.samples.take()
    }

    /// Advances the patches that share nodes with other parts, and packs their force sums.
    fn advance_outer(&mut self, messaging: Messaging) {
        self.advance_patches(0..self.own.outer);
        if messaging == Messaging::Silent {
            return;
        }
        let patches = &self.patches;
        let sums = self.outgoing.par_iter_mut().zip(&self.own.outgoing);
        sums.with_min_len(SHARED_BLOCK)
            .for_each(|(sum, &(patch, slot))| *sum = patches[patch as usize].force[slot as usize]);
    }

    /// Advances the patches that share no nodes with other parts.
    fn advance_inner(&mut self) {
        self.advance_patches(self.own.outer..self.patches.len());
    }

    /// Completes the step after the force sums of other parts have arrived.
    fn finish_step(&mut self) {
        self.advance_shared();
        self.step += 1;
        self.sample();
    }

    /// Computes the forces of elements and sources in some patches and updates their inner nodes.
    fn advance_patches(&mut self, patches: Range<usize>) {
        let (scratches, shared) = (&self.scratches, &self.shared.u);
        let with = Step {
            kernels: &self.kernels,
            isa: self.isa,
            dt: T::from_f64(self.dt),
            step: self.step as usize,
            histories: &self.histories,
        };
        self.patches[patches].par_iter_mut().for_each(|patch| {
            let mut scratch = scratches[Workers::current()].lock().expect("a thread that panics ends the run");
            patch.advance(&with, shared, &mut scratch);
        });
    }

    /// Updates the shared nodes with the sums of the patches' forces.
    fn advance_shared(&mut self) {
        let SharedState { u, v, dt_over_mass, first_absorbing, absorbing, layout, received } = &mut self.shared;
        let forces = SharedForces {
            patches: &self.patches,
            dt_over_mass,
            first_absorbing: *first_absorbing,
            absorbing,
            layout,
            received,
            dt: T::from_f64(self.dt),
        };
        let blocks = u.par_chunks_mut(SHARED_BLOCK).zip(v.par_chunks_mut(SHARED_BLOCK)).enumerate();
        blocks.for_each(|(block, (u, v))| forces.advance(SharedBlock { start: block * SHARED_BLOCK, u, v }));
    }

    /// Samples the velocity or its gradient at every probe.
    fn sample(&mut self) {
        let mut row = self.samples.next_row();
        for probe in &self.probes {
            let (own, rest) = row.split_at_mut(probe.channels());
            probe.read(&self.patches[probe.patch()], &self.shared, Field::Velocity, own);
            row = rest;
        }
    }

    /// The state arrays: displacement and velocity of each patch, then of the shared nodes.
    pub fn state(&self) -> Vec<&[Node<T>]> {
        let patches = self.patches.iter().flat_map(|patch| [&patch.u[..], &patch.v[..]]);
        patches.chain([&self.shared.u[..], &self.shared.v[..]]).collect()
    }

    /// Mutable access to the arrays of [`Self::state`].
    pub fn state_mut(&mut self) -> Vec<&mut [Node<T>]> {
        let patches = self.patches.iter_mut().flat_map(|patch| [&mut patch.u[..], &mut patch.v[..]]);
        patches.chain([&mut self.shared.u[..], &mut self.shared.v[..]]).collect()
    }

    /// A node whose displacement is not finite.
    fn first_broken(&self) -> Option<NodePlace> {
        let is_broken = |u: &Node<T>| !(u[0].is_finite() && u[1].is_finite() && u[2].is_finite());
        let in_patch = |(patch, state): (usize, &PatchState<T>)| {
            let node = state.u.iter().position(is_broken)? as u32;
            Some(NodePlace::Inner { patch: patch as u32, node })
        };
        let inner = self.patches.par_iter().enumerate().find_map_any(in_patch);
        inner.or_else(|| Some(NodePlace::Shared(self.shared.u.iter().position(is_broken)? as u32)))
    }
}

impl<T: Scalar> Part<T> for SemOperator<T> {
    fn own(&self) -> &PartLayout {
        &self.own
    }

    fn step(&self) -> u64 {
        self.step
    }

    fn longest_advance(&self) -> u64 {
        self.samples.capacity() as u64
    }

    fn advance_all(parts: &mut [Self], team: &Team, steps: u64) -> Result<(), Failure> {
        if let [alone] = parts
            && alone.own.links.is_empty()
        {
            alone.advance_alone(steps);
            return Ok(());
        }
        let workers = Arc::clone(&parts[0].workers);
        let own: Vec<Arc<PartLayout>> = parts.iter().map(|part| Arc::clone(&part.own)).collect();
        let links: Vec<&[Link]> = own.iter().map(|own| &own.links[..]).collect();
        let mut outgoing = vec![Vec::new(); parts.len()];
        let mut incoming = vec![Vec::new(); parts.len()];
        for _ in 0..steps {
            workers.run(|| parts.iter_mut().for_each(|part| part.advance_outer(team.messaging())));
            swap_messages(parts, &mut outgoing, &mut incoming);
            let mut inner = || workers.run(|| parts.iter_mut().for_each(Self::advance_inner));
            team.exchange_during(&links, &outgoing, &mut incoming, &mut inner)?;
            swap_messages(parts, &mut outgoing, &mut incoming);
            workers.run(|| parts.iter_mut().for_each(Self::finish_step));
        }
        Ok(())
    }

    fn take_samples(&mut self) -> Result<Vec<T>, Failure> {
        Ok(self.take_samples())
    }

    fn broken_place(&mut self) -> Result<Option<NodePlace>, Failure> {
        Ok(self.workers.run(|| self.first_broken()))
    }

    fn reader(&self, field: Field) -> Result<Reader<'_, T>, Failure> {
        Ok(Box::new(move |place, take| {
            let node = self.node(place, field);
            node[..field.components()].iter().for_each(|&value| take(value));
        }))
    }

    fn select(&self, _what: &Selection) -> Result<Option<DeviceCopy<T>>, Failure> {
        Ok(None)
    }

    fn number_of(&self, place: NodePlace) -> usize {
        match place {
            NodePlace::Inner { patch, node } => self.own.first_inner[patch as usize] + node as usize,
            NodePlace::Shared(node) => self.own.first_inner[self.patches.len()] + node as usize,
        }
    }

    fn numbers(&self) -> usize {
        self.own.first_inner[self.patches.len()] + self.shared.len()
    }

    fn replace(&mut self, field: Field, values: &[T]) -> Result<(), Failure> {
        let inner = self.patches.iter_mut().map(|patch| field.inner_mut(patch));
        let nodes = inner.chain([field.shared_mut(&mut self.shared)]).flatten();
        for (node, values) in nodes.zip(values.chunks_exact(field.components())) {
            node[..values.len()].copy_from_slice(values);
        }
        Ok(())
    }

    fn element_memory(&mut self) -> Result<Vec<Vec<T>>, Failure> {
        let of_patch =
            |patch: &PatchState<T>| patch.memory_places(self.isa).map(|at| patch.memory.variables[at]).collect();
        Ok(self.patches.iter().map(of_patch).collect())
    }

    fn replace_element_memory(&mut self, values: &[Vec<T>]) -> Result<(), Failure> {
        for (patch, values) in self.patches.iter_mut().zip(values) {
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

/// Swaps the message buffers of the parts with these.
fn swap_messages<T: Scalar>(
    parts: &mut [SemOperator<T>],
    outgoing: &mut [Vec<Node<T>>],
    incoming: &mut [Vec<Node<T>>],
) {
    for ((part, outgoing), incoming) in parts.iter_mut().zip(outgoing).zip(incoming) {
        std::mem::swap(&mut part.outgoing, outgoing);
        std::mem::swap(&mut part.shared.received, incoming);
    }
}
