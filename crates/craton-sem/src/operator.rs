//! Spectral elements on the CPU cores of this process.

use std::ops::Range;
use std::sync::{Arc, Mutex};

use craton_device::{Isa, Scalar, Workers};
use craton_mesh::HexMesh;
use craton_numerics::gll::Gll;
use craton_sem_kernels::{ElementData, Memory, Phase, Scratch};
use craton_sim::{History, Messaging, SampleRing};
use rayon::prelude::*;

use crate::coupling::Coupling;
use crate::discretisation::{Discretisation, PhaseDiscretisation};
use crate::fields::NodePlace;
use crate::kernels::Kernels;
use crate::levels::Order;
use crate::parts::PartLayout;
use crate::plan::Plan;
use crate::probes::{Probe, ProbeReader};
use crate::shared_nodes::{SharedBlock, SharedForces, SharedState};
use crate::sources::PointSource;
use crate::step::{self, Node, PatchSource, PatchState, Step, width};
use crate::substeps::Tick;

/// Number of shared nodes that a thread updates at a time.
const SHARED_BLOCK: usize = 1024;

/// A part that is advanced on the CPU: displacement and potential at whole steps, their rates at half steps.
pub struct SemOperator<T: Scalar> {
    pub(crate) plan: Arc<Plan>,
    kernels: Kernels<T>,
    pub(crate) isa: Isa,
    pub(crate) workers: Arc<Workers>,
    pub(crate) scratches: Vec<Mutex<Scratch<T>>>,
    /// Solids and fluids.
    pub(crate) phases: [PhaseState<T>; 2],
    coupling: Coupling<T>,
    histories: Vec<History<T>>,
    probes: Vec<ProbeReader>,
    pub(crate) samples: SampleRing<T>,
    pub(crate) step: u64,
    dt: f64,
}

/// The state of a phase of a part.
pub(crate) struct PhaseState<T: Scalar> {
    pub own: Arc<PartLayout>,
    pub patches: Vec<PatchState<T>>,
    /// Level of each patch.
    rates: Vec<u8>,
    pub shared: SharedState<T>,
    /// Force sums for other parts, in message order.
    pub outgoing: Vec<Node<T>>,
}

impl<T: Scalar> PhaseState<T> {
    /// Creates the state of a phase at rest.
    ///
    /// # Arguments
    /// * `memory` – the memory variables of a patch at rest
    /// * `sources` – the sources of each patch
    fn new(
        (phase, order): (Phase, Order),
        of: PhaseDiscretisation<T>,
        dt: f64,
        memory: impl Fn(&ElementData<T>) -> Memory<T> + Sync,
        sources: Vec<Vec<PatchSource<T>>>,
    ) -> Self {
        let PhaseDiscretisation { own, patches, rates, inner_mass, shared_mass, damping } = of;
        let layout = &own.layout;
        let shared =
            SharedState::new((Arc::clone(layout), phase, order), &shared_mass, &damping, own.incoming.len(), dt);
        // The threads allocate these arrays, in memory that each has freed after building elements.
        let parts = patches.into_par_iter().zip(&layout.patches).zip(&rates).zip(inner_mass).zip(sources);
        let at_rest = parts.map(|((((elements, nodes), &rate), mass), sources)| {
            let memory = memory(&elements);
            let levels = (order, rate, &layout.levels[..]);
            PatchState::new((elements, memory, nodes.elements.len()), nodes.shared.clone(), &mass, sources, levels, dt)
        });
        let patches = at_rest.collect();
        Self { patches, rates, shared, outgoing: vec![[T::default(); 4]; own.outgoing.len()], own }
    }

    /// Packs the force sums for other parts.
    fn pack(&mut self, phase: Phase) {
        let (patches, width) = (&self.patches, width(phase));
        let pack = |(sum, &(patch, slot)): (&mut Node<T>, &(u32, u32))| {
            sum[..width].copy_from_slice(&patches[patch as usize].force[width * slot as usize..][..width]);
        };
        self.outgoing.par_iter_mut().zip(&self.own.outgoing).with_min_len(SHARED_BLOCK).for_each(pack);
    }

