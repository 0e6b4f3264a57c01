//! Update of nodes by the sums of their slots.

use craton_device::Scalar;
use craton_device::args;
use craton_device::gpu::{Buffer, Gpu, GpuError, Kernel, Launch};

use super::nodes::{DeviceNodes, NodeRange};
use super::step::DeviceState;
use crate::substeps::Tick;

/// Block size of kernels with one thread per node.
pub const NODE_THREADS: u32 = 256;
/// Values that a thread updates: two hide the memory latency of each other.
const AT_A_TIME: u32 = 2;

/// Sums the forces at nodes and updates their velocity and displacement.
pub struct Move {
    kernel: Kernel,
    /// The two slots of each node, or the position in `more_places` of the number of slots, which the slots follow.
    places: Buffer<[u32; 2]>,
    more_places: Buffer<u32>,
    components: u32,
    range: NodeRange,
    first_shared: u32,
}

impl Move {
    /// Prepares the update of a range of nodes.
    ///
    /// # Arguments
    /// * `places` – slots of each node, in the order in which they are added
    pub fn new<'a>(
        gpu: &Gpu,
        kernel: Kernel,
        nodes: &DeviceNodes,
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
        Ok(Self {
            kernel,
            places: gpu.upload(&entries)?,
            more_places: gpu.upload(&more)?,
            components: nodes.components() as u32,
            range,
            first_shared: nodes.first_shared,
        })
    }

    /// Level of the nodes.
    pub fn level(&self) -> u8 {
        self.range.level
    }

    /// Enqueues the update by `slots`, whose components are `stride` values apart, at the end of a substep.
    pub fn launch<T: Scalar>(
        &self,
        state: &DeviceState<T>,
        slots: &Buffer<T>,
        stride: u32,
        tick: Tick,
    ) -> Result<(), GpuError> {
        let NodeRange { level, first, first_absorbing, end } = self.range;
        // Boundaries absorb once in a step, see `substeps`.
        let first_absorbing = if level == 0 { first_absorbing } else { end };
        let (rates, dt) = state.target(level, self.range.absorbs(), tick);
        let plain_blocks = (self.components * (first_absorbing - first)).div_ceil(AT_A_TIME * NODE_THREADS);
        let blocks = plain_blocks + (end - first_absorbing).div_ceil(NODE_THREADS);
        if blocks == 0 {
            return Ok(());
        }
        self.kernel.launch(
            Launch::new(blocks, NODE_THREADS),
            args![
                &self.places,
                &self.more_places,
                slots,
                stride,
                &state.dt_over_mass,
                &state.absorbing,
                first,
                first_absorbing,
                end,
                plain_blocks,
                dt,
                &state.u,
                rates,
                self.first_shared,
                &state.change
            ],
        )
    }
}

/// The entries of `values` that belong to an index, by its offset and the next one.
pub fn row<'a>(offsets: &[u32], values: &'a [u32], index: u32) -> &'a [u32] {
    &values[offsets[index as usize] as usize..offsets[index as usize + 1] as usize]
}
