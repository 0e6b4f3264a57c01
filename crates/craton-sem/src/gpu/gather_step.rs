//! Assembly by slots: each element writes its forces to its own slots, then each node adds the forces of its slots.

use std::collections::BTreeMap;

use craton_device::Scalar;
use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};

use super::coupling::wet_slots;
use super::element_memory::{ElementMemory, MemoryLayout};
use super::gather::{self, GatherArrays, PointForce, RunArrays};
use super::images;
use super::messages::{MessageLayout, Slots};
use super::move_nodes::{Move, NODE_THREADS};
use super::nodes::DeviceNodes;
use super::runs::Run;
use super::step::{DeviceSources, DeviceState};
use super::substeps::RunSubsteps;
use crate::discretisation::Discretisation;
use crate::sources::PointSource;
use crate::substeps::Tick;

/// The launches of a step with assembly by slots.
pub struct GatherStep<T: Scalar> {
    /// Elements of a block, columns of an element, bytes of shared memory of a block.
    shape: [usize; 3],
    tables: Buffer<T>,
    nodes: Buffer<u32>,
    control: Buffer<T>,
    runs: Vec<GatherRun<T>>,
    add_sources: Kernel,
    /// Sources, by whether they are in outer patches, and by the level of their patches.
    sources: Vec<((bool, u8), DeviceSources<T>)>,
    pub slots: Slots<T>,
    /// All nodes.
    all: Vec<Move<T>>,
    /// Slot index of the first component of each force of each outgoing message.
    pub outgoing: Vec<Vec<u32>>,
    /// Layout of the incoming messages.
    pub incoming: MessageLayout,
}

/// A run of elements on a device.
struct GatherRun<T: Scalar> {
    of: Run,
    kernel: Kernel,
    material: Buffer<T>,
    axes: Buffer<T>,
    memory: ElementMemory<T>,
    substeps: RunSubsteps<T>,
}

impl<T: Scalar> GatherRun<T> {
    fn new(gpu: &Gpu, on: &Discretisation<T>, dt: f64, nodes: &DeviceNodes, of: Run) -> Result<Self, GpuError> {
        let arrays = RunArrays::new(on, nodes, &of);
        let memory = ElementMemory::new(gpu, on, dt, &of, MemoryLayout::Elements)?;
        Ok(Self {
            substeps: RunSubsteps::new(gpu, nodes, &of, &memory, &slower_slots(nodes, &of), nodes.per_element())?,
            kernel: images::gather::<T>(gpu, of.variant(on))?.kernel("element_forces")?,
            material: gpu.upload(&arrays.material)?,
            axes: gpu.upload(&arrays.axes)?,
            memory,
            of,
        })
    }
}

impl<T: Scalar> GatherStep<T> {
    /// Uploads the arrays of a discretisation to a device.
    pub fn new(
        gpu: &Gpu,
        on: &Discretisation<T>,
        dt: f64,
        nodes: &DeviceNodes,
        sources: &[PointSource],
    ) -> Result<Self, GpuError> {
        let n = on.gll().points.len();
        let arrays = GatherArrays::new(on, nodes);
        let points = n.pow(3);
        let outgoing = sent(on, nodes, points);
        let own_values = nodes.components() * points * nodes.n_elements();
        let (incoming, received) = received(on, nodes, points, own_values);
        let wet = wet_slots(on, nodes, own_values, &incoming);
        let slots = gather::places(nodes, points, &received, &wet);
        let common = images::nodes::<T>(gpu, n, nodes.phase)?;
        let columns = n.pow(2);
        let per_block = if columns >= 64 { 1 } else { 128 / columns };
        let workspace = nodes.components() * (2 * points + 2 * columns) * size_of::<T>();
        let number = |element| nodes.number_of_element(element).expect("an element of this part");
        let of_kind = |(kind, own): ((bool, u8), Vec<usize>)| {
            Ok((kind, DeviceSources::new(gpu, (on, nodes.phase), sources, &own, number)?))
        };
        Ok(Self {
            shape: [per_block, columns, per_block * workspace],
            tables: gpu.upload(&arrays.tables)?,
            nodes: gpu.upload(&arrays.nodes)?,
            control: gpu.upload(&arrays.control)?,
            runs: Run::all(on, nodes)
                .into_iter()
                .map(|run| GatherRun::new(gpu, on, dt, nodes, run))
                .collect::<Result<_, _>>()?,
            add_sources: common.kernel("add_sources")?,
            sources: sources_by_kind(nodes, sources).into_iter().map(of_kind).collect::<Result<_, GpuError>>()?,
            slots: Slots::new(gpu, points, own_values, &incoming)?,
            all: nodes
                .all_ranges()
                .into_iter()
                .map(|range| Move::new(gpu, on, nodes, dt, range, points, (&slots, 0)))
                .collect::<Result<_, GpuError>>()?,
            outgoing,
            incoming,
        })
    }

    /// Enqueues the forces of the outer or the inner elements that are computed in a substep, run by run, and of the sources in them.
    pub fn launch_elements(&self, state: &DeviceState<T>, outer: bool, tick: Tick) -> Result<(), GpuError> {
        let runs = || self.runs.iter().filter(|run| run.of.outer == outer && tick.computes(run.of.level));
        runs().try_for_each(|run| self.launch_run(state, run, tick))?;
        let now = self.sources.iter().filter(|((is_outer, level), _)| *is_outer == outer && tick.computes(*level));
        for (_, sources) in now {
            self.add_sources.launch(
                Launch::new(1, NODE_THREADS),
                args![
                    &sources.places,
                    sources.count,
                    &sources.weights,
                    &sources.histories,
                    &*state.step,
                    &self.slots.values
                ],
            )?;
        }
        runs().try_for_each(|run| run.substeps.launch_means(&self.slots.values, tick))
    }