    /// Updates the shared nodes that move at the end of a substep with the sums of the patches' forces and the forces of the other phase.
    ///
    /// # Arguments
    /// * `other` – see [`SharedForces::other`]
    fn advance_shared(&mut self, phase: Phase, coupling: &Coupling<T>, other: &[T], dt: T, tick: Tick) {
        let SharedState { u, v, change, dt_over_mass, first_absorbing, absorbing, runs, layout, received } =
            &mut self.shared;
        let forces = SharedForces {
            patches: &self.patches,
            dt_over_mass,
            first_absorbing: *first_absorbing,
            absorbing,
            layout,
            received,
            coupling,
            other,
            dt,
        };
        let width = width(phase);
        for run in runs.iter_mut().filter(|run| tick.moves(run.level())) {
            let (nodes, first) = (run.nodes.clone(), run.nodes.start);
            let length = SHARED_BLOCK * width;
            let values = width * nodes.start..width * nodes.end;
            let blocks = u[values.clone()].par_chunks_mut(length).zip(v[values].par_chunks_mut(length)).enumerate();
            let block = |(block, (u, v)), change| SharedBlock { start: first + block * SHARED_BLOCK, u, v, change };
            match (&mut run.substeps, phase) {
                (None, Phase::Solid) => blocks.for_each(|uv| forces.advance_solid(block(uv, &mut []))),
                (None, Phase::Fluid) => blocks
                    .zip(change[nodes].par_chunks_mut(SHARED_BLOCK))
                    .for_each(|(uv, change)| forces.advance_fluid(block(uv, change))),
                (Some((of, kept)), phase) => {
                    let substep = tick.of_level(of.level);
                    blocks.zip(kept.par_chunks_mut(SHARED_BLOCK * of.kept(width))).for_each(|(uv, kept)| {
                        let block = block(uv, &mut []);
                        match phase {
                            Phase::Solid => {
                                forces.advance_within::<{ step::width(Phase::Solid) }>(substep, of, block, kept)
                            }
                            Phase::Fluid => {
                                forces.advance_within::<{ step::width(Phase::Fluid) }>(substep, of, block, kept)
                            }
                        }
                    });
                }
            }
        }
    }
}

impl<T: Scalar> SemOperator<T> {
    /// Creates the operator at rest at step 0.
    ///
    /// # Arguments
    /// * `dt` – time step [s], at most the stable step of the discretisation
    /// * `sources` – point sources; sources in other parts are ignored
    /// * `probes` – points that are sampled after each step; probes in other parts are ignored
    pub fn new(
        on: Discretisation<T>,
        dt: f64,
        sources: &[PointSource],
        probes: &[Probe],
        workers: Arc<Workers>,
    ) -> Self {
        let probes: Vec<_> = probes.iter().filter_map(|probe| ProbeReader::new(&on, probe)).collect();
        let no_sources = |phase: Phase| on.of(phase).patches.iter().map(|_| Vec::new()).collect::<Vec<Vec<_>>>();
        let mut in_patches = Phase::ALL.map(no_sources);
        let mut histories = Vec::new();
        for source in sources {
            if let Some((phase, patch, own)) = source.in_patch(&on, histories.len()) {
                in_patches[phase as usize][patch].push(own);
                histories.push(source.history.map(T::from_f64));
            }
        }
        let (along, rates) = (on.gll().points.len(), on.rates.clone());
        let scratch = || Mutex::new(Scratch::new(along, on.isa));
        let scratches = (0..workers.threads()).map(|_| scratch()).collect();
        let memory = |elements: &ElementData<T>| Memory::new(elements, along, &rates, dt);
        let order = on.plan.order();
        let ([solid, fluid], [of_solid, of_fluid]) = (on.phases, in_patches);
        let phases = workers.run(|| {
            [
                PhaseState::new((Phase::Solid, order), solid, dt, memory, of_solid),
                PhaseState::new((Phase::Fluid, order), fluid, dt, memory, of_fluid),
            ]
        });
        Self {
            plan: on.plan,
            kernels: on.kernels,
            isa: on.isa,
            workers,
            scratches,
            phases,
            coupling: Coupling::new(&on.wet),
            histories,
            samples: SampleRing::new(probes.iter().map(ProbeReader::channels).sum()),
            probes,
            step: 0,
            dt,
        }
    }

