//! Assembly by patches: forces are summed in shared memory, inner nodes are updated in place, and a second kernel updates the shared nodes.

use std::collections::HashMap;

use craton_device::Scalar;
use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};
use craton_sem_kernels::{MaterialKind, Phase};
use craton_sim::Link;

use super::coupling::wet_slots;
use super::element_memory::{ElementMemory, MemoryLayout};
use super::images;
use super::messages::{MessageLayout, Slots};
use super::move_nodes::Move;
use super::nodes::{DeviceNodes, NodeRange};
use super::patches::{self, PatchArrays};
use super::rows::{Rows, joined};
use super::runs::Run;
use super::step::{DeviceSources, DeviceState};
use super::substeps::{InnerSubsteps, RunSubsteps};
use crate::discretisation::Discretisation;
use crate::sources::PointSource;
use crate::substeps::Tick;

/// Resident blocks of the patch kernel per multiprocessor, as in `kernels/patch.cu`.
const fn blocks_per_multiprocessor(phase: Phase) -> u32 {
    match phase {
        Phase::Solid => 2,
        Phase::Fluid => 4,
    }
}

/// A prefetch distance in blocks that exceeds every number of patches.
const NEVER: u32 = u32::MAX / 2;

/// The launches of a step with assembly by patches.
pub struct PatchStep<T: Scalar> {
    queue: Gpu,
    /// Changes of velocity of inner nodes in the first and second half of two substeps, `[node][component]`, zero between steps; one value without levels.
    changes: [Buffer<T>; 2],
    runs: Vec<PatchRun<T>>,
    patches: Buffer<[u32; patches::HEADER]>,
    connection: Buffer<[u32; 4]>,
    last_connection: Buffer<u16>,
    tables: Buffer<u16>,
    surface: Buffer<u32>,
    geometry: Buffer<f32>,
    sources: DeviceSources<T>,
    /// Force sums on shared nodes, of each patch and of other parts.
    pub slots: Slots<T>,
    /// The shared nodes, level by level.
    shared: Vec<Move<T>>,
    /// Slot index of the first component of each sum of each outgoing message.
    pub outgoing: Vec<Vec<u32>>,
    /// Layout of the incoming messages.
    pub incoming: MessageLayout,
}

/// A run of patches on a device.
struct PatchRun<T: Scalar> {
    of: Run,
    kernel: Kernel,
    shared_bytes: u32,
    constants: Buffer<f32>,
    words: Buffer<u32>,
    memory: ElementMemory<T>,
    substeps: RunSubsteps<T>,
    /// The queue of its kernel, if it is not that of the step.
    beside: Option<Gpu>,
    /// Prefetch distance in blocks: the number of resident blocks.
    ahead: u32,
}

impl<T: Scalar> PatchRun<T> {
    /// Uploads the material arrays of a run, which it moves out of `arrays`.
    fn new(
        gpu: &Gpu,
        on: &Discretisation<T>,
        dt: f64,
        nodes: &DeviceNodes,
        arrays: &mut PatchArrays,
        of: Run,
    ) -> Result<Self, GpuError> {
        let constants = joined(&arrays.constants[of.patches.clone()]);
        arrays.constants[of.patches.clone()].fill(Vec::new());
        let mut words = joined(&arrays.words[of.patches.clone()]);
        arrays.words[of.patches.clone()].fill(Vec::new());
        words.resize(words.len().max(1), 0);
        let memory = ElementMemory::new(gpu, on, dt, &of, MemoryLayout::Planes)?;
        let substeps = RunSubsteps {
            inner: InnerSubsteps::new(gpu, on, nodes, dt, nodes.inner_of(&of))?,
            ..RunSubsteps::new(gpu, nodes, &of, &memory, &slower_slots(nodes, arrays, &of), 1)?
        };
        Ok(Self {
            kernel: images::patch(gpu, of.variant(on), of.storage)?.kernel("advance_patches")?,
            shared_bytes: *arrays.shared_bytes[of.patches.clone()].iter().max().expect("a run has a patch") as u32,
            constants: gpu.upload(if constants.is_empty() { &[0.0] } else { &constants })?,
            words: gpu.upload(&words)?,
            memory,
            substeps,
            beside: None,
            ahead: match of.rheology.material {
                // No prefetch: the coefficients of these elements fill the second-level cache.
                MaterialKind::Anisotropic => NEVER,
                _ => blocks_per_multiprocessor(of.rheology.phase()) * gpu.info().multiprocessors,
            },
            of,
        })
    }
}

