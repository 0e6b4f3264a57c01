//! Update of nodes by the sums of their slots.

use craton_device::Scalar;
use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};

use super::images;
use super::messages::Slots;
use super::nodes::{DeviceNodes, NodeRange};
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
    /// The two slots of each node, or the position in `more_places` of the number of slots, which the slots follow.
    places: Buffer<[u32; 2]>,
    more_places: Buffer<u32>,
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
    /// * `places` – slots of each node, in the order in which they are added
    pub fn new<'a>(
        gpu: &Gpu,
        on: &Discretisation<T>,
        nodes: &DeviceNodes,
        dt: f64,
        range: NodeRange,
        places: impl Iterator<Item = &'a [u32]>,
    ) -> Result<Self, GpuError> {
        /// Marks a node whose number of slots is not two.
        const MORE: u32 = u32::MAX;
        let mut more = Vec::new();
        let mut entries = Vec::with_capacity(range.count() as usize);
        for slots in places {
            if let &[first, second] = slots {
                entries.push([first, second]);
            } else {
                entries.push([more.len() as u32, MORE]);
                more.push(slots.len() as u32);
                more.extend_from_slice(slots);
            }
        }
        let substeps = NodeSubsteps::new(gpu, on, nodes, dt, range)?;
        let kernel = match &substeps {
            None => images::nodes::<T>(gpu, on.gll().points.len(), nodes.phase)?.kernel("move_nodes")?,
            Some(_) => images::substeps::<T>(gpu, nodes.phase)?.kernel("move_substep")?,
        };
        Ok(Self {
            kernel,
            places: gpu.upload(&entries)?,
            more_places: gpu.upload(&more)?,
            components: nodes.components() as u32,
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
                &self.places,
                &self.more_places,
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
                &self.places,
                &self.more_places,
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

/// The entries of `values` that belong to an index, by its offset and the next one.
pub fn row<'a>(offsets: &[u32], values: &'a [u32], index: u32) -> &'a [u32] {
    &values[offsets[index as usize] as usize..offsets[index as usize + 1] as usize]
}