    /// The state of a phase.
    pub(crate) fn of(&self, phase: Phase) -> &PhaseState<T> {
        &self.phases[phase as usize]
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
                for tick in self.ticks() {
                    self.advance_patches(tick, |phase| 0..phase.patches.len());
                    self.finish_substep(tick);
                }
            }
        });
    }

    /// The substeps of a step.
    pub(crate) fn ticks(&self) -> impl Iterator<Item = Tick> + use<T> {
        Tick::all(self.plan.finest_level())
    }

    /// Takes the samples since the last call, `[step][channel]`: see [`Probe`], half a step before each whole step, probe by probe.
    pub fn take_samples(&mut self) -> Vec<T> {
        self.samples.take()
    }

    /// Advances the patches that share nodes with other parts, and packs their force sums.
    pub(crate) fn advance_outer(&mut self, tick: Tick, messaging: Messaging) {
        self.advance_patches(tick, |phase| 0..phase.own.outer);
        if messaging != Messaging::Silent {
            Phase::ALL.into_iter().for_each(|phase| self.phases[phase as usize].pack(phase));
        }
    }

    /// Advances the patches that share no nodes with other parts.
    pub(crate) fn advance_inner(&mut self, tick: Tick) {
        self.advance_patches(tick, |phase| phase.own.outer..phase.patches.len());
    }

    /// Completes a substep after the force sums of other parts have arrived. The displacement of the solid acts on the fluid before it changes, then the
    /// pressure of the fluid acts on the solid.
    pub(crate) fn finish_substep(&mut self, tick: Tick) {
        let (dt, [solid, fluid]) = (T::from_f64(self.dt), &mut self.phases);
        fluid.advance_shared(Phase::Fluid, &self.coupling, &solid.shared.u, dt, tick);
        solid.advance_shared(Phase::Solid, &self.coupling, &fluid.shared.change, dt, tick);
        if tick.is_last() {
            self.step += 1;
            self.sample();
        }
    }

    /// Computes the forces of elements and sources in some patches of each phase and updates their inner nodes.
    fn advance_patches(&mut self, tick: Tick, range: impl Fn(&PhaseState<T>) -> Range<usize>) {
        let scratches = &self.scratches;
        let with = Step {
            kernels: &self.kernels,
            isa: self.isa,
            dt: T::from_f64(self.dt),
            step: self.step as usize,
            tick,
            histories: &self.histories,
        };
        let patches = self.phases.iter_mut().flat_map(|phase| {
            let patches = range(phase);
            let shared = [&phase.shared.u[..], &phase.shared.v[..]];
            let own = phase.patches[patches.clone()].iter_mut().zip(&phase.rates[patches]);
            own.filter(|(_, rate)| tick.computes(**rate)).map(move |(patch, _)| (patch, shared))
        });
        patches.collect::<Vec<_>>().into_par_iter().for_each(|(patch, shared)| {
            let mut scratch = scratches[Workers::current()].lock().expect("a thread that panics ends the run");
            patch.advance(&with, shared, &mut scratch);
        });
    }

    /// Samples every probe.
    fn sample(&mut self) {
        let mut row = self.samples.next_row();
        for probe in &self.probes {
            let (own, rest) = row.split_at_mut(probe.channels());
            let phase = &self.phases[probe.phase() as usize];
            probe.read(&phase.patches[probe.patch()], &phase.shared, own);
            row = rest;
        }
    }

    /// The state arrays of the phases that the part has: the unknown and its rate on each patch, then on the shared nodes, with padding.
    pub fn state(&self) -> Vec<&[T]> {
        let of_phase = |phase: Phase| {
            let PhaseState { patches, shared, .. } = self.of(phase);
            let patches = patches.iter().flat_map(|patch| [&patch.u[..], &patch.v[..]]);
            patches.chain([&shared.u[..], &shared.v[..]])
        };
        self.plan.phases().flat_map(of_phase).collect()
    }

    /// Mutable access to the arrays of [`Self::state`].
    pub fn state_mut(&mut self) -> Vec<&mut [T]> {
        let phases: Vec<Phase> = self.plan.phases().collect();
        let mut all: Vec<&mut [T]> = Vec::new();
        for (of, phase) in self.phases.iter_mut().zip(Phase::ALL) {
            if phases.contains(&phase) {
                all.extend(of.patches.iter_mut().flat_map(|patch| [&mut patch.u[..], &mut patch.v[..]]));
                all.extend([&mut of.shared.u[..], &mut of.shared.v[..]]);
            }
        }
        all
    }

    /// A node of a phase whose displacement or potential is not finite.
    pub(crate) fn first_broken(&self, phase: Phase) -> Option<NodePlace> {
        let is_broken = |value: &T| !value.is_finite();
        let node = |u: &[T]| Some((u.iter().position(is_broken)? / width(phase)) as u32);
        let in_patch = |(patch, state): (usize, &PatchState<T>)| {
            Some(NodePlace::Inner { patch: patch as u32, node: node(&state.u)? })
        };
        let PhaseState { patches, shared, .. } = self.of(phase);
        let inner = patches.par_iter().enumerate().find_map_any(in_patch);
        inner.or_else(|| Some(NodePlace::Shared(node(&shared.u)?)))
    }
}