    fn launch_run(&self, state: &DeviceState<T>, run: &GatherRun<T>, tick: Tick) -> Result<(), GpuError> {
        let [per_block, columns, workspace] = self.shape;
        let GatherRun { of, kernel, material, axes, memory, substeps } = run;
        let variables = substeps.hold(of, memory, tick)?;
        kernel.launch(
            Launch::covering(of.elements.len() * columns, (per_block * columns) as u32).shared(workspace as u32),
            args![
                &self.tables,
                &self.nodes,
                &state.u,
                &state.v,
                &self.control,
                material,
                u32::from(of.varies),
                axes,
                memory.mechanisms,
                memory.selection(),
                &memory.decays,
                &memory.moduli,
                variables,
                memory.pml.axes(),
                &memory.pml.coefficients,
                &memory.pml.values,
                of.elements.start as u32,
                of.elements.end as u32,
                &self.slots.values
            ],
        )
    }

    /// The runs and the memory of their elements.
    pub fn memories(&mut self) -> Vec<(&Run, &mut ElementMemory<T>)> {
        self.runs.iter_mut().map(|run| (&run.of, &mut run.memory)).collect()
    }

    /// Enqueues the update of all nodes that move at the end of a substep.
    pub fn launch_nodes(&self, state: &DeviceState<T>, tick: Tick) -> Result<(), GpuError> {
        self.all.iter().try_for_each(|own| own.launch(state, &self.slots, tick))
    }
}

/// The sources of a part, by whether their patch is an outer one, and by its level.
fn sources_by_kind(nodes: &DeviceNodes, sources: &[PointSource]) -> BTreeMap<(bool, u8), Vec<usize>> {
    let mut all: BTreeMap<_, Vec<usize>> = BTreeMap::new();
    for (source, PointSource { element, .. }) in sources.iter().enumerate() {
        if let Some((patch, _)) = nodes.patch_of(*element) {
            all.entry((patch < nodes.own.outer, nodes.rates[patch])).or_default().push(source);
        }
    }
    all
}

/// The slots of the elements of a run at nodes of lower levels, and by how many levels these are lower.
fn slower_slots(nodes: &DeviceNodes, run: &Run) -> Vec<[u32; 2]> {
    let points = nodes.per_element();
    let mut slower = Vec::new();
    for patch in run.patches.clone().filter(|_| run.level > 0) {
        for within in 0..nodes.patches[patch].elements.len() {
            let element = nodes.patches[patch].first_element as usize + within;
            for (point, node) in nodes.of_element(patch, within).enumerate() {
                let shared = node.checked_sub(nodes.first_shared);
                let lower = shared.map_or(0, |node| run.level - nodes.level_of_shared(node));
                if lower > 0 {
                    slower.push([(element * nodes.components() * points + point) as u32, u32::from(lower)]);
                }
            }
        }
    }
    slower
}

/// Slot index of the first component of each force of each outgoing message.
fn sent<T: Scalar>(on: &Discretisation<T>, nodes: &DeviceNodes, points: usize) -> Vec<Vec<u32>> {
    let in_plan = |&(patch, slot): &(u32, u32)| (nodes.own.patches[patch as usize], slot);
    let sums: Vec<(u32, u32)> = nodes.own.outgoing.iter().map(in_plan).collect();
    let forces = gather::point_forces(&on.plan, nodes.phase, &sums);
    let place = |force: &PointForce| {
        let element = nodes.number_of_element(force.element).expect("an element of this part");
        element * (nodes.components() * points) as u32 + force.point
    };
    nodes.own.links.iter().map(|link| forces[link.outgoing.clone()].iter().flatten().map(place).collect()).collect()
}

/// Layout of the incoming messages, and (element of the plan, node of the device, slot index) of each received force, in ascending order.
fn received<T: Scalar>(
    on: &Discretisation<T>,
    nodes: &DeviceNodes,
    points: usize,
    own_values: usize,
) -> (MessageLayout, Vec<[u32; 3]>) {
    let forces = gather::point_forces(&on.plan, nodes.phase, &nodes.own.incoming);
    let counts = nodes.own.links.iter().map(|link| forces[link.incoming.clone()].iter().map(Vec::len).sum());
    let layout = MessageLayout::new(nodes.components(), points, counts.chain([on.wet.len()]));
    let mut all = Vec::new();
    for (message, link) in nodes.own.links.iter().enumerate() {
        let of_message = forces[link.incoming.clone()].iter().flatten().enumerate();
        all.extend(of_message.map(|(at, force)| {
            let (patch, local) = on.plan.local_nodes(force.element);
            let place = on.plan.of(nodes.phase).layout.patches[patch].place(patch, local[force.point as usize]);
            let here = nodes.own.place_of(place).expect("a node of both parts");
            [force.element, nodes.number_of(here), (own_values + layout.place(message, at)) as u32]
        }));
    }
    all.sort_unstable();
    (layout, all)
}