impl<T: Scalar> PatchStep<T> {
    /// Uploads the arrays of a discretisation to a device.
    pub fn new(
        gpu: &Gpu,
        on: &Discretisation<T>,
        dt: f64,
        nodes: &DeviceNodes,
        sources: &[PointSource],
        runs: Vec<Run>,
        mut arrays: PatchArrays,
    ) -> Result<Self, GpuError> {
        let patch_of = |source: usize| nodes.patch_of(sources[source].element).map(|(patch, _)| patch);
        let mut order: Vec<usize> = (0..sources.len()).filter(|&source| patch_of(source).is_some()).collect();
        order.sort_by_key(|&source| patch_of(source));
        arrays.place_sources(order.iter().filter_map(|&source| patch_of(source)));
        let within = |element| nodes.patch_of(element).expect("an element of this part").1 as u32;

        let (components, own_values) = (nodes.components(), nodes.components() * arrays.n_sums());
        let counts = nodes.own.links.iter().map(|link| link.incoming.len()).chain([on.wet.len()]);
        let incoming = MessageLayout::new(components, 1, counts);
        let received: Vec<u32> = incoming.places().map(|place| (own_values + place) as u32).collect();
        let runs: Vec<_> = runs
            .into_iter()
            .map(|run| PatchRun::new(gpu, on, dt, nodes, &mut arrays, run))
            .collect::<Result<_, _>>()?;
        let place = |&(patch, slot): &(u32, u32)| {
            let Some(patch_nodes) = nodes.patches.get(patch as usize) else { return received[slot as usize] };
            let local = usize::from(patch_nodes.moved_to[patch_nodes.inner + slot as usize]) - patch_nodes.inner;
            components as u32 * (arrays.first_surface[patch as usize] + local as u32)
        };
        let wet = wet_slots(on, nodes, own_values, &incoming);
        let slots = with_wet(nodes, place, &wet);
        let to_neighbour = |link: &Link| nodes.own.outgoing[link.outgoing.clone()].iter().map(place).collect();
        Ok(Self {
            queue: gpu.clone(),
            changes: changes(gpu, on, nodes)?,
            runs,
            patches: gpu.upload(&arrays.patches)?,
            connection: gpu.upload(&arrays.connection)?,
            last_connection: gpu.upload(&arrays.last_connection)?,
            tables: gpu.upload(&arrays.tables)?,
            surface: gpu.upload(&arrays.surface)?,
            geometry: gpu.upload(&arrays.geometry)?,
            sources: DeviceSources::new(gpu, (on, nodes.phase), sources, &order, within)?,
            slots: Slots::new(gpu, 1, own_values, &incoming)?,
            shared: moves(gpu, on, dt, nodes, &slots)?,
            outgoing: nodes.own.links.iter().map(to_neighbour).collect(),
            incoming,
        })
    }

    /// Enqueues the outer or the inner patches, run by run: the assembly and the update of their inner nodes.
    pub fn launch_patches(&self, state: &DeviceState<T>, outer: bool, tick: Tick) -> Result<(), GpuError> {
        let mut now = self.runs.iter().filter(|run| run.of.outer == outer && tick.computes(run.of.level));
        self.runs.iter().filter_map(|run| run.beside.as_ref()).try_for_each(|beside| beside.wait_for(&self.queue))?;
        now.try_for_each(|run| {
            let memory = run.substeps.hold(&run.of, &run.memory, tick)?;
            self.launch_run(state, run, memory, tick)?;
            run.substeps.launch_means(&self.slots.values, tick)?;
            run.substeps.inner.iter().try_for_each(|inner| inner.launch(state, &self.changes, tick))
        })
    }

    /// See [`Step::overlap`](super::step::Step::overlap).
    pub fn overlap(&mut self, gpu: &Gpu) -> Result<(), GpuError> {
        if let Some(largest) = self.runs.iter_mut().max_by_key(|run| run.of.patches.len()) {
            let queue = gpu.another_queue()?;
            largest.kernel = largest.kernel.on(&queue);
            largest.beside = Some(queue);
        }
        Ok(())
    }

