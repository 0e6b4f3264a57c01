//! Update of nodes by the sums of their slots.

use craton_device::Scalar;
use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};

use super::images;
use super::messages::Slots;
use super::nodes::{DeviceNodes, NodeRange};
use super::number_runs;
use super::step::DeviceState;
use super::substeps::NodeSubsteps;
use crate::discretisation::Discretisation;
use crate::substeps::Tick;

/// Block size of kernels with one thread per node.
pub const NODE_THREADS: u32 = 256;
/// Values that a thread updates: two hide the memory latency of each other.
pub const AT_A_TIME: u32 = 2;

/// Sums the forces at nodes of one level, and moves them.
pub struct Move<T: Scalar> {
    kernel: Kernel,
    slots: SlotRuns,
    components: u32,
    range: NodeRange,
    first_shared: u32,
    /// Of a level above 0.
    substeps: Option<NodeSubsteps<T>>,
}

impl<T: Scalar> Move<T> {
    /// Prepares the moves of a range of nodes.
    ///
    /// # Arguments
    /// * `dt` – time step of the run [s]
    /// * `stride` – distance of the components of a slot
    /// * `places` – slots of each node, in the order in which they are added
    pub fn new<'a>(
        gpu: &Gpu,
        on: &Discretisation<T>,
        nodes: &DeviceNodes,
        dt: f64,
        range: NodeRange,
        stride: usize,
        places: impl Iterator<Item = &'a [u32]>,
    ) -> Result<Self, GpuError> {
        let components = nodes.components() as u32;
        let substeps = NodeSubsteps::new(gpu, on, nodes, dt, range)?;
        let kernel = match &substeps {
            None => images::nodes::<T>(gpu, on.gll().points.len(), nodes.phase)?.kernel("move_nodes")?,
            Some(_) => images::substeps::<T>(gpu, nodes.phase)?.kernel("move_substep")?,
        };
        Ok(Self {
            kernel,
            slots: SlotRuns::new(gpu, if stride == 1 { components } else { 1 }, places)?,
            components,
            range,
            first_shared: nodes.first_shared,
            substeps,
        })
    }

    /// Enqueues the moves at the end of a substep by the forces in `slots`, unless the nodes stay.
    pub fn launch(&self, state: &DeviceState<T>, slots: &Slots<T>, tick: Tick) -> Result<(), GpuError> {
        match &self.substeps {
            _ if !tick.moves(self.range.level) || self.range.count() == 0 => Ok(()),
            None => self.launch_step(state, slots),
            Some(own) => self.launch_substep(own, state, slots, tick),
        }
    }

    /// Blocks that update components independently, and all blocks, of nodes of which those from `first_absorbing` on are damped.
    fn blocks(&self, first_absorbing: u32) -> [u32; 2] {
        let plain = (self.components * (first_absorbing - self.range.first)).div_ceil(AT_A_TIME * NODE_THREADS);
        [plain, plain + (self.range.end - first_absorbing).div_ceil(NODE_THREADS)]
    }

    fn launch_step(&self, state: &DeviceState<T>, slots: &Slots<T>) -> Result<(), GpuError> {
        let NodeRange { first, first_absorbing, end, .. } = self.range;
        let [plain_blocks, blocks] = self.blocks(first_absorbing);
        self.kernel.launch(
            Launch::new(blocks, NODE_THREADS),
            args![
                &self.slots.chunks,
                &self.slots.runs,
                &self.slots.more,
                &slots.values,
                slots.stride as u32,
                &state.dt_over_mass,
                &state.absorbing,
                first,
                first_absorbing,
                end,
                plain_blocks,
                state.dt,
                &state.u,
                &state.v,
                self.first_shared,
                &state.change
            ],
        )
    }

    fn launch_substep(
        &self,
        own: &NodeSubsteps<T>,
        state: &DeviceState<T>,
        slots: &Slots<T>,
        tick: Tick,
    ) -> Result<(), GpuError> {
        let NodeRange { level, first, first_absorbing, end } = self.range;
        let ended = tick.halves_ended(level);
        // Boundaries absorb once in a step, see `substeps`.
        let first_absorbing = if ended == usize::from(level) { first_absorbing } else { end };
        let [plain_blocks, blocks] = self.blocks(first_absorbing);
        self.kernel.launch(
            Launch::new(blocks, NODE_THREADS),
            args![
                &self.slots.chunks,
                &self.slots.runs,
                &self.slots.more,
                &slots.values,
                slots.stride as u32,
                first,
                first_absorbing,
                end,
                plain_blocks,
                u32::from(level),
                ended as u32,
                state.dt,
                &own.reach,
                &own.kept,
                &state.u,
                &state.v,
                &own.absorbing,
                &state.dt_over_mass
            ],
        )
    }
}

/// The slots of consecutive nodes, in runs: from a node to the next one of a run, all slots advance by the same distance.
struct SlotRuns {
    chunks: Buffer<[u32; 2]>,
    /// The two slots of a node of each run, minus the product of its number and the distance of successive slots; or the position in `more` of the number of
    /// slots, which is followed by the slots.
    runs: Buffer<[u32; 2]>,
    more: Buffer<u32>,
}

impl SlotRuns {
    /// Uploads the slots.
    ///
    /// # Arguments
    /// * `step` – distance of the slots of successive nodes of a run
    /// * `places` – slots of each node
    fn new<'a>(gpu: &Gpu, step: u32, places: impl Iterator<Item = &'a [u32]>) -> Result<Self, GpuError> {
        /// Marks a run with an entry in `more`.
        const MORE: u32 = u32::MAX;
        let (mut starts, mut runs, mut more) = (Vec::new(), Vec::new(), Vec::new());
        let mut last: &[u32] = &[];
        for (node, slots) in (0..).zip(places) {
            let follows = slots.len() == last.len() && last.iter().zip(slots).all(|(last, slot)| last + step == *slot);
            starts.push(node == 0 || !follows);
            last = slots;
            if node > 0 && follows {
                continue;
            }
            let from_first = |slot: &u32| slot.wrapping_sub(step.wrapping_mul(node));
            let own: Vec<u32> = slots.iter().map(from_first).collect();
            match own[..] {
                [first, second] if second != MORE => runs.push([first, second]),
                _ => {
                    runs.push([more.len() as u32, MORE]);
                    more.push(own.len() as u32);
                    more.extend(own);
                }
            }
        }
        Ok(Self {
            chunks: gpu.upload(&number_runs::chunks(&starts, 0))?,
            runs: gpu.upload(&runs)?,
            more: gpu.upload(&more)?,
        })
    }
}

/// The entries of `values` that belong to an index, by its offset and the next one.
pub fn row<'a>(offsets: &[u32], values: &'a [u32], index: u32) -> &'a [u32] {
    &values[offsets[index as usize] as usize..offsets[index as usize + 1] as usize]
}