    /// See [`Step::wait_for_elements`](super::step::Step::wait_for_elements).
    pub fn wait_for_patches(&self) -> Result<(), GpuError> {
        self.runs.iter().filter_map(|run| run.beside.as_ref()).try_for_each(|beside| self.queue.wait_for(beside))
    }

    fn launch_run(
        &self,
        state: &DeviceState<T>,
        run: &PatchRun<T>,
        memory: &Buffer<T>,
        tick: Tick,
    ) -> Result<(), GpuError> {
        let (rates, dt) = match &run.substeps.inner {
            None => (&state.v, state.dt),
            Some(inner) => inner.target(state, &self.changes, tick),
        };
        run.kernel.launch(
            Launch::new(run.of.patches.len() as u32, patches::THREADS as u32).shared(run.shared_bytes),
            args![
                &self.patches,
                run.of.patches.start as u32,
                &self.connection,
                &self.last_connection,
                &self.tables,
                &self.surface,
                &self.geometry,
                &run.constants,
                &run.words,
                run.memory.mechanisms,
                &run.memory.decays,
                &run.memory.moduli,
                memory,
                &run.memory.pml.coefficients,
                &run.memory.pml.values,
                &state.dt_over_mass,
                dt,
                &self.sources.places,
                &self.sources.weights,
                &self.sources.histories,
                &*state.step,
                &state.u,
                rates,
                &self.slots.values,
                run.ahead
            ],
        )
    }

    /// The runs and the memory of their elements.
    pub fn memories(&mut self) -> Vec<(&Run, &mut ElementMemory<T>)> {
        self.runs.iter_mut().map(|run| (&run.of, &mut run.memory)).collect()
    }

    /// Enqueues the update of the shared nodes that move at the end of a substep.
    pub fn launch_shared(&self, state: &DeviceState<T>, tick: Tick) -> Result<(), GpuError> {
        self.shared.iter().try_for_each(|own| own.launch(state, &self.slots, tick))
    }
}

/// [`PatchStep::changes`] at rest.
fn changes<T: Scalar>(gpu: &Gpu, on: &Discretisation<T>, nodes: &DeviceNodes) -> Result<[Buffer<T>; 2], GpuError> {
    let has_levels = on.plan.finest_level() > 0;
    let values = if has_levels { nodes.components() * nodes.first_shared as usize } else { 1 };
    Ok([gpu.zeroed(values)?, gpu.zeroed(values)?])
}

/// The moves of the shared nodes, level by level.
///
/// # Arguments
/// * `slots` – slots of all shared nodes
fn moves<T: Scalar>(
    gpu: &Gpu,
    on: &Discretisation<T>,
    dt: f64,
    nodes: &DeviceNodes,
    slots: &Rows,
) -> Result<Vec<Move<T>>, GpuError> {
    let of_range = |&range: &NodeRange| Move::new(gpu, on, nodes, dt, range, 1, (slots, nodes.first_shared));
    nodes.levels.iter().map(of_range).collect()
}

/// The slots of the patches of a run at nodes of lower levels, and by how many levels these are lower.
fn slower_slots(nodes: &DeviceNodes, arrays: &PatchArrays, run: &Run) -> Vec<[u32; 2]> {
    let of_patch = |patch: usize| {
        let first = arrays.first_surface[patch];
        let slots = (first..).zip(&nodes.patches[patch].shared);
        slots
            .map(|(slot, &node)| [slot * nodes.components() as u32, u32::from(run.level - nodes.level_of_shared(node))])
    };
    run.patches.clone().flat_map(of_patch).filter(|[_, lower]| *lower > 0).collect()
}

/// Slots of the shared nodes in device order: the contributions of each, then the force of the other phase.
///
/// # Arguments
/// * `place` – slot of a contribution of the layout
fn with_wet(nodes: &DeviceNodes, place: impl Fn(&(u32, u32)) -> u32 + Sync, wet: &[[u32; 2]]) -> Rows {
    let of_wet: HashMap<u32, u32> = wet.iter().map(|&[node, place]| (node - nodes.first_shared, place)).collect();
    Rows::new(nodes.shared.len(), |node, slots| {
        slots.extend(nodes.own.layout.contributions_of(nodes.shared[node]).iter().map(&place));
        slots.extend(if of_wet.is_empty() { None } else { of_wet.get(&(node as u32)) });
    })
}
